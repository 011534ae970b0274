//! An object from the API server that is not decoded yet.
//!
//! Decoding later has two advantages. An object that does not fit its type does not fail the whole
//! list (kube's `DeserializeGuard` has the same purpose). And an object that is already cached,
//! such as most of the operator's own writes, is not decoded at all.

use std::{borrow::Cow, sync::Arc};

use kube::{Resource, core::ObjectMeta};
use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::value::RawValue;

use crate::cache::decoded::{self, AppliedHashes, Decoded, Parts};
use crate::error::{Error, Result as OurResult};
use crate::object::{self, AnyObject, KindOf};

/// An object of kind `K` that is not decoded yet. Its metadata has only name, namespace, uid and
/// resource version.
#[derive(Clone, Debug)]
pub(crate) struct Undecoded<K> {
    parts: Parts,
    /// The decoded object, if the watch has already reported and decoded it.
    pub known: Option<Arc<K>>,
}

/// An object that does not fit its type, with the decoding error. Its metadata has only name,
/// namespace, uid and resource version.
#[derive(Debug)]
pub(crate) struct Malformed {
    pub meta: ObjectMeta,
    pub error: serde_json::Error,
}

impl<'de, K> Deserialize<'de> for Undecoded<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&RawValue>::deserialize(deserializer)?;
        Ok(Self {
            parts: Parts::of(text.get()).map_err(D::Error::custom)?,
            known: None,
        })
    }
}

impl<K: AnyObject> Undecoded<K> {
    /// Decodes the object, for callers that can continue without it. Returns `known` if the watch
    /// has already decoded the object.
    ///
    /// # Errors
    /// Returns the metadata and the decoding error if the object does not fit its type.
    pub fn decode(self, kind: &K::DynamicType) -> Result<Decoded<K>, Box<Malformed>> {
        let Parts {
            meta,
            text,
            applied,
        } = self.parts;
        let decoded = match self.known {
            Some(object) => Ok((object, text)),
            None => kind.decode(text),
        };
        match decoded {
            Ok((object, text)) => Ok(Decoded {
                object,
                text,
                applied,
                applied_hashes: AppliedHashes::new(),
            }),
            Err(error) => Err(Box::new(Malformed { meta, error })),
        }
    }

    /// Returns all metadata except `managedFields`, also for an object that does not fit its type.
    pub fn metadata(&self) -> ObjectMeta {
        #[derive(Default, Deserialize)]
        struct Whole {
            #[serde(default)]
            metadata: ObjectMeta,
        }
        let whole: Whole = serde_json::from_str(&self.parts.text).unwrap_or_default();
        whole.metadata
    }

    /// Returns true if the field manager has applied the object: it owns fields of it by
    /// server-side apply.
    pub fn is_applied_by(&self, manager: &str) -> bool {
        decoded::fields(&self.parts.applied, manager).is_some()
    }

    /// Decodes the object, for callers that cannot continue without it.
    ///
    /// # Errors
    /// Returns an error with the reason `Malformed` if the object does not fit its type.
    pub fn fits(self, kind: &K::DynamicType) -> OurResult<Decoded<K>> {
        self.decode(kind).map_err(|malformed| {
            let Malformed { meta, error } = *malformed;
            let (kind, label) = (K::kind(kind), object::label(&meta));
            Error::new(
                "Malformed",
                format!("cannot decode {kind} {label} into its Rust type: {error}"),
            )
        })
    }
}

impl<K: Resource> Resource for Undecoded<K> {
    type DynamicType = K::DynamicType;
    type Scope = K::Scope;

    fn kind(dynamic: &K::DynamicType) -> Cow<'_, str> {
        K::kind(dynamic)
    }

    fn group(dynamic: &K::DynamicType) -> Cow<'_, str> {
        K::group(dynamic)
    }

    fn version(dynamic: &K::DynamicType) -> Cow<'_, str> {
        K::version(dynamic)
    }

    fn plural(dynamic: &K::DynamicType) -> Cow<'_, str> {
        K::plural(dynamic)
    }

    fn metadata_api() -> bool {
        K::metadata_api()
    }

    fn meta(&self) -> &ObjectMeta {
        &self.parts.meta
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.parts.meta
    }
}

/// Parses the object from JSON, like a response of the API server.
#[cfg(test)]
impl<K: serde::Serialize> From<K> for Undecoded<K> {
    fn from(object: K) -> Self {
        serde_json::from_str(&serde_json::to_string(&object).unwrap()).unwrap()
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use kube::core::PartialObjectMeta;

    use super::*;

    fn undecoded(text: &str) -> Undecoded<ConfigMap> {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_well_formed_object_is_decoded() {
        let undecoded = undecoded(r#"{"metadata": {"name": "a"}, "data": {"k": "v"}}"#);
        let map = undecoded.fits(&()).unwrap().object;
        assert_eq!(map.metadata.name.as_deref(), Some("a"));
        assert_eq!(map.data.as_ref().unwrap()["k"], "v");
    }

    #[test]
    fn a_malformed_object_keeps_its_name_and_the_reason() {
        let undecoded =
            undecoded(r#"{"metadata": {"name": "a", "namespace": "b"}, "data": "no map"}"#);
        let refused = undecoded.clone().fits(&()).unwrap_err();
        assert!(refused.to_string().contains("ConfigMap b/a"), "{refused}");
        let Malformed { meta, error } = *undecoded.decode(&()).unwrap_err();
        assert_eq!(object::label(&meta), "b/a");
        assert!(error.to_string().contains("expected a map"), "{error}");
    }

    #[test]
    fn a_metadata_watch_stays_one() {
        assert!(Undecoded::<PartialObjectMeta<ConfigMap>>::metadata_api());
        assert!(!Undecoded::<ConfigMap>::metadata_api());
    }
}
