//! The finalizer that keeps an object until its cleanup is done.
//!
//! It is added by a JSON patch that fails if the finalizers have changed since, and removed by one
//! that fails if it is no longer at its index. Both fail if the object has been replaced: a new
//! object of the same name must not lose its finalizer because of its predecessor's cleanup.

use kube::{
    Api, ResourceExt,
    api::{Patch, PatchParams},
};
use serde_json::{Value, json};

use crate::context::Context;
use crate::error::{Error, Result};
use crate::object::{AnyObject, KindOf};

/// The next action for an object.
#[derive(Debug, PartialEq)]
pub(crate) enum FinalizerStep {
    /// Add the finalizer with this patch before anything else: without it there might be no
    /// cleanup.
    Add(Value),
    Reconcile,
    /// Clean up, then remove the finalizer with this patch.
    CleanUp(Value),
    /// Nothing: the deleted object waits for other finalizers.
    Leave,
}

/// Returns the next step for an object, depending on the finalizer called `name`.
pub(crate) fn step(object: &impl ResourceExt, name: &str) -> FinalizerStep {
    let finalizers = object.finalizers();
    let is_deleting = object.meta().deletion_timestamp.is_some();
    let at = finalizers.iter().position(|finalizer| finalizer == name);
    let same = json!({ "op": "test", "path": "/metadata/uid", "value": object.meta().uid });
    match at {
        Some(_) if !is_deleting => FinalizerStep::Reconcile,
        Some(at) => {
            let path = format!("/metadata/finalizers/{at}");
            FinalizerStep::CleanUp(json!([
                same,
                { "op": "test", "path": path, "value": name },
                { "op": "remove", "path": path },
            ]))
        }
        None if is_deleting => FinalizerStep::Leave,
        None => {
            let path = "/metadata/finalizers";
            // A test for `null` succeeds if the list is missing.
            let seen = (!finalizers.is_empty()).then_some(finalizers);
            let more = [finalizers, &[name.to_owned()]].concat();
            FinalizerStep::Add(json!([
                same,
                { "op": "test", "path": path, "value": seen },
                { "op": "add", "path": path, "value": more },
            ]))
        }
    }
}

/// Sends the patch of a [`FinalizerStep`] for the reconciled object.
pub(crate) async fn change<K: AnyObject>(context: &Context<K>, patch: Value) -> Result<()> {
    let meta = context.object.meta();
    let kind = context.kind();
    let api: Api<K> = kind.api(context.client().clone(), meta.namespace.as_deref());
    let patch = Patch::Json::<()>(serde_json::from_value(patch)?);
    let name = meta.name.as_deref().unwrap_or_default();
    match api.patch(name, &PatchParams::default(), &patch).await {
        // The cache is stale: the object is gone (404), a test of the patch failed, or the object
        // is being deleted by now (422).
        Err(kube::Error::Api(status)) if [404, 422].contains(&status.code) => {
            Err(Error::from(kube::Error::Api(status)).with_reason("Conflict"))
        }
        Err(error) => {
            let verb = "change the finalizers of";
            Err(Error::from(error).of_request(verb, &K::kind(kind), meta))
        }
        Ok(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::{api::core::v1::ConfigMap, apimachinery::pkg::apis::meta::v1::Time};

    use super::*;

    fn map(finalizers: &[&str], deleting: bool) -> ConfigMap {
        let mut map = ConfigMap::default();
        map.metadata.uid = Some("1".to_owned());
        map.metadata.finalizers = Some(finalizers.iter().map(|&name| name.to_owned()).collect());
        map.metadata.deletion_timestamp = deleting.then(|| Time(jiff::Timestamp::now()));
        map
    }

    #[test]
    fn the_finalizer_is_added_before_the_first_reconcile() {
        let added = |others: &[&str], seen: Value, after: &[&str]| {
            let patch = json!([
                {"op": "test", "path": "/metadata/uid", "value": "1"},
                {"op": "test", "path": "/metadata/finalizers", "value": seen},
                {"op": "add", "path": "/metadata/finalizers", "value": after},
            ]);
            assert_eq!(step(&map(others, false), "a/b"), FinalizerStep::Add(patch));
        };
        added(&[], Value::Null, &["a/b"]);
        added(&["c/d"], json!(["c/d"]), &["c/d", "a/b"]);
        assert_eq!(step(&map(&["a/b"], false), "a/b"), FinalizerStep::Reconcile);
    }

    #[test]
    fn the_finalizer_is_removed_from_the_cleaned_object() {
        let patch = json!([
            {"op": "test", "path": "/metadata/uid", "value": "1"},
            {"op": "test", "path": "/metadata/finalizers/1", "value": "a/b"},
            {"op": "remove", "path": "/metadata/finalizers/1"},
        ]);
        let going = map(&["c/d", "a/b"], true);
        assert_eq!(step(&going, "a/b"), FinalizerStep::CleanUp(patch));
        assert_eq!(step(&map(&["c/d"], true), "a/b"), FinalizerStep::Leave);
    }
}
