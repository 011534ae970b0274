//! Decides whether an object already has the desired state, without a request to the API server.
//!
//! A version that is known to have the desired state is not compared again.

use kube::runtime::reflector::ObjectRef;
use serde::Serialize;
use serde_json::Value;

use crate::cache::{
    Cache,
    decoded::{self, AppliedHashes, Decoded},
    entries::Settled,
};
use crate::context::write_log::hash;
use crate::error::Result;
use crate::managed_fields;
use crate::object::{self, AnyObject};

/// The state that a field manager wants an object to have.
pub(crate) struct Wanted<'a> {
    /// The field manager.
    manager: &'a str,
    /// The fields that an apply sets, as [`managed_fields::desired_state`] returns them.
    state: Value,
    /// A hash of the manager and the state.
    pub hash: u64,
}

impl<'a> Wanted<'a> {
    /// Returns the state that applying `child` as the field manager `manager` would set.
    ///
    /// # Errors
    /// Returns an error if the child cannot be serialized.
    pub fn new(child: &impl Serialize, manager: &'a str) -> Result<Self> {
        let state = managed_fields::desired_state(serde_json::to_value(child)?);
        Ok(Self {
            hash: hash(&(manager, &state)),
            manager,
            state,
        })
    }

    /// Returns true if applying the state would change nothing about the cached object `live`.
    /// Records that in the cache, so that the next call need not compare this version again.
    ///
    /// # Errors
    /// Returns an error if `live` cannot be serialized.
    pub fn has_desired_state<T>(
        &self,
        cache: &Cache<T>,
        key: &ObjectRef<T>,
        live: &T,
    ) -> Result<bool>
    where
        T: AnyObject + Serialize,
    {
        let version = object::version(live.meta());
        let settled = cache.settled(key).filter(|was| was.wanted == self.hash);
        if version != 0 && settled.is_some_and(|was| was.version == version) {
            return Ok(true);
        }
        if cache.is_trimmed() {
            // The trimmed fields cannot be compared.
            let applied_hash = cache.applied_hash(key, self.manager);
            let known =
                settled.filter(|was| applied_hash.is_some() && was.applied_hash == applied_hash);
            if let Some(was) = known {
                cache.settle(key, Settled { version, ..was });
            }
            return Ok(known.is_some());
        }
        let Some(fields) = cache.applied(key, self.manager) else {
            return Ok(false);
        };
        let rewritten = settled.and_then(|was| was.rewritten);
        let state = serde_json::to_value(live)?;
        let has_state = managed_fields::is_applied(&fields, &self.state, &state)
            || rewritten.is_some_and(|hash| hash == managed_fields::applied_hash(&fields, &state));
        if has_state {
            cache.settle(key, self.settled(version, rewritten, None));
        }
        Ok(has_state)
    }

    /// Returns true if applying the state would change nothing about an object that was just read
    /// and is not cached.
    ///
    /// # Errors
    /// Returns an error if the object cannot be serialized, or its `managedFields` cannot be
    /// parsed.
    pub fn stored_has_desired_state<T: Serialize>(&self, live: &Decoded<T>) -> Result<bool> {
        let Some(fields) = decoded::fields(&live.applied, self.manager) else {
            return Ok(false);
        };
        let fields = serde_json::from_str(fields)?;
        let state = serde_json::to_value(live.object.as_ref())?;
        Ok(managed_fields::is_applied(&fields, &self.state, &state))
    }

    /// Returns the record of an apply for the cache, given the response `live`. If the API server
    /// normalized some values, a hash of them is stored, so that they do not cause another apply
    /// each time. Only the response is used for this: the cached object may be newer and contain
    /// the changes of another writer. In a trimmed cache, a hash of the applied fields is stored as
    /// well.
    pub fn became<T>(&self, live: &Decoded<T>, trimmed: bool) -> Result<Settled>
    where
        T: AnyObject + Serialize,
    {
        let rewritten = match decoded::fields(&live.applied, self.manager) {
            Some(fields) => self.rewritten(&serde_json::from_str(fields)?, live.object.as_ref())?,
            None => None,
        };
        let hashes = if trimmed {
            live.applied_hashes()
        } else {
            AppliedHashes::new()
        };
        let mut hashes = hashes.into_iter();
        let hash = hashes.find(|(manager, _)| manager == self.manager);
        let version = object::version(live.object.meta());
        Ok(self.settled(version, rewritten, hash.map(|(_, hash)| hash)))
    }

    /// Returns a hash of the fields that the manager set, if they differ from the desired state:
    /// the API server has normalized values. `None` if they do not differ.
    fn rewritten(&self, fields: &Value, live: &impl Serialize) -> Result<Option<u64>> {
        let state = serde_json::to_value(live)?;
        let differs = !managed_fields::is_applied(fields, &self.state, &state);
        Ok(differs.then(|| managed_fields::applied_hash(fields, &state)))
    }

    fn settled(&self, version: u64, rewritten: Option<u64>, applied_hash: Option<u64>) -> Settled {
        Settled {
            wanted: self.hash,
            version,
            rewritten,
            applied_hash,
        }
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;
    use crate::cache::{
        ListOrWatch,
        tests::{known_to, map},
    };

    fn with(value: &str, version: u64) -> ConfigMap {
        ConfigMap {
            data: Some([("k".to_owned(), value.to_owned())].into()),
            ..map("a", version)
        }
    }

    #[test]
    fn a_settled_version_is_not_looked_into_again() {
        let live = with("v", 2);
        let cache = known_to(std::slice::from_ref(&live));
        let key = ObjectRef::from_obj(&live);
        let has_desired_state = |wanted: &Wanted<'_>, live: &ConfigMap| {
            let has_state = wanted.has_desired_state(&cache, &key, live);
            has_state.unwrap()
        };
        let wanted = Wanted::new(&live, "op/me").unwrap();
        assert!(!has_desired_state(&wanted, &live), "not applied yet");
        cache.settle(&key, wanted.settled(2, None, None));
        assert!(has_desired_state(&wanted, &live));
        assert!(!has_desired_state(&wanted, &with("v", 3)));
        for (value, manager) in [("v", "op/you"), ("w", "op/me")] {
            let other = Wanted::new(&with(value, 0), manager).unwrap();
            assert!(!has_desired_state(&other, &live), "{manager} wants {value}");
        }
    }

    #[test]
    fn trimmed_objects_are_compared_by_a_stored_hash() {
        let watch = crate::Watch::default().and_trim(|map: &mut ConfigMap| map.data = None);
        let cache = Cache::new((), "op", watch, [None]);
        let key = ObjectRef::from_obj(&map("a", 0));
        let wanted = Wanted::new(&with("v", 0), "op/me").unwrap();
        let stored = |fields: &str, value: &str, version: u64| Decoded {
            applied: vec![("op/me".to_owned(), fields.into())],
            ..Decoded::from(with(value, version))
        };
        let (ours, more) = (
            r#"{"f:data":{"f:k":{}}}"#,
            r#"{"f:data":{"f:k":{},"f:l":{}}}"#,
        );
        let has_desired_state = |fields: &str, value: &str, version: u64| {
            cache.offer(stored(fields, value, version), ListOrWatch::Watch(&None));
            let live = cache.get(&key).unwrap();
            assert_eq!(live.data, None);
            wanted.has_desired_state(&cache, &key, &live).unwrap()
        };
        assert!(!has_desired_state(ours, "v", 1), "not settled yet");
        let settled = wanted.became(&stored(ours, "v", 2), true).unwrap();
        cache.offer(stored(ours, "v", 2), ListOrWatch::Watch(&None));
        cache.settle(&key, settled);
        for (fields, value, version, there) in [
            (ours, "v", 3, true),
            (ours, "w", 4, false),
            (ours, "v", 5, true),
            (more, "v", 6, false),
            ("{}", "v", 7, false),
        ] {
            let found = has_desired_state(fields, value, version);
            assert_eq!(found, there, "{fields} {value} in version {version}");
        }
        let other = Wanted::new(&with("w", 0), "op/me").unwrap();
        let live = cache.get(&key).unwrap();
        assert!(!other.has_desired_state(&cache, &key, &live).unwrap());
    }

    #[test]
    fn values_that_the_server_normalizes_count_as_applied_until_they_change() {
        let (cache, key) = (known_to(&[]), ObjectRef::from_obj(&map("a", 0)));
        let wanted = Wanted::new(&with("1000m", 0), "op/me").unwrap();
        let fields = r#"{"f:data":{"f:k":{}}}"#;
        let stored = |value: &str, version: u64| Decoded {
            applied: vec![("op/me".to_owned(), fields.into())],
            ..Decoded::from(with(value, version))
        };
        let answer = stored("one", 1);
        let settled = wanted.became(&answer, false).unwrap();
        cache.offer(answer, ListOrWatch::Watch(&None));
        cache.settle(&key, settled);
        for (value, version, there) in [("one", 2, true), ("two", 3, false), ("one", 4, true)] {
            let live = stored(value, version);
            let object = live.object.clone();
            cache.offer(live, ListOrWatch::Watch(&None));
            let has_desired_state = wanted.has_desired_state(&cache, &key, &object).unwrap();
            assert_eq!(has_desired_state, there, "{value} in version {version}");
        }
    }
}
