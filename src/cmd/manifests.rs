//! `rustop manifests`.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use clap::Args;

use super::against;
use super::output::{Output, found_by};
use super::{Session, types};
use crate::diagnostic::Diagnostic;
use crate::disk;
use crate::error::{Error, Result};
use crate::project::Project;
use crate::project::naming::Naming;
use crate::rbac::roles;
use crate::scaffold;
use crate::sources::comments::Scan;
use crate::tree::{Change, Owner, Plan, Tree};
use crate::{crd, manifests, webhook, yaml};

/// Texts by their paths.
type Files = BTreeMap<&'static str, String>;

/// Write the CRDs that the Rust types imply, and the roles and webhook configurations that the markers ask for
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop manifests            # write what changed under config/
  rustop manifests --check    # write nothing; exit 1 and print a diff where something would change
  rustop manifests --check --deny-warnings --output sarif > rustop.sarif    # for code scanning
  rustop manifests --check --against origin/main     # may these CRDs follow those of the main branch?
  rustop manifests --check --against cluster         # those of the cluster of the kubeconfig?

Markers are read in the members of the workspace that the operator is built from, but not in their tests,
examples and benches. They are controller-gen's. `+kubebuilder:webhook` takes three arguments more, selectors as
kubectl has them, and markers of one name are one webhook with several rules:
  namespaceSelector=env=prod;!legacy        objectSelector=`tier in (web, api)`
  matchConditions=`not-leases: request.resource.resource != \"leases\"`

The JSON has `written`, a boolean; `changes`, each with `path`, `action` (create, update or remove) and
`diff`; and `diagnostics`, each with `severity` (error or warning), `rule`, `message`, `help`, `path`, `line`,
`column` and `endColumn`, which are null where there is none. Columns count characters, from 1.")]
pub struct Manifests {
    /// Write nothing: print what would change as a diff, and fail if anything would
    #[arg(long, conflicts_with = "dry_run")]
    check: bool,
    /// Say what would be written and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Take warnings for errors: write nothing when there is one
    #[arg(long)]
    deny_warnings: bool,
    /// Compare the CRDs with those of a commit, a directory, a file or `cluster`: what breaks stored objects or clients is
    /// an error, unless it is allowed in place
    #[arg(long, value_name = "REF|DIR|FILE|cluster")]
    against: Option<String>,
    /// What to print on stdout
    #[arg(short, long, value_enum, default_value_t = Output::Text)]
    output: Output,
}

/// A run, and what it found and did, also if it fails.
struct Run<'a> {
    session: &'a Session,
    deny_warnings: bool,
    against: Option<String>,
    changes: Vec<Change>,
    diagnostics: Vec<Diagnostic>,
}

impl Manifests {
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        let mut run = Run::new(session, self.deny_warnings, self.against.clone());
        let result = if self.check {
            run.check()
        } else {
            run.follow(self.dry_run)
        };
        if let Err(error) = &result {
            run.diagnostics.extend(found_by(error));
        }
        let written = result.is_ok() && !(self.check || self.dry_run);
        session.terminal.data(&self.report(&run, written))?;
        result.map(|()| ExitCode::SUCCESS)
    }

    fn report(&self, run: &Run, written: bool) -> String {
        let text = || {
            let shown = run.changes.iter().filter(|_| self.check);
            shown.map(Change::diff).collect()
        };
        let report = self.output.report(&run.changes, written, &run.diagnostics);
        report.unwrap_or_else(text)
    }
}

/// Makes the files under `config/` those of the sources, saying which changed.
pub fn write(session: &Session) -> Result<()> {
    Run::new(session, false, None).follow(false)
}

impl<'a> Run<'a> {
    fn new(session: &'a Session, deny_warnings: bool, against: Option<String>) -> Self {
        Self {
            session,
            deny_warnings,
            against,
            changes: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    fn follow(&mut self, dry_run: bool) -> Result<()> {
        let root = &self.session.dir;
        let (mut site, project) = scaffold::open(self.session, root, dry_run)?;
        let scan = types::scan(root, &project)?;
        let files = self.read_markers(&project, &scan)?;
        let tree = scaffold::render(&project.by_this_rustop());
        if site.is_some() {
            // First what PROJECT implies: without it the types may not build.
            let before = scaffold::render(&project);
            let plan = scaffold::apply(self.session, site.as_mut(), root, &before, &tree)?;
            self.changes.extend(plan.changes);
        }
        let after = self.with_manifests(tree, files, &project, &scan)?;
        let before = found(root, &project)?;
        let plan = scaffold::apply(self.session, site.as_mut(), root, &before, &after)?;
        self.changes.extend(plan.changes);
        Ok(())
    }

    fn check(&mut self) -> Result<()> {
        let root = &self.session.dir;
        let project = Project::load(root)?;
        let scan = types::scan(root, &project)?;
        let files = self.read_markers(&project, &scan)?;
        let tree = scaffold::render(&project.by_this_rustop());
        let read = |path: &str| disk::read(&root.join(path));
        let mut plan = tree.plan(&scaffold::render(&project), read)?;
        if plan == Plan::default() || self.against.is_some() {
            let after = self.with_manifests(tree, files, &project, &scan)?;
            plan = after.plan(&found(root, &project)?, read)?;
        }
        if !plan.conflicts.is_empty() {
            return Err(Error::WouldOverwrite {
                paths: plan.conflicts,
            });
        }
        self.changes = plan.changes;
        match self.changes.len() {
            0 => Ok(()),
            files => Err(Error::Drift { files }),
        }
    }

    /// What the markers ask for. Warnings are shown.
    fn read_markers(&mut self, project: &Project, scan: &Scan) -> Result<Files> {
        let naming = Naming::of(&self.session.dir, project);
        let found = manifests::from_markers(scan, project, &naming, self.deny_warnings);
        let found = found.map_err(Error::Sources)?;
        for warning in &found.warnings {
            self.session.terminal.diagnostic(warning);
        }
        self.diagnostics = found.warnings;
        Ok(found.files)
    }

    /// Adds what the markers ask for and the CRDs of the types to what `PROJECT` implies. Warnings are
    /// shown.
    fn with_manifests(
        &mut self,
        mut tree: Tree,
        files: Files,
        project: &Project,
        scan: &Scan,
    ) -> Result<Tree> {
        for (path, text) in files {
            tree.insert(path.to_owned(), Owner::Tool, text);
        }
        let crds = types::crds(&self.session.dir, project)?;
        let mut looking = project.lint.looking();
        looking.rules.retain(|rule| rule.in_manifests);
        let allows = &scan.allows;
        let warnings = types::lint(self.session, &crds, &looking, allows, self.deny_warnings)?;
        self.diagnostics.extend(warnings);
        if let Some(against) = &self.against {
            let found = against::check(self.session, &crds, against, allows, self.deny_warnings)?;
            self.diagnostics.extend(found);
        }
        for crd in crds {
            tree.insert(crd.path.clone(), Owner::Tool, crd.text());
        }
        Ok(tree)
    }
}

/// What rustop wrote before: what `PROJECT` implies, and the manifests that are there and say so.
fn found(root: &Path, project: &Project) -> Result<Tree> {
    let mut tree = scaffold::render(project);
    let crds = disk::list(&root.join(crd::DIRECTORY))?;
    let paths = crds
        .iter()
        .map(|name| format!("{}/{name}", crd::DIRECTORY))
        .chain([roles::FILE, webhook::FILE].map(str::to_owned));
    for path in paths {
        if let Some(text) = disk::read(&root.join(&path))?
            && text.starts_with(yaml::HEADER)
        {
            tree.insert(path, Owner::Tool, text);
        }
    }
    Ok(tree)
}
