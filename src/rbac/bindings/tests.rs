//! Tests from markers to `role.yaml`.

use std::path::Path;

use super::*;
use crate::rbac::role_file as imported;
use crate::rbac::roles::{roles, with_operators};
use crate::rbac::rule::{Rule, grants};
use crate::sources::comments::scan;

fn naming() -> Naming {
    Naming {
        namespace: "cow-system".to_owned(),
        prefix: "cow-".to_owned(),
        restores_namespaces: true,
    }
}

fn granted(arguments: &[&str], scope: Scope) -> Vec<Grant> {
    let marker = |more: &&str| {
        format!("// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get{more}\n")
    };
    let text: String = arguments.iter().map(marker).collect();
    let (grants, problems) = grants(&scan(Path::new("src/lib.rs"), &text).markers, scope);
    assert_eq!(problems, []);
    grants
}

/// Returns the documents of the role file: kind, namespace, name, the role and subject of a
/// binding, and the annotation.
fn documents(arguments: &[&str], scope: Scope, naming: &Naming) -> Vec<String> {
    let grants = granted(arguments, scope);
    let rules: Vec<_> = grants.into_iter().map(|grant| grant.rule).collect();
    documents_of(&rules, scope, naming)
}

fn documents_of(rules: &[Rule], scope: Scope, naming: &Naming) -> Vec<String> {
    let all = with_operators(roles(rules, OPERATOR, scope), scope);
    let text = text(all, naming);
    let documents: Vec<Value> = serde_yaml::from_multiple(&text).unwrap();
    let documents = documents.iter().map(|it| {
        let text = |pointer: &str| it.pointer(pointer).and_then(Value::as_str);
        let namespace = text("/metadata/namespace").unwrap_or("-");
        let annotation = text("/metadata/annotations/rustop.dev~1namespace");
        assert!(annotation.is_none_or(|it| it == namespace), "{it}");
        let annotated = annotation.map_or("", |_| " annotated");
        let [kind, name] = ["/kind", "/metadata/name"].map(|it| text(it).unwrap());
        let bound = text("/roleRef/name").map(|name| {
            let kind = text("/roleRef/kind").unwrap();
            let [account, namespace] =
                ["name", "namespace"].map(|field| text(&format!("/subjects/0/{field}")).unwrap());
            format!(" to {kind} {name} of {namespace}/{account}")
        });
        let bound = bound.unwrap_or_default();
        format!("{kind} {namespace}/{name}{bound}{annotated}")
    });
    documents.collect()
}

const MARKERS: [&str; 5] = [
    "",
    ",namespace=infra",
    ",namespace=users,roleName=reader",
    ",roleName=extra",
    ",namespace=system",
];

#[test]
fn each_role_of_a_marker_has_its_binding() {
    assert_eq!(
        documents(&MARKERS, Scope::Cluster, &naming()),
        [
            "ClusterRole -/extra",
            "ClusterRole -/manager-role",
            "Role infra/manager-role-infra annotated",
            "Role system/manager-role-system",
            "Role users/reader-users annotated",
            "ClusterRoleBinding -/extra-binding to ClusterRole extra of system/controller-manager",
            "RoleBinding infra/manager-role-infra-binding to Role manager-role-infra of system/controller-manager annotated",
            "RoleBinding system/manager-role-system-binding to Role manager-role-system of system/controller-manager",
            "RoleBinding users/reader-users-binding to Role reader-users of system/controller-manager annotated",
        ]
    );
}

/// `role_binding.yaml` binds it in every project, and must not bind another's role of the same
/// name.
#[test]
fn the_operators_role_is_there_without_a_marker_for_it() {
    for (scope, role) in [
        (Scope::Cluster, "ClusterRole -/manager-role"),
        (Scope::Namespace, "Role -/manager-role"),
    ] {
        let found = documents(&[",namespace=infra,roleName=extra"], scope, &naming());
        assert!(found.contains(&role.to_owned()), "{found:?}");
    }
}

#[test]
fn an_imported_role_of_a_namespace_is_bound_in_it() {
    let file = "kind: ClusterRole\nmetadata: {name: cow-role}\nrules:\n\
                - {apiGroups: [apps], resources: [deployments], verbs: [get]}\n---\n\
                kind: Role\nmetadata: {name: cow-role, namespace: infra}\nrules:\n\
                - {apiGroups: [\"\"], resources: [secrets], verbs: [get]}\n---\n\
                kind: Role\nmetadata: {name: reader, namespace: users}\nrules:\n\
                - {apiGroups: [\"\"], resources: [pods], verbs: [get]}\n";
    let imported = imported::read(file).unwrap();
    assert_eq!(imported.unsupported_roles, [""; 0]);
    let markers = imported.rules.iter().map(imported::marker);
    let markers: Vec<_> = markers.map(|it| format!("// {it}\n")).collect();
    let markers = markers.concat();
    let scan = scan(Path::new("src/lib.rs"), &markers);
    let (grants, problems) = grants(&scan.markers, Scope::Cluster);
    assert_eq!(problems, []);
    let rules: Vec<_> = grants.into_iter().map(|grant| grant.rule).collect();
    assert_eq!(
        documents_of(&rules, Scope::Cluster, &naming()),
        [
            "ClusterRole -/manager-role",
            "Role infra/manager-role-infra annotated",
            "Role users/reader-users annotated",
            "RoleBinding infra/manager-role-infra-binding to Role manager-role-infra of system/controller-manager annotated",
            "RoleBinding users/reader-users-binding to Role reader-users of system/controller-manager annotated",
        ]
    );
}

#[test]
fn a_named_role_of_a_namespaced_operator_is_bound_where_it_is() {
    assert_eq!(
        documents(&["", ",roleName=extra"], Scope::Namespace, &naming()),
        [
            "Role -/extra",
            "Role -/manager-role",
            "RoleBinding -/extra-binding to Role extra of system/controller-manager",
        ]
    );
}

#[test]
fn a_role_that_is_moved_is_not_bound() {
    let naming = Naming {
        restores_namespaces: false,
        ..naming()
    };
    let markers = ["", ",namespace=infra", ",namespace=cow-system"];
    assert_eq!(
        documents(&markers, Scope::Cluster, &naming),
        [
            "ClusterRole -/manager-role",
            "Role cow-system/manager-role-cow-system",
            "Role infra/manager-role-infra annotated",
            "RoleBinding cow-system/manager-role-cow-system-binding to Role manager-role-cow-system of system/controller-manager",
        ]
    );
    let twice = [markers[1], markers[1], markers[2], ",namespace=users"];
    let found = check_moved(&granted(&twice, Scope::Cluster), &naming);
    let found: Vec<_> = found.iter().map(|it| (it.line(), &*it.message)).collect();
    assert_eq!(
        found,
        [
            (
                Some(1),
                "config/default moves the role for the namespace `infra` to `cow-system`, so it is not bound"
            ),
            (
                Some(4),
                "config/default moves the role for the namespace `users` to `cow-system`, so it is not bound"
            ),
        ]
    );
}

#[test]
fn two_roles_of_one_name_are_refused() {
    for (markers, scope, lines) in [
        (["", ""], Scope::Cluster, vec![]),
        ([",namespace=a", ",namespace=a"], Scope::Cluster, vec![]),
        (
            [",roleName=x-a,namespace=b", ",roleName=x,namespace=a-b"],
            Scope::Cluster,
            vec![2],
        ),
        (
            [",namespace=a", ",roleName=manager-role-a"],
            Scope::Namespace,
            vec![2],
        ),
        (
            [",namespace=a", ",roleName=manager-role-a"],
            Scope::Cluster,
            vec![],
        ),
    ] {
        let found = check_names(&granted(&markers, scope), scope);
        let found: Vec<_> = found.iter().filter_map(Diagnostic::line).collect();
        assert_eq!(found, lines, "{markers:?}");
    }
}

#[test]
fn the_markers_of_a_role_file_are_read_back() {
    let rules: Vec<_> = granted(&MARKERS, Scope::Cluster)
        .into_iter()
        .map(|it| it.rule)
        .collect();
    let file = text(roles(&rules, OPERATOR, Scope::Cluster), &naming());
    let read = crate::rbac::role_file::read_own(&file).unwrap();
    let expanded = crate::rbac::role_file::expanded;
    assert_eq!(expanded(&read), expanded(&rules), "{file}");
}
