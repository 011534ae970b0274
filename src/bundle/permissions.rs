//! The operator's permissions in an OLM bundle. OLM grants the rules that are bound to its
//! ServiceAccount, either in each watched namespace or in the whole cluster.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::config::{ConfigObject, items, text};
use super::subject::Bundle;
use crate::project::naming::ACCOUNT;

/// The rules of the operator's roles, by scope.
#[derive(Debug, Default)]
pub struct Permissions {
    /// Rules for the whole cluster.
    cluster: Vec<Value>,
    /// Rules for the watched namespaces.
    namespace: Vec<Value>,
    /// Roles for other namespaces, which OLM cannot grant: namespace and name.
    pub elsewhere: BTreeSet<(String, String)>,
    /// The roles that are bound to the operator's ServiceAccount: kind and name.
    bound: Vec<(String, String)>,
}

impl Permissions {
    /// Collects the operator's permissions from roles and bindings. Other objects are ignored.
    pub fn of(bundle: &Bundle, objects: &[ConfigObject]) -> Self {
        let mut all = Self::default();
        for binding in objects.iter().filter(|it| binds(&it.json)) {
            let [kind, name] = ["/roleRef/kind", "/roleRef/name"].map(|at| binding.text(at));
            let is_meant = |it: &&ConfigObject| it.text("/kind") == kind && names(it) == name;
            all.bound.push((kind.to_owned(), name.to_owned()));
            let namespace = binding.text("/metadata/namespace");
            let rules = objects.iter().filter(is_meant).filter(|role| {
                kind == "ClusterRole"
                    || role.text("/metadata/namespace") == namespace
                    || is_own(bundle, role)
            });
            let rules = rules.flat_map(|role| items(&role.json, "/rules")).cloned();
            if binding.text("/kind") == "ClusterRoleBinding" {
                all.cluster.extend(rules);
            } else if is_own(bundle, binding) {
                all.namespace.extend(rules);
            } else {
                all.elsewhere
                    .insert((namespace.to_owned(), name.to_owned()));
            }
        }
        // The binding of such a role may be in a user file, which is not read here.
        let is_elsewhere = |it: &&ConfigObject| it.text("/kind") == "Role" && !is_own(bundle, it);
        for role in objects.iter().filter(is_elsewhere) {
            let [namespace, name] =
                ["/metadata/namespace", "/metadata/name"].map(|at| role.text(at));
            all.elsewhere
                .insert((namespace.to_owned(), name.to_owned()));
        }
        all
    }

    /// Reports whether a role is bound to the operator's ServiceAccount.
    pub fn has(&self, role: &ConfigObject) -> bool {
        let mut bound = self.bound.iter();
        bound.any(|(kind, name)| role.text("/kind") == kind && names(role) == name)
    }

    /// Returns `clusterPermissions` and `permissions` of a `ClusterServiceVersion`, each `Null` if
    /// it has no rules.
    pub fn json(self, bundle: &Bundle) -> [Value; 2] {
        let account = format!("{}{ACCOUNT}", bundle.naming.prefix);
        [self.cluster, self.namespace].map(|rules| {
            if rules.is_empty() {
                return Value::Null;
            }
            json!([{"serviceAccountName": account, "rules": rules}])
        })
    }
}

/// Reports whether an object is a binding of the operator's ServiceAccount.
fn binds(json: &Value) -> bool {
    let is_binding = matches!(text(json, "/kind"), "RoleBinding" | "ClusterRoleBinding");
    let mut subjects = items(json, "/subjects").iter();
    is_binding && subjects.any(|it| it["kind"] == "ServiceAccount" && it["name"] == ACCOUNT)
}

fn is_own(bundle: &Bundle, object: &ConfigObject) -> bool {
    let namespace = object.text("/metadata/namespace");
    namespace.is_empty() || bundle.naming.is_own_namespace(namespace)
}

fn names(object: &ConfigObject) -> &str {
    object.text("/metadata/name")
}
