//! Which programs run: found in the first of several places that has them.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::dirs::{Dirs, variable};
use super::error::{Error, Result};
use super::version::{Request, Version};

/// The programs without which there is no API server.
pub const REQUIRED: [&str; 2] = ["etcd", "kube-apiserver"];
/// The programs that make controllers, scheduling and nodes work.
pub const OPTIONAL: [&str; 4] = [
    "kubectl",
    "kube-controller-manager",
    "kube-scheduler",
    "kwok",
];

/// A directory of programs.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Assets {
    /// The directory.
    pub dir: PathBuf,
}

impl Assets {
    /// The path of `program`, where the directory has it.
    pub fn get(&self, program: &str) -> Option<PathBuf> {
        Some(self.dir.join(program)).filter(|path| path.is_file())
    }

    /// Whether controllers can run, and not only an API server.
    pub fn has_controllers(&self) -> bool {
        self.get("kube-controller-manager").is_some()
    }

    /// The version of Kubernetes, if the directory is in a store.
    pub fn version(&self) -> Option<Version> {
        version_of(self.dir.file_name()?.to_str()?)
    }

    fn complete(dir: PathBuf) -> Option<Self> {
        let assets = Self { dir };
        REQUIRED
            .iter()
            .all(|program| assets.get(program).is_some())
            .then_some(assets)
    }
}

/// Where to look.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// `--assets DIR`: this directory and no other.
    pub dir: Option<PathBuf>,
    /// `--kubernetes-version`, for the places that hold several.
    pub version: Request,
}

/// `--assets`, then `KUBEBUILDER_ASSETS`, then rustop's cache, then the store of setup-envtest. A place
/// that the user named must have the programs; the others are tried in turn.
pub fn find(dirs: &Dirs, sources: &Sources) -> Result<Assets> {
    if let Some(dir) = &sources.dir {
        return named(dir, "--assets");
    }
    if let Some(dir) = variable("KUBEBUILDER_ASSETS") {
        return named(&dir, "KUBEBUILDER_ASSETS");
    }
    installed(dirs, sources.version)
        .or_else(|| newest(&envtest_store()?, sources.version))
        .ok_or_else(|| Error::NotInstalled {
            version: sources.version.to_string(),
        })
}

/// Whether a cluster with default options cannot start before a control plane is installed.
pub fn is_missing(dirs: &Dirs) -> bool {
    matches!(
        find(dirs, &Sources::default()),
        Err(Error::NotInstalled { .. })
    )
}

/// What is in rustop's own cache.
pub fn installed(dirs: &Dirs, version: Request) -> Option<Assets> {
    newest(&store(dirs), version)
}

/// The directory in the cache that holds one directory per version and platform.
pub fn store(dirs: &Dirs) -> PathBuf {
    dirs.cache.join("k8s")
}

/// A directory that the user named, which must have what is needed.
pub fn named(dir: &Path, origin: &'static str) -> Result<Assets> {
    let dir = std::path::absolute(dir).map_err(Error::io("find", dir))?;
    match REQUIRED.iter().find(|program| !dir.join(program).is_file()) {
        Some(program) => Err(Error::AssetMissing {
            program,
            dir,
            origin,
        }),
        None => Ok(Assets { dir }),
    }
}

/// `linux-amd64`: this machine in the words of Go.
pub fn platform() -> String {
    let os = match std::env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    let arch = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        "powerpc64" => "ppc64le",
        other => other,
    };
    format!("{os}-{arch}")
}

fn envtest_store() -> Option<PathBuf> {
    if cfg!(target_os = "macos") {
        return Some(
            variable("HOME")?.join("Library/Application Support/io.kubebuilder.envtest/k8s"),
        );
    }
    variable("XDG_DATA_HOME")
        .or_else(|| Some(variable("HOME")?.join(".local/share")))
        .map(|data| data.join("kubebuilder-envtest/k8s"))
}

/// The newest `v1.36.3-linux-amd64` in `store` that is asked for and complete. The `v` may be missing.
fn newest(store: &Path, request: Request) -> Option<Assets> {
    let mut found: Vec<(Version, PathBuf)> = fs::read_dir(store)
        .ok()?
        .filter_map(|entry| {
            let name = entry.ok()?.file_name().into_string().ok()?;
            let version = version_of(&name)?;
            request
                .accepts(version)
                .then(|| (version, store.join(name)))
        })
        .collect();
    found.sort();
    found
        .into_iter()
        .rev()
        .find_map(|(_, dir)| Assets::complete(dir))
}

/// Returns the version in the name of a directory for this platform.
fn version_of(name: &str) -> Option<Version> {
    let version = name.strip_suffix(&platform())?.strip_suffix('-')?;
    version.parse().ok()
}
