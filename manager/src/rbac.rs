//! RBAC permissions, printed as the marker line that grants them.

use std::collections::BTreeSet;

use kube::core::Status;

use crate::admission::forbidden;

/// Verbs on a resource that the operator needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Permission {
    /// The API group; empty for the core group.
    pub group: String,
    /// Plural name, followed by `/status` or another subresource if the permission is for that.
    pub resource: String,
    /// The only object for which the verbs are needed; `None` for all objects.
    pub name: Option<String>,
    pub verbs: Vec<&'static str>,
    /// Verbs that are usually granted together with `verbs`. They are not required, but if one of
    /// `verbs` is missing, the marker includes them too, so that one marker is enough.
    pub usual: &'static [&'static str],
}

impl Permission {
    /// Returns a permission for all objects of a resource.
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

    /// Limits the permission to the object with this name; `None` for all objects.
    pub fn of_name(self, name: Option<&str>) -> Self {
        let name = name.map(str::to_owned);
        Self { name, ..self }
    }

    /// Returns the marker that grants the permission, to be pasted above a reconcile function: a
    /// whole comment that begins with `// +kubebuilder:rbac:`.
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

/// A request that RBAC rejected.
#[derive(Debug, PartialEq)]
pub(crate) struct Denied<'a> {
    /// The API group; empty for the core group.
    group: &'a str,
    /// Plural name, followed by `/status` or another subresource.
    resource: &'a str,
    verb: &'a str,
}

impl<'a> Denied<'a> {
    /// Parses the response of the API server's authorizer: `deployments.apps "web" is forbidden:
    /// User "u" cannot patch resource "deployments" in API group "apps" ...`. Returns `None` for
    /// every other rejection, also if its text quotes such a response: the webhooks of others write
    /// what they like, but the API server writes the beginning.
    pub fn parse(status: &'a Status) -> Option<Self> {
        let (object, why) = forbidden(&status.message).filter(|_| status.code == 403)?;
        let (_, rest) = why.strip_prefix("User \"")?.split_once("\" cannot ")?;
        let (verb, rest) = rest.split_once(" resource \"")?;
        let (resource, rest) = rest.split_once("\" in API group \"")?;
        let (group, _) = rest.split_once('"')?;
        let plural = resource.split('/').next()?;
        let is_of_object = match group {
            "" => object == plural,
            group => object.strip_prefix(plural)?.strip_prefix('.') == Some(group),
        };
        is_of_object.then_some(Self {
            group,
            resource,
            verb,
        })
    }

    /// Returns true if `permission` allows the request.
    pub fn is_allowed_by(&self, permission: &Permission) -> bool {
        (self.group, self.resource) == (&*permission.group, &*permission.resource)
            && permission.verbs.contains(&self.verb)
    }

    /// Returns the marker that allows the request.
    pub fn marker(&self) -> String {
        marker_for_request(self.group, self.resource, self.verb)
    }
}

/// Returns the marker that allows a request. A list or a watch is usually one of the requests of a
/// cache, which needs three verbs.
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

    fn rejection(code: u16, message: &str) -> Status {
        Status {
            code,
            message: message.to_owned(),
            ..Status::default()
        }
    }

    const DENIED: &str = "lolcows.my.domain \"a\" is forbidden: User \"system:serviceaccount:x:y\" cannot patch \
                          resource \"lolcows/status\" in API group \"my.domain\" in the namespace \"default\"";

    #[test]
    fn a_denial_of_rbac_is_parsed() {
        let of_core = "pods is forbidden: User \"u\" cannot list resource \"pods\" in API group \"\" at the cluster scope";
        for (message, marker) in [
            (
                DENIED,
                "// +kubebuilder:rbac:groups=my.domain,resources=lolcows/status,verbs=patch",
            ),
            (
                of_core,
                "// +kubebuilder:rbac:groups=\"\",resources=pods,verbs=get;list;watch",
            ),
        ] {
            let status = rejection(403, message);
            assert_eq!(Denied::parse(&status).unwrap().marker(), marker);
        }
    }

    #[test]
    fn only_the_denied_request_is_allowed_by_a_permission() {
        let status = rejection(403, DENIED);
        let denied = Denied::parse(&status).unwrap();
        for (group, resource, verb, is_allowed) in [
            ("my.domain", "lolcows/status", "patch", true),
            ("my.domain", "lolcows/status", "get", false),
            ("my.domain", "lolcows", "patch", false),
            ("", "lolcows/status", "patch", false),
        ] {
            let permission = Permission::new(group, resource, &[verb]);
            assert_eq!(denied.is_allowed_by(&permission), is_allowed);
        }
    }

    #[test]
    fn a_quoted_denial_is_none() {
        let quoted = [
            format!("admission webhook \"a.b\" denied the request: {DENIED}"),
            format!(
                "services \"a\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: {DENIED}"
            ),
            DENIED.replace("lolcows.my.domain", "services"),
            DENIED.replace("User", "the User"),
            "quota exceeded".to_owned(),
        ];
        for message in quoted {
            assert_eq!(Denied::parse(&rejection(403, &message)), None, "{message}");
        }
        assert_eq!(Denied::parse(&rejection(500, DENIED)), None);
    }
}
