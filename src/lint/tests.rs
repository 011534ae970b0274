//! Tests of the locations of warnings and of their suppression.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use super::*;
use crate::crd;
use crate::project::naming::Naming;
use crate::project::{LintConfig, Project};
use crate::sources::allow::apply_suppressions;
use crate::sources::comments::scan;

/// Returns the source of a kind whose status has a field that the rules warn of, below a comment.
fn kind(group: &str, version: &str, comment: &str) -> String {
    format!(
        "#[kube(group = \"{group}\", version = \"{version}\", kind = \"Ship\", status = \"ShipStatus\")]\n\
         pub struct ShipSpec {{}}\n\
         pub struct ShipStatus {{\n    {comment}\n    pub phase: String,\n}}\n"
    )
}

fn crd(group: &str, versions: &[&str]) -> Value {
    let phase = json!({"type": "string", "description": "The phase."});
    let status = json!({"type": "object", "properties": {"phase": phase}, "description": "It."});
    let version = |name: &&str| {
        let schema = json!({"type": "object", "properties": {"status": status}});
        json!({
            "name": name, "served": true, "storage": *name == "v1", "subresources": {"status": {}},
            "schema": {"openAPIV3Schema": schema},
        })
    };
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("ships.{group}")},
        "spec": {
            "group": group, "scope": "Namespaced", "names": {"kind": "Ship", "plural": "ships"},
            "versions": versions.iter().map(version).collect::<Vec<_>>(),
        },
    })
}

/// Returns the warnings that are not suppressed, each with its rule and location.
fn warnings(crds: &[Value], texts: &[(&str, String)]) -> Vec<String> {
    let project = Project::new("my.domain".parse().unwrap(), "fleet".parse().unwrap());
    let crds = serde_json::to_string(crds).unwrap();
    let crds = crd::read(&crds, &BTreeSet::new(), &Naming::default_for(&project)).unwrap();
    let types = Types::of_texts(texts.iter().map(|(path, text)| (*path, text.as_str())));
    let scans = texts.iter().map(|(path, text)| scan(Path::new(path), text));
    let (allows, inputs): (Vec<_>, Vec<_>) =
        scans.map(|scan| (scan.allows, scan.hidden_inputs)).unzip();
    let allows = allows.concat();
    let mut sources = Sources {
        types,
        ..Sources::default()
    };
    sources.scan.hidden_inputs = inputs.concat();
    let lint_rules = LintConfig::default().resolve();
    let found = run(&crds, &sources, &lint_rules);
    let found = apply_suppressions(found, &allows, lints(&lint_rules)).into_iter();
    let said = found.map(|found| {
        let rule = found.rule.map_or("", |rule| rule.id);
        let line = found.line().unwrap_or_default();
        format!("{rule} {}:{line}", found.path.display())
    });
    said.collect()
}

const ALLOW: &str = "// rustop:allow(no-phase): users know it by that name";

#[test]
fn types_of_the_same_name_in_two_versions_are_checked_separately() {
    let warned = |old: &str, new: &str| {
        let texts = [
            ("api/src/v1/ship.rs", kind("g.x", "v1", new)),
            ("api/src/v1alpha1/ship.rs", kind("g.x", "v1alpha1", old)),
        ];
        warnings(&[crd("g.x", &["v1", "v1alpha1"])], &texts)
    };
    let old = "no-phase api/src/v1alpha1/ship.rs:5".to_owned();
    let new = "no-phase api/src/v1/ship.rs:5".to_owned();
    assert_eq!(warned("", ""), [new.clone(), old.clone()]);
    assert_eq!(warned("", ALLOW), [old]);
    assert_eq!(warned(ALLOW, ""), [new]);
    assert_eq!(warned(ALLOW, ALLOW), [] as [String; 0]);
}

#[test]
fn kinds_of_one_name_in_two_groups_are_both_checked() {
    let texts = [
        ("api/src/sea/v1/ship.rs", kind("sea.x", "v1", ALLOW)),
        ("api/src/space/v1/ship.rs", kind("space.x", "v1", "")),
    ];
    let crds = [crd("sea.x", &["v1"]), crd("space.x", &["v1"])];
    let space = "no-phase api/src/space/v1/ship.rs:5";
    assert_eq!(warnings(&crds, &texts), [space]);
}

/// The merge strategies of Kubernetes' types are restored only where a type is one of them.
#[test]
fn a_condition_that_a_macro_declares_keeps_its_merge_strategy() {
    let says =
        "reason contains a programmatic identifier indicating the reason for the condition's";
    let properties = json!({"reason": {"description": says}, "type": {"type": "string"}});
    let items = json!({"type": "object", "required": ["type"], "properties": properties});
    let conditions = json!({"type": "array", "items": items});
    let mut crd = crd("g.x", &["v1"]);
    let at = "/spec/versions/0/schema/openAPIV3Schema/properties/status";
    *crd.pointer_mut(at).unwrap() =
        json!({"type": "object", "properties": {"conditions": conditions}});
    let strategy = |declared: &str| {
        let project = Project::new("my.domain".parse().unwrap(), "fleet".parse().unwrap());
        let text = serde_json::to_string(&[&crd]).unwrap();
        let naming = Naming::default_for(&project);
        let mut crds = crd::read(&text, &BTreeSet::new(), &naming).unwrap();
        let types = format!(
            "#[kube(group = \"g.x\", version = \"v1\", kind = \"Ship\", status = \"ShipStatus\")]\n\
             pub struct ShipSpec {{}}\npub struct ShipStatus {{ conditions: Vec<Condition> }}\n{declared}"
        );
        let own = "macro_rules! own { ($name:ident) => { pub struct $name { reason: String } }; }";
        let texts = [("api/src/ship.rs", &*types), ("api/src/own.rs", own)];
        complete(&mut crds, &Types::of_texts(texts));
        let path = format!("{at}/properties/conditions/x-kubernetes-list-type");
        crds[0].json.pointer(&path).cloned()
    };
    assert_eq!(strategy(""), Some(json!("map")));
    assert_eq!(strategy("foreign!(Condition);"), Some(json!("map")));
    assert_eq!(strategy("own!(Condition);"), None);
}

#[test]
fn an_untagged_enum_of_structs_loses_no_variant() {
    let mut crd = crd("g.x", &["v1"]);
    let drive = json!({
        "type": "object", "description": "It.",
        "properties": {"one": {"type": "string"}, "two": {"type": "string"}},
        "anyOf": [{"required": ["one"]}, {}],
    });
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"] =
        json!({"type": "object", "description": "It.", "properties": {"drive": drive}});
    let lost = |variants: &str| {
        let text = format!(
            "#[kube(group = \"g.x\", version = \"v1\", kind = \"Ship\", status = \"ShipStatus\")]\n\
             pub struct ShipSpec {{ pub drive: Drive }}\npub struct ShipStatus {{}}\n\
             #[serde(untagged)]\npub enum Drive {{ One {{ one: String }}, {variants} }}\n"
        );
        let found = warnings(std::slice::from_ref(&crd), &[("api/src/v1/ship.rs", text)]);
        found
            .iter()
            .any(|warning| warning.starts_with("lost-variant"))
    };
    assert!(lost("Two(String)"));
    assert!(!lost("Two { two: Option<String> }"));
}

#[test]
fn an_optional_enum_that_serializes_null_is_a_warning() {
    let mode =
        json!({"type": "string", "nullable": true, "enum": ["A", null], "description": "It."});
    let schema = json!({
        "type": "object", "description": "It.", "properties": {
            "plain": mode, "skipped": mode,
            "text": {"type": "string", "nullable": true, "description": "It."},
            "list": {"type": "array", "items": mode, "description": "It.", "x-kubernetes-list-type": "atomic"},
            "map": {"type": "object", "additionalProperties": mode, "description": "It."},
        },
    });
    let mut crd = crd("g.x", &["v1"]);
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"] = schema;
    let text = "#[kube(group = \"g.x\", version = \"v1\", kind = \"Ship\", status = \"ShipStatus\")]\n\
                pub struct ShipSpec {\n    pub plain: Option<Mode>,\n    \
                #[serde(skip_serializing_if = \"Option::is_none\")]\n    pub skipped: Option<Mode>,\n    \
                pub text: Option<String>,\n    pub list: Vec<Option<Mode>>,\n    \
                pub map: BTreeMap<String, Option<Mode>>,\n}\npub struct ShipStatus {}\npub enum Mode { A }\n";
    let found = warnings(&[crd], &[("api/src/ship.rs", text.to_owned())]);
    let of = |rule: &str| {
        let mut lines: Vec<_> = found
            .iter()
            .filter_map(|it| it.strip_prefix(&format!("{rule} api/src/ship.rs:")))
            .collect();
        lines.sort_unstable();
        lines.join(" ")
    };
    assert_eq!(of("null-in-enum"), "3 7 8", "{found:?}");
    assert_eq!(of("optional-fields"), "6", "{found:?}");
}

#[test]
fn a_clock_that_a_test_cannot_set_is_a_warning() {
    let code = |comment: &str| {
        format!(
            "use std::time::SystemTime;\n{comment}\nfn now() -> SystemTime {{ SystemTime::now() }}\nfn any() -> u32 {{ rand::random() }}\n"
        )
    };
    let path = "src/controllers/ship.rs";
    let random = format!("unseeded-random {path}:4");
    assert_eq!(
        warnings(&[], &[(path, code(""))]),
        [format!("system-clock {path}:3"), random.clone()]
    );
    let allowed = code("// rustop:allow(system-clock): the log has the time of the machine");
    assert_eq!(warnings(&[], &[(path, allowed)]), [random]);
    assert_eq!(warnings(&[], &[("src/main.rs", code(""))]), [""; 0]);
}
