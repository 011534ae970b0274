//! The report of `rustop cluster status`.

use std::path::{Path, PathBuf};

use serde::Serialize;
use walkdir::WalkDir;

use super::component::Component;
use super::dirs::Dirs;
use super::error::Result;
use super::state::{Home, State};

/// One cluster, as `--output json` prints it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClusterStatus {
    pub name: String,
    /// The directory of its project; `None` if it does not belong to a project.
    pub project: Option<PathBuf>,
    /// True if all processes run.
    pub running: bool,
    /// The version of Kubernetes that last ran, such as `1.37.2`; `None` if none has run yet.
    pub version: Option<String>,
    /// The number of KWOK nodes.
    pub nodes: u32,
    /// The URL of the API server; `None` if the cluster was never started.
    pub server: Option<String>,
    /// The path of the administrator's kubeconfig.
    pub kubeconfig: PathBuf,
    /// The directory with all files of the cluster.
    pub directory: PathBuf,
    /// The data of etcd.
    pub data: PathBuf,
    /// The disk usage of the directory, in bytes.
    pub size: u64,
    /// The audit log of the API server.
    pub audit_log: PathBuf,
    /// The directory of its programs; `None` if the cluster was never started.
    pub assets: Option<PathBuf>,
    /// The programs that were started and not stopped.
    pub components: Vec<ComponentStatus>,
}

/// One program of a cluster.
#[derive(Debug, Serialize)]
pub struct ComponentStatus {
    /// The name of the program: `kube-apiserver`.
    pub name: &'static str,
    pub pid: u32,
    /// True if the process runs.
    pub running: bool,
    /// The URL on which it listens; `None` if it does not listen.
    pub url: Option<String>,
    /// The file with its output since the last start.
    pub log: PathBuf,
}

impl ClusterStatus {
    /// Reads the status of all clusters, or of the one called `name`.
    pub fn read(dirs: &Dirs, name: Option<&str>) -> Result<Vec<Self>> {
        let homes = match name {
            Some(name) => vec![Home::named(dirs, name)?],
            None => Home::all(dirs),
        };
        Ok(homes.into_iter().map(Self::of).collect())
    }

    /// Returns true if the cluster has a directory.
    pub fn exists(&self) -> bool {
        self.directory.is_dir()
    }

    fn of(home: Home) -> Self {
        let state = State::load(&home);
        let components = state.iter().flat_map(|state| {
            state
                .processes
                .iter()
                .map(|(component, process)| ComponentStatus {
                    name: component.program(),
                    pid: process.pid,
                    running: process.is_alive(),
                    url: url(*component, state),
                    log: home.log(component.program()),
                })
        });
        Self {
            running: state.as_ref().is_some_and(State::is_running),
            version: state.as_ref().and_then(|state| state.version.clone()),
            nodes: state.as_ref().map_or(0, |state| state.nodes),
            server: state.as_ref().map(State::server),
            kubeconfig: home.kubeconfig("admin"),
            data: home.data(),
            size: size(&home.dir),
            project: state.as_ref().and_then(|state| state.project.clone()),
            audit_log: home.log("audit"),
            assets: state.as_ref().map(|state| state.assets.dir.clone()),
            components: components.collect(),
            name: home.name.clone(),
            directory: home.dir,
        }
    }

    /// Returns true if any process of the cluster runs.
    pub fn has_running_process(&self) -> bool {
        self.components.iter().any(|component| component.running)
    }

    /// Returns `running`, `starting`, `stopped`, or `broken` with the programs that have ended.
    pub fn summary(&self) -> String {
        let (up, down): (Vec<_>, Vec<_>) = self.components.iter().partition(|c| c.running);
        let names: Vec<&str> = down.iter().map(|component| component.name).collect();
        if self.running {
            "running".into()
        } else if up.is_empty() && down.is_empty() {
            "stopped".into()
        } else if down.is_empty() {
            "starting".into()
        } else {
            format!("broken: {} ended", names.join(", "))
        }
    }
}

/// Returns the disk usage of the files below `dir`, in bytes. Ignores files that disappear in the
/// meantime.
fn size(dir: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    let files = WalkDir::new(dir).into_iter().flatten();
    let blocks = files.filter_map(|file| Some(file.metadata().ok()?.blocks()));
    blocks.sum::<u64>() * 512
}

fn url(component: Component, state: &State) -> Option<String> {
    match component {
        Component::Etcd => Some(format!("https://127.0.0.1:{}", state.ports.etcd)),
        Component::ApiServer => Some(state.server()),
        _ => None,
    }
}
