//! Bindings that are meant for the operator's ServiceAccount and do not bind their role to it.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use super::rendered::Rendered;
use super::rules::{GrantedRule, bindings, rules_of};
use super::workload::Workload;

/// A binding that does not bind its role to the ServiceAccount of a workload.
#[derive(Clone, Debug, PartialEq)]
pub struct IneffectiveBinding {
    /// The binding as the manifests have it.
    pub binding: Rendered,
    /// The reason, as the predicate of a sentence about the binding: ``names a Role barn, which is
    /// a ClusterRole``.
    pub why: String,
    /// The binding that binds the role, as lines of YAML.
    pub fixed: Vec<String>,
    /// The rules that the binding in `fixed` grants.
    pub rules: Vec<GrantedRule>,
}

/// Returns the bindings that the API server rejects or that name a role or an account wrongly. A
/// binding to the account of another workload is not among them, and those to other accounts are
/// only if no binding is valid.
pub fn ineffective_bindings(objects: &[Rendered], workload: &Workload) -> Vec<IneffectiveBinding> {
    let is_bound = !bindings(objects, workload).is_empty();
    let roles = roles_by_name(objects);
    let used = used_accounts(objects, workload);
    let all = objects.iter().filter(|it| it.is_binding());
    let found = all.filter_map(|binding| {
        let subjects = accounts(binding);
        let meant = subjects.iter().find(|it| is_meant(it, workload));
        if meant.is_none() && is_bound {
            return None;
        }
        let role = role_of(&roles, binding, workload)?;
        let why = match (meant, subjects.first()) {
            (Some(subject), _) => wrong_binding(binding, role, subject, workload),
            (None, _) if subjects.iter().any(|it| is_of_other(&used, binding, it)) => None,
            (None, first) => {
                first.map(|subject| another_account(objects, binding, subject, workload))
            }
        };
        Some(IneffectiveBinding {
            why: why?,
            fixed: binding_of(binding.name(), role, is_cluster(binding), binding, workload),
            rules: granted(objects, binding, role, workload),
            binding: binding.clone(),
        })
    });
    found.collect()
}

/// Returns true if a subject is the account of a workload, also if it lacks the namespace.
fn is_meant(subject: &Value, workload: &Workload) -> bool {
    let namespace = subject["namespace"].as_str();
    subject["name"] == workload.service_account.as_str()
        && namespace.is_none_or(|namespace| namespace == workload.namespace)
}

/// Describes why a binding with the account of a workload as its subject does not bind a role.
fn wrong_binding(
    binding: &Rendered,
    role: &Rendered,
    subject: &Value,
    workload: &Workload,
) -> Option<String> {
    if is_cluster(binding) && binding.role_ref().0 == "Role" {
        return Some(
            "cannot bind a Role: a ClusterRoleBinding binds a ClusterRole only".to_owned(),
        );
    }
    misnamed(binding, role, workload).or_else(|| {
        let is_rejected = is_cluster(binding) && subject["namespace"].is_null();
        let account = &workload.service_account;
        is_rejected
            .then(|| format!("has the subject `{account}` without a namespace, which it requires"))
    })
}

/// Returns the YAML lines of a binding of a role to the `ServiceAccount` of a workload: a
/// `ClusterRoleBinding` if `is_cluster` is true and the role is a `ClusterRole`. A `RoleBinding`
/// gets the namespace of the Role, or that of `binding` for a `ClusterRole`.
pub fn binding_of(
    name: &str,
    role: &Rendered,
    is_cluster: bool,
    binding: &Rendered,
    workload: &Workload,
) -> Vec<String> {
    let is_cluster = is_cluster && role.kind() == "ClusterRole";
    let namespace = if is_cluster {
        None
    } else if role.kind() == "Role" {
        role.namespace()
    } else {
        binding.namespace()
    };
    let within = match namespace {
        Some(namespace) => format!(", namespace: {}", json!(namespace)),
        None => String::new(),
    };
    let kind = if is_cluster {
        "ClusterRoleBinding"
    } else {
        "RoleBinding"
    };
    vec![
        "apiVersion: rbac.authorization.k8s.io/v1".to_owned(),
        format!("kind: {kind}"),
        format!("metadata: {{name: {}{within}}}", json!(name)),
        format!(
            "roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: {}, name: {}}}",
            role.kind(),
            json!(role.name())
        ),
        format!(
            "subjects: [{{kind: ServiceAccount, name: {}, namespace: {}}}]",
            json!(workload.service_account),
            json!(workload.namespace)
        ),
    ]
}

fn is_cluster(binding: &Rendered) -> bool {
    binding.kind() == "ClusterRoleBinding"
}

/// Returns the subjects of a binding that are `ServiceAccount`s.
fn accounts(binding: &Rendered) -> Vec<&Value> {
    let subjects = binding.object["subjects"].as_array().into_iter().flatten();
    subjects
        .filter(|it| it["kind"] == "ServiceAccount")
        .collect()
}

/// The roles of manifests by their names.
type Roles<'a> = HashMap<&'a str, Vec<&'a Rendered>>;

fn roles_by_name(objects: &[Rendered]) -> Roles<'_> {
    let mut roles = Roles::new();
    for role in objects {
        if role.is_role() {
            roles.entry(role.name()).or_default().push(role);
        }
    }
    roles
}

/// Returns the role that a binding names; if there is none, the only one of that name, of another
/// namespace or of the other kind.
fn role_of<'a>(roles: &Roles<'a>, binding: &Rendered, workload: &Workload) -> Option<&'a Rendered> {
    let named = roles.get(binding.role_ref().1)?;
    let mut exact = named.iter().filter(|it| is_named(binding, it, workload));
    match (exact.next(), &named[..]) {
        (Some(role), _) | (None, [role]) => Some(role),
        _ => None,
    }
}

/// Returns true if a role is the one that a binding names.
fn is_named(binding: &Rendered, role: &Rendered, workload: &Workload) -> bool {
    role.kind() == binding.role_ref().0
        && (role.kind() == "ClusterRole"
            || is_cluster(binding)
            || workload.namespace_of(role) == workload.namespace_of(binding))
}

/// Describes a role that has another namespace or kind than the one that a binding names.
fn misnamed(binding: &Rendered, role: &Rendered, workload: &Workload) -> Option<String> {
    if is_named(binding, role, workload) {
        return None;
    }
    let (kind, name) = (role.kind(), role.name());
    let (wanted, _) = binding.role_ref();
    Some(if kind == wanted {
        format!(
            "binds a Role of its own namespace `{}`, and Role {name} is in `{}`",
            workload.namespace_of(binding),
            workload.namespace_of(role)
        )
    } else {
        format!("names a {wanted} {name}, which is a {kind}")
    })
}

/// Returns the accounts of the Pods of other workloads, each with the namespace of its object.
fn used_accounts<'a>(
    objects: &'a [Rendered],
    workload: &Workload,
) -> HashSet<(Option<&'a str>, &'a str)> {
    const ACCOUNTS: [&str; 3] = [
        "/spec/serviceAccountName",
        "/spec/template/spec/serviceAccountName",
        "/spec/jobTemplate/spec/template/spec/serviceAccountName",
    ];
    let others = objects.iter().filter(|it| !is_object_of(workload, it));
    let all = others.flat_map(|object| {
        let accounts = ACCOUNTS.iter().filter_map(|at| object.object.pointer(at));
        accounts.filter_map(|account| Some((object.namespace(), account.as_str()?)))
    });
    all.collect()
}

/// Returns true if a subject is the account of another workload.
fn is_of_other(used: &HashSet<(Option<&str>, &str)>, binding: &Rendered, subject: &Value) -> bool {
    let namespace = subject["namespace"].as_str().or(binding.namespace());
    let name = subject["name"].as_str().unwrap_or_default();
    // A workload without a namespace may be installed in any.
    used.contains(&(namespace, name)) || used.contains(&(None, name))
}

fn another_account(
    objects: &[Rendered],
    binding: &Rendered,
    subject: &Value,
    workload: &Workload,
) -> String {
    let namespace = subject["namespace"]
        .as_str()
        .unwrap_or_else(|| workload.namespace_of(binding));
    let account = subject["name"].as_str().unwrap_or_default();
    let why = format!(
        "has the subject `{namespace}/{account}`, but {} {} runs as `{}/{}`",
        workload.kind, workload.name, workload.namespace, workload.service_account
    );
    if account == workload.service_account && is_without_namespace(objects, workload) {
        format!(
            "{why}; if it is installed in `{namespace}`, add `namespace: {}` below `deploy` in rustop.yaml instead",
            json!(namespace)
        )
    } else {
        why
    }
}

/// Returns true if the object of a workload names no namespace.
fn is_without_namespace(objects: &[Rendered], workload: &Workload) -> bool {
    let mut own = objects.iter().filter(|it| is_object_of(workload, it));
    own.any(|it| it.namespace().is_none())
}

fn is_object_of(workload: &Workload, object: &Rendered) -> bool {
    object.kind() == workload.kind && object.name() == workload.name
}

/// Returns the rules of a role in the namespace in which the corrected binding grants them.
fn granted(
    objects: &[Rendered],
    binding: &Rendered,
    role: &Rendered,
    workload: &Workload,
) -> Vec<GrantedRule> {
    let namespace = match (role.kind(), is_cluster(binding)) {
        ("ClusterRole", true) => None,
        ("ClusterRole", false) => Some(workload.namespace_of(binding).to_owned()),
        _ => Some(workload.namespace_of(role).to_owned()),
    };
    let rules = rules_of(objects, role).into_iter();
    rules
        .map(|(from, rule)| GrantedRule::new(from, namespace.clone(), rule))
        .collect()
}
