//! Root causes among differences: a Pod is missing because its `StatefulSet` is.

use crate::torture::snapshot::{Difference, ObjectId};

/// Reports whether Kubernetes creates one object for another, according to their kinds and names.
fn follows(object: &ObjectId, owner: &ObjectId) -> bool {
    let owners: &[&str] = match object.kind.as_str() {
        "Pod" => &[
            "DaemonSet",
            "Deployment",
            "Job",
            "CronJob",
            "ReplicaSet",
            "StatefulSet",
        ],
        "ReplicaSet" => &["Deployment"],
        "Job" => &["CronJob"],
        "PersistentVolumeClaim" => {
            let claims = format!("-{}-", owner.name);
            return owner.kind == "StatefulSet" && object.name.contains(&claims);
        }
        _ => return false,
    };
    let rest = object.name.strip_prefix(owner.name.as_str());
    owners.contains(&owner.kind.as_str()) && rest.is_some_and(|rest| rest.starts_with('-'))
}

/// Returns the differences that no other difference causes, in their order.
pub fn root_causes(differences: &[Difference]) -> Vec<&Difference> {
    // A wrong status is an effect, not a cause.
    let causes = || {
        differences
            .iter()
            .filter(|it| !it.field.starts_with("status"))
    };
    let is_root = |it: &&Difference| !causes().any(|cause| follows(&it.id, &cause.id));
    differences.iter().filter(is_root).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(kind: &str, name: &str, expected: bool) -> Difference {
        let there = |is: bool| is.then(|| "there".to_owned());
        Difference {
            id: ObjectId {
                kind: kind.into(),
                name: name.into(),
            },
            field: String::new(),
            expected: there(expected),
            found: there(!expected),
        }
    }

    #[test]
    fn differences_below_a_missing_owner_are_not_root_causes() {
        let all = [
            difference("ConfigMap", "sample-1", true),
            difference("PersistentVolumeClaim", "data-sample-1", false),
            difference("Pod", "other-1", false),
            difference("Pod", "sample-1", false),
            difference("StatefulSet", "sample", true),
        ];
        let root_causes: Vec<_> = root_causes(&all)
            .iter()
            .map(|it| it.id.to_string())
            .collect();
        assert_eq!(
            root_causes,
            ["configmap/sample-1", "pod/other-1", "statefulset/sample"]
        );
        assert_eq!(
            super::root_causes(&all[..4]).len(),
            4,
            "the owner is as it should be"
        );
    }
}
