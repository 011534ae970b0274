//! What rustop knows of a cluster: its directory and the state file in it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::assets::Assets;
use super::component::Component;
use super::dirs::Dirs;
use super::error::{Error, Result};
use super::lock;
use super::process::Process;
use crate::disk::private;
use crate::interrupt::Interrupt;

/// The name of the cluster of the project called `name` in `dir`. Two checkouts, or two projects of one name,
/// have a cluster each.
pub fn name_of_project(name: &str, dir: &Path) -> Result<String> {
    let dir = dir.canonicalize().map_err(Error::io("find", dir))?;
    let hash = Sha256::digest(dir.as_os_str().as_encoded_bytes());
    let hash = hash.iter().take(4).map(|byte| format!("{byte:02x}"));
    Ok(format!("{name}-{}", hash.collect::<String>()))
}

/// The directory of one cluster. Nothing of a cluster is outside of it.
#[derive(Clone, Debug)]
pub struct Home {
    /// The name that the user gave.
    pub name: String,
    /// The directory.
    pub dir: PathBuf,
}

impl Home {
    /// The directory of the cluster called `name`.
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

    /// All clusters that were ever started, by name.
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

    /// The data of etcd.
    pub fn data(&self) -> PathBuf {
        self.dir.join("etcd")
    }

    /// The directory of keys and certificates.
    pub fn pki(&self) -> PathBuf {
        self.dir.join("pki")
    }

    /// The directory of logs.
    pub fn logs(&self) -> PathBuf {
        self.dir.join("logs")
    }

    /// Where `program` writes.
    pub fn log(&self, program: &str) -> PathBuf {
        self.logs().join(format!("{program}.log"))
    }

    /// The kubeconfig of one of the users in [`super::pki::USERS`].
    pub fn kubeconfig(&self, user: &str) -> PathBuf {
        match user {
            "admin" => self.dir.join("kubeconfig"),
            other => self.dir.join(format!("{other}.kubeconfig")),
        }
    }

    fn state_file(&self) -> PathBuf {
        self.dir.join("state.json")
    }

    /// Makes the directory and locks it: one rustop at a time starts and stops a cluster. If it has to
    /// wait, it calls `waiting` first.
    pub fn lock(&self, interrupt: &Interrupt, waiting: impl FnOnce()) -> Result<File> {
        let mut waiting = Some(waiting);
        loop {
            private::create_dir(&self.dir)?;
            let path = self.lock_path();
            let say = || waiting.take().map_or((), |waiting| waiting());
            let file = lock::acquire(&path, interrupt, say)?;
            // Who had it may have deleted the cluster.
            if lock::is_same_file(&file, &path) {
                return Ok(file);
            }
        }
    }

    /// The file that is locked.
    pub fn lock_path(&self) -> PathBuf {
        self.dir.join("lock")
    }
}

/// The ports of one cluster, all on 127.0.0.1.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct Ports {
    /// etcd's clients.
    pub etcd: u16,
    /// etcd's peers, of which there are none.
    pub peer: u16,
    /// The API server.
    pub api: u16,
}

/// What is written down about a cluster.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct State {
    /// The API server's own word for its version, once it was ready.
    pub version: Option<String>,
    /// What runs.
    pub assets: Assets,
    /// How many KWOK nodes there are.
    pub nodes: u32,
    /// Where it listens.
    pub ports: Ports,
    /// The directory of the project that it belongs to, if it does to one.
    #[serde(default)]
    pub project: Option<PathBuf>,
    /// What was started and not yet stopped.
    pub processes: BTreeMap<Component, Process>,
}

impl State {
    /// Reads it; a state that cannot be read is as good as none, for [`super::process::marked`] finds
    /// what runs.
    pub fn load(home: &Home) -> Option<Self> {
        serde_json::from_slice(&fs::read(home.state_file()).ok()?).ok()
    }

    /// Writes it, whole or not at all.
    pub fn save(&self, home: &Home) -> Result<()> {
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        Ok(private::write(&home.state_file(), &text)?)
    }

    /// Whether all that was started still runs, and became ready.
    pub fn is_running(&self) -> bool {
        self.version.is_some()
            && self.processes.contains_key(&Component::ApiServer)
            && self.processes.values().all(Process::is_well)
    }

    /// The API server's address.
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
