//! The changes of a project. Every operation changes a project in the same way: the current and the
//! new PROJECT are both rendered, the difference is written, and each changed file is reported.

use std::path::Path;

use super::user_file_merge::{Extent, Merges, unfinished_merges};
use super::{Refusal, Result, imported, vendored};
use crate::diagnostic::report;
use crate::disk::{self, Recovery, Site};
use crate::project::{self, MANAGER_VERSION, ManagerSource, Project};
use crate::scaffold::{self, MANAGER};
use crate::session::Session;
use crate::terminal::Terminal;
use crate::tree::{Change, Owner, Plan, Tree, unified};
use crate::upgrade::ManualEdit;

/// A project's directory, locked until the change is complete.
pub struct Transition<'a> {
    root: &'a Path,
    session: &'a Session,
    /// `None` if nothing is written.
    site: Option<Site>,
}

/// The rendered files of a project before and after a change that has been written, or would be in
/// a dry run.
pub struct PreparedChange {
    /// All files of the project before the change.
    before: Tree,
    /// All files of the project after the change.
    pub after: Tree,
}

impl<'a> Transition<'a> {
    /// Opens the project of a session.
    ///
    /// # Errors
    /// Returns an error if there is no project, if another version of rustop rendered it, or if it
    /// cannot be read or locked. Without a project, the directory is not touched.
    pub fn open(session: &'a Session, dry_run: bool) -> Result<(Self, Project)> {
        Project::load(&session.dir)?.check_version()?;
        let (transition, project) = Self::open_any(session, dry_run)?;
        project.check_version()?;
        Ok((transition, project))
    }

    /// Opens the project of a session, also if an earlier rustop rendered it.
    ///
    /// # Errors
    /// Returns an error if there is no project, or if it cannot be read or locked. Without a
    /// project, the directory is not touched.
    pub fn open_any(session: &'a Session, dry_run: bool) -> Result<(Self, Project)> {
        let project = Project::load(&session.dir)?;
        let transition = Self::begin(&session.dir, session, dry_run)?;
        if dry_run {
            return Ok((transition, project));
        }
        // The previous owner of the lock may have changed the project.
        Ok((transition, Project::load(&session.dir)?))
    }

    /// Opens a directory that may not contain a project yet. Tells the user if it has to wait for
    /// another rustop.
    ///
    /// # Errors
    /// Returns an error if the directory cannot be created or locked.
    pub fn begin(root: &'a Path, session: &'a Session, dry_run: bool) -> Result<Self> {
        let terminal = session.terminal;
        session.report("written", false);
        session.report_each("changes", []);
        let waiting = || {
            let why = format_args!("waiting for another rustop in `{}`", root.display());
            terminal.status("Blocking", why);
        };
        let site = (!dry_run)
            .then(|| Site::claim(root, &waiting))
            .transpose()?;
        match site.as_ref().and_then(|site| site.recovery) {
            Some(Recovery::Finished) => {
                terminal.warning("finished an earlier run of rustop that was interrupted");
            }
            Some(Recovery::Undone) => {
                terminal.warning("undid an earlier run of rustop that failed and was interrupted");
            }
            Some(Recovery::Discarded) => {
                terminal.warning(
                    "removed the temporary files of an earlier run of rustop that was interrupted",
                );
            }
            None => {}
        }
        Ok(Self {
            root,
            session,
            site,
        })
    }

    /// Reports whether this run has completed an earlier one that was interrupted.
    pub fn recovered(&self) -> bool {
        let recovery = self.site.as_ref().and_then(|site| site.recovery);
        recovery == Some(Recovery::Finished)
    }

    /// Creates a project. `fill` sets the texts that PROJECT does not imply. Does nothing if an
    /// earlier run that created the same project was interrupted and this run has completed it.
    ///
    /// # Errors
    /// Returns an error if there already is a project, if `project` is not valid, if files are in
    /// the way, or if a file cannot be written. Then nothing is changed.
    pub fn create(&mut self, project: &Project, fill: impl FnOnce(&mut Tree)) -> Result<()> {
        if self.recovered() && Project::load(self.root).is_ok_and(|there| there == *project) {
            return Ok(());
        }
        if self.root.join(project::FILE).symlink_metadata().is_ok() {
            let dir = self.root.to_owned();
            return Err(Refusal::ProjectExists {
                dir,
                crds: Vec::new(),
            }
            .into());
        }
        project.check_after(None)?;
        let mut tree = scaffold::render(project);
        fill(&mut tree);
        self.write(&Tree::default(), &tree)?;
        Ok(())
    }

    /// Changes a project. New files that are modeled on existing ones start with the user's changes
    /// to those.
    ///
    /// # Errors
    /// Returns an error if `after` is not valid, if files are in the way, or if a file cannot be
    /// written. Then nothing is changed.
    pub fn step(&mut self, before: &Project, after: &Project) -> Result<PreparedChange> {
        after.check_after(Some(before))?;
        let mut old = scaffold::render(before);
        let mut tree = scaffold::render(&after.by_this_rustop());
        imported::render_from_disk(self.root, before, &mut old)?;
        imported::render_from_disk(self.root, after, &mut tree)?;
        for warning in scaffold::inherit(self.root, &old, after, &mut tree)? {
            self.session.terminal.warning(warning);
        }
        self.share(before, after, [&mut old, &mut tree])?;
        self.write(&old, &tree)?;
        Ok(PreparedChange {
            before: old,
            after: tree,
        })
    }

    /// Changes the settings of a project that were chosen at `init`. The change is also merged into
    /// the user files.
    ///
    /// # Errors
    /// Returns an error if `after` is not valid, if an earlier merge in the user files is not
    /// finished, if the user has edited a vendored crate that would go, or if a file cannot be
    /// written. Then nothing is changed.
    pub fn edit(&mut self, before: &Project, after: &Project) -> Result<Merges> {
        after.check_after(Some(before))?;
        let mut old = scaffold::render(before);
        let places = unfinished_merges(self.root, &old)?;
        if !places.is_empty() {
            return Err(Refusal::Unmerged { places }.into());
        }
        let mut new = scaffold::render(&after.by_this_rustop());
        if before.manager == ManagerSource::Vendored && after.manager != before.manager {
            vendored::check(self.root, &old, "rustop edit --manager registry")?;
        }
        imported::render_from_disk(self.root, before, &mut old)?;
        imported::render_from_disk(self.root, after, &mut new)?;
        let names = [&before.project_name, &after.project_name];
        let merges = Merges::of(Extent::Possible, names, self.root, [&old, &new])?;
        merges.set_generated(&mut old, &mut new);
        self.write(&old, &new)?;
        Ok(merges)
    }

    /// Changes a project and texts that PROJECT does not imply: `fill` sets them in the trees
    /// before and after the change. The change is also merged into the user files, either
    /// completely or not at all.
    ///
    /// # Errors
    /// Returns an error if `after` is not valid, if the user has changed the same lines, if files
    /// are in the way, or if a file cannot be written. Then nothing is changed.
    pub fn edit_with(
        &mut self,
        before: &Project,
        after: &Project,
        fill: impl FnOnce(&mut Tree, &mut Tree),
    ) -> Result<Merges> {
        after.check_after(Some(before))?;
        let mut old = scaffold::render(before);
        let mut new = scaffold::render(&after.by_this_rustop());
        fill(&mut old, &mut new);
        let names = [&before.project_name, &after.project_name];
        let merges = Merges::of(Extent::Whole, names, self.root, [&old, &new])?;
        all_of(&merges, [&old, &new])?;
        merges.set_generated(&mut old, &mut new);
        self.write(&old, &new)?;
        Ok(merges)
    }

    /// Changes a project to one with fewer kinds, webhooks or parts. User files that are no longer
    /// needed are removed if they have the text that rustop would render; others stay.
    ///
    /// # Errors
    /// Returns the same errors as [`Self::step`].
    pub fn remove(&mut self, before: &Project, after: &Project) -> Result<PreparedChange> {
        self.remove_from(scaffold::render(before), before, after)
    }

    /// Does the same as [`Self::remove`] with files that PROJECT does not imply, such as those of a
    /// chart. `old` contains all generated files before the change.
    ///
    /// # Errors
    /// Returns the same errors as [`Self::step`].
    pub fn remove_from(
        &mut self,
        mut old: Tree,
        before: &Project,
        after: &Project,
    ) -> Result<PreparedChange> {
        after.check_after(Some(before))?;
        let mut tree = scaffold::render(&after.by_this_rustop());
        imported::render_from_disk(self.root, before, &mut old)?;
        imported::render_from_disk(self.root, after, &mut tree)?;
        let first = old.clone();
        // A file may have started from its template, or as a copy of another version. The copy is
        // what rustop would render if the removed version were added again.
        let mut copied = first.clone();
        scaffold::inherit(self.root, &tree, before, &mut copied)?;
        for made in [&first, &copied] {
            self.release(made, &mut old, &tree)?;
        }
        for warning in scaffold::inherit(self.root, &old, after, &mut tree)? {
            self.session.terminal.warning(warning);
        }
        self.share(before, after, [&mut old, &mut tree])?;
        self.write(&old, &tree)?;
        Ok(PreparedChange {
            before: old,
            after: tree,
        })
    }

    /// Merges changes into the types of imported kinds that remain. Kinds share types, so these
    /// change if other kinds are added or removed.
    fn share(&self, before: &Project, after: &Project, [old, new]: [&mut Tree; 2]) -> Result<()> {
        let names = [&before.project_name, &after.project_name];
        let mut merges = Merges::new(Extent::Whole, names);
        let stays = before.resources.iter().filter(|it| {
            let mut others = after.resources.iter();
            it.imported.is_some() && others.any(|other| other.same_type(it))
        });
        for path in stays.flat_map(imported::types) {
            let [was, is] = [&*old, &*new].map(|tree| tree.get(&path).map(|it| it.text.as_str()));
            if was != is {
                let there = disk::read(&self.root.join(&path))?;
                merges.file(&path, was, there, is);
            }
        }
        all_of(&merges, [old, new])?;
        merges.set_generated(old, new);
        Ok(())
    }

    /// Marks files as generated in `old`, so that they are removed: those that are not in `tree`
    /// and that have the same text on the disk as in `made`.
    fn release(&self, made: &Tree, old: &mut Tree, tree: &Tree) -> Result<()> {
        for (path, file) in made.iter().filter(|(path, _)| tree.get(path).is_none()) {
            if disk::read(&self.root.join(path))?.as_ref() == Some(&file.text) {
                old.set_generated(path, file.text.clone());
            }
        }
        Ok(())
    }

    /// Writes the files of `after` and reports each change. `before` contains the files as they
    /// were rendered before. In a dry run, only reports the changes.
    ///
    /// # Errors
    /// Returns an error if files that rustop did not write are in the way, or if a file cannot be
    /// written. Then nothing is changed.
    pub fn write(&mut self, before: &Tree, after: &Tree) -> Result<Plan> {
        let plan = plan(self.root, before, after)?;
        self.carry_out(&plan)?;
        Ok(plan)
    }

    /// Writes the changes of a plan and reports each of them. In a dry run, only reports them.
    ///
    /// # Errors
    /// Returns an error if a file cannot be written. Then nothing is changed.
    pub fn carry_out(&mut self, plan: &Plan) -> Result<()> {
        for change in plan.changes.iter().filter(|change| change.edited) {
            let message = format_args!(
                "rustop overwrites the generated file `{}`; this reverts the edits in it:",
                change.path
            );
            self.session
                .terminal
                .warning_with_report(message, &change.diff());
        }
        let verb = if let Some(site) = &mut self.site {
            site.write(plan)?;
            Change::verb
        } else {
            Change::dry_run_verb
        };
        let is_written = self.site.is_some() && !plan.changes.is_empty();
        if is_written {
            self.session.report("written", true);
        }
        self.session
            .report_each("changes", plan.changes.iter().map(report::change));
        print_changes(self.session.terminal, plan, verb);
        Ok(())
    }
}

impl PreparedChange {
    /// Reports whether the change removes or renders a generated file at a path, so that the user
    /// has nothing to do for it.
    pub fn removes_or_renders(&self, path: &str) -> bool {
        let file = self.after.get(path).or(self.before.get(path));
        file.is_some_and(|file| file.owner == Owner::Tool)
    }

    /// Returns the existing user files that are no longer used.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read.
    pub fn useless(&self, root: &Path) -> Result<Vec<&str>> {
        let mut useless = Vec::new();
        for (path, file) in self.before.iter() {
            let is_left = file.owner == Owner::User && self.after.get(path).is_none();
            if is_left && disk::read(&root.join(path))?.is_some() {
                useless.push(path);
            }
        }
        Ok(useless)
    }
}

/// Returns an error if the merges leave anything to the user.
fn all_of(merges: &Merges, [old, new]: [&Tree; 2]) -> Result<()> {
    let text = |tree: &Tree, path| tree.get(path).map(|file| file.text.clone());
    let changes = merges.in_conflict().into_iter();
    let changes = changes.map(|path| {
        let [old, new] = [old, new].map(|tree| text(tree, path));
        unified(path, old.as_deref(), new.as_deref())
    });
    let fields = merges.manual_edits().iter().map(|(path, edit)| {
        let ManualEdit { name, line, text } = edit;
        match text {
            Some(text) => format!("{path}:{line}: {name} is to be\n{text}"),
            None => format!("{path}:{line}: {name} is to go\n"),
        }
    });
    let changes: Vec<_> = changes.chain(fields).collect();
    if changes.is_empty() {
        return Ok(());
    }
    Err(Refusal::CannotMerge { changes }.into())
}

/// Plans the changes of the files in `root` from `before`, the files as they were rendered, to
/// `after`.
///
/// # Errors
/// Returns an error if files that rustop did not write are in the way, or if a file cannot be read.
pub fn plan(root: &Path, before: &Tree, after: &Tree) -> Result<Plan> {
    // A new project has no files to read. The `.` turns an empty path into the current directory.
    let exists = root.join(".").exists();
    let on_disk = |path: &str| {
        if exists {
            disk::read(&root.join(path))
        } else {
            Ok(None)
        }
    };
    let plan = after.plan(before, on_disk)?;
    if plan.conflicts.is_empty() {
        return Ok(plan);
    }
    Err(Refusal::WouldOverwrite {
        paths: plan.conflicts,
    }
    .into())
}

/// The directories of the manager crate, which every project has, in this release and in earlier
/// ones.
const MANAGERS: [&str; 2] = [MANAGER, "manager/"];

/// Prints a line for each changed file, but only one line for all files of the manager crate, since
/// users do not review them one by one.
fn print_changes(terminal: Terminal, plan: &Plan, verb: fn(&Change) -> &'static str) {
    let managers = |change: &Change| {
        MANAGERS
            .into_iter()
            .find(|dir| change.path.starts_with(dir))
    };
    for change in &plan.changes {
        if managers(change).is_none() {
            terminal.status(verb(change), &change.path);
        }
        if !change.edited {
            terminal.detail(change.diff());
        }
    }
    let of_manager = plan.changes.iter();
    let mut of_manager: Vec<_> = of_manager
        .filter_map(|it| Some((verb(it), managers(it)?)))
        .collect();
    of_manager.sort_unstable();
    for same in of_manager.chunk_by(PartialEq::eq) {
        let files = if same.len() == 1 { "file" } else { "files" };
        let (verb, dir) = same[0];
        // Name the crate, so that a reviewer of the first commit knows that these files need no
        // review.
        let of = match verb {
            "Created" | "Would create" => format!(" of the crate rustop-manager {MANAGER_VERSION}"),
            _ => String::new(),
        };
        terminal.status(verb, format!("{dir} ({} {files}{of})", same.len()));
    }
}
