//! `rustop` scaffolds Kubernetes operators on kube-rs, generates their manifests and runs them on a
//! real local control plane.
//!
//! Two ideas shape the source. Every generator is a pure function that returns a [`tree::Tree`], a
//! sorted map from paths to texts; only [`disk`] writes trees to files. And every generated file
//! has one owner, the user or rustop, as listed in `templates/table.yaml`.

mod adopted;
mod apicalls;
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
mod git;
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
mod reference;
mod resource;
mod scaffold;
mod session;
mod simulation;
mod sources;
mod terminal;
mod text;
mod torture;
mod tree;
mod upgrade;
mod webhook;
mod yaml;

use std::env;
use std::process::ExitCode;
use std::thread;

use clap::Parser;

use error::Failure as _;
use terminal::Terminal;
use text::STACK;

fn main() -> ExitCode {
    // Parsers and checks recurse into nested documents, for which the main thread's stack is too
    // small.
    let main = thread::Builder::new()
        .name("main".to_owned())
        .stack_size(STACK)
        .spawn(run);
    let main = main.expect("a process has a second thread");
    // 101 is the exit code of a Rust program that panics.
    main.join().unwrap_or(ExitCode::from(101))
}

fn run() -> ExitCode {
    let cli = match cmd::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refuse(&cmd::usage::escaped(error)),
    };
    let document = cli.command.document();
    let mut session = cli.global.session();
    if document.is_some() {
        session.collect_results();
    }
    let mut result = cli.run(&session);
    // Errors of the disk already describe the interrupted run.
    if !matches!(result, Err(ops::Error::Disk(_))) && disk::is_interrupted(&session.dir) {
        let is_outdated = || {
            project::Project::load(&session.dir)
                .is_ok_and(|project| project.check_version().is_err())
        };
        let finishing = if project::is_adopted(&session.dir) {
            "rustop adopt"
        } else if is_outdated() {
            "rustop upgrade"
        } else {
            "rustop manifests"
        };
        session.terminal.warning(format_args!(
            "an earlier run of rustop in `{}` was interrupted before it had changed every file; `{finishing}` finishes it",
            session.dir.display()
        ));
    }
    if let Some(command) = document
        && let Err(error) = ops::output::print(&session, command, &result)
    {
        result = Err(error);
    }
    match result {
        Ok(code) => code,
        Err(error) => {
            session.terminal.error(&error);
            error.exit_code().into()
        }
    }
}

/// Prints the error, the help or the version with which clap ended the parsing of the command
/// line, and returns clap's exit code. With `--output json`, an error is also printed to stdout,
/// as a JSON document.
fn refuse(error: &clap::Error) -> ExitCode {
    let arguments: Vec<_> = env::args_os()
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    let is_json =
        |pair: &[String]| ["--output", "-o"].contains(&pair[0].as_str()) && pair[1] == "json";
    let for_program =
        arguments.iter().any(|it| it == "--output=json") || arguments.windows(2).any(is_json);
    if error.use_stderr() && for_program {
        let text = ops::output::usage(error.to_string().trim_end());
        // If stdout cannot be written, the message still goes to stderr.
        let _ = Terminal::new(0, anstream::ColorChoice::Auto).document(&text);
    }
    // clap itself ignores errors of a closed stream, too.
    let _ = error.print();
    u8::try_from(error.exit_code()).unwrap_or(2).into()
}
