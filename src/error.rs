//! What the errors of all rooms have in common. Each room has a type of its own, which says what happened and where;
//! what brought it about are its sources.

use std::error::Error;
use std::io;
use std::path::PathBuf;

/// An error that a user can cause, and mend.
pub trait Failure: Error {
    /// The literal command or text that mends it.
    fn help(&self) -> Option<String> {
        None
    }

    /// 2 for a wrong command line, 128 + the signal after one, 1 for all else.
    fn exit_code(&self) -> u8 {
        1
    }
}

/// A file or directory could not be read or changed.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} `{}`", path.display())]
pub struct Io {
    /// An infinitive: `read`, `create`, `replace`.
    pub action: &'static str,
    /// What it was done to.
    pub path: PathBuf,
    /// Why not.
    pub source: io::Error,
}

impl Io {
    /// `cannot {action} {path}`, for `map_err`.
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

/// What brought an error about, each cause once: many a library repeats the next one in its own words.
pub fn causes(error: &dyn Error) -> Vec<String> {
    let mut causes: Vec<String> = Vec::new();
    let mut next = error.source();
    while let Some(cause) = next {
        let text = words(cause);
        if causes.last().is_some_and(|last| last.ends_with(&text)) {
            causes.pop();
        }
        causes.push(text);
        next = cause.source().filter(|_| answer(cause).is_none());
    }
    causes
}

/// An error in one line of a user's words: what the API server answered, without what kube makes of it.
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

/// The answer of the API server that an error is made of.
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
    fn an_answer_of_the_api_server_is_told_once_and_in_its_own_words() {
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
    fn a_cause_that_repeats_the_next_one_is_left_out() {
        let source = io::Error::other("no route");
        assert_eq!(refused(kube::Error::ReadEvents(source)), ["no route"]);
    }
}
