//! The steps of `rustop dev`: apply the project's manifests to a cluster, run the operator on this machine under its
//! own ServiceAccount, apply the samples, and report their state.

mod access;
mod conversion;
mod error;
mod objects;
mod operator;
mod origin;
mod probe;
mod samples;
mod sources;
mod webhook_host;
mod webhooks;

pub use access::{Access, kubeconfig};
pub use error::Error;
pub use objects::{
    Deployed, apply, apply_or, deployed, is_same, kind, missing_namespaces, named, samples,
    served_kinds,
};
pub use operator::{Launch, Operator, Plain, served};
pub use origin::{located, located_in};
pub use probe::Probe;
pub use samples::{Proof, Samples, delete, leaving};
pub use sources::Sources;
pub use webhook_host::{Host, is_api_server_local};
pub use webhooks::{Webhooks, is_not_served_yet};
