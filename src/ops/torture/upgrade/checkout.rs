//! The old version of a project: a worktree of a commit below `target/torture`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::adopted::{self, Config};
use crate::compat::baseline::{BaselineError, BaselineSource};
use crate::crd;
use crate::error::Io;
use crate::git;
use crate::ops::{Refusal, Result};
use crate::project;
use crate::session::Session;
use crate::torture;

/// The number of hexadecimal digits of a commit in messages.
const DIGITS: usize = 12;

/// A checkout of an old version.
pub struct Checkout {
    /// The directory of the project in the worktree.
    pub project: PathBuf,
    /// The directory for build results of old versions. It is not that of the project: Cargo
    /// identifies a package by its path in its workspace, so it would take the program of one
    /// version for that of the other.
    pub target: PathBuf,
    /// The hash of the commit.
    pub commit: String,
}

impl Checkout {
    /// Checks out a commit of the project's repository, given as any revision that git accepts. All
    /// commits use one worktree, in which only the files that differ change, so that Cargo compiles
    /// only those again. An adopted project that has no `rustop.yaml` in that commit gets the
    /// current one.
    ///
    /// # Errors
    /// Returns an error if git does not know the commit, if it does not check it out, or if the
    /// commit does not contain the project.
    pub fn of(session: &Session, name: &str) -> Result<Self> {
        let root = &session.dir;
        let commit = resolve(root, name)?;
        let prefix = output(root, &["rev-parse", "--show-prefix"]).unwrap_or_default();
        let below = root.join("target/torture");
        fs::create_dir_all(&below).map_err(Io::on("create", &below))?;
        let worktree = below.join("from");
        if !switch(&worktree, &commit) {
            add(root, &worktree, &commit)?;
        }
        let project = worktree.join(&prefix);
        copy_settings(root, &project)?;
        let is_scaffolded = !Config::exists(root);
        for (file, is_needed) in [
            ("", true),
            (project::FILE, is_scaffolded),
            // Those that this release of rustop generates may differ from the installed ones.
            (crd::DIRECTORY, is_scaffolded),
        ] {
            if is_needed && !project.join(file).exists() {
                return Err(torture::Error::NotInCommit {
                    commit: short(&commit).to_owned(),
                    missing: format!("{prefix}{file}"),
                }
                .into());
            }
        }
        Ok(Self {
            project,
            target: below.join("from-target"),
            commit,
        })
    }
}

/// Returns the hash of a commit.
fn resolve(root: &Path, name: &str) -> Result<String> {
    if name.trim().is_empty() {
        return Err(Refusal::EmptyCommit.into());
    }
    BaselineSource::commit(root, name).map_err(|error| match error {
        BaselineError::NoCommit { name, reason, .. } => Refusal::NoCommit { name, reason }.into(),
        BaselineError::NoGit(error) => Refusal::NoGit(error).into(),
        error => error.into(),
    })
}

/// Switches the worktree of an earlier rehearsal to a commit. Returns false if there is none, or if
/// it is incomplete.
fn switch(worktree: &Path, commit: &str) -> bool {
    let switch = ["checkout", "--quiet", "--force", "--detach", commit];
    // A link could lead to a checkout of the user's.
    let is_dir = fs::symlink_metadata(worktree).is_ok_and(|it| it.is_dir());
    is_dir && worktree.join(".git").is_file() && output(worktree, &switch).is_ok()
}

/// Copies `rustop.yaml` into the checkout of an adopted project if the commit is from before
/// `rustop adopt`.
fn copy_settings(root: &Path, project: &Path) -> Result<()> {
    let is_tracked =
        |file: &str| output(project, &["ls-files", "--error-unmatch", "--", file]).is_ok();
    if is_tracked(adopted::FILE) || !project.is_dir() {
        return Ok(());
    }
    let (from, to) = (root.join(adopted::FILE), project.join(adopted::FILE));
    // The copy of an earlier rehearsal may be another one.
    let _ = fs::remove_file(&to);
    if Config::exists(root) && !is_tracked(project::FILE) {
        fs::copy(&from, &to).map_err(Io::on("copy", &from))?;
    }
    Ok(())
}

/// Returns the first digits of a commit's hash.
pub fn short(commit: &str) -> &str {
    commit.get(..DIGITS).unwrap_or(commit)
}

/// Creates a worktree. Removes an incomplete one of an interrupted rehearsal first.
fn add(root: &Path, worktree: &Path, commit: &str) -> Result<()> {
    let path = worktree.display().to_string();
    if worktree.is_symlink() {
        fs::remove_file(worktree).map_err(Io::on("remove", worktree))?;
    }
    if worktree.exists() {
        // git does not know a directory whose registration is incomplete.
        let _ = output(root, &["worktree", "remove", "--force", "--force", &path]);
        if worktree.exists() {
            fs::remove_dir_all(worktree).map_err(Io::on("remove", worktree))?;
        }
    }
    // The directory may be gone and still be registered, which `--force` allows. A second one
    // allows that git has locked the registration, which a killed `git worktree add` leaves.
    let add = [
        "worktree", "add", "--quiet", "--force", "--force", "--detach", &path, commit,
    ];
    output(root, &add).map(drop).map_err(|failed| match failed {
        Failed::NoGit(error) => Refusal::NoGit(error).into(),
        Failed::Status(output) => torture::Error::Checkout {
            commit: short(commit).to_owned(),
            dir: worktree.to_owned(),
            output,
        }
        .into(),
    })
}

/// The failure of a git command.
enum Failed {
    NoGit(std::io::Error),
    /// The error output of git.
    Status(String),
}

/// Returns the output of a git command without its line break.
fn output(dir: &Path, arguments: &[&str]) -> std::result::Result<String, Failed> {
    let ran = git::command(dir, arguments)
        .output()
        .map_err(Failed::NoGit)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if ran.status.success() {
        Ok(text(&ran.stdout))
    } else {
        Err(Failed::Status(text(&ran.stderr)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Failure as _;
    use crate::terminal::Terminal;

    fn git(dir: &Path, line: &str) -> String {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
        let arguments: Vec<_> = identity.into_iter().chain(line.split(' ')).collect();
        match output(dir, &arguments) {
            Ok(text) => text,
            Err(Failed::NoGit(error)) => panic!("{error}"),
            Err(Failed::Status(text)) => panic!("git {line}: {text}"),
        }
    }

    fn session(dir: &Path) -> Session {
        Session::new(dir, Terminal::new(-1, anstream::ColorChoice::Never))
    }

    /// A repository whose project is in the directory `app`, with two commits.
    fn repository() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let app = dir.path().join("app");
        fs::create_dir(&app).unwrap();
        git(dir.path(), "init -q");
        fs::write(app.join("main.rs"), "one").unwrap();
        fs::write(app.join("lib.rs"), "both").unwrap();
        git(dir.path(), "add .");
        git(dir.path(), "commit -q -m one");
        fs::write(app.join("main.rs"), "two").unwrap();
        fs::write(app.join(adopted::FILE), "projectName: moo\n").unwrap();
        git(dir.path(), "add .");
        git(dir.path(), "commit -q -m two");
        dir
    }

    #[test]
    fn one_worktree_switches_between_commits() {
        let repository = repository();
        let app = repository.path().join("app");
        let session = session(&app);
        let checkout = Checkout::of(&session, "HEAD~1").unwrap();
        let read = |file: &str| fs::read_to_string(checkout.project.join(file)).unwrap();
        assert_eq!(read("main.rs"), "one");
        assert_eq!(read(adopted::FILE), "projectName: moo\n");
        assert_eq!(fs::read_to_string(app.join("main.rs")).unwrap(), "two");
        let time = |file: &str| checkout.project.join(file).metadata().unwrap().modified();
        let unchanged = time("lib.rs").unwrap();
        // A build of the old version may change a file.
        fs::write(checkout.project.join("main.rs"), "built").unwrap();
        fs::write(app.join(adopted::FILE), "projectName: other\n").unwrap();
        for (commit, text, settings) in [
            ("HEAD~1", "one", "projectName: other\n"),
            ("HEAD", "two", "projectName: moo\n"),
            ("HEAD~1", "one", "projectName: other\n"),
        ] {
            assert_eq!(
                Checkout::of(&session, commit).unwrap().project,
                checkout.project
            );
            assert_eq!(
                (read("main.rs").as_str(), read(adopted::FILE).as_str()),
                (text, settings)
            );
        }
        assert_eq!(time("lib.rs").unwrap(), unchanged);
        let worktrees = git(&app, "worktree list");
        assert_eq!(worktrees.lines().count(), 2, "{worktrees}");
    }

    #[test]
    fn an_incomplete_checkout_is_replaced() {
        let repository = repository();
        let app = repository.path().join("app");
        fs::create_dir_all(app.join("target/torture/from/app")).unwrap();
        let checkout = Checkout::of(&session(&app), "HEAD~1").unwrap();
        let text = || fs::read_to_string(checkout.project.join("main.rs")).unwrap();
        assert_eq!(text(), "one");
        // `cargo clean` removes a worktree without git.
        fs::remove_dir_all(app.join("target")).unwrap();
        Checkout::of(&session(&app), "HEAD~1").unwrap();
        assert_eq!(text(), "one");
        // git locks what it checks out, and unlocks it unless it is killed.
        let registered = repository.path().join(".git/worktrees/from");
        for is_there in [true, false] {
            fs::write(registered.join("locked"), "initializing").unwrap();
            fs::write(registered.join("index.lock"), "").unwrap();
            if !is_there {
                fs::remove_dir_all(app.join("target")).unwrap();
            }
            Checkout::of(&session(&app), "HEAD~1").unwrap();
            assert_eq!(text(), "one");
        }
    }

    #[test]
    fn a_link_in_place_of_the_worktree_is_not_followed() {
        let repository = repository();
        let app = repository.path().join("app");
        let own = repository.path().join("own");
        git(
            &app,
            &format!("worktree add -q --detach {} HEAD", own.display()),
        );
        fs::write(own.join("app/main.rs"), "edited").unwrap();
        fs::create_dir_all(app.join("target/torture")).unwrap();
        std::os::unix::fs::symlink(&own, app.join("target/torture/from")).unwrap();
        Checkout::of(&session(&app), "HEAD~1").unwrap();
        let text = fs::read_to_string(own.join("app/main.rs")).unwrap();
        assert_eq!(text, "edited");
    }

    #[test]
    fn a_commit_without_the_project_is_an_error() {
        let repository = repository();
        let other = repository.path().join("other");
        fs::create_dir(&other).unwrap();
        fs::write(other.join(project::FILE), "").unwrap();
        git(&other, "add .");
        git(&other, "commit -q -m three");
        for (commit, missing) in [("HEAD~1", "other/"), ("HEAD", "other/config/crd/bases")] {
            let error = Checkout::of(&session(&other), commit).err().unwrap();
            let expected = format!("does not contain `{missing}`");
            assert!(error.to_string().ends_with(&expected), "{error}");
        }
    }

    #[test]
    fn an_unknown_commit_is_an_error() {
        let repository = repository();
        let app = repository.path().join("app");
        for (name, code, help) in [
            ("v9", "no-commit", Some("git fetch --depth 1 origin v9`")),
            (
                "origin/v9",
                "no-commit",
                Some("git fetch --depth 1 origin v9`"),
            ),
            ("HEAD..v9", "no-commit", None),
            ("HEAD^{tree}", "no-commit", None),
            ("--all", "no-commit", None),
            ("a\nb", "no-commit", None),
            ("", "empty-commit", None),
            (" \n", "empty-commit", None),
        ] {
            let error = Checkout::of(&session(&app), name).err().unwrap();
            assert_eq!(error.code(), code, "{name:?}");
            let message = error.to_string();
            assert!(!message.contains("directory"), "{message}");
            assert!(!message.ends_with(": "), "{message}");
            let given = error.help().unwrap();
            let is_fetched = help.is_some_and(|help| given.ends_with(help));
            assert_eq!(given.contains("git fetch"), is_fetched, "{given}");
        }
        assert!(!app.join("target").exists());
    }
}
