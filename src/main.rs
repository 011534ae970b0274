//! `rustop` scaffolds Kubernetes operators on kube-rs, generates their manifests and runs them on a real local control
//! plane.
//!
//! Two ideas shape the source. Every generator is a pure function that returns a [`tree::Tree`], a sorted map from
//! paths to texts; only [`disk`] writes trees to files. And every generated file has one owner, the user or rustop, as
//! listed in `templates/table.yaml`.

mod bundle;
mod cargo;
mod chart;
mod client;
mod cluster;
mod cmd;
mod compat;
mod crd;
mod dev;
mod diagnostic;
mod dirs;
mod disk;
mod error;
mod gosource;
mod import;
mod interrupt;
mod lint;
mod manifests;
mod migration;
mod names;
mod ops;
mod page;
mod progress;
mod project;
mod rbac;
mod resource;
mod scaffold;
mod session;
mod sources;
mod terminal;
mod text;
mod torture;
mod tree;
mod upgrade;
mod webhook;
mod yaml;

use std::process::ExitCode;
use std::thread;

use clap::Parser;

use error::Failure as _;

/// The stack size in bytes. Untrusted expressions and documents can be nested deeper than the usual 8 MiB allow. The
/// operating system allocates only the memory that is used.
const STACK: usize = 256 << 20;

fn main() -> ExitCode {
    let main = thread::Builder::new()
        .name("main".to_owned())
        .stack_size(STACK)
        .spawn(run);
    let main = main.expect("a process has a second thread");
    main.join().unwrap_or(ExitCode::from(101))
}

fn run() -> ExitCode {
    let cli = cmd::Cli::parse();
    let session = cli.global.session();
    match cli.command.run(&session) {
        Ok(code) => code,
        Err(error) => {
            session.terminal.error(&error);
            error.exit_code().into()
        }
    }
}
