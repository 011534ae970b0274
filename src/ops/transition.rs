//! The one way in which a project changes: the PROJECT that is there and the one that is to be are both rendered, and
//! the difference is written, with a word on each file.

use std::path::Path;

use super::merges::{Extent, Merges, unsettled};
use super::{Refusal, Result, imported};
use crate::diagnostic::report;
use crate::disk::{self, Recovery, Site};
use crate::project::{self, MANAGER_VERSION, Project};
use crate::scaffold::{self, MANAGER};
use crate::session::Session;
use crate::terminal::Terminal;
use crate::tree::{Change, Owner, Plan, Tree, unified};
use crate::upgrade::Paste;

/// A project's directory, held until the change is done.
pub struct Transition<'a> {
    root: &'a Path,
    session: &'a Session,
    terminal: Terminal,
    /// None where nothing is to be written.
    site: Option<Site>,
}

/// What a project was rendered to, before and after.
pub struct Step {
    before: Tree,
    /// All that the project has now.
    pub after: Tree,
}

impl<'a> Transition<'a> {
    /// Of the project that a session is in, and that project.
    ///
    /// # Errors
    /// When there is no project, in which case the directory is not touched, when it is of another rustop, or it cannot
    /// be read or claimed.
    pub fn open(session: &'a Session, dry_run: bool) -> Result<(Self, Project)> {
        Project::load(&session.dir)?.check_version()?;
        let (transition, project) = Self::open_any(session, dry_run)?;
        project.check_version()?;
        Ok((transition, project))
    }

    /// The same for a project of this rustop or an earlier one.
    ///
    /// # Errors
    /// When there is no project, in which case the directory is not touched, or it cannot be read or claimed.
    pub fn open_any(session: &'a Session, dry_run: bool) -> Result<(Self, Project)> {
        let project = Project::load(&session.dir)?;
        let transition = Self::begin(&session.dir, session, dry_run)?;
        if dry_run {
            return Ok((transition, project));
        }
        // Whoever held it before may have changed it.
        Ok((transition, Project::load(&session.dir)?))
    }

    /// Of a directory in which no project need be yet. Who waits for another rustop is told so.
    ///
    /// # Errors
    /// When the directory cannot be made or claimed.
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
            None => {}
        }
        Ok(Self {
            root,
            session,
            terminal,
            site,
        })
    }

    /// Reports whether this run has finished one that was interrupted.
    pub fn recovered(&self) -> bool {
        let recovery = self.site.as_ref().and_then(|site| site.recovery);
        recovery == Some(Recovery::Finished)
    }

    /// Makes a project where none is, with texts that PROJECT does not imply. Where a killed run had begun to make the
    /// same one, and this one finished it, nothing is left to do.
    ///
    /// # Errors
    /// When there is a project, `project` cannot be, files are in the way, or the disk refuses. Then nothing is changed.
    pub fn create(&mut self, project: &Project, fill: impl FnOnce(&mut Tree)) -> Result<()> {
        if self.recovered() && Project::load(self.root).is_ok_and(|there| there == *project) {
            return Ok(());
        }
        if self.root.join(project::FILE).symlink_metadata().is_ok() {
            let dir = self.root.to_owned();
            return Err(Refusal::ProjectExists { dir }.into());
        }
        project.check_after(None)?;
        let mut tree = scaffold::render(project);
        fill(&mut tree);
        self.write(&Tree::default(), &tree)?;
        Ok(())
    }

    /// Takes the project from one state to the next. New files begin with what the user made of their models.
    ///
    /// # Errors
    /// When `after` cannot be, files are in the way, or the disk refuses. Then nothing is changed.
    pub fn step(&mut self, before: &Project, after: &Project) -> Result<Step> {
        after.check_after(Some(before))?;
        let mut old = scaffold::render(before);
        let mut tree = scaffold::render(&after.by_this_rustop());
        imported::fill(self.root, before, &mut old)?;
        imported::fill(self.root, after, &mut tree)?;
        for warning in scaffold::inherit(self.root, &old, after, &mut tree)? {
            self.terminal.warning(warning);
        }
        self.share(before, after, [&mut old, &mut tree])?;
        self.write(&old, &tree)?;
        Ok(Step {
            before: old,
            after: tree,
        })
    }

    /// The same where what `init` decided changes: it is merged into the user's files, too.
    ///
    /// # Errors
    /// When `after` cannot be, a merge in the user's files is not finished, or the disk refuses. Then nothing is changed.
    pub fn edit(&mut self, before: &Project, after: &Project) -> Result<Merges> {
        after.check_after(Some(before))?;
        let mut old = scaffold::render(before);
        let places = unsettled(self.root, &old)?;
        if !places.is_empty() {
            return Err(Refusal::Unmerged { places }.into());
        }
        let mut new = scaffold::render(&after.by_this_rustop());
        imported::fill(self.root, before, &mut old)?;
        imported::fill(self.root, after, &mut new)?;
        let names = [&before.project_name, &after.project_name];
        let merges = Merges::of(Extent::Possible, names, self.root, [&old, &new])?;
        merges.hand_over(&mut old, &mut new);
        self.write(&old, &new)?;
        Ok(merges)
    }

    /// The same with texts that PROJECT does not imply, before and after: all is merged, or nothing.
    ///
    /// # Errors
    /// As those of [`Transition::edit`], and when the user changed the same lines.
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
        merges.hand_over(&mut old, &mut new);
        self.write(&old, &new)?;
        Ok(merges)
    }

    /// The same for a project that has less then. The user's files for what is gone go as well, as far as they are as
    /// rustop would make them.
    ///
    /// # Errors
    /// As those of [`Self::step`].
    pub fn without(&mut self, before: &Project, after: &Project) -> Result<Step> {
        self.without_from(scaffold::render(before), before, after)
    }

    /// The same where rustop has made more of the project than `PROJECT` implies: `old` is all of it.
    ///
    /// # Errors
    /// As those of [`Self::step`].
    pub fn without_from(
        &mut self,
        mut old: Tree,
        before: &Project,
        after: &Project,
    ) -> Result<Step> {
        after.check_after(Some(before))?;
        let mut tree = scaffold::render(&after.by_this_rustop());
        imported::fill(self.root, before, &mut old)?;
        imported::fill(self.root, after, &mut tree)?;
        let first = old.clone();
        // As if what is gone came back: a further version then is a copy, and the first one never was.
        let mut copied = first.clone();
        scaffold::inherit(self.root, &tree, before, &mut copied)?;
        for made in [&first, &copied] {
            self.release(made, &mut old, &tree)?;
        }
        for warning in scaffold::inherit(self.root, &old, after, &mut tree)? {
            self.terminal.warning(warning);
        }
        self.share(before, after, [&mut old, &mut tree])?;
        self.write(&old, &tree)?;
        Ok(Step {
            before: old,
            after: tree,
        })
    }

    /// Merges into the types of imported kinds what changes in them because other kinds come or go: types that they share.
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
        merges.hand_over(old, new);
        Ok(())
    }

    /// Hands over to the tool, in `old`, what is not in `tree` any more and is on the disk as it was `made`.
    fn release(&self, made: &Tree, old: &mut Tree, tree: &Tree) -> Result<()> {
        for (path, file) in made.iter().filter(|(path, _)| tree.get(path).is_none()) {
            if disk::read(&self.root.join(path))?.as_ref() == Some(&file.text) {
                old.hand_over(path, file.text.clone());
            }
        }
        Ok(())
    }

    /// Makes the files those of `after`; `before` is what they were rendered to. Says what it does to each, or would do.
    ///
    /// # Errors
    /// When files that rustop did not write are in the way, or the disk refuses. Then nothing is changed.
    pub fn write(&mut self, before: &Tree, after: &Tree) -> Result<Plan> {
        let plan = plan(self.root, before, after)?;
        self.carry_out(&plan)?;
        Ok(plan)
    }

    /// Does what a plan says, and says what it does to each file, or would do.
    ///
    /// # Errors
    /// When the disk refuses. Then nothing is changed.
    pub fn carry_out(&mut self, plan: &Plan) -> Result<()> {
        for change in plan.changes.iter().filter(|change| change.edited) {
            self.terminal.warning(format_args!(
                "`{}` is rustop's and is rendered anew; this takes back what else was changed in it:\n{}",
                change.path,
                change.diff()
            ));
        }
        let verb = if let Some(site) = &mut self.site {
            site.write(plan)?;
            Change::verb
        } else {
            Change::conditional
        };
        let is_written = self.site.is_some() && !plan.changes.is_empty();
        if is_written {
            self.session.report("written", true);
        }
        self.session
            .report_each("changes", plan.changes.iter().map(report::change));
        tell(self.terminal, plan, verb);
        Ok(())
    }
}

impl Step {
    /// Whether a file goes with what is gone, or is rustop's.
    pub fn removes_or_renders(&self, path: &str) -> bool {
        let file = self.after.get(path).or(self.before.get(path));
        file.is_some_and(|file| file.owner == Owner::Tool)
    }

    /// The user's files that nothing uses any more, as far as they are there.
    ///
    /// # Errors
    /// When one cannot be read.
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

/// Refuses merges in which something is left to the user.
fn all_of(merges: &Merges, [old, new]: [&Tree; 2]) -> Result<()> {
    let text = |tree: &Tree, path| tree.get(path).map(|file| file.text.clone());
    let changes = merges.in_conflict().into_iter();
    let changes = changes.map(|path| {
        let [old, new] = [old, new].map(|tree| text(tree, path));
        unified(path, old.as_deref(), new.as_deref())
    });
    let fields = merges.paste().iter().map(|(path, paste)| {
        let Paste { name, line, text } = paste;
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

/// What must change in `root`.
///
/// # Errors
/// When files that rustop did not write are in the way, or the disk refuses.
pub fn plan(root: &Path, before: &Tree, after: &Tree) -> Result<Plan> {
    let plan = after.plan(before, |path| disk::read(&root.join(path)))?;
    if plan.conflicts.is_empty() {
        return Ok(plan);
    }
    Err(Refusal::WouldOverwrite {
        paths: plan.conflicts,
    }
    .into())
}

/// Directories with the crate that every project has, now and in earlier releases.
const MANAGERS: [&str; 2] = [MANAGER, "manager/"];

/// A line for each file, and one for those of the manager, which nobody reads one by one.
fn tell(terminal: Terminal, plan: &Plan, verb: fn(&Change) -> &'static str) {
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
        // What a reviewer of the first commit need not read.
        let of = match verb {
            "Created" | "Would create" => format!(" of the crate rustop-manager {MANAGER_VERSION}"),
            _ => String::new(),
        };
        terminal.status(verb, format!("{dir} ({} {files}{of})", same.len()));
    }
}
