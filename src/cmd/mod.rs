//! The command line. Each subcommand has a file with its description and examples; the arguments
//! are the fields of its operation in `ops`. Both structs have the same name, by which clap's
//! derive would name an argument group of each, so those here have `#[group(skip)]`.

mod adopt;
mod cluster;
mod completions;
mod create;
mod delete;
mod dev;
mod docs;
#[cfg(test)]
mod documents;
mod edit;
mod exit;
mod explain;
mod format;
mod import;
mod init;
mod kubebuilder;
mod lint;
mod man;
mod manifests;
mod migrate;
mod rbac;
mod run;
mod schema;
mod show;
mod simulate;
mod torture;
mod upgrade;
pub mod usage;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ArgAction, Args, ColorChoice, CommandFactory as _, Parser, Subcommand};

use self::exit::done;
use crate::ops::Result;
use crate::project;
use crate::session::Session;
use crate::terminal::Terminal;

/// Scaffolds Kubernetes operators on kube-rs, generates their manifests and runs them on a real
/// local control plane.
#[derive(Debug, Parser)]
#[command(
    name = "rustop",
    version,
    max_term_width = 100,
    after_help = "Examples:
  rustop init --domain my.domain       # in an empty directory
  rustop create api --kind Lolcow
  rustop dev                           # on a control plane on this machine"
)]
pub struct Cli {
    /// The global options.
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Runs the command. Without `--project`, a project in the current directory must belong to the
    /// user.
    ///
    /// # Errors
    /// Returns the error of the command, or that the project belongs to another user.
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        if self.global.project.is_none() && self.command.reads_project() {
            project::check_owner(&session.here)?;
        }
        self.command.run(session)
    }
}

/// Options that every command takes.
#[derive(Args, Debug)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// Use the project in DIR or its parent directories instead of the current directory
    #[arg(short = 'C', long, value_name = "DIR", global = true)]
    pub project: Option<PathBuf>,
    /// Use verbose output
    #[arg(short, long, global = true, action = ArgAction::Count, conflicts_with = "quiet")]
    pub verbose: u8,
    /// Print only warnings and errors
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// When to use colored output
    #[arg(
        long,
        value_name = "WHEN",
        global = true,
        default_value = "auto",
        hide_default_value = true
    )]
    pub color: ColorChoice,
}

impl Global {
    /// Returns the session that the global options configure.
    pub fn session(&self) -> Session {
        let verbosity = if self.quiet {
            -1
        } else {
            // `-v` can be repeated.
            i8::try_from(self.verbose).unwrap_or(i8::MAX)
        };
        let color = match self.color {
            ColorChoice::Auto => anstream::ColorChoice::Auto,
            ColorChoice::Always => anstream::ColorChoice::Always,
            ColorChoice::Never => anstream::ColorChoice::Never,
        };
        let here = self.project.as_deref().unwrap_or(Path::new("."));
        Session::new(here, Terminal::new(verbosity, color))
    }
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    Init(init::Init),
    Adopt(adopt::Adopt),
    Import(import::Import),
    Create(create::Create),
    Delete(delete::Delete),
    Edit(edit::Edit),
    Upgrade(upgrade::Upgrade),
    Manifests(manifests::Manifests),
    Docs(docs::Docs),
    Explain(explain::Explain),
    Lint(lint::Lint),
    Dev(dev::Dev),
    Run(run::Run),
    Show(show::Show),
    Simulate(simulate::Simulate),
    Torture(torture::Torture),
    Migrate(migrate::Migrate),
    Rbac(rbac::Rbac),
    Schema(schema::Schema),
    Cluster(cluster::Cluster),
    Completions(completions::Completions),
    Man(man::Man),
}

impl Command {
    /// Returns the name of a command that prints its result as one JSON document. Returns `None`
    /// for a command that prints text, or its own report like `lint` and `manifests`.
    pub fn document(&self) -> Option<&'static str> {
        let (name, format) = match self {
            Self::Init(args) => ("init", &args.format),
            Self::Adopt(args) => ("adopt", &args.format),
            Self::Create(args) => ("create", &args.format),
            Self::Delete(args) => ("delete", &args.format),
            Self::Edit(args) => ("edit", &args.format),
            Self::Upgrade(args) => ("upgrade", &args.format),
            Self::Docs(args) => ("docs", &args.format),
            Self::Dev(args) => ("dev", &args.format),
            Self::Simulate(args) => ("simulate", &args.format),
            Self::Torture(args) => ("torture", &args.format),
            Self::Migrate(args) => ("migrate", &args.format),
            Self::Rbac(args) => ("rbac report", &args.format),
            Self::Cluster(args) => ("cluster install", args.format()?),
            _ => return None,
        };
        format.is_json().then_some(name)
    }

    /// Reports whether the command reads the project in the current directory.
    fn reads_project(&self) -> bool {
        !matches!(
            self,
            Self::Cluster(_)
                | Self::Completions(_)
                | Self::Explain(_)
                | Self::Man(_)
                | Self::Schema(_)
                | Self::Show(_)
        )
    }

    /// Runs the command. The exit code is 0 unless a command returns a verdict or the exit code of
    /// another program.
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        match self {
            Self::Init(args) => done(args.operation.run(session)),
            Self::Adopt(args) => done(args.operation.run(session)),
            Self::Import(args) => args.run(session),
            Self::Create(args) => done(args.run(session)),
            Self::Delete(args) => done(args.run(session)),
            Self::Edit(args) => done(args.operation.run(session)),
            Self::Upgrade(args) => done(args.operation.run(session)),
            Self::Manifests(args) => done(args.operation.run(session)),
            Self::Docs(args) => done(args.operation.run(session)),
            Self::Explain(args) => done(args.run(session)),
            Self::Lint(args) => done(args.run(session)),
            Self::Dev(args) => args.operation.run(session),
            Self::Run(args) => args.operation.run(session),
            Self::Show(args) => done(args.run(session)),
            Self::Simulate(args) => args.operation.run(session),
            Self::Torture(args) => args.operation.run(session),
            Self::Migrate(args) => done(args.operation.run(session)),
            Self::Rbac(args) => args.run(session),
            Self::Schema(args) => done(args.run(session)),
            Self::Cluster(args) => args.run(session),
            Self::Completions(args) => done(args.run(session, &mut Cli::command())),
            Self::Man(args) => done(args.run(session, &mut Cli::command())),
        }
    }
}
