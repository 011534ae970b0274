//! `rustop cluster`: one file per subcommand.

mod detach;
mod exec;
mod install;
mod janitor;
mod kubeconfig;
mod start;
mod status;
mod stop;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::Session;
use crate::cluster::{DEFAULT_NAME, Sources, VersionRequest};
use crate::error::Result;

/// Run a real control plane on this machine: etcd, kube-apiserver, controllers and KWOK nodes
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop cluster install            # once
  rustop cluster start
  export KUBECONFIG=$(rustop cluster kubeconfig)
  rustop cluster exec -- cargo test # a cluster of its own for one command
  rustop cluster stop")]
pub struct Cluster {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Install(install::Install),
    Start(start::Start),
    Stop(stop::Stop),
    Kubeconfig(kubeconfig::Kubeconfig),
    Status(status::Status),
    Exec(exec::Exec),
    Detach(detach::Detach),
    Janitor(janitor::Janitor),
}

impl Cluster {
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        match self.command {
            Command::Install(args) => args.run(session),
            Command::Start(args) => args.run(session),
            Command::Stop(args) => args.run(session),
            Command::Kubeconfig(args) => args.run(session),
            Command::Status(args) => args.run(session),
            Command::Exec(args) => args.run(session),
            Command::Detach(args) => args.run(),
            Command::Janitor(args) => args.run(),
        }
    }
}

/// `--name`, for the commands that work on one cluster.
#[derive(Args, Debug)]
struct Name {
    /// The cluster's name; several run side by side
    #[arg(long, default_value = DEFAULT_NAME)]
    name: String,
}

/// What a new cluster is made of.
#[derive(Args, Debug)]
struct Shape {
    /// The version of Kubernetes, as 1.36 or 1.36.3
    #[arg(long, value_name = "VERSION", default_value_t)]
    kubernetes_version: VersionRequest,
    /// Run the programs in DIR and no others
    #[arg(long, value_name = "DIR")]
    assets: Option<PathBuf>,
    /// The number of KWOK nodes
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(..=1000))]
    nodes: u32,
    /// Run etcd and kube-apiserver alone: faster, but Deployments get no Pods
    #[arg(long)]
    no_controllers: bool,
}

impl Shape {
    fn sources(&self) -> Sources {
        Sources {
            dir: self.assets.clone(),
            version: self.kubernetes_version,
        }
    }
}
