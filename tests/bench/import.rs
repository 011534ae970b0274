//! The cost of importing a CRD: how long it takes to become types, and how much longer
//! those take to compile than types without anything that only the schema needs, as people write
//! them by hand.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Map, Value, json};
use walkdir::WalkDir;

use super::{Bench, print, spread, timed};

/// So many objects are below the spec, and so many below each of them.
const PARTS: usize = 15;
const BELOW: usize = 10;
/// The spec, the kind's own, and the status.
const STRUCTS: usize = PARTS * BELOW + PARTS + 2;
/// The size of the CRD, close to the largest that the API server accepts.
const BYTES: usize = 1_500_000;
const ROUNDS: usize = 5;

type Sources = BTreeMap<PathBuf, String>;

pub fn import(bench: &Bench) {
    let file = bench.dir.path().join("crd.json");
    let bare = crd(1).to_string().len();
    let crd = crd((BYTES - bare) / descriptions() + 1).to_string();
    assert!(crd.len().abs_diff(BYTES) < BYTES / 20, "{}", crd.len());
    fs::write(&file, crd).unwrap();
    let line = format!("-q create api --from-crd {}", file.display());

    let run = |n| {
        let dir = bench.dir.path().join(format!("import-{n}"));
        fs::create_dir(&dir).unwrap();
        bench.ok(&dir, "-q init --domain my.domain --project-name import");
        bench.ok(&dir, &line)
    };
    let what = format!(
        "create api --from-crd, {} KB, {STRUCTS} structs",
        BYTES / 1000
    );
    print(&what, (0..ROUNDS).map(run).collect());
    compile(&bench.dir.path().join("import-0"));
}

/// Builds the crate of the types alternately as they are, and without the code that only the schema
/// needs.
fn compile(dir: &Path) {
    let api = dir.join("api/src");
    let imported = sources(&api);
    let plain: Sources = imported
        .iter()
        .map(|(path, text)| (path.clone(), without_schema(text)))
        .collect();
    let structs = plain
        .values()
        .map(|text| text.matches("pub struct ").count());
    assert!(structs.sum::<usize>() >= STRUCTS);
    let build = |sources: &Sources| -> Duration {
        for (path, text) in sources {
            fs::write(path, text).unwrap();
        }
        let mut cargo = Command::new("cargo");
        cargo.args(["build", "--quiet", "--package", "import-api", "--lib"]);
        cargo.env("CARGO_TARGET_DIR", dir.join("target"));
        timed(cargo.env("CARGO_INCREMENTAL", "0").current_dir(dir))
    };
    // With what they depend on.
    build(&imported);
    let (mut ours, mut plains) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        plains.push(build(&plain));
        ours.push(build(&imported));
    }
    let median = |times: &[Duration]| spread(times.to_vec()).1.as_secs_f64();
    let ratio = median(&ours) / median(&plains);
    print("cargo build of their crate", ours);
    print("the same, with types only", plains);
    println!("{:<44} {ratio:>9.2}", "imported / types only");
}

fn sources(dir: &Path) -> Sources {
    let files = WalkDir::new(dir).into_iter().map(Result::unwrap);
    let files = files.filter(|entry| entry.file_type().is_file());
    files
        .map(|entry| {
            (
                entry.path().to_owned(),
                fs::read_to_string(entry.path()).unwrap(),
            )
        })
        .collect()
}

/// Without attributes for the schema. They stand on lines of their own.
fn without_schema(text: &str) -> String {
    let mut inside = false;
    let kept = text.lines().filter(|line| {
        let line = line.trim_start();
        let begins = line.starts_with("#[schemars(") || line.starts_with("#[x_kube(");
        let dropped = inside || begins;
        inside = dropped && !line.ends_with(")]");
        !dropped
    });
    kept.flat_map(|line| [line, "\n"]).collect()
}

/// Returns the number of descriptions in the CRD.
fn descriptions() -> usize {
    PARTS * BELOW * FIELDS.len()
}

/// The fields of each innermost object.
const FIELDS: [&str; 6] = ["name", "size", "mode", "host", "labels", "items"];

/// A CRD whose descriptions have so many bytes each.
fn crd(description: usize) -> Value {
    let described = |mut schema: Value| {
        schema["description"] = "What it is for. ".repeat(description / 16).into();
        schema
    };
    let leaf = || {
        let schemas = [
            json!({ "type": "string", "pattern": "^[a-z]+$", "maxLength": 63 }),
            json!({ "type": "integer", "format": "int32", "minimum": 1, "maximum": 99, "default": 3 }),
            json!({ "type": "string", "enum": ["Fast", "Safe"] }),
            json!({ "type": "string", "minLength": 1 }),
            json!({ "type": "object", "additionalProperties": { "type": "string" } }),
            json!({ "type": "array", "items": { "type": "string" }, "maxItems": 9, "x-kubernetes-list-type": "set" }),
        ];
        FIELDS.into_iter().zip(schemas.map(described))
    };
    let object = |fields: Map<String, Value>| json!({ "type": "object", "properties": fields });
    let part = |part: usize| {
        // Fields of their own: what looks like another is written once.
        let below = (0..BELOW).map(|n| {
            let own = (format!("own{part}x{n}"), json!({ "type": "boolean" }));
            let fields = leaf().map(|(name, schema)| (name.to_owned(), schema));
            let mut below = object(fields.chain([own]).collect());
            if n == 0 {
                below["required"] = json!(["name"]);
                let rule = json!({ "rule": "self.name != 'none'", "message": "must be somebody" });
                below["x-kubernetes-validations"] = json!([rule]);
            }
            (format!("below{n}"), below)
        });
        object(below.collect())
    };
    let spec = object((0..PARTS).map(|n| (format!("part{n}"), part(n))).collect());
    let status = object(Map::from_iter([(
        "phase".to_owned(),
        json!({ "type": "string" }),
    )]));
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "giants.big.example.org" },
        "spec": {
            "group": "big.example.org", "scope": "Namespaced",
            "names": { "kind": "Giant", "listKind": "GiantList", "plural": "giants", "singular": "giant" },
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": { "status": {} },
                "schema": { "openAPIV3Schema": { "type": "object", "properties": {
                    "apiVersion": { "type": "string" }, "kind": { "type": "string" },
                    "metadata": { "type": "object" }, "spec": spec, "status": status,
                } } },
            }],
        },
    })
}
