//! The errors of a control plane, with their help texts.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::gomodule::versions;
use super::version::{DEFAULT, NoVersion};
use crate::error::{Failure, Io};
use crate::interrupt::Interrupted;
use crate::terminal::escaped_line;

/// The result type of this module.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of the control plane or of its installation.
#[derive(Debug, Error)]
pub enum Error {
    /// The API server answered with an error status, or with a body that is not JSON.
    #[error("the API server answered {status} to {request}: {message}")]
    Api {
        /// Method and path.
        request: String,
        status: u16,
        /// The message of the answer, or its whole body.
        message: String,
    },
    /// The API server could not be reached.
    #[error("cannot reach the API server for {request}")]
    ApiUnreachable {
        request: String,
        source: Box<ureq::Error>,
    },
    /// An archive could not be unpacked.
    #[error("cannot unpack `{archive}`")]
    Archive {
        /// The URL of the archive.
        archive: String,
        /// The error of the decoder.
        source: io::Error,
    },
    /// An archive has an entry that no release contains.
    #[error("the archive `{archive}` contains `{entry}`, which {why}")]
    ArchiveEntry {
        /// The URL of the archive.
        archive: String,
        /// The path in the archive.
        entry: String,
        /// The objection, as a relative clause without `which`.
        why: &'static str,
    },
    /// An archive lacks a program.
    #[error("the archive `{archive}` has no `{program}`")]
    ArchiveIncomplete {
        /// The URL of the archive.
        archive: String,
        /// The name of the missing program.
        program: &'static str,
    },
    /// A directory that the user named lacks a program.
    #[error("there is no `{program}` in `{}`, which {origin} names", dir.display())]
    AssetMissing {
        /// The name of the missing program.
        program: &'static str,
        dir: PathBuf,
        /// `--assets`, `KUBEBUILDER_ASSETS`.
        origin: &'static str,
    },
    /// A key or certificate could not be generated.
    #[error("cannot generate the certificates of the control plane")]
    Certificates(#[from] rcgen::Error),
    /// The checksum of a download differs from the published one.
    #[error("the checksum of `{url}` is {actual}, not {expected}")]
    Checksum {
        /// The URL of the download.
        url: String,
        expected: String,
        /// The checksum of the downloaded bytes.
        actual: String,
    },
    /// A program of the control plane exited during startup.
    #[error(
        "{program} exited during the startup of the control plane{}",
        tail(last)
    )]
    Died {
        /// The name of the program.
        program: &'static str,
        log: PathBuf,
        /// The last lines of the log.
        last: Vec<String>,
    },
    /// A build with Go failed.
    #[error("go cannot build Kubernetes {}{}", escaped_line(version), tail(last))]
    GoBuild {
        /// The version of Kubernetes.
        version: String,
        /// The last lines of the error messages of `go`.
        last: Vec<String>,
    },
    /// No pinned Go module is of the requested version.
    #[error(
        "Kubernetes {wanted} cannot be built here: the pinned Go modules are those of {}",
        versions()
    )]
    GoVersion { wanted: String },
    /// Another rustop process holds the lock of the project's cluster.
    #[error("another rustop {}", pid.map_or_else(
        || "starts or cleans up the cluster of this project".to_owned(),
        |pid| format!("runs this project: the process {pid}"),
    ))]
    Held {
        /// `None` if the process has just started, or has ended and is being cleaned up after.
        pid: Option<u32>,
    },
    /// A server answered with an error status.
    #[error("`{url}` answered {status}")]
    HttpStatus { url: String, status: u16 },
    /// The index of releases cannot be parsed.
    #[error("the release index `{url}` is not in the format of envtest releases: {reason}")]
    Index {
        /// The URL of the index.
        url: String,
        /// The error of the parser.
        reason: String,
    },
    /// A signal interrupted the run.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// A file or directory could not be read or changed.
    #[error(transparent)]
    Io(#[from] Io),
    /// A name that contains other characters than a cluster name may have.
    #[error("`{name}` is not a valid cluster name: use lower-case letters, digits and `-`")]
    Name { name: String },
    /// Go is not installed.
    #[error("go is not installed, so the control plane cannot be built")]
    NoGo,
    /// The environment does not name a home directory.
    #[error("cannot locate {what}: neither `{variable}` nor `HOME` is set")]
    NoHome {
        /// The kind of data.
        what: &'static str,
        /// The variable that sets the directory.
        variable: &'static str,
    },
    /// The index has no archive for this platform.
    #[error("the release index `{url}` has Kubernetes {version} but not for {platform}")]
    NoPlatform {
        /// The URL of the index.
        url: String,
        version: String,
        /// `linux-amd64`.
        platform: String,
    },
    /// The index does not have the requested version.
    #[error("the release index `{url}` has no Kubernetes {version}")]
    NoVersion {
        /// The URL of the index.
        url: String,
        version: String,
        /// The newest version in the index.
        newest: Option<String>,
    },
    /// No cluster has this name.
    #[error("cluster `{name}` does not exist")]
    NoCluster { name: String },
    /// No control plane of the requested version is installed.
    #[error("the control plane of Kubernetes {version} is not installed")]
    NotInstalled { version: String },
    /// The control plane did not become ready.
    #[error("the control plane was not ready after {seconds} s: {missing}")]
    NotReady {
        seconds: u64,
        /// The condition that did not become true.
        missing: String,
        /// The directory of the logs.
        logs: PathBuf,
    },
    /// The cluster is stopped.
    #[error("the cluster `{name}` is not running")]
    NotRunning { name: String },
    /// The system did not provide a free port.
    #[error("cannot find a free port on 127.0.0.1")]
    Port(#[source] io::Error),
    /// A program could not be run.
    #[error("cannot run `{}`", program.display())]
    Spawn { program: PathBuf, source: io::Error },
    /// A server sent no data within the time limit.
    #[error("`{url}` sent nothing for {seconds} s")]
    Stalled { url: String, seconds: u64 },
    /// A server sent more bytes than a download may have.
    #[error("`{url}` sends more than {limit} bytes, the limit of a download")]
    TooLarge {
        url: String,
        /// The limit in bytes.
        limit: u64,
    },
    /// The connection was closed before the end of the file.
    #[error("`{url}` ended before its last byte")]
    Truncated { url: String },
    /// A server could not be reached.
    #[error("cannot reach `{url}`: {reason}")]
    Unreachable { url: String, reason: String },
    /// A version cannot be parsed.
    #[error(transparent)]
    Version(#[from] NoVersion),
    /// A directory contains another version than the requested one.
    #[error("`{}` contains Kubernetes {found}, not {wanted}", dir.display())]
    WrongVersion {
        dir: PathBuf,
        /// The version in the directory.
        found: String,
        wanted: String,
    },
}

impl Error {
    /// Returns a function for `map_err` that creates the error `cannot {action} {path}`.
    pub fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let io = Io::on(action, path);
        move |source| Self::Io(io(source))
    }
}

impl Failure for Error {
    fn is_report(&self) -> bool {
        matches!(self, Self::Died { .. } | Self::GoBuild { .. })
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::Archive { .. }
            | Self::ArchiveEntry { .. }
            | Self::ArchiveIncomplete { .. }
            | Self::Checksum { .. }
            | Self::Index { .. } => Some(
                "nothing was installed; try again, name another mirror with `--index URL`, or build \
                 it: `rustop cluster install --from go`"
                    .into(),
            ),
            Self::AssetMissing { origin, .. } => Some(match *origin {
                "KUBEBUILDER_ASSETS" => {
                    "unset KUBEBUILDER_ASSETS, then run `rustop cluster install`".into()
                }
                _ => format!("pass a directory that contains etcd and kube-apiserver: {origin} DIR"),
            }),
            Self::Died { log, .. } => Some(format!("read the complete log with `less {}`", log.display())),
            Self::GoBuild { last, .. } if last.iter().any(|line| line.contains("no space left")) => {
                Some(FULL.into())
            }
            Self::GoBuild { .. } => Some(
                "check that `go env GOPROXY` names a module proxy that can be reached, then run \
                 `rustop cluster install --from go` again"
                    .into(),
            ),
            Self::GoVersion { .. } => Some(format!(
                "run `rustop cluster install --kubernetes-version {DEFAULT} --from go`"
            )),
            Self::HttpStatus { .. }
            | Self::Stalled { .. }
            | Self::TooLarge { .. }
            | Self::Truncated { .. } => Some(
                "try again, name a mirror with `--index URL` and `--release-site URL`, or build it: \
                 `rustop cluster install --from go`"
                    .into(),
            ),
            Self::Io(io) if io.source.kind() == io::ErrorKind::StorageFull => {
                Some(FULL.into())
            }
            Self::Held { pid: Some(pid) } => {
                Some(format!("end it with Ctrl-C where it runs, or `kill {pid}`"))
            }
            Self::Held { pid: None } => Some("run the command again in a few seconds".into()),
            Self::NoCluster { .. } => Some("run `rustop cluster status --all` to list all clusters".into()),
            Self::NoGo => Some(
                "install Go from https://go.dev/dl, or `rustop cluster install --from download`".into(),
            ),
            Self::NoHome { variable, .. } => Some(format!("set {variable} to a directory")),
            Self::NoPlatform { .. } => Some("build it: `rustop cluster install --from go`".into()),
            Self::NoVersion { newest, .. } => newest.as_ref().map(|newest| {
                format!("run `rustop cluster install --kubernetes-version {newest}`")
            }),
            Self::NotInstalled { version } => Some(if version == DEFAULT {
                "run `rustop cluster install`".into()
            } else {
                format!("run `rustop cluster install --kubernetes-version {version}`")
            }),
            Self::NotReady { logs, .. } => Some(format!("read the logs in {}", logs.display())),
            Self::NotRunning { name } => Some(match name.as_str() {
                super::DEFAULT_NAME => "run `rustop cluster start`".into(),
                _ => format!("run `rustop cluster start --name {name}`"),
            }),
            Self::Unreachable { .. } => Some(
                "check the network, name a mirror with `--index URL` and `--release-site URL`, or build \
                 it: `rustop cluster install --from go`"
                    .into(),
            ),
            Self::WrongVersion { found, .. } => Some(format!(
                "leave out `--kubernetes-version`, or write `--kubernetes-version {found}`"
            )),
            Self::Api { .. }
            | Self::ApiUnreachable { .. }
            | Self::Certificates(_)
            | Self::Interrupted(_)
            | Self::Io(_)
            | Self::Name { .. }
            | Self::Port(_)
            | Self::Spawn { .. }
            | Self::Version(_) => None,
        }
    }

    /// Returns the exit codes of shells: 128 + the signal for an interruption, 126 for a command
    /// that cannot be run, 127 for a command that was not found, and 1 for other errors.
    fn exit_code(&self) -> u8 {
        match self {
            Self::Interrupted(interrupted) => interrupted.exit_code(),
            Self::Spawn { source, .. } if source.kind() == io::ErrorKind::NotFound => 127,
            Self::Spawn { .. } => 126,
            _ => 1,
        }
    }
}

const FULL: &str = "free some space on the disk, or move the cache to another one: set RUSTOP_CACHE to a \
                    directory there";

/// Formats the last lines of a log as the end of a message.
fn tail(last: &[String]) -> String {
    let lines = last
        .iter()
        .map(|line| format!("\n    {}", escaped_line(line)));
    if last.is_empty() {
        String::new()
    } else {
        format!("; the end of its log:{}", lines.collect::<String>())
    }
}
