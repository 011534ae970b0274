//! The operation of `rustop manifests`: CRDs, roles and webhook configurations, generated from the
//! project's sources.

use std::collections::BTreeMap;
use std::path::Path;

use clap::Args;

use super::against::{self, Against};
use super::baseline::Baseline;
use super::output::{Output, found_by};
use super::transition::plan;
use super::{Refusal, Result, Transition, types};
use super::{adopted, bundle, chart, docs, vendored};
use crate::diagnostic::{Diagnostic, Problems};
use crate::disk;
use crate::project::naming::Naming;
use crate::project::{self, Project};
use crate::rbac::roles;
use crate::scaffold;
use crate::session::Session;
use crate::sources::Sources;
use crate::sources::comments::Scan;
use crate::tree::{Change, Owner, Plan, Tree};
use crate::{crd, manifests, webhook, yaml};

/// The contents of the files that are generated from markers, by path.
type Files = BTreeMap<&'static str, String>;

/// An operation that writes the CRDs of the Rust types, the roles and webhook configurations of the
/// markers, and the parts of the Helm chart and the OLM bundle that follow from them.
#[derive(Args, Debug)]
pub struct Manifests {
    /// Write nothing; print the changes as a diff, and fail if there are any
    #[arg(long, conflicts_with = "dry_run")]
    pub check: bool,
    /// Print the changes without writing any file
    #[arg(long)]
    pub dry_run: bool,
    /// Treat warnings as errors: write nothing if there are any
    #[arg(long)]
    pub deny_warnings: bool,
    /// Compare the CRDs with those of a commit, a directory, a file or `cluster`, and report
    /// changes that break stored objects or clients as errors, unless a comment suppresses them
    #[arg(long, value_name = "REF|DIR|FILE|cluster")]
    pub against: Option<String>,
    /// Output format
    #[arg(short, long, value_enum, default_value_t = Output::Text)]
    pub output: Output,
}

/// A run with its changes and diagnostics. They are reported even if the run fails.
struct ManifestsRun<'a> {
    session: &'a Session,
    deny_warnings: bool,
    against: Option<Against>,
    changes: Vec<Change>,
    diagnostics: Vec<Diagnostic>,
}

impl Manifests {
    /// Generates the CRDs, roles and webhook configurations from the sources, and writes the files
    /// that changed.
    ///
    /// # Errors
    /// Returns an error if the sources have errors, if the CRDs are not compatible with the
    /// baseline, if user files are in the way, or if `check` finds stale files.
    pub fn run(&self, session: &Session) -> Result<()> {
        if project::is_adopted(&session.dir) {
            return adopted::manifests(session, self);
        }
        let mut run = ManifestsRun::new(session, self.deny_warnings);
        let result = run.all(self);
        if let Err(error) = &result {
            run.diagnostics.extend(found_by(error));
        }
        let written = result.is_ok() && !(self.check || self.dry_run);
        session.terminal.data(&self.report(&run, written))?;
        result
    }

    fn report(&self, run: &ManifestsRun, written: bool) -> String {
        let text = || {
            let shown = run.changes.iter().filter(|_| self.check);
            shown.map(|change| change.diff().to_string()).collect()
        };
        let report = self.output.report(&run.changes, written, &run.diagnostics);
        report.unwrap_or_else(text)
    }
}

/// Updates the files under `config/`, `charts/` and `bundle/` from the sources, and reports each
/// change.
///
/// # Errors
/// Returns an error if the sources have errors, or if user files are in the way.
pub fn write(session: &Session) -> Result<()> {
    ManifestsRun::new(session, false).follow(false)
}

impl<'a> ManifestsRun<'a> {
    fn new(session: &'a Session, deny_warnings: bool) -> Self {
        Self {
            session,
            deny_warnings,
            against: None,
            changes: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    /// Reads the baseline of `--against`, then checks or writes the files.
    fn all(&mut self, options: &Manifests) -> Result<()> {
        if let Some(name) = &options.against {
            self.against = Some(Against::read(self.session, name)?);
        }
        if options.check {
            self.check()
        } else {
            self.follow(options.dry_run)
        }
    }

    /// Generates all files and writes those that changed. With `dry_run`, only prints the changes.
    fn follow(&mut self, dry_run: bool) -> Result<()> {
        let root = &self.session.dir;
        let (mut transition, project) = Transition::open(self.session, dry_run)?;
        let sources = types::sources(root, &project)?;
        let files = self.read_markers(&project, &sources.scan)?;
        let tree = scaffold::render(&project.by_this_rustop());
        if !dry_run {
            // Write what PROJECT implies first: without it, the types may not build.
            let plan = transition.write(&scaffold::render(&project), &tree)?;
            self.changes.extend(plan.changes);
        }
        let after = self.with_manifests(tree, files, &project, &sources)?;
        let plan = transition.write(&files_on_disk(root, &project)?, &after)?;
        self.changes.extend(plan.changes);
        Ok(())
    }

    /// Generates all files and returns an error if a file in the project differs.
    fn check(&mut self) -> Result<()> {
        let root = &self.session.dir;
        let project = Project::load(root)?;
        project.check_version()?;
        let sources = types::sources(root, &project)?;
        let files = self.read_markers(&project, &sources.scan)?;
        let tree = scaffold::render(&project.by_this_rustop());
        vendored::check_added(root, &tree)?;
        let implied = plan(root, &scaffold::render(&project), &tree)?;
        let all = self
            .with_manifests(tree, files, &project, &sources)
            .and_then(|after| plan(root, &files_on_disk(root, &project)?, &after));
        // The build of the types may fail because a file that PROJECT implies is stale. Then report
        // that file instead.
        let is_stale = implied != Plan::default() && self.against.is_none();
        self.changes = match all {
            Ok(all) => all.changes,
            Err(_) if is_stale => implied.changes,
            Err(error) => return Err(error),
        };
        match self.changes.len() {
            0 => {
                let terminal = self.session.terminal;
                terminal.status("Checked", "all generated files are up to date");
                Ok(())
            }
            files => Err(Refusal::Drift { files }.into()),
        }
    }

    /// Generates the files that the markers ask for, and shows warnings.
    fn read_markers(&mut self, project: &Project, scan: &Scan) -> Result<Files> {
        let naming = Naming::of(&self.session.dir, project);
        let found = manifests::from_markers(scan, project, &naming, self.deny_warnings);
        let found = found.map_err(Problems)?;
        for warning in &found.warnings {
            self.session.terminal.diagnostic(warning);
        }
        self.diagnostics = found.warnings;
        Ok(found.files)
    }

    /// Adds all other generated files to a tree of the files that PROJECT implies: those of the
    /// markers, the CRDs of the types, the chart and the bundle. Shows warnings.
    fn with_manifests(
        &mut self,
        mut tree: Tree,
        files: Files,
        project: &Project,
        sources: &Sources,
    ) -> Result<Tree> {
        for (path, text) in files {
            tree.insert(path.to_owned(), Owner::Tool, text);
        }
        let crds = types::crds(self.session, project, &sources.types)?;
        let mut lint_rules = project.lint.resolve();
        lint_rules.rules.retain(|rule| rule.in_manifests);
        let deny = self.deny_warnings;
        let baseline = Baseline::read(&self.session.dir)?;
        let warnings = types::lint(self.session, &crds, sources, &lint_rules, &baseline, deny)?;
        self.diagnostics.extend(warnings);
        if let Some(against) = &self.against {
            let found = against::check(
                self.session,
                &crds,
                sources,
                against,
                project::FILE,
                self.deny_warnings,
            )?;
            self.diagnostics.extend(found);
        }
        docs::add_to_tree(&self.session.dir, &mut tree, &crds, sources)?;
        for crd in crds {
            tree.insert(crd.path.clone(), Owner::Tool, crd.text());
        }
        for note in chart::add(&self.session.dir, project, &mut tree)? {
            self.session.terminal.warning(note);
        }
        for note in bundle::add(&self.session.dir, project, &mut tree)? {
            self.session.terminal.warning(note);
        }
        Ok(tree)
    }
}

/// Returns the files that rustop wrote before: those that PROJECT implies, and the generated
/// manifests on the disk.
///
/// # Errors
/// Returns an error if a file cannot be read.
pub fn files_on_disk(root: &Path, project: &Project) -> Result<Tree> {
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
    for (format, text) in docs::files_on_disk(root)? {
        tree.insert(format.path().to_owned(), Owner::Tool, text);
    }
    let bundled = bundle::files_on_disk(root, project)?;
    for (path, text) in chart::files_on_disk(root, project)?
        .into_iter()
        .chain(bundled)
    {
        if tree.get(&path).is_none() {
            tree.insert(path, Owner::Tool, text);
        }
    }
    Ok(tree)
}
