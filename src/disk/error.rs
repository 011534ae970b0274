//! Why a change of a project was refused.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Failure, Io};
use crate::text::shell_word;

/// The result of a change on disk.
pub type Result<T> = std::result::Result<T, Error>;

/// A change that rustop did not make, or did not finish.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The disk refused.
    #[error(transparent)]
    Io(#[from] Io),
    /// The path of a change leaves the project's directory, or touches git's.
    #[error("cannot write `{path}`: the path leads out of the project")]
    Outside {
        /// As the change names it.
        path: String,
    },
    /// A file would be written through a symbolic link, to a place that may lie outside of the project.
    #[error("cannot write `{}`: `{}` is a symbolic link", path.display(), link.display())]
    Symlink {
        /// The file.
        path: PathBuf,
        /// The file itself or a directory above it.
        link: PathBuf,
    },
    /// A journal without a record, of another directory, or with other texts: it came with a clone, a copy or an archive,
    /// another account's rustop wrote it, or it was edited.
    #[error("`{}` is not the journal of a run of rustop by this account in this directory", journal.display())]
    UnknownJournal {
        /// Its directory.
        journal: PathBuf,
    },
    /// The files of an interrupted run were edited after it.
    #[error(
        "cannot finish an interrupted run of rustop: {} changed after it: {}",
        were(paths),
        list(paths)
    )]
    ChangedSince {
        /// The journal of that run.
        journal: PathBuf,
        /// The files, relative to the project.
        paths: Vec<String>,
    },
}

impl Failure for Error {
    fn help(&self) -> Option<String> {
        match self {
            Self::Io(error) => error.help(),
            Self::Outside { .. } => None,
            Self::Symlink { link, .. } => {
                let parent = link.parent().unwrap_or(Path::new("."));
                let target =
                    fs::read_link(link).map_or_else(|_| link.clone(), |it| parent.join(it));
                let [link, target] =
                    [link, &target].map(|path| shell_word(&path.to_string_lossy()));
                Some(format!(
                    "replace the link by a copy of its target: `rm {link} && cp -r {target} {link}`"
                ))
            }
            Self::UnknownJournal { journal } => Some(format!(
                "rustop did not read it; remove it: `rm -r {}`",
                journal.display()
            )),
            Self::ChangedSince { journal, .. } => Some(format!(
                "to keep the files as they are and forget that run: `rm -r {}`; to finish it, restore these files first, \
                 with `git checkout` for example",
                journal.display()
            )),
        }
    }
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
