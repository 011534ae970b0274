//! Finds what `rustop.yaml` needs in a repository: the commands, the manifests and the samples of
//! an operator. Reads files only; nothing is built or run except for `git ls-files`.
//!
//! Each finder returns candidates with their evidence. The caller takes a single candidate, and
//! asks the user to choose among several.

mod binary;
mod candidate;
mod cargo;
mod code;
mod crds;
mod deploy;
mod dockerfiles;
mod go;
mod harmless;
mod incluster;
mod invalid;
mod name;
mod program;
mod repository;
mod samples;
mod scripts;
mod started;

pub use binary::OperatorProgram;
pub use candidate::Candidate;
pub use repository::{Repository, files as files_of};

pub use cargo::{crates, kube};
pub use crds::{command, files, has_crd};
pub use deploy::deployments;
pub use incluster::only_in_cluster;
pub use invalid::invalid;
pub use name::name;
pub use program::programs;
pub use samples::{is_sample, samples};
pub use started::started;
