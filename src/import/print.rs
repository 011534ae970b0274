//! Output of types as Rust source, formatted as rustfmt does.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::attributes::{self, AttributeTarget, Attributes};
use super::defaults::{self, Defaults};
use super::format::{attribute, doc};
use super::model::{Arg, Body, Field, Item, Model, Type};
use super::names::{self, Names};
use super::rename_all;

/// A printer for the types of a model.
#[derive(Debug)]
pub struct Printer<'a> {
    model: &'a Model,
    names: &'a Names,
    /// The types with a default value.
    pub defaults: Defaults,
    /// Paths of the required imports, with an alias for some modules.
    pub uses: BTreeSet<String>,
}

impl<'a> Printer<'a> {
    /// Creates a printer for a model with these names.
    pub fn new(model: &'a Model, names: &'a Names) -> Self {
        Self {
            model,
            names,
            defaults: defaults::find_defaults(model),
            uses: BTreeSet::new(),
        }
    }

    fn need(&mut self, path: &str) {
        self.uses.insert(path.to_owned());
    }

    /// Returns the source of a type, and records the imports that it needs.
    pub fn kind(&mut self, kind: &Type) -> String {
        match kind {
            Type::Plain(name) => {
                match *name {
                    "Value" => self.need("serde_json::Value"),
                    "Time" => self.need("k8s_openapi::apimachinery::pkg::apis::meta::v1::Time"),
                    "Quantity" => {
                        self.need("k8s_openapi::apimachinery::pkg::api::resource::Quantity");
                    }
                    "IntOrString" => {
                        self.need("k8s_openapi::apimachinery::pkg::util::intstr::IntOrString");
                    }
                    name if name.starts_with("schema::") => self.need("crate::schema"),
                    _ => {}
                }
                (*name).to_owned()
            }
            Type::Known(known) => {
                let (module, alias) = known.module();
                if module.rsplit("::").next() == Some(alias.as_str()) {
                    self.need(&module);
                } else {
                    self.need(&format!("{module} as {alias}"));
                }
                format!("{alias}::{}", known.ident())
            }
            Type::Item(index) => {
                let name = &self.names.items[index];
                if let Some(home) = &self.model.items[*index].home {
                    self.need(&format!("super::{home}::{name}"));
                }
                name.clone()
            }
            Type::Kept(index) => format!("schema::{}", self.names.kept[index]),
            Type::Option(inner) => format!("Option<{}>", self.kind(inner)),
            Type::List(inner) => format!("Vec<{}>", self.kind(inner)),
            Type::Map(inner) => {
                self.need("std::collections::BTreeMap");
                format!("BTreeMap<String, {}>", self.kind(inner))
            }
        }
    }

    /// Returns the derives of a struct or an enum, starting with `first`.
    fn derives(&mut self, first: &[&str], index: usize, schema: &str) -> String {
        let mut derives: Vec<_> = first.iter().map(|&derive| derive.to_owned()).collect();
        derives.push(schema.to_owned());
        derives.extend(["Serialize", "Deserialize", "Clone", "Debug"].map(str::to_owned));
        if self.defaults.has_value(index) {
            derives.push("Default".to_owned());
        }
        derives.push("PartialEq".to_owned());
        self.need(match schema {
            "KubeSchema" => "kube::KubeSchema",
            _ => "schemars::JsonSchema",
        });
        format!("#[derive({})]\n", derives.join(", "))
    }

    /// Returns the definition of a struct or an enum, by its index in `Model::items`. In a struct,
    /// `first` are additional derives, `between` is written between the derives and the other
    /// attributes, and `serde` holds more arguments of `#[serde(..)]`.
    pub fn item(&mut self, index: usize, first: &[&str], between: &str, serde: &[&str]) -> String {
        let item = &self.model.items[index];
        match &item.body {
            Body::Struct(fields) => self.structure(index, item, fields, first, between, serde),
            Body::Enum(texts) => self.choice(index, item, texts),
        }
    }

    fn structure(
        &mut self,
        index: usize,
        item: &Item,
        fields: &[Field],
        first: &[&str],
        between: &str,
        serde: &[&str],
    ) -> String {
        let own = attributes::of(
            item.keywords.clone(),
            &json!("object"),
            AttributeTarget::Struct,
        );
        let json: Vec<_> = fields
            .iter()
            .filter_map(|field| field.name.as_deref())
            .collect();
        let rust = names::fields(
            json.iter()
                .copied()
                .chain(fields.iter().filter(|f| f.name.is_none()).map(|_| "rest")),
        );
        let mut pairs = BTreeMap::new();
        let mut named = rust.iter();
        for field in fields.iter().filter(|field| field.name.is_some()) {
            if let Some(rust) = named.next() {
                pairs.insert(
                    field.name.as_deref().unwrap_or_default(),
                    rust.trim_start_matches("r#"),
                );
            }
        }
        let of_rule: Vec<_> = json.iter().map(|name| (pairs[name], *name)).collect();
        let rule = rename_all::of_fields(&of_rule);
        let mut body = String::new();
        let mut is_kube = !own.x_kube.is_empty();
        for (n, (field, name)) in fields.iter().zip(rust_order(fields, &rust)).enumerate() {
            if n > 0 {
                body.push('\n');
            }
            let place = if item.transparent {
                AttributeTarget::Value
            } else {
                AttributeTarget::Field
            };
            let said = attributes::of(field.keywords.clone(), &Self::json_type(field), place);
            is_kube |= !said.x_kube.is_empty();
            let plain = name.trim_start_matches("r#");
            let renamed = match rule {
                None => plain.to_owned(),
                Some(rule) if plain.starts_with(|c: char| c.is_ascii()) => rule.1(plain),
                // serde's rules fail on a first letter that is not ASCII, unless the field has a
                // `rename`.
                Some(_) => String::new(),
            };
            body += &self.field(field, name, &renamed, said);
        }
        let schema = if is_kube { "KubeSchema" } else { "JsonSchema" };
        let mut text = doc(&own.doc, "");
        text += &self.derives(first, index, schema);
        text += between;
        let mut args: Vec<_> = serde.iter().map(|&arg| Arg::Leaf(arg.to_owned())).collect();
        args.extend(
            item.transparent
                .then(|| Arg::Leaf("transparent".to_owned())),
        );
        args.extend(rule.map(|rule| Arg::Leaf(format!("rename_all = \"{}\"", rule.0))));
        if !args.is_empty() {
            text += &attribute("serde", &args, "");
        }
        text += &others(&own, "");
        let name = &self.names.items[&index];
        if body.is_empty() {
            let _ = writeln!(text, "pub struct {name} {{}}");
        } else {
            let _ = write!(text, "pub struct {name} {{\n{body}}}\n");
        }
        text
    }

    fn field(&mut self, field: &Field, name: &str, renamed: &str, said: Attributes) -> String {
        const INDENT: &str = "    ";
        let kind = self.kind(&field.kind);
        let Some(json) = &field.name else {
            self.need("std::collections::BTreeMap");
            return format!(
                "{INDENT}/// All other fields.\n{INDENT}#[serde(flatten)]\n{INDENT}#[schemars(skip)]\n{INDENT}pub {name}: BTreeMap<String, {kind}>,\n"
            );
        };
        let mut text = doc(&said.doc, INDENT);
        let mut serde = Vec::new();
        if renamed != json {
            serde.push(Arg::Leaf(format!("rename = {}", attributes::quoted(json))));
        }
        let is_option = matches!(field.kind, Type::Option(_));
        if is_option && !field.required {
            serde.push(Arg::Leaf(
                "skip_serializing_if = \"Option::is_none\"".into(),
            ));
        }
        if !serde.is_empty() {
            text += &attribute("serde", &serde, INDENT);
        }
        let mut said = said;
        let mut schemars = Vec::new();
        if is_option && field.required {
            schemars.push(Arg::Leaf("required".into()));
        }
        if let Some(with) = &field.with {
            schemars.push(Arg::Leaf(format!("with = \"{}\"", self.kind(with))));
        }
        schemars.extend(field.inner.iter().cloned());
        schemars.append(&mut said.schemars);
        said.schemars = schemars;
        text += &others(&said, INDENT);
        let line = format!("{INDENT}pub {name}: {kind},\n");
        if line.len() > 101 {
            let _ = write!(text, "{INDENT}pub {name}:\n{INDENT}{INDENT}{kind},\n");
        } else {
            text += &line;
        }
        text
    }

    /// Returns the JSON type of a field, on which the attributes for limits depend.
    fn json_type(field: &Field) -> Value {
        fn of(kind: &Type) -> &'static str {
            match kind {
                Type::Option(inner) => of(inner),
                Type::Plain("String" | "schema::Time") => "string",
                Type::Plain("i32" | "i64" | "schema::Integer") => "integer",
                Type::Plain("f32" | "f64" | "schema::Number") => "number",
                Type::List(_) => "array",
                _ => "",
            }
        }
        json!(of(field.with.as_ref().unwrap_or(&field.kind)))
    }

    fn choice(&mut self, index: usize, item: &Item, texts: &[String]) -> String {
        // Only fields have attributes for limits.
        let own = attributes::of(item.keywords.clone(), &Value::Null, AttributeTarget::Enum);
        let names = names::variants(texts);
        let pairs: Vec<_> = names
            .iter()
            .zip(texts)
            .map(|(rust, json)| (rust.as_str(), json.as_str()))
            .collect();
        let rule = rename_all::of_variants(&pairs);
        let mut text = doc(&own.doc, "");
        text += &self
            .derives(&[], index, "JsonSchema")
            .replace("PartialEq", "PartialEq, Eq");
        if let Some((rule, _)) = rule {
            let _ = writeln!(text, "#[serde(rename_all = \"{rule}\")]");
        }
        text += &others(&own, "");
        let _ = writeln!(text, "pub enum {} {{", self.names.items[&index]);
        for (n, (rust, json)) in pairs.iter().enumerate() {
            if n == 0 && self.defaults.is_enum(index) {
                text += "    #[default]\n";
            }
            let renamed = rule.map_or_else(|| (*rust).to_owned(), |rule| rule.1(rust));
            if renamed != *json {
                text += &attribute(
                    "serde",
                    &[Arg::Leaf(format!("rename = {}", attributes::quoted(json)))],
                    "    ",
                );
            }
            let _ = writeln!(text, "    {rust},");
        }
        let free = ["Unknown", "Unlisted", "Unnamed"]
            .into_iter()
            .find(|name| !names.iter().any(|there| there == name));
        let _ = write!(
            text,
            "    /// A text that this version of the schema does not list.\n    #[serde(untagged)]\n    #[schemars(skip)]\n    {}(String),\n}}\n",
            free.unwrap_or("UnknownText"),
        );
        text
    }
}

/// Returns the Rust names in the order of the fields. The last name is that of the map with all
/// other fields.
fn rust_order<'r>(fields: &[Field], rust: &'r [String]) -> Vec<&'r str> {
    let mut of_properties = rust.iter();
    let last = rust.last().map_or("", String::as_str);
    let of = |field: &Field| match field.name {
        Some(_) => of_properties.next().map_or("", String::as_str),
        None => last,
    };
    fields.iter().map(of).collect()
}

/// Returns the attributes `#[schemars(..)]` and `#[x_kube(..)]`.
fn others(said: &Attributes, indent: &str) -> String {
    let mut text = String::new();
    if !said.schemars.is_empty() {
        text += &attribute("schemars", &said.schemars, indent);
    }
    for arg in &said.x_kube {
        text += &attribute("x_kube", &[Arg::Verbatim(arg.clone())], indent);
    }
    text
}
