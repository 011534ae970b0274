//! The control plane on which a campaign tests an operator.

mod operators;
mod samples;
mod setup;
mod switch;
mod version;
mod webhooks;

use std::fs;
use std::path::PathBuf;

use kube::Client;
use kube::api::DynamicObject;
use serde_json::Value;

use super::external_operator::ExternalOperator;
use super::webhook_standby::WebhookStandby;
use crate::client;
use crate::cluster::{self, Cluster, Dirs, Hold, StartOptions, is_missing};
use crate::disk::private;
use crate::error::Io;
use crate::interrupt::{self, Both};
use crate::ops::Result;
use crate::ops::adopted::{Adopted, Built};
use crate::ops::subject::Subject;
use crate::session::Session;
use crate::text::indented;
use crate::torture::NetworkNamespace;
pub use switch::CRD;
use version::OperatorSource;
pub use version::OtherVersion;

/// A control plane and the operator under test. [`Self::stop`] stops the control plane.
#[derive(Debug)]
pub struct ControlPlane<'a> {
    /// The source of the version that the control plane runs.
    source: OperatorSource<'a>,
    /// The lock of the project's control plane for `rustop torture`, until [`Self::stop`].
    hold: Hold,
    /// The name of the cluster.
    name: String,
    cluster: Cluster,
    /// The program of that version.
    built: Built,
    /// The directory of temporary files. It is among the files of the control plane, so that the
    /// next run finds and removes the files of one that was killed.
    scratch: PathBuf,
    /// The replica that serves the webhooks; `None` if the operator has none, or if it is not a
    /// rustop project.
    standby: Option<WebhookStandby>,
    /// The path of rustop's program if each run gets a network namespace.
    network: Option<PathBuf>,
    samples: Samples,
    /// The objects of the installed version.
    installed: Vec<DynamicObject>,
    /// The errors of manifests that the API server rejected on top of those of another version.
    rejected: Vec<client::Error>,
}

/// The samples from which scenarios are generated.
#[derive(Debug)]
enum Samples {
    /// Those of the version under test.
    Tested,
    /// Those of another version.
    OtherVersion(Vec<Value>),
    /// Those of a simulation in the project's tests.
    Simulation(Vec<Value>),
}

impl<'a> ControlPlane<'a> {
    /// Starts the control plane, and builds the operator at the same time. `external` is the
    /// operator of the command line; `None` for that of the project.
    ///
    /// # Errors
    /// Returns an error if the control plane does not start, or if the operator does not build.
    pub fn start(
        session: &Session,
        external: Option<&'a ExternalOperator>,
        dirs: &Dirs,
    ) -> Result<Self> {
        let (control_plane, ()) = Self::start_after(session, external, dirs, || Ok(()))?;
        Ok(control_plane)
    }

    /// Starts the control plane like [`Self::start`], after `work` has run. `work` runs under the
    /// lock, so that no other process uses the project's control plane or its checkouts meanwhile.
    /// Also returns the result of `work`.
    ///
    /// # Errors
    /// Returns the errors of [`Self::start`] and of `work`.
    pub fn start_after<T>(
        session: &Session,
        external: Option<&'a ExternalOperator>,
        dirs: &Dirs,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<(Self, T)> {
        let interrupt = session.interrupt();
        let tested = match external {
            Some(external) => {
                external.check()?;
                OperatorSource::External(external)
            }
            None => OperatorSource::Own(Subject::load(session)?),
        };
        let name = cluster::name_of_project("torture", &session.dir)?;
        let mut hold = Hold::take(dirs, &name, interrupt, session.terminal)?;
        let done = match work() {
            Ok(done) => done,
            Err(error) => {
                hold.release()?;
                return Err(error);
            }
        };
        let installs = is_missing(dirs);
        if let OperatorSource::Own(subject) = &tested
            && !installs
        {
            subject.write_manifests(session)?;
        }
        hold.ends_cluster()?;
        let start = StartOptions {
            name: name.clone(),
            project: session.dir.canonicalize().ok(),
            fresh: true,
            install: true,
            ..StartOptions::default()
        };
        let (cluster, built) = match interrupt::both(
            interrupt,
            |ended| Ok(Cluster::start(dirs, &start, ended, session.terminal)?),
            |ended| match &tested {
                OperatorSource::Own(subject) => {
                    let session = session.part(ended, installs);
                    if installs {
                        subject.write_manifests(&session)?;
                    }
                    subject.build(&session)
                }
                OperatorSource::External(external) => Ok(external.built()),
            },
        ) {
            Both::Done(cluster, built) => (cluster, built),
            Both::Failed { first, error } => {
                if first.is_some() {
                    Cluster::stop(dirs, &name)?;
                    hold.release()?;
                    Cluster::delete(dirs, &name)?;
                }
                return Err(error);
            }
        };
        let control_plane = Self {
            source: tested,
            hold,
            name,
            scratch: cluster.dir().join("torture"),
            cluster,
            built,
            standby: None,
            network: None,
            samples: Samples::Tested,
            installed: Vec::new(),
            rejected: Vec::new(),
        };
        control_plane.clear()?;
        private::create_dir(&control_plane.scratch)?;
        Ok((control_plane, done))
    }

    /// Stops the control plane, and removes its data and logs unless `keeps` is set.
    pub fn stop(mut self, session: &Session, dirs: &Dirs, keeps: bool) -> Result<()> {
        self.standby = None;
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

    /// Replaces the samples by those of a simulation.
    pub fn use_samples_of_simulation(&mut self, samples: &[Value]) {
        let samples = samples.iter().cloned().map(without_namespace);
        self.samples = Samples::Simulation(samples.collect());
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

    /// Returns the number of operators that may run in parallel, at most `lanes`: one if they would
    /// share their ports or a Lease. Operators with fixed ports get a network namespace for each
    /// run if the machine allows it.
    pub fn lanes(&mut self, session: &Session, lanes: usize) -> usize {
        let Some(adopted) = self.adopted().filter(|_| lanes > 1) else {
            return lanes;
        };
        let reason = if adopted.elects_leader() {
            "it may write Leases, for which several instances would compete".to_owned()
        } else if adopted.has_fixed_ports() {
            let rustop = std::env::current_exe().unwrap_or_default();
            match NetworkNamespace::open(&rustop) {
                Ok(_) => {
                    self.network = Some(rustop);
                    return lanes;
                }
                Err(error) => format!(
                    "its container has fixed ports, and this machine does not allow network namespaces ({error})"
                ),
            }
        } else {
            return lanes;
        };
        session
            .terminal
            .warning(format_args!("one operator runs at a time: {reason}"));
        1
    }

    /// Prints the permissions that an adopted operator lacks and, if `is_proven` is set, those that
    /// it did not use.
    pub fn print_permissions(&self, session: &Session, is_proven: bool) -> Result<()> {
        let Some(adopted) = self.adopted() else {
            return Ok(());
        };
        let report = adopted.report(&self.cluster.audit_log(), 0, is_proven)?;
        let unused = report.unused.as_ref();
        if !report.forbidden.is_empty() {
            let lines = indented(&report.to_string().lines().collect::<Vec<_>>());
            session
                .terminal
                .warning_with_report("the operator lacks permissions:", &lines);
        } else if unused.is_some_and(|unused| !unused.is_empty()) {
            session.terminal.report(report);
        }
        Ok(())
    }

    /// Reports whether the operator watches a single namespace.
    fn is_namespaced(&self) -> bool {
        self.subject().is_some_and(Subject::is_namespaced)
    }

    /// Returns the operator of the project; `None` for that of the command line.
    fn subject(&self) -> Option<&Subject> {
        match &self.source {
            OperatorSource::Own(subject) => Some(subject),
            OperatorSource::External(_) => None,
        }
    }

    /// Returns the operator of an adopted project.
    fn adopted(&self) -> Option<&Adopted> {
        self.subject().and_then(Subject::adopted)
    }

    /// Reports whether the operator has rustop's runtime.
    fn has_runtime(&self) -> bool {
        self.subject().is_some_and(|it| it.project().is_some())
    }

    /// Returns a client with full permissions.
    pub async fn admin(&self) -> Result<Client> {
        let (client, _) = client::connect(Some(&self.cluster.kubeconfig())).await?;
        Ok(client)
    }

    /// Returns the path of the control plane's kubectl, or `kubectl` for that in `PATH`.
    fn kubectl(&self) -> PathBuf {
        self.cluster
            .assets()
            .get("kubectl")
            .unwrap_or_else(|| "kubectl".into())
    }
}

/// Removes the namespace of a sample: each run has its own.
fn without_namespace(mut sample: Value) -> Value {
    if let Some(metadata) = sample["metadata"].as_object_mut() {
        metadata.remove("namespace");
    }
    sample
}
