//! Permissions that the role of an operator lacks, as the API server names them in its 403
//! responses.

use std::fmt;

use crate::rbac::role_file::marker;
use crate::rbac::rule::Rule;
use crate::torture::api::call::ApiCall;

/// A verb on a resource.
#[derive(Clone, Debug, PartialEq)]
pub struct Permission {
    verb: String,
    /// Empty for the core group.
    group: String,
    /// With its subresource: `pods/status`.
    resource: String,
}

impl Permission {
    /// Parses the permission that an authorizer requires: `pods "moo" is forbidden: User "keeper"
    /// cannot patch resource "pods/status" in API group "" in the namespace "a"`. Returns `None`
    /// for other 403 responses, such as those of quotas and Pod security.
    pub fn from_denial(message: &str) -> Option<Self> {
        let (_, rest) = message.split_once("User \"")?;
        let (_, rest) = rest.split_once("\" cannot ")?;
        let (verb, rest) = rest.split_once(" resource \"")?;
        let (resource, rest) = rest.split_once("\" in API group \"")?;
        let (group, _) = rest.split_once('"')?;
        let [verb, group, resource] = [verb, group, resource].map(str::to_owned);
        Some(Self {
            verb,
            group,
            resource,
        })
    }

    /// Returns the permission that a request requires.
    pub fn required_by(call: &ApiCall) -> Self {
        let mut resource = call.resource.plural.clone();
        if !call.subresource.is_empty() {
            resource = format!("{resource}/{}", call.subresource);
        }
        Self {
            verb: call.verb.to_string(),
            group: call.resource.group.clone(),
            resource,
        }
    }

    /// Describes how to grant the permission: the rule of a role, and the marker that generates it.
    pub fn remedy(&self) -> String {
        let Self {
            verb,
            group,
            resource,
        } = self;
        let marker = marker(&Rule {
            groups: vec![group.clone()],
            resources: vec![resource.clone()],
            verbs: vec![verb.clone()],
            ..Rule::default()
        });
        format!(
            "add to the rules of its role:\n\
             - apiGroups: [\"{group}\"]\n  \
               resources: [\"{resource}\"]\n  \
               verbs: [\"{verb}\"]\
             {BY_MARKER}\n\
             // {marker}"
        )
    }
}

/// The line between a rule and the marker for it.
const BY_MARKER: &str = "\nwhich this marker generates:";

/// Returns a text of [`Permission::remedy`] without the marker, for an operator whose roles are not
/// generated from markers.
pub fn without_marker(remedy: &str) -> String {
    let end = remedy.find(BY_MARKER).unwrap_or(remedy.len());
    remedy[..end].to_owned()
}

/// `patch deployments.apps/status`, as requests are shown.
impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (plural, part) = match self.resource.split_once('/') {
            Some((plural, part)) => (plural, format!("/{part}")),
            None => (self.resource.as_str(), String::new()),
        };
        let dot = if self.group.is_empty() { "" } else { "." };
        write!(f, "{} {plural}{dot}{}{part}", self.verb, self.group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_missing_right_is_read_from_the_answer() {
        let message = "events.events.k8s.io \"moo.1\" is forbidden: User \"system:serviceaccount:keeper-system:keeper\" \
                       cannot patch resource \"events\" in API group \"events.k8s.io\" in the namespace \"torture-00001\"";
        let right = Permission::from_denial(message).unwrap();
        assert_eq!(right.to_string(), "patch events.events.k8s.io");
        assert_eq!(
            right.remedy(),
            "add to the rules of its role:\n\
             - apiGroups: [\"events.k8s.io\"]\n  resources: [\"events\"]\n  verbs: [\"patch\"]\n\
             which this marker generates:\n\
             // +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=patch"
        );
        assert_eq!(
            without_marker(&right.remedy()),
            "add to the rules of its role:\n\
             - apiGroups: [\"events.k8s.io\"]\n  resources: [\"events\"]\n  verbs: [\"patch\"]"
        );
        let core = "nodes is forbidden: User \"keeper\" cannot list resource \"nodes/proxy\" in API group \"\" at the cluster scope";
        let right = Permission::from_denial(core).unwrap();
        assert_eq!(right.to_string(), "list nodes/proxy");
        assert!(
            right
                .remedy()
                .ends_with("groups=\"\",resources=nodes/proxy,verbs=list")
        );
    }

    #[test]
    fn admission_that_forbids_misses_no_right() {
        for message in [
            "pods \"moo\" is forbidden: exceeded quota: few, requested: pods=1, used: pods=3, limited: pods=3",
            "pods \"moo\" is forbidden: violates PodSecurity \"restricted:latest\": privileged",
            "",
        ] {
            assert_eq!(Permission::from_denial(message), None, "{message}");
        }
    }
}
