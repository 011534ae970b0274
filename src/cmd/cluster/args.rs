//! Arguments that several subcommands of `rustop cluster` take.

use std::path::PathBuf;

use clap::Args;

use crate::cluster::{AssetSources, StartOptions, VersionRequest};

/// The `--name` option of the commands for a single cluster.
#[derive(Args, Debug)]
pub struct ClusterName {
    /// Name of the cluster [default: the project's cluster inside a project, otherwise `default`]
    #[arg(long)]
    pub name: Option<String>,
}

/// The options of a new cluster.
#[derive(Args, Debug)]
pub struct ClusterArgs {
    /// Kubernetes version, such as 1.37 or 1.37.2
    #[arg(long, value_name = "VERSION", default_value_t)]
    kubernetes_version: VersionRequest,
    /// Run only the binaries in DIR
    #[arg(long, value_name = "DIR")]
    assets: Option<PathBuf>,
    /// Number of KWOK nodes
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(..=1000))]
    nodes: u32,
    /// Run only etcd and kube-apiserver: faster, but Deployments get no Pods
    #[arg(long)]
    no_controllers: bool,
}

impl ClusterArgs {
    /// Returns the options for the control plane.
    pub fn options(self) -> StartOptions {
        StartOptions {
            sources: AssetSources {
                dir: self.assets,
                version: self.kubernetes_version,
            },
            nodes: self.nodes,
            controllers: !self.no_controllers,
            ..StartOptions::default()
        }
    }
}
