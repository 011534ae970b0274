//! Errors of changes to a project.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Failure, Io};
use crate::text::shell_word;

/// The result of a change on disk.
pub type Result<T> = std::result::Result<T, Error>;

/// An error because of which rustop did not make or finish a change of files.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An I/O operation failed.
    #[error(transparent)]
    Io(#[from] Io),
    /// The path of a change leaves the project's directory or enters `.git`.
    #[error(
        "cannot write `{path}`: the path is in `.git`, or outside of the directory in which rustop writes"
    )]
    Outside {
        /// The path as the change names it.
        path: String,
    },
    /// The directory of a new project is a symbolic link to something that does not exist.
    #[error("`{}` is a symbolic link, and its target does not exist", link.display())]
    DanglingLink { link: PathBuf },
    /// The path of a change leads through a symbolic link, possibly out of the project.
    #[error("cannot write `{}`: `{}` is a symbolic link", path.display(), link.display())]
    Symlink {
        /// The file to write.
        path: PathBuf,
        /// The file itself or a directory above it.
        link: PathBuf,
    },
    /// A journal that has no record, belongs to another directory, or has other contents. It came
    /// with a clone, a copy or an archive, another account's rustop wrote it, or it was edited.
    #[error("`{}` is not the journal of a run of rustop by this account in this directory", journal.display())]
    UnknownJournal {
        /// The directory of the journal.
        journal: PathBuf,
    },
    /// The directory in which a new project would be prepared exists, and no run of this account's
    /// rustop left it.
    #[error("`{}`, in which rustop would prepare the project, exists and is not rustop's", dir.display())]
    UnknownStaged { dir: PathBuf },
    /// The directory in which an interrupted run prepared a project has files of the user.
    #[error(
        "`{}`, in which an interrupted run of rustop prepared the project, has {}: {}",
        dir.display(),
        if paths.len() == 1 { "a file that is not rustop's" } else { "files that are not rustop's" },
        list(&paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>())
    )]
    NotPrepared {
        /// The directory in which the project was prepared.
        dir: PathBuf,
        /// The files and directories that the run did not prepare.
        paths: Vec<PathBuf>,
    },
    /// Files of an interrupted run were edited after it.
    #[error(
        "cannot finish an interrupted run of rustop: {} changed after it: {}",
        were(paths),
        list(paths)
    )]
    ChangedSince {
        /// The journal of that run.
        journal: PathBuf,
        /// The edited files, relative to the project.
        paths: Vec<String>,
    },
    /// Files of a failed run are neither as they were before it, nor as it wrote them.
    #[error(
        "cannot undo a failed run of rustop in {}: {}",
        were(paths),
        list(paths)
    )]
    NotUndone {
        /// The journal of that run, which has the earlier texts.
        journal: PathBuf,
        /// The files, relative to the project.
        paths: Vec<String>,
        /// The error that ended the run; `None` if an earlier run failed.
        source: Option<Box<Self>>,
    },
    /// A file was edited while this run wrote its changes. All of them are undone.
    #[error("`{path}` changed while rustop was writing; the changes are undone")]
    ChangedMeanwhile {
        /// The edited file, relative to the project.
        path: String,
    },
}

impl Failure for Error {
    fn help(&self) -> Option<String> {
        match self {
            Self::Io(error) => error.help(),
            Self::DanglingLink { link } => Some(format!(
                "choose another directory, or remove the link: `rm {}`",
                word(link)
            )),
            Self::Outside { .. } => Some(
                "name a file inside of that directory, or pass another directory with `-C DIR`"
                    .to_owned(),
            ),
            Self::Symlink { link, .. } => {
                let parent = link.parent().unwrap_or(Path::new("."));
                let target =
                    fs::read_link(link).map_or_else(|_| link.clone(), |it| parent.join(it));
                let [link, target] = [link, &target].map(|path| word(path));
                Some(format!(
                    "replace the link by a copy of its target: `rm {link} && cp -r {target} {link}`"
                ))
            }
            Self::UnknownJournal { journal } => Some(format!(
                "rustop did not read it; remove it: `rm -r {}`",
                word(journal)
            )),
            Self::UnknownStaged { dir } => {
                let dir = word(dir);
                Some(format!("move it away, or remove it: `rm -r {dir}`"))
            }
            Self::NotPrepared { dir, paths } => {
                let parent = dir.parent().filter(|dir| !dir.as_os_str().is_empty());
                let target = parent.unwrap_or(Path::new("."));
                let words = paths.iter().map(PathBuf::as_path).chain([target]);
                let words: Vec<_> = words.map(word).collect();
                Some(format!(
                    "move them away, then run this again: `mv -i {}`",
                    words.join(" ")
                ))
            }
            Self::ChangedSince { journal, .. } => Some(format!(
                "to keep the files as they are and forget that run: `rm -r {}`; to finish it, first undo your changes to \
                 these files",
                word(journal)
            )),
            Self::NotUndone { journal, .. } => Some(format!(
                "their texts before that run are in {journal} as `old-<n>`, in the order of steps.json; restore them, then \
                 forget the run: `rm -r {journal}`",
                journal = word(journal)
            )),
            Self::ChangedMeanwhile { .. } => {
                Some("run the command again; it starts from the file as it is now".to_owned())
            }
        }
    }
}

/// Returns a path as a word of a shell.
fn word(path: &Path) -> String {
    shell_word(&path.to_string_lossy())
}

fn were(paths: &[String]) -> &'static str {
    if paths.len() == 1 {
        "this file"
    } else {
        "these files"
    }
}

fn list(paths: &[String]) -> String {
    let quoted: Vec<_> = paths.iter().map(|path| format!("`{path}`")).collect();
    quoted.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_in_a_command_is_quoted() {
        let journal = PathBuf::from("my project/.rustop");
        let help = Error::UnknownJournal { journal }.help().unwrap();
        assert!(help.ends_with("`rm -r 'my project/.rustop'`"), "{help}");
    }
}
