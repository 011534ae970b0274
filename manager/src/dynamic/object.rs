//! Objects of kinds that are known only at run time.

use std::{borrow::Cow, sync::Arc};

use kube::core::{DynamicResourceScope, ObjectMeta, object::HasStatus};
use kube::{Api, Client, Resource};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{Error, Result};
use crate::kind::Kind;
use crate::object::KindOf;

/// An object whose kind is known only at run time, like kube's `DynamicObject`, but with a separate
/// status.
///
/// Any Kubernetes object in JSON can be converted into it. In caches and reconciles, its [`Kind`]
/// is known. (`serde_json` is available as `k8s_openapi::serde_json`.)
///
/// ```
/// # use kube::discovery::{ApiResource, Scope};
/// # use kube::core::GroupVersionKind;
/// # use rustop_manager::{DynamicObject, Kind};
/// # let gvk = GroupVersionKind::gvk("my.domain", "v1", "Widget");
/// # let widgets = Kind::new(ApiResource::from_gvk_with_plural(&gvk, "widgets"), &Scope::Namespaced);
/// use serde_json::json;
///
/// let small = DynamicObject::new("small", &widgets).data(json!({"spec": {"size": 1}}));
/// assert_eq!(small.data["spec"]["size"], 1);
/// let json = json!({
///     "apiVersion": "my.domain/v1", "kind": "Widget", "metadata": {"name": "small"}, "spec": {"size": 1},
/// });
/// assert_eq!(small, serde_json::from_value(json)?);
/// # serde_json::Result::Ok(())
/// ```
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct DynamicObject {
    /// Group and version, such as `apps/v1`; only the version for the core group.
    #[serde(default)]
    pub api_version: String,
    /// Name of the kind, such as `Deployment`.
    #[serde(default)]
    pub kind: String,
    /// Metadata, as in every object.
    #[serde(default)]
    pub metadata: ObjectMeta,
    /// The status; `None` if the object has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Value>,
    /// All other fields, such as `spec`, as a JSON object.
    #[serde(flatten)]
    pub data: Value,
}

impl DynamicObject {
    /// Creates an object with the names of its kind, a name and no other fields.
    #[must_use]
    pub fn new(name: &str, kind: &Kind) -> Self {
        Self {
            api_version: kind.api_version.clone(),
            kind: kind.kind.clone(),
            metadata: ObjectMeta {
                name: Some(name.to_owned()),
                ..ObjectMeta::default()
            },
            status: None,
            data: Value::default(),
        }
    }

    /// Sets all fields except `apiVersion`, `kind`, metadata and status: `data` is a JSON object
    /// such as `{"spec": {}}`.
    #[must_use]
    pub fn data(mut self, data: Value) -> Self {
        self.data = data;
        self
    }

    /// Sets the namespace.
    #[must_use]
    pub fn within(mut self, namespace: &str) -> Self {
        self.metadata.namespace = Some(namespace.to_owned());
        self
    }
}

impl Resource for DynamicObject {
    type DynamicType = Kind;
    type Scope = DynamicResourceScope;

    fn kind(kind: &Kind) -> Cow<'_, str> {
        (&*kind.kind).into()
    }

    fn group(kind: &Kind) -> Cow<'_, str> {
        (&*kind.group).into()
    }

    fn version(kind: &Kind) -> Cow<'_, str> {
        (&*kind.version).into()
    }

    fn plural(kind: &Kind) -> Cow<'_, str> {
        (&*kind.plural).into()
    }

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

impl HasStatus for DynamicObject {
    type Status = Value;

    /// Returns the status only if it is a JSON object, because no fields can be set in other
    /// values.
    fn status(&self) -> Option<&Value> {
        self.status.as_ref().filter(|status| status.is_object())
    }

    fn status_mut(&mut self) -> &mut Option<Value> {
        &mut self.status
    }
}

impl KindOf<DynamicObject> for Kind {
    fn at_run_time(&self) -> Option<&Kind> {
        Some(self)
    }

    fn is_namespaced(&self) -> bool {
        Kind::is_namespaced(self)
    }

    fn call(&self, word: &str) -> String {
        match word {
            "owns" => "owns_matching(Watch::of_kind(..))".to_owned(),
            "refers_to" => "refers_to_kind(..)".to_owned(),
            _ => format!("of_kind(..).{word}()"),
        }
    }

    fn api<R>(&self, client: Client, namespace: Option<&str>) -> Api<R>
    where
        R: Resource<DynamicType = Kind, Scope = DynamicResourceScope>,
    {
        match namespace.filter(|_| self.is_namespaced()) {
            Some(namespace) => Api::namespaced_with(client, namespace, self),
            None => Api::all_with(client, self),
        }
    }

    fn of_object<'a>(
        object: &DynamicObject,
        mut known: impl Iterator<Item = &'a Kind>,
    ) -> Result<Self> {
        let is_its =
            |kind: &&Kind| (&kind.kind, &kind.api_version) == (&object.kind, &object.api_version);
        known.find(is_its).cloned().ok_or_else(|| {
            let (kind, version) = (&object.kind, &object.api_version);
            let text = format!(
                "cannot map kind {kind:?} of {version:?} to a resource: this controller does not watch it; \
                 help: add `.owns_matching(Watch::of_kind(..))`, or use `ctx.of_kind(..).apply(..)`"
            );
            Error::new("NotWatched", text)
        })
    }

    fn name_and_group(object: &DynamicObject) -> (Cow<'_, str>, Cow<'_, str>) {
        let (group, _) = object.api_version.split_once('/').unwrap_or_default();
        (object.kind.as_str().into(), group.into())
    }

    /// Decodes an object, and adds its kind if that is missing, as in lists of Kubernetes' own
    /// kinds.
    fn decode(&self, text: String) -> serde_json::Result<(Arc<DynamicObject>, String)> {
        let mut object: DynamicObject = serde_json::from_str(&text)?;
        if !object.kind.is_empty() {
            return Ok((Arc::new(object), text));
        }
        object.api_version.clone_from(&self.api_version);
        object.kind.clone_from(&self.kind);
        let text = serde_json::to_string(&object)?;
        Ok((Arc::new(object), text))
    }
}

#[cfg(test)]
mod tests {
    use kube::discovery::{ApiResource, Scope};
    use serde_json::json;

    use super::*;

    fn kind(group: &str, plural: &str) -> Kind {
        let gvk = kube::core::GroupVersionKind::gvk(group, "v1", "Widget");
        let resource = ApiResource::from_gvk_with_plural(&gvk, plural);
        Kind::new(resource, &Scope::Namespaced)
    }

    #[test]
    fn the_kind_that_list_items_lack_is_restored() {
        let widgets = kind("my.domain", "widgets");
        let bare =
            json!({"metadata": {"name": "a"}, "spec": {"size": 1}, "status": {"seen": true}});
        let (object, text) = widgets.decode(bare.to_string()).unwrap();
        assert_eq!(object.data, json!({"spec": {"size": 1}}));
        assert_eq!(object.status, Some(json!({"seen": true})));
        let mut full = bare;
        full["apiVersion"] = "my.domain/v1".into();
        full["kind"] = "Widget".into();
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), full);
        // An object that contains its kind stays as it is.
        let (again, same) = widgets.decode(text.clone()).unwrap();
        assert_eq!((again, same), (object, text));
    }

    #[test]
    fn an_object_with_a_name_alone_is_json_all_the_same() {
        let object = DynamicObject::new("a", &kind("my.domain", "widgets")).within("ns");
        let json = json!({
            "apiVersion": "my.domain/v1", "kind": "Widget", "metadata": {"name": "a", "namespace": "ns"},
        });
        assert_eq!(serde_json::to_value(object).unwrap(), json);
    }

    #[test]
    fn the_kind_is_found_by_apiversion_and_kind() {
        let known = [kind("a.domain", "widgets"), kind("my.domain", "widgetz")];
        let object = DynamicObject::new("a", &known[1]);
        assert_eq!(Kind::of_object(&object, known.iter()).unwrap(), known[1]);
        let refused = Kind::of_object(&object, known[..1].iter()).unwrap_err();
        assert_eq!(refused.reason(), "NotWatched");
        assert!(refused.to_string().contains("my.domain/v1"), "{refused}");
        assert_eq!(
            Kind::name_and_group(&object),
            ("Widget".into(), "my.domain".into())
        );
    }

    #[test]
    fn keys_of_two_kinds_differ() {
        let (one, other) = (kind("a.domain", "widgets"), kind("my.domain", "widgets"));
        assert_ne!(one.named("a"), other.named("a"));
        assert_eq!(one.named("a"), kind("a.domain", "widgets").named("a"));
    }
}
