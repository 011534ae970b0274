//! `rustop docs`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::format::Format;
use crate::ops::{self, Result};
use crate::reference;
use crate::session::Session;

/// Generate a reference of the project's kinds for their users
///
/// Documents the fields of each version with types, defaults, limits and rules, the samples, the
/// differences between versions, and the conditions and permissions of the operator. Builds the
/// types to generate their CRDs. `rustop manifests` updates docs/api.md and docs/api.html, if the
/// project has them, and `rustop manifests --check` reports them if they are stale.
///
/// --crds documents CRDs without a project, for example those of an operator in Go.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop docs                                # write docs/api.md
  rustop docs --format html                  # write docs/api.html, one page without scripts
  rustop docs --check                        # write nothing; exit 1 if docs/api.md is stale
  rustop docs --crds crds/*.yaml             # the CRDs of any operator, without a project
  rustop docs --crds config/crd/bases --samples config/samples --output-path docs/reference.md")]
pub struct Docs {
    #[command(flatten)]
    pub output: Format,
    /// Markup language [default: that of the file's name, otherwise markdown]
    #[arg(long, value_enum)]
    format: Option<Markup>,
    /// File to write, relative to the project [default: docs/api.md or docs/api.html]
    #[arg(long, value_name = "FILE")]
    output_path: Option<String>,
    /// Document the CRDs in these files and directories instead of those of the project
    #[arg(long, value_name = "FILE|DIR", num_args = 1..)]
    crds: Vec<PathBuf>,
    /// Files and directories with examples for --crds
    #[arg(long, value_name = "FILE|DIR", num_args = 1.., requires = "crds")]
    samples: Vec<PathBuf>,
    /// Write nothing; fail if the file is missing or stale
    #[arg(long, conflicts_with = "dry_run")]
    check: bool,
    /// Print the changes without writing any file
    #[arg(long)]
    dry_run: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Markup {
    /// GitHub-flavored Markdown
    Markdown,
    /// One static page
    Html,
}

impl Docs {
    pub fn run(self, session: &Session) -> Result<()> {
        let format = match (self.format, &self.output_path) {
            (Some(Markup::Markdown), _) => reference::Format::Markdown,
            (Some(Markup::Html), _) => reference::Format::Html,
            (None, Some(path)) => reference::Format::of_path(path),
            (None, None) => reference::Format::default(),
        };
        let operation = ops::Docs {
            format,
            output_path: self.output_path,
            crds: self.crds,
            samples: self.samples,
            check: self.check,
            dry_run: self.dry_run,
        };
        operation.run(session)
    }
}
