//! What can go wrong with a control plane, and what mends it.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::gomodule::versions;
use super::version::{DEFAULT, NoVersion};
use crate::error::{Failure, Io};
use crate::interrupt::Interrupted;

/// Result of everything in this module.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of the control plane or of its installation.
#[derive(Debug, Error)]
pub enum Error {
    /// The API server said no, or something that cannot be read.
    #[error("the API server answered {status} to {request}: {message}")]
    Api {
        /// Method and path.
        request: String,
        /// The HTTP status.
        status: u16,
        /// Its own words.
        message: String,
    },
    /// The API server could not be asked.
    #[error("cannot reach the API server for {request}")]
    ApiUnreachable {
        /// Method and path.
        request: String,
        /// Why not.
        source: Box<ureq::Error>,
    },
    /// An archive cannot be read to its end.
    #[error("cannot unpack `{archive}`")]
    Archive {
        /// Where it came from.
        archive: String,
        /// What the decoder says.
        source: io::Error,
    },
    /// An archive holds something that no release holds.
    #[error("the archive `{archive}` holds `{entry}`, which {why}")]
    ArchiveEntry {
        /// Where it came from.
        archive: String,
        /// The path in the archive.
        entry: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// An archive lacks a program.
    #[error("the archive `{archive}` has no `{program}`")]
    ArchiveIncomplete {
        /// Where it came from.
        archive: String,
        /// What was looked for.
        program: &'static str,
    },
    /// A directory that was named lacks a program.
    #[error("there is no `{program}` in `{}`, which {origin} names", dir.display())]
    AssetMissing {
        /// What was looked for.
        program: &'static str,
        /// Where.
        dir: PathBuf,
        /// `--assets`, `KUBEBUILDER_ASSETS`.
        origin: &'static str,
    },
    /// Certificates cannot be made.
    #[error("cannot make the certificates of the control plane")]
    Certificates(#[from] rcgen::Error),
    /// A download is not what its publisher says.
    #[error("the checksum of `{url}` is {actual}, not {expected}")]
    Checksum {
        /// What was downloaded.
        url: String,
        /// The published sum.
        expected: String,
        /// The sum of what came.
        actual: String,
    },
    /// A part of the control plane ended at once.
    #[error("{program} ended while the control plane started{}", tail(last))]
    Died {
        /// Which part.
        program: &'static str,
        /// All it said.
        log: PathBuf,
        /// The last lines of it.
        last: Vec<String>,
    },
    /// A build with Go failed.
    #[error("go cannot build Kubernetes {version}{}", tail(last))]
    GoBuild {
        /// The version of Kubernetes.
        version: String,
        /// The last lines that go said.
        last: Vec<String>,
    },
    /// Only what `go.sum` pins can be built.
    #[error(
        "Kubernetes {wanted} cannot be built here: the pinned Go modules are those of {}",
        versions()
    )]
    GoVersion {
        /// What was asked for.
        wanted: String,
    },
    /// Another `rustop dev` works on the project.
    #[error("another `rustop dev` runs this project: the process {pid}")]
    Held {
        /// Its number.
        pid: u32,
    },
    /// The server has no such file.
    #[error("`{url}` answered {status}")]
    HttpStatus {
        /// What was asked for.
        url: String,
        /// The HTTP status.
        status: u16,
    },
    /// The index cannot be read.
    #[error("the release index `{url}` is not in the format of envtest releases: {reason}")]
    Index {
        /// The index.
        url: String,
        /// What the reader says.
        reason: String,
    },
    /// Ctrl-C or a signal.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// A file or directory could not be read or changed.
    #[error(transparent)]
    Io(#[from] Io),
    /// A name that cannot be a directory.
    #[error("`{name}` is no name for a cluster: use lower-case letters, digits and `-`")]
    Name {
        /// What was given.
        name: String,
    },
    /// Go is not there.
    #[error("go is not installed, so the control plane cannot be built")]
    NoGo,
    /// No home directory.
    #[error("there is no place for {what}: neither `{variable}` nor `HOME` is set")]
    NoHome {
        /// What would be stored.
        what: &'static str,
        /// The variable that would name the place.
        variable: &'static str,
    },
    /// The index lacks this platform.
    #[error("the release index `{url}` has Kubernetes {version} but not for {platform}")]
    NoPlatform {
        /// The index.
        url: String,
        /// The version that was found.
        version: String,
        /// `linux-amd64`.
        platform: String,
    },
    /// The index lacks this version.
    #[error("the release index `{url}` has no Kubernetes {version}")]
    NoVersion {
        /// The index.
        url: String,
        /// The version that was asked for.
        version: String,
        /// The newest one it has.
        newest: Option<String>,
    },
    /// No cluster of this name.
    #[error("there is no cluster `{name}`")]
    NoCluster {
        /// The name.
        name: String,
    },
    /// Nothing to run.
    #[error("the control plane of Kubernetes {version} is not installed")]
    NotInstalled {
        /// The version that was asked for.
        version: String,
    },
    /// The control plane did not become ready.
    #[error("the control plane was not ready after {seconds} s: {missing}")]
    NotReady {
        /// How long it was given.
        seconds: u64,
        /// What was waited for.
        missing: String,
        /// The directory of the logs.
        logs: PathBuf,
    },
    /// No such cluster.
    #[error("the cluster `{name}` is not running")]
    NotRunning {
        /// Its name.
        name: String,
    },
    /// No free port.
    #[error("cannot find a free port on 127.0.0.1")]
    Port(#[source] io::Error),
    /// A program could not be run.
    #[error("cannot run `{}`", program.display())]
    Spawn {
        /// The program.
        program: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Nothing came for too long.
    #[error("`{url}` sent nothing for {seconds} s")]
    Stalled {
        /// What was asked for.
        url: String,
        /// How long was waited.
        seconds: u64,
    },
    /// The connection ended before the file did.
    #[error("`{url}` ended before its last byte")]
    Truncated {
        /// What was asked for.
        url: String,
    },
    /// A server could not be reached at all.
    #[error("cannot reach `{url}`: {reason}")]
    Unreachable {
        /// What was asked for.
        url: String,
        /// Why not.
        reason: String,
    },
    /// Not a version.
    #[error(transparent)]
    Version(#[from] NoVersion),
    /// A directory holds another version than was asked for.
    #[error("`{}` holds Kubernetes {found}, not {wanted}", dir.display())]
    WrongVersion {
        /// The directory.
        dir: PathBuf,
        /// What is in it.
        found: String,
        /// What was asked for.
        wanted: String,
    },
}

impl Error {
    /// `cannot {action} {path}`, for `map_err`.
    pub fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let io = Io::on(action, path);
        move |source| Self::Io(io(source))
    }
}

impl Failure for Error {
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
                _ => format!("name a directory that holds etcd and kube-apiserver with {origin} DIR"),
            }),
            Self::Died { log, .. } => Some(format!("read all it said with `less {}`", log.display())),
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
            Self::HttpStatus { .. } | Self::Stalled { .. } | Self::Truncated { .. } => Some(
                "try again, name a mirror with `--index URL` and `--release-site URL`, or build it: \
                 `rustop cluster install --from go`"
                    .into(),
            ),
            Self::Io(io) if io.source.kind() == io::ErrorKind::StorageFull => {
                Some(FULL.into())
            }
            Self::Held { pid } => Some(format!("end it with Ctrl-C where it runs, or `kill {pid}`")),
            Self::NoCluster { .. } => Some("`rustop cluster status --all` shows those that there are".into()),
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
            Self::NotReady { logs, .. } => Some(format!("look into the logs in {}", logs.display())),
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

    /// What a shell expects: 128 + the signal for an interruption, 126 and 127 for a command that cannot
    /// be run or found, 1 for all else.
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

/// Lines of a log, indented below the message that brings them.
fn tail(last: &[String]) -> String {
    let lines = last.iter().map(|line| format!("\n    {line}"));
    if last.is_empty() {
        String::new()
    } else {
        format!("; its last words:{}", lines.collect::<String>())
    }
}
