//! `--output json`: each document has the fields that docs/output.md names, and nothing else is on
//! stdout.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::dsl::{Place, rustop, words};
use crate::goldens::golden;

/// The fields of each section of the page.
fn documented() -> BTreeMap<String, BTreeSet<String>> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/output.md");
    let text = fs::read_to_string(page).unwrap();
    let mut sections: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut titles = Vec::new();
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            titles = title.split(", ").map(str::to_owned).collect();
        } else if let Some(field) = line.strip_prefix("| `") {
            let field = field.split('`').next().unwrap();
            for title in &titles {
                sections
                    .entry(title.clone())
                    .or_default()
                    .insert(field.to_owned());
            }
        }
    }
    sections
}

fn fields(value: &Value) -> BTreeSet<String> {
    value.as_object().unwrap().keys().cloned().collect()
}

/// Runs a command and returns its document and its exit code.
fn document(place: &Place, command: &str) -> (Value, Option<i32>) {
    let output = rustop(place.dir())
        .env("RUSTOP_CACHE", place.dir().join("cache"))
        .args(words(command))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let document = serde_json::from_str(&text);
    (
        document.unwrap_or_else(|error| panic!("{command}: {error}\n{text}")),
        output.status.code(),
    )
}

#[test]
fn each_result_has_the_documented_fields() {
    let documented = documented();
    let place = Place::empty();
    let crd = golden("page").join("config/crd/bases/web.my.domain_pages.yaml");
    fs::copy(crd, place.dir().join("../page.yaml")).unwrap();
    for (command, name) in [
        ("init --domain my.domain", "init"),
        ("create api --kind Cow", "create"),
        ("create webhook --kind Cow --validation --dry-run", "create"),
        ("delete webhook --kind Cow --validation", "delete"),
        ("create chart", "create"),
        ("edit --license mit", "edit"),
        ("edit --license mit", "edit"),
        ("delete api --kind Cow", "delete"),
        ("upgrade", "upgrade"),
        ("docs --crds ../page.yaml", "docs"),
        ("docs --crds ../page.yaml --check", "docs"),
    ] {
        let (document, code) = document(&place, &format!("{command} --output json"));
        if code == Some(0) {
            let expected = &documented["Every command"] | &documented[name];
            assert_eq!(fields(&document), expected, "{command}");
            assert_eq!(document["error"], Value::Null);
        }
        assert_eq!(document["ok"], code == Some(0), "{command}");
        assert_eq!(document["command"], name);
        let changes = document["changes"].as_array().into_iter().flatten();
        for change in changes {
            let of_change = ["action", "diff", "path"].map(str::to_owned);
            assert_eq!(fields(change), BTreeSet::from(of_change));
        }
    }
    assert!(place.has("PROJECT"));
}

#[test]
fn each_error_has_the_documented_fields() {
    let documented = documented();
    let place = Place::project();
    for (command, name, code, error) in [
        ("init --domain my.domain", "init", 1, "project-exists"),
        ("create bundle --version 1", "", 2, "usage"),
        ("delete chart", "delete", 1, "no-chart"),
        ("edit", "", 2, "usage"),
        ("dev --once -C none", "dev", 1, "no-project"),
        (
            "cluster install --from none",
            "cluster install",
            1,
            "asset-missing",
        ),
        ("migrate --kubeconfig none", "migrate", 1, "kubeconfig"),
        (
            "rbac report --cluster none",
            "rbac report",
            1,
            "no-audit-log",
        ),
        ("simulate", "simulate", 2, "no-test"),
        ("torture --replay none", "torture", 2, "no-finding"),
        ("upgrade -C none", "upgrade", 1, "no-project"),
    ] {
        let (document, exit) = document(&place, &format!("{command} --output json"));
        assert_eq!(document["error"]["code"], error, "{command}: {document}");
        assert_eq!(fields(&document["error"]), documented["error"], "{command}");
        assert_eq!(exit, Some(code), "{command}");
        assert_eq!(document["ok"], false, "{command}");
        assert_eq!(document["command"].as_str().unwrap_or_default(), name);
    }
    place.write("tests/cow.rs", "mine");
    let (document, _) = document(&place, "create api --kind Cow --output=json");
    assert_eq!(document["error"]["place"]["path"], "tests/cow.rs");
}
