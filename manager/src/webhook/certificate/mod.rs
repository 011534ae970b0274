//! The certificate that webhooks show: made, kept in a Secret, renewed in time, and told to the API server.

pub(crate) mod ca_bundle;
pub(crate) mod issue;
pub(crate) mod rotate;
pub(crate) mod secret;
