//! The webhooks of the operator, and the replica that serves them.

use std::path::Path;

use kube::api::DynamicObject;

use super::ControlPlane;
use crate::dev::{Host, Launch, LocalWebhooks, OperatorManifests, PlainCommandLine};
use crate::ops::Result;
use crate::ops::torture::webhook_standby::WebhookStandby;
use crate::session::Session;

impl ControlPlane<'_> {
    /// Directs the webhook calls of a scaffolded project to this machine. Removes the webhooks of
    /// any other operator, since they need a replica that serves them while the others are killed.
    /// Returns `None` if no webhooks are called.
    pub(super) fn webhooks(
        &self,
        session: &Session,
        objects: &mut Vec<DynamicObject>,
    ) -> Result<Option<LocalWebhooks>> {
        if self.has_runtime() {
            return Ok(LocalWebhooks::redirect_here(
                objects,
                &Host::loopback(),
                None,
                &self.scratch,
            )?);
        }
        if LocalWebhooks::leave_out(objects) {
            session.terminal.warning(
                "the API server does not call the operator's webhooks: they neither default nor validate any object",
            );
        }
        Ok(None)
    }

    /// Starts the replica that serves the webhooks, and redirects the calls to it.
    pub(super) async fn start_standby(
        &self,
        session: &Session,
        deployed: &OperatorManifests,
        kubeconfig: &Path,
        webhooks: LocalWebhooks,
    ) -> Result<WebhookStandby> {
        let launch = Launch {
            kubeconfig,
            namespace: &deployed.namespace,
            watch_namespace: if self.is_namespaced() {
                &deployed.namespace
            } else {
                ""
            },
            probe: None,
            metrics_address: None,
            webhooks: None,
            marks: vec![self.cluster.mark(), self.hold.mark()],
            plain: PlainCommandLine::default(),
        };
        WebhookStandby::start(&self.built.binary, launch, webhooks, session.interrupt()).await
    }
}
