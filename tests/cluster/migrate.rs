//! `rustop migrate` on an API server with the storage version migrator of Kubernetes: rustop
//! creates a `StorageVersionMigration`, and names the objects that the migrator cannot write.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::against::connect;
use crate::api::Api;
use crate::support::{Ran, Sandbox, run, until};

const CRD: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const COWS: &str = "/apis/my.domain/v1/namespaces/default/cows";
const MIGRATIONS: &str = "/apis/storagemigration.k8s.io/v1/storageversionmigrations";
const POLICIES: &str = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
const BINDINGS: &str = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";
const SOON: Duration = Duration::from_secs(60);

/// Flags that switch off the migrator, which is on by default from Kubernetes 1.37.
const SWITCHED_OFF: &str = "--feature-gates=StorageVersionMigrator=false --runtime-config=storagemigration.k8s.io/v1=false";

#[test]
fn the_migrator_is_used_and_rejected_objects_are_named() {
    let sandbox = Sandbox::new();
    let dir = project(&sandbox);
    sandbox.ok("cluster start --no-controllers");
    let assets = without_migrator(&sandbox);
    sandbox.ok("cluster stop");
    let assets = assets.display();
    sandbox.ok(&format!("cluster start --no-controllers --assets {assets}"));
    store_cows(&connect(&sandbox));
    let said = migrate(&sandbox, &dir, " --dry-run").stderr;
    let by_hand = "one by one, since this API server has no StorageVersionMigration";
    assert!(said.contains(by_hand), "{said}");

    sandbox.ok("cluster stop");
    sandbox.ok("cluster start");
    let api = connect(&sandbox);
    let refusing = refuse_a_cow(&api);
    let ran = migrate(&sandbox, &dir, "");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    for said in [
        "12 objects of cows.my.domain from v1alpha1 to v1, by a StorageVersionMigration",
        "cows.my.domain one by one, since the StorageVersionMigration failed: ",
        "default/cow-7: ",
        "hands off",
    ] {
        assert!(ran.stderr.contains(said), "{said}\n{}", ran.stderr);
    }
    assert!(!ran.stderr.contains("default/cow-8"), "{}", ran.stderr);
    // Kubernetes removes v1alpha1 from the stored versions even after a failed migration; rustop
    // restores it.
    assert_eq!(stored(&api), json!(["v1alpha1", "v1"]));

    // This is the state after rustop was killed before it could restore the stored versions.
    let wrong = json!({ "status": { "storedVersions": ["v1"] } });
    api.patch(&format!("{CRD}/cows.my.domain/status"), &wrong);
    for path in refusing {
        api.delete(&path);
    }
    until("nobody refuses", SOON, || label(&api, "cow-7").0 == 200);
    let before = version_of_the_refused(&api);
    let ran = while_others_write(&api, || migrate(&sandbox, &dir, ""));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let done = "cows.my.domain: every object is stored as v1; v1alpha1 can now be removed";
    assert!(ran.stderr.contains(done), "{}", ran.stderr);
    assert!(!ran.stderr.contains("one by one"), "{}", ran.stderr);
    assert_eq!(stored(&api), json!(["v1"]));
    assert_ne!(version_of_the_refused(&api), before, "it was not written");
    let crd = api.get(&format!("{CRD}/cows.my.domain")).unwrap();
    let told = crd.to_string();
    assert!(told.contains("\"reason\":\"MigrationSucceeded\""), "{told}");
    let left = api.get(MIGRATIONS).unwrap();
    assert_eq!(left["items"], json!([]), "none is left over");
}

/// Writes another object while `work` runs. Without writes to the kind, the migrator needs a minute
/// to notice that it has seen all objects.
fn while_others_write<T>(api: &Api, work: impl FnOnce() -> T) -> T {
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..400 {
                let label = json!({ "metadata": { "labels": { "n": format!("n{number}") } } });
                api.call("PATCH", &format!("{COWS}/cow-0"), Some(&label));
                thread::sleep(Duration::from_millis(500));
                if over.load(Ordering::Relaxed) {
                    break;
                }
            }
        });
        let done = work();
        over.store(true, Ordering::Relaxed);
        done
    })
}

/// Creates a project with the kind. Its Rust types are not built.
fn project(sandbox: &Sandbox) -> PathBuf {
    sandbox.ok("-q init cows --domain my.domain");
    let dir = sandbox.path().join("cows");
    for version in ["v1alpha1", "v1"] {
        let line = format!("-q create api --kind Cow --version {version}");
        let ran = run(sandbox.rustop(&line).current_dir(&dir));
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    }
    dir
}

fn migrate(sandbox: &Sandbox, dir: &Path, more: &str) -> Ran {
    let kubeconfig = sandbox.status("default")[0]["kubeconfig"].clone();
    let line = format!(
        "migrate --kubeconfig {}{more}",
        kubeconfig.as_str().unwrap()
    );
    run(sandbox.rustop(&line).current_dir(dir))
}

/// Creates twelve objects that are stored as v1alpha1, and a CRD that now stores v1.
fn store_cows(api: &Api) {
    let version = |name: &str, storage: bool| {
        json!({
            "name": name, "served": true, "storage": storage,
            "schema": { "openAPIV3Schema": {
                "type": "object", "x-kubernetes-preserve-unknown-fields": true,
            } },
        })
    };
    let crd = |stored: &str| {
        let versions = ["v1alpha1", "v1"].map(|name| version(name, name == stored));
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": { "name": "cows.my.domain" },
            "spec": {
                "group": "my.domain", "scope": "Namespaced", "versions": versions,
                "names": { "kind": "Cow", "plural": "cows", "singular": "cow" },
            },
        })
    };
    api.post(CRD, &crd("v1alpha1"));
    until("the kind is served", SOON, || api.get(COWS).is_some());
    for number in 0..12 {
        let cow = json!({
            "apiVersion": "my.domain/v1", "kind": "Cow",
            "metadata": { "name": format!("cow-{number}"), "namespace": "default" },
        });
        until("a cow", SOON, || {
            matches!(api.call("POST", COWS, Some(&cow)).0, 201 | 409)
        });
    }
    let path = format!("{CRD}/cows.my.domain");
    let change = json!({ "spec": crd("v1")["spec"] });
    api.patch(&path, &change);
    until("the new version is stored", SOON, || {
        stored(api) == json!(["v1alpha1", "v1"])
    });
}

/// Returns the stored versions of the CRD.
fn stored(api: &Api) -> Value {
    let crd = api.get(&format!("{CRD}/cows.my.domain")).unwrap();
    crd["status"]["storedVersions"].clone()
}

/// Returns the resource version of the object whose writes were rejected.
fn version_of_the_refused(api: &Api) -> Value {
    let cow = api.get(&format!("{COWS}/cow-7")).unwrap();
    cow["metadata"]["resourceVersion"].clone()
}

/// Returns a directory with the programs of the running cluster, whose API server is started with
/// [`SWITCHED_OFF`].
fn without_migrator(sandbox: &Sandbox) -> PathBuf {
    let real = sandbox.status("default")[0]["assets"].clone();
    let real = Path::new(real.as_str().unwrap());
    let dir = sandbox.path().join("assets");
    fs::create_dir(&dir).unwrap();
    symlink(real.join("etcd"), dir.join("etcd")).unwrap();
    let path = dir.join("kube-apiserver");
    let real = real.join("kube-apiserver");
    let script = format!("#!/bin/sh\nexec {} \"$@\" {SWITCHED_OFF}\n", real.display());
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    dir
}

/// Installs a policy that rejects each write of one object. Returns the paths of the policy and of
/// its binding.
fn refuse_a_cow(api: &Api) -> [String; 2] {
    let rules = json!([{
        "apiGroups": ["my.domain"], "apiVersions": ["*"],
        "operations": ["UPDATE"], "resources": ["cows"],
    }]);
    let expression = "object.metadata.name != 'cow-7'";
    let policy = json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
        "metadata": { "name": "hands-off" },
        "spec": {
            "matchConstraints": { "resourceRules": rules },
            "validations": [{ "expression": expression, "message": "hands off" }],
        },
    });
    let binding = json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": { "name": "hands-off" },
        "spec": { "policyName": "hands-off", "validationActions": ["Deny"] },
    });
    api.post(POLICIES, &policy);
    api.post(BINDINGS, &binding);
    until("a refusal", SOON, || label(api, "cow-7").0 == 422);
    [POLICIES, BINDINGS].map(|path| format!("{path}/hands-off"))
}

fn label(api: &Api, name: &str) -> (u16, Value) {
    let label = json!({ "metadata": { "labels": { "a": "b" } } });
    api.call("PATCH", &format!("{COWS}/{name}?dryRun=All"), Some(&label))
}
