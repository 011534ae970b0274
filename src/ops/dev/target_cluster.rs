//! The cluster that the operator works on: the project's local one, or an existing one.

use std::path::PathBuf;

use super::options::Dev;
use crate::cluster::{Cluster, Dirs, Hold, RunDir, StartOptions};
use crate::error::Io;
use crate::ops::Result;
use crate::session::Session;

/// The cluster of a run, and the resources that must be released afterwards.
pub struct TargetCluster {
    /// Ensures that only one `rustop dev` runs per project.
    pub lock: Hold,
    /// The directory of the operator's kubeconfig, its token, and the key of its webhook server.
    pub secrets: RunDir,
    /// The absolute path of a kubeconfig with the user's permissions, not those of the operator.
    pub kubeconfig: PathBuf,
    /// The program, of the local control plane if it has one, or `kubectl` in `PATH`.
    pub kubectl: PathBuf,
    /// The local cluster; `None` on an existing one.
    pub cluster: Option<Cluster>,
    /// True if this command started the cluster.
    pub started: bool,
}

impl TargetCluster {
    /// Starts the local cluster `name` if it is not running. If the options name a kubeconfig, uses
    /// its cluster instead.
    ///
    /// # Errors
    /// Returns an error if the cluster does not start.
    pub fn take(
        dev: &Dev,
        session: &Session,
        dirs: &Dirs,
        name: &str,
        mut lock: Hold,
    ) -> Result<Self> {
        let secrets = RunDir::create(dirs)?;
        if let Some(kubeconfig) = &dev.kubeconfig {
            return Ok(Self {
                lock,
                secrets,
                kubeconfig: std::path::absolute(kubeconfig).map_err(Io::on("read", kubeconfig))?,
                kubectl: "kubectl".into(),
                cluster: None,
                started: false,
            });
        }
        let started = Cluster::open(dirs, name).is_err();
        if started {
            lock.ends_cluster()?;
        }
        let options = StartOptions {
            name: name.to_owned(),
            project: session.dir.canonicalize().ok(),
            // Objects of an earlier run must not affect the verdict.
            fresh: dev.once && started,
            install: true,
            ..StartOptions::default()
        };
        let cluster = Cluster::start(dirs, &options, session.interrupt(), session.terminal)?;
        let kubectl = cluster.assets().get("kubectl");
        Ok(Self {
            lock,
            secrets,
            kubeconfig: cluster.kubeconfig(),
            kubectl: kubectl.unwrap_or_else(|| "kubectl".into()),
            cluster: Some(cluster),
            started,
        })
    }
}
