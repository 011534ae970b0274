//! The setup of a campaign: installs the operator's manifests, and creates the environment of its
//! runs.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use kube::api::DynamicObject;
use kube::{Client, ResourceExt as _};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::ControlPlane;
use super::operators::client_of;
use super::version::OperatorSource;
use crate::client::connect;
use crate::dev::{self, OperatorManifests};
use crate::ops::Result;
use crate::ops::adopted::Adopted;
use crate::ops::torture::schemas::schemas;
use crate::ops::torture::webhook_standby;
use crate::project::naming::NAMESPACE_ANNOTATION;
use crate::session::Session;
use crate::torture::{
    self, ClusterView, CustomScenario, Environment, ScenarioSample, ServedKinds, Upstream,
};

impl ControlPlane<'_> {
    /// Installs the operator's manifests, and returns the environment and the samples of a campaign
    /// in which at most `lanes` operators run at the same time. `scenarios` are the user's
    /// scenarios.
    pub async fn prepare(
        &mut self,
        session: &Session,
        scenarios: &[CustomScenario],
        lanes: usize,
    ) -> Result<(Environment, Vec<ScenarioSample>)> {
        let admin = self.cluster.kubeconfig();
        let (client, _) = connect(Some(&admin)).await?;
        let deployed = self.operator_manifests(session)?;
        let (kubeconfig, roles) = self.install(session, &client, &deployed).await?;
        let kinds = Arc::new(ServedKinds::discover(&client).await?);
        let schemas = schemas(&deployed.objects);
        let (own, mut samples) = self.samples(session, &deployed, &schemas, scenarios)?;
        leave_unserved_out(session, &mut samples, &kinds);
        let scoped = are_namespaced(&samples, &kinds)?;
        let own = own
            .iter()
            .filter_map(|object| kinds.resource_of(object))
            .collect();
        let environment = Environment {
            cluster_view: ClusterView::follow(&client, &kinds).await?,
            upstream: Upstream {
                operator: client_of(&kubeconfig).await?,
                admin: client,
                kinds,
            },
            program: self.program(session, &deployed, &kubeconfig)?,
            election: self.election(&deployed),
            own,
            scoped,
            isolates_network: self.network.clone().filter(|_| scoped && lanes > 1),
            dir: self.scratch.clone(),
            roles,
            interrupt: session.interrupt().clone(),
            runs: AtomicUsize::default(),
            // Parallel runs of a cluster-scoped kind would create the same objects, since no
            // namespace separates them.
            operators: Arc::new(Semaphore::new(if scoped {
                lanes.min(Semaphore::MAX_PERMITS)
            } else {
                1
            })),
        };
        Ok((environment, samples))
    }

    /// Installs the operator's manifests. Returns the kubeconfig of its ServiceAccount, and the
    /// roles that every run creates in its namespace.
    async fn install(
        &mut self,
        session: &Session,
        client: &Client,
        deployed: &OperatorManifests,
    ) -> Result<(PathBuf, Vec<Value>)> {
        let admin = self.cluster.kubeconfig();
        let mut objects = deployed.objects.clone();
        objects.extend(dev::missing_namespaces(&objects));
        if let Some(subject) = self.subject() {
            objects.extend(subject.foreign(session)?);
        }
        if self.adopted().is_some() {
            let (served, unknown) = dev::split_by_served_group(client, objects).await?;
            objects = served;
            for object in unknown {
                session.terminal.warning(format_args!(
                    "{} is not applied: the API server does not serve its kind",
                    dev::named(&object)
                ));
            }
        }
        let webhooks = self.webhooks(session, &mut objects)?;
        let roles = self.roles(&objects, deployed);
        self.replace_installed(client, objects).await?;
        let kubeconfig = if deployed.service_account.is_empty() {
            admin
        } else {
            dev::kubeconfig(client, &admin, deployed, &self.scratch).await?
        };
        if let Some(webhooks) = webhooks {
            webhook_standby::keep_from_leading(client, deployed).await?;
            let standby = self.start_standby(session, deployed, &kubeconfig, webhooks);
            self.standby = Some(standby.await?);
        }
        Ok((kubeconfig, roles))
    }

    /// Returns the manifests of the version that the control plane runs.
    pub(super) fn operator_manifests(&self, session: &Session) -> Result<OperatorManifests> {
        match &self.source {
            OperatorSource::Own(subject) => {
                subject.operator_manifests(session, &self.kubectl(), &self.built)
            }
            OperatorSource::External(external) => external.operator_manifests(&self.kubectl()),
        }
    }

    /// Returns the roles that every run creates in its namespace; empty unless the operator watches
    /// a single namespace. Roles for a namespace that a marker names are not among them.
    fn roles(&self, objects: &[DynamicObject], deployed: &OperatorManifests) -> Vec<Value> {
        let is_limited = self
            .adopted()
            .is_some_and(Adopted::is_limited_to_its_namespace);
        if !self.is_namespaced() && !is_limited {
            return Vec::new();
        }
        let namespace = Some(deployed.namespace.clone());
        let roles = objects
            .iter()
            .filter(|object| ["Role", "RoleBinding"].contains(&dev::kind(object)))
            .filter(|object| !is_limited || object.namespace() == namespace)
            .filter(|object| !object.annotations().contains_key(NAMESPACE_ANNOTATION));
        let values = roles.filter_map(|role| serde_json::to_value(role).ok());
        values
            .map(|mut role| {
                role["metadata"] = json!({ "name": role["metadata"]["name"] });
                role
            })
            .collect()
    }
}

/// Removes the objects that accompany samples and whose kinds the API server does not serve.
fn leave_unserved_out(session: &Session, samples: &mut [ScenarioSample], kinds: &ServedKinds) {
    let mut reported = BTreeSet::new();
    for sample in samples {
        sample.prerequisites.retain(|object| {
            let is_served = kinds.of_object(object).is_some();
            let kind = object["kind"].as_str().unwrap_or_default();
            if !is_served && reported.insert(kind.to_owned()) {
                session.terminal.warning(format_args!(
                    "the {kind} among the samples is left out: the API server does not serve its kind"
                ));
            }
            is_served
        });
    }
}

/// Reports whether the kinds of all samples are namespaced.
///
/// # Errors
/// Returns an error if the API server does not serve the kind of a sample.
fn are_namespaced(samples: &[ScenarioSample], kinds: &ServedKinds) -> Result<bool> {
    let mut all = true;
    for ScenarioSample { object, .. } in samples {
        let Some(kind) = kinds.of_object(object) else {
            let resource = object["kind"].as_str().unwrap_or_default().to_owned();
            return Err(torture::Error::NotServed { resource }.into());
        };
        all &= kind.namespaced;
    }
    Ok(all)
}
