//! A real control plane on this machine: etcd and kube-apiserver as child processes, with
//! kube-controller-manager, kube-scheduler and KWOK beside them where they are installed.
//!
//! [`install()`] puts the programs into rustop's cache, [`assets`] finds them, [`Cluster`] runs them. All
//! that belongs to a cluster is in its directory ([`state::Home`]); whoever starts or stops one holds the
//! lock in there. What runs is written down right after it was started, and marked, so that after a crash
//! of anything the next start or stop finds all of it ([`process`]).

mod archive;
mod assets;
mod client;
mod component;
mod control_plane;
mod dirs;
mod download;
mod error;
mod exec;
mod gobuild;
mod gomodule;
mod hold;
mod holder;
mod index;
mod install;
mod janitor;
mod kubeconfig;
mod kubectl;
mod lifecycle;
mod lock;
mod nodes;
mod pki;
mod process;
mod run_dir;
mod startup;
mod state;
mod status;
mod version;

pub use assets::{Sources, find, is_missing};
pub use dirs::Dirs;
pub use error::Error;
pub use exec::{clean_up_after, exec};
pub use hold::{Hold, clean_up_after_dev, sweep};
pub use index::DEFAULT_INDEX;
pub use install::{DEFAULT_RELEASE_SITE, InstallOptions, install};
pub use lifecycle::{Cluster, StartOptions};
pub use process::become_detached;
pub use run_dir::RunDir;
pub use state::name_of_project;
pub use status::Status;
pub use version::Request as VersionRequest;

/// The name of the cluster that is meant when none is named.
pub const DEFAULT_NAME: &str = "default";
