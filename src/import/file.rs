//! Generation of the files of a CRD version.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::attributes::quoted;
use super::format::attribute;
use super::kind_attributes::{self, Root};
use super::model::Model;
use super::names::{self, Names};
use super::patch::{self, OF_EVERY_OBJECT};
use super::print::Printer;
use super::read::Imported;
use super::schema_conversion::convert_schemas;
use super::shared::Shared;
use super::use_declarations;

/// The generated types of a version, and the schemas that the types cannot express.
#[derive(Clone, Debug)]
pub struct GeneratedTypes {
    /// The source of the file.
    pub rust: String,
    /// The schemas by name, as JSON; `None` if the types express everything.
    pub schemas: Option<String>,
}

/// The Rust names of a kind.
#[derive(Clone, Copy, Debug)]
pub struct RustNames<'a> {
    /// The type of the kind.
    pub root: &'a str,
    /// The prefix of the names of its spec and status types.
    pub stem: &'a str,
    /// The module of the kind, which is the name of its file without `.rs`.
    pub module: &'a str,
}

/// A CRD version to generate a file for.
#[derive(Clone, Copy, Debug)]
pub struct ImportedKind<'a> {
    /// The whole CRD.
    pub crd: &'a Imported,
    /// The version: an entry of the CRD's `spec.versions`.
    pub version: &'a Value,
    pub rust_names: RustNames<'a>,
    /// The module whose kinds share types: that of the group and version. `None` if the kind does
    /// not share types.
    pub shares: Option<&'a str>,
}

/// Generates the files of the kinds, in order. A type that several kinds share is in the file of
/// the first one.
pub fn generate_files(kinds: &[ImportedKind]) -> Vec<GeneratedTypes> {
    let mut shared = Shared::default();
    let files = kinds.iter().map(|kind| {
        let (mut model, root) = model(kind);
        let is_taken = |name: &str| name == kind.rust_names.root || name == kind.crd.kind();
        let numbers = match kind.shares {
            Some(place) => shared.find(place, &mut model, &is_taken),
            None => Vec::new(),
        };
        let names = names::names(&model, &is_taken);
        if let Some(place) = kind.shares {
            shared.add(place, kind.rust_names.module, &numbers, (&model, &names));
        }
        GeneratedTypes {
            rust: rust(kind, &model, &names, &root),
            schemas: schemas(&model, &names),
        }
    });
    files.collect()
}

/// Returns the types of a version, and the attributes and the patch of its kind.
fn model(kind: &ImportedKind) -> (Model, Root) {
    let RustNames { root, stem, .. } = kind.rust_names;
    let schema = &kind.version["schema"]["openAPIV3Schema"];
    let properties = schema["properties"]
        .as_object()
        .cloned()
        .unwrap_or_default();
    let is_object = |name: &str| {
        let schema = properties.get(name);
        schema.is_some_and(|schema| schema["type"] == "object")
    };
    let status = properties
        .contains_key("status")
        .then(|| format!("{stem}Status"));
    let others = properties.keys().any(|name| {
        !OF_EVERY_OBJECT.contains(&name.as_str()) && name != "spec" && name != "status"
    });
    let no_spec = others || !is_object("spec");
    let whole = whole(schema);
    let spec = format!("{stem}{}", if no_spec { "Fields" } else { "Spec" });
    let mut roots = vec![if no_spec {
        (spec, vec![], &whole)
    } else {
        (spec, vec!["spec".to_owned()], &properties["spec"])
    }];
    roots.extend(
        status
            .clone()
            .map(|status| (status, vec!["status".to_owned()], &properties["status"])),
    );
    let outer = kind_attributes::RootTypes {
        root,
        status: status.as_deref(),
    };
    let made = kind_attributes::root(kind.crd, kind.version, no_spec, outer);
    (convert_schemas(&roots), made)
}

/// Returns the schema of the whole object without the properties that kube's derive adds to every
/// object.
fn whole(schema: &Value) -> Value {
    let mut properties = schema["properties"]
        .as_object()
        .cloned()
        .unwrap_or_default();
    properties.retain(|name, _| name != "status" && !OF_EVERY_OBJECT.contains(&name.as_str()));
    let mut required = schema["required"].as_array().cloned().unwrap_or_default();
    required.retain(|name| {
        name.as_str()
            .is_some_and(|name| properties.contains_key(name))
    });
    let mut whole = json!({"type": "object", "properties": properties, "required": required});
    if schema["x-kubernetes-preserve-unknown-fields"] == true {
        whole["x-kubernetes-preserve-unknown-fields"] = true.into();
    }
    whole
}

fn schemas(model: &Model, names: &Names) -> Option<String> {
    let schemas = names.kept.iter();
    let mut schemas: Vec<_> = schemas
        .map(|(&index, name)| (name.clone(), model.kept[index].schema.clone()))
        .collect();
    if schemas.is_empty() {
        return None;
    }
    schemas.sort_by(|a, b| a.0.cmp(&b.0));
    let schemas: Map<_, _> = schemas.into_iter().collect();
    let text = serde_json::to_string_pretty(&schemas).unwrap_or_default();
    Some(text + "\n")
}

/// Allowed lints: rustdoc and clippy would report texts of the CRD, and rustc what the derives make
/// of them.
const ALLOWED: &str = "#![allow(
    dead_code,
    rustdoc::all,
    clippy::doc_lazy_continuation,
    clippy::doc_overindented_list_items,
    clippy::enum_variant_names,
    reason = \"texts and names are those of the CRD\"
)]
";

fn rust(kind: &ImportedKind, model: &Model, names: &Names, made: &Root) -> String {
    let RustNames { root, module, .. } = kind.rust_names;
    let mut printer = Printer::new(model, names);
    let absent = made.absent_spec && printer.defaults.has_value(0);
    let kube = attribute("kube", &made.kube, "");
    let serde: &[&str] = if absent { &["remote = \"Self\""] } else { &[] };
    let mut items = String::new();
    for index in model.order() {
        items.push('\n');
        items += &if index == 0 {
            printer.item(index, &["CustomResource"], &kube, serde)
        } else {
            printer.item(index, &[], "", &[])
        };
        if index == 0 && absent {
            let _ = writeln!(
                items,
                "\ncrate::schema::may_be_absent!({});",
                names.items[&0]
            );
        }
    }
    let mut uses = std::mem::take(&mut printer.uses);
    for needed in [
        "k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition",
        "kube::CustomResource",
        "serde::Deserialize",
        "serde::Serialize",
    ] {
        uses.insert(needed.to_owned());
    }
    uses.insert(
        if made
            .kube
            .iter()
            .any(|arg| *arg == super::model::Arg::Leaf("derive = \"KubeSchema\"".into()))
        {
            "kube::KubeSchema"
        } else {
            "schemars::JsonSchema"
        }
        .to_owned(),
    );
    if !made.patch.is_empty() {
        uses.insert("serde_json::json".to_owned());
    }
    uses.remove("crate::schema");
    let builtins = BUILTINS
        .iter()
        .filter(|name| has_word(&items, &format!("schema::{name}")));
    let builtins: Vec<_> = builtins.copied().collect();
    let mut text = format!(
        "//! {} of {}, as its CRD defines it.\n{ALLOWED}\n",
        kind.crd.kind(),
        kind.crd.group()
    );
    if names.kept.is_empty() && !builtins.is_empty() {
        uses.insert("crate::schema".to_owned());
    }
    text += &use_declarations::lines(&uses);
    text += &items;
    let patch = if made.patch.is_empty() {
        "serde_json::Value::Null".to_owned()
    } else {
        format!("json!({})", patch::patch(&made.patch))
    };
    let _ = write!(
        text,
        "\n/// Returns the CRD: the schemas of the types, and the parts that Rust types cannot express.\n#[must_use]\npub fn crd() -> CustomResourceDefinition {{\n    crate::schema::crd::<{root}>({patch})\n}}\n"
    );
    if !names.kept.is_empty() {
        let mut kept: Vec<_> = names.kept.values().cloned().collect();
        kept.sort();
        let own = match builtins.as_slice() {
            [] => String::new(),
            [name] => format!("    pub use crate::schema::{name};\n\n"),
            names => format!("    pub use crate::schema::{{{}}};\n\n", names.join(", ")),
        };
        let lines = kept.join("\n        ");
        let _ = write!(
            text,
            "\n/// Schemas of this CRD that differ from those of the Rust types.\nmod schema {{\n{own}    crate::schema::kept! {{\n        {}\n        {lines}\n    }}\n}}\n",
            quoted(&format!("{module}.json"))
        );
    }
    text
}

/// The schemas that every project with imported kinds contains.
const BUILTINS: [&str; 8] = [
    "Any",
    "AnyObject",
    "IntOrString",
    "Integer",
    "Number",
    "Object",
    "Quantity",
    "Time",
];

/// Reports whether a text contains a word, and not only as the beginning of another word.
fn has_word(text: &str, word: &str) -> bool {
    let mut ends = text
        .match_indices(word)
        .map(|(at, _)| &text[at + word.len()..]);
    ends.any(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
}
