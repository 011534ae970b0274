//! A second version of a kind on the real API server, with `rustop dev` as the operator: conversion
//! in both directions, and the whole life of a version from the first stored object to the last.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::dev::Dev;
use crate::place::Place;
use crate::story::{command, in_project, replay, rustop, turn};
use crate::support::{Ran, Sandbox, kill, run, until};

const SOON: Duration = Duration::from_secs(60);
/// The server-side apply of `make install`.
const INSTALL: &str = "$KUBECTL apply --server-side --force-conflicts -k config/crd";

/// The project with types of its own, its manifests written.
fn project() -> PathBuf {
    let dir = replay("versions");
    let write = |path: &str, text: &str| fs::write(dir.join(path), text).unwrap();
    write(
        "api/src/v1/lolcow_from_v1alpha1.rs",
        include_str!("versions/conversion.rs"),
    );
    store(&dir, "v1alpha1");
    for (version, field) in [("v1alpha1", "message"), ("v1", "text")] {
        let sample = format!(
            "apiVersion: my.domain/{version}\nkind: Lolcow\nmetadata:\n  name: lolcow-sample\nspec:\n  {field}: Hello\n"
        );
        write(&format!("config/samples/{version}_lolcow.yaml"), &sample);
    }
    let path = "tests/lolcow_conversion.rs";
    let kept = [("v1", "moods"), ("v1", "volume"), ("v1alpha1", "herd")];
    let kept = kept.map(|(version, field)| format!(".kept(\"{version}\", \"spec.{field}\")\n"));
    let text = fs::read_to_string(dir.join(path)).unwrap();
    write(
        path,
        &text.replace(".check()", &format!("{}.check()", kept.concat())),
    );
    dir
}

/// Makes `version` the one that is stored, as its owner does: in the attributes of the types.
fn store(dir: &Path, version: &str) {
    for (name, text) in [
        ("v1alpha1", include_str!("versions/v1alpha1.rs")),
        ("v1", include_str!("versions/v1.rs")),
    ] {
        let storage = if name == version {
            ""
        } else {
            "storage = false,"
        };
        let text = text.replace("// STORAGE", storage);
        fs::write(dir.join(format!("api/src/{name}/lolcow.rs")), text).unwrap();
    }
    let ran = rustop(dir, &["manifests"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
}

#[test]
fn a_version_comes_and_another_goes_and_no_object_is_lost() {
    let _turn = turn("versions");
    let sandbox = Sandbox::new();
    let dir = project();
    let line = "test --locked --quiet --test lolcow_conversion";
    let ran = run(command(&dir, "cargo").args(line.split(' ')));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);

    let started = in_project(&sandbox, &dir, "cluster start");
    assert_eq!(started.code, Some(0), "{}", started.stderr);
    let mut dev = Dev::start(&sandbox, &dir, &[]);
    let place = Place::of(sandbox, dir);
    both_ways(&place);
    server_side_apply(&place);
    what_cannot_be_converted(&place);
    more_than_a_page(&place);
    misses_what_only_the_cluster_has(&place);

    // Stored as v1alpha1 so far; readers of both versions must not notice the move.
    let over = AtomicBool::new(false);
    let reads = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut failures = Vec::new();
            while !over.load(Ordering::Relaxed) {
                for version in ["v1alpha1", "v1"] {
                    let ran = place.sh(&format!(
                        "$KUBECTL get --raw /apis/my.domain/{version}/lolcows"
                    ));
                    let list: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
                    let all = list["items"]
                        .as_array()
                        .is_some_and(|items| items.len() >= 114);
                    failures.extend((!all).then_some(ran));
                }
                reads.fetch_add(1, Ordering::Relaxed);
            }
            failures
        });
        let ends = Ends(&over);
        for step in [move_storage, migrate] {
            step(&place);
            let so_far = reads.load(Ordering::Relaxed);
            until("more reads", SOON, || {
                reads.load(Ordering::Relaxed) > so_far + 3
            });
        }
        drop(ends);
        let failures = reader.join().unwrap();
        assert!(failures.is_empty(), "{failures:#?}");
    });

    // The operator goes, and with it the conversion; what is stored is all there.
    assert_eq!(dev.end(Signal::INT), Some(0), "{}", dev.said());
    refuses_what_it_cannot_convert(&place, "v1alpha1");
    assert_eq!(place.spec("v1", "old")["moods"], json!(["calm"]));
    assert_eq!(place.spec("v1", "applied"), json!({"volume": 9}));
    retire(&place);
    assert_eq!(place.spec("v1", "old")["moods"], json!(["calm"]));
}

/// A guard that ends the reading thread, also if the test fails meanwhile.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Under `None` the API server drops the fields that the other version has not, without an error:
/// `spec` is `{}` after `kubectl label` alone.
#[test]
fn no_conversion_is_none_once_the_operator_is_gone() {
    let _turn = turn("versions");
    let sandbox = Sandbox::new();
    let dir = project();
    let started = in_project(&sandbox, &dir, "cluster start --no-controllers");
    assert_eq!(started.code, Some(0), "{}", started.stderr);
    let place = Place::of(sandbox, dir);
    place.ok(INSTALL);
    let none = || {
        place.ok("$KUBECTL patch crd lolcows.my.domain --type merge -p '{\"spec\": {\"conversion\": {\"strategy\": \"None\", \"webhook\": null}}}'")
    };
    none();
    let spec = json!({"message": "moo", "loud": true, "herd": "north"});
    place.create("v1alpha1", "old", &spec);

    let theirs = ["--kubeconfig", &place.kubeconfig];
    for (arguments, signal) in [
        (&[][..], Signal::INT),
        (&theirs[..], Signal::INT),
        (&theirs[..], Signal::KILL),
    ] {
        none();
        let mut dev = Dev::start(&place.sandbox, &place.dir, arguments);
        place.ok("$KUBECTL get lolcows.v1.my.domain old");
        dev.end(signal);
        refuses_what_it_cannot_convert(&place, "v1");
    }
    // The next run takes over the conversion webhook of the killed one, and removes its address at
    // the end.
    let mut run = command(&place.dir, "rustop");
    run.arg("run").env("KUBECONFIG", &place.kubeconfig);
    run.env("RUSTOP_STATE", place.sandbox.state());
    run.env("HEALTH_PROBE_BIND_ADDRESS", "0");
    let mut run = run.stdin(std::process::Stdio::null()).spawn().unwrap();
    until("a conversion", SOON * 3, || {
        place.sh("$KUBECTL get lolcows.v1.my.domain old").code == Some(0)
    });
    kill(run.id(), Signal::INT);
    run.wait().unwrap();
    refuses_what_it_cannot_convert(&place, "v1");
    let led =
        "$KUBECTL get crd lolcows.my.domain -o 'jsonpath={.spec.conversion.webhook.clientConfig}'";
    let led: Value = serde_json::from_str(&place.ok(led)).unwrap();
    assert_eq!(led["caBundle"], Value::Null);
    assert_eq!(led["service"]["port"], 443);
    assert_eq!(place.spec("v1alpha1", "old"), spec);
}

/// An object that is created in one version is read in the other, and no data is lost on the way
/// back.
fn both_ways(place: &Place) {
    place.create(
        "v1alpha1",
        "old",
        &json!({"message": "moo", "loud": true, "herd": "north"}),
    );
    place.create(
        "v1",
        "new",
        &json!({"text": "moo", "volume": 7, "moods": ["glad", "sad"]}),
    );
    assert_eq!(
        place.spec("v1", "old"),
        json!({"text": "moo", "volume": 11})
    );
    assert_eq!(
        place.spec("v1alpha1", "new"),
        json!({"message": "moo", "loud": true})
    );
    let list = place.get("v1", "");
    let items = list["items"].as_array().unwrap();
    assert!(items.len() >= 3, "{list}");
    assert!(
        items
            .iter()
            .all(|item| item["apiVersion"] == "my.domain/v1")
    );

    // The operator uses v1alpha1, and its status exists in both versions.
    until("a status", SOON, || {
        place.get("v1", "new")["status"]["conditions"][0]["status"] == "True"
    });
    let patched = "$KUBECTL patch lolcows.v1alpha1.my.domain new --type merge -p '{\"spec\": {\"message\": \"mooo\"}}'";
    place.ok(patched);
    let all = json!({"text": "mooo", "volume": 7, "moods": ["glad", "sad"]});
    assert_eq!(place.spec("v1", "new"), all);
    // A whole object, read and written back by who knows the old version only.
    place.ok("$KUBECTL get lolcows.v1alpha1.my.domain new -o json | sed s/mooo/mu/ | $KUBECTL replace -f -");
    let all = json!({"text": "mu", "volume": 7, "moods": ["glad", "sad"]});
    assert_eq!(place.spec("v1", "new"), all);
    place.ok("$KUBECTL patch lolcows.v1alpha1.my.domain new --type merge -p '{\"spec\": {\"loud\": false}}'");
    assert_eq!(place.spec("v1", "new")["volume"], 3);
    place.ok("$KUBECTL patch lolcows.v1.my.domain old --type merge -p '{\"spec\": {\"moods\": [\"calm\"]}}'");
    let old = json!({"message": "moo", "loud": true, "herd": "north"});
    assert_eq!(place.spec("v1alpha1", "old"), old);
    let annotations = &place.get("v1", "lolcow-sample")["metadata"]["annotations"];
    assert_eq!(annotations, &Value::Null, "nothing to keep");
}

/// Two appliers, one for each version, own what they apply and nothing else.
fn server_side_apply(place: &Place) {
    let apply = |manager: &str, version: &str, spec: Value| {
        let kubectl = format!("apply --server-side --field-manager={manager}");
        place.with(&kubectl, version, "applied", &spec)
    };
    let ok = |ran: Ran| assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    ok(apply(
        "old",
        "v1alpha1",
        json!({"message": "moo", "herd": "north"}),
    ));
    ok(apply("new", "v1", json!({"moods": ["glad"]})));
    ok(apply(
        "old",
        "v1alpha1",
        json!({"message": "mooo", "herd": "north"}),
    ));
    let new = json!({"text": "mooo", "volume": 3, "moods": ["glad"]});
    assert_eq!(place.spec("v1", "applied"), new);
    let conflict = apply("new", "v1", json!({"text": "mine", "moods": ["glad"]}));
    assert!(
        conflict.stderr.contains("conflict with \"old\""),
        "{}",
        conflict.stderr
    );
    // A field that its applier no longer applies is removed in both versions; the fields of the
    // other one are kept.
    ok(apply("old", "v1alpha1", json!({"herd": "north"})));
    let new = json!({"volume": 3, "moods": ["glad"]});
    assert_eq!(place.spec("v1", "applied"), new);
    ok(apply("new", "v1", json!({"volume": 9})));
    assert_eq!(place.spec("v1", "applied"), json!({"volume": 9}));
    assert_eq!(
        place.spec("v1alpha1", "applied"),
        json!({"loud": true, "herd": "north"})
    );
}

/// The API server says which object, and what is wrong with it.
fn what_cannot_be_converted(place: &Place) {
    place.create("v1alpha1", "mute", &json!({"message": "unspeakable"}));
    let ran = place.sh("$KUBECTL get lolcows.v1.my.domain mute");
    let why = "cannot convert my.domain/v1alpha1 Lolcow default/mute to my.domain/v1: spec: `message` cannot be expressed";
    assert!(ran.stderr.contains(why), "{}", ran.stderr);
    place.ok("$KUBECTL delete lolcows.v1alpha1.my.domain mute");
}

/// So many objects that they are not listed at once.
fn more_than_a_page(place: &Place) {
    let cow = |n: usize| {
        json!({"apiVersion": "my.domain/v1alpha1", "kind": "Lolcow",
        "metadata": {"name": format!("cow-{n}")}, "spec": {"message": "moo", "herd": n.to_string()}})
    };
    let cows: Vec<_> = (0..110).map(cow).collect();
    let list = json!({"apiVersion": "v1", "kind": "List", "items": cows});
    fs::write(place.dir.join("cows.json"), list.to_string()).unwrap();
    place.ok("$KUBECTL create --validate=false -f cows.json");
}

/// Applies the CRDs as `make install` does, while the operator runs.
fn move_storage(place: &Place) {
    assert_eq!(place.stored(), r#"["v1alpha1"]"#);
    let stanza = |dir: &str| {
        place.ok(&format!(
            "$KUBECTL kustomize {dir} | grep -A 7 '^  conversion:'"
        ))
    };
    let alone = stanza("config/crd");
    assert!(
        alone.contains("name: versions-operator-webhook-service")
            && alone.contains("namespace: versions-operator-system"),
        "{alone}"
    );
    assert_eq!(alone, stanza("config/default"), "with prefix and namespace");
    let bundle = "$KUBECTL get crd lolcows.my.domain -o 'jsonpath={.spec.conversion.webhook.clientConfig.caBundle}'";
    let before = place.ok(bundle);
    assert!(before.len() > 100, "{before}");
    store(&place.dir, "v1");
    place.ok(INSTALL);
    assert_eq!(place.ok(bundle), before, "what the operator put in stays");
    assert_eq!(place.stored(), r#"["v1alpha1","v1"]"#);
    place.create(
        "v1alpha1",
        "late",
        &json!({"message": "moo", "herd": "south"}),
    );
    place.create("v1", "later", &json!({"text": "moo", "volume": 8}));
    let late = json!({"message": "moo", "loud": false, "herd": "south"});
    assert_eq!(place.spec("v1alpha1", "late"), late);
    assert_eq!(place.spec("v1", "old")["moods"], json!(["calm"]));
    until("a status", SOON, || {
        place.get("v1alpha1", "later")["status"]["conditions"][0]["status"] == "True"
    });
}

/// A policy that rejects writes of one object.
const REFUSES: &str = r#"
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: hands-off}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [my.domain], apiVersions: ["*"], operations: [UPDATE], resources: [lolcows]}]
  validations: [{expression: "object.metadata.name != 'cow-7'", message: hands off}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: hands-off}
spec: {policyName: hands-off, validationActions: [Deny]}
"#;

/// A rejected object is named, all others are written, and the CRD keeps the old stored version.
fn names_what_is_refused(place: &Place) {
    fs::write(place.dir.join("refuses.yaml"), REFUSES).unwrap();
    place.ok("$KUBECTL apply -f refuses.yaml");
    let label = || place.sh("$KUBECTL label --dry-run=server lolcows.v1.my.domain cow-7 a=b");
    until("a refusal", SOON, || label().stderr.contains("hands off"));
    let ran = place.sh("rustop migrate");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("default/cow-7: ") && ran.stderr.contains("hands off"),
        "{}",
        ran.stderr
    );
    assert!(!ran.stderr.contains("cow-8"), "{}", ran.stderr);
    assert_eq!(place.stored(), r#"["v1alpha1","v1"]"#);
    place.ok("$KUBECTL delete -f refuses.yaml");
    until("no refusal", SOON, || label().code == Some(0));
}

/// `rustop manifests --against cluster`: what the CRDs of the project would do to this one.
fn against_cluster(place: &Place) -> Ran {
    place.sh("rustop manifests --check --against cluster")
}

/// The comparison finds a field that a user added to the CRD in the cluster only.
fn misses_what_only_the_cluster_has(place: &Place) {
    let ran = against_cluster(place);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let fine = "with 1 CRD of cluster: nothing breaks";
    assert!(ran.stderr.contains(fine), "{}", ran.stderr);
    let at = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/extra";
    let patch = |op: &str| {
        let patch = json!([{ "op": op, "path": at, "value": { "type": "string" } }]);
        let crd = "$KUBECTL patch crd lolcows.my.domain --type json -p";
        place.ok(&format!("{crd} '{patch}'"));
    };
    patch("add");
    let ran = against_cluster(place);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let gone = ".spec.extra: the field was removed, which breaks stored objects";
    assert!(ran.stderr.contains(gone), "{}", ran.stderr);
    patch("remove");
}

/// The version can be removed only once no object is stored in it.
fn migrate(place: &Place) {
    let crd = place.ok("$KUBECTL get crd lolcows.my.domain -o json");
    let mut crd: Value = serde_json::from_str(&crd).unwrap();
    let versions = crd["spec"]["versions"].as_array_mut().unwrap();
    versions.retain(|version| version["name"] == "v1");
    fs::write(place.dir.join("crd.json"), crd.to_string()).unwrap();
    let refused = place.sh("$KUBECTL replace -f crd.json");
    assert!(
        refused.stderr.contains("status.storedVersions[0]"),
        "{}",
        refused.stderr
    );
    let said = place.ok("rustop migrate --dry-run");
    assert!(
        said.contains("Would migrate 116 objects of lolcows.my.domain to v1"),
        "{said}"
    );
    assert_eq!(place.stored(), r#"["v1alpha1","v1"]"#);
    names_what_is_refused(place);
    let said = place.ok("rustop migrate");
    assert!(
        said.contains(
            "Migrated lolcows.my.domain: every object is stored as v1; v1alpha1 can now be removed"
        ),
        "{said}"
    );
    assert_eq!(place.stored(), r#"["v1"]"#);
    let said = place.ok("rustop migrate --kind Lolcow");
    assert!(
        said.contains("Unchanged lolcows.my.domain: every object is stored as v1"),
        "{said}"
    );
}

/// The old version leaves the project and the cluster: with what `rustop delete` says, and no more.
fn retire(place: &Place) {
    let said = place.ok("rustop delete version --kind Lolcow --version v1alpha1");
    let (_, files) = said.split_once("For you to remove:").unwrap();
    let (remove, change) = files.split_once("For you to change").unwrap();
    // `path`, or `path:line: what it says`
    let paths = |text: &str| -> Vec<PathBuf> {
        let lines = text.lines().filter_map(|line| line.strip_prefix("  "));
        let paths = lines.filter_map(|line| line.split(':').next());
        paths.map(|path| place.dir.join(path)).collect()
    };
    for path in paths(remove) {
        fs::remove_file(path).unwrap();
    }
    for path in paths(change) {
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replace("v1alpha1::lolcow", "v1::lolcow")).unwrap();
    }
    place.ok("rustop manifests");
    let line = "clippy --locked --quiet --workspace --all-targets -- -D warnings";
    let ran = run(command(&place.dir, "cargo").args(line.split(' ')));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    place.ok(INSTALL);
    let versions = "$KUBECTL get crd lolcows.my.domain -o 'jsonpath={.spec.versions[*].name}'";
    assert_eq!(place.ok(versions), "v1");
    place.ok("rustop dev --once");
}

/// Without a conversion webhook, a write in a version that is not stored is rejected, as
/// `config/crd` specifies.
fn refuses_what_it_cannot_convert(place: &Place, version: &str) {
    let conversion = "$KUBECTL get crd lolcows.my.domain -o 'jsonpath={.spec.conversion}'";
    let conversion: Value = serde_json::from_str(&place.ok(conversion)).unwrap();
    assert_eq!(conversion["strategy"], "Webhook", "{conversion}");
    let line = format!("$KUBECTL label --overwrite lolcows.{version}.my.domain old a=b");
    let ran = place.sh(&line);
    let why = "conversion webhook for my.domain/";
    assert!(ran.stderr.contains(why), "{ran:?}");
}
