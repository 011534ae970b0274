//! Two versions, webhooks, and invalid objects on the real API server: every object can be read,
//! written and deleted, and no data is lost.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::dev::Dev;
use crate::place::Place;
use crate::story::{in_project, play, replayed, rustop, turn};
use crate::support::{ESTABLISHED, Sandbox, until};

const SOON: Duration = Duration::from_secs(60);
/// The server-side apply of `make install`.
const INSTALL: &str = "$KUBECTL apply --server-side --force-conflicts -k config/crd";

/// The project with types and rules of its own, its manifests written.
fn project() -> PathBuf {
    let story = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/projects/lossless/story.txt");
    let dir = play(&story, &replayed("lossless"));
    let write = |path: &str, text: &str| fs::write(dir.join(path), text).unwrap();
    write(
        "api/src/v1/lolcow_from_v1alpha1.rs",
        include_str!("lossless/conversion.rs"),
    );
    for (file, source) in [
        ("defaulting", include_str!("lossless/defaulting.rs")),
        ("validation", include_str!("lossless/validation.rs")),
    ] {
        let path = format!("src/webhooks/lolcow/{file}.rs");
        let skeleton = fs::read_to_string(dir.join(&path)).unwrap();
        let marker = skeleton.lines().find(|line| line.contains("+kubebuilder"));
        let marker = marker
            .unwrap()
            .replace("create;update", "create;update;delete");
        let marker = match file {
            "defaulting" => marker.replace(";delete", ""),
            _ => marker,
        };
        write(&path, &source.replace("// MARKER", &marker));
    }
    for (version, spec) in [
        ("v1alpha1", "  breed: highland\n  weight: 500\n"),
        ("v1", "  kind: highland\n  grams: 500000\n"),
    ] {
        let sample = format!(
            "apiVersion: my.domain/{version}\nkind: Lolcow\nmetadata:\n  name: lolcow-sample\nspec:\n{spec}"
        );
        write(&format!("config/samples/{version}_lolcow.yaml"), &sample);
    }
    store(&dir, "v1alpha1");
    dir
}

/// Makes `version` the one that is stored.
fn store(dir: &Path, version: &str) {
    for (name, text) in [
        ("v1alpha1", include_str!("lossless/v1alpha1.rs")),
        ("v1", include_str!("lossless/v1.rs")),
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
fn nobody_is_locked_out_and_nothing_is_lost() {
    let _turn = turn("lossless");
    let sandbox = Sandbox::new();
    let dir = project();
    let started = in_project(&sandbox, &dir, "cluster start");
    assert_eq!(started.code, Some(0), "{}", started.stderr);
    let place = Place::of(sandbox, dir);
    before_the_operator(&place);
    let mut dev = Dev::start(&place.sandbox, &place.dir, &[]);
    typos(&place);
    server_side_apply(&place);
    made_up_annotations(&place);
    broken_objects(&place, &dev);
    migration(&place);
    assert_eq!(dev.end(Signal::INT), Some(0), "{}", dev.said());
}

/// Objects that an older schema took, as they are in etcd: three that today's refuses, one with an
/// empty list and a null.
fn before_the_operator(place: &Place) {
    let crd = place.ok("$KUBECTL kustomize config/crd");
    let older = crd.replace("- jersey\n", "- jersey\n                - yak\n");
    assert_ne!(crd, older);
    let (start, rest) = older.split_once("  conversion:\n").unwrap();
    let (_, rest) = rest.split_once("  group:").unwrap();
    fs::write(
        place.dir.join("older.yaml"),
        format!("{start}  group:{rest}"),
    )
    .unwrap();
    place.ok("$KUBECTL apply --server-side -f older.yaml");
    place.ok(ESTABLISHED);
    until("the kind", SOON, || {
        place.sh("$KUBECTL get lolcows").code == Some(0)
    });
    for name in ["bad-1", "bad-2", "bad-3"] {
        place.create("v1alpha1", name, &json!({"breed": "yak", "weight": 700}));
    }
    for n in 0..120 {
        let name = format!("cow-{n}");
        let cow = json!({"apiVersion": "my.domain/v1alpha1", "kind": "Lolcow", "metadata": {"name": name},
            "spec": {"breed": "jersey", "weight": 400, "message": "moo"}});
        fs::write(place.dir.join(format!("cow-{n}.json")), cow.to_string()).unwrap();
    }
    place.ok("cat cow-*.json | $KUBECTL create --validate=false -f - && rm cow-*.json");
    let empty =
        json!({"breed": "jersey", "weight": 400, "friends": [], "message": "", "herd": null});
    place.create("v1alpha1", "empty", &empty);
    assert_eq!(place.spec("v1alpha1", "empty"), empty);
}

/// The schema's answer has all of them, and the defaulter does not stand before it.
fn typos(place: &Place) {
    let typos = json!({"breed": "higland", "weight": "heavy", "friends": [{"name": "joe"}]});
    let refused = place.with("create --validate=false", "v1alpha1", "typos", &typos);
    for text in [
        r#"spec.breed: Unsupported value: "higland": supported values: "highland", "jersey""#,
        "spec.weight: Invalid value: ",
        "spec.friends[0].distance: Required value",
    ] {
        assert!(refused.stderr.contains(text), "{}", refused.stderr);
    }
    place.create(
        "v1alpha1",
        "silent",
        &json!({"breed": "jersey", "weight": 1}),
    );
    assert_eq!(place.spec("v1", "silent")["text"], "Jersey");
}

/// Appliers of whole objects and of parts, each through the version that it knows; one applier
/// moves to the other version.
fn server_side_apply(place: &Place) {
    let apply = |manager: &str, version: &str, spec: Value| {
        let kubectl = format!("apply --server-side --field-manager={manager}");
        let ran = place.with(&kubectl, version, "applied", &spec);
        assert_eq!(
            ran.code,
            Some(0),
            "{manager} {version} {spec}\n{}",
            ran.stderr
        );
    };
    let friends = |names: &[&str]| -> Value {
        names
            .iter()
            .map(|name| json!({"name": name, "distance": 3}))
            .collect()
    };
    let whole = json!({"breed": "highland", "weight": 500, "herd": "north", "friends": friends(&["ann", "bob"])});
    apply("team", "v1alpha1", whole.clone());
    apply(
        "part",
        "v1",
        json!({"kind": "highland", "grams": 500_000, "friends": {"cid": 9}, "moods": ["calm"]}),
    );
    apply("part", "v1", json!({"friends": {"cid": 8}}));
    apply("team", "v1alpha1", whole);
    let now = json!({"kind": "highland", "grams": 500_000, "text": "Highland", "friends": {"ann": 3, "bob": 3, "cid": 8}});
    assert_eq!(place.spec("v1", "applied"), now);
    // One friend fewer, in the older version.
    apply(
        "team",
        "v1alpha1",
        json!({"breed": "highland", "weight": 500, "herd": "north", "friends": friends(&["bob"])}),
    );
    assert_eq!(
        place.spec("v1", "applied")["friends"],
        json!({"bob": 3, "cid": 8})
    );
    // The team moves to the newer version; its last apply was the whole object in the older one.
    apply(
        "team",
        "v1",
        json!({"kind": "highland", "grams": 500_000, "text": "moo", "friends": {"bob": 3}}),
    );
    let now = json!({"kind": "highland", "grams": 500_000, "text": "moo", "friends": {"bob": 3, "cid": 8}});
    assert_eq!(place.spec("v1", "applied"), now);
    // A required field is missing once its applier no longer applies it.
    let gone = place.with(
        "apply --server-side --field-manager=team",
        "v1",
        "applied",
        &json!({"text": "moo"}),
    );
    assert!(
        gone.stderr.contains("spec.kind: Required value"),
        "{}",
        gone.stderr
    );
    assert_eq!(place.spec("v1", "applied"), now);
    place.ok("$KUBECTL delete lolcows.v1.my.domain applied");
}

/// A user who may write annotations can only harm the object itself.
fn made_up_annotations(place: &Place) {
    let one = r#"{"path":"/spec/grams","was":"Nonsense","became":400000}"#;
    let other = r#"{"path":"/metadata","was":{"name":"x"}}"#;
    place.ok(&format!(
        "$KUBECTL annotate lolcows.v1alpha1.my.domain cow-1 'v1.webhook-conversion/spec.x={one}' 'v1.webhook-conversion/y={other}'"
    ));
    assert_eq!(place.spec("v1", "cow-1")["grams"], 400_000);
    let long = "x".repeat(200_000);
    let full = json!({"apiVersion": "my.domain/v1alpha1", "kind": "Lolcow",
        "metadata": {"name": "full", "annotations": {"long": long}},
        "spec": {"breed": "jersey", "weight": 1, "herd": long}});
    fs::write(place.dir.join("full.json"), full.to_string()).unwrap();
    place.ok("$KUBECTL create -f full.json");
    assert_eq!(place.spec("v1", "full")["grams"], 1000);
    place.ok("$KUBECTL delete lolcows.v1alpha1.my.domain full");
}

/// Invalid objects can be deleted and repaired in the stored version, with a warning.
fn broken_objects(place: &Place, dev: &Dev) {
    let list = place.sh("$KUBECTL get lolcows.v1.my.domain");
    assert!(list.stderr.contains("default/bad-"), "{}", list.stderr);
    let deleted = place.ok("$KUBECTL delete lolcows.v1alpha1.my.domain bad-1");
    assert!(
        deleted
            .contains("Warning: deleted without validation, because the object cannot be decoded: spec.breed: unknown variant `yak`"),
        "{deleted}"
    );
    let mend = |breed: &str, weight: u16| {
        place.sh(&format!(
            "$KUBECTL patch lolcows.v1alpha1.my.domain bad-2 --type merge -p '{{\"spec\": {{\"breed\": \"{breed}\", \"weight\": {weight}}}}}'"
        ))
    };
    let refused = mend("jersey", 0);
    assert!(
        refused.stderr.contains("must not fly"),
        "{}",
        refused.stderr
    );
    let mended = mend("jersey", 700);
    assert_eq!(mended.code, Some(0), "{}", mended.stderr);
    assert!(
        mended
            .stderr
            .contains("Warning: validated like a new object, because the old one cannot be decoded: spec.breed:"),
        "{}",
        mended.stderr
    );
    // The API server asked for the third one again and again.
    let line = "cannot convert my.domain/v1alpha1 Lolcow default/bad-3 to my.domain/v1:";
    for _ in 0..5 {
        let read = place.sh("$KUBECTL get lolcows.v1.my.domain bad-3");
        assert!(read.stderr.contains(line), "{}", read.stderr);
    }
    assert_eq!(dev.said().matches(line).count(), 1, "{}", dev.said());
}

/// All valid objects are migrated, and each invalid one is reported with its fix.
fn migration(place: &Place) {
    place.create(
        "v1alpha1",
        "good",
        &json!({"breed": "jersey", "weight": 2, "herd": "north"}),
    );
    store(&place.dir, "v1");
    place.ok(INSTALL);
    let stored = "$KUBECTL get crd lolcows.my.domain -o 'jsonpath={.status.storedVersions}'";
    until("two stored versions", SOON, || {
        place.ok(stored) == r#"["v1alpha1","v1"]"#
    });
    let ran = place.sh("rustop migrate");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let mend = "    kubectl edit lolcows.v1alpha1.my.domain bad-3 --namespace default";
    assert!(ran.stderr.contains(mend), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("1 object could not be rewritten"),
        "{}",
        ran.stderr
    );
    assert_eq!(
        ran.stderr.matches("unknown variant `yak`").count(),
        1,
        "{}",
        ran.stderr
    );
    assert!(!ran.stderr.contains("Status {"), "{}", ran.stderr);

    // The printed commands repair the object.
    let mut lines = ran.stderr.lines().map(str::trim);
    let store = lines.find_map(|line| Some(&line[line.find("kubectl patch crd")?..]));
    place.ok(&store.unwrap().replace("kubectl", "$KUBECTL"));
    let edit = mend.trim().replace("kubectl edit", "$KUBECTL patch");
    let edit = format!("{edit} --type merge -p '{{\"spec\": {{\"breed\": \"jersey\"}}}}'");
    until("a mended object", SOON, || place.sh(&edit).code == Some(0));
    place.ok(INSTALL);
    until("the newer version in etcd", SOON, || {
        place.sh("rustop migrate").code == Some(0)
    });
    let said = place.ok("rustop migrate");
    assert!(
        said.contains("Unchanged lolcows.my.domain: every object is stored as v1"),
        "{said}"
    );
    assert_eq!(place.ok(stored), r#"["v1"]"#);
    // As it was before, in the version that it was written in.
    let empty =
        json!({"breed": "jersey", "weight": 400, "friends": [], "message": "", "herd": null});
    assert_eq!(place.spec("v1alpha1", "empty"), empty);
    assert_eq!(place.spec("v1alpha1", "good")["herd"], "north");
    let list = place.get("v1", "");
    assert!(list["items"].as_array().unwrap().len() > 120);
}
