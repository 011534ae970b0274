//! The serving certificate of the webhooks: issued, stored in a Secret, renewed before it expires,
//! and published to the API server.

pub(crate) mod ca_bundle;
pub(crate) mod issue;
pub(crate) mod rotate;
pub(crate) mod secret;
