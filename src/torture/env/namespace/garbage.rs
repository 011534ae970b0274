//! Garbage collection for a run. Kubernetes' own collector discovers new kinds every 30 s only, and
//! serves all runs one after the other.

use http::Method;
use serde_json::{Value, json};

use super::RunNamespace;

/// The finalizer of an object that is deleted in the foreground.
const FOREGROUND: &str = "foregroundDeletion";

impl RunNamespace<'_> {
    /// Deletes garbage, that is, objects of the run whose owners no longer exist. Returns true if
    /// there was any, or if an object in deletion still exists that has no finalizer or waits for
    /// its children.
    pub async fn collect_garbage(&self) -> bool {
        let objects = self.objects();
        let mut any = false;
        for object in &objects {
            let list = |key: &str| {
                object["metadata"][key]
                    .as_array()
                    .cloned()
                    .unwrap_or_default()
            };
            let (owners, finalizers) = (list("ownerReferences"), list("finalizers"));
            let ends = object["metadata"]["deletionTimestamp"].is_string();
            if ends && finalizers.is_empty() {
                any = true;
            } else if ends && finalizers.iter().any(|finalizer| finalizer == FOREGROUND) {
                any = true;
                self.let_go(object, &objects).await;
            } else if !ends && !owners.is_empty() && self.are_gone(&owners, &objects).await {
                any = true;
                self.delete_garbage(object).await;
            }
        }
        any
    }

    /// Reports whether none of the owners exists. The view may contain a child before its owner, so
    /// unknown owners are requested.
    async fn are_gone(&self, owners: &[Value], objects: &[Value]) -> bool {
        for owner in owners {
            if objects
                .iter()
                .any(|object| object["metadata"]["uid"] == owner["uid"])
            {
                return false;
            }
            let Some(kind) = self.kinds.of_object(owner) else {
                return false;
            };
            let name = owner["name"].as_str().unwrap_or_default();
            match self.find(&self.path_of(kind, name)).await {
                Ok(Some(live)) if live["metadata"]["uid"] == owner["uid"] => return false,
                // It may exist.
                Err(_) => return false,
                Ok(_) => {}
            }
        }
        true
    }

    /// Continues a foreground deletion: deletes the children, and removes the finalizer when no
    /// child is left.
    async fn let_go(&self, object: &Value, objects: &[Value]) {
        let uid = &object["metadata"]["uid"];
        let is_child = |other: &&Value| {
            let owners = other["metadata"]["ownerReferences"].as_array();
            owners
                .into_iter()
                .flatten()
                .any(|owner| owner["uid"] == *uid && owner["blockOwnerDeletion"] == true)
        };
        let mut left = false;
        for child in objects.iter().filter(is_child) {
            left = true;
            if !child["metadata"]["deletionTimestamp"].is_string() {
                self.delete_garbage(child).await;
            }
        }
        if !left && let Some(kind) = self.kinds.of_object(object) {
            let mut finalizers = object["metadata"]["finalizers"]
                .as_array()
                .cloned()
                .unwrap_or_default();
            finalizers.retain(|finalizer| finalizer != FOREGROUND);
            let name = object["metadata"]["name"].as_str().unwrap_or_default();
            let change = json!({"metadata": {"uid": uid, "finalizers": finalizers,
                "resourceVersion": object["metadata"]["resourceVersion"]}});
            let _ = self.patch(&self.path_of(kind, name), &change).await;
        }
    }

    async fn delete_garbage(&self, object: &Value) {
        let Some(kind) = self.kinds.of_object(object) else {
            return;
        };
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        let only = json!({"preconditions": {"uid": object["metadata"]["uid"]}, "propagationPolicy": "Background"});
        // Kubernetes' own collector may have deleted it already.
        let _ = self
            .send_json(Method::DELETE, &self.path_of(kind, name), &only)
            .await;
    }
}
