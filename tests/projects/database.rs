//! Three versions of one kind, used by several clients at once, on the real API server: no data is
//! lost in conversions, even while the operator is down, and even of objects that cannot be decoded
//! any longer.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::dev::Dev;
use crate::place::Place;
use crate::story::{command, in_project, keeping_times, play, replayed, rustop, turn};
use crate::support::{Ran, Sandbox, run, until};

const SOON: Duration = Duration::from_secs(60);
const VERSIONS: [&str; 3] = ["v1alpha1", "v1beta1", "v1"];
/// The objects that the types do not take.
const BROKEN: [&str; 2] = ["broken-1", "broken-2"];
/// The server-side apply of `make install`.
const INSTALL: &str = "$KUBECTL apply --server-side --force-conflicts -k config/crd";
const CONVERSION: &str =
    "$KUBECTL get crd databases.my.domain -o 'jsonpath={.spec.conversion.strategy}'";

/// The project, each version made as a user makes it, its manifests written.
fn project() -> PathBuf {
    let story = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/projects/database/story.txt");
    let dir = replayed("database");
    keeping_times(&dir, || drop(play(&story, &dir)));
    let write = |path: &str, text: &str| fs::write(dir.join(path), text).unwrap();
    let sample = |version: &str, spec: &str| {
        let text = format!(
            "apiVersion: my.domain/{version}\nkind: Database\nmetadata:\n  name: database-sample\nspec:\n{spec}"
        );
        write(&format!("config/samples/{version}_database.yaml"), &text);
    };
    write(
        "api/src/v1alpha1/database.rs",
        include_str!("database/v1alpha1.rs"),
    );
    write(
        "src/controllers/database.rs",
        include_str!("database/controller.rs"),
    );
    write(
        "src/webhooks/database/defaulting.rs",
        include_str!("database/defaulting.rs"),
    );
    write(
        "src/webhooks/database/validation.rs",
        include_str!("database/validation.rs"),
    );
    sample(
        "v1alpha1",
        "  engine: Postgres\n  version: '17'\n  storage:\n    size: 1Gi\n",
    );
    rustop_ok(&dir, "create api --kind Database --version v1beta1");
    rustop_ok(&dir, "create webhook --kind Database --conversion");
    // The project that rustop generated from the types builds without edits.
    rustop_ok(&dir, "manifests");
    rustop_ok(&dir, "create api --kind Database --version v1");
    rustop_ok(&dir, "manifests");
    write("api/src/v1/database.rs", include_str!("database/v1.rs"));
    write(
        "api/src/v1/database_from_v1beta1.rs",
        include_str!("database/conversion.rs"),
    );
    sample(
        "v1",
        "  engine: Postgres/17\n  storageSize: 1Gi\n  owner: nobody\n",
    );
    rustop_ok(
        &dir,
        "create webhook --kind Database --version v1 --validation",
    );
    let path = "src/webhooks/database/v1/validation.rs";
    let skeleton = fs::read_to_string(dir.join(path)).unwrap();
    let ends = "        let _ = (new, request);\n        Ok(())\n";
    let rule = include_str!("database/v1_rule.rs");
    assert!(skeleton.contains(ends), "{skeleton}");
    write(path, &skeleton.replace(ends, rule));
    write(
        "tests/database_conversion.rs",
        include_str!("database/round_trip.rs"),
    );
    rustop_ok(&dir, "manifests");
    dir
}

fn rustop_ok(dir: &Path, line: &str) {
    let ran = rustop(dir, &line.split(' ').collect::<Vec<_>>());
    assert_eq!(ran.code, Some(0), "{line}\n{}", ran.stderr);
}

/// `kubectl` with a Database.
fn with(place: &Place, kubectl: &str, version: &str, name: &str, spec: &Value) -> Ran {
    let object = json!({"apiVersion": format!("my.domain/{version}"), "kind": "Database",
        "metadata": {"name": name}, "spec": spec});
    place.sh(&format!("echo '{object}' | $KUBECTL {kubectl} -f -"))
}

fn ok(ran: Ran) -> Ran {
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    ran
}

fn get(place: &Place, version: &str, name: &str) -> Value {
    let line = format!("$KUBECTL get databases.{version}.my.domain {name} -o json 2>/dev/null");
    serde_json::from_str(&place.ok(&line)).unwrap()
}

fn spec(place: &Place, version: &str, name: &str) -> Value {
    get(place, version, name)["spec"].clone()
}

/// Tries each part, and then says which failed: what one loses need not hide what another does.
#[derive(Default)]
struct Parts(Vec<&'static str>);

impl Parts {
    fn tries(&mut self, what: &'static str, part: impl FnOnce()) {
        if catch_unwind(AssertUnwindSafe(part)).is_err() {
            self.0.push(what);
        }
    }
}

#[test]
fn three_versions_are_worked_with_at_once_and_nothing_is_lost() {
    let _turn = turn("database");
    let dir = project();
    let mut parts = Parts::default();
    parts.tries("random objects", || {
        let line = "test --locked --quiet --test database_conversion";
        let ran = run(command(&dir, "cargo").args(line.split(' ')));
        assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    });
    let sandbox = Sandbox::new();
    let started = in_project(&sandbox, &dir, "cluster start");
    assert_eq!(started.code, Some(0), "{}", started.stderr);
    let place = Place::of(sandbox, dir);
    let start = || {
        Dev::until_ready(
            &place.sandbox,
            &place.dir,
            &[],
            "database.my.domain/database-sample",
        )
    };
    let mut dev = start();
    parts.tries("webhooks", || the_api_server_takes_the_webhooks(&place));
    parts.tries("views", || each_version_shows_the_others(&place));
    parts.tries("apply", || several_apply(&place));
    parts.tries("edit", || others_edit(&place));
    parts.tries("scale", || others_scale(&place));
    parts.tries("admission", || the_webhooks_answer(&place));
    parts.tries("explanation", || the_schema_explains(&place));

    let before = VERSIONS.map(|version| specs(&place, version));
    assert_eq!(dev.end(Signal::INT), Some(0), "{}", dev.said());
    parts.tries("no operator", || {
        nothing_is_lost_without_an_operator(&place, &before[0]);
    });
    parts.tries("broken objects", || break_some(&place));
    let mut dev = start();
    parts.tries("a new operator", || {
        assert_eq!(readable(&place, "v1alpha1"), before[0]);
    });
    parts.tries("migration", || migrate_around_what_is_broken(&place));
    parts.tries("all that there was", || {
        for (version, before) in VERSIONS.iter().zip(&before) {
            assert_eq!(&readable(&place, version), before, "{version}");
        }
    });
    assert_eq!(dev.end(Signal::INT), Some(0), "{}", dev.said());
    assert_eq!(parts.0, [""; 0], "failed, see above");
}

/// The specs of all objects that were never broken.
fn readable(place: &Place, version: &str) -> Value {
    let mut specs = specs(place, version);
    if let Some(specs) = specs.as_object_mut() {
        specs.retain(|name, _| !BROKEN.contains(&name.as_str()));
    }
    specs
}

/// The specs of all objects by their names, as a version has them.
fn specs(place: &Place, version: &str) -> Value {
    let list = get(place, version, "");
    let items = list["items"].as_array().unwrap().iter();
    let specs = items.map(|item| {
        let name = item["metadata"]["name"].as_str().unwrap();
        (name.to_owned(), item["spec"].clone())
    });
    Value::Object(specs.collect())
}

/// Two webhooks on one path, and a path with a long part.
fn the_api_server_takes_the_webhooks(place: &Place) {
    let manifests = "config/webhook/manifests.yaml";
    place.ok(&format!(
        "$KUBECTL apply --server-side --dry-run=server -f {manifests}"
    ));
    let text = fs::read_to_string(place.dir.join(manifests)).unwrap();
    let on_path = |path: &str| text.matches(&format!("path: {path}\n")).count();
    assert_eq!(
        on_path("/validate-my-domain-v1alpha1-database"),
        2,
        "{text}"
    );
    let long = "/validate-infrastructure-cluster-x-k8s-io-v1beta2-devmachinetemplate";
    assert_eq!(on_path(long), 1, "{text}");
}

/// An object that is created in one version is read in the others.
fn each_version_shows_the_others(place: &Place) {
    let old = json!({
        "engine": "MySql", "version": "8", "instances": 2,
        "storage": {"size": "1.5Gi", "class": "fast"},
        "users": [{"name": "zoe", "privileges": ["all"]}, {"name": "adam"}],
        "backup": {"schedule": "@daily", "keep": 3},
        "tls": {"issuer": {"name": "ca"}},
        "template": {
            "metadata": {"labels": {"app": "db"}},
            "spec": {"containers": [{
                "name": "db", "image": "db", "env": [{"name": "PASSWORD", "value": "secret"}],
                "resources": {"limits": {"cpu": 2, "memory": "1Gi"}},
            }]},
        },
        "legacyPort": 3307,
    });
    ok(with(place, "create", "v1alpha1", "old", &old));
    assert_eq!(spec(place, "v1alpha1", "old"), old);
    let new = spec(place, "v1", "old");
    assert_eq!(new["engine"], "MySql/8");
    assert_eq!(
        (&new["replicas"], &new["storageSize"], &new["storageClass"]),
        (&json!(2), &json!("1.5Gi"), &json!("fast"))
    );
    assert_eq!(
        new["users"],
        json!({"adam": {}, "zoe": {"privileges": ["all"]}})
    );
    assert_eq!(
        (&new["tls"], &new["owner"]),
        (&old["tls"], &json!("nobody"))
    );
    assert_eq!(new["legacyPort"], Value::Null);
    let new = json!({
        "engine": "Postgres/17", "replicas": 1, "storageSize": "2Gi", "owner": "team-a",
        "users": {"app": {"privileges": ["read", "write"]}}, "tls": {"secret": {"name": "mine"}},
    });
    ok(with(place, "create", "v1", "new", &new));
    let old_view = json!({
        "engine": "Postgres", "version": "17", "instances": 1, "storage": {"size": "2Gi"},
        "users": [{"name": "app", "privileges": ["read", "write"]}], "tls": {"secret": {"name": "mine"}},
    });
    assert_eq!(spec(place, "v1alpha1", "new"), old_view);
    // The status, with its conditions and endpoints, is that of every version.
    until("a status", SOON, || {
        get(place, "v1", "new")["status"]["conditions"][0]["status"] == "True"
    });
    let status = VERSIONS.map(|version| get(place, version, "new")["status"].clone());
    assert!(
        status[0] == status[1] && status[1] == status[2],
        "{status:#?}"
    );
    assert_eq!(status[2]["endpoints"][1]["port"], 5432);
    // Written whole by who knows another version, it is what it was; a quantity is a text by then.
    let mut old = old;
    old["template"]["spec"]["containers"][0]["resources"]["limits"]["cpu"] = json!("2");
    for version in ["v1beta1", "v1"] {
        place.ok(&format!(
            "$KUBECTL get databases.{version}.my.domain old -o json | $KUBECTL replace -f -"
        ));
        assert_eq!(spec(place, "v1alpha1", "old"), old, "{version}");
    }
    // Only what a version cannot hold is preserved in annotations: not the Pod template with its
    // passwords, although the quantity in it is a text now.
    let annotations = get(place, "v1", "old")["metadata"]["annotations"].to_string();
    assert!(
        !annotations.contains("template") && !annotations.contains("secret"),
        "{annotations}"
    );
}

/// Everybody owns what they apply, in their own version, and nothing else.
fn several_apply(place: &Place) {
    let apply = |manager: &str, version: &str, spec: Value| {
        let kubectl = format!("apply --server-side --field-manager={manager}");
        with(place, &kubectl, version, "shared", &spec)
    };
    let whole = |version: &str| {
        json!({
            "engine": "Postgres", "version": version, "storage": {"size": "1Gi"},
            "users": [{"name": "ops", "privileges": ["all"]}],
        })
    };
    ok(apply("ops", "v1alpha1", whole("16")));
    ok(apply(
        "team",
        "v1",
        json!({"owner": "team-a", "storageClass": "fast"}),
    ));
    ok(apply(
        "dba",
        "v1beta1",
        json!({"users": [{"name": "dba", "privileges": ["read"]}]}),
    ));
    ok(apply("team", "v1", json!({"owner": "team-b"})));
    ok(apply(
        "saver",
        "v1",
        json!({"backup": {"schedule": "@daily", "keep": 7}, "users": {"backup": {}}}),
    ));
    ok(apply("ops", "v1alpha1", whole("17")));
    let expected = json!({
        "engine": "Postgres/17", "replicas": 0, "storageSize": "1Gi", "owner": "team-b",
        "users": {"ops": {"privileges": ["all"]}, "dba": {"privileges": ["read"]}, "backup": {}},
        "backup": {"schedule": "@daily", "keep": 7},
    });
    assert_eq!(spec(place, "v1", "shared"), expected);
    let names = |spec: &Value| -> Vec<String> {
        let users = spec["users"].as_array().unwrap().iter();
        let mut names: Vec<_> = users
            .map(|user| user["name"].as_str().unwrap().to_owned())
            .collect();
        names.sort();
        names
    };
    assert_eq!(
        names(&spec(place, "v1alpha1", "shared")),
        ["backup", "dba", "ops"]
    );
    let conflict = apply(
        "team",
        "v1",
        json!({"owner": "team-b", "engine": "MySql/8"}),
    );
    assert!(
        conflict.stderr.contains("conflicts with \"ops\""),
        "{}",
        conflict.stderr
    );
    // A field that its applier no longer applies is removed in all versions; fields of others are
    // kept.
    ok(apply(
        "dba",
        "v1beta1",
        json!({"users": [{"name": "auditor"}]}),
    ));
    ok(apply("saver", "v1", json!({"users": {"backup": {}}})));
    assert_eq!(
        names(&spec(place, "v1alpha1", "shared")),
        ["auditor", "backup", "ops"]
    );
    let now = spec(place, "v1", "shared");
    assert_eq!(
        (&now["owner"], &now["engine"]),
        (&json!("team-b"), &json!("Postgres/17"))
    );
}

/// `kubectl edit`, with an editor that replaces one word.
fn others_edit(place: &Place) {
    let edit = |version: &str, from: &str, to: &str| {
        place.ok(&format!(
            "KUBE_EDITOR=\"sed -i s|{from}|{to}|\" $KUBECTL edit databases.{version}.my.domain old"
        ))
    };
    let before = spec(place, "v1alpha1", "old");
    edit("v1", "MySql/8", "MySql/9");
    edit("v1beta1", "@daily", "@hourly");
    edit("v1alpha1", "3307", "3308");
    edit("v1", "nobody", "team-c");
    let mut expected = before;
    expected["version"] = json!("9");
    expected["backup"]["schedule"] = json!("@hourly");
    expected["legacyPort"] = json!(3308);
    assert_eq!(spec(place, "v1alpha1", "old"), expected);
    assert_eq!(spec(place, "v1", "old")["owner"], "team-c");
}

/// `kubectl scale` reaches the field whatever its name; the validator is not asked, the schema is.
fn others_scale(place: &Place) {
    for (n, version) in (1..).zip(VERSIONS) {
        place.ok(&format!(
            "$KUBECTL scale databases.{version}.my.domain old --replicas={n}"
        ));
        assert_eq!(spec(place, "v1", "old")["replicas"], n, "{version}");
        assert_eq!(spec(place, "v1alpha1", "old")["instances"], n, "{version}");
    }
    let ran = place.sh("$KUBECTL scale databases.v1beta1.my.domain old --replicas=9");
    assert!(
        ran.stderr.contains("should be less than or equal to 5"),
        "{}",
        ran.stderr
    );
}

/// The validator and the defaulter of one version are called for objects in another one.
fn the_webhooks_answer(place: &Place) {
    let new = |keep: u32| {
        json!({
            "engine": "Postgres/17", "storageSize": "1Gi", "owner": "me",
            "backup": {"schedule": "@daily", "keep": keep},
        })
    };
    let refused = with(place, "create", "v1", "greedy", &new(31));
    assert!(
        refused
            .stderr
            .contains("spec.backup.keep: Invalid value: 31"),
        "{}",
        refused.stderr
    );
    // The validator of each version is called, whichever version the client writes.
    let mut stolen = new(7);
    stolen["owner"] = json!("thief");
    let refused = with(place, "create", "v1", "stolen", &stolen);
    assert!(
        refused
            .stderr
            .contains("spec.owner: Forbidden: thieves own nothing"),
        "{}",
        refused.stderr
    );
    let size =
        json!({"engine": "Postgres", "version": "1", "storage": {"size": "1Gi", "class": "v1"}});
    let refused = with(place, "create", "v1alpha1", "old-fashioned", &size);
    assert!(
        refused.stderr.contains("spec.storageClass: Forbidden"),
        "{}",
        refused.stderr
    );
    let mut unsaid = new(7);
    unsaid["backup"].as_object_mut().unwrap().remove("keep");
    let saved = ok(with(
        place,
        "create --dry-run=server -o json",
        "v1",
        "saved",
        &unsaid,
    ));
    let saved: Value = serde_json::from_str(&saved.stdout).unwrap();
    assert_eq!(saved["spec"]["backup"]["keep"], 7);
    let kept = json!({"engine": "Postgres", "version": "17", "storage": {"size": "1Gi"}, "users": [{"name": "keeper"}]});
    let created = ok(with(place, "create", "v1alpha1", "keeper", &kept));
    assert!(
        created.stderr.contains("Warning: nothing is saved"),
        "{}",
        created.stderr
    );
    let ran = place.sh("$KUBECTL delete databases.v1.my.domain keeper");
    assert!(
        ran.stderr.contains("somebody still needs it"),
        "{}",
        ran.stderr
    );
}

/// For an object that cannot be decoded, the schema reports all errors, each with its path.
fn the_schema_explains(place: &Place) {
    let wrong = json!({"engine": "Oracle", "version": "x", "storage": {"size": "much"}});
    let refused = with(
        place,
        "create --validate=false",
        "v1alpha1",
        "wrong",
        &wrong,
    );
    for part in [
        "spec.engine: Unsupported value: \"Oracle\"",
        "spec.version",
        "spec.storage.size",
    ] {
        assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
    }
}

/// The API server refuses what it cannot convert, and does not prune it.
fn nothing_is_lost_without_an_operator(place: &Place, before: &Value) {
    assert_eq!(place.ok(CONVERSION), "Webhook");
    let ran = place.sh("$KUBECTL label databases.v1.my.domain --all seen=yes");
    assert_ne!(ran.code, Some(0), "{}", ran.stdout);
    let ran = place.sh("$KUBECTL get databases.v1.my.domain");
    assert!(ran.stderr.contains("conversion webhook"), "{}", ran.stderr);
    assert_eq!(&specs(place, "v1alpha1"), before);
}

/// Objects that the types refuse, from a time when the schema took them.
fn break_some(place: &Place) {
    let schema = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/engine/enum";
    let crd = place.ok("$KUBECTL get crd databases.my.domain -o json");
    let crd: Value = serde_json::from_str(&crd).unwrap();
    assert_eq!(crd["spec"]["versions"][0]["name"], "v1alpha1");
    let patch = |op: &Value| {
        let patch = json!([op]);
        place.ok(&format!(
            "$KUBECTL patch crd databases.my.domain --type json -p '{patch}'"
        ));
    };
    patch(&json!({"op": "add", "path": format!("{schema}/-"), "value": "Oracle"}));
    for name in BROKEN {
        let spec = json!({"engine": "Oracle", "version": "23", "storage": {"size": "1Gi"}});
        until("a schema that takes it", SOON, || {
            let ran = with(place, "create", "v1alpha1", name, &spec);
            ran.code == Some(0) || ran.stderr.contains("AlreadyExists")
        });
    }
    patch(&json!({"op": "replace", "path": schema, "value": crd.pointer(schema)}));
}

/// All valid objects are rewritten; each invalid one is named, and can be repaired or deleted.
fn migrate_around_what_is_broken(place: &Place) {
    let versions = [
        (
            "v1alpha1",
            "    namespaced,\n",
            "    namespaced,\n    storage = false,\n",
        ),
        ("v1", "    storage = false,\n", ""),
    ];
    for (version, from, to) in versions {
        let path = place.dir.join(format!("api/src/{version}/database.rs"));
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(path, text.replacen(from, to, 1)).unwrap();
    }
    rustop_ok(&place.dir, "manifests");
    place.ok(INSTALL);
    let stored = "$KUBECTL get crd databases.my.domain -o 'jsonpath={.status.storedVersions}'";
    assert_eq!(place.ok(stored), r#"["v1alpha1","v1"]"#);
    let version_of = |name: &str| {
        place.ok(&format!(
            "$KUBECTL get databases.v1.my.domain {name} -o 'jsonpath={{.metadata.resourceVersion}}'"
        ))
    };
    let good = ["old", "new", "shared", "keeper"];
    let before = good.map(version_of);
    let ran = place.sh("rustop migrate");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    for name in BROKEN {
        let line = format!("\n  default/{name}: ");
        assert_eq!(ran.stderr.matches(&line).count(), 1, "{}", ran.stderr);
    }
    for (name, before) in good.iter().zip(before) {
        assert!(
            !ran.stderr.contains(&format!("default/{name}:")),
            "{}",
            ran.stderr
        );
        assert_ne!(version_of(name), before, "{name} was not written");
    }
    assert_eq!(place.ok(stored), r#"["v1alpha1","v1"]"#);
    mend_as_it_says(place, &ran.stderr);
    place.ok("rustop migrate");
    assert_eq!(place.ok(stored), r#"["v1"]"#);
    assert_eq!(spec(place, "v1", "broken-1")["engine"], "Postgres/23");
}

/// The commands that `rustop migrate` prints for objects without a working conversion repair them,
/// and are undone afterwards.
fn mend_as_it_says(place: &Place, said: &str) {
    let (said, steps) = said.split_once("help: ").unwrap();
    let (before, after) = steps.split_once("the command of each object").unwrap();
    // Only the validator of v1 is called in another version than the one in which the objects are
    // repaired.
    assert_eq!(
        before.matches("\"matchPolicy\":\"Exact\"").count(),
        1,
        "{before}"
    );
    let command = |line: &str| line.trim().replacen("kubectl", "$KUBECTL", 1);
    let run_all = |steps: &str| {
        for line in steps.lines().map(str::trim) {
            match line {
                "make install" => drop(place.ok(INSTALL)),
                line if line.starts_with("kubectl ") => drop(place.ok(&command(line))),
                _ => {}
            }
        }
    };
    let edit = |name: &str| {
        let found = said.lines().find(|line| {
            line.contains(&format!("kubectl edit databases.v1alpha1.my.domain {name}"))
        });
        command(found.unwrap_or_else(|| panic!("{said}")))
    };
    run_all(before);
    until("a mended object", SOON, || {
        place.sh(&format!(
            "KUBE_EDITOR='sed -i s/Oracle/Postgres/' {}",
            edit(BROKEN[0])
        ));
        spec(place, "v1alpha1", BROKEN[0])["engine"] == "Postgres"
    });
    place.ok(&edit(BROKEN[1]).replacen("edit", "delete", 1));
    run_all(after);
    let policies = "$KUBECTL get validatingwebhookconfigurations -o 'jsonpath={.items[*].webhooks[*].matchPolicy}'";
    assert!(!place.ok(policies).contains("Exact"));
}
