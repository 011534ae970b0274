//! The directories in which rustop looks for the programs of a control plane.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::dirs::{Dirs, variable};
use super::error::{Error, Result};
use super::version::{Request, Version};

/// The programs that an API server needs.
pub const REQUIRED: [&str; 2] = ["etcd", "kube-apiserver"];
/// The programs that controllers, scheduling and nodes need.
pub const OPTIONAL: [&str; 4] = [
    "kubectl",
    "kube-controller-manager",
    "kube-scheduler",
    "kwok",
];

/// A directory with the programs of a control plane.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Assets {
    /// The absolute path.
    pub dir: PathBuf,
}

impl Assets {
    /// Returns the path of `program`, or `None` if the directory does not contain it.
    pub fn get(&self, program: &str) -> Option<PathBuf> {
        Some(self.dir.join(program)).filter(|path| path.is_file())
    }

    /// Returns true if the directory has kube-controller-manager, so that controllers can run.
    pub fn has_controllers(&self) -> bool {
        self.get("kube-controller-manager").is_some()
    }

    /// Returns the version of Kubernetes, or `None` if the directory is not in a store.
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

/// The places in which [`find`] looks.
#[derive(Clone, Debug, Default)]
pub struct AssetSources {
    /// `--assets DIR`: the only directory to look in, if it is set.
    pub dir: Option<PathBuf>,
    /// `--kubernetes-version`, which selects among several versions in a store.
    pub version: Request,
}

/// Returns the directory of `--assets`, of `KUBEBUILDER_ASSETS`, in rustop's cache, or in the store
/// of setup-envtest, in this order. Returns an error if a directory that the user named lacks a
/// required program.
pub fn find(dirs: &Dirs, sources: &AssetSources) -> Result<Assets> {
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

/// Returns true if a cluster with default options cannot start before a control plane is installed.
pub fn is_missing(dirs: &Dirs) -> bool {
    matches!(
        find(dirs, &AssetSources::default()),
        Err(Error::NotInstalled { .. })
    )
}

/// Returns the newest complete directory in rustop's cache that `version` accepts.
pub fn installed(dirs: &Dirs, version: Request) -> Option<Assets> {
    newest(&store(dirs), version)
}

/// Returns the directory in the cache that has one directory per version and platform.
pub fn store(dirs: &Dirs) -> PathBuf {
    dirs.cache.join("k8s")
}

/// Returns a directory that the user named. `origin` is the option or variable that names it, for
/// the error if it lacks a required program.
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

/// Returns this machine's platform with Go's names: `linux-amd64`.
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

/// Returns the directory in which setup-envtest stores its downloads; `None` without a home.
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

/// Returns the newest complete directory in `store` that `request` accepts. The directories are
/// called `v1.37.2-linux-amd64` or, in the store of setup-envtest, `1.37.2-linux-amd64`.
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
