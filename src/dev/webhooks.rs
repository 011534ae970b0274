//! Webhooks of an operator that runs outside of the cluster. While it runs, the API server calls
//! the webhooks on this machine. The certificate is generated for each run and deleted afterwards.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};

use k8s_openapi::ByteString;
use kube::api::{Api, ApiResource, DeleteParams, DynamicObject, PostParams};
use kube::core::GroupVersionKind;
use kube::{Client, ResourceExt as _};
use serde_json::{Value, json};

use super::conversion::{self, Definition, converter, is_converted};
use super::error::{Error, Result};
use super::objects::{DiscoveryCache, MANAGER, apply, is_same, kind, named, request_error};
use super::served_from::{is_marked_alike, mark};
use super::webhook_host::Host;
use super::webhook_server::{ServerState, WebhookServer};
use crate::client;
use crate::disk::private;
use crate::error::Io;

const CONFIGURATIONS: [&str; 2] = [
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
];
/// The HTTP status if an object exists already, or is not the version that a request expects.
const CONFLICT: u16 = 409;
/// The label of configurations and Services that redirect to a developer's machine.
/// [`LocalWebhooks::check`] refuses objects that have neither it nor rustop as their field manager.
const OWNER: (&str, &str) = ("app.kubernetes.io/managed-by", "rustop");

/// The cluster whose webhooks are redirected.
#[derive(Debug, Default)]
pub struct RedirectedCluster {
    /// The kubeconfig that printed commands name; `None` for the one that kubectl uses without an
    /// option.
    pub kubeconfig: Option<PathBuf>,
    /// True if only this project's runs serve webhooks there, one at a time. Then an earlier run
    /// has ended.
    pub is_exclusive: bool,
}

/// The webhooks that the API server calls on this machine.
#[derive(Debug)]
pub struct LocalWebhooks {
    host: Host,
    port: u16,
    /// The directory of `tls.crt` and `tls.key`.
    certificate: PathBuf,
    /// The webhook configurations, with the `resourceVersion` that [`Self::check`] found.
    configurations: Vec<DynamicObject>,
    /// The Services that the conversions of CRDs refer to, with their `resourceVersion`, too.
    converters: Vec<DynamicObject>,
    /// The CRDs with conversion webhooks.
    definitions: Vec<Definition>,
    /// The locks that keep other rustop processes from redirecting the same webhooks.
    locks: Vec<File>,
    /// The cluster; by default that of the user's kubeconfig, in which others may serve, too.
    pub cluster: RedirectedCluster,
}

impl LocalWebhooks {
    /// Redirects the project's webhooks among the objects to this machine, which the API server
    /// reaches at `host`. `port` is the port on which the operator serves them; `None` for a free
    /// one. Admission webhooks of other Services are not changed; all conversions are. Changes the
    /// manifests only: use [`Self::apply`], or [`Self::redirect`] in a cluster that needs nothing
    /// else of them. The certificate and its key are written into `dir`, which the caller removes.
    /// Returns `None` if the objects contain no webhooks.
    ///
    /// # Errors
    /// Returns an error if no port is free, or if the certificate cannot be written.
    pub fn redirect_here(
        objects: &mut [DynamicObject],
        host: &Host,
        port: Option<u16>,
        dir: &Path,
    ) -> Result<Option<Self>> {
        if !objects.iter().any(is_configuration) && !objects.iter().any(is_converted) {
            return Ok(None);
        }
        let port = port.map_or_else(|| free_port(host), Ok)?;
        let converted = objects.iter().filter(|object| is_converted(object));
        let names: BTreeSet<_> = converted.filter_map(converter).collect();
        let of_certificate = names.iter().cloned().chain([host.as_str().to_owned()]);
        let (certificate, authority) = certificate(of_certificate.collect(), dir)?;
        let server = LocalServer {
            host,
            port,
            authority,
        };
        Ok(Some(Self {
            host: host.clone(),
            port,
            certificate,
            configurations: server.redirect_configurations(objects),
            definitions: server.redirect_conversions(objects),
            converters: server.redirect_services(objects, &names),
            locks: Vec::new(),
            cluster: RedirectedCluster::default(),
        }))
    }

    /// Keeps other rustop processes of this account from redirecting the same webhooks, until the
    /// value is dropped. `cluster` is an identity of the cluster that all of its addresses share.
    /// `take` locks what its argument identifies, and returns `None` if another process has locked
    /// it.
    ///
    /// # Errors
    /// Returns an error if another process has redirected them, and the error of `take`.
    pub fn hold<E: From<Error>>(
        &mut self,
        cluster: &str,
        mut take: impl FnMut(&str) -> std::result::Result<Option<File>, E>,
    ) -> std::result::Result<(), E> {
        for object in self.configurations.iter().chain(&self.converters) {
            let object = named(object);
            match take(&format!("webhooks {cluster} {object}"))? {
                Some(lock) => self.locks.push(lock),
                None => return Err(Error::ServedHere { object }.into()),
            }
        }
        Ok(())
    }

    /// Removes webhook configurations from the objects, for a run in which no operator serves them.
    /// Returns true if the project has any webhooks. CRDs with a conversion webhook are not
    /// changed: without an answer the API server rejects a request, but without a webhook it would
    /// drop fields.
    pub fn leave_out(objects: &mut Vec<DynamicObject>) -> bool {
        let before = objects.len();
        objects.retain(|object| !is_configuration(object));
        objects.len() < before || objects.iter().any(is_converted)
    }

    /// Returns the directory of `tls.crt` and `tls.key`.
    pub fn certificate(&self) -> &Path {
        &self.certificate
    }

    /// Returns the environment variables of the operator's webhook server.
    pub fn environment(&self) -> Vec<(&'static str, OsString)> {
        let mut environment = vec![
            ("WEBHOOK_PORT", self.port.to_string().into()),
            ("WEBHOOK_CERT_PATH", self.certificate.clone().into()),
        ];
        let address = self.host.loopback_address();
        environment.extend(address.map(|address| ("WEBHOOK_HOST", address.to_string().into())));
        environment
    }

    /// Reports whether the operator listens on the webhook port.
    pub fn are_served(&self) -> bool {
        let here = self
            .host
            .loopback_address()
            .unwrap_or(Ipv4Addr::LOCALHOST.into());
        TcpStream::connect((here, self.port)).is_ok()
    }

    /// Returns the address at which the API server calls the webhooks: `127.0.0.1:40123`.
    pub fn address(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// Applies the webhook configurations and Services, and redirects the conversions, in a cluster
    /// in which only the CRDs are installed. Checks first whether the operator of another run
    /// serves the webhooks by now: this one may have taken long to start. Of two runs that do this
    /// at the same time, one gets an error. The configurations come first, so that it has not
    /// replaced a Service of the other one by then.
    ///
    /// # Errors
    /// Returns the errors of [`Self::check`] and [`Self::apply`].
    pub async fn redirect(&mut self, client: &Client) -> Result<()> {
        self.check(client).await?;
        self.write_redirections(client).await
    }

    /// Writes the configurations and the Services with their namespaces, and redirects the
    /// conversions.
    async fn write_redirections(&mut self, client: &Client) -> Result<()> {
        let namespaces = self.converters.iter().map(namespace_of).collect();
        apply(client, namespaces).await?;
        self.write_unchanged(client, self.configurations.clone())
            .await?;
        self.write_unchanged(client, self.converters.clone())
            .await?;
        for definition in &self.definitions {
            definition.redirect_here(client).await?;
        }
        Ok(())
    }

    /// Applies the webhook configurations, the Services of conversions, and the other `objects`.
    /// The Services are written before the CRDs that refer to them, and the configurations last. Of
    /// two runs that apply them at the same time, one gets an error.
    ///
    /// # Errors
    /// Returns an error if the API server refuses, or if a configuration or Service has changed
    /// since [`Self::check`].
    pub async fn apply(&mut self, client: &Client, mut objects: Vec<DynamicObject>) -> Result<()> {
        objects.retain(|object| {
            let mut redirected = self.configurations.iter().chain(&self.converters);
            !redirected.any(|redirected| is_same(redirected, object))
        });
        let (namespaces, others) = objects
            .into_iter()
            .partition(|object| kind(object) == "Namespace");
        apply(client, namespaces).await?;
        self.write_unchanged(client, self.converters.clone())
            .await?;
        apply(client, others).await?;
        self.write_unchanged(client, self.configurations.clone())
            .await
    }

    /// Writes objects if no client has changed them since [`Self::check`]. Replaces whole objects:
    /// a webhook that only an earlier run had does not stay.
    async fn write_unchanged(
        &mut self,
        client: &Client,
        objects: Vec<DynamicObject>,
    ) -> Result<()> {
        let mut kinds = DiscoveryCache::default();
        let params = PostParams {
            field_manager: Some(MANAGER.to_owned()),
            ..PostParams::default()
        };
        for object in &objects {
            let api = kinds.api(client, object).await?;
            let written = match object.resource_version() {
                Some(_) => api.replace(&object.name_any(), &params, object).await,
                None => api.create(&params, object).await,
            };
            match written {
                Err(kube::Error::Api(status)) if status.code == CONFLICT => {
                    self.check(client).await?;
                    let object = named(object);
                    return Err(Error::RedirectedMeanwhile { object });
                }
                written => drop(written.map_err(request_error(object))?),
            }
        }
        Ok(())
    }

    /// Checks that no other operator serves these webhooks, and records the state of the cluster:
    /// the versions of the objects, which [`Self::apply`] expects, and the first time the
    /// conversions, which [`Self::remove`] restores. Called before anything is applied and before
    /// the operator starts. An operator of another run counts unless it has certainly ended.
    ///
    /// # Errors
    /// Returns an error if an object belongs to an operator in the cluster or leads to one that may
    /// run elsewhere, or if a request to the API server fails.
    pub async fn check(&mut self, client: &Client) -> Result<()> {
        let mut kinds = DiscoveryCache::default();
        let mut servers = Vec::new();
        let mut present = Vec::new();
        for object in self.configurations.iter_mut().chain(&mut self.converters) {
            let api = kinds.api(client, object).await?;
            let found = api.get_opt(&object.name_any()).await;
            let found = found.map_err(request_error(object))?;
            object.metadata.resource_version =
                found.as_ref().and_then(kube::ResourceExt::resource_version);
            let Some(found) = found else { continue };
            if !is_ours(&found) {
                return Err(Error::DeployedThere {
                    object: named(object),
                    kubeconfig: self.cluster.kubeconfig.clone(),
                });
            }
            let named_by = WebhookServer::of_configuration(&found).into_iter();
            servers.extend(named_by.map(|server| (named(object), None, server)));
            present.push(found);
        }
        for definition in &mut self.definitions {
            let current = definition.current(client).await?;
            servers.extend(present.iter().filter_map(|service| {
                let server = conversion::server(&current, service)?;
                Some((named(service), service.namespace(), server))
            }));
        }
        if self.cluster.is_exclusive {
            return Ok(());
        }
        match served_elsewhere(servers, self.cluster.kubeconfig.as_deref()) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Deletes the webhook configurations and Services, and restores the conversions, since no
    /// operator answers on this machine after the run.
    ///
    /// # Errors
    /// Returns an error if the API server refuses.
    pub async fn remove(&self, client: &Client) -> Result<()> {
        let mut kinds = DiscoveryCache::default();
        for object in &self.configurations {
            let api = kinds.api(client, object).await?;
            let found = api.get_opt(&object.name_any()).await;
            let found = found.map_err(request_error(object))?;
            // Another run may have redirected the webhooks to its own operator since.
            if found.is_some_and(|found| authorities(&found) == authorities(object)) {
                delete(&api, object).await?;
            }
        }
        for definition in &self.definitions {
            definition.restore(client).await?;
        }
        for object in &self.converters {
            let api = kinds.api(client, object).await?;
            let found = api.get_opt(&object.name_any()).await;
            let found = found.map_err(request_error(object))?;
            if found.is_some_and(|found| is_marked_alike(&found, object)) {
                delete(&api, object).await?;
            }
        }
        Ok(())
    }
}

/// Returns the error about the objects whose server has not certainly ended: all of those that lead
/// to one address. `servers` has the name, the namespace and the server of each object.
fn served_elsewhere(
    servers: Vec<(String, Option<String>, WebhookServer)>,
    kubeconfig: Option<&Path>,
) -> Option<Error> {
    let (address, state) = servers.iter().find_map(|(_, _, server)| {
        let state = server.state();
        (state != ServerState::Ended).then(|| (server.address.clone(), state))
    })?;
    let of_first = servers
        .into_iter()
        .filter(|(_, _, server)| server.address == address);
    let (objects, namespaces): (BTreeSet<_>, Vec<_>) = of_first
        .map(|(object, namespace, _)| (object, namespace))
        .unzip();
    Some(Error::ServedElsewhere {
        objects: objects.into_iter().collect(),
        namespace: namespaces.into_iter().flatten().next(),
        kubeconfig: kubeconfig.map(Path::to_owned),
        address,
        answers: state == ServerState::Answers,
    })
}

/// Deletes an object, which need not exist.
async fn delete(api: &Api<DynamicObject>, object: &DynamicObject) -> Result<()> {
    let deleted = api
        .delete(&object.name_any(), &DeleteParams::default())
        .await;
    match deleted {
        Err(kube::Error::Api(status)) if status.is_not_found() => {}
        result => drop(result.map_err(request_error(object))?),
    }
    Ok(())
}

/// Returns the `caBundle` of each webhook of a configuration. Each run has a certificate of its
/// own.
fn authorities(configuration: &DynamicObject) -> Vec<&Value> {
    let webhooks = configuration.data["webhooks"].as_array();
    let webhooks = webhooks.into_iter().flatten();
    webhooks
        .map(|webhook| &webhook["clientConfig"]["caBundle"])
        .collect()
}

/// The webhook server on this machine, as the API server reaches it.
struct LocalServer<'a> {
    host: &'a Host,
    port: u16,
    /// The `caBundle` for its certificate.
    authority: Value,
}

impl LocalServer<'_> {
    /// Redirects the webhooks of the project's own Services to this machine. Returns all
    /// configurations.
    fn redirect_configurations(&self, objects: &mut [DynamicObject]) -> Vec<DynamicObject> {
        let services = objects.iter().filter(|object| kind(object) == "Service");
        let services: BTreeSet<_> = services.map(kube::ResourceExt::name_any).collect();
        let configurations = objects.iter_mut().filter(|object| is_configuration(object));
        configurations
            .map(|object| {
                self.own(object);
                let webhooks = object.data["webhooks"].as_array_mut();
                for webhook in webhooks.into_iter().flatten() {
                    let client = &mut webhook["clientConfig"];
                    let service = client["service"]["name"].as_str().unwrap_or_default();
                    if services.contains(service) {
                        let path = client["service"]["path"].as_str().unwrap_or("/");
                        let url = format!("https://{}:{}{path}", self.host, self.port);
                        *client = json!({ "url": url, "caBundle": self.authority });
                    }
                }
                object.clone()
            })
            .collect()
    }

    /// Redirects the conversion webhooks of CRDs to this machine. Returns the CRDs.
    fn redirect_conversions(&self, objects: &mut [DynamicObject]) -> Vec<Definition> {
        let converted = objects.iter_mut().filter(|object| is_converted(object));
        converted
            .map(|object| Definition::new(object, self.port, &self.authority))
            .collect()
    }

    /// Turns the Services with the DNS names `hosts` into external names of this machine. Returns
    /// them.
    fn redirect_services(
        &self,
        objects: &mut [DynamicObject],
        hosts: &BTreeSet<String>,
    ) -> Vec<DynamicObject> {
        let services = objects
            .iter_mut()
            .filter(|object| kind(object) == "Service" && hosts.contains(&host_name(object)));
        services
            .map(|service| {
                let spec = json!({ "type": "ExternalName", "externalName": self.host.as_str() });
                service.data["spec"] = spec;
                self.own(service);
                service.clone()
            })
            .collect()
    }

    /// Adds the label and the annotation of objects that lead to this machine.
    fn own(&self, object: &mut DynamicObject) {
        object.labels_mut().insert(OWNER.0.into(), OWNER.1.into());
        mark(object, self.port);
    }
}

/// Reports whether rustop created the object.
fn is_ours(found: &DynamicObject) -> bool {
    let mut managers = found.managed_fields().iter();
    let applied = managers.any(|entry| entry.manager.as_deref() == Some(MANAGER));
    applied || found.labels().get(OWNER.0).map(String::as_str) == Some(OWNER.1)
}

fn is_configuration(object: &DynamicObject) -> bool {
    CONFIGURATIONS.contains(&kind(object))
}

/// Returns the DNS name of a Service in the cluster.
fn host_name(service: &DynamicObject) -> String {
    let namespace = service.namespace().unwrap_or_default();
    format!("{}.{namespace}.svc", service.name_any())
}

/// Returns the namespace of an object, to apply it.
fn namespace_of(object: &DynamicObject) -> DynamicObject {
    let name = object.namespace().unwrap_or_default();
    let kind = GroupVersionKind::gvk("", "v1", "Namespace");
    DynamicObject::new(&name, &ApiResource::from_gvk(&kind))
}

/// Returns a free port on the interfaces that the operator will listen on: loopback, or all.
fn free_port(host: &Host) -> Result<u16> {
    let listener = match host.loopback_address() {
        Some(address) => TcpListener::bind((address, 0)),
        None => TcpListener::bind((Ipv6Addr::UNSPECIFIED, 0))
            .or_else(|_| TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0))),
    };
    let address = listener.and_then(|listener| listener.local_addr());
    Ok(address.map_err(Io::on("listen on", host.as_str()))?.port())
}

/// Writes a self-signed certificate for `names` and its key into a directory below `dir`; returns
/// the directory and the certificate as a `caBundle`.
fn certificate(names: Vec<String>, dir: &Path) -> Result<(PathBuf, Value)> {
    let dir = dir.join("webhooks");
    private::create_dir(&dir)?;
    let made = rcgen::generate_simple_self_signed(names).expect("names or addresses");
    for (file, text) in [
        ("tls.crt", made.cert.pem()),
        ("tls.key", made.signing_key.serialize_pem()),
    ] {
        private::write(&dir.join(file), &text)?;
    }
    Ok((dir, json!(ByteString(made.cert.pem().into_bytes()))))
}

/// Reports whether a request failed because the API server could not call a webhook. The webhook
/// may become available shortly.
pub fn is_not_served_yet(error: &Error) -> bool {
    let Error::Client(client::Error::Refused { source, .. }) = error else {
        return false;
    };
    let text = source.to_string();
    text.contains("failed calling webhook") || text.contains("conversion webhook for")
}

#[cfg(test)]
mod tests {
    use rustop_manager::testing::Cluster;

    use super::*;

    fn object(value: Value) -> DynamicObject {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn webhooks_that_another_process_serves_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let mut objects = [object(json!({
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingWebhookConfiguration",
            "metadata": {"name": "hooks"}, "webhooks": [],
        }))];
        let host = Host::loopback();
        let webhooks = LocalWebhooks::redirect_here(&mut objects, &host, None, dir.path());
        let mut webhooks = webhooks.unwrap().unwrap();
        let mut held = |mut lock: Option<File>| {
            webhooks.hold::<Error>("cluster", |key| {
                assert!(key.contains("cluster"), "{key}");
                Ok(lock.take())
            })
        };
        let file = File::create(dir.path().join("lock")).unwrap();
        assert!(held(Some(file)).is_ok());
        let error = held(None).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("another rustop on this machine serves "),
            "{error}"
        );
    }

    #[test]
    fn only_webhooks_of_the_projects_own_lead_here() {
        let mut objects = [
            object(
                json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "hooks"},
                "spec": {"ports": [{"port": 443}]}}),
            ),
            object(json!({"apiVersion": "admissionregistration.k8s.io/v1",
                "kind": "ValidatingWebhookConfiguration", "metadata": {"name": "v"}, "webhooks": [
                {"name": "a", "clientConfig": {"service": {"name": "hooks", "namespace": "ns", "path": "/a"}}},
                {"name": "b", "clientConfig": {"service": {"name": "others", "namespace": "ns"}}},
                {"name": "c", "clientConfig": {"url": "https://elsewhere"}}]})),
        ];
        let before = objects.clone();
        let host = Host::loopback();
        let dir = tempfile::tempdir().unwrap();
        assert!(
            LocalWebhooks::redirect_here(&mut objects[..1], &host, None, dir.path())
                .unwrap()
                .is_none()
        );
        let webhooks = LocalWebhooks::redirect_here(&mut objects, &host, None, dir.path());
        let webhooks = webhooks.unwrap().unwrap();
        assert_eq!(objects[0], before[0], "the Service stays");
        let clients = &objects[1].data["webhooks"];
        let url = format!("https://127.0.0.1:{}/a", webhooks.port);
        assert_eq!(clients[0]["clientConfig"]["url"], url);
        assert!(clients[0]["clientConfig"]["caBundle"].is_string());
        assert_eq!(clients[1], before[1].data["webhooks"][1]);
        assert_eq!(clients[2], before[1].data["webhooks"][2]);
        assert_eq!(objects[1].labels()[OWNER.0], OWNER.1);
        assert!(!webhooks.are_served());

        let mut objects = objects.to_vec();
        assert!(LocalWebhooks::leave_out(&mut objects) && objects.len() == 1);
        assert!(!LocalWebhooks::leave_out(&mut objects));
    }

    /// Returns runs of one project, as of several accounts: each has its own certificate and port.
    fn runs<const COUNT: usize>() -> [LocalWebhooks; COUNT] {
        [(); COUNT].map(|()| {
            let dir = tempfile::tempdir().unwrap();
            let mut objects = [
                object(
                    json!({"apiVersion": "v1", "kind": "Service", "spec": {"ports": [{"port": 443}]},
                    "metadata": {"name": "hooks", "namespace": "ns"}}),
                ),
                object(json!({"apiVersion": "admissionregistration.k8s.io/v1",
                    "kind": "ValidatingWebhookConfiguration", "metadata": {"name": "v"}, "webhooks": [
                    {"name": "a", "clientConfig": {"service": {"name": "hooks", "namespace": "ns"}}}]})),
                object(json!({"apiVersion": "admissionregistration.k8s.io/v1",
                    "kind": "MutatingWebhookConfiguration", "metadata": {"name": "m"}, "webhooks": [
                    {"name": "b", "clientConfig": {"service": {"name": "hooks", "namespace": "ns"}}}]})),
                object(json!({"apiVersion": "apiextensions.k8s.io/v1",
                    "kind": "CustomResourceDefinition", "metadata": {"name": "c"}, "spec": {"conversion":
                    {"strategy": "Webhook", "webhook": {"clientConfig": {"service": {"name": "hooks", "namespace": "ns"}}}}}})),
            ];
            let host = Host::loopback();
            let webhooks = LocalWebhooks::redirect_here(&mut objects, &host, None, dir.path());
            webhooks.unwrap().unwrap()
        })
    }

    /// Returns the objects of [`runs`] in the cluster.
    async fn present(client: &Client, webhooks: &LocalWebhooks) -> Vec<DynamicObject> {
        let mut present = Vec::new();
        for object in webhooks.configurations.iter().chain(&webhooks.converters) {
            let api = DiscoveryCache::default().api(client, object).await.unwrap();
            present.extend(api.get_opt(&object.name_any()).await.unwrap());
        }
        present
    }

    #[tokio::test]
    async fn of_two_runs_that_redirect_at_once_one_wins() {
        for has_killed_run in [false, true] {
            let client = Cluster::new().client();
            let [mut killed, mut first, mut second] = runs();
            if has_killed_run {
                killed.redirect(&client).await.unwrap();
            }
            first.check(&client).await.unwrap();
            second.check(&client).await.unwrap();
            let namespace = namespace_of(&first.converters[0]);
            first.apply(&client, vec![namespace]).await.unwrap();
            let of_first = present(&client, &first).await;
            assert_eq!(of_first.len(), 3);
            let error = second.apply(&client, Vec::new()).await.unwrap_err();
            assert!(
                matches!(error, Error::RedirectedMeanwhile { .. }),
                "{error}"
            );
            for other in [second, killed] {
                other.remove(&client).await.unwrap();
                assert_eq!(present(&client, &first).await, of_first);
            }
            first.remove(&client).await.unwrap();
            assert_eq!(present(&client, &first).await, []);
        }
    }

    #[tokio::test]
    async fn a_run_that_loses_has_not_replaced_a_service() {
        let client = Cluster::new().client();
        let [_, mut first, mut second] = runs();
        first.check(&client).await.unwrap();
        second.check(&client).await.unwrap();
        let configurations = first.configurations.clone();
        first
            .write_unchanged(&client, configurations)
            .await
            .unwrap();
        second.write_redirections(&client).await.unwrap_err();
        // The configurations of the first run, and no Service.
        assert_eq!(present(&client, &second).await.len(), 2);
    }

    /// The operator of the second run may take long to start: it meets the first only at its end.
    #[tokio::test]
    async fn a_run_that_began_to_serve_meanwhile_is_seen() {
        let client = Cluster::new().client();
        let [mut first, mut second] = runs();
        second.check(&client).await.unwrap();
        first.redirect(&client).await.unwrap();
        let of_first = present(&client, &first).await;
        let silent = TcpListener::bind((Ipv4Addr::LOCALHOST, first.port)).unwrap();
        let error = second.redirect(&client).await.unwrap_err();
        let Error::ServedElsewhere { objects, .. } = &error else {
            panic!("{error}");
        };
        let configurations = [("mutating", "m"), ("validating", "v")].map(|(kind, name)| {
            format!("{kind}webhookconfiguration.admissionregistration.k8s.io/{name}")
        });
        assert_eq!(objects[..], configurations, "{error}");
        second.remove(&client).await.unwrap();
        assert_eq!(present(&client, &first).await, of_first);

        // In a cluster of this project alone, the first has ended, whatever listens on its port.
        second.cluster.is_exclusive = true;
        second.check(&client).await.unwrap();
        second.cluster.is_exclusive = false;
        drop(silent);

        // One that has ended meanwhile is not an obstacle.
        first.remove(&client).await.unwrap();
        second.redirect(&client).await.unwrap();
        assert_eq!(present(&client, &second).await.len(), 3);
    }

    #[test]
    fn the_service_that_a_crd_names_becomes_this_machine() {
        let mut objects = [
            object(
                json!({"apiVersion": "v1", "kind": "Service", "spec": {"ports": [{"port": 443}]},
                "metadata": {"name": "hooks", "namespace": "ns"}}),
            ),
            object(
                json!({"apiVersion": "v1", "kind": "Service", "spec": {"ports": [{"port": 8443}]},
                "metadata": {"name": "metrics", "namespace": "ns"}}),
            ),
            object(json!({"apiVersion": "apiextensions.k8s.io/v1",
                "kind": "CustomResourceDefinition", "metadata": {"name": "c"}, "spec": {"conversion":
                {"strategy": "Webhook", "webhook": {"clientConfig": {"service": {"name": "hooks", "namespace": "ns"}}}}}})),
        ];
        let before = objects.clone();
        let dir = tempfile::tempdir().unwrap();
        let here =
            LocalWebhooks::redirect_here(&mut objects, &Host::loopback(), Some(9443), dir.path());
        assert_eq!(here.unwrap().unwrap().port, 9443);
        assert_eq!(objects[0].data["spec"]["externalName"], "127.0.0.1");
        assert_eq!(objects[1], before[1]);
        let client = objects[2].data["spec"]
            .pointer("/conversion/webhook/clientConfig")
            .unwrap();
        assert_eq!(client["service"]["port"], 9443);
        assert!(client["caBundle"].is_string());

        let mut objects = before.to_vec();
        assert!(LocalWebhooks::leave_out(&mut objects));
        assert_eq!(objects, before, "what is not converted is refused");
    }
}
