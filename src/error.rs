//! The common interface of rustop's errors. Each module has its own error type, which describes the
//! failed operation and its object; the causes are its sources.

use std::error::Error;
use std::io;
use std::path::PathBuf;

/// An error that a user can cause and fix.
pub trait Failure: Error {
    /// Returns the literal command or text that fixes the error, if there is one.
    fn help(&self) -> Option<String> {
        None
    }

    /// Reports whether the message or the help has several lines. Names in both must be escaped
    /// then, since a line feed in a name would look like one of rustop's own.
    fn is_report(&self) -> bool {
        false
    }

    /// Returns the exit code: 2 for a wrong command line, 128 plus its number for a signal, 1 for
    /// other errors.
    fn exit_code(&self) -> u8 {
        1
    }
}

/// A failed I/O operation on a file, a directory, a program or a port.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} `{}`", path.display())]
pub struct Io {
    /// An infinitive: `read`, `create`, `replace`.
    pub action: &'static str,
    /// The object of the operation.
    pub path: PathBuf,
    pub source: io::Error,
}

impl Io {
    /// Returns a function for `map_err` that adds `cannot {action} {path}` to an error.
    pub fn on(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self {
            action,
            path,
            source,
        }
    }
}

impl Failure for Io {}

/// A cause that brings its own help. [`help`] finds it below any error that has no help itself.
#[derive(Debug, thiserror::Error)]
#[error("{reason}")]
pub struct Advised {
    /// The message of this cause.
    pub reason: String,
    /// A literal command or text that fixes the error, as returned by [`Failure::help`].
    pub help: &'static str,
    /// The cause of this cause, if there is one.
    pub source: Option<Box<dyn Error + Send + Sync>>,
}

impl Advised {
    /// Returns an I/O error that contains an [`Advised`] without a source.
    pub fn io(kind: io::ErrorKind, reason: impl Into<String>, help: &'static str) -> io::Error {
        let reason = reason.into();
        let source = None;
        io::Error::new(
            kind,
            Self {
                reason,
                help,
                source,
            },
        )
    }
}

/// Returns the help for an error of the operating system, if every such error has the same.
fn help_of_system(kind: io::ErrorKind) -> Option<&'static str> {
    Some(match kind {
        io::ErrorKind::IsADirectory => {
            "a file is needed there: name one in this directory, or move the directory away"
        }
        io::ErrorKind::NotADirectory => {
            "a directory is needed there: choose another path, or move the file away"
        }
        io::ErrorKind::PermissionDenied => {
            "choose a path that this user may read and write; `ls -ld` shows the permissions of the directory"
        }
        io::ErrorKind::QuotaExceeded => "delete files: the disk quota of this user is used up",
        io::ErrorKind::ReadOnlyFilesystem => "choose a directory on a disk that can be written",
        io::ErrorKind::StorageFull => "delete files on this disk; `df -h` shows which disk is full",
        _ => return None,
    })
}

/// Returns the help of an error or, if it has none, of its causes.
pub fn help(error: &dyn Failure) -> Option<String> {
    let causes = || std::iter::successors(error.source(), |cause| (*cause).source());
    error
        .help()
        .or_else(|| causes().find_map(help_of_cause).map(str::to_owned))
}

/// Returns the help of an [`Advised`], which may be inside of an I/O error, or that of an error of
/// the operating system.
fn help_of_cause(cause: &(dyn Error + 'static)) -> Option<&'static str> {
    let advised = match cause.downcast_ref::<io::Error>() {
        Some(io) => match io.get_ref() {
            Some(inner) => inner.downcast_ref::<Advised>(),
            None => return help_of_system(io.kind()),
        },
        None => cause.downcast_ref(),
    };
    advised.map(|advised| advised.help)
}

/// Returns the messages of the sources of an error, the direct cause first. Many libraries repeat
/// the cause in the message of an error; such a message is left out.
pub fn causes(error: &dyn Error) -> Vec<String> {
    let mut causes: Vec<String> = Vec::new();
    let mut next = error.source();
    while let Some(cause) = next {
        let text = words(cause);
        if causes.last().is_some_and(|last| last.ends_with(&text)) {
            causes.pop();
        }
        causes.push(text);
        // The sources of an API server's error only repeat its message.
        next = cause.source().filter(|_| answer(cause).is_none());
    }
    causes
}

/// Returns an error as one line for users: for an error of the API server its message, without the
/// text that kube adds.
pub fn words(error: &(dyn Error + 'static)) -> String {
    match answer(error) {
        Some(status) if status.message.is_empty() => {
            format!("it answered {} {}", status.code, status.reason)
                .trim_end()
                .to_owned()
        }
        Some(status) => status.message.clone(),
        None => error.to_string(),
    }
}

/// Returns the Status that an error of kube contains, if it is an answer of the API server.
fn answer<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a kube::core::Status> {
    let boxed = error.downcast_ref::<Box<kube::Error>>().map(AsRef::as_ref);
    match boxed.or_else(|| error.downcast_ref())? {
        kube::Error::Api(status) => Some(status),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("the API server refused")]
    struct Refused {
        source: Box<kube::Error>,
    }

    fn refused(source: kube::Error) -> Vec<String> {
        causes(&Refused {
            source: Box::new(source),
        })
    }

    #[test]
    fn messages_of_the_api_server_are_shown_once_and_unchanged() {
        let status = kube::core::Status::failure("spec.message: Required value", "Invalid");
        assert_eq!(
            refused(kube::Error::Api(status.boxed())),
            ["spec.message: Required value"]
        );
        let mute = kube::core::Status::failure("", "Conflict").with_code(409);
        assert_eq!(
            refused(kube::Error::Api(mute.boxed())),
            ["it answered 409 Conflict"]
        );
    }

    #[test]
    fn a_cause_gives_its_help_to_an_error_without() {
        let unfit = || {
            Advised::io(
                io::ErrorKind::InvalidData,
                "it is not UTF-8",
                "save it as UTF-8",
            )
        };
        let error = Io::on("read", "x")(unfit());
        assert_eq!(help(&error).as_deref(), Some("save it as UTF-8"));
        assert_eq!(causes(&error), ["it is not UTF-8"]);
        let directory = Io::on("read", "x")(io::ErrorKind::IsADirectory.into());
        assert!(help(&directory).unwrap().starts_with("a file is needed"));
        let other = Io::on("read", "x")(io::ErrorKind::NotFound.into());
        assert_eq!(help(&other), None);
    }

    #[test]
    fn a_cause_that_repeats_the_next_one_is_left_out() {
        let source = io::Error::other("no route");
        assert_eq!(refused(kube::Error::ReadEvents(source)), ["no route"]);
    }
}
