//! Tests of the mapping from a place in a schema to a line of Rust.

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

fn types() -> Types {
    Types::of_texts([("api/src/a.rs", TYPES)])
}

fn lolcow() -> GroupVersionKind {
    GroupVersionKind::gvk("my.domain", "v1", "Lolcow")
}

fn find<'a>(types: &'a Types, path: &str) -> Option<Origin<'a>> {
    let fields: Vec<_> = path.split('.').map(str::to_owned).collect();
    types.find(&lolcow(), &fields)
}

fn line(path: &str) -> String {
    let types = types();
    let origin = find(&types, path).unwrap();
    origin.field.place.line.text.trim().to_owned()
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
    let types = types();
    let ports = find(&types, "spec.openPorts").unwrap().field;
    let names: Vec<_> = ports.types.iter().map(TypeName::last).collect();
    assert_eq!(names, ["Option", "Vec", "Port"]);
    assert!(ports.is_always_written);
    assert!(
        !find(&types, "status.phase")
            .unwrap()
            .field
            .is_always_written
    );
    assert!(find(&types, "metadata.name").is_none());
}

#[test]
fn places_inside_of_foreign_types_have_the_enclosing_field() {
    let types = types();
    let containers = find(&types, "spec.pods.spec.containers").unwrap();
    assert!(!containers.is_own && !containers.has_own_type);
    assert_eq!(
        line("spec.pods.spec.containers"),
        "pub template: PodTemplateSpec,"
    );
    assert!(find(&types, "spec.pods").unwrap().is_own);
    assert!(find(&types, "spec.openPorts").unwrap().has_own_type);
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

fn variants() -> Types {
    Types::of_texts([("api/src/a.rs", VARIANTS)])
}

#[test]
fn fields_of_struct_variants_belong_to_the_project() {
    let types = variants();
    let own = |path: &str| {
        let origin = find(&types, path).unwrap();
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
fn places_inside_of_foreign_types_are_foreign() {
    let types = variants();
    let foreign = |path: &str| {
        let fields: Vec<_> = path.split('.').map(str::to_owned).collect();
        types.is_foreign(&lolcow(), &fields)
    };
    // A struct that contains one of Kubernetes' types, and a copy of another.
    assert_eq!(foreign("spec.template.spec.containers"), Some(true));
    assert_eq!(foreign("spec.conditions"), Some(false));
    assert_eq!(foreign("spec.conditions.reason.inside"), Some(true));
    assert_eq!(foreign("spec.condition"), Some(false));
    assert_eq!(foreign("spec.image"), Some(true));
    assert_eq!(foreign("spec.nothing"), Some(false));
    // The status type belongs to another crate.
    assert_eq!(foreign("status.conditions"), Some(true));
    assert_eq!(foreign("metadata.name"), Some(false));
    assert_eq!(
        types.is_foreign(&GroupVersionKind::gvk("my.domain", "v1", "Dog"), &[]),
        None
    );
}

/// Returns the file and line of a field of a kind.
fn place(types: &Types, kind: &GroupVersionKind, path: &str) -> String {
    let fields: Vec<_> = path.split('.').map(str::to_owned).collect();
    let origin = types.find(kind, &fields).unwrap();
    assert!(origin.is_own, "{path}");
    let line = &origin.field.place.line;
    format!("{}:{}", line.path.display(), line.number)
}

/// Returns the source of a kind with a status and one field, each on its own line.
fn kind(group: &str, version: &str) -> String {
    format!(
        "#[kube(group = \"{group}\", version = \"{version}\", kind = \"Ship\", status = \"ShipStatus\")]\n\
         pub struct ShipSpec {{\n    pub shape: Shape,\n}}\n\
         pub struct ShipStatus {{\n    pub phase: String,\n}}\n\
         pub enum Shape {{\n    Round {{\n        radius: i32,\n    }},\n}}\n"
    )
}

#[test]
fn equal_names_in_two_versions_are_distinct_types() {
    let (old, new) = (kind("g", "v1alpha1"), kind("g", "v1"));
    let types = Types::of_texts([
        ("api/src/lib.rs", "pub mod v1;\npub mod v1alpha1;\n"),
        ("api/src/v1/ship.rs", &format!("\n{new}")),
        ("api/src/v1alpha1/ship.rs", &old),
    ]);
    let at = |version, path| place(&types, &GroupVersionKind::gvk("g", version, "Ship"), path);
    assert_eq!(at("v1", "status.phase"), "api/src/v1/ship.rs:7");
    assert_eq!(at("v1alpha1", "status.phase"), "api/src/v1alpha1/ship.rs:6");
    assert_eq!(at("v1", "spec.shape.Round.radius"), "api/src/v1/ship.rs:11");
    let old = at("v1alpha1", "spec.shape.Round.radius");
    assert_eq!(old, "api/src/v1alpha1/ship.rs:10");
}

#[test]
fn equal_kinds_in_two_groups_are_distinct() {
    let (space, sea) = (kind("space", "v1"), kind("sea", "v1"));
    let types = Types::of_texts([
        ("api/src/space/v1/ship.rs", &*space),
        ("api/src/sea/v1/ship.rs", &*sea),
    ]);
    for group in ["space", "sea"] {
        let of = GroupVersionKind::gvk(group, "v1", "Ship");
        let expected = format!("api/src/{group}/v1/ship.rs:6");
        assert_eq!(place(&types, &of, "status.phase"), expected);
    }
    assert!(!types.has_kind(&GroupVersionKind::gvk("air", "v1", "Ship")));
}

/// Returns the location to which the field `inner` leads if its type is `name`. Another module has
/// a type of the same name.
fn leads(uses: &str, name: &str) -> Option<String> {
    let spec = format!(
        "{uses}\n#[kube(group = \"g\", version = \"v1\", kind = \"Ship\")]\n\
         pub struct ShipSpec {{ inner: {name} }}\n"
    );
    let types = Types::of_texts([
        ("api/src/lib.rs", "pub struct Port { at_root: i32 }\n"),
        (
            "api/src/v1/mod.rs",
            "pub use ship::Port as Round;\npub use super::v2::*;\n",
        ),
        ("api/src/v1/ship.rs", &spec),
        (
            "api/src/v1/parts.rs",
            "pub struct Port { parts: i32 }\nuse super::parts::*;\n",
        ),
        (
            "api/src/v2/mod.rs",
            "pub use super::v1::*;\npub mod deep { pub struct Port { deep: i32 } }\n",
        ),
        (
            "api/src/v2/moved.rs",
            "#[path = \"elsewhere.rs\"]\nmod there;\npub use self::there::Port;\n",
        ),
        (
            "api/src/v2/elsewhere.rs",
            "pub struct Port { elsewhere: i32 }\n",
        ),
    ]);
    let fields = ["spec", "inner"].map(str::to_owned);
    let origin = types.find(&GroupVersionKind::gvk("g", "v1", "Ship"), &fields)?;
    let inner = types.of_field(origin.field).next()?;
    inner.fields.keys().next().cloned()
}

#[test]
fn names_are_resolved_through_imports() {
    for (uses, name, expected) in [
        ("use super::parts::Port;", "Port", "parts"),
        ("use super::parts::Port as P;", "Vec<Option<P>>", "parts"),
        ("use super::parts;", "parts::Port", "parts"),
        ("use super::*;", "parts::Port", "parts"),
        ("use super::super::*;", "Port", "at_root"),
        ("", "crate::Port", "at_root"),
        ("", "super::super::v2::deep::Port", "deep"),
        ("use crate::v2::{self, deep as d};", "d::Port", "deep"),
        ("use crate::v2;", "v2::moved::Port", "elsewhere"),
        ("use crate::v1::*;", "deep::Port", "deep"),
        (
            "mod m { pub struct Port { inside: i32 } }",
            "self::m::Port",
            "inside",
        ),
    ] {
        assert_eq!(
            leads(uses, name).as_deref(),
            Some(expected),
            "{uses} {name}"
        );
    }
}

#[test]
fn names_outside_of_the_crate_are_not_resolved() {
    for (uses, name) in [
        ("", "Port"),
        ("use k8s_openapi::api::core::v1::Port;", "Port"),
        ("", "::parts::Port"),
        ("use super::Round;", "Port"),
        ("use super::nowhere::*;", "Port"),
        ("use super::Round;", "Round"),
        ("use kube::runtime::*; use serde::*;", "Port"),
        ("use port::port;", "port::Port"),
    ] {
        assert_eq!(leads(uses, name), None, "{uses} {name}");
    }
}

#[test]
fn unclosed_brackets_are_invalid_rust() {
    let deep = format!(
        "const A: i32 = {}1{};",
        "(".repeat(100_000),
        ")".repeat(100_000)
    );
    assert!(Parsed::of(Path::new("api/src/a.rs"), &deep).is_none());
}

#[test]
fn types_of_another_crate_of_the_workspace_are_found() {
    let of = |name: &str| Crate {
        name: name.to_owned(),
        dir: format!("{name}/src").into(),
    };
    let spec = "use shared::parts::*;\nuse shared::Tag as Label;\nuse kube::*;\nuse serde::*;\n#[derive(CustomResource)]\n\
        #[kube(group = \"my.domain\", version = \"v1\", kind = \"Lolcow\")]\n\
        pub struct LolcowSpec { pub port: Port, pub label: Label, pub own: crate::Own, pub other: Unknown }\n";
    let parsed = |(path, text): (&str, &str)| Parsed::of(Path::new(path), text).unwrap();
    let files = [
        ("operator/src/crd.rs", spec),
        (
            "operator/src/main.rs",
            "mod crd;\npub struct Own { pub own: i32 }\n",
        ),
        (
            "shared/src/lib.rs",
            "pub mod parts;\npub struct Tag { pub tag: i32 }\n",
        ),
        (
            "shared/src/parts.rs",
            "pub struct Port { pub number: i32 }\n",
        ),
    ];
    let types = Types::of_crates(&[of("operator"), of("shared")], files.map(parsed).into());
    for (path, is_own) in [
        ("spec.port.number", true),
        ("spec.label.tag", true),
        ("spec.own.own", true),
        ("spec.other.field", false),
    ] {
        assert_eq!(find(&types, path).unwrap().is_own, is_own, "{path}");
    }
}
