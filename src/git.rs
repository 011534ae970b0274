//! The program `git`, which runs nothing that the configuration of a repository names.

use std::path::Path;
use std::process::{Command, Stdio};

/// Settings of a repository that make git run a command, with the values that prevent it. A clone
/// has none of them, but an archive may contain a `.git/config`.
const RUN_NOTHING: [&str; 2] = ["core.fsmonitor=false", "core.hooksPath=/dev/null"];

/// Returns a command of git in a directory, which runs none of the programs that the repository
/// configures. Its input is empty unless the caller sets another one.
pub fn command(dir: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    for setting in RUN_NOTHING {
        command.args(["-c", setting]);
    }
    command
        .args(arguments)
        .current_dir(dir)
        // Fetching the missing objects of a partial clone would run commands from the
        // configuration, too.
        .env("GIT_NO_LAZY_FETCH", "1")
        // Messages are read, so they must not be translated.
        .env("LC_ALL", "C")
        .stdin(Stdio::null());
    command
}

/// Reports whether a message of git says that the directory is not in a repository.
pub fn is_outside(message: &str) -> bool {
    message.contains("not a git repository")
}

/// Returns the help for a name that git cannot resolve to a commit: a command that lists commits
/// or, if the name may be a ref that a shallow clone lacks, one that fetches it.
pub fn help_for_commit(name: &str) -> String {
    if !is_ref(name) {
        return "pass a commit, a tag or a branch; `git log --oneline` lists commits".to_owned();
    }
    let name = name.trim_start_matches("origin/");
    format!(
        "`git log --oneline` lists commits; in a shallow clone, fetch it first: `git fetch --depth 1 origin {name}`"
    )
}

/// Reports whether a revision is a hash or the name of a tag or branch, which git can fetch.
fn is_ref(revision: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    !revision.starts_with('-') && !revision.contains("..") && revision.chars().all(is_part)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;

    use super::*;

    /// A repository whose configuration names a program for each setting that git runs for local
    /// commands. The program writes the file `ran`.
    fn hostile() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let ran = dir.path().join("ran");
        let hooks = dir.path().join("hooks");
        fs::create_dir(&hooks).unwrap();
        let script = format!("#!/bin/sh\necho \"$0\" >> '{}'\n", ran.display());
        for name in ["post-checkout", "fsmonitor"] {
            let file = hooks.join(name);
            fs::write(&file, &script).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o700)).unwrap();
        }
        let run = |line: &str| {
            let identity = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
            let arguments: Vec<_> = identity.into_iter().chain(line.split(' ')).collect();
            assert!(
                command(dir.path(), &arguments)
                    .output()
                    .unwrap()
                    .status
                    .success()
            );
        };
        run("init --quiet");
        fs::write(dir.path().join("file"), "").unwrap();
        run("add file");
        run("commit --quiet -m one");
        run(&format!("config core.hooksPath {}", hooks.display()));
        let monitor = hooks.join("fsmonitor");
        run(&format!("config core.fsmonitor {}", monitor.display()));
        (dir, ran)
    }

    #[test]
    fn messages_of_git_are_not_translated() {
        let command = command(Path::new("."), &["status"]);
        let mut variables = command.get_envs();
        let language = variables.find(|(name, _)| *name == "LC_ALL");
        assert_eq!(language.and_then(|(_, value)| value), Some("C".as_ref()));
    }

    #[test]
    fn a_repository_cannot_make_git_run_a_command() {
        let (dir, ran) = hostile();
        let arguments: [&[&str]; 3] = [
            &["ls-files", "--cached", "--others", "--exclude-standard"],
            &["status", "--porcelain"],
            &["checkout", "--quiet", "--detach", "HEAD"],
        ];
        for arguments in arguments {
            let output = command(dir.path(), arguments).output().unwrap();
            assert!(output.status.success(), "{output:?}");
            assert!(
                !ran.exists(),
                "{arguments:?} ran a program of the repository"
            );
        }
        // The programs do run without the settings above.
        for arguments in &arguments[1..] {
            let mut plain = Command::new("git");
            let output = plain.args(*arguments).current_dir(dir.path()).output();
            assert!(output.unwrap().status.success());
            assert!(ran.exists(), "{arguments:?}");
            fs::remove_file(&ran).unwrap();
        }
    }
}
