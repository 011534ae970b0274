//! Claims of `StatefulSets`, which outlive their Pods and their `StatefulSet` unless its
//! `persistentVolumeClaimRetentionPolicy` says otherwise. That is Kubernetes' own rule, and no fault of an operator.

use std::collections::BTreeSet;

use serde_json::Value;

/// What the names of the claims of all `StatefulSets` of a run begin with: `data-moo-`.
#[derive(Debug, Default)]
pub struct RetainedClaims(BTreeSet<String>);

impl RetainedClaims {
    /// Learns of the `StatefulSets` among objects.
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

    /// Reports whether an object is such a claim that Kubernetes retains: one that it is to delete has an owner.
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
