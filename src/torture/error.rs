//! What keeps an operator from being tortured at all.

use std::fmt::Display;
use std::path::PathBuf;
use std::process::ExitStatus;

use crate::error::{Failure, Io};

/// The result of everything here.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why there is no verdict.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nothing to begin with.
    #[error("there is no sample to begin with in `{place}`")]
    NoSample {
        /// Where samples were looked for.
        place: String,
    },
    /// A sample that cannot be created.
    #[error("the API server refuses the sample {object}: {message}")]
    SampleRefused {
        /// `lolcow/lolcow-sample`.
        object: String,
        /// What it says.
        message: String,
    },
    /// The operator ended before it did anything.
    #[error("the operator ended at its start ({status}): {log}")]
    EndedAtStart {
        /// How.
        status: ExitStatus,
        /// The end of its log, in a line.
        log: String,
    },
    /// The operator asks nobody, or somebody else.
    #[error(
        "the operator asked the API server of its kubeconfig for nothing within {seconds} s{}; its last words: {log}",
        while_busy(*busy)
    )]
    Silent {
        /// How long it was given.
        seconds: u64,
        /// The end of its log, in a line.
        log: String,
        /// Whether processes had to wait for a processor meanwhile.
        busy: bool,
    },
    /// The operator does not watch what the samples are.
    #[error(
        "the operator does not watch {resource} within {seconds} s of its start{}; its last words: {log}",
        while_busy(*busy)
    )]
    NotWatching {
        /// `lolcows.my.domain`.
        resource: String,
        /// How long it was given.
        seconds: u64,
        /// The end of its log, in a line.
        log: String,
        /// Whether processes had to wait for a processor meanwhile.
        busy: bool,
    },
    /// The operator serves no webhooks, though its manifests say so.
    #[error(
        "the operator serves no webhooks within {seconds} s of its start{}; its last words: {log}",
        while_busy(*busy)
    )]
    NoWebhooks {
        /// How long it was given.
        seconds: u64,
        /// The end of its log, in a line.
        log: String,
        /// Whether processes had to wait for a processor meanwhile.
        busy: bool,
    },
    /// The operator or a sample needs a kind that is not there.
    #[error("the API server does not serve {resource}, which is needed")]
    NotServed {
        /// `certificates.cert-manager.io`.
        resource: String,
    },
    /// A list that torture needs before the first run does not come.
    #[error("the API server does not list {resources}")]
    NotListed {
        /// `deployments.apps, pods`.
        resources: String,
    },
    /// The API server refuses something that torture itself needs.
    #[error("cannot {action}")]
    Api {
        /// An infinitive.
        action: String,
        /// Why not.
        source: Box<kube::Error>,
    },
    /// A file or directory could not be read or changed.
    #[error(transparent)]
    Io(#[from] Io),
    /// A file that does not say what it should.
    #[error("`{}`: {message}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// A finding that nobody knows.
    #[error("there is no finding `{id}` in `{}`", dir.display())]
    NoFinding {
        /// As it was given.
        id: String,
        /// Where findings are kept.
        dir: PathBuf,
    },
    /// The time ended before there was anything to report.
    #[error("there was no time to play a single scenario")]
    OutOfTime,
    /// Ctrl-C before there was anything to report.
    #[error("interrupted")]
    Interrupted,
}

fn while_busy(busy: bool) -> &'static str {
    if busy { " on a busy machine" } else { "" }
}

impl Error {
    /// The API server refuses.
    pub fn api(action: impl Display) -> impl FnOnce(kube::Error) -> Self {
        let action = action.to_string();
        move |source| Self::Api {
            action,
            source: Box::new(source),
        }
    }
}

impl Failure for Error {
    fn help(&self) -> Option<String> {
        Some(match self {
            Self::NoSample { .. } => {
                "write one: config/samples/*.yaml, named in config/samples/kustomization.yaml"
                    .into()
            }
            Self::SampleRefused { object, .. } => {
                format!("mend the sample {object} until `kubectl apply --dry-run=server` takes it")
            }
            Self::EndedAtStart { log, .. } if log.contains("in use") => {
                "several of it run side by side, so none may listen on a fixed port \
                 (-- ./bin/manager --metrics-bind-address=0 --health-probe-bind-address=0), or one after the other: \
                 --lanes 1"
                    .into()
            }
            Self::EndedAtStart { .. } => {
                "give it the flags that it needs after `--`: -- ./bin/manager --flags".into()
            }
            Self::Silent { busy: true, .. }
            | Self::NotWatching { busy: true, .. }
            | Self::NoWebhooks { busy: true, .. } => {
                "the machine is busy, and the operator may only be slow to start: \
                 `rustop torture --lanes 1`, or again when less runs"
                    .into()
            }
            Self::Silent { .. } => {
                "it must take its API server from the variable KUBECONFIG, and from nowhere else"
                    .into()
            }
            Self::NotWatching { .. } => {
                "the sample must be of a kind that the operator has a controller for".into()
            }
            Self::NoWebhooks { .. } => {
                "have main.rs serve them, or take them away: `rustop delete webhook`".into()
            }
            Self::NotServed { .. } => {
                "put its CRD beside the others: `--crds DIR`, or config/crd of a project".into()
            }
            Self::NotListed { .. } => {
                "look into the log of the API server: `rustop cluster status` names its directory"
                    .into()
            }
            Self::NoFinding { .. } => {
                "the last line of each finding has its id; `rustop torture` finds them anew".into()
            }
            Self::OutOfTime => "give it more time: --budget 10m".into(),
            Self::Api { .. } | Self::Io(_) | Self::Unreadable { .. } | Self::Interrupted => {
                return None;
            }
        })
    }

    /// There is no verdict, neither a good one nor a bad one.
    fn exit_code(&self) -> u8 {
        2
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;

    use super::*;

    #[test]
    fn a_slow_start_on_a_busy_machine_is_not_blamed_on_the_operator() {
        let help = |busy| {
            let (seconds, log) = (90, String::new());
            Error::Silent { seconds, log, busy }.help().unwrap()
        };
        assert!(help(false).contains("KUBECONFIG"));
        assert!(!help(true).contains("KUBECONFIG"));
        assert!(help(true).contains("--lanes 1"));
    }

    #[test]
    fn who_wants_a_port_that_another_has_is_told_to_listen_nowhere() {
        let help = |log: &str| {
            let (status, log) = (ExitStatus::from_raw(256), log.to_owned());
            Error::EndedAtStart { status, log }.help().unwrap()
        };
        let taken = help("listen tcp :8081: bind: address already in use");
        assert!(taken.contains("--health-probe-bind-address=0"), "{taken}");
        let other = help("flag provided but not defined: -x");
        assert!(!other.contains("-bind-address"), "{other}");
    }
}
