//! From a place in a schema to a line of Rust.

use super::*;

const TYPES: &str = r#"
#[derive(CustomResource)]
#[kube(group = "my.domain", version = "v1", kind = "Lolcow", status = "LolcowStatus", printcolumn(name = "A", json_path = ".a"))]
#[serde(rename_all = "camelCase")]
pub struct LolcowSpec {
    /// The ports.
    pub open_ports: Option<Vec<Port>>,
    #[serde(rename = "pods")]
    pub template: PodTemplateSpec,
    #[serde(flatten)]
    pub common: Common,
    pub shape: Shape,
}

pub struct Common { pub label: String }

pub struct Port { pub number: i32 }

#[serde(rename_all = "camelCase")]
pub enum Shape { RoundOne(Port), Square { side: i32 } }

pub struct LolcowStatus {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
}
"#;

fn sources() -> Sources {
    Sources::of([(PathBuf::from("a.rs"), TYPES.to_owned())])
}

fn find<'a>(sources: &'a Sources, path: &str) -> Option<Origin<'a>> {
    let fields: Vec<_> = path.split('.').map(str::to_owned).collect();
    sources.find("Lolcow", "v1", &fields)
}

fn line(path: &str) -> String {
    let sources = sources();
    let origin = find(&sources, path).unwrap();
    origin.field.file.lines[origin.field.line - 1]
        .trim()
        .to_owned()
}

#[test]
fn finds_fields_by_their_names_in_json() {
    assert_eq!(line("spec.openPorts"), "pub open_ports: Option<Vec<Port>>,");
    assert_eq!(
        line("spec.openPorts.number"),
        "pub struct Port { pub number: i32 }"
    );
    assert_eq!(
        line("spec.label"),
        "pub struct Common { pub label: String }"
    );
    assert_eq!(
        line("spec.shape.roundOne.number"),
        "pub struct Port { pub number: i32 }"
    );
    assert_eq!(line("status.phase"), "pub phase: Option<String>,");
    assert!(line("spec").starts_with("pub struct LolcowSpec"));
    assert!(line("status").starts_with("pub struct LolcowStatus"));
    let sources = sources();
    let ports = find(&sources, "spec.openPorts").unwrap().field;
    assert_eq!(ports.types, ["Option", "Vec", "Port"]);
    assert!(ports.is_always_written);
    assert!(
        !find(&sources, "status.phase")
            .unwrap()
            .field
            .is_always_written
    );
    assert!(find(&sources, "metadata.name").is_none());
}

#[test]
fn what_is_inside_of_other_crates_types_is_told_by_the_field_that_has_them() {
    let sources = sources();
    let containers = find(&sources, "spec.pods.spec.containers").unwrap();
    assert!(!containers.is_own && !containers.has_own_type);
    assert_eq!(
        line("spec.pods.spec.containers"),
        "pub template: PodTemplateSpec,"
    );
    assert!(find(&sources, "spec.pods").unwrap().is_own);
    assert!(find(&sources, "spec.openPorts").unwrap().has_own_type);
}
