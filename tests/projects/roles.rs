//! Roles that markers name or put into a namespace, as the API server applies them from
//! `config/default` and from the chart.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::chart::helm::Helm;
use crate::story;
use crate::support::{Sandbox, run};

const NAME: &str = "cow-operator";

const MARKERS: &str = "\
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get
// +kubebuilder:rbac:groups=\"\",resources=configmaps,verbs=get,namespace=infra
// +kubebuilder:rbac:groups=\"\",resources=secrets,verbs=get,namespace=users
// +kubebuilder:rbac:groups=\"\",resources=pods,verbs=get,roleName=extra
// +kubebuilder:rbac:groups=\"\",resources=services,verbs=get,namespace=system
";

fn rustop(dir: &Path, line: &str) {
    let words: Vec<_> = line.split(' ').collect();
    let ran = story::rustop(dir, &words);
    assert_eq!(ran.code, Some(0), "{line}\n{}", ran.stderr);
    assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
}

/// A project with these markers and a chart.
fn project(dir: &Path, scope: &str) {
    fs::create_dir(dir).unwrap();
    let init = format!("init --domain my.domain --project-name {NAME}{scope}");
    rustop(dir, &init);
    fs::write(dir.join("src/rules.rs"), MARKERS).unwrap();
    rustop(dir, "manifests");
    rustop(dir, "create chart");
    rustop(dir, "manifests --check");
}

/// Each binding of a role that a marker names, as `namespace: ServiceAccount -> role`, the role of
/// which must be there.
fn bound(objects: &[Value]) -> BTreeSet<String> {
    let text = |object: &Value, at: &str| {
        let text = object.pointer(at).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    let roles: BTreeSet<_> = objects
        .iter()
        .map(|it| ["/kind", "/metadata/namespace", "/metadata/name"].map(|at| text(it, at)))
        .collect();
    let bindings = objects.iter().filter(|it| {
        text(it, "/kind").ends_with("RoleBinding")
            && text(it, "/metadata/name").ends_with("-binding")
    });
    let line = |it: &Value| {
        let [kind, namespace, role] =
            ["/roleRef/kind", "/metadata/namespace", "/roleRef/name"].map(|at| text(it, at));
        let role = [kind, namespace, role];
        assert!(roles.contains(&role), "{role:?}");
        let [kind, namespace, role] = role;
        let [at, account] =
            ["/subjects/0/namespace", "/subjects/0/name"].map(|field| text(it, field));
        format!("{namespace}: {at}/{account} -> {kind} {role}")
    };
    bindings.map(line).collect()
}

fn expected(own: &str, scope: &str) -> BTreeSet<String> {
    let account = format!("{own}/{NAME}-controller-manager");
    let extra = if scope.is_empty() {
        format!(": {account} -> ClusterRole {NAME}-extra")
    } else {
        format!("{own}: {account} -> Role {NAME}-extra")
    };
    let role = |namespace: &str, name: &str| {
        format!("{namespace}: {account} -> Role {NAME}-manager-role-{name}")
    };
    BTreeSet::from([
        extra,
        role("infra", "infra"),
        role("users", "users"),
        role(own, "system"),
    ])
}

/// The objects that the operator may read, as resource and namespace.
const MAY_GET: [(&str, &str); 4] = [
    ("configmaps", "infra"),
    ("secrets", "users"),
    ("services", ""),
    ("pods", ""),
];

/// The operator in a namespace may get these, and no resource of a namespaced role in another
/// namespace.
fn is_granted(sandbox: &Sandbox, own: &str, cluster_wide: bool) {
    let can = |resource: &str, namespace: &str| {
        let namespace = if namespace.is_empty() { own } else { namespace };
        let line = format!(
            "auth can-i get {resource} -n {namespace} --as=system:serviceaccount:{own}:{NAME}-controller-manager"
        );
        sandbox.kubectl("default", &line).stdout.trim() == "yes"
    };
    for (resource, namespace) in MAY_GET {
        assert!(
            can(resource, namespace),
            "{resource} in {namespace} of {own}"
        );
        let elsewhere = cluster_wide && resource == "pods";
        assert_eq!(can(resource, "default"), elsewhere, "{resource} in default");
    }
}

fn granted_from_manifests_and_chart(scope: &str) {
    let sandbox = Sandbox::new();
    sandbox.ok("cluster start --no-controllers");
    let dir = sandbox.path().join("cow");
    project(&dir, scope);
    let kubectl = |line: &str| {
        let ran = sandbox.kubectl("default", line);
        assert_eq!(ran.code, Some(0), "{line}: {}", ran.stderr);
        ran.stdout
    };
    let default = dir.join("config/default");
    let default = default.display();
    let own = format!("{NAME}-system");
    let built = kubectl(&format!("kustomize {default}"));
    let built: Vec<Value> = serde_yaml::from_multiple(&built).unwrap();
    assert_eq!(bound(&built), expected(&own, scope));
    kubectl("create namespace infra");
    kubectl("create namespace users");
    kubectl(&format!("apply -k {default}"));
    is_granted(&sandbox, &own, scope.is_empty());
    kubectl(&format!("delete --wait=false -k {default}"));

    let status = sandbox.status("default").remove(0);
    let helm = Helm::new(4);
    let rendered = helm.template(&dir, NAME, "");
    assert_eq!(bound(&rendered), expected(&own, scope));
    let mut install = helm.command(&dir);
    install
        .args([
            "install",
            NAME,
            &format!("charts/{NAME}"),
            "--create-namespace",
            "--namespace",
            "herd",
        ])
        .env("KUBECONFIG", status["kubeconfig"].as_str().unwrap());
    let ran = run(&mut install);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    is_granted(&sandbox, "herd", scope.is_empty());
}

#[test]
fn roles_of_a_cluster_scoped_operator_are_granted_where_markers_say() {
    granted_from_manifests_and_chart("");
}

#[test]
fn roles_of_a_namespaced_operator_are_granted_where_markers_say() {
    granted_from_manifests_and_chart(" --namespaced");
}
