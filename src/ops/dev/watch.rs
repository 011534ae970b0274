//! The main loop of `rustop dev`: supervises the operator and reports the state of the samples.

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use super::context::{DevContext, TICK, Verdict};
use super::samples;
use crate::client::Grant;
use crate::cluster::Cluster;
use crate::dev::{
    self, Access, Launch, LocalWebhooks, Operator, PlainCommandLine, Readiness, Samples,
};
use crate::error::causes;
use crate::ops::{
    Error, Result,
    adopted::Built,
    page::{AuditCursor, WatchScope, start_without_page},
};

/// The time after which an operator counts as started although it does not answer health probes,
/// since its `main` has turned them off.
const WITHOUT_PROBE: Duration = Duration::from_secs(10);

/// Runs the operator and watches the samples until the user presses Ctrl-C or, with `once`, until
/// all samples are Ready. Revokes the operator's token afterwards.
///
/// # Errors
/// Returns an error if the operator exits while `watch` is off, if the API server rejects a sample,
/// or, with `once`, if a sample is not Ready within the timeout.
pub fn run(
    context: &DevContext<'_>,
    webhooks: Option<&LocalWebhooks>,
    built: Built,
) -> Result<Verdict> {
    context.session.terminal.status(
        "Applied",
        format_args!(
            "CRDs and roles; the operator is {}",
            context.deployed.user()
        ),
    );
    let mut access = request_token(context)?;
    let verdict = operate(context, webhooks, built, &mut access);
    let revoked = context.runtime.block_on(access.revoke());
    // If a record stays, the removal of the directory revokes the token once more.
    if revoked.is_ok() {
        context.target.secrets.forget()?;
    }
    let verdict = verdict?;
    revoked?;
    Ok(verdict)
}

/// Starts the operator, applies the samples, and supervises both. Stops the operator before it
/// returns.
fn operate(
    context: &DevContext<'_>,
    webhooks: Option<&LocalWebhooks>,
    built: Built,
    access: &mut Access,
) -> Result<Verdict> {
    let DevContext {
        session,
        subject,
        target,
        deployed,
        ..
    } = *context;
    let kubeconfig = access.kubeconfig();
    let of_cluster = target.cluster.as_ref().map(Cluster::mark);
    let probe = dev::LocalAddress::new()?;
    let launch = Launch {
        probe: subject.project().is_some().then_some(&probe),
        metrics_address: context.shown.map(|shown| &shown.metrics_address),
        kubeconfig: &kubeconfig,
        namespace: &deployed.namespace,
        watch_namespace: if subject.is_namespaced() {
            &deployed.namespace
        } else {
            ""
        },
        webhooks,
        marks: of_cluster.into_iter().chain([target.lock.mark()]).collect(),
        plain: match subject.adopted() {
            Some(adopted) => adopted.command_line(session, target.secrets.path(), webhooks)?,
            None => PlainCommandLine::default(),
        },
    };
    let is_restricted_to_namespace = target.cluster.is_none() && subject.is_namespaced();
    let audit = target.cluster.as_ref().map(Cluster::audit_log);
    let scope = WatchScope {
        kubeconfig: Some(target.kubeconfig.clone()),
        resources: context.watched.clone(),
        namespace: is_restricted_to_namespace.then(|| deployed.namespace.clone()),
        audit: audit.map(|log| (log, deployed.user())),
    };
    let about = subject.about(Some(&target.kubeconfig), &deployed.objects);
    let cursor = context
        .shown
        .map(|shown| shown.start_watching(about, scope));
    let mut operator = start(context, &launch, &built.binary)?;
    let started = Instant::now();
    if let Some(shown) = context.shown {
        shown.process("running", "");
    }
    session.terminal.status("Running", built.binary.display());
    let samples = samples::apply(context, &mut operator)?;
    if let Some(cluster) = &target.cluster
        && !context.dev.once
    {
        let path = cluster.kubeconfig();
        session.terminal.note("");
        session.terminal.note(format_args!(
            "In another terminal: export KUBECONFIG={}",
            path.display()
        ));
        session.terminal.note("Ctrl-C stops.");
        session.terminal.note("");
    }
    let mut supervisor = Supervisor {
        context,
        launch,
        operator,
        started,
        samples,
        built,
        is_first: true,
        is_proven: false,
        cursor,
        access,
    };
    let code = supervisor.watch();
    session.terminal.status("Stopping", "the operator");
    supervisor.operator.stop();
    let is_proven = supervisor.is_proven;
    code.map(|code| Verdict { code, is_proven })
}

/// A running operator, and the state needed to restart it.
struct Supervisor<'a> {
    context: &'a DevContext<'a>,
    launch: Launch<'a>,
    operator: Operator,
    /// The time of the operator's last start.
    started: Instant,
    samples: Samples,
    built: Built,
    /// True until the first restart. After it, the samples may still be Ready because of the
    /// earlier build.
    is_first: bool,
    /// True if all samples became Ready and the operator was not restarted. Only then may the
    /// report call a permission unused.
    is_proven: bool,
    /// The position in the audit log up to which the page has shown requests; `None` without a
    /// page.
    cursor: Option<AuditCursor>,
    access: &'a mut Access,
}

/// Requests the operator's token. Records the request first, so that the token is revoked even if
/// rustop is killed.
fn request_token(context: &DevContext<'_>) -> Result<Access> {
    let DevContext {
        target,
        runtime,
        client,
        deployed,
        ..
    } = *context;
    let secrets = target.secrets.path();
    let id = secrets.file_name().unwrap_or_default().to_string_lossy();
    let grant = Grant {
        kubeconfig: Some(target.kubeconfig.clone()),
        namespace: deployed.namespace.clone(),
        secret: format!("rustop-dev-{}", id.to_lowercase()),
    };
    target.secrets.record(&grant)?;
    let access = Access::open(client, &target.kubeconfig, deployed, grant, secrets);
    Ok(runtime.block_on(access)?)
}

/// Starts the operator. Its log goes to the terminal, and to the page if there is one.
fn start(context: &DevContext<'_>, launch: &Launch<'_>, binary: &Path) -> Result<Operator> {
    let command = context.subject.command(launch, binary);
    let has_runtime = context.subject.project().is_some();
    match context.shown {
        Some(shown) => shown.start(command, has_runtime),
        None => start_without_page(command, has_runtime, context.session.terminal),
    }
}

impl Supervisor<'_> {
    /// Polls until there is a verdict or the user presses Ctrl-C, and returns the exit code of the
    /// command. Errors are those of [`run`].
    fn watch(&mut self) -> Result<ExitCode> {
        let DevContext {
            dev: args,
            session,
            runtime,
            client,
            ..
        } = *self.context;
        let deadline = self.started + args.timeout;
        let mut sources = self.context.subject.sources(&session.dir);
        loop {
            if let (Some(shown), Some(cursor)) = (self.context.shown, &mut self.cursor) {
                let DevContext {
                    subject, target, ..
                } = *self.context;
                shown.poll_audit_log(cursor, |log, from| {
                    subject.report(session, &target.kubectl, log, from, true)
                });
            }
            let readiness = self.readiness();
            let report = |ready, line| {
                session
                    .terminal
                    .status(if ready { "Ready" } else { "Waiting" }, line);
            };
            runtime.block_on(self.samples.poll(client, readiness, report))?;
            self.is_proven |=
                self.is_first && self.samples.is_tracking() && self.samples.are_ready();
            if args.once && self.samples.are_ready() {
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
                self.report_process("ended", &status.to_string());
            }
            if args.once && Instant::now() > deadline {
                return Err(dev::Error::NotReady {
                    missing: self.samples.not_ready(),
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

    /// Returns the progress of the operator's start, which is of interest until all samples are
    /// Ready. An operator without health probes counts as ready after [`WITHOUT_PROBE`].
    fn readiness(&self) -> Readiness {
        let Some(probe) = self.launch.probe.filter(|_| !self.samples.are_ready()) else {
            return Readiness::Ready;
        };
        probe.readiness().unwrap_or_else(|| {
            if self.started.elapsed() < WITHOUT_PROBE {
                Readiness::Starting
            } else {
                Readiness::Ready
            }
        })
    }

    /// Rebuilds and restarts the operator. If the build fails, the old one keeps running.
    fn restart(&mut self) {
        let DevContext {
            session, subject, ..
        } = *self.context;
        self.report_process("building", "");
        let built = subject
            .write_manifests(session)
            .and_then(|()| subject.build(session));
        let started = built.and_then(|built| {
            self.operator.stop();
            self.built = built;
            start(self.context, &self.launch, &self.built.binary)
        });
        match started {
            Ok(operator) => {
                self.operator = operator;
                self.started = Instant::now();
                (self.is_first, self.is_proven) = (false, false);
                session
                    .terminal
                    .status("Restarted", self.built.binary.display());
                if let Some(shown) = self.context.shown {
                    shown.restarted();
                }
            }
            Err(error) => {
                self.report_process("failed", &error_text(&error));
                session.terminal.error(&error);
            }
        }
    }

    /// Shows the state of the operator's process on the page: `building`, `failed` or `ended`, with
    /// a text that explains it.
    fn report_process(&self, state: &str, says: &str) {
        if let Some(shown) = self.context.shown {
            shown.process(state, says);
        }
    }
}

/// Returns an error, its causes, and the output of the compiler, one per line.
fn error_text(error: &Error) -> String {
    let lines = std::iter::once(error.to_string()).chain(causes(error));
    let compiler = error.compiler().map(str::to_owned);
    lines.chain(compiler).collect::<Vec<_>>().join("\n")
}
