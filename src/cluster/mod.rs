//! A real control plane on this machine: etcd and kube-apiserver, and, if they are installed,
//! kube-controller-manager, kube-scheduler and KWOK.
//!
//! [`install()`] puts the programs into rustop's cache, [`assets`] finds them, [`Cluster`] runs
//! them. All files of a cluster are in its directory ([`state::Home`]), which also has the lock for
//! starting and stopping it. Each process is recorded right after its start and carries a mark, so
//! that the next start or stop finds it even after a crash ([`process`]).

mod archive;
mod assets;
mod cleanup_process;
mod client;
mod cluster_lock;
mod component;
mod control_plane;
mod dirs;
mod download;
mod error;
mod exec;
mod gobuild;
mod gomodule;
mod holder;
mod index;
mod install;
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

pub use assets::{AssetSources, find, is_missing};
pub use cluster_lock::{Hold, clean_up_after_dev, sweep};
pub use dirs::Dirs;
pub use download::stall_limit;
pub use error::Error;
pub use exec::{clean_up_after, exec};
pub use index::DEFAULT_INDEX;
pub use install::{DEFAULT_RELEASE_SITE, InstallOptions, install};
pub use lifecycle::{Cluster, StartOptions};
pub use lock::try_exclusive;
pub use process::{become_detached, become_tethered, tethered};
pub use run_dir::RunDir;
pub use state::name_of_project;
pub use status::ClusterStatus;
pub use version::Request as VersionRequest;

/// The name of the cluster that commands use if the user does not name one.
pub const DEFAULT_NAME: &str = "default";
