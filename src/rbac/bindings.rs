//! The objects in `role.yaml`: every role under a unique name, with a binding to the operator's
//! ServiceAccount.
//!
//! `config/rbac/role_binding.yaml` binds the operator's own role. Roles for which a marker has a
//! `roleName` or a `namespace` exist only if markers ask for them, so their bindings follow them in
//! the same file.
//!
//! kustomize's `namespace` moves every object of `config/default` into the operator's namespace.
//! Roles and bindings for another namespace therefore carry it in an annotation, from which the
//! `transformers` of `config/default` restore it. Until then Roles of one name in two namespaces
//! would conflict, so the namespace is part of their name.

use std::collections::BTreeMap;

use k8s_openapi::api::rbac::v1::{ClusterRoleBinding, RoleBinding, RoleRef, Subject};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::{Value, json};

use super::roles::{self, OPERATOR, RoleDoc};
use super::rule::{Grant, Rule, Scope};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::lints::rbac::NAMESPACE_MOVED;
use crate::project::naming::{ACCOUNT, NAMESPACE, NAMESPACE_ANNOTATION, Naming};
use crate::sources::marker::{Problem, Text};
use crate::yaml;

/// The lines of `config/default/kustomization.yaml` that restore the namespaces of roles. The
/// ServiceAccount is in the namespace into which kustomize has moved the binding; kustomize then
/// finds the account and prefixes its name.
const TRANSFORMERS: &str = r#"transformers:
- |
  apiVersion: builtin
  kind: PatchTransformer
  metadata: {name: role-subjects}
  target: {kind: RoleBinding, annotationSelector: rustop.dev/namespace}
  patch: '[{"op": "copy", "from": "/metadata/namespace", "path": "/subjects/0/namespace"}]'
- |
  apiVersion: builtin
  kind: PatchTransformer
  metadata: {name: role-namespaces}
  target: {annotationSelector: rustop.dev/namespace}
  patch: '[{"op": "copy", "from": "/metadata/annotations/rustop.dev~1namespace", "path": "/metadata/namespace"}]'"#;

/// The API group of roles.
const GROUP: &str = "rbac.authorization.k8s.io";

/// Returns the text of `role.yaml`: the roles, and the bindings of those that `role_binding.yaml`
/// does not bind. If `config/default` moves all objects into the operator's namespace, roles for
/// other namespaces are left unbound: a binding would grant them in the wrong namespace.
pub fn text(roles: Vec<RoleDoc>, naming: &Naming) -> String {
    let placed: Vec<_> = roles.into_iter().map(|role| placed(role, naming)).collect();
    let bindings = placed.iter().filter_map(|role| binding(role, naming));
    let bindings = bindings.map(|binding| format!("---\n{}", yaml::write(&binding)));
    roles::text(&placed) + &bindings.collect::<String>()
}

/// Returns the name that the rule's role has in `role.yaml`, if the rule has a namespace.
fn placed_name(rule: &Rule) -> Option<String> {
    let name = rule.role_name.as_deref().unwrap_or(OPERATOR);
    let namespace = rule.namespace.as_deref()?;
    Some(format!("{name}-{namespace}"))
}

/// Returns the role name as markers write it, given the name in `role.yaml`.
pub fn marked_name<'a>(name: &'a str, namespace: Option<&str>) -> &'a str {
    let marked = namespace.and_then(|it| name.strip_suffix(it)?.strip_suffix('-'));
    marked.unwrap_or(name)
}

/// Adds the namespace to the name of a Role, and the annotation that restores it.
fn placed(role: RoleDoc, naming: &Naming) -> RoleDoc {
    let RoleDoc::Namespace(mut role) = role else {
        return role;
    };
    let metadata = &mut role.metadata;
    if let (Some(namespace), Some(name)) = (&metadata.namespace, &mut metadata.name) {
        *name = format!("{name}-{namespace}");
        if !naming.is_own_namespace(namespace) {
            metadata.annotations = Some(annotations(namespace));
        }
    }
    RoleDoc::Namespace(role)
}

fn annotations(namespace: &str) -> BTreeMap<String, String> {
    BTreeMap::from([(NAMESPACE_ANNOTATION.to_owned(), namespace.to_owned())])
}

/// Returns the binding of a role that `role_binding.yaml` does not bind.
fn binding(role: &RoleDoc, naming: &Naming) -> Option<Value> {
    let (kind, metadata) = match role {
        RoleDoc::Cluster(role) => ("ClusterRole", &role.metadata),
        RoleDoc::Namespace(role) => ("Role", &role.metadata),
    };
    let name = metadata.name.clone().unwrap_or_default();
    let is_moved = metadata.annotations.is_some() && !naming.restores_namespaces;
    if name == OPERATOR || is_moved {
        return None;
    }
    let metadata = ObjectMeta {
        name: Some(format!("{name}-binding")),
        ..metadata.clone()
    };
    let role_ref = RoleRef {
        api_group: Some(GROUP.to_owned()),
        kind: kind.to_owned(),
        name,
    };
    let subjects = Some(vec![Subject {
        kind: "ServiceAccount".to_owned(),
        name: ACCOUNT.to_owned(),
        namespace: Some(NAMESPACE.to_owned()),
        ..Subject::default()
    }]);
    Some(match role {
        RoleDoc::Cluster(_) => json!(ClusterRoleBinding {
            metadata,
            role_ref,
            subjects,
        }),
        RoleDoc::Namespace(_) => json!(RoleBinding {
            metadata,
            role_ref,
            subjects,
        }),
    })
}

/// Returns an error for each marker whose role would get the name of a different role of an earlier
/// marker.
pub fn check_names(grants: &[Grant], scope: Scope) -> Vec<Diagnostic> {
    let mut names: BTreeMap<(bool, String), &Rule> = BTreeMap::new();
    let mut found = Vec::new();
    for grant in grants {
        let rule = &grant.rule;
        let name = placed_name(rule);
        let name = name.unwrap_or_else(|| rule.role_name.clone().unwrap_or(OPERATOR.to_owned()));
        let is_cluster_role = rule.namespace.is_none() && scope == Scope::Cluster;
        let key = (is_cluster_role, name.clone());
        let first = *names.entry(key).or_insert(rule);
        if (&first.role_name, &first.namespace) == (&rule.role_name, &rule.namespace) {
            continue;
        }
        let value = value(grant, "roleName").or_else(|| value(grant, "namespace"));
        // A rule without either argument belongs to the operator's own role.
        let Some(value) = value else { continue };
        let message = format!("two roles would have the name `{name}`");
        let help = "give one of them another `roleName`; `-` and the namespace are appended to it";
        let problem = Problem::new(value.span.clone(), message).help(help);
        found.push(grant.marker.diagnostic(problem));
    }
    found
}

/// Returns a warning for each namespace whose roles `config/default` moves into the operator's.
pub fn check_moved(grants: &[Grant], naming: &Naming) -> Vec<Diagnostic> {
    if naming.restores_namespaces {
        return Vec::new();
    }
    let mut first: BTreeMap<&str, (&Grant, &Text)> = BTreeMap::new();
    for grant in grants {
        let namespace = value(grant, "namespace");
        if let Some(value) = namespace.filter(|it| !naming.is_own_namespace(&it.text)) {
            first.entry(&value.text).or_insert((grant, value));
        }
    }
    let found = first.into_iter().map(|(namespace, (grant, value))| {
        let own = &naming.namespace;
        let message =
            format!("config/default moves the role for the namespace `{namespace}` to `{own}`, so it is not bound");
        let help = "add to config/default/kustomization.yaml, then run `rustop manifests`";
        let problem = Problem::new(value.span.clone(), message).help(help);
        let diagnostic = grant.marker.diagnostic(problem).lines(TRANSFORMERS);
        diagnostic.warning(&NAMESPACE_MOVED)
    });
    found.collect()
}

/// Returns the value of an argument that has one value, unless it is empty.
fn value<'a>(grant: &'a Grant, argument: &str) -> Option<&'a Text> {
    let given = grant.given.iter().find(|given| given.name == argument)?;
    given.values.first().filter(|value| !value.text.is_empty())
}

#[cfg(test)]
mod tests;
