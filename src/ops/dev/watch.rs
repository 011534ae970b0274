//! The main loop of `rustop dev`: supervises the operator and reports the state of the samples.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use super::samples;
use super::stage::{Stage, TICK, Verdict};
use crate::client::Grant;
use crate::cluster::Cluster;
use crate::dev::{self, Access, Launch, Operator, Plain, Samples, Webhooks};
use crate::error::causes;
use crate::ops::{
    Error, Result,
    adopted::Built,
    page::{Follow, Sight, start_alone},
};

/// Runs the operator and watches the samples until there is a verdict or the user presses Ctrl-C. Revokes the operator's
/// token afterwards.
///
/// # Errors
/// Returns an error if the operator exits while `watch` is off, if the API server rejects a sample, or if a sample is
/// not Ready within the timeout.
pub fn run(stage: &Stage<'_>, webhooks: Option<&Webhooks>, built: Built) -> Result<Verdict> {
    stage.session.terminal.status(
        "Applied",
        format_args!("CRDs and roles; the operator is {}", stage.deployed.user()),
    );
    let mut access = open(stage)?;
    let verdict = operate(stage, webhooks, built, &mut access);
    let revoked = stage.runtime.block_on(access.revoke());
    if revoked.is_ok() {
        stage.place.secrets.forget()?;
    }
    let verdict = verdict?;
    revoked?;
    Ok(verdict)
}

fn operate(
    stage: &Stage<'_>,
    webhooks: Option<&Webhooks>,
    built: Built,
    access: &mut Access,
) -> Result<Verdict> {
    let Stage {
        session,
        subject,
        place,
        deployed,
        ..
    } = *stage;
    let kubeconfig = access.kubeconfig();
    let of_cluster = place.cluster.as_ref().map(Cluster::mark);
    let probe = dev::Probe::new()?;
    let launch = Launch {
        probe: subject.has_silent_kind().then_some(&probe),
        figures: stage.shown.map(|shown| &shown.figures),
        kubeconfig: &kubeconfig,
        namespace: &deployed.namespace,
        watch_namespace: if subject.is_namespaced() {
            &deployed.namespace
        } else {
            ""
        },
        webhooks,
        marks: of_cluster.into_iter().chain([place.hold.mark()]).collect(),
        plain: match subject.adopted() {
            Some(adopted) => adopted.plain(session, place.secrets.path(), webhooks)?,
            None => Plain::default(),
        },
    };
    let is_foreign = place.cluster.is_none() && subject.is_namespaced();
    let audit = place.cluster.as_ref().map(Cluster::audit_log);
    let sight = Sight {
        kubeconfig: Some(place.kubeconfig.clone()),
        resources: stage.watched.clone(),
        namespace: is_foreign.then(|| deployed.namespace.clone()),
        audit: audit.map(|log| (log, deployed.user())),
    };
    let about = subject.about(Some(&place.kubeconfig), &deployed.objects);
    let follow = stage.shown.map(|shown| shown.follow(about, sight));
    let mut operator = start(stage, &launch, &built.binary)?;
    if let Some(shown) = stage.shown {
        shown.process("running", "");
    }
    session.terminal.status("Running", built.binary.display());
    let samples = samples::apply(stage, &mut operator)?;
    if let Some(cluster) = &place.cluster
        && !stage.dev.once
    {
        let path = cluster.kubeconfig();
        session.terminal.note(format_args!(
            "\nIn another terminal: export KUBECONFIG={}\nCtrl-C stops.\n",
            path.display()
        ));
    }
    let mut run = Run {
        stage,
        launch,
        operator,
        samples,
        built,
        is_first: true,
        is_proven: false,
        follow,
        access,
    };
    let code = run.watch();
    session.terminal.status("Stopping", "the operator");
    run.operator.stop();
    let is_proven = run.is_proven;
    code.map(|code| Verdict { code, is_proven })
}

/// A running operator, and the state needed to restart it.
struct Run<'a> {
    stage: &'a Stage<'a>,
    launch: Launch<'a>,
    operator: Operator,
    samples: Samples,
    built: Built,
    /// True until the first restart. After it, the samples may still be Ready because of the earlier build.
    is_first: bool,
    is_proven: bool,
    /// The state of the web page; `None` if it is not shown.
    follow: Option<Follow>,
    access: &'a mut Access,
}

/// Requests the operator's token. Records the request first, so that the token is revoked even if rustop is killed.
fn open(stage: &Stage<'_>) -> Result<Access> {
    let Stage {
        place,
        runtime,
        client,
        deployed,
        ..
    } = *stage;
    let secrets = place.secrets.path();
    let id = secrets.file_name().unwrap_or_default().to_string_lossy();
    let grant = Grant {
        kubeconfig: Some(place.kubeconfig.clone()),
        namespace: deployed.namespace.clone(),
        secret: format!("rustop-dev-{}", id.to_lowercase()),
    };
    place.secrets.record(&grant)?;
    let access = Access::open(client, &place.kubeconfig, deployed, grant, secrets);
    Ok(runtime.block_on(access)?)
}

/// Starts the operator. Its log goes to the terminal, and to the page if there is one.
fn start(stage: &Stage<'_>, launch: &Launch<'_>, binary: &Path) -> Result<Operator> {
    let command = stage.subject.command(launch, binary);
    let has_runtime = stage.subject.project().is_some();
    match stage.shown {
        Some(shown) => shown.start(command, has_runtime),
        None => start_alone(command, has_runtime, stage.session.terminal),
    }
}

impl Run<'_> {
    fn watch(&mut self) -> Result<ExitCode> {
        let Stage {
            dev: args,
            session,
            runtime,
            client,
            ..
        } = *self.stage;
        let deadline = Instant::now() + args.timeout;
        let mut sources = self.stage.subject.sources(&session.dir);
        loop {
            if let (Some(shown), Some(follow)) = (self.stage.shown, &mut self.follow) {
                let Stage { subject, place, .. } = *self.stage;
                shown.look(follow, |log, from| {
                    subject.report(session, &place.kubectl, log, from, true)
                });
            }
            let probe = self.launch.probe.filter(|_| self.samples.rest_on_watch());
            let is_watched = probe.is_some_and(dev::Probe::is_answered);
            let changed = match runtime.block_on(self.samples.look(client, is_watched)) {
                // An operator that was just restarted does not serve conversions yet.
                Err(error) if dev::is_not_served_yet(&error) => Vec::new(),
                changed => changed?,
            };
            for (ready, line) in changed {
                session
                    .terminal
                    .status(if ready { "Ready" } else { "Waiting" }, line);
            }
            self.is_proven |= self.is_first && self.samples.any() && self.samples.ready();
            if args.once && self.samples.ready() {
                return Ok(ExitCode::SUCCESS);
            }
            if session.interrupt().take().is_some() {
                // With --once, an interrupt before the verdict is a failure for the calling script.
                return Ok(if args.once {
                    ExitCode::FAILURE
                } else {
                    ExitCode::SUCCESS
                });
            }
            if let Some(status) = self.operator.ended() {
                if !args.watch {
                    return Err(dev::Error::OperatorEnded { status }.into());
                }
                self.say("ended", &status.to_string());
            }
            if args.once && Instant::now() > deadline {
                return Err(dev::Error::NotReady {
                    missing: self.samples.missing(),
                    timeout: args.timeout,
                }
                .into());
            }
            runtime.block_on(self.access.renew());
            if args.watch && sources.changed() {
                self.restart();
            }
            std::thread::sleep(TICK);
        }
    }

    /// Rebuilds and restarts the operator. If the build fails, the old one keeps running.
    fn restart(&mut self) {
        let Stage {
            session, subject, ..
        } = *self.stage;
        self.say("building", "");
        let built = subject
            .write_manifests(session)
            .and_then(|()| subject.build(session));
        let started = built.and_then(|built| {
            self.operator.stop();
            self.built = built;
            start(self.stage, &self.launch, &self.built.binary)
        });
        match started {
            Ok(operator) => {
                self.operator = operator;
                (self.is_first, self.is_proven) = (false, false);
                session
                    .terminal
                    .status("Restarted", self.built.binary.display());
                if let Some(shown) = self.stage.shown {
                    shown.restarted();
                }
            }
            Err(error) => {
                self.say("failed", &told(&error));
                session.terminal.error(&error);
            }
        }
    }

    fn say(&self, state: &str, says: &str) {
        if let Some(shown) = self.stage.shown {
            shown.process(state, says);
        }
    }
}

/// Returns an error, its causes, and the output of the compiler, one per line.
fn told(error: &Error) -> String {
    let lines = std::iter::once(error.to_string()).chain(causes(error));
    let compiler = error.compiler().map(str::to_owned);
    lines.chain(compiler).collect::<Vec<_>>().join("\n")
}
