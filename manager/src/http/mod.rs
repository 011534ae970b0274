//! The HTTP servers of an operator: health, metrics, and the parts that they share with webhooks.

pub(crate) mod authorization;
pub(crate) mod connections;
pub(crate) mod endpoints;
pub(crate) mod exposition;
pub(crate) mod health;
pub(crate) mod process_metrics;
pub(crate) mod server;
pub(crate) mod tls;
