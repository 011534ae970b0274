//! `rustop cluster`: one file per subcommand.

mod delete;
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

use super::done;
use crate::cluster::{Sources, StartOptions, VersionRequest};
use crate::ops::Result;
use crate::session::Session;

/// Run a real control plane on this machine: etcd, kube-apiserver, controllers and KWOK nodes
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop cluster install            # once
  rustop cluster start
  export KUBECONFIG=$(rustop cluster kubeconfig)
  rustop cluster exec -- cargo test # a cluster of its own for one command
  rustop cluster stop               # its data stays
  rustop cluster delete

In a project, the cluster is that of `rustop dev`; elsewhere it is called `default`.")]
pub struct Cluster {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Install(install::Install),
    Start(start::Start),
    Stop(stop::Stop),
    Delete(delete::Delete),
    Kubeconfig(kubeconfig::Kubeconfig),
    Status(status::Status),
    Exec(exec::Exec),
    Detach(detach::Detach),
    Janitor(janitor::Janitor),
}

impl Cluster {
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        match self.command {
            Command::Install(args) => done(args.run(session)),
            Command::Start(args) => done(args.run(session)),
            Command::Stop(args) => done(args.run(session)),
            Command::Delete(args) => done(args.run(session)),
            Command::Kubeconfig(args) => done(args.run(session)),
            Command::Status(args) => done(args.run(session)),
            Command::Exec(args) => args.run(session),
            Command::Detach(args) => done(args.run()),
            Command::Janitor(args) => done(args.run(session)),
        }
    }
}

/// `--name`, for the commands that work on one cluster.
#[derive(Args, Debug)]
struct Name {
    /// The cluster's name; several run side by side [default: the project's in a project, else `default`]
    #[arg(long)]
    name: Option<String>,
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
    fn options(self) -> StartOptions {
        StartOptions {
            sources: Sources {
                dir: self.assets,
                version: self.kubernetes_version,
            },
            nodes: self.nodes,
            controllers: !self.no_controllers,
            ..StartOptions::default()
        }
    }
}
