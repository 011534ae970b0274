//! `rustop cluster`: one file per subcommand.

mod args;
mod delete;
mod detach;
mod exec;
mod install;
mod janitor;
mod kubeconfig;
mod network;
mod start;
mod status;
mod stop;
mod tether;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::exit::done;
use super::format::Format;
use crate::ops::Result;
use crate::session::Session;

/// Run a real control plane on this machine: etcd, kube-apiserver, controllers and KWOK nodes
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop cluster install            # once
  rustop cluster start
  export KUBECONFIG=$(rustop cluster kubeconfig)
  rustop cluster exec -- cargo test # a temporary cluster for one command
  rustop cluster stop               # keeps its data
  rustop cluster delete

Inside a project, these commands use the cluster of `rustop dev`, elsewhere a cluster named `default`.")]
pub struct Cluster {
    #[command(subcommand)]
    command: ClusterCommand,
}

#[derive(Debug, Subcommand)]
enum ClusterCommand {
    Install(install::Install),
    Start(start::Start),
    Stop(stop::Stop),
    Delete(delete::Delete),
    Kubeconfig(kubeconfig::Kubeconfig),
    Status(status::Status),
    Exec(exec::Exec),
    Detach(detach::Detach),
    Janitor(janitor::Janitor),
    Network(network::Network),
    Tether(tether::Tether),
}

impl Cluster {
    /// Returns the output format of a subcommand that has one.
    pub fn format(&self) -> Option<&Format> {
        match &self.command {
            ClusterCommand::Install(args) => Some(&args.format),
            _ => None,
        }
    }

    pub fn run(self, session: &Session) -> Result<ExitCode> {
        match self.command {
            ClusterCommand::Install(args) => done(args.run(session)),
            ClusterCommand::Start(args) => done(args.run(session)),
            ClusterCommand::Stop(args) => done(args.run(session)),
            ClusterCommand::Delete(args) => done(args.run(session)),
            ClusterCommand::Kubeconfig(args) => done(args.run(session)),
            ClusterCommand::Status(args) => done(args.run(session)),
            ClusterCommand::Exec(args) => args.run(session),
            ClusterCommand::Detach(args) => done(args.run()),
            ClusterCommand::Janitor(args) => done(args.run(session)),
            ClusterCommand::Network(args) => done(args.run()),
            ClusterCommand::Tether(args) => done(args.run()),
        }
    }
}
