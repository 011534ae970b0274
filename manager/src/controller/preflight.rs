//! Checks before a controller starts: whether the API server serves the kinds that it watches, and
//! whether the operator has the required permissions.
//!
//! Each problem is reported once, with the command that fixes it or the RBAC marker to add.
//! Meanwhile the operator is not ready. It repeats the checks and starts the controller once they
//! pass.

use std::time::Duration;

use k8s_openapi::api::authorization::v1::{
    ResourceAttributes, SelfSubjectAccessReview, SelfSubjectAccessReviewSpec,
};
use kube::{Api, Client, api::PostParams};
use tokio_util::sync::CancellationToken;

use crate::cache::{watch_health::WatchHealth, watch_target::WatchTarget};
use crate::rbac::Permission;

/// Delay before failed checks are repeated.
const AGAIN: Duration = Duration::from_secs(2);

/// The kinds and permissions that a controller needs.
pub(crate) struct Needs {
    /// Kinds that the API server must serve, unless they are optional, and that the operator must
    /// be able to read. The first is the controller's own kind.
    pub kinds: Vec<WatchTarget>,
    /// Permissions without which the controller does not start.
    pub required: Vec<Permission>,
    /// Permissions without which the controller starts, but does not publish events. A missing one
    /// is logged as a warning.
    pub wished: Vec<Permission>,
    /// The namespaces in which the permissions are needed; empty for all.
    pub namespaces: Vec<String>,
}

/// Waits until the checks pass or `stop` is cancelled. Repeats them every 2 s. `watched` is the
/// part of the health that reports the problems.
pub(crate) async fn passed(
    client: &Client,
    needs: &Needs,
    watched: &WatchHealth,
    stop: &CancellationToken,
) {
    loop {
        let troubles = check(client, needs).await;
        watched.report_start(&troubles);
        if troubles.is_empty() {
            break;
        }
        tokio::select! {
            biased;
            () = stop.cancelled() => return,
            () = tokio::time::sleep(AGAIN) => {}
        }
    }
    for permission in missing(client, &needs.wished, &needs.namespaces).await {
        tracing::warn!(
            "no permission to publish events; help: add `{}` and run `make manifests deploy`",
            permission.marker()
        );
    }
}

/// Returns the problems that keep the controller from starting, each with its help.
async fn check(client: &Client, needs: &Needs) -> Vec<String> {
    let mut troubles = Vec::new();
    for kind in &needs.kinds {
        if let Err(error) = kind.probe(client).await {
            troubles.extend(kind.lacks(&error));
        }
    }
    let missing = missing(client, &needs.required, &needs.namespaces).await;
    for permission in &missing {
        // A kind that cannot be listed was reported above with the same marker.
        let marker = permission.marker();
        if !troubles.iter().any(|trouble| trouble.contains(&marker)) {
            troubles.push(format!(
                "no permission to {} {}; help: add `{marker}` and run `make manifests deploy`",
                permission.verbs.join(", "),
                permission.resource
            ));
        }
    }
    troubles
}

/// Returns the permissions that the operator lacks in one of `namespaces` (in the cluster if they
/// are empty), according to access reviews. If a review fails, the permission counts as granted: if
/// it is missing after all, the requests themselves fail and report it.
async fn missing(
    client: &Client,
    permissions: &[Permission],
    namespaces: &[String],
) -> Vec<Permission> {
    let mut missing = Vec::new();
    let everywhere: Vec<Option<&str>> = if namespaces.is_empty() {
        vec![None]
    } else {
        namespaces.iter().map(|name| Some(name.as_str())).collect()
    };
    let lacks = async |permission: &Permission, verbs: &[&str]| {
        let mut lacks = false;
        for verb in verbs {
            for namespace in &everywhere {
                lacks |= !permitted(client, permission, verb, *namespace).await;
            }
        }
        lacks
    };
    for permission in permissions {
        if lacks(permission, &permission.verbs).await {
            // The result does not matter: these reviews put the usual verbs into the audit log,
            // from which `rustop rbac report` suggests a marker.
            lacks(permission, permission.usual).await;
            missing.push(permission.clone());
        }
    }
    missing
}

/// Returns true if an access review allows the verb, or if the review fails. `namespace` is `None`
/// for the whole cluster.
async fn permitted(
    client: &Client,
    permission: &Permission,
    verb: &str,
    namespace: Option<&str>,
) -> bool {
    let (resource, subresource) = match permission.resource.split_once('/') {
        Some((resource, subresource)) => (resource, Some(subresource.to_owned())),
        None => (permission.resource.as_str(), None),
    };
    let review = SelfSubjectAccessReview {
        spec: SelfSubjectAccessReviewSpec {
            resource_attributes: Some(ResourceAttributes {
                group: Some(permission.group.clone()),
                resource: Some(resource.to_owned()),
                subresource,
                name: permission.name.clone(),
                verb: Some(verb.to_owned()),
                namespace: namespace.map(str::to_owned),
                ..ResourceAttributes::default()
            }),
            ..SelfSubjectAccessReviewSpec::default()
        },
        ..SelfSubjectAccessReview::default()
    };
    match Api::<SelfSubjectAccessReview>::all(client.clone())
        .create(&PostParams::default(), &review)
        .await
    {
        Ok(review) => review.status.is_none_or(|status| status.allowed),
        Err(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use http::Response;
    use kube::client::Body;
    use serde_json::json;

    use super::*;
    use crate::mock;

    #[tokio::test]
    async fn a_missing_permission_names_verbs_and_resource() {
        let (client, mut reviews) = mock::client();
        tokio::spawn(async move {
            while let Some((_, respond)) = reviews.recv().await {
                let review = json!({"spec": {}, "status": {"allowed": false}});
                let body = Body::from(review.to_string().into_bytes());
                let _ = respond.send(Response::new(body));
            }
        });
        let needs = Needs {
            kinds: Vec::new(),
            required: vec![Permission::new("my.domain", "cows", &["list", "watch"])],
            wished: Vec::new(),
            namespaces: Vec::new(),
        };
        assert_eq!(
            check(&client, &needs).await,
            [
                "no permission to list, watch cows; help: add `// +kubebuilder:rbac:groups=my.domain,resources=cows,\
                 verbs=list;watch` and run `make manifests deploy`"
            ]
        );
    }
}
