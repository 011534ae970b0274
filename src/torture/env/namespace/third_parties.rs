//! Actions of other clients on the operator's children, and their own objects.

use http::Method;
use serde_json::{Value, json};

use super::{ApiAnswer, RunNamespace};
use crate::torture::error::Result;
use crate::torture::scenario::Child;

/// The name of the owner of objects that are not the operator's.
const STRANGER: &str = "another-owner";

impl RunNamespace<'_> {
    /// Edits a child by a merge patch, or deletes it if `edit` is `None`. The inner `Err` is the
    /// message of the API server, or says that the child does not exist.
    pub(super) async fn on_child(&self, child: &Child, edit: Option<&Value>) -> Result<ApiAnswer> {
        let Some(kind) = self
            .kinds
            .of_object(&json!({"apiVersion": child.api_version, "kind": child.kind}))
        else {
            return Ok(Err("the API server does not serve its kind".into()));
        };
        let objects = self.objects();
        let live = objects.iter().find(|object| {
            let same_name = match &child.generate_name {
                Some(prefix) => object["metadata"]["generateName"] == prefix.as_str(),
                None => object["metadata"]["name"].as_str().is_some_and(|name| {
                    name.replace(&self.namespace, "NAMESPACE") == child.id.name
                }),
            };
            object["kind"] == child.kind.as_str() && same_name
        });
        let Some(name) = live.and_then(|live| live["metadata"]["name"].as_str()) else {
            return Ok(Err(format!("{} does not exist", child.id)));
        };
        let path = self.path_of(kind, name);
        let answer = match edit {
            Some(edit) => self.patch(&path, edit).await?,
            None => {
                self.send_json(Method::DELETE, &path, &json!({ "gracePeriodSeconds": 0 }))
                    .await?
            }
        };
        self.wait_until_in_view(kind, &answer).await;
        Ok(answer)
    }

    /// Edits an object of the user by a merge patch, or deletes it if `edit` is `None`.
    pub(super) async fn on_other(&self, object: &Value, edit: Option<&Value>) -> Result<ApiAnswer> {
        let Some(kind) = self.kinds.of_written(object) else {
            return Ok(Err("the API server does not serve its kind".into()));
        };
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        let path = self.path_of(&kind, name);
        if let Some(edit) = edit {
            let answer = self.patch(&path, edit).await?;
            self.wait_until_in_view(&kind, &answer).await;
            return Ok(answer);
        }
        let options = json!({ "propagationPolicy": "Background" });
        let answer = self.send_json(Method::DELETE, &path, &options).await?;
        self.until_gone(&path).await;
        Ok(answer)
    }

    /// Creates copies of children for another owner, with the names that the operator uses or with
    /// other names.
    pub(super) async fn create_foreign_objects(
        &self,
        same_names: bool,
        like: &[Child],
    ) -> Result<ApiAnswer> {
        let owner =
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": STRANGER}});
        let owner = match self.create(owner).await? {
            Ok(owner) => owner,
            refused => return Ok(refused),
        };
        let reference = json!([{"apiVersion": "v1", "kind": "ConfigMap", "name": STRANGER,
            "uid": owner["metadata"]["uid"], "controller": true, "blockOwnerDeletion": false}]);
        for child in like {
            let mut object = child.object.clone();
            let labels = object["metadata"]["labels"].take();
            let name = match (same_names, &child.generate_name) {
                // No other object can take a name before the API server generates it.
                (true, Some(_)) => continue,
                (true, None) => child.id.name.replace("NAMESPACE", &self.namespace),
                (false, _) => format!("{STRANGER}-{}", child.kind.to_lowercase()),
            };
            object["metadata"] =
                json!({"name": name, "labels": labels, "ownerReferences": reference});
            object.as_object_mut().map(|object| object.remove("status"));
            // A copy would have the cluster IP and the node ports of the original.
            if object["kind"] == "Service" {
                object["spec"] = json!({"ports": [{"port": 80}]});
            }
            if let refused @ Err(_) = self.create(object).await? {
                return Ok(refused);
            }
        }
        Ok(Ok(Value::Null))
    }
}
