//! The directory of a cluster and the state file in it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::assets::Assets;
use super::component::Component;
use super::dirs::Dirs;
use super::error::{Error, Result};
use super::lock;
use super::process::Process;
use crate::disk::private;
use crate::interrupt::Interrupt;
use crate::text::sha256;

/// Returns the name of the cluster of the project called `name` in `dir`. Two checkouts of a
/// project, or two projects with the same name, have separate clusters.
pub fn name_of_project(name: &str, dir: &Path) -> Result<String> {
    let dir = dir.canonicalize().map_err(Error::io("find", dir))?;
    let hash = sha256(dir.as_os_str().as_encoded_bytes());
    Ok(format!("{name}-{}", &hash[..8]))
}

/// The directory of one cluster, which contains all its files.
#[derive(Clone, Debug)]
pub struct Home {
    /// The name of the cluster.
    pub name: String,
    pub dir: PathBuf,
}

impl Home {
    /// Returns the directory of the cluster called `name`, which need not exist.
    pub fn named(dirs: &Dirs, name: &str) -> Result<Self> {
        let valid = !name.is_empty()
            && name.len() <= 63
            && !name.starts_with('-')
            && name
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        if !valid {
            return Err(Error::Name { name: name.into() });
        }
        Ok(Self {
            name: name.into(),
            dir: dirs.state.join("clusters").join(name),
        })
    }

    /// Returns all clusters that have a directory, by name.
    pub fn all(dirs: &Dirs) -> Vec<Self> {
        let mut names: Vec<String> = fs::read_dir(dirs.state.join("clusters"))
            .into_iter()
            .flatten()
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        names.sort();
        names
            .iter()
            .filter_map(|name| Self::named(dirs, name).ok())
            .collect()
    }

    /// Returns the data directory of etcd.
    pub fn data(&self) -> PathBuf {
        self.dir.join("etcd")
    }

    /// Returns the directory of keys and certificates.
    pub fn pki(&self) -> PathBuf {
        self.dir.join("pki")
    }

    /// Returns the directory of logs.
    pub fn logs(&self) -> PathBuf {
        self.dir.join("logs")
    }

    /// Returns the log file of `program`.
    pub fn log(&self, program: &str) -> PathBuf {
        self.logs().join(format!("{program}.log"))
    }

    /// Returns the kubeconfig of one of the users in [`super::pki::USERS`].
    pub fn kubeconfig(&self, user: &str) -> PathBuf {
        match user {
            "admin" => self.dir.join("kubeconfig"),
            other => self.dir.join(format!("{other}.kubeconfig")),
        }
    }

    fn state_file(&self) -> PathBuf {
        self.dir.join("state.json")
    }

    /// Creates the directory and locks it, because only one rustop at a time may start or stop a
    /// cluster. Calls `waiting` before it waits for the lock. The lock is released when the
    /// returned file is dropped.
    pub fn lock(&self, interrupt: &Interrupt, waiting: impl FnOnce()) -> Result<File> {
        let mut waiting = Some(waiting);
        loop {
            private::create_dir(&self.dir)?;
            let path = self.lock_path();
            let say = || waiting.take().map_or((), |waiting| waiting());
            let file = lock::acquire(&path, interrupt, say)?;
            // The previous holder may have deleted the cluster.
            if lock::is_same_file(&file, &path) {
                return Ok(file);
            }
        }
    }

    /// Returns the lock file.
    pub fn lock_path(&self) -> PathBuf {
        self.dir.join("lock")
    }
}

/// The ports of one cluster, all on 127.0.0.1.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct Ports {
    /// The port for etcd's clients.
    pub etcd: u16,
    /// The port for etcd's peers, which does not get any connections.
    pub peer: u16,
    /// The port of the API server.
    pub api: u16,
}

/// The content of a cluster's state file.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct State {
    /// The version that the API server reported; `None` until it was ready.
    pub version: Option<String>,
    /// The directory of the programs.
    pub assets: Assets,
    /// The number of KWOK nodes.
    pub nodes: u32,
    /// The ports on which it listens.
    pub ports: Ports,
    /// The directory of its project; `None` if it does not belong to a project.
    #[serde(default)]
    pub project: Option<PathBuf>,
    /// The processes that were started and not yet stopped.
    pub processes: BTreeMap<Component, Process>,
}

impl State {
    /// Reads the state file. Returns `None` also if the file is invalid: [`super::process::marked`]
    /// finds the processes then.
    pub fn load(home: &Home) -> Option<Self> {
        serde_json::from_slice(&fs::read(home.state_file()).ok()?).ok()
    }

    /// Writes the state file atomically.
    pub fn save(&self, home: &Home) -> Result<()> {
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        Ok(private::write(&home.state_file(), &text)?)
    }

    /// Returns true if the cluster became ready and all its processes run.
    pub fn is_running(&self) -> bool {
        self.version.is_some()
            && self.processes.contains_key(&Component::ApiServer)
            && self.processes.values().all(Process::is_well)
    }

    /// Returns the URL of the API server.
    pub fn server(&self) -> String {
        format!("https://127.0.0.1:{}", self.ports.api)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_projects_cluster_is_called_after_its_directory() {
        let place = tempfile::tempdir().unwrap();
        let [one, other, link] = ["one", "other", "link"].map(|name| place.path().join(name));
        fs::create_dir(&one).unwrap();
        fs::create_dir(&other).unwrap();
        std::os::unix::fs::symlink(&one, &link).unwrap();
        let longest = "x".repeat(44);
        let name = |dir: &Path| name_of_project(&longest, dir).unwrap();
        assert_eq!(name(&one), name(&link.join("../one")));
        assert_ne!(name(&one), name(&other));
        let dirs = Dirs {
            cache: one.clone(),
            state: one.clone(),
        };
        assert!(Home::named(&dirs, &name(&one)).is_ok());
        assert!(name_of_project("x", &place.path().join("none")).is_err());
    }
}
