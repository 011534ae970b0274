//! The limit of descriptions in PROJECT, followed to the CRD that `rustop manifests` writes.

use serde_json::Value;

use crate::dsl::{Place, rustop, toolchain};
use crate::golden::{crds, stand_in};

#[test]
fn descriptions_are_as_long_as_project_says() {
    let place = Place::project();
    let line = "create api --kind Lolcow";
    place.rustop(line).says(&["Created"]).ok();
    let cargo = stand_in(place.dir().parent().unwrap(), &crds("lolcow"));
    let project = place.read("PROJECT");
    let longest = |text: &str| {
        place.write("PROJECT", text);
        let ran = rustop(place.dir())
            .arg("manifests")
            .envs(toolchain())
            .env("CARGO", &cargo)
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{stderr}");
        let crd = place.read("config/crd/bases/my.domain_lolcows.yaml");
        let crd: Value = serde_yaml::from_str(&crd).unwrap();
        longest_description(&crd)
    };
    let whole = longest(&project);
    assert!(whole > 20, "{whole}");
    let all = format!("{project}crd:\n  maxDescriptionLength: 12\n");
    assert_eq!(longest(&all), 12);
    // The limit of a kind takes precedence over that of the project.
    let own = all.replace(
        "  kind: Lolcow\n",
        "  kind: Lolcow\n  crd:\n    maxDescriptionLength: 0\n",
    );
    assert_ne!(own, all);
    assert_eq!(longest(&own), 0);
    assert_eq!(longest(&project), whole);
}

/// The length of the longest description in characters, or 0 if there is none.
fn longest_description(value: &Value) -> usize {
    match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| match value.as_str() {
                Some(text) if name == "description" => text.chars().count(),
                _ => longest_description(value),
            })
            .max()
            .unwrap_or_default(),
        Value::Array(items) => items
            .iter()
            .map(longest_description)
            .max()
            .unwrap_or_default(),
        _ => 0,
    }
}
