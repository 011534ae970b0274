//! Tests of the mapping from a place in a schema to a line of Rust.

use super::*;
use crate::diagnostic::Place;

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

/// Defines `part!`, which declares a struct with the given fields and its own field `label`, and
/// `parts!`, which calls it.
const MACROS: &str = r#"
macro_rules! part {
    ($(#[$meta:meta])* $name:ident { $($(#[$of:meta])* $field:ident: $ty:ty),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, JsonSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            #[serde(alias = "title")]
            pub label_text: String,
            $($(#[$of])* pub $field: $ty,)*
        }
    };
}
macro_rules! parts {
    ($($name:ident),*) => { $($crate::part! { $name {} })* };
}
macro_rules! kind {
    ($kind:literal, $spec:ident { $($field:ident: $ty:ty,)* }) => {
        #[derive(CustomResource)]
        #[kube(group = "my.domain", version = "v1", kind = $kind)]
        pub struct $spec { $(pub $field: $ty,)* }
    };
}
"#;

const CALLS: &str = r#"use shapes::{Round, Square};
crate::kind! { "Lolcow", LolcowSpec {
    port: Vec<Port>,
    round: Option<shapes::Round>, square: Square,
} }
elsewhere! {
    part! { #[serde(deny_unknown_fields)] Port {
        open_number: i32,
        #[serde(rename = "tls")] with_tls: Option<Vec<Inner>>
    } }
    pub struct Inner { pub depth: i32 }
}
mod shapes {
    /* ä */ parts!(Round, Square);
}
"#;

/// Returns the types of a project with macros, which are defined after their calls.
fn types_in_macros() -> Types {
    Types::of_texts([
        ("api/src/a.rs", CALLS),
        ("api/src/macros.rs", MACROS),
        ("api/src/other.rs", "elsewhere!(not items);"),
    ])
}

#[test]
fn a_type_that_a_macro_declares_belongs_to_the_project() {
    let types = types_in_macros();
    for (path, expected) in [
        // Tokens of the arguments are where they are, and those of the macro at the call.
        ("spec.port", "api/src/a.rs:3 port"),
        ("spec.port.openNumber", "api/src/a.rs:8 open_number"),
        ("spec.port.tls", "api/src/a.rs:9 with_tls"),
        ("spec.port.tls.depth", "api/src/a.rs:11 depth"),
        ("spec.port.labelText", "api/src/a.rs:7 part"),
        ("spec.round.labelText", "api/src/a.rs:14 parts"),
        ("spec.square.labelText", "api/src/a.rs:14 parts"),
    ] {
        let origin = find(&types, path).unwrap();
        assert!(origin.is_own, "{path}");
        let Place { line, span } = &origin.field.place;
        let underlined = &line.text[span.clone()];
        let found = format!("{}:{} {underlined}", line.path.display(), line.number);
        assert_eq!(found, expected, "{path}");
    }
    let label = find(&types, "spec.square.labelText").unwrap().field;
    assert_eq!(label.ident, "label_text");
    let port = find(&types, "spec.port").unwrap().declared.unwrap();
    let derives: Vec<_> = port.derives.iter().map(|it| it.ident.as_str()).collect();
    assert_eq!(derives, ["Clone", "JsonSchema"]);
}

#[test]
fn a_type_that_a_macro_declares_is_not_foreign() {
    let types = types_in_macros();
    for (path, expected) in [
        ("spec.port", false),
        ("spec.port.tls", false),
        ("spec.port.labelText", true),
        ("spec.square", false),
    ] {
        let fields: Vec<_> = path.split('.').map(str::to_owned).collect();
        let found = types.is_foreign(&lolcow(), &fields);
        assert_eq!(found, Some(expected), "{path}");
    }
}

#[test]
fn a_call_means_the_nearest_macro_of_its_name() {
    let of = |name: &str| {
        format!(
            "macro_rules! part {{ ($name:ident) => {{ pub struct $name {{ {name}: i32 }} }}; }}"
        )
    };
    let spec = "part!(Port);\n#[kube(group = \"my.domain\", version = \"v1\", kind = \"Lolcow\")]\n\
                pub struct LolcowSpec { port: Port }\n";
    let field = |files: &[(&str, String)]| {
        let files = files.iter().map(|(path, text)| (*path, text.as_str()));
        let types = Types::of_texts(files);
        let port = find(&types, "spec.port").unwrap().declared.unwrap();
        port.fields.keys().next().cloned().unwrap()
    };
    let near = ("api/src/v1/macros.rs", of("near"));
    let far = ("api/src/v2/macros.rs", of("far"));
    let call = ("api/src/v1/cow.rs", spec.to_owned());
    let own = ("api/src/v1/cow.rs", format!("{}\n{spec}", of("own")));
    assert_eq!(field(&[far.clone(), call.clone()]), "far");
    assert_eq!(field(&[call, near.clone(), far.clone()]), "near");
    assert_eq!(field(&[own, near, far]), "own");
}

/// Without limits, reading these would take hours or overflow the stack.
#[test]
fn macros_that_multiply_have_an_end() {
    let twenty = "$($t)* ".repeat(20);
    let deep = format!("{}$($t)*{}", "(".repeat(200), ")".repeat(200));
    let nested = "$( { $( $t $($u)* )* } )* ";
    for rules in [
        format!("($($t:tt)*) => {{ part! {{ {twenty} }} }};"),
        format!("($($t:tt)*) => {{ part! {{ a {twenty} }} part! {{ b {twenty} }} }};"),
        format!("($($t:tt)*) => {{ const A: i32 = {deep}; part! {{ {deep} }} }};"),
        "($($t:tt)*) => { part! { { $($t)* } { $($t)* } { $($t)* } } };".to_owned(),
        format!(
            "({{ $($t:tt)* }} {{ $($u:tt)* }}) => {{ {} }};",
            nested.repeat(20)
        ),
    ] {
        let long = "a ".repeat(5_000);
        let text = format!(
            "macro_rules! part {{ {rules} }}\npart! {{ {{ {long} }} {{ {long} }} }}\npart!(a);\npub struct Port;\n"
        );
        let types = Types::of_texts([("api/src/a.rs", text.as_str())]);
        let found: Vec<_> = types.iter().map(|it| it.ident.as_str()).collect();
        assert_eq!(found, ["Port"], "{rules}");
    }
}

#[test]
fn a_macro_may_declare_a_type_of_many_fields() {
    let fields = (0..3_000).map(|number| format!("f{number}: Vec<Option<i32>>,\n"));
    let fields: String = fields.collect();
    let calls = CALLS.replace("        open_number: i32,\n", &fields);
    let types = Types::of_texts([("api/src/a.rs", &*calls), ("api/src/macros.rs", MACROS)]);
    let last = find(&types, "spec.port.f2999").unwrap();
    assert_eq!((last.is_own, last.field.place.line.number), (true, 3_007));
}
