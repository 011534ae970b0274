//! Takes a namespace over from an earlier run, and checks its custom resources before the operator
//! starts.

use std::collections::BTreeSet;

use http::Method;
use serde_json::{Value, json};

use super::{RunNamespace, refusal, uid};
use crate::torture::api::call::Resource;
use crate::torture::env::cluster_view::ServedKinds;
use crate::torture::env::namespace::handed_over::{
    LeftNamespace, LossCause, LostValue, RejectedObject, StoredObject,
};
use crate::torture::error::Result;
use crate::torture::snapshot::fields::{TOUCH_ANNOTATION, kind};
use crate::torture::snapshot::{Mask, ObjectId, Snapshot};

impl RunNamespace<'_> {
    /// Reads the custom resources of the run, and returns them with the namespace for another run.
    /// `number` is that of this run, `roles` are those that it has created, and `own` are the kinds
    /// whose objects must survive the change of their CRDs.
    ///
    /// # Errors
    /// Returns an error if a request fails.
    pub async fn leave(
        &self,
        number: usize,
        roles: &[Value],
        own: &BTreeSet<Resource>,
    ) -> Result<LeftNamespace> {
        let mut stored = Vec::new();
        for it in self.own_objects(own) {
            // A version that is not converted is not stored either.
            let Ok(object) = self.send_json(Method::GET, &it.path, &Value::Null).await? else {
                continue;
            };
            stored.push(StoredObject {
                uid: uid(&object).to_owned(),
                object: self.snapshot_of(&object),
                version: it.version,
                path: it.path,
            });
        }
        Ok(LeftNamespace {
            number,
            before: self.before.clone(),
            written: self.journal.written(),
            roles: roles.to_vec(),
            stored,
        })
    }

    /// Replaces the roles of the run that left the namespace with `roles`.
    ///
    /// # Errors
    /// Returns an error if the API server rejects a role.
    pub async fn take_over(&self, left: &LeftNamespace, roles: &[Value]) -> Result<()> {
        for role in &left.roles {
            if let Some(kind) = self.kinds.of_written(role) {
                let name = role["metadata"]["name"].as_str().unwrap_or_default();
                let path = self.path_of(&kind, name);
                let _ = self.send_json(Method::DELETE, &path, &Value::Null).await?;
            }
        }
        for role in roles {
            let made = self.create(role.clone()).await?;
            made.map_err(|message| refusal(role, message))?;
        }
        Ok(())
    }

    /// Returns the custom resources of the run that the API server does not convert or no longer
    /// accepts, each in the first API version for which this holds, and the values that it loses.
    /// Reads each object, and changes an annotation of it in a dry run. `own` are the kinds of the
    /// custom resources, and `stored` the same objects under the CRDs of the other version.
    ///
    /// # Errors
    /// Returns an error if a request fails.
    pub async fn inspect_objects(
        &self,
        own: &BTreeSet<Resource>,
        stored: &[StoredObject],
    ) -> Result<(Vec<RejectedObject>, Vec<LostValue>)> {
        let touch = json!({ "metadata": { "annotations": { TOUCH_ANNOTATION: "upgrade" } } });
        let (mut rejected, mut lost) = (Vec::<RejectedObject>::new(), Vec::new());
        for it in self.own_objects(own) {
            if rejected.iter().any(|known| known.id == it.id) {
                continue;
            }
            let read = self.send_json(Method::GET, &it.path, &Value::Null).await?;
            let touched = match &read {
                Ok(_) => {
                    self.patch(&format!("{}?dryRun=All", it.path), &touch)
                        .await?
                }
                Err(_) => read.clone(),
            };
            let is_readable = read.is_ok();
            match (read, touched) {
                (Ok(read), Ok(touched)) => {
                    let [now, touched] = [&read, &touched].map(|it| self.snapshot_of(it));
                    let before = stored
                        .iter()
                        .find(|old| old.uid == uid(&read) && old.version == it.version);
                    if let Some(before) = before {
                        lost.extend(lost_values(
                            &before.object,
                            &now,
                            &it.version,
                            LossCause::Replaced,
                        ));
                    }
                    lost.extend(lost_values(
                        &now,
                        &touched,
                        &it.version,
                        LossCause::RoundTrip,
                    ));
                }
                (_, Err(message)) | (Err(message), _) => rejected.push(RejectedObject {
                    id: it.id,
                    version: it.version,
                    message,
                    is_readable,
                }),
            }
        }
        Ok((rejected, lost))
    }

    /// Returns the custom resources of the run, each in every API version that is served.
    fn own_objects(&self, own: &BTreeSet<Resource>) -> Vec<OwnObject> {
        let crds = self.cluster_view.objects("");
        let mut found = Vec::new();
        for object in self.objects() {
            let Some(resource) = resource_among(&self.kinds, own, &object) else {
                continue;
            };
            let name = object["metadata"]["name"].as_str().unwrap_or_default();
            let namespace = object["metadata"]["namespace"].as_str();
            for version in served_versions(&crds, &resource) {
                let in_version = Resource {
                    version: version.clone(),
                    ..resource.clone()
                };
                found.push(OwnObject {
                    id: ObjectId {
                        kind: kind(&object),
                        name: name.replace(&self.namespace, "NAMESPACE"),
                    },
                    path: format!("{}/{name}", in_version.path(namespace)),
                    version,
                });
            }
        }
        found
    }

    fn snapshot_of(&self, object: &Value) -> Snapshot {
        Snapshot::of([object], &self.namespace)
    }
}

/// A custom resource in one of its API versions.
struct OwnObject {
    id: ObjectId,
    version: String,
    path: String,
}

/// Returns the values of an object that are missing or different afterwards. A dry run may change
/// values by admission webhooks, so only missing ones count in a round trip.
fn lost_values(
    before: &Snapshot,
    after: &Snapshot,
    version: &str,
    cause: LossCause,
) -> Vec<LostValue> {
    let differences = before.differences(after, &Mask::default()).into_iter();
    differences
        .filter(|it| it.expected.is_some() && !it.field.is_empty())
        .filter(|it| it.found.is_none() || cause == LossCause::Replaced)
        .map(|difference| LostValue {
            difference,
            version: version.to_owned(),
            cause,
        })
        .collect()
}

/// Returns the resource of an object if it is among `own`, in any version.
fn resource_among(
    kinds: &ServedKinds,
    own: &BTreeSet<Resource>,
    object: &Value,
) -> Option<Resource> {
    let resource = kinds.resource_of(object)?;
    let is_own = |it: &Resource| (&it.group, &it.plural) == (&resource.group, &resource.plural);
    own.iter().any(is_own).then_some(resource)
}

/// Returns the versions in which the CRD of a resource is served.
fn served_versions(crds: &[Value], resource: &Resource) -> Vec<String> {
    let name = resource.to_string();
    let crd = crds.iter().find(|it| {
        it["kind"] == "CustomResourceDefinition" && it["metadata"]["name"] == name.as_str()
    });
    let versions = crd.and_then(|crd| crd["spec"]["versions"].as_array());
    versions
        .into_iter()
        .flatten()
        .filter(|version| version["served"] == true)
        .filter_map(|version| version["name"].as_str().map(str::to_owned))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_value_is_lost_and_a_new_one_is_not() {
        let cow = |spec: Value| {
            let cow = json!({"apiVersion": "my.domain/v1", "kind": "Cow", "metadata": {"name": "moo"}, "spec": spec});
            Snapshot::of([&cow], "t")
        };
        let before = cow(json!({"a": 1, "b": 1}));
        let lost = |after: Value, cause: LossCause| -> Vec<String> {
            lost_values(&before, &cow(after), "v1", cause)
                .iter()
                .map(|it| it.difference.to_string())
                .collect()
        };
        assert_eq!(
            lost(json!({"a": 1, "b": 1, "c": 1}), LossCause::Replaced),
            [""; 0]
        );
        let all = [
            "cow/moo spec.a: nothing instead of 1",
            "cow/moo spec.b: 2 instead of 1",
        ];
        assert_eq!(lost(json!({"b": 2}), LossCause::Replaced), all);
        assert_eq!(lost(json!({"b": 2}), LossCause::RoundTrip), all[..1]);
    }

    #[test]
    fn only_served_versions_are_requested() {
        let crd = json!({"kind": "CustomResourceDefinition", "metadata": {"name": "cows.my.domain"},
            "spec": {"versions": [
                {"name": "v1", "served": true}, {"name": "v1alpha1", "served": false}]}});
        let resource = |plural: &str| Resource {
            group: "my.domain".into(),
            version: "v1".into(),
            plural: plural.into(),
        };
        let crds = [crd];
        assert_eq!(served_versions(&crds, &resource("cows")), ["v1"]);
        assert_eq!(served_versions(&crds, &resource("hens")), [""; 0]);
    }
}
