//! Tests of the JSON and SARIF reports.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::*;
use crate::crd::check::value::misfit;
use crate::diagnostic::SourceLine;
use crate::diagnostic::lints::allow::UNUSED_ALLOW;

fn diagnostics() -> Vec<Diagnostic> {
    let line = Arc::new(SourceLine {
        path: "src/é a.rs".into(),
        number: 3,
        text: "// ä x".to_owned(),
    });
    vec![
        Diagnostic::at(&line, 6..7, "is odd")
            .warning(&UNUSED_ALLOW)
            .help("remove it"),
        Diagnostic::file(Path::new("src/b.rs"), "is not UTF-8"),
    ]
}

fn changes() -> Vec<Change> {
    vec![Change {
        path: "config/rbac/role.yaml".to_owned(),
        before: Some("a\n".to_owned()),
        after: Some("b\n".to_owned()),
        edited: false,
    }]
}

#[test]
fn json_has_changes_and_diagnostics() {
    let report: Value = serde_json::from_str(&json(&changes(), false, &diagnostics())).unwrap();
    assert_eq!(
        report,
        json!({
            "written": false,
            "changes": [{
                "path": "config/rbac/role.yaml",
                "action": "update",
                "diff": "--- a/config/rbac/role.yaml\n+++ b/config/rbac/role.yaml\n@@ -1 +1 @@\n-a\n+b\n",
            }],
            "diagnostics": [
                {
                    "severity": "warning", "rule": "unused-allow", "message": "is odd", "help": "remove it",
                    "path": "src/é a.rs", "line": 3, "column": 6, "endColumn": 7,
                },
                {
                    "severity": "error", "rule": null, "message": "is not UTF-8", "help": null,
                    "path": "src/b.rs", "line": null, "column": null, "endColumn": null,
                },
            ],
        })
    );
}

#[test]
fn sarif_has_a_rule_for_each_result() {
    let log: Value = serde_json::from_str(&sarif(&changes(), false, &diagnostics())).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    let ids: Vec<_> = results
        .iter()
        .map(|result| result["ruleId"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["unused-allow", "invalid-source", "stale-file"]);
    for result in results {
        assert!(
            rules.iter().any(|rule| rule["id"] == result["ruleId"]),
            "{result}"
        );
    }
    assert_eq!(results[0]["level"], "warning");
    assert_eq!(results[0]["message"]["text"], "is odd; remove it");
    assert_eq!(
        results[0]["locations"][0]["physicalLocation"],
        json!({
            "artifactLocation": {"uri": "src/%C3%A9%20a.rs", "uriBaseId": "%SRCROOT%"},
            "region": {"startLine": 3, "startColumn": 6, "endColumn": 7},
        })
    );
    let file = &results[1]["locations"][0]["physicalLocation"];
    assert_eq!(
        (&file["artifactLocation"]["uri"], &file["region"]),
        (&json!("src/b.rs"), &Value::Null)
    );
}

#[test]
fn written_changes_are_not_results() {
    let log: Value = serde_json::from_str(&sarif(&changes(), true, &[])).unwrap();
    assert_eq!(log["runs"][0]["results"], json!([]));
}

/// Validates the logs against the schema of OASIS.
#[test]
fn sarif_is_valid() {
    let schema: Value = serde_json::from_str(include_str!("../testdata/sarif-2.1.0.json")).unwrap();
    for log in [
        sarif(&changes(), false, &diagnostics()),
        sarif(&changes(), true, &[]),
    ] {
        let mut log: Value = serde_json::from_str(&log).unwrap();
        assert_eq!(wrong(&log, &schema, &schema, "log"), None, "{log:#}");
        log["runs"][0]["tool"]["driver"]["rules"][0]["name"] = json!(1);
        assert_eq!(
            wrong(&log, &schema, &schema, "log").unwrap(),
            "log.runs[0].tool.driver.rules[0].name: is not of the type `string`"
        );
    }
}

/// Returns the location of a value that does not match a schema of `all`, and the reason.
/// References are resolved on the way, since the schema is recursive.
fn wrong(value: &Value, schema: &Value, all: &Value, at: &str) -> Option<String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let schema = all.pointer(reference.strip_prefix('#').unwrap()).unwrap();
        return wrong(value, schema, all, at);
    }
    let anything = json!({"x-kubernetes-preserve-unknown-fields": true});
    let mut flat = schema.as_object().unwrap().clone();
    flat.remove("items");
    if let Some(fields) = flat.get_mut("properties").and_then(Value::as_object_mut) {
        fields
            .values_mut()
            .for_each(|field| *field = anything.clone());
    }
    if let Some(why) = misfit(value, &flat, "") {
        return Some(format!("{at}: {why}"));
    }
    match value {
        Value::Object(fields) => fields.iter().find_map(|(name, value)| {
            let schema = schema["properties"].get(name)?;
            wrong(value, schema, all, &format!("{at}.{name}"))
        }),
        Value::Array(items) => items.iter().enumerate().find_map(|(n, item)| {
            let schema = schema.get("items")?;
            wrong(item, schema, all, &format!("{at}[{n}]"))
        }),
        _ => None,
    }
}
