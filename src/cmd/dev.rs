//! `rustop dev`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;
use kube::Client;
use kube::api::DynamicObject;
use tokio::runtime::Runtime;

use super::{Session, client, manifests, rbac};
use crate::cluster::{Cluster, Dirs, Interrupt, StartOptions};
use crate::dev::{self, Deployed, Host, Launch, Operator, Samples, Sources, Webhooks};
use crate::error::{Error, Result};
use crate::manifests::crdgen;
use crate::project::Project;
use crate::resource::Resource;

/// How often things are looked at.
const TICK: Duration = Duration::from_millis(100);
/// How long the operator's webhooks may take until they serve.
const SERVED_WITHIN: Duration = Duration::from_secs(30);

/// Run the operator and its samples on a control plane on this machine
///
/// Writes the manifests, starts the project's cluster or uses the one that runs, applies CRDs, roles and
/// samples, builds the operator and runs it with the rights of its own ServiceAccount: a permission that
/// is missing in production is missing here. Ctrl-C stops what was started; the cluster's data stays.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop dev
  rustop dev --watch                    # build and start again when a source changes
  rustop dev --once --timeout 120s      # for scripts: exit 0 as soon as every sample is Ready
  rustop dev --kubeconfig ~/.kube/config")]
pub struct Dev {
    /// End as soon as every sample is Ready, or fail with what is missing
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
        manifests::write(session)?;
        // The cluster needs as long as a small build: let them share the time.
        let (place, binary) = std::thread::scope(|scope| {
            let place = scope.spawn(|| self.place(session, &project, &dirs, &interrupt));
            let binary = build(session, &project);
            (
                place.join().expect("starting a cluster does not panic"),
                binary,
            )
        });
        let place = place?;
        let from = place
            .cluster
            .as_ref()
            .map_or(0, |cluster| rbac::log_length(&cluster.audit_log()));
        let result = binary.and_then(|binary| {
            let verdict = self.operate(session, &project, &place, &interrupt, binary);
            let cluster = place.cluster.as_ref();
            rbac::after_dev(session, &project, &place.kubectl, cluster, from).and(verdict)
        });
        if place.started {
            session.terminal.status(
                "Stopping",
                format_args!("cluster `{}`; its data stays", project.project_name),
            );
            Cluster::stop(&dirs, project.project_name.as_str())?;
        }
        result
    }

    fn place(
        &self,
        session: &Session,
        project: &Project,
        dirs: &Dirs,
        interrupt: &Interrupt,
    ) -> Result<Place> {
        if let Some(kubeconfig) = &self.kubeconfig {
            return Ok(Place {
                kubeconfig: kubeconfig.clone(),
                kubectl: "kubectl".into(),
                cluster: None,
                started: false,
            });
        }
        let name = project.project_name.to_string();
        let runs = Cluster::open(dirs, &name).is_ok();
        // A verdict must not rest on what an earlier run left behind.
        let options = StartOptions {
            name,
            fresh: self.once && !runs,
            install: true,
            ..StartOptions::default()
        };
        let cluster = Cluster::start(dirs, &options, interrupt, session.terminal)?;
        cluster.end_strays();
        Ok(Place {
            kubeconfig: cluster.kubeconfig(),
            kubectl: cluster
                .assets()
                .get("kubectl")
                .unwrap_or_else(|| "kubectl".into()),
            cluster: Some(cluster),
            started: !runs,
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
    ) -> Result<ExitCode> {
        let root = &session.dir;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(Error::io("start", "tokio"))?;
        let (client, config) = runtime.block_on(client::connect(Some(&place.kubeconfig)))?;
        let mut deployed = dev::deployed(root, &place.kubectl)?;
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
        runtime.block_on(dev::apply(&client, std::mem::take(&mut deployed.objects)))?;
        session.terminal.status(
            "Applied",
            format_args!("CRDs and roles; the operator is {}", deployed.user()),
        );
        let stage = Stage {
            session,
            project,
            place,
            runtime: &runtime,
            client: &client,
            deployed: &deployed,
        };
        let verdict = self.run_operator(&stage, webhooks.as_ref(), interrupt, binary);
        match webhooks {
            Some(webhooks) => runtime.block_on(webhooks.remove(&client)).and(verdict),
            None => verdict,
        }
    }

    /// Runs the operator and watches the samples until there is a verdict or Ctrl-C.
    fn run_operator(
        &self,
        stage: &Stage<'_>,
        webhooks: Option<&Webhooks>,
        interrupt: &Interrupt,
        binary: PathBuf,
    ) -> Result<ExitCode> {
        let Stage {
            session,
            project,
            place,
            runtime,
            client,
            deployed,
        } = *stage;
        let secrets = tempfile::tempdir().map_err(Error::io("create", std::env::temp_dir()))?;
        let kubeconfig = dev::kubeconfig(client, &place.kubeconfig, deployed, secrets.path());
        let kubeconfig = runtime.block_on(kubeconfig)?;
        let launch = Launch {
            kubeconfig: &kubeconfig,
            namespace: &deployed.namespace,
            watch_namespace: if project.namespaced {
                &deployed.namespace
            } else {
                ""
            },
            webhooks,
            mark: place.cluster.as_ref().map(Cluster::mark),
        };
        let operator = Operator::start(launch.command(&binary))?;
        session.terminal.status("Running", binary.display());
        let samples = self.samples(stage)?;
        if let Some(cluster) = &place.cluster
            && !self.once
        {
            let path = cluster.kubeconfig();
            session.terminal.note(format_args!(
                "\nIn another terminal: export KUBECONFIG={}\nCtrl-C stops.\n",
                path.display()
            ));
        }
        let mut run = Run {
            session,
            project,
            runtime,
            client,
            launch,
            operator,
            samples,
            binary,
        };
        let verdict = run.watch(self, interrupt);
        session.terminal.status("Stopping", "the operator");
        run.operator.stop();
        verdict
    }

    /// Applies the samples, as soon as the operator's webhooks let them pass.
    fn samples(&self, stage: &Stage<'_>) -> Result<Samples> {
        let Stage {
            session,
            project,
            place,
            runtime,
            client,
            deployed,
        } = *stage;
        if !project.resources.iter().any(Resource::has_crd) {
            return Ok(Samples::default());
        }
        let namespace = if project.namespaced {
            &deployed.namespace
        } else {
            "default"
        };
        let objects = dev::samples(&session.dir, &place.kubectl, namespace)?;
        let anew = self.once && place.cluster.is_some() && !place.started;
        let has_controller = |object: &DynamicObject| {
            let types = object.types.clone().unwrap_or_default();
            let group = types
                .api_version
                .rsplit_once('/')
                .map_or("", |(group, _)| group)
                .to_owned();
            project
                .resources
                .iter()
                .any(|r| r.controller && r.kind.as_str() == types.kind && r.api_group() == group)
        };
        let deadline = Instant::now() + SERVED_WITHIN;
        loop {
            let samples = Samples::apply(client, objects.clone(), anew, has_controller);
            match runtime.block_on(samples) {
                Err(error) if dev::is_not_served_yet(&error) && Instant::now() < deadline => {
                    std::thread::sleep(TICK);
                }
                done => return done,
            }
        }
    }
}

/// Where the operator runs and what was deployed there.
struct Stage<'a> {
    session: &'a Session,
    project: &'a Project,
    place: &'a Place,
    runtime: &'a Runtime,
    client: &'a Client,
    deployed: &'a Deployed,
}

/// A running operator and what is needed to start it again.
struct Run<'a> {
    session: &'a Session,
    project: &'a Project,
    runtime: &'a Runtime,
    client: &'a Client,
    launch: Launch<'a>,
    operator: Operator,
    samples: Samples,
    binary: PathBuf,
}

impl Run<'_> {
    fn watch(&mut self, args: &Dev, interrupt: &Interrupt) -> Result<ExitCode> {
        let deadline = Instant::now() + args.timeout;
        let mut sources = Sources::new(&self.session.dir);
        loop {
            let changed = match self.runtime.block_on(self.samples.look(self.client)) {
                // An operator that was just started again converts in a moment.
                Err(error) if dev::is_not_served_yet(&error) => Vec::new(),
                changed => changed?,
            };
            for (ready, line) in changed {
                self.session
                    .terminal
                    .status(if ready { "Ready" } else { "Waiting" }, line);
            }
            if args.once && self.samples.ready() {
                return Ok(ExitCode::SUCCESS);
            }
            if interrupt.take().is_some() {
                // Asked to end before there was a verdict is no success for a script.
                return Ok(if args.once {
                    ExitCode::FAILURE
                } else {
                    ExitCode::SUCCESS
                });
            }
            if let Some(status) = self.operator.ended()
                && !args.watch
            {
                return Err(Error::OperatorEnded { status });
            }
            if args.once && Instant::now() > deadline {
                return Err(Error::NotReady {
                    missing: self.samples.missing(),
                    timeout: args.timeout,
                });
            }
            if args.watch && sources.changed() {
                self.restart();
            }
            std::thread::sleep(TICK);
        }
    }

    /// Builds and starts the operator again; what does not build leaves the old one running.
    fn restart(&mut self) {
        let built = manifests::write(self.session).and_then(|()| build(self.session, self.project));
        let started = built.and_then(|binary| {
            self.operator.stop();
            self.binary = binary;
            Operator::start(self.launch.command(&self.binary))
        });
        match started {
            Ok(operator) => {
                self.operator = operator;
                self.session
                    .terminal
                    .status("Restarted", self.binary.display());
            }
            Err(error) => self.session.terminal.error(&error),
        }
    }
}

fn build(session: &Session, project: &Project) -> Result<PathBuf> {
    crdgen::build(&session.dir, project.project_name.as_str())
}
