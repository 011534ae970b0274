//! What follows from the project's sources: CRDs, roles, webhook configurations.

use std::collections::BTreeMap;
use std::path::Path;

use super::against::{self, Against};
use super::output::{Output, found_by};
use super::transition::plan;
use super::{Refusal, Result, Transition, types};
use super::{bundle, chart};
use crate::diagnostic::{Diagnostic, Problems};
use crate::disk;
use crate::project::Project;
use crate::project::naming::Naming;
use crate::rbac::roles;
use crate::scaffold;
use crate::session::Session;
use crate::sources::Sources;
use crate::sources::comments::Scan;
use crate::tree::{Change, Owner, Plan, Tree};
use crate::{crd, manifests, webhook, yaml};

/// Texts by their paths.
type Files = BTreeMap<&'static str, String>;

/// Writes the CRDs that the Rust types imply, the roles and webhook configurations that the markers ask for, and what of
/// them is in a chart and a bundle.
pub struct Manifests {
    /// Write nothing, and fail if anything would change.
    pub check: bool,
    /// Write nothing.
    pub dry_run: bool,
    /// Write nothing when there is a warning.
    pub deny_warnings: bool,
    /// What the CRDs are to be safe to follow: a commit, a directory, a file or `cluster`.
    pub against: Option<String>,
    /// What is printed on stdout.
    pub output: Output,
}

/// A run, and what it found and did, also if it fails.
struct Run<'a> {
    session: &'a Session,
    deny_warnings: bool,
    against: Option<Against>,
    changes: Vec<Change>,
    diagnostics: Vec<Diagnostic>,
}

impl Manifests {
    /// # Errors
    /// When something is wrong in the sources, files are in the way, or a check finds stale ones.
    pub fn run(&self, session: &Session) -> Result<()> {
        let mut run = Run::new(session, self.deny_warnings);
        let result = run.all(self);
        if let Err(error) = &result {
            run.diagnostics.extend(found_by(error));
        }
        let written = result.is_ok() && !(self.check || self.dry_run);
        session.terminal.data(&self.report(&run, written))?;
        result
    }

    fn report(&self, run: &Run, written: bool) -> String {
        let text = || {
            let shown = run.changes.iter().filter(|_| self.check);
            shown.map(|change| change.diff().to_string()).collect()
        };
        let report = self.output.report(&run.changes, written, &run.diagnostics);
        report.unwrap_or_else(text)
    }
}

/// Makes the files under `config/`, `charts/` and `bundle/` those of the sources, saying which changed.
///
/// # Errors
/// When something is wrong in the sources, or files are in the way.
pub fn write(session: &Session) -> Result<()> {
    Run::new(session, false).follow(false)
}

impl<'a> Run<'a> {
    fn new(session: &'a Session, deny_warnings: bool) -> Self {
        Self {
            session,
            deny_warnings,
            against: None,
            changes: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    fn all(&mut self, asked: &Manifests) -> Result<()> {
        if let Some(name) = &asked.against {
            self.against = Some(Against::read(self.session, name)?);
        }
        if asked.check {
            self.check()
        } else {
            self.follow(asked.dry_run)
        }
    }

    fn follow(&mut self, dry_run: bool) -> Result<()> {
        let root = &self.session.dir;
        let (mut transition, project) = Transition::open(self.session, dry_run)?;
        let sources = types::sources(root, &project)?;
        let files = self.read_markers(&project, &sources.scan)?;
        let tree = scaffold::render(&project.by_this_rustop());
        if !dry_run {
            // First what PROJECT implies: without it the types may not build.
            let plan = transition.write(&scaffold::render(&project), &tree)?;
            self.changes.extend(plan.changes);
        }
        let after = self.with_manifests(tree, files, &project, &sources)?;
        let plan = transition.write(&found(root, &project)?, &after)?;
        self.changes.extend(plan.changes);
        Ok(())
    }

    fn check(&mut self) -> Result<()> {
        let root = &self.session.dir;
        let project = Project::load(root)?;
        project.check_version()?;
        let sources = types::sources(root, &project)?;
        let files = self.read_markers(&project, &sources.scan)?;
        let tree = scaffold::render(&project.by_this_rustop());
        let implied = plan(root, &scaffold::render(&project), &tree)?;
        let all = self
            .with_manifests(tree, files, &project, &sources)
            .and_then(|after| plan(root, &found(root, &project)?, &after));
        // The types may not build if a file that follows from PROJECT is stale; then that file is what to report.
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

    /// What the markers ask for. Warnings are shown.
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

    /// Adds what the markers ask for and the CRDs of the types to what `PROJECT` implies. Warnings are
    /// shown.
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
        let crds = types::crds(&self.session.dir, project, &sources.types)?;
        let mut looking = project.lint.looking();
        looking.rules.retain(|rule| rule.in_manifests);
        let deny = self.deny_warnings;
        let warnings = types::lint(self.session, &crds, sources, &looking, deny)?;
        self.diagnostics.extend(warnings);
        if let Some(against) = &self.against {
            let found = against::check(self.session, &crds, sources, against, self.deny_warnings)?;
            self.diagnostics.extend(found);
        }
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

/// What rustop wrote before: what `PROJECT` implies, and the manifests that are there and say so.
///
/// # Errors
/// When a file cannot be read.
pub fn found(root: &Path, project: &Project) -> Result<Tree> {
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
    let bundled = bundle::found(root, project)?;
    for (path, text) in chart::found(root, project)?.into_iter().chain(bundled) {
        if tree.get(&path).is_none() {
            tree.insert(path, Owner::Tool, text);
        }
    }
    Ok(tree)
}
