//! `rustop` scaffolds Kubernetes operators on kube-rs, generates their manifests and runs them on a
//! real local control plane.
//!
//! Two ideas shape the source. Every generator is a pure function to a `Tree`, a sorted map
//! from path to text; one file of the source turns trees into files. And every generated file has one owner,
//! the user or the tool, named in one table.

mod client;
mod cluster;
mod cmd;
mod dev;
mod disk;
mod error;
mod interrupt;
mod lint;
mod manifests;
mod migration;
mod names;
mod ops;
mod progress;
mod project;
mod rbac;
mod resource;
mod scaffold;
mod session;
mod terminal;
mod torture;
mod tree;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let cli = cmd::Cli::parse();
    let session = cli.global.session();
    match cli.command.run(&session) {
        Ok(code) => code,
        Err(error) => {
            session.terminal.error(&error);
            error.exit_code()
        }
    }
}
