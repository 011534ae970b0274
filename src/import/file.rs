//! The files of a version.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::attributes::quoted;
use super::format::attribute;
use super::model::{Body, Model, Type};
use super::names;
use super::patch::{self, OF_EVERY_OBJECT};
use super::print::Printer;
use super::read::Imported;
use super::root::{self, Root};
use super::shape::shape;
use super::uses;

/// The types of a version, and the schemas that none of them says.
#[derive(Clone, Debug)]
pub struct File {
    /// The text of the types.
    pub rust: String,
    /// The schemas by their names, as JSON; none where every type says its own.
    pub schemas: Option<String>,
}

/// How a kind is called in Rust.
#[derive(Clone, Copy, Debug)]
pub struct Called<'a> {
    /// Its type.
    pub root: &'a str,
    /// What the names of the types of its spec and status begin with.
    pub stem: &'a str,
    /// Its module.
    pub module: &'a str,
}

/// The files for a version of a CRD.
pub fn file(crd: &Imported, version: &Value, called: Called) -> File {
    let Called {
        root,
        stem: base,
        module,
    } = called;
    let schema = &version["schema"]["openAPIV3Schema"];
    let properties = schema["properties"]
        .as_object()
        .cloned()
        .unwrap_or_default();
    let is_object = |name: &str| {
        properties
            .get(name)
            .is_some_and(|schema| schema["type"] == "object")
    };
    let status = is_object("status").then(|| format!("{base}Status"));
    let others = properties.keys().any(|name| {
        !OF_EVERY_OBJECT.contains(&name.as_str()) && name != "spec" && name != "status"
    });
    let no_spec = others || !is_object("spec");
    let whole = whole(schema);
    let spec = format!("{base}{}", if no_spec { "Fields" } else { "Spec" });
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
    let model = shape(&roots);
    let names = names::names(&model, &|name| name == root || name == crd.kind());
    let outer = root::Names {
        root,
        status: status.as_deref(),
    };
    let made = root::root(crd, version, no_spec, outer);
    File {
        rust: rust(crd, &model, &names, &made, root, module),
        schemas: schemas(&model, &names),
    }
}

/// The object itself as a schema of which kube's derive knows nothing: without what every object has.
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

fn schemas(model: &Model, names: &names::Names) -> Option<String> {
    let schemas = model.kept.iter().zip(&names.kept);
    let mut schemas: Vec<_> = schemas
        .map(|(kept, name)| (name.clone(), kept.schema.clone()))
        .collect();
    if schemas.is_empty() {
        return None;
    }
    schemas.sort_by(|a, b| a.0.cmp(&b.0));
    let schemas: Map<_, _> = schemas.into_iter().collect();
    let text = serde_json::to_string_pretty(&schemas).unwrap_or_default();
    Some(text + "\n")
}

/// What rustdoc and clippy would say of texts that are the CRD's, and rustc of what derives make of them.
const ALLOWED: &str = "#![allow(
    dead_code,
    rustdoc::all,
    clippy::doc_lazy_continuation,
    clippy::doc_overindented_list_items,
    clippy::enum_variant_names,
    reason = \"texts and names are those of the CRD\"
)]
";

fn rust(
    crd: &Imported,
    model: &Model,
    names: &names::Names,
    made: &Root,
    root: &str,
    stem: &str,
) -> String {
    let mut printer = Printer::new(model, names);
    let absent = made.absent_spec && printer.defaults.has_value(0);
    let kube = attribute("kube", &made.kube, "");
    let serde: &[&str] = if absent { &["remote = \"Self\""] } else { &[] };
    let mut items = String::new();
    for index in order(model) {
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
                names.items[0]
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
        "//! {} of {}, as its CRD has it.\n{ALLOWED}\n",
        crd.kind(),
        crd.group()
    );
    if model.kept.is_empty() && !builtins.is_empty() {
        uses.insert("crate::schema".to_owned());
    }
    text += &uses::lines(&uses);
    text += &items;
    let patch = if made.patch.is_empty() {
        "serde_json::Value::Null".to_owned()
    } else {
        format!("json!({})", patch::patch(&made.patch))
    };
    let _ = write!(
        text,
        "\n/// The CRD: what the types say, and what none of them can.\n#[must_use]\npub fn crd() -> CustomResourceDefinition {{\n    crate::schema::crd::<{root}>({patch})\n}}\n"
    );
    if !model.kept.is_empty() {
        let mut kept = names.kept.clone();
        kept.sort();
        let own = match builtins.as_slice() {
            [] => String::new(),
            [name] => format!("    pub use crate::schema::{name};\n\n"),
            names => format!("    pub use crate::schema::{{{}}};\n\n", names.join(", ")),
        };
        let lines = kept.join("\n        ");
        let _ = write!(
            text,
            "\n/// Schemas as this CRD has them, where they are not those of the types.\nmod schema {{\n{own}    crate::schema::kept! {{\n        {}\n        {lines}\n    }}\n}}\n",
            quoted(&format!("{stem}.json"))
        );
    }
    text
}

/// The schemas that every project with imported kinds has.
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

/// Whether a word stands in a text, and not only as the beginning of another one.
fn has_word(text: &str, word: &str) -> bool {
    let mut ends = text
        .match_indices(word)
        .map(|(at, _)| &text[at + word.len()..]);
    ends.any(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
}

/// The order in which the types stand: each below the first one that has it.
fn order(model: &Model) -> Vec<usize> {
    fn visit(model: &Model, index: usize, seen: &mut BTreeSet<usize>, order: &mut Vec<usize>) {
        if !seen.insert(index) {
            return;
        }
        order.push(index);
        if let Body::Struct(fields) = &model.items[index].body {
            fields
                .iter()
                .filter_map(|field| item(&field.kind))
                .for_each(|index| visit(model, index, seen, order));
        }
    }
    let (mut seen, mut order) = (BTreeSet::new(), Vec::new());
    for (index, item) in model.items.iter().enumerate() {
        if item.fixed.is_some() {
            visit(model, index, &mut seen, &mut order);
        }
    }
    order
}

fn item(kind: &Type) -> Option<usize> {
    match kind {
        Type::Item(index) => Some(*index),
        Type::Option(inner) | Type::List(inner) | Type::Map(inner) => item(inner),
        _ => None,
    }
}
