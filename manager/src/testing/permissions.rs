//! Permissions of an operator: the rules of the roles that its manifests bind, with which the API
//! server authorizes its requests.

use std::path::Path;
use std::sync::Arc;

use k8s_openapi::api::rbac::v1::PolicyRule;
use serde::Deserialize;
use serde_json::Value;

use super::manifests;

/// The verb, the resource and the object of a request. An authorizer decides from them whether the
/// request is allowed. They are also the `resourceAttributes` of an access review.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Access {
    /// The verb of RBAC rules: `get`, `deletecollection`.
    pub verb: String,
    /// Empty for the core group.
    pub group: String,
    /// The plural: `deployments`.
    pub resource: String,
    /// Empty for the whole object.
    pub subresource: String,
    /// Empty for a cluster-scoped object, and for all namespaces.
    pub namespace: String,
    /// Empty for a list, a watch, a creation, and a deletion of several objects.
    pub name: String,
}

impl Access {
    /// Returns the resource with its group and its subresource: `deployments.apps/status`.
    pub fn resource_with_group(&self) -> String {
        resource_with_group(&self.resource, &self.group, &self.subresource)
    }

    /// Returns the resource with its subresource, as in a rule: `deployments/status`.
    pub fn resource_in_rules(&self) -> String {
        match &*self.subresource {
            "" => self.resource.clone(),
            subresource => format!("{}/{subresource}", self.resource),
        }
    }
}

/// Returns a resource with its group and its subresource, if they are not empty:
/// `deployments.apps/status`.
pub(super) fn resource_with_group(plural: &str, group: &str, subresource: &str) -> String {
    let mut name = plural.to_owned();
    for (sign, part) in [('.', group), ('/', subresource)] {
        if !part.is_empty() {
            name.push(sign);
            name.push_str(part);
        }
    }
    name
}

/// The permissions of an operator.
#[derive(Debug)]
pub(crate) struct Permissions {
    grants: Vec<Grant>,
}

/// The rules of one bound role.
#[derive(Debug)]
struct Grant {
    /// The namespace in which the rules apply; `None` for all of them.
    namespace: Option<String>,
    rules: Vec<PolicyRule>,
}

impl Permissions {
    /// Reads the permissions from the YAML files of a directory, such as `config/rbac`: see
    /// [`Permissions::of`].
    ///
    /// # Panics
    /// If a file cannot be read or parsed, or if the role of a binding is missing.
    pub fn of_dir(dir: &Path) -> Arc<Self> {
        match Self::read(dir) {
            Ok(permissions) => Arc::new(permissions),
            Err(problem) => panic!("{problem}"),
        }
    }

    fn read(dir: &Path) -> Result<Self, String> {
        Self::of(&manifests::of_dir(dir)?).map_err(|problem| {
            let name = dir.display();
            format!("`{name}` does not show the permissions of the operator: {problem}; help: run `rustop manifests`")
        })
    }

    /// Reads the permissions from manifests: the rules of each role that a binding refers to.
    /// Ignores the subjects of bindings, so the manifests must be those of one operator. A
    /// `RoleBinding` without a namespace applies in all namespaces, because kustomize sets the
    /// namespace of the operator, and the samples of a test are in another one.
    ///
    /// # Errors
    /// Returns a message if no manifest is a binding, or if the manifests lack the role of a
    /// binding.
    fn of(manifests: &[Value]) -> Result<Self, String> {
        let is_binding = |manifest: &&Value| {
            manifest["kind"] == "ClusterRoleBinding" || manifest["kind"] == "RoleBinding"
        };
        let grants: Vec<_> = manifests
            .iter()
            .filter(is_binding)
            .map(|binding| Grant::of(binding, manifests))
            .collect::<Result<_, _>>()?;
        if grants.is_empty() {
            return Err("no ClusterRoleBinding or RoleBinding".to_owned());
        }
        Ok(Self { grants })
    }

    /// Returns true if a rule allows the request.
    pub(super) fn allow(&self, access: &Access) -> bool {
        self.grants.iter().any(|grant| grant.allows(access))
    }
}

impl Grant {
    fn of(binding: &Value, manifests: &[Value]) -> Result<Self, String> {
        let wanted = &binding["roleRef"];
        let role = manifests.iter().find(|manifest| {
            let is_cluster_role = wanted["kind"] == "ClusterRole";
            let (role, binding) = (&manifest["metadata"], &binding["metadata"]);
            manifest["kind"] == wanted["kind"]
                && role["name"] == wanted["name"]
                && (is_cluster_role || role["namespace"] == binding["namespace"])
        });
        let role = role.ok_or_else(|| {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            format!(
                "the {} `{}` of the {} `{}` is missing",
                text(&wanted["kind"]),
                text(&wanted["name"]),
                text(&binding["kind"]),
                text(&binding["metadata"]["name"]),
            )
        })?;
        let rules = match &role["rules"] {
            Value::Null => Vec::new(),
            rules => serde_json::from_value(rules.clone())
                .map_err(|error| format!("the rules of a role are invalid: {error}"))?,
        };
        // kustomize replaces `system`.
        let namespace = binding["metadata"]["namespace"]
            .as_str()
            .filter(|namespace| *namespace != "system" && binding["kind"] == "RoleBinding");
        Ok(Self {
            namespace: namespace.map(str::to_owned),
            rules,
        })
    }

    fn allows(&self, access: &Access) -> bool {
        let is_here = self
            .namespace
            .as_ref()
            .is_none_or(|namespace| *namespace == access.namespace);
        is_here && self.rules.iter().any(|rule| matches(rule, access))
    }
}

/// Returns true if a rule allows a request, as the authorizer `RBAC` of Kubernetes decides.
fn matches(rule: &PolicyRule, access: &Access) -> bool {
    let has = |list: &[String], wanted: &str| list.iter().any(|it| it == "*" || it == wanted);
    let resource = access.resource_in_rules();
    let is_resource = |it: &String| {
        let any_resource = format!("*/{}", access.subresource);
        it == "*" || *it == resource || !access.subresource.is_empty() && *it == any_resource
    };
    let names = rule.resource_names.as_deref().unwrap_or_default();
    has(&rule.verbs, &access.verb)
        && has(
            rule.api_groups.as_deref().unwrap_or_default(),
            &access.group,
        )
        && rule.resources.iter().flatten().any(is_resource)
        && (names.is_empty() || names.contains(&access.name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn manifests(kind: &str, namespace: Option<&str>, rule: &Value) -> Vec<Value> {
        let binding = format!("{kind}Binding");
        vec![
            json!({
                "kind": kind,
                "metadata": {"name": "manager-role", "namespace": namespace},
                "rules": [rule],
            }),
            json!({"kind": "ClusterRole", "metadata": {"name": "viewer"}, "rules": [
                {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]},
            ]}),
            json!({
                "kind": binding,
                "metadata": {"name": "manager-rolebinding", "namespace": namespace},
                "roleRef": {"kind": kind, "name": "manager-role"},
            }),
        ]
    }

    /// Parses `verb group/resource/subresource namespace/name`.
    fn access(text: &str) -> Access {
        let words: Vec<_> = text.split(' ').collect();
        let resource: Vec<_> = words[1].split('/').collect();
        let object: Vec<_> = words[2].split('/').collect();
        Access {
            verb: words[0].to_owned(),
            group: resource[0].to_owned(),
            resource: resource[1].to_owned(),
            subresource: resource.get(2).copied().unwrap_or_default().to_owned(),
            namespace: object[0].to_owned(),
            name: object[1].to_owned(),
        }
    }

    #[test]
    fn a_rule_allows_what_it_names() {
        let status =
            json!({"apiGroups": ["apps"], "resources": ["deployments/status"], "verbs": ["patch"]});
        let named = json!({"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["key"], "verbs": ["get"]});
        let scale = json!({"apiGroups": ["*"], "resources": ["*/scale"], "verbs": ["*"]});
        let all = json!({"apiGroups": [""], "resources": ["*"], "verbs": ["get"]});
        for (rule, request, is_allowed) in [
            (&status, "patch apps/deployments/status a/web", true),
            (&status, "get apps/deployments/status a/web", false),
            (&status, "patch apps/deployments a/web", false),
            (&status, "patch /deployments/status a/web", false),
            (&named, "get /secrets a/key", true),
            (&named, "get /secrets a/other", false),
            (&named, "list /secrets a/", false),
            (&scale, "update apps/deployments/scale a/web", true),
            (&scale, "update apps/deployments a/web", false),
            (&all, "get /pods/log a/web", true),
            (&all, "get apps/deployments a/web", false),
        ] {
            let permissions = Permissions::of(&manifests("ClusterRole", None, rule)).unwrap();
            assert_eq!(
                permissions.allow(&access(request)),
                is_allowed,
                "{rule} {request}"
            );
        }
    }

    #[test]
    fn a_role_binding_applies_in_its_namespace() {
        let rule = json!({"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]});
        for (kind, namespace, request, is_allowed) in [
            ("Role", Some("infra"), "get /pods infra/web", true),
            ("Role", Some("infra"), "get /pods default/web", false),
            ("Role", Some("system"), "get /pods default/web", true),
            ("Role", None, "get /pods default/web", true),
            ("ClusterRole", None, "get /pods default/web", true),
        ] {
            let permissions = Permissions::of(&manifests(kind, namespace, &rule)).unwrap();
            let found = permissions.allow(&access(request));
            assert_eq!(found, is_allowed, "{kind} {namespace:?} {request}");
        }
    }

    #[test]
    fn roles_of_one_name_are_bound_in_their_namespaces() {
        let rule =
            |resource: &str| json!({"apiGroups": [""], "resources": [resource], "verbs": ["get"]});
        let mut both = manifests("Role", Some("infra"), &rule("pods"));
        both.extend(manifests("Role", Some("users"), &rule("secrets")));
        let permissions = Permissions::of(&both).unwrap();
        assert!(permissions.allow(&access("get /secrets users/key")));
        assert!(!permissions.allow(&access("get /secrets infra/key")));
    }

    #[test]
    fn incomplete_manifests_are_an_error() {
        let rule = json!({});
        let mut manifests = manifests("ClusterRole", None, &rule);
        manifests.remove(0);
        assert_eq!(
            Permissions::of(&manifests).unwrap_err(),
            "the ClusterRole `manager-role` of the ClusterRoleBinding `manager-rolebinding` is missing"
        );
        assert_eq!(
            Permissions::of(&manifests[..1]).unwrap_err(),
            "no ClusterRoleBinding or RoleBinding"
        );
    }
}
