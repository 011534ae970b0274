//! A watched kind at run time: its names, its list paths, and diagnoses of failed requests.

use kube::{
    Client,
    core::{Request, Status},
    discovery::ApiResource,
};

use crate::cache::selection::Watch;
use crate::error;
use crate::kind::Kind;
use crate::object::{self, AnyObject, Identity};
use crate::rbac::Permission;

/// The properties of a watched kind that do not need its type.
#[derive(Clone, Debug)]
pub(crate) struct WatchTarget {
    /// The names of the kind in the API.
    pub kind: Kind,
    /// The identity of the kind's type. Two types may have the same API names.
    pub identity: Identity,
    /// True if the controller owns the kind. A controller usually applies the kinds that it owns,
    /// so it needs more permissions.
    pub owned: bool,
    /// True for an optional kind: the controller starts even if the API server does not serve it.
    pub optional: bool,
    /// The selector, the projection and the shards.
    pub watch: Watch,
    /// The URL paths at which objects are listed: one per namespace, or one for the whole cluster.
    paths: Vec<String>,
}

impl WatchTarget {
    /// Returns the target for all objects of a kind in these namespaces, in the whole cluster if
    /// they are empty. The caller sets the other fields.
    pub fn of<K: AnyObject>(kind: &K::DynamicType, namespaces: &[String]) -> Self {
        let path = |namespace: Option<&str>| K::url_path(kind, namespace);
        let places = object::places::<K>(kind, namespaces).into_iter();
        Self {
            kind: object::erase::<K>(kind),
            identity: Identity::of::<K>(kind),
            owned: false,
            optional: false,
            watch: Watch::default(),
            paths: places.map(path).collect(),
        }
    }

    /// Lists at most one object per namespace. Fails if the API server does not serve the kind,
    /// rejects the selector, or denies permission.
    pub async fn probe(&self, client: &Client) -> Result<(), kube::Error> {
        for path in &self.paths {
            let one = self.watch.list().limit(1);
            let request = Request::new(path).list_metadata(&one);
            client
                .request_text(request.map_err(kube::Error::BuildRequest)?)
                .await?;
        }
        Ok(())
    }

    /// Returns the permission to read and watch the kind. Its marker also contains the verbs with
    /// which a controller applies an owned kind.
    pub fn reading(&self) -> Permission {
        let reading = Permission::new(
            &self.kind.group,
            &*self.kind.plural,
            &["get", "list", "watch"],
        );
        // `create` cannot be limited to a name.
        let name = self.watch.name().filter(|_| !self.owned);
        let reading = reading.of_name(name);
        reading.usually(if self.owned {
            &["create", "patch"]
        } else {
            &[]
        })
    }

    /// Describes the problem that keeps a controller from starting, given the error of
    /// [`WatchTarget::probe`]. `None` if the kind is optional and not served, and for errors that
    /// [`WatchTarget::diagnose`] ignores.
    pub fn lacks(&self, error: &kube::Error) -> Option<String> {
        let unserved = matches!(error, kube::Error::Api(status) if status.code == 404);
        if self.optional && unserved {
            return None;
        }
        self.diagnose(error)
    }

    /// Describes a problem and its fix in one sentence. `None` for errors that are part of normal
    /// operation: a watch whose history expired recovers without help.
    pub fn diagnose(&self, error: &kube::Error) -> Option<String> {
        match error {
            kube::Error::Api(status) => self.diagnose_refusal(status),
            other => Some(format!("{}: {}", self.kind.plural, error::describe(other))),
        }
    }

    /// Does the same as [`WatchTarget::diagnose`] for a response of the API server.
    fn diagnose_refusal(&self, status: &Status) -> Option<String> {
        let ApiResource {
            group,
            version,
            kind,
            plural,
            ..
        } = &*self.kind;
        match status.code {
            410 => None,
            404 if group.is_empty() || group.ends_with(".k8s.io") || !group.contains('.') => Some(
                format!("the API server does not serve {plural} ({group}/{version})"),
            ),
            404 => Some(format!(
                "the CustomResourceDefinition {plural}.{group} with version {version} is not installed; help: \
                 run `make install`"
            )),
            403 => Some(format!(
                "no permission to list and watch {kind} ({}); help: add `{}` and run `make manifests deploy`",
                status.message,
                self.reading().marker()
            )),
            _ => Some(format!("{plural}: {}", status.message)),
        }
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::{apps::v1::Deployment, core::v1::Node};
    use kube::core::GroupVersionKind;

    use super::*;

    fn refusal(code: u16) -> kube::Error {
        kube::Error::Api(Box::new(Status {
            code,
            message: "no".into(),
            ..Status::default()
        }))
    }

    #[test]
    fn a_missing_permission_is_answered_with_its_marker() {
        let text = WatchTarget::of::<Deployment>(&(), &[])
            .diagnose(&refusal(403))
            .unwrap();
        assert!(
            text.contains(
                "// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch"
            ),
            "{text}"
        );
    }

    #[test]
    fn a_missing_definition_is_answered_with_the_command() {
        let mut kind = WatchTarget::of::<Deployment>(&(), &[]);
        let gvk = GroupVersionKind::gvk("my.domain", "v1", "Widget");
        kind.kind = Kind::known(ApiResource::from_gvk(&gvk), true);
        assert!(
            kind.diagnose(&refusal(404))
                .unwrap()
                .contains("make install")
        );
        assert!(
            !WatchTarget::of::<Deployment>(&(), &[])
                .diagnose(&refusal(404))
                .unwrap()
                .contains("make install")
        );
    }

    #[test]
    fn a_watch_of_one_object_needs_permission_for_that_object_only() {
        let mut target = WatchTarget::of::<Deployment>(&(), &[]);
        target.watch = Watch::default().and_fields("metadata.name=web");
        let marker = target.reading().marker();
        assert!(
            marker.ends_with(",verbs=get;list;watch,resourceNames=web"),
            "{marker}"
        );
        target.owned = true;
        assert!(!target.reading().marker().contains("resourceNames"));
    }

    #[test]
    fn an_expired_watch_is_not_a_problem() {
        assert_eq!(
            WatchTarget::of::<Deployment>(&(), &[]).diagnose(&refusal(410)),
            None
        );
    }

    #[test]
    fn a_cluster_scoped_kind_is_watched_once() {
        let two = ["a".to_owned(), "b".to_owned()];
        assert_eq!(WatchTarget::of::<Node>(&(), &two).paths, ["/api/v1/nodes"]);
        assert_eq!(
            WatchTarget::of::<Deployment>(&(), &two).paths,
            [
                "/apis/apps/v1/namespaces/a/deployments",
                "/apis/apps/v1/namespaces/b/deployments"
            ]
        );
    }

    #[cfg(feature = "dynamic")]
    #[test]
    fn a_kind_known_at_run_time_is_asked_for_by_its_own_name() {
        let gvk = GroupVersionKind::gvk("my.domain", "v1", "Widget");
        let resource = ApiResource::from_gvk(&gvk);
        let namespaces = ["a".to_owned()];
        for (namespaced, path) in [
            (true, "/apis/my.domain/v1/namespaces/a/widgets"),
            (false, "/apis/my.domain/v1/widgets"),
        ] {
            let kind = Kind::known(resource.clone(), namespaced);
            let target = WatchTarget::of::<crate::DynamicObject>(&kind, &namespaces);
            assert_eq!(target.paths, [path]);
            let text = target.diagnose(&refusal(403)).unwrap();
            let marker =
                "// +kubebuilder:rbac:groups=my.domain,resources=widgets,verbs=get;list;watch";
            assert!(text.contains(marker), "{text}");
        }
    }
}
