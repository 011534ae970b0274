//! `rustop rbac report` for an adopted operator.

use std::fmt::Write as _;

use serde_json::Value;

use crate::dsl::{Place, rustop};

const CONFIG: &str = "layout: [rustop.dev/adopted-v1]
projectName: herd
operator:
  command: [target/debug/herd]
deploy: {files: [deploy]}
";

const MANIFEST: &str = "[package]\nname = \"herd\"\n[dependencies]\nkube = \"3.1\"\n";

const MAIN: &str = "use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::{Api, Client};
async fn main() {
    let maps: Api<ConfigMap> = Api::namespaced(client, \"farm\");
    maps.list(&Default::default()).await;
    maps.delete(\"a\", &Default::default()).await;
    Api::<Secret>::all(client).get(\"b\").await;
    Api::<elsewhere::Gate>::all(client).get(\"c\").await;
}
";

const DEPLOY: &str = "apiVersion: apps/v1
kind: Deployment
metadata: {name: herd, namespace: farm}
spec:
  template:
    spec:
      serviceAccountName: shepherd
      containers: [{name: herd, image: herd}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: herding}
rules:
- {apiGroups: [\"\"], resources: [configmaps], verbs: [list, watch]}
- {apiGroups: [\"\"], resources: [secrets], verbs: [get]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: herding}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: herding}
subjects: [{kind: ServiceAccount, name: shepherd, namespace: farm}]
";

fn adopted() -> Place {
    let place = Place::empty();
    place
        .write("rustop.yaml", CONFIG)
        .write("Cargo.toml", MANIFEST)
        .write("src/main.rs", MAIN)
        .write("deploy/all.yaml", DEPLOY);
    place
}

const MISSING: &str = "missing: delete configmaps
  src/main.rs:6: delete (Api::delete)
  add to ClusterRole herding, deploy/all.yaml:10, which grants only list, watch of it:
    - apiGroups: [\"\"]
      resources: [configmaps]
      verbs: [delete]
herd: 3 requests read, 1 rule is missing; 1 unresolved (listed with --verbose)
";

#[test]
fn missing_rule_is_reported_with_its_place() {
    let place = adopted();
    place.rustop("rbac report").stdout(MISSING).unchanged().ok();
    place.rustop("rbac report --check").stdout(MISSING).fails(1);
    place
        .rustop("-v rbac report")
        .stdout(MISSING)
        .says(&["src/main.rs:8: unresolved: Api::get: `Gate` is a type of the crate `elsewhere`"])
        .ok();
    place.edit("deploy/all.yaml", "[list, watch]", "[list, watch, delete]");
    place
        .rustop("rbac report --check")
        .shows(&["no rule is missing"])
        .ok();
}

#[test]
fn document_has_the_rule_and_its_places() {
    let place = adopted();
    let output = rustop(place.dir())
        .args(["rbac", "report", "--output", "json"])
        .output()
        .unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["program"], "herd");
    assert_eq!(document["requests"], 3);
    let missing = &document["missing"][0];
    assert_eq!(missing["resource"], "configmaps");
    assert_eq!(missing["verbs"], serde_json::json!(["delete"]));
    assert_eq!(missing["role"], "ClusterRole herding");
    assert_eq!(missing["places"][0]["line"], 6);
    assert_eq!(document["unresolved"][0]["line"], 8);
}

#[test]
fn operator_without_a_role_lacks_every_rule() {
    let place = adopted();
    place.edit("deploy/all.yaml", "kind: ServiceAccount", "kind: User");
    place
        .rustop("rbac report --check")
        .shows(&[
            "no role is bound to the ServiceAccount `shepherd` of Deployment herd",
            "missing: list, delete configmaps",
            "missing: get secrets",
        ])
        .fails(1);
}

/// Binds a role that the manifests do not contain to the operator.
fn binding(kind: &str, role: &str) -> String {
    format!(
        "---
apiVersion: rbac.authorization.k8s.io/v1
kind: {kind}
metadata: {{name: more, namespace: farm}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: {role}}}
subjects: [{{kind: ServiceAccount, name: shepherd, namespace: farm}}]
"
    )
}

#[test]
fn role_that_the_manifests_lack_may_grant_requests() {
    let place = adopted();
    let deploy = |kind: &str, role: &str| {
        place.write(
            "deploy/all.yaml",
            format!("{DEPLOY}{}", binding(kind, role)),
        );
    };
    deploy("ClusterRoleBinding", "cluster-admin");
    place
        .rustop("rbac report --check")
        .stdout(
            "note: ClusterRole cluster-admin, which deploy/all.yaml:23 binds, is a role of Kubernetes that grants every request
herd: 3 requests read, no rule is missing; 1 unresolved (listed with --verbose)
",
        )
        .ok();
    deploy("RoleBinding", "edit");
    place
        .rustop("rbac report --check")
        .stdout(
            "may be missing: delete configmaps
  src/main.rs:6: delete (Api::delete)
  a role that the manifests do not contain may grant this
note: ClusterRole edit, which deploy/all.yaml:23 binds, is not in the manifests, so its rules are not known
herd: 3 requests read, no rule is missing, 1 may be missing; 1 unresolved (listed with --verbose)
",
        )
        .ok();
}

#[test]
fn no_name_in_the_manifests_begins_a_line_of_the_report() {
    let name = "\"x\\n  note: forged\\e[2J\\u202e\"";
    let shown = "x\\n  note: forged\\u{1b}[2J\\u{202e}";
    for (part, count, line) in [
        (
            "herding",
            3,
            format!("  add to ClusterRole {shown}, deploy/all.yaml:10, which grants only"),
        ),
        (
            "name: herding}\nsubjects",
            1,
            format!(
                "note: ClusterRole {shown}, which deploy/all.yaml:17 binds, is not in the manifests"
            ),
        ),
        (
            "shepherd",
            1,
            format!("but Deployment herd runs as `farm/{shown}`"),
        ),
    ] {
        let place = adopted();
        let hostile = if part.starts_with("name: ") {
            DEPLOY.replace(part, &format!("name: {name}}}\nsubjects"))
        } else {
            DEPLOY.replacen(part, name, count)
        };
        place.write("deploy/all.yaml", hostile);
        place.rustop("rbac report").shows(&[&line]).ok();
    }
}

#[test]
fn a_file_that_cannot_be_parsed_is_a_warning_with_its_place() {
    let place = adopted();
    place
        .write("src/main.rs", format!("{MAIN}mod broken;\n"))
        .write("src/broken.rs", "fn a() {}\nfn b( {\n");
    place
        .rustop("rbac report")
        .stdout(MISSING)
        .says(&[
            "warning: src/broken.rs:2: cannot be parsed: ",
            "requests in this file are not read",
        ])
        .ok();
    place.write("src/main.rs", "fn main( {\n");
    place
        .rustop("rbac report")
        .says(&[
            "warning: src/main.rs:1: cannot be parsed: ",
            "error: no request",
        ])
        .fails(1);
}

#[test]
fn roles_and_bindings_without_number_are_compared_at_once() {
    let mut manifests = DEPLOY.to_owned();
    for n in 0..3000 {
        write!(
            manifests,
            "---\nkind: ClusterRole\nmetadata: {{name: r{n}}}\nrules: []\n---\nkind: ClusterRoleBinding\nmetadata: {{name: r{n}}}\n\
             roleRef: {{kind: ClusterRole, name: r{n}}}\nsubjects: [{{kind: ServiceAccount, name: shepherd, namespace: farm}}]\n"
        )
        .unwrap();
    }
    let place = adopted();
    place.write("deploy/all.yaml", manifests);
    place
        .rustop("rbac report")
        .within_cpu_seconds(20)
        .stdout(MISSING)
        .ok();
}

/// A chart with the rules of [`DEPLOY`], whose secrets are in a role of their own that is bound in
/// each watched namespace. `name` is the name of that role in its binding.
fn chart(name: &str) -> Place {
    let place = adopted();
    let manifests = DEPLOY.replace(
        "- {apiGroups: [\"\"], resources: [secrets], verbs: [get]}\n",
        "",
    );
    let roles = format!(
        "---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: {{{{ .Release.Name }}}}-source
rules:
- {{apiGroups: [\"\"], resources: [secrets], verbs: [get]}}
{{{{- range .Values.namespaces }}}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: source
  namespace: {{{{ . }}}}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: {name}
subjects: [{{kind: ServiceAccount, name: shepherd, namespace: farm}}]
{{{{- end }}}}
"
    );
    place
        .edit(
            "rustop.yaml",
            "deploy: {files: [deploy]}",
            "deploy: {chart: deploy}",
        )
        .remove("deploy/all.yaml")
        .write("deploy/Chart.yaml", "name: herd\nversion: 0.1.0\n")
        .write("deploy/values.yaml", "namespaces: []\n")
        .write("deploy/templates/all.yaml", manifests + &roles);
    place
}

#[test]
fn role_that_is_bound_with_other_values_lacks_no_rule() {
    let place = chart("{{ $.Release.Name }}-source");
    place
        .rustop("rbac report")
        .shows(&[
            "not granted by default: get secrets",
            "  ClusterRole herd-source grants this, but is not bound with these values of the chart",
            "1 rule is missing",
        ])
        .lacks("missing: get secrets")
        .ok();
    place
        .edit("deploy/values.yaml", "[]", "[meadow]")
        .rustop("rbac report")
        .stdout(&MISSING.replace("deploy/all.yaml:10", "deploy/templates/all.yaml"))
        .ok();
    // The role of another name is bound, and this one never is.
    chart("{{ $.Release.Name }}")
        .rustop("rbac report")
        .shows(&["missing: get secrets"])
        .ok();
}

#[test]
fn rule_of_another_workload_with_the_same_image_is_not_missing() {
    let place = adopted();
    let agent = DEPLOY
        .replace("kind: Deployment", "kind: DaemonSet")
        .replace("name: herd, namespace", "name: agent, namespace")
        .replace("shepherd", "dog")
        .replace("herding", "guarding")
        .replace("[list, watch]", "[delete]");
    place
        .write("deploy/agent.yaml", agent)
        .rustop("rbac report --check")
        .shows(&[
            "granted to another workload: delete configmaps",
            "  DaemonSet agent, which runs the same image, may do this",
            "no rule is missing",
        ])
        .ok();
}

#[test]
fn requests_to_another_cluster_need_no_rule() {
    let place = adopted();
    place.edit(
        "src/main.rs",
        "    Api::<Secret>",
        "    let config = kube::Config::from_custom_kubeconfig(kubeconfig, &options).await;
    Api::<Secret>::all(Client::try_from(config)).delete(\"b\", &p).await;
    Api::<Secret>",
    );
    place
        .rustop("-v rbac report")
        .shows(&[
            "1 rule is missing; 1 unresolved, 1 sent to another cluster (listed with --verbose)",
        ])
        .says(&["src/main.rs:8: sent to another cluster: Api::delete"])
        .lacks("delete secrets")
        .ok();
}

#[test]
fn requests_that_were_read_are_listed() {
    let place = adopted();
    place
        .rustop("-v rbac report")
        .stdout(MISSING)
        .says(&[
            "src/main.rs:5: list configmaps (Api::list)",
            "src/main.rs:7: get secrets (Api::get)",
        ])
        .ok();
    let output = rustop(place.dir())
        .args(["rbac", "report", "--output", "json"])
        .output()
        .unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let read = document["read"].as_array().unwrap();
    assert_eq!(read.len(), 3);
    assert_eq!(
        read[0],
        serde_json::json!({"path": "src/main.rs", "line": 5, "resource": "configmaps", "verb": "list", "why": "Api::list"})
    );
}

#[test]
fn operator_without_manifests_gets_its_whole_role() {
    let place = adopted();
    place.edit("rustop.yaml", "deploy: {files: [deploy]}\n", "");
    place
        .rustop("rbac report")
        .stdout(
            "# Without rules for 1 unresolved request, listed with --verbose.
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: \"herd\"
rules:
- apiGroups: [\"\"]
  resources: [configmaps]
  verbs: [list, delete]
- apiGroups: [\"\"]
  resources: [secrets]
  verbs: [get]
",
        )
        .says(&[
            "herd: 3 requests read, which this role grants; 1 unresolved (listed with --verbose)",
            "rustop adopt --deploy PATH --force",
        ])
        .ok();
    // Without `deploy` in rustop.yaml, there is no role to check.
    place
        .rustop("rbac report --check")
        .says(&["error: rustop.yaml has no `deploy`"])
        .fails(1);
}

#[test]
fn an_invalid_cargo_toml_is_a_warning_with_its_place() {
    let place = adopted();
    place
        .write("Cargo.toml", "[package]\nname = herd\n")
        .rustop("rbac report")
        .says(&[
            "warning: Cargo.toml:2: cannot be parsed: ",
            "its programs are not known",
        ])
        .fails(1);
}

#[test]
fn program_that_cannot_be_told_is_an_error() {
    let place = adopted();
    place
        .edit(
            "rustop.yaml",
            "  command: [target/debug/herd]\n",
            "  env: {A: b}\n",
        )
        .write(
            "src/bin/other.rs",
            "fn main() { kube::Api::<k8s_openapi::api::core::v1::Pod>::all(c).list(&lp); }",
        );
    place
        .rustop("rbac report")
        .says(&[
            "the repository has other, herd",
            "operator: {command: [target/debug/",
        ])
        .fails(1);
}

#[test]
fn requests_in_go_are_not_read() {
    let place = adopted();
    place.remove("Cargo.toml").write("go.mod", "module herd\n");
    place
        .rustop("rbac report")
        .shows(&["requests in Go are not read"])
        .ok();
    place
        .rustop("rbac report --check")
        .shows(&["requests in Go are not read"])
        .says(&[
            "error: no verdict: only requests in Rust code are read",
            "help: rustop dev --once && rustop rbac report --check",
        ])
        .fails(1);
    let output = rustop(place.dir())
        .args(["rbac", "report", "--output", "json"])
        .output()
        .unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["requests"], 0);
    for list in ["missing", "bindings", "read", "unresolved", "elsewhere"] {
        assert_eq!(document[list], serde_json::json!([]), "{list}");
    }
}

#[test]
fn every_rule_for_finalizers_permits_owner_references_that_block_deletion() {
    let place = adopted();
    place.write(
        "src/main.rs",
        "use kube::{Api, CustomResource, runtime::Controller};
#[derive(CustomResource)]
#[kube(group = \"farm.example\", version = \"v1\", kind = \"Goat\", namespaced)]
pub struct GoatSpec {}
fn main() {
    Controller::new(Api::<Goat>::all(client), cfg);
    let owner = OwnerReference { block_owner_deletion: Some(true), ..owner };
}
",
    );
    let note = "this needs `update` of goats/finalizers";
    let report = |resources: &str| {
        let goats = "{apiGroups: [farm.example], resources: [goats], verbs: [list, watch]}";
        let more =
            format!("{{apiGroups: [farm.example], resources: [{resources}], verbs: [update]}}");
        let secrets = "{apiGroups: [\"\"], resources: [secrets], verbs: [get]}";
        place.write(
            "deploy/all.yaml",
            DEPLOY.replace(secrets, &format!("{goats}\n- {more}")),
        );
        place.rustop("rbac report --check")
    };
    report("goats/status").shows(&[note]).ok();
    for resources in ["goats/finalizers", "'*/finalizers'", "'*'"] {
        report(resources)
            .stdout("herd: 2 requests read, no rule is missing\n")
            .ok();
    }
}

#[test]
fn code_without_requests_is_no_verdict() {
    for main in ["fn main() {}", "no Rust"] {
        let place = adopted();
        place
            .write("src/main.rs", main)
            .rustop("rbac report --check")
            .says(&[
                "error: no request to the API server was found in the code of the program `herd`, from `main` in src/main.rs",
                "help: correct `operator.command` in rustop.yaml",
            ])
            .fails(1);
    }
}

#[test]
fn code_whose_requests_cannot_be_resolved_is_no_verdict() {
    let place = adopted();
    place.write(
        "src/main.rs",
        "fn main() {\n    kube::Api::<elsewhere::Gate>::all(client).get(\"c\");\n    kube::Api::<elsewhere::Gate>::all(client).delete(\"c\", &params);\n}\n",
    );
    for line in ["rbac report", "rbac report --check"] {
        place
            .rustop(line)
            .says(&[
                "no verdict: the code of `herd` has 2 requests, and the kind of none could be resolved",
                "help: rustop --verbose rbac report lists them",
            ])
            .unchanged()
            .fails(1);
    }
    place
        .rustop("--verbose rbac report")
        .says(&[
            "src/main.rs:2: unresolved: Api::get",
            "src/main.rs:3: unresolved: Api::delete",
        ])
        .fails(1);
}

#[test]
fn role_that_nothing_binds_is_named_with_its_binding() {
    let place = adopted();
    place.edit("deploy/all.yaml", "kind: ClusterRoleBinding", "kind: Other");
    place.edit("deploy/all.yaml", "roleRef:", "other:");
    let lines = "no role is bound to the ServiceAccount `shepherd` of Deployment herd
  ClusterRole herding, deploy/all.yaml, is not bound; add:
    apiVersion: rbac.authorization.k8s.io/v1
    kind: ClusterRoleBinding
    metadata: {name: \"herding\"}
    roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: \"herding\"}
    subjects: [{kind: ServiceAccount, name: \"shepherd\", namespace: \"farm\"}]
missing: delete configmaps
";
    place
        .rustop("rbac report")
        .shows(&[
            lines,
            "herd: 3 requests read, 1 rule is missing, 1 binding is missing; 1 unresolved",
        ])
        .ok();
    // The binding alone is missing.
    place.edit("deploy/all.yaml", "[list, watch]", "[list, watch, delete]");
    place
        .rustop("rbac report --check")
        .shows(&["3 requests read, no rule is missing, 1 binding is missing"])
        .fails(1);
}

const BINDS: &str = "kind: ClusterRoleBinding
metadata: {name: herding}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: herding}
subjects: [{kind: ServiceAccount, name: shepherd, namespace: farm}]
";

/// Returns the corrected binding of the role of [`DEPLOY`].
fn corrected(kind: &str, within: &str, role: &str) -> String {
    format!(
        "  replace it with:
    apiVersion: rbac.authorization.k8s.io/v1
    kind: {kind}
    metadata: {{name: \"herding\"{within}}}
    roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: {role}, name: \"herding\"}}
    subjects: [{{kind: ServiceAccount, name: \"shepherd\", namespace: \"farm\"}}]
missing: delete configmaps
"
    )
}

#[test]
fn binding_that_binds_no_role_is_named_with_its_reason() {
    let in_meadow = ", namespace: \"meadow\"";
    let cluster = "ClusterRoleBinding";
    for (from, to, role, kind, why, fixed) in [
        (
            "shepherd, namespace: farm}]",
            "shepherd}]",
            "ClusterRole",
            cluster,
            "it has the subject `shepherd` without a namespace, which it requires",
            corrected(cluster, "", "ClusterRole"),
        ),
        (
            "shepherd, namespace: farm}]",
            "sheep, namespace: farm}]",
            "ClusterRole",
            cluster,
            "it has the subject `farm/sheep`, but Deployment herd runs as `farm/shepherd`",
            corrected(cluster, "", "ClusterRole"),
        ),
        (
            "kind: ClusterRole,",
            "kind: Role,",
            "Role",
            cluster,
            "it cannot bind a Role: a ClusterRoleBinding binds a ClusterRole only",
            corrected("RoleBinding", in_meadow, "Role"),
        ),
        (
            "kind: ClusterRole,",
            "kind: Role,",
            "Role",
            "RoleBinding",
            "it binds a Role of its own namespace `farm`, and Role herding is in `meadow`",
            corrected("RoleBinding", in_meadow, "Role"),
        ),
        (
            "kind: ClusterRole,",
            "kind: Role,",
            "ClusterRole",
            "RoleBinding",
            "it names a Role herding, which is a ClusterRole",
            corrected("RoleBinding", "", "ClusterRole"),
        ),
    ] {
        let place = adopted();
        let binds = BINDS.replace(from, to).replace(cluster, kind);
        place.edit("deploy/all.yaml", BINDS, &binds);
        if role == "Role" {
            let head = "kind: Role\nmetadata: {name: herding, namespace: meadow}";
            let old = "kind: ClusterRole\nmetadata: {name: herding}";
            place.edit("deploy/all.yaml", old, head);
        }
        let lines = format!("wrong binding: {kind} herding\n  deploy/all.yaml:17: {why}\n{fixed}");
        place
            .rustop("rbac report --check")
            .shows(&[&lines, "1 rule is missing, 1 binding is wrong"])
            .fails(1);
        // The binding alone is wrong.
        place.edit("deploy/all.yaml", "[list, watch]", "[list, watch, delete]");
        place
            .rustop("rbac report --check")
            .shows(&["no rule is missing, 1 binding is wrong"])
            .fails(1);
    }
}

#[test]
fn namespace_that_only_a_binding_names_can_be_set() {
    let place = adopted();
    place.edit(
        "deploy/all.yaml",
        "{name: herd, namespace: farm}",
        "{name: herd}",
    );
    place
        .rustop("rbac report --check")
        .shows(&[
            "it has the subject `farm/shepherd`, but Deployment herd runs as `default/shepherd`; \
             if it is installed in `farm`, add `namespace: \"farm\"` below `deploy` in rustop.yaml instead",
        ])
        .fails(1);
    let old = "deploy: {files: [deploy]}";
    let new = "deploy: {files: [deploy], namespace: \"farm\"}";
    place.edit("rustop.yaml", old, new);
    place
        .rustop("rbac report")
        .shows(&["1 rule is missing"])
        .lacks("wrong binding")
        .ok();
}

#[test]
fn binding_of_another_workload_is_not_wrong() {
    let place = adopted();
    let other = "---
kind: CronJob
metadata: {name: other, namespace: farm}
spec: {jobTemplate: {spec: {template: {spec: {serviceAccountName: sheep, containers: [{name: a, image: b}]}}}}}
";
    let deploy = DEPLOY.replace("name: shepherd, namespace", "name: sheep, namespace");
    place.write("deploy/all.yaml", format!("{deploy}{other}"));
    place
        .rustop("rbac report")
        .shows(&["no role is bound to the ServiceAccount `shepherd` of Deployment herd\nmissing:"])
        .ok();
}

#[test]
fn rule_for_names_grants_no_request_without_a_name() {
    let place = adopted();
    let limited = "resources: [configmaps], resourceNames: [one], verbs: [list, deletecollection]";
    let old = "resources: [configmaps], verbs: [list, watch]";
    place.edit("deploy/all.yaml", old, limited);
    place.edit(
        "src/main.rs",
        "maps.delete(\"a\",",
        "maps.delete_collection(",
    );
    place
        .rustop("rbac report")
        .shows(&[
            "missing: deletecollection configmaps
  src/main.rs:6: deletecollection (Api::delete_collection)
  a rule grants this for `resourceNames: [one]` only, but the name of an object is not part of this request
  add to ClusterRole herding, deploy/all.yaml:10:
",
            "note: src/main.rs:5 needs `list` of configmaps, which only rules with `resourceNames` grant",
        ])
        .ok();
}
