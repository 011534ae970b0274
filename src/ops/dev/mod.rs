//! The implementation of `rustop dev`: runs the operator and its samples on a local control plane,
//! or on an existing cluster.

mod context;
mod options;
mod samples;
mod target_cluster;
mod watch;

use std::process::ExitCode;

use super::adopted::Built;
use super::page::{self, PageOptions, RunPage};
use super::subject::Subject;
use super::{Error, Result, rbac, runtime, webhooks};
use crate::client;
use crate::cluster::{Cluster, Dirs, Hold, is_missing};
use crate::dev::{self, Host, RedirectedCluster};
use crate::interrupt::{self, Both};
use crate::session::Session;
use context::{DevContext, Verdict};
pub use options::Dev;
use target_cluster::TargetCluster;

impl Dev {
    /// Runs the command until the user presses Ctrl-C or, with `once`, until every sample is Ready.
    /// Stops the cluster afterwards if this command started it.
    ///
    /// # Errors
    /// Returns an error if the operator does not build, if it exits while `watch` is off, if the
    /// API server rejects an object, or, with `once`, if a sample is not Ready within the timeout.
    pub fn run(&self, session: &Session) -> Result<ExitCode> {
        let subject = Subject::load(session)?;
        let interrupt = session.interrupt();
        let dirs = Dirs::from_env()?;
        let name = subject.cluster(session)?;
        let hold = Hold::take(&dirs, &name, interrupt, session.terminal)?;
        let options = PageOptions {
            no_page: self.no_page || self.once,
            open: self.open,
            record: self.record.clone(),
        };
        let shown = RunPage::open(&options, session)?;
        let installs = self.kubeconfig.is_none() && is_missing(&dirs);
        if !installs {
            subject.write_manifests(session)?;
        }
        // Starting a cluster takes about as long as a small build, and installing a control plane
        // as long as a large one, so do both at the same time.
        let (target, built) = match interrupt::both(
            interrupt,
            |ended| TargetCluster::take(self, &session.part(ended, false), &dirs, &name, hold),
            |ended| {
                let session = session.part(ended, installs);
                if installs {
                    subject.write_manifests(&session)?;
                }
                subject.build(&session)
            },
        ) {
            Both::Done(target, built) => (target, Ok(built)),
            // The cluster runs, but the build failed: continue, so that the cluster is stopped.
            Both::Failed {
                first: Some(target),
                error,
            } => (target, Err(error)),
            Both::Failed { first: None, error } => return Err(error),
        };
        let shown = shown.as_ref();
        let result = built.and_then(|built| {
            let audit = rbac::Audit::begin(target.cluster.as_ref());
            let verdict = self.operate(session, &subject, &target, built, shown);
            let is_proven = verdict.as_ref().is_ok_and(|verdict| verdict.is_proven);
            session.report("cluster", name.as_str());
            session.report("ready", is_proven);
            let report = audit.end(session, is_proven, |log, from| {
                subject.report(session, &target.kubectl, log, from, is_proven)
            });
            let verdict = verdict?;
            report.map(|()| verdict.code)
        });
        if target.started {
            let what = format_args!("cluster `{name}`; its data stays");
            session.terminal.status("Stopping", what);
            Cluster::stop(&dirs, &name)?;
        }
        if let Some(shown) = shown {
            shown.end();
        }
        target.lock.release()?;
        result
    }

    /// Applies the manifests, runs the operator, and watches the samples until there is a verdict
    /// or the user presses Ctrl-C.
    fn operate(
        &self,
        session: &Session,
        subject: &Subject,
        target: &TargetCluster,
        built: Built,
        shown: Option<&RunPage>,
    ) -> Result<Verdict> {
        let runtime = runtime()?;
        let (client, config) = runtime.block_on(client::connect(Some(&target.kubeconfig)))?;
        let mut deployed = subject.operator_manifests(session, &target.kubectl, &built)?;
        let mut webhooks = runtime.block_on(async {
            let host = match target.cluster {
                Some(_) => Some(Host::loopback()),
                None => webhooks::host(self.reached_at.as_ref(), &client, &config).await,
            };
            let (to, objects) = ((&client, &config), &mut deployed.objects);
            let command = "rustop dev --kubeconfig FILE --reached-at ";
            let secrets = target.secrets.path();
            let port = subject.adopted().and_then(|it| it.webhook_port(&built));
            // The operator has no webhooks, or rustop cannot give it a certificate.
            if port.is_none() && subject.adopted().is_some() {
                return Ok(None);
            }
            let here = (host.as_ref(), port);
            let cluster = RedirectedCluster {
                kubeconfig: Some(target.kubeconfig.clone()),
                is_exclusive: target.cluster.is_some(),
            };
            webhooks::redirect_here(session, to, cluster, objects, here, command, secrets).await
        })?;
        let watched = page::resources_to_watch(subject.kinds(&deployed.objects), &deployed.objects);
        let mut objects = deployed.objects.clone();
        // On an existing cluster, the owners of these namespaces and CRDs have installed them.
        if target.cluster.is_some() {
            objects.extend(dev::missing_namespaces(&objects));
            objects.extend(subject.foreign(session)?);
        }
        let context = DevContext {
            dev: self,
            session,
            subject,
            target,
            runtime: &runtime,
            client: &client,
            deployed: &deployed,
            shown,
            watched,
        };
        if subject.adopted().is_some() {
            let (served, unknown) =
                runtime.block_on(dev::split_by_served_group(&client, objects))?;
            objects = served;
            for object in unknown {
                session.terminal.warning(format_args!(
                    "{} is not applied: the API server does not serve its kind",
                    dev::named(&object)
                ));
            }
        }
        let applied = match &mut webhooks {
            Some(webhooks) => runtime.block_on(webhooks.apply(&client, objects)),
            None => runtime.block_on(dev::apply(&client, objects)),
        };
        let verdict = applied
            .map_err(Error::from)
            .and_then(|()| watch::run(&context, webhooks.as_ref(), built));
        // Even if the API server rejected an object, others may already direct webhook calls to
        // this machine.
        match webhooks {
            Some(webhooks) => {
                let removed = runtime.block_on(webhooks.remove(&client));
                webhooks::after_removal(session.terminal, verdict, removed)
            }
            None => verdict,
        }
    }
}
