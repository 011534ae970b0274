//! The webhooks of the operator, and the replica that serves them.

use std::path::Path;

use kube::api::DynamicObject;

use super::Place;
use crate::dev::{Deployed, Host, Launch, Webhooks};
use crate::ops::Result;
use crate::ops::torture::deputy::Deputy;
use crate::session::Session;

impl Place<'_> {
    /// Directs the webhook calls of a project to this machine. Removes the webhooks of a foreign operator, since rustop does
    /// not know how it serves them.
    pub(super) fn webhooks(
        &self,
        session: &Session,
        objects: &mut Vec<DynamicObject>,
    ) -> Result<Option<Webhooks>> {
        if self.project.is_some() {
            return Ok(Webhooks::lead_here(
                objects,
                &Host::loopback(),
                &self.scratch,
            )?);
        }
        if Webhooks::leave_out(objects) {
            session.terminal.warning(
                "the webhooks are not asked: objects are as the API server alone lets them be",
            );
        }
        Ok(None)
    }

    pub(super) async fn deputize(
        &self,
        session: &Session,
        deployed: &Deployed,
        kubeconfig: &Path,
        webhooks: Webhooks,
    ) -> Result<Deputy> {
        let launch = Launch {
            kubeconfig,
            namespace: &deployed.namespace,
            watch_namespace: if self.is_namespaced() {
                &deployed.namespace
            } else {
                ""
            },
            probe: None,
            figures: None,
            webhooks: None,
            marks: vec![self.cluster.mark(), self.hold.mark()],
        };
        Deputy::start(&self.binary, launch, webhooks, session.interrupt()).await
    }
}
