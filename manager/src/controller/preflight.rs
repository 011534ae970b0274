//! What must be there before a controller can work, checked with words instead of a crash: the
//! kinds it watches and the permissions it declared.
//!
//! What is missing is said once, together with what mends it: a command, or the marker to paste.
//! Meanwhile the operator reports that it is not ready, asks again, and goes on by itself.

use std::time::Duration;

use k8s_openapi::api::authorization::v1::{
    ResourceAttributes, SelfSubjectAccessReview, SelfSubjectAccessReviewSpec,
};
use kube::{Api, Client, api::PostParams};
use tokio_util::sync::CancellationToken;

use crate::cache::{watch_health::WatchHealth, watch_target::WatchTarget};
use crate::rbac::Permission;

/// How long until a controller that cannot start asks again.
const AGAIN: Duration = Duration::from_secs(2);

/// What a controller needs.
pub(crate) struct Needs {
    /// Must be served by the API server, and readable.
    pub kinds: Vec<WatchTarget>,
    /// Needed to work at all.
    pub required: Vec<Permission>,
    /// Whatever lacks these works, but says less.
    pub wished: Vec<Permission>,
    pub namespaces: Vec<String>,
}

/// Returns once everything needed is there, or `stop` is cancelled.
pub(crate) async fn passed(
    client: &Client,
    needs: &Needs,
    watched: &WatchHealth,
    stop: &CancellationToken,
) {
    loop {
        let troubles = check(client, needs).await;
        watched.starting(&troubles);
        if troubles.is_empty() {
            break;
        }
        tokio::select! {
            () = tokio::time::sleep(AGAIN) => {}
            () = stop.cancelled() => return,
        }
    }
    for permission in missing(client, &needs.wished, &needs.namespaces).await {
        tracing::warn!(
            "not permitted, so events are not published: add `{}`",
            permission.marker()
        );
    }
}

async fn check(client: &Client, needs: &Needs) -> Vec<String> {
    let mut troubles = Vec::new();
    for kind in &needs.kinds {
        if let Err(error) = kind.probe(client).await {
            troubles.extend(kind.lacks(&error));
        }
    }
    let missing = missing(client, &needs.required, &needs.namespaces).await;
    for marker in missing.iter().map(Permission::marker) {
        if !troubles.iter().any(|trouble| trouble.contains(&marker)) {
            troubles.push(format!(
                "a permission is missing: add `{marker}` and run `make manifests deploy`"
            ));
        }
    }
    troubles
}

/// The part of `permissions` that the API server says we lack. Whoever may not even ask gets the
/// benefit of the doubt: the requests themselves will tell.
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
            lacks(permission, permission.usual).await;
            missing.push(permission.clone());
        }
    }
    missing
}

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
