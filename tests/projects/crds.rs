//! CRDs on the real API server: what is read back is what was written, and what they hold keeps its
//! form.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::story::{on_cluster, replay, rustop, turn};
use crate::support::{ESTABLISHED, Ran, Sandbox, crds, run, until};
use crate::types::put;

fn kubectl(sandbox: &Sandbox, dir: &Path, line: &str) -> Ran {
    let ran = run(on_cluster(sandbox, dir, "sh").args(["-ec", &format!("$KUBECTL {line}")]));
    assert_eq!(ran.code, Some(0), "{line}\n{}{}", ran.stdout, ran.stderr);
    ran
}

/// Applies the CRDs of a project and expects that they come back as they are written.
fn come_back(sandbox: &Sandbox, project: &Path) {
    let dir = sandbox.path();
    let written = crds::written(project);
    let bases = project.join("config/crd/bases");
    kubectl(
        sandbox,
        dir,
        &format!("apply --server-side -f {}", bases.display()),
    );
    let ran = run(on_cluster(sandbox, dir, "sh").args(["-ec", ESTABLISHED]));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let read = kubectl(sandbox, dir, "get crd -o json").stdout;
    let read: Value = serde_json::from_str(&read).unwrap();
    let read = read["items"].as_array().unwrap();
    for crd in &written {
        let back = read.iter().find(|back| crds::name(back) == crds::name(crd));
        crds::assert_came_back(crd, back.unwrap());
    }
}

/// Deletes all CRDs. The API server clears them of objects first, and sometimes only gets to it
/// five minutes later; there are none here.
fn delete_all(sandbox: &Sandbox) {
    let dir = sandbox.path();
    kubectl(sandbox, dir, "delete crd --all --wait=false");
    until("no CRDs", Duration::from_secs(60), || {
        let left = kubectl(sandbox, dir, "get crd -o name").stdout;
        for crd in left.lines() {
            let line = format!(
                "$KUBECTL patch {crd} --type merge -p '{{\"metadata\": {{\"finalizers\": null}}}}'"
            );
            // It fails where the CRD is gone by now.
            run(on_cluster(sandbox, dir, "sh").args(["-c", &line]));
        }
        left.is_empty()
    });
}

#[test]
fn every_crd_comes_back_as_it_is_written() {
    let sandbox = Sandbox::new();
    sandbox.ok("cluster start --no-controllers");
    let again = |project: &Path| {
        come_back(&sandbox, project);
        delete_all(&sandbox);
    };
    for project in ["lolcow", "fleet", "namespaced", "webhooks"] {
        let _turn = turn(project);
        again(&replay(project));
    }
    let manifests = |dir: &Path| {
        let ran = rustop(dir, &["manifests"]);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    };
    {
        let _turn = turn("awkward");
        let dir = replay("awkward");
        manifests(&dir);
        again(&dir);
    }
    let _turn = turn("types");
    let dir = replay("types");
    put(&dir, "warned");
    manifests(&dir);
    again(&dir);
    put(&dir, "embedded");
    manifests(&dir);
    come_back(&sandbox, &dir);
    each_text_is_a_text(&dir.join("config/crd/bases/my.domain_lolcows.yaml"));
    embedded_types_keep_what_they_hold(&sandbox);
}

/// The schema of a field of the spec.
fn schema<'a>(crd: &'a Value, field: &str) -> &'a Value {
    &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
        [field]
}

/// The texts of the enum, which came back as they were written, are those of the Rust type.
fn each_text_is_a_text(file: &Path) {
    let types = include_str!("types/embedded.rs");
    let texts = types.lines().filter_map(|line| {
        line.trim()
            .strip_prefix("#[serde(rename = ")?
            .strip_suffix(")]")
    });
    let texts: Vec<Value> = texts
        .filter(|text| !text.contains("rename_all"))
        .map(|text| serde_json::from_str(text).unwrap())
        .collect();
    assert!(texts.len() > 20);
    let crd: Value = serde_yaml::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!(schema(&crd, "text")["enum"], json!(texts));
    assert_eq!(schema(&crd, "text")["default"], "on");
    assert_eq!(schema(&crd, "switch")["default"], "off");
    assert_eq!(schema(&crd, "nodePort")["minimum"], 30000);
}

/// An object as a user applies it, and as it comes back.
fn embedded_types_keep_what_they_hold(sandbox: &Sandbox) {
    let dir = sandbox.path();
    let object = |spec: &Value| json!({ "apiVersion": "my.domain/v1alpha1", "kind": "Lolcow", "metadata": { "name": "betsy" }, "spec": spec });
    let apply = |who: &str, spec: &Value| {
        fs::write(dir.join("lolcow.json"), object(spec).to_string()).unwrap();
        kubectl(
            sandbox,
            dir,
            &format!(
                "apply --server-side --field-manager {who} --validate=strict -f {}/lolcow.json",
                dir.display()
            ),
        );
        let read = kubectl(sandbox, dir, "get lolcow betsy -o json").stdout;
        serde_json::from_str::<Value>(&read).unwrap()["spec"].clone()
    };
    let labels = json!({ "app": "lolcow", "on": "on" });
    let mut spec = json!({
        "template": {
            "metadata": { "labels": labels, "annotations": { "a": "b" }, "finalizers": ["a.b/c"] },
            "spec": {
                "containers": [{
                    "name": "one", "image": "cow",
                    "ports": [{ "containerPort": 80, "protocol": "TCP" }],
                    "resources": { "limits": { "cpu": 1, "memory": "64Mi" } },
                    "livenessProbe": { "httpGet": { "port": "http" } },
                }],
                "volumes": [{ "name": "data", "emptyDir": { "sizeLimit": "1Gi" } }],
                "nodeSelector": { "disk": "ssd" },
            },
        },
        "metadata": { "labels": labels },
        "selector": { "matchLabels": labels, "matchExpressions": [{ "key": "a", "operator": "In", "values": ["b"] }] },
        "size": "1.5Gi",
        "port": 8080,
        "service": { "ports": [{ "port": 80, "protocol": "TCP", "targetPort": "http" }] },
        "secret": { "name": "s", "key": "k" },
    });
    let read = apply("one", &spec);
    spec["text"] = json!("on");
    spec["switch"] = json!("off");
    spec["nodePort"] = json!(30000);
    assert_eq!(read, spec);
    // A value that no operator could decode is rejected, even in a field of a Kubernetes type.
    let much = json!({ "volumes": [{ "name": "data", "emptyDir": { "sizeLimit": "much" } }] });
    let limits = json!([{ "name": "one", "resources": { "limits": { "cpu": "much" } } }]);
    for (path, spec) in [
        ("spec.size", json!({ "size": "much" })),
        (
            "volumes[0].emptyDir.sizeLimit",
            json!({ "template": { "spec": much } }),
        ),
        (
            "containers[0].resources.limits.cpu",
            json!({ "template": { "spec": { "containers": limits } } }),
        ),
    ] {
        fs::write(dir.join("wrong.json"), object(&spec).to_string()).unwrap();
        let line = format!(
            "apply --server-side --force-conflicts --field-manager three -f {}/wrong.json",
            dir.display()
        );
        let ran = sandbox.kubectl("default", &line);
        let said = ran.stderr.contains(path) && ran.stderr.contains("should match");
        assert!(ran.code == Some(1) && said, "{path}: {}", ran.stderr);
    }
    // Lists are merged as in Kubernetes' own kinds: the container of another applier is added to
    // the first.
    let other =
        json!({ "template": { "spec": { "containers": [{ "name": "two", "image": "dog" }] } } });
    let read = apply("two", &other);
    let containers = read["template"]["spec"]["containers"].as_array().unwrap();
    let names: Vec<_> = containers
        .iter()
        .map(|container| &container["name"])
        .collect();
    assert_eq!(names, ["one", "two"]);
    assert_eq!(read["template"]["metadata"]["labels"], labels);
}
