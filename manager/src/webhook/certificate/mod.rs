//! The serving certificate of the webhooks: issued, stored in a Secret, renewed in time, and published to the API
//! server.

pub(crate) mod ca_bundle;
pub(crate) mod issue;
pub(crate) mod rotate;
pub(crate) mod secret;
