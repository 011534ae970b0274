//! The control plane on which a campaign tests an operator.

mod operators;
mod samples;
mod stage;
mod webhooks;

use std::fs;
use std::path::PathBuf;

use super::deputy::Deputy;
use super::foreign::Foreign;
use crate::cargo;
use crate::cluster::{self, Cluster, Dirs, Hold, StartOptions, is_missing};
use crate::disk::private;
use crate::error::Io;
use crate::interrupt::{self, Both};
use crate::ops::{Result, manifests};
use crate::project::Project;
use crate::session::Session;

/// A control plane and the operator under test. [`Self::leave`] stops the control plane.
#[derive(Debug)]
pub struct Place<'a> {
    foreign: Option<&'a Foreign>,
    project: Option<Project>,
    hold: Hold,
    name: String,
    cluster: Cluster,
    binary: PathBuf,
    /// The directory of temporary files. It is among the files of the control plane, so that the next run finds and
    /// removes the files of one that was killed.
    scratch: PathBuf,
    /// The replica that serves the webhooks; `None` if the operator has none, or if it is not a rustop project.
    deputy: Option<Deputy>,
}

impl<'a> Place<'a> {
    /// Starts the control plane, and builds the operator at the same time.
    ///
    /// # Errors
    /// Returns an error if the control plane does not start, or if the operator does not build.
    pub fn take(session: &Session, foreign: Option<&'a Foreign>, dirs: &Dirs) -> Result<Self> {
        let interrupt = session.interrupt();
        let project = match foreign {
            Some(foreign) => {
                foreign.check()?;
                None
            }
            None => Some(Project::load(&session.dir)?),
        };
        let name = cluster::name_of_project("torture", &session.dir)?;
        let mut hold = Hold::take(dirs, &name, interrupt, session.terminal)?;
        let installs = is_missing(dirs);
        if project.is_some() && !installs {
            manifests::write(session)?;
        }
        hold.ends_cluster()?;
        let start = StartOptions {
            name: name.clone(),
            project: session.dir.canonicalize().ok(),
            fresh: true,
            install: true,
            ..StartOptions::default()
        };
        let (cluster, binary) = match interrupt::both(
            interrupt,
            |ended| Ok(Cluster::start(dirs, &start, ended, session.terminal)?),
            |ended| match (&project, foreign) {
                (Some(project), _) => {
                    let session = session.part(ended, installs);
                    if installs {
                        manifests::write(&session)?;
                    }
                    let binary = project.project_name.as_str();
                    Ok(cargo::build(&session.dir, binary, session.company())?)
                }
                (None, foreign) => Ok(foreign
                    .and_then(|foreign| foreign.command.first())
                    .map(PathBuf::from)
                    .unwrap_or_default()),
            },
        ) {
            Both::Done(cluster, binary) => (cluster, binary),
            Both::Failed { first, error } => {
                if first.is_some() {
                    Cluster::stop(dirs, &name)?;
                    hold.release()?;
                    Cluster::delete(dirs, &name)?;
                }
                return Err(error);
            }
        };
        let place = Self {
            foreign,
            project,
            hold,
            name,
            scratch: cluster.dir().join("torture"),
            cluster,
            binary,
            deputy: None,
        };
        place.clear()?;
        private::create_dir(&place.scratch)?;
        Ok(place)
    }

    /// Stops the control plane, and removes its data unless `keeps` is set.
    pub fn leave(mut self, session: &Session, dirs: &Dirs, keeps: bool) -> Result<()> {
        self.deputy = None;
        session
            .terminal
            .detail(format_args!("stops cluster `{}`", self.name));
        Cluster::stop(dirs, &self.name)?;
        self.clear()?;
        self.hold.release()?;
        if keeps {
            return Ok(());
        }
        match Cluster::delete(dirs, &self.name) {
            // Another `rustop torture` of the project has started.
            Err(cluster::Error::Held { .. }) => Ok(()),
            done => Ok(done.map(drop)?),
        }
    }

    /// Removes the temporary files.
    fn clear(&self) -> Result<()> {
        match fs::remove_dir_all(&self.scratch) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Io::on("remove", &self.scratch)(error).into())
            }
            _ => Ok(()),
        }
    }

    /// Reports whether the operator watches a single namespace.
    fn is_namespaced(&self) -> bool {
        let project = self.project.as_ref();
        project.is_some_and(|project| project.namespaced)
    }

    fn kubectl(&self) -> PathBuf {
        self.cluster
            .assets()
            .get("kubectl")
            .unwrap_or_else(|| "kubectl".into())
    }
}
