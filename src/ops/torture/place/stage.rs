//! The setup of a campaign: installs the operator's manifests, and creates the environment of its runs.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use kube::api::DynamicObject;
use kube::{Client, ResourceExt as _};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::Place;
use super::operators::client_of;
use crate::client::connect;
use crate::dev::{self, Deployed};
use crate::ops::torture::deputy;
use crate::ops::torture::schemas::schemas;
use crate::ops::{Result, imported};
use crate::project::naming::NAMESPACE_ANNOTATION;
use crate::session::Session;
use crate::torture::{
    self, ClusterView, CustomScenario, Environment, Sample, ServedKinds, Upstream,
};

impl Place<'_> {
    /// Installs the operator's manifests, and returns the environment and the samples of a campaign in which at most
    /// `lanes` operators run at the same time.
    pub async fn stage(
        &mut self,
        session: &Session,
        written: &[CustomScenario],
        lanes: usize,
    ) -> Result<(Environment, Vec<Sample>)> {
        let admin = self.cluster.kubeconfig();
        let (client, _) = connect(Some(&admin)).await?;
        let deployed = self.deployed(session)?;
        let (kubeconfig, roles) = self.install(session, &client, &deployed).await?;
        let kinds = Arc::new(ServedKinds::discover(&client).await?);
        let schemas = schemas(&deployed.objects);
        let (own, samples) = self.samples(session, &schemas, written)?;
        let scoped = are_namespaced(&samples, &kinds)?;
        let own = own
            .iter()
            .filter_map(|object| kinds.resource_of(object))
            .collect();
        let stage = Environment {
            world: ClusterView::follow(&client, &kinds).await?,
            upstream: Upstream {
                operator: client_of(&kubeconfig).await?,
                admin: client,
                kinds,
            },
            program: self.program(&deployed, &kubeconfig)?,
            own,
            scoped,
            dir: self.scratch.clone(),
            roles,
            interrupt: session.interrupt().clone(),
            runs: AtomicUsize::default(),
            // Parallel runs of a cluster-scoped kind would create the same objects, since no namespace separates them.
            operators: Arc::new(Semaphore::new(if scoped {
                lanes.min(Semaphore::MAX_PERMITS)
            } else {
                1
            })),
        };
        Ok((stage, samples))
    }

    /// Installs the operator's manifests. Returns the kubeconfig of its ServiceAccount, and the roles that every run
    /// creates in its namespace.
    async fn install(
        &mut self,
        session: &Session,
        client: &Client,
        deployed: &Deployed,
    ) -> Result<(PathBuf, Vec<Value>)> {
        let admin = self.cluster.kubeconfig();
        let mut objects = deployed.objects.clone();
        objects.extend(dev::missing_namespaces(&objects));
        if let Some(project) = &self.project {
            objects.extend(imported::foreign(&session.dir, project)?);
        }
        let webhooks = self.webhooks(session, &mut objects)?;
        let roles = self.roles(&objects);
        dev::apply(client, objects).await?;
        let kubeconfig = if deployed.service_account.is_empty() {
            admin
        } else {
            dev::kubeconfig(client, &admin, deployed, &self.scratch).await?
        };
        if let Some(webhooks) = webhooks {
            deputy::keep_from_leading(client, deployed).await?;
            let deputy = self.deputize(session, deployed, &kubeconfig, webhooks);
            self.deputy = Some(deputy.await?);
        }
        Ok((kubeconfig, roles))
    }

    fn deployed(&self, session: &Session) -> Result<Deployed> {
        let Some(foreign) = self.foreign else {
            let kubectl = self.kubectl();
            return Ok(dev::deployed(&session.dir, &kubectl)?);
        };
        foreign.deployed()
    }

    /// Returns the roles that every run creates in its namespace; empty unless the operator watches a single namespace.
    /// Roles for a namespace that a marker names are not among them.
    fn roles(&self, objects: &[DynamicObject]) -> Vec<Value> {
        if !self.is_namespaced() {
            return Vec::new();
        }
        let roles = objects
            .iter()
            .filter(|object| ["Role", "RoleBinding"].contains(&dev::kind(object)))
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

/// Reports whether the kinds of all samples are namespaced.
///
/// # Errors
/// Returns an error if the API server does not serve the kind of a sample.
fn are_namespaced(samples: &[Sample], kinds: &ServedKinds) -> Result<bool> {
    let mut all = true;
    for Sample { object, .. } in samples {
        let Some(kind) = kinds.of_object(object) else {
            let resource = object["kind"].as_str().unwrap_or_default().to_owned();
            return Err(torture::Error::NotServed { resource }.into());
        };
        all &= kind.namespaced;
    }
    Ok(all)
}
