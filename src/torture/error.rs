//! Errors that end a campaign without a verdict.

use std::fmt::Display;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

use crate::error::{Failure, Io};
use crate::text::shell_word;
use crate::torture::api::call::Resource;

/// A result with this module's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error that ends a campaign without a verdict.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A path that an option names cannot be read.
    #[error("cannot read `{}`, the value of `{}`", path.display(), option.name)]
    NoManifests {
        option: ManifestOption,
        path: PathBuf,
        source: io::Error,
    },
    /// The directory for CRDs has none.
    #[error("found no CRD in `{}`, the value of `{}`", path.display(), option.name)]
    NoCrd {
        option: ManifestOption,
        path: PathBuf,
    },
    /// The program of an operator does not exist.
    #[error("cannot run `{}`", path.display())]
    NoProgram {
        path: PathBuf,
        /// An example of an option with a program.
        example: &'static str,
        source: io::Error,
    },
    /// The project has no sample.
    #[error("found no sample in `{place}`")]
    NoSample {
        /// The directory that was searched.
        place: String,
    },
    /// The API server rejects a sample.
    #[error("the API server rejects the sample {object}: {message}")]
    SampleRefused {
        /// `lolcow/lolcow-sample`.
        object: String,
        /// The message of the API server.
        message: String,
    },
    /// The operator exited during startup.
    #[error("the operator exited during startup ({status}): {log}")]
    EndedAtStart {
        status: ExitStatus,
        /// A summary of its log.
        log: String,
    },
    /// The operator sent no request to the proxy.
    #[error(
        "the operator sent no request to the API server of its kubeconfig within {seconds} s{}; the end of its log: {log}",
        while_busy(*busy)
    )]
    Silent {
        seconds: u64,
        /// A summary of its log.
        log: String,
        /// True if the machine was busy meanwhile.
        busy: bool,
    },
    /// The operator does not watch the samples' kind.
    #[error(
        "the operator does not watch {resource} within {seconds} s of its start{}; the end of its log: {log}",
        while_busy(*busy)
    )]
    NotWatching {
        /// `lolcows.my.domain`.
        resource: String,
        seconds: u64,
        /// A summary of its log.
        log: String,
        /// True if the machine was busy meanwhile.
        busy: bool,
    },
    /// The old version of a rehearsal does not run, or not with its samples.
    #[error("with the old version, {error}")]
    OldVersion {
        error: Box<Self>,
        /// True if the user has given the old version as a command, false if as a commit.
        is_command: bool,
    },
    /// The old version does not run next to the new one.
    #[error("the old version does not run with the manifests of the new one: {log}")]
    OldVersionFails {
        /// A summary of its log.
        log: String,
    },
    /// The new version does not acquire the Lease of the old one.
    #[error(
        "the new version acquires no Lease within {seconds} s after the old version, which held one, has ended"
    )]
    LeaseNotAcquired { seconds: u64 },
    /// The operator does not serve the webhooks of its manifests.
    #[error(
        "the operator serves no webhooks within {seconds} s of its start{}; the end of its log: {log}",
        while_busy(*busy)
    )]
    NoWebhooks {
        seconds: u64,
        /// A summary of its log.
        log: String,
        /// True if the machine was busy meanwhile.
        busy: bool,
    },
    /// The operator or a sample needs a kind that the API server does not serve.
    #[error("the API server does not serve {resource}, which the operator or a sample needs")]
    NotServed {
        /// `certificates.cert-manager.io`, or `Certificate in cert-manager.io/v1`.
        resource: String,
    },
    /// The API server did not list some kinds in time.
    #[error("the API server does not list {}", resources.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))]
    NotListed {
        /// `deployments.apps`, `pods`.
        resources: Vec<Resource>,
    },
    /// A conversion webhook refuses a stored object, so that no object of its kind can be listed.
    #[error("the API server cannot list {resource} in {}: {message}", resource.version)]
    NotConverted {
        resource: Resource,
        /// The message of the API server.
        message: String,
    },
    /// A request of rustop itself failed.
    #[error("cannot {action}")]
    Api {
        /// Completes "cannot …".
        action: String,
        source: Box<kube::Error>,
    },
    #[error(transparent)]
    Io(#[from] Io),
    /// A file is invalid.
    #[error("`{}`: {message}", path.display())]
    Unreadable { path: PathBuf, message: String },
    /// The finding has no replay file.
    #[error("there is no finding `{id}` in `{}`", dir.display())]
    NoFinding {
        id: String,
        /// The directory of replay files.
        dir: PathBuf,
    },
    /// git does not check out the old version.
    #[error("cannot check out commit {commit} in `{}`: {output}", dir.display())]
    Checkout {
        commit: String,
        dir: PathBuf,
        /// The error output of git.
        output: String,
    },
    /// The commit of the old version is from before the project, or without its generated
    /// manifests.
    #[error("commit {commit} does not contain `{missing}`")]
    NotInCommit {
        commit: String,
        /// The missing file or directory, relative to the repository.
        missing: String,
    },
    /// The budget ended before the first scenario.
    #[error(
        "no scenario was completed in {} s of the budget of {} s; before that, the operator took {} s to start and to settle on the sample, which each run of a scenario repeats",
        took.as_secs(), budget.as_secs(), settled_in.as_secs()
    )]
    NoScenario {
        budget: Duration,
        /// The part of the budget that was used.
        took: Duration,
        /// The time before the budget began.
        settled_in: Duration,
    },
    /// The runs of the original of a rewrite cannot be compared with anything.
    #[error(
        "in no scenario can the rewrite be compared, because the original came to other objects the second time: {scenarios}"
    )]
    NothingSteady {
        /// The names of the scenarios.
        scenarios: String,
    },
    /// The time limit of a run ended before the run.
    #[error("the time limit ended before a run was complete")]
    OutOfTime,
    /// The user interrupted the campaign before the first scenario.
    #[error("interrupted")]
    Interrupted,
}

/// An option that names the manifests of an operator, as a directory or a file.
#[derive(Clone, Copy, Debug)]
pub struct ManifestOption {
    /// The option with its dashes.
    pub name: &'static str,
    /// The manifests, as in "name a directory with …".
    pub contents: &'static str,
    /// A usual value.
    pub example: &'static str,
}

impl ManifestOption {
    fn help(&self) -> String {
        let Self {
            name,
            contents,
            example,
        } = self;
        format!("name a directory with {contents}, relative to the current one: {name} {example}")
    }
}

fn while_busy(busy: bool) -> &'static str {
    if busy { " on a busy machine" } else { "" }
}

impl Error {
    /// Returns a function that wraps an error of the API client; `action` completes "cannot …".
    pub fn api(action: impl Display) -> impl FnOnce(kube::Error) -> Self {
        let action = action.to_string();
        move |source| Self::Api {
            action,
            source: Box::new(source),
        }
    }

    /// Returns the error as one of the old version, which `is_command` describes as in
    /// [`Self::OldVersion`]. An interruption stays as it is.
    #[must_use]
    pub fn of_old_version(self, is_command: bool) -> Self {
        match self {
            Self::Interrupted => self,
            error => Self::OldVersion {
                error: error.into(),
                is_command,
            },
        }
    }

    /// Returns the help for an error of the old version.
    fn help_for_old_version(&self, is_command: bool) -> Option<String> {
        let help = match (self, is_command) {
            (Self::EndedAtStart { .. }, true) => {
                "give it the flags that it needs: --from-command './bin/old-manager --flags'"
            }
            (Self::EndedAtStart { .. }, false) => {
                "name a commit whose operator starts: check it out, and run `rustop dev` there"
            }
            (Self::NotServed { .. }, true) => {
                "put its CRD next to the others of the old version: `--from-crds DIR`"
            }
            (Self::SampleRefused { .. }, true) => {
                "the samples of the new version are created with the old one, so both must accept them"
            }
            (Self::SampleRefused { .. }, false) => {
                "name a commit whose samples its own CRDs accept"
            }
            (error, _) => return error.help(),
        };
        Some(help.to_owned())
    }

    /// Reports whether the operator did not start, or not to the point at which it watches its
    /// objects.
    pub fn is_failed_start(&self) -> bool {
        matches!(
            self,
            Self::EndedAtStart { .. }
                | Self::Silent { .. }
                | Self::NotWatching { .. }
                | Self::NotServed { .. }
        )
    }
}

impl Failure for Error {
    fn help(&self) -> Option<String> {
        Some(match self {
            Self::OldVersion { error, is_command } => {
                return error.help_for_old_version(*is_command);
            }
            Self::NoManifests { option, .. } | Self::NoCrd { option, .. } => option.help(),
            Self::NoProgram { example, .. } => {
                format!("build the operator first, and name its program: {example}")
            }
            Self::NoSample { place } if place == crate::project::ADOPTED => {
                "name files with objects of its kinds: rustop adopt --samples PATH --force".into()
            }
            Self::NoSample { .. } => {
                "write one: config/samples/*.yaml, named in config/samples/kustomization.yaml"
                    .into()
            }
            Self::SampleRefused { object, .. } => {
                format!("fix the sample {object} until `kubectl apply --dry-run=server` accepts it")
            }
            Self::EndedAtStart { log, .. } if log.contains("in use") => {
                "several instances run in parallel, so none may listen on a fixed port \
                 (-- ./bin/manager --metrics-bind-address=0 --health-probe-bind-address=0); or run one at a time: \
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
                 `rustop torture --lanes 1`, or run it again when the machine is less busy"
                    .into()
            }
            Self::Silent { .. } => {
                "the operator must find its API server only through the variable KUBECONFIG"
                    .into()
            }
            Self::NotWatching { .. } => {
                "the sample must be of a kind that the operator has a controller for".into()
            }
            Self::NoWebhooks { .. } => {
                "serve them in main.rs, or delete them: `rustop delete webhook`".into()
            }
            Self::NotServed { .. } => {
                "put its CRD next to the others: `--crds DIR`, or config/crd of a project".into()
            }
            Self::NotListed { .. } => {
                "read the log of the API server: `rustop cluster status` prints its directory"
                    .into()
            }
            Self::NotConverted { .. } => {
                "convert every object that an earlier version has stored".into()
            }
            Self::NoFinding { .. } => {
                "the last line of each finding has its id; `rustop torture` searches for findings again".into()
            }
            Self::Checkout { dir, .. } => format!(
                "remove the directory and its registration: git worktree remove --force {}",
                shell_word(&dir.display().to_string())
            ),
            Self::NotInCommit { .. } => {
                "name a commit with the operator and its generated manifests, such as the tag of a release".into()
            }
            Self::NoScenario {
                budget, settled_in, ..
            } => {
                let enough = (*budget * 2).max(*settled_in * 20).as_secs().div_ceil(60);
                return Some(format!(
                    "give it more time: --budget {enough}m; on a busy machine also --lanes 2"
                ));
            }
            Self::NothingSteady { .. } => {
                "give the objects of the original fixed names, or set `generateName`, whose random part is left out"
                    .into()
            }
            Self::OutOfTime => "give it more time: --budget 10m".into(),
            Self::Unreadable { .. } => "correct it; a replay file is written by `rustop torture`".into(),
            Self::Api { .. }
            | Self::Io(_) | Self::Interrupted | Self::LeaseNotAcquired { .. } | Self::OldVersionFails { .. } => {
                return None;
            }
        })
    }

    /// Returns the exit code for "no verdict".
    fn exit_code(&self) -> u8 {
        2
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;

    use super::*;

    #[test]
    fn an_operator_that_hangs_at_its_start_has_failed_to_start() {
        let (seconds, log, busy) = (90, String::new(), false);
        assert!(Error::Silent { seconds, log, busy }.is_failed_start());
        assert!(!Error::OutOfTime.is_failed_start());
    }

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
    fn a_campaign_without_a_scenario_says_what_took_the_time() {
        let [budget, took, settled_in] = [240, 180, 45].map(Duration::from_secs);
        let error = Error::NoScenario {
            budget,
            took,
            settled_in,
        };
        let message = error.to_string();
        for part in ["in 180 s of the budget of 240 s", "took 45 s to start"] {
            assert!(message.contains(part), "{message}");
        }
        assert!(error.help().unwrap().contains("--budget 15m"));
    }

    #[test]
    fn an_error_of_the_old_version_names_it_and_its_options() {
        let status = ExitStatus::from_raw(256);
        let ended = |is_command| {
            let log = "no such flag".to_owned();
            let error = Error::EndedAtStart { status, log };
            error.of_old_version(is_command)
        };
        let message = "with the old version, the operator exited during startup (exit status: 1): no such flag";
        assert_eq!(ended(true).to_string(), message);
        assert!(ended(true).help().unwrap().contains("--from-command"));
        let help = ended(false).help().unwrap();
        assert!(!help.contains("`--`") && help.contains("commit"), "{help}");
        let resource = "cows.my.domain".to_owned();
        let missing = Error::NotServed { resource }.of_old_version(true);
        assert!(missing.help().unwrap().contains("--from-crds"));
        let interrupted = Error::Interrupted.of_old_version(true);
        assert!(matches!(interrupted, Error::Interrupted));
    }

    #[test]
    fn the_help_for_a_taken_port_disables_the_server() {
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
