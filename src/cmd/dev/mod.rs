//! `rustop dev`.

mod samples;
mod stage;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use super::{Session, client, manifests, rbac};
use crate::cargo;
use crate::cluster::{Cluster, Dirs, Hold, Interrupt, StartOptions};
use crate::dev::{self, Host, Webhooks};
use crate::error::{Error, Result};
use crate::project::Project;
use stage::{Stage, Verdict};

/// Run the operator and its samples on a control plane on this machine
///
/// Writes the manifests, starts the project's cluster or uses the one that runs, applies CRDs, roles and
/// samples, builds the operator and runs it with the rights of its own ServiceAccount: a permission that
/// is missing in production is missing here. Ctrl-C stops what was started; the cluster's data stays, until
/// `rustop cluster delete`. The cluster belongs to the project's directory, and one `rustop dev` at a time
/// runs there.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop dev
  rustop dev --watch                    # build and start again when a source changes
  rustop dev --once --timeout 120s      # for scripts: exit 0 as soon as every sample is Ready
  rustop dev --kubeconfig ~/.kube/config")]
pub struct Dev {
    /// End as soon as every sample is Ready, or fail with what is missing; on a cluster that does not run
    /// yet, without the data of earlier runs
    #[arg(long, conflicts_with = "watch")]
    once: bool,
    /// How long --once waits, from the operator's start on
    #[arg(long, value_name = "DURATION", default_value = "120s", value_parser = seconds)]
    timeout: Duration,
    /// Build and start the operator again when a source changes
    #[arg(long)]
    watch: bool,
    /// Use the cluster of this kubeconfig instead of one of rustop's own
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// Name or address at which that cluster's API server reaches this machine, for webhooks; needed
    /// unless it runs on this machine itself
    #[arg(long, value_name = "HOST", requires = "kubeconfig")]
    reached_at: Option<Host>,
}

/// `90s`, `2m` or a bare number of seconds.
fn seconds(text: &str) -> std::result::Result<Duration, String> {
    let (number, unit) = match text.strip_suffix('m') {
        Some(number) => (number, 60),
        None => (text.strip_suffix('s').unwrap_or(text), 1),
    };
    let number: u64 = number
        .parse()
        .map_err(|_| "must read like `90s` or `2m`".to_owned())?;
    number
        .checked_mul(unit)
        .map(Duration::from_secs)
        .ok_or_else(|| "is too long".to_owned())
}

/// Where the operator runs, and what must be stopped afterwards.
struct Place {
    /// One at a time.
    hold: Hold,
    kubeconfig: PathBuf,
    kubectl: PathBuf,
    /// The cluster, where it is one of rustop's own.
    cluster: Option<Cluster>,
    /// Whether this command started it.
    started: bool,
}

impl Dev {
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        let project = Project::load(&session.dir)?;
        let interrupt = Interrupt::install();
        let dirs = Dirs::from_env()?;
        let name = project.cluster(&session.dir)?;
        let hold = Hold::take(&dirs, &name, &interrupt, session.terminal)?;
        manifests::write(session)?;
        // The cluster needs as long as a small build: let them share the time.
        let (place, binary) = std::thread::scope(|scope| {
            let place = scope.spawn(|| self.place(session, &dirs, &name, &interrupt, hold));
            let binary = build(session, &project);
            (
                place.join().expect("starting a cluster does not panic"),
                binary,
            )
        });
        let place = place?;
        let result = binary.and_then(|binary| {
            let audit = rbac::Audit::begin(place.cluster.as_ref());
            let verdict = self.operate(session, &project, &place, &interrupt, binary);
            let is_proven = verdict.as_ref().is_ok_and(|verdict| verdict.is_proven);
            let told = audit.end(session, &project, &place.kubectl, is_proven);
            let verdict = verdict?;
            told.map(|()| verdict.code)
        });
        if place.started {
            session
                .terminal
                .status("Stopping", format_args!("cluster `{name}`; its data stays"));
            Cluster::stop(&dirs, &name)?;
        }
        place.hold.release()?;
        result
    }

    fn place(
        &self,
        session: &Session,
        dirs: &Dirs,
        name: &str,
        interrupt: &Interrupt,
        mut hold: Hold,
    ) -> Result<Place> {
        if let Some(kubeconfig) = &self.kubeconfig {
            return Ok(Place {
                hold,
                kubeconfig: kubeconfig.clone(),
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
            fresh: self.once && started,
            install: true,
            ..StartOptions::default()
        };
        let cluster = Cluster::start(dirs, &options, interrupt, session.terminal)?;
        Ok(Place {
            hold,
            kubeconfig: cluster.kubeconfig(),
            kubectl: cluster
                .assets()
                .get("kubectl")
                .unwrap_or_else(|| "kubectl".into()),
            cluster: Some(cluster),
            started,
        })
    }

    /// Applies everything, runs the operator and watches the samples until there is a verdict or Ctrl-C.
    fn operate(
        &self,
        session: &Session,
        project: &Project,
        place: &Place,
        interrupt: &Interrupt,
        binary: PathBuf,
    ) -> Result<Verdict> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(Error::io("start", "tokio"))?;
        let (client, config) = runtime.block_on(client::connect(Some(&place.kubeconfig)))?;
        let mut deployed = dev::deployed(&session.dir, &place.kubectl)?;
        let host = match place.cluster {
            Some(_) => Some(Host::loopback()),
            None => runtime.block_on(super::run::host(self.reached_at.as_ref(), &client, &config)),
        };
        let mut webhooks = match &host {
            Some(host) => Webhooks::lead_here(&mut deployed.objects, host)?,
            None => None,
        };
        match &mut webhooks {
            Some(webhooks) => runtime.block_on(webhooks.check(&client))?,
            None if Webhooks::leave_out(&mut deployed.objects) => {
                let mend = "rustop dev --kubeconfig FILE --reached-at ";
                super::run::note_not_called(session, &config, mend);
            }
            None => {}
        }
        let objects = std::mem::take(&mut deployed.objects);
        let stage = Stage {
            args: self,
            session,
            project,
            place,
            interrupt,
            runtime: &runtime,
            client: &client,
            deployed: &deployed,
        };
        let verdict = runtime
            .block_on(dev::apply(&client, objects))
            .and_then(|()| stage.run(webhooks.as_ref(), binary));
        // Of what was refused, too, a part may lead here.
        match webhooks {
            Some(webhooks) => runtime.block_on(webhooks.remove(&client)).and(verdict),
            None => verdict,
        }
    }
}

fn build(session: &Session, project: &Project) -> Result<PathBuf> {
    cargo::build(&session.dir, project.project_name.as_str())
}
