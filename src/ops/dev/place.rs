//! Where the operator runs: on a cluster of rustop's own, or on somebody's.

use std::path::PathBuf;

use super::options::Dev;
use crate::cluster::{Cluster, Dirs, Hold, RunDir, StartOptions};
use crate::error::Io;
use crate::ops::Result;
use crate::session::Session;

/// Where the operator runs, and what must be stopped afterwards.
pub struct Place {
    /// One at a time.
    pub hold: Hold,
    /// Holds the operator's kubeconfig, its token and the key of its webhook server.
    pub secrets: RunDir,
    pub kubeconfig: PathBuf,
    pub kubectl: PathBuf,
    /// The cluster, where it is one of rustop's own.
    pub cluster: Option<Cluster>,
    /// Whether this command started it.
    pub started: bool,
}

impl Place {
    /// The cluster called `name`, started if it does not run, unless a kubeconfig names another one.
    ///
    /// # Errors
    /// When it does not start.
    pub fn take(
        dev: &Dev,
        session: &Session,
        dirs: &Dirs,
        name: &str,
        mut hold: Hold,
    ) -> Result<Self> {
        let secrets = RunDir::create(dirs)?;
        if let Some(kubeconfig) = &dev.kubeconfig {
            return Ok(Self {
                hold,
                secrets,
                kubeconfig: std::path::absolute(kubeconfig).map_err(Io::on("read", kubeconfig))?,
                kubectl: "kubectl".into(),
                cluster: None,
                started: false,
            });
        }
        let started = Cluster::open(dirs, name).is_err();
        if started {
            hold.ends_cluster()?;
        }
        let options = StartOptions {
            name: name.to_owned(),
            project: session.dir.canonicalize().ok(),
            // A verdict must not rest on what an earlier run left behind.
            fresh: dev.once && started,
            install: true,
            ..StartOptions::default()
        };
        let cluster = Cluster::start(dirs, &options, session.interrupt(), session.terminal)?;
        let kubectl = cluster.assets().get("kubectl");
        Ok(Self {
            hold,
            secrets,
            kubeconfig: cluster.kubeconfig(),
            kubectl: kubectl.unwrap_or_else(|| "kubectl".into()),
            cluster: Some(cluster),
            started,
        })
    }
}
