//! RBAC permissions, printed as the marker line that grants them.

use std::collections::BTreeSet;

/// Verbs on a resource that the operator needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Permission {
    pub group: String,
    /// Plural name, followed by `/status` or another subresource if the permission is for that.
    pub resource: String,
    /// The only object for which the verbs are needed.
    pub name: Option<String>,
    pub verbs: Vec<&'static str>,
    /// Verbs that are usually granted together with `verbs`. They are not required, but if one of `verbs` is missing,
    /// the marker includes them too, so that one marker is enough.
    pub usual: &'static [&'static str],
}

impl Permission {
    pub fn new(group: &str, resource: impl Into<String>, verbs: &[&'static str]) -> Self {
        Self {
            group: group.to_owned(),
            resource: resource.into(),
            name: None,
            verbs: verbs.to_vec(),
            usual: &[],
        }
    }

    /// Returns the same permission with verbs that are usually granted together with it.
    pub fn usually(self, usual: &'static [&'static str]) -> Self {
        Self { usual, ..self }
    }

    /// Limits the permission to the object with this name, if there is one.
    pub fn of_name(self, name: Option<&str>) -> Self {
        let name = name.map(str::to_owned);
        Self { name, ..self }
    }

    /// Returns the marker that grants the permission, to be pasted above a reconcile function.
    pub fn marker(&self) -> String {
        let verbs = [self.verbs.as_slice(), self.usual].concat();
        let marker = marker(&self.group, &self.resource, &verbs);
        match &self.name {
            Some(name) => format!("{marker},resourceNames={name}"),
            None => marker,
        }
    }
}

fn marker(group: &str, resource: &str, verbs: &[&str]) -> String {
    let order = [
        "get",
        "list",
        "watch",
        "create",
        "update",
        "patch",
        "delete",
        "deletecollection",
    ];
    let place = |verb: &&str| {
        order
            .iter()
            .position(|known| known == verb)
            .unwrap_or(order.len())
    };
    let mut verbs: Vec<&str> = verbs
        .iter()
        .copied()
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    verbs.sort_by_key(place);
    let group = if group.is_empty() { "\"\"" } else { group };
    format!(
        "// +kubebuilder:rbac:groups={group},resources={resource},verbs={}",
        verbs.join(";")
    )
}

/// Returns the marker for a request that the API server rejected, derived from its message: `... cannot patch resource
/// "deployments" in API group "apps" ...`.
pub(crate) fn marker_for_message(message: &str) -> Option<String> {
    let (verb, rest) = message
        .split_once(" cannot ")?
        .1
        .split_once(" resource \"")?;
    let (resource, rest) = rest.split_once('"')?;
    let (group, _) = rest.split_once("in API group \"")?.1.split_once('"')?;
    Some(marker_for_request(group, resource, verb))
}

/// Returns the marker that allows a request. A list or a watch is part of a watch, which needs three verbs.
pub(crate) fn marker_for_request(group: &str, resource: &str, verb: &str) -> String {
    let verbs: &[&str] = match verb {
        "list" | "watch" => &["get", "list", "watch"],
        _ => &[verb],
    };
    marker(group, resource, verbs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_stand_in_the_usual_order_and_once() {
        let permission = Permission::new(
            "apps",
            "deployments",
            &["patch", "watch", "list", "get", "list"],
        );
        assert_eq!(
            permission.marker(),
            "// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;patch"
        );
    }

    #[test]
    fn the_core_group_is_written_as_empty_quotes() {
        assert!(
            Permission::new("", "services", &["get"])
                .marker()
                .contains("groups=\"\",resources=services")
        );
    }

    #[test]
    fn a_refusal_is_read() {
        let message = "lolcows.my.domain \"a\" is forbidden: User \"system:serviceaccount:x:y\" cannot patch \
                       resource \"lolcows/status\" in API group \"my.domain\" in the namespace \"default\"";
        assert_eq!(
            marker_for_message(message).as_deref(),
            Some("// +kubebuilder:rbac:groups=my.domain,resources=lolcows/status,verbs=patch")
        );
        assert_eq!(marker_for_message("quota exceeded"), None);
    }
}
