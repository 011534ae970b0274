//! `rustop schema`.

use crate::dsl::{Place, rustop};

#[test]
fn the_schema_has_every_field_of_project() {
    let output = rustop(&std::env::temp_dir())
        .arg("schema")
        .output()
        .unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
    let schema: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(schema["additionalProperties"], false);
    let required = serde_json::json!(["domain", "layout", "projectName", "version"]);
    assert_eq!(schema["required"], required);
    let place = Place::empty();
    place
        .rustop("init --domain a.b --owner X --namespaced -q")
        .ok();
    for line in [
        "--group g --kind Own",
        "--group core --kind Pod --no-resource",
        "--group a.io --kind E --no-resource",
    ] {
        place.rustop(&format!("create api {line} -q")).ok();
    }
    let project: serde_json::Value = serde_yaml::from_str(&place.read("PROJECT")).unwrap();
    let known = |names: &serde_json::Value, of: &serde_json::Value| {
        for name in of.as_object().unwrap().keys() {
            assert!(names.get(name).is_some(), "the schema has no {name}");
        }
    };
    known(&schema["properties"], &project);
    let lint = serde_json::json!({ "disable": [], "enable": [], "forbiddenNames": [] });
    known(&schema["$defs"]["Config"]["properties"], &lint);
    let crd = serde_json::json!({ "maxDescriptionLength": 0 });
    known(&schema["$defs"]["CrdOptions"]["properties"], &crd);
    for of in [
        &schema["properties"],
        &schema["$defs"]["Resource"]["properties"],
    ] {
        assert_eq!(of["crd"]["$ref"], "#/$defs/CrdOptions", "{of}");
    }
    for resource in project["resources"].as_array().unwrap() {
        known(&schema["$defs"]["Resource"]["properties"], resource);
    }
}
