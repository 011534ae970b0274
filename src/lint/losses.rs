//! Detects differences between serde and the schema. The API server silently drops such fields, or
//! rejects the object.

use std::collections::HashSet;

use kube::core::GroupVersionKind;

use crate::crd::Crd;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::lints::conventions::LOST_FIELD;
use crate::sources::types::{Declared, Field, Types};

/// Advice for names that differ.
const ONE_NAME: &str = "use one name for reading, writing and the schema; for an older name that users know add an \
    `Option` field";

/// Reports fields that serde reads or writes but the schemas lack. Checks each type once, even if
/// several kinds use it.
pub fn lost_fields(crds: &[Crd], types: &Types) -> Vec<Diagnostic> {
    let own = crds.iter().filter(|crd| !crd.imported);
    let declared = reachable_types(types, own.flat_map(Crd::kinds)).into_iter();
    let fields = declared.flat_map(Declared::all_fields);
    let found = fields.flat_map(|field| {
        let lost = |loss| {
            let message = format!("`{}` {loss}", field.ident);
            let lost = field.diagnostic(message).warning(&LOST_FIELD);
            lost.help(ONE_NAME)
        };
        losses(field).into_iter().map(lost)
    });
    found.collect()
}

/// Returns the types of some kinds and all types that they contain, without duplicates.
fn reachable_types(
    types: &Types,
    kinds: impl IntoIterator<Item = GroupVersionKind>,
) -> Vec<&Declared> {
    let mut seen = HashSet::new();
    let mut is_new = |declared: &&Declared| seen.insert(std::ptr::from_ref(*declared));
    let roots = kinds.into_iter().flat_map(|kind| types.roots(&kind));
    let mut reached: Vec<_> = roots.filter(&mut is_new).collect();
    let mut next = 0;
    while let Some(declared) = reached.get(next).copied() {
        next += 1;
        reached.extend(types.inside(declared).filter(&mut is_new));
    }
    reached
}

/// Returns the differences caused by the attributes of a field, a variant or a type. Each one is a
/// sentence without its subject.
fn losses(
    Field {
        serde, schemars, ..
    }: &Field,
) -> Vec<String> {
    let value = |of: &[(String, Option<String>)], wanted: &str| {
        let pair = of.iter().find(|(name, _)| name == wanted)?;
        pair.1.clone()
    };
    let has =
        |of: &[(String, Option<String>)], wanted: &str| of.iter().any(|(name, _)| name == wanted);
    let mut losses = Vec::new();
    for (_, alias) in serde.iter().filter(|(name, _)| name == "alias") {
        let alias = alias.as_deref().unwrap_or_default();
        losses.push(format!(
            "has the alias `{alias}` only in Rust: the schema lacks it, and the API server drops it"
        ));
    }
    for renaming in ["rename", "rename_all", "rename_all_fields"] {
        let written = value(serde, &format!("{renaming}.serialize"));
        let read = value(serde, &format!("{renaming}.deserialize"));
        if written != read {
            let name =
                |name: &Option<String>| name.clone().unwrap_or_else(|| "as in Rust".to_owned());
            losses.push(format!(
                "is written as `{}` but read as `{}`: the API server drops the written name",
                name(&written),
                name(&read)
            ));
        }
        let in_schema = value(schemars, renaming);
        if in_schema.is_some() && in_schema != value(serde, renaming) {
            losses.push(format!(
                "has a `{renaming}` only for schemars: the API server drops the name that serde writes"
            ));
        }
    }
    let skipped = has(serde, "skip");
    if !skipped && has(serde, "skip_deserializing") {
        losses.push("is written but missing in the schema: the API server drops it".to_owned());
    }
    for skip in ["skip", "skip_deserializing"] {
        if !skipped && !has(serde, skip) && has(schemars, skip) {
            losses.push("is missing in the schema: the API server drops it".to_owned());
        }
    }
    let from = value(serde, "from").or_else(|| value(serde, "try_from"));
    let into = value(serde, "into");
    if into != from {
        let name = |name: Option<String>| name.unwrap_or_else(|| "Self".to_owned());
        losses.push(format!(
            "is written as a `{}` but read as a `{}`: the schema describes only one of them",
            name(into),
            name(from)
        ));
    }
    losses
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPES: &str = r#"
#[derive(CustomResource)]
#[kube(group = "my.domain", version = "v1", kind = "Lolcow")]
pub struct LolcowSpec {
    #[serde(alias = "picture")]
    pub image: String,
    pub strategy: Strategy,
    pub conditions: Vec<Condition>,
    #[serde(flatten)]
    pub common: Common,
}

pub enum Strategy {
    Recreate {},
    RollingUpdate {
        #[serde(rename(serialize = "surge", deserialize = "maxSurge"))]
        max_surge: i32,
    },
}

pub struct Common {
    #[schemars(skip)]
    pub hidden: String,
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

    #[test]
    fn missing_names_are_reported_for_each_reachable_type() {
        let types = Types::of_texts([("api/src/a.rs", TYPES)]);
        let kind = GroupVersionKind::gvk("my.domain", "v1", "Lolcow");
        let mut found = said(&reachable_types(&types, [kind]));
        found.sort();
        assert_eq!(
            found,
            [
                "17: max_surge is written as `surge` but read as `maxSurge`: the API server drops the written name",
                "23: hidden is missing in the schema: the API server drops it",
                "27: Condition is written as a `Wire` but read as a `Self`: the schema describes only one of them",
                "29: reason is written but missing in the schema: the API server drops it",
                "6: image has the alias `picture` only in Rust: the schema lacks it, and the API server drops it",
            ]
        );
    }

    fn said(declared: &[&Declared]) -> Vec<String> {
        let fields = declared.iter().flat_map(|declared| declared.all_fields());
        let said = fields.flat_map(|field| {
            let line = field.place.line.number;
            let losses = losses(field).into_iter();
            losses.map(move |loss| format!("{line}: {} {loss}", field.ident))
        });
        said.collect()
    }
}
