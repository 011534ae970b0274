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

const VARIANTS: &str = r#"
#[derive(CustomResource)]
#[kube(group = "my.domain", version = "v1", kind = "Lolcow", status = "LolcowStatus")]
pub struct LolcowSpec {
    #[serde(alias = "picture")]
    pub image: String,
    pub strategy: Strategy,
    pub template: Template,
    pub conditions: Vec<Condition>,
    #[serde(flatten)]
    pub common: Common,
}

#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Strategy {
    Recreate {},
    RollingUpdate {
        #[serde(rename(serialize = "surge", deserialize = "maxSurge"))]
        max_surge: i32,
        max_unavailable: i32,
    },
}

pub struct Template(PodTemplateSpec);

pub struct Common {
    #[schemars(skip)]
    pub hidden: String,
    pub condition: Condition,
}

#[serde(into = "Wire")]
pub struct Condition {
    #[serde(skip_deserializing)]
    pub reason: String,
    #[serde(skip)]
    pub cache: String,
    #[serde(rename(serialize = "kind", deserialize = "kind"))]
    pub kind: String,
}

pub struct Unused {
    #[serde(alias = "never")]
    pub told: String,
}
"#;

fn variants() -> Sources {
    Sources::of([(PathBuf::from("a.rs"), VARIANTS.to_owned())])
}

#[test]
fn the_fields_of_a_struct_variant_are_the_users() {
    let sources = variants();
    let own = |path: &str| {
        let origin = find(&sources, path).unwrap();
        (origin.is_own, origin.has_own_type)
    };
    assert_eq!(own("spec.strategy.recreate"), (true, true));
    assert_eq!(own("spec.strategy.rollingUpdate"), (true, true));
    assert_eq!(own("spec.strategy.rollingUpdate.maxSurge"), (true, false));
    assert_eq!(
        own("spec.strategy.rollingUpdate.maxUnavailable"),
        (true, false)
    );
}

#[test]
fn what_is_in_another_crates_type_is_foreign() {
    let sources = variants();
    let foreign = |path: &str| {
        let fields: Vec<_> = path.split('.').map(str::to_owned).collect();
        sources.is_foreign("Lolcow", "v1", &fields)
    };
    // A struct with one of Kubernetes' in it, and a copy of another.
    assert_eq!(foreign("spec.template.spec.containers"), Some(true));
    assert_eq!(foreign("spec.conditions"), Some(false));
    assert_eq!(foreign("spec.conditions.reason.inside"), Some(true));
    assert_eq!(foreign("spec.condition"), Some(false));
    assert_eq!(foreign("spec.image"), Some(true));
    assert_eq!(foreign("spec.nothing"), Some(false));
    // A status of another crate.
    assert_eq!(foreign("status.conditions"), Some(true));
    assert_eq!(foreign("metadata.name"), Some(false));
    assert_eq!(sources.is_foreign("Dog", "v1", &[]), None);
}

#[test]
fn names_that_the_schema_does_not_have_are_told_of_each_type_that_is_reached() {
    let sources = variants();
    let mut losses: Vec<_> = sources
        .losses("Lolcow", "v1")
        .into_iter()
        .map(|(field, loss)| format!("{}: {} {loss}", field.line, field.ident()))
        .collect();
    losses.sort();
    assert_eq!(
        losses,
        [
            "19: max_surge is written as `surge` and read as `maxSurge`: the API server drops what is written",
            "28: hidden is not in the schema: the API server drops it",
            "33: Condition is written as a `Wire` and read as a `Self`: the schema is that of one of them",
            "35: reason is written and not in the schema: the API server drops it",
            "6: image may be called `picture` in Rust alone: the API server does not know that name",
        ]
    );
}
