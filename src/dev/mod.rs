//! The steps of `rustop dev`: apply the project's manifests to a cluster, run the operator on this
//! machine under its own ServiceAccount, apply the samples, and report their state.

mod access;
mod conversion;
mod error;
mod local_address;
mod objects;
mod operator;
mod sample_location;
mod samples;
mod served_from;
mod sources;
mod webhook_host;
mod webhook_server;
mod webhooks;

pub use access::{Access, kubeconfig};
pub use error::Error;
pub use local_address::{LocalAddress, Readiness};
pub use objects::{
    OperatorManifests, apply, apply_or, is_same, kind, kustomize, missing_namespaces, named,
    operator_manifests, samples, split_by_served_group,
};
pub use operator::{Launch, Operator, PlainCommandLine, webhook_environment};
pub use sample_location::{located, located_in};
pub use samples::{ReadinessSource, Samples, delete, terminating};
pub use sources::SourcesSnapshot;
pub use webhook_host::{Host, is_api_server_local};
pub use webhooks::{LocalWebhooks, RedirectedCluster, is_not_served_yet};
