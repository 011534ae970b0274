//! Between an operator and the API server: sees each request, each answer and each event of a watch, and
//! does faults.
//!
//! The operator is shown one namespace as if there were no other, but for what it has there itself: what it asks of all
//! namespaces is asked of that one. So any operator can run beside others on one control plane, knowing nothing of it.

mod elsewhere;
mod exchange;
mod late;
mod news;
mod protobuf;
mod server;
mod shared;

pub use server::listen;
pub use shared::Proxy;
