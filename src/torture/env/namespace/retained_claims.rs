//! Claims of `StatefulSets`. Kubernetes retains them when the `StatefulSet` is deleted, unless its
//! `persistentVolumeClaimRetentionPolicy` is `Delete`; that is not a bug of the operator.

use std::collections::BTreeSet;

use serde_json::Value;

/// The prefixes of the names of all claims of a run's `StatefulSets`: `data-moo-`.
#[derive(Debug, Default)]
pub struct RetainedClaims(BTreeSet<String>);

impl RetainedClaims {
    /// Records the claims of the `StatefulSets` among objects.
    pub fn learn(&mut self, objects: &[Value]) {
        let sets = objects.iter().filter(|it| it["kind"] == "StatefulSet");
        for set in sets {
            let name = text(&set["metadata"]["name"]);
            let templates = set["spec"]["volumeClaimTemplates"].as_array();
            for template in templates.into_iter().flatten() {
                let template = text(&template["metadata"]["name"]);
                self.0.insert(format!("{template}-{name}-"));
            }
        }
    }

    /// Reports whether an object is a claim that Kubernetes retains. A claim that it will delete
    /// has an owner.
    pub fn retains(&self, object: &Value) -> bool {
        let owners = object["metadata"]["ownerReferences"].as_array();
        let name = text(&object["metadata"]["name"]);
        object["kind"] == "PersistentVolumeClaim"
            && owners.is_none_or(Vec::is_empty)
            && self.0.iter().any(|prefix| {
                let ordinal = name.strip_prefix(prefix.as_str());
                ordinal.is_some_and(|it| !it.is_empty() && it.bytes().all(|b| b.is_ascii_digit()))
            })
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn claims_of_a_stateful_set_are_retained_unless_it_owns_them() {
        let set = json!({"kind": "StatefulSet", "metadata": {"name": "moo"},
            "spec": {"volumeClaimTemplates": [{"metadata": {"name": "data"}}]}});
        let mut claims = RetainedClaims::default();
        claims.learn(&[set]);
        claims.learn(&[]);
        let claim =
            |name: &str| json!({"kind": "PersistentVolumeClaim", "metadata": {"name": name}});
        assert!(
            claims.retains(&claim("data-moo-0")),
            "also when the set is gone"
        );
        for other in ["data-moo", "data-moo-x", "data-calf-0", "moo-0"] {
            assert!(!claims.retains(&claim(other)), "{other}");
        }
        let mut owned = claim("data-moo-0");
        owned["metadata"]["ownerReferences"] = json!([{"kind": "StatefulSet", "name": "moo"}]);
        assert!(!claims.retains(&owned), "it has to go");
        let pod = json!({"kind": "Pod", "metadata": {"name": "data-moo-0"}});
        assert!(!claims.retains(&pod));
    }
}
