//! Changes outside of the schemas: names, scope, versions, subresources and printer columns.

use serde_json::Value;

use crate::crd::finding::CrdProblem;
use crate::diagnostic::Lint;
use crate::diagnostic::lints::compat as rules;

/// Reports all changes outside of the schemas between two CRDs.
pub fn check(old: &Value, new: &Value, found: &mut Vec<CrdProblem>) {
    names(old, new, found);
    gone(old, new, found);
    for before in versions(old) {
        if let Some(after) = version(new, name(before)) {
            let start = found.len();
            same(before, after, found);
            for finding in &mut found[start..] {
                finding.version = Some(name(after).to_owned());
            }
        }
    }
    storage(old, new, found);
}

/// Returns the pairs of versions for which objects of the first are read with the schema of the
/// second: the versions with the same name. Without a conversion webhook, a new version is paired
/// with the storage version.
pub fn pairs<'a>(old: &'a Value, new: &'a Value) -> Vec<(&'a Value, &'a Value)> {
    let stored = versions(old).find(|version| version["storage"] == true);
    let pair = |after: &'a Value| {
        let own = version(old, name(after));
        let before = own.or(stored.filter(|_| !is_converted(new)))?;
        Some((before, after))
    };
    versions(new).filter_map(pair).collect()
}

fn versions(crd: &Value) -> impl Iterator<Item = &Value> {
    let versions = crd.pointer("/spec/versions").and_then(Value::as_array);
    versions.into_iter().flatten()
}

fn version<'a>(crd: &'a Value, called: &str) -> Option<&'a Value> {
    versions(crd).find(|version| name(version) == called)
}

fn name(version: &Value) -> &str {
    version["name"].as_str().unwrap_or_default()
}

fn is_converted(crd: &Value) -> bool {
    crd.pointer("/spec/conversion/strategy")
        .is_some_and(|it| it == "Webhook")
}

fn names(old: &Value, new: &Value, found: &mut Vec<CrdProblem>) {
    let text = |crd: &Value, at: &str| {
        crd.pointer(at)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let fixed: [(&str, &str, &Lint); 2] = [
        ("scope", "/spec/scope", &rules::SCOPE_CHANGED),
        ("kind", "/spec/names/kind", &rules::KIND_CHANGED),
    ];
    for (what, at, rule) in fixed {
        let (before, after) = (text(old, at), text(new, at));
        if before != after {
            let message = format!("the {what} changed from {before} to {after}");
            found.push(CrdProblem::of_crd(message).warning(rule));
        }
    }
    for (what, at) in [("short name", "shortNames"), ("category", "categories")] {
        let at = format!("/spec/names/{at}");
        for gone in missing(&list(old, &at), &list(new, &at)) {
            let message = format!("the {what} {gone} was removed");
            found.push(CrdProblem::of_crd(message).warning(&rules::NAME_GONE));
        }
    }
    for (what, at) in [
        ("singular", "/spec/names/singular"),
        ("list kind", "/spec/names/listKind"),
    ] {
        let (before, after) = (text(old, at), text(new, at));
        // The API server fills in missing names.
        if before != after && !before.is_empty() && !after.is_empty() {
            let message = format!("the {what} changed from {before} to {after}");
            found.push(CrdProblem::of_crd(message).warning(&rules::NAME_GONE));
        }
    }
}

fn list(value: &Value, at: &str) -> Vec<String> {
    let items = value.pointer(at).and_then(Value::as_array);
    let items = items.into_iter().flatten();
    items
        .map(|item| {
            item.as_str()
                .map_or_else(|| item.to_string(), str::to_owned)
        })
        .collect()
}

fn missing<'a>(before: &'a [String], after: &'a [String]) -> impl Iterator<Item = &'a String> {
    before.iter().filter(|item| !after.contains(item))
}

/// Reports versions that were removed or are no longer served.
fn gone(old: &Value, new: &Value, found: &mut Vec<CrdProblem>) {
    let mut stored = list(old, "/status/storedVersions");
    stored.extend(
        versions(old)
            .filter(|it| it["storage"] == true)
            .map(|it| name(it).to_owned()),
    );
    stored.sort();
    stored.dedup();
    for stored in stored
        .iter()
        .filter(|stored| version(new, stored).is_none())
    {
        let help = "restore it with `served = false`, make another version the storage version, run `make deploy` and \
            `rustop migrate`; then remove it";
        let message = format!("the version {stored} was removed, but objects are stored in it");
        found.push(
            CrdProblem::of_crd(message)
                .warning(&rules::STORED_VERSION_GONE)
                .help(help),
        );
    }
    for before in versions(old).filter(|version| version["served"] == true) {
        let name = name(before);
        let after = version(new, name);
        if after.is_none_or(|version| version["served"] != true)
            && (after.is_some() || !stored.iter().any(|it| it == name))
        {
            let message = format!("the version {name} is no longer served");
            found.push(CrdProblem::of_crd(message).warning(&rules::VERSION_GONE));
        }
    }
}

fn storage(old: &Value, new: &Value, found: &mut Vec<CrdProblem>) {
    let stored = |crd: &Value| {
        let stored = versions(crd).find(|version| version["storage"] == true);
        stored.map(|version| name(version).to_owned())
    };
    if let (Some(before), Some(after)) = (stored(old), stored(new))
        && before != after
        && version(new, &before).is_some()
    {
        let message = format!("the storage version changed from {before} to {after}");
        let help = "stored objects keep the old version: run `rustop migrate` to rewrite them";
        found.push(
            CrdProblem::of_crd(message)
                .warning(&rules::STORAGE_MOVED)
                .help(help),
        );
    }
    if is_converted(old) && !is_converted(new) && versions(new).count() > 1 {
        let message = "the conversion between the versions was removed";
        found.push(CrdProblem::of_crd(message).warning(&rules::CONVERSION_GONE));
    }
}

/// Reports the changes of a version outside of its schema.
fn same(old: &Value, new: &Value, found: &mut Vec<CrdProblem>) {
    for what in ["status", "scale"] {
        let at = format!("/subresources/{what}");
        let (before, after) = (old.pointer(&at), new.pointer(&at));
        if before != after && before.is_some_and(|before| !before.is_null()) {
            let how = if after.is_none() {
                "was removed"
            } else {
                "changed"
            };
            let message = format!("the subresource {what} {how}");
            found.push(CrdProblem::of_crd(message).warning(&rules::SUBRESOURCE_CHANGED));
        } else if before.is_none() && after.is_some() && what == "status" {
            let message = "the status became a subresource, and is ignored in other writes";
            found.push(CrdProblem::of_crd(message).warning(&rules::SUBRESOURCE_CHANGED));
        }
    }
    let paths = |version: &Value| {
        let fields = version["selectableFields"].as_array().into_iter().flatten();
        fields
            .filter_map(|field| field["jsonPath"].as_str().map(str::to_owned))
            .collect::<Vec<_>>()
    };
    for gone in missing(&paths(old), &paths(new)) {
        let message = format!("the selectable field `{gone}` was removed");
        found.push(CrdProblem::of_crd(message).warning(&rules::SELECTOR_GONE));
    }
    columns(old, new, found);
}

fn columns(old: &Value, new: &Value, found: &mut Vec<CrdProblem>) {
    let all = |version: &Value| {
        version["additionalPrinterColumns"]
            .as_array()
            .cloned()
            .unwrap_or_default()
    };
    let after = all(new);
    for column in all(old) {
        let same = after.iter().find(|other| other["name"] == column["name"]);
        let how = match same {
            None => "was removed",
            Some(other)
                if other["jsonPath"] != column["jsonPath"] || other["type"] != column["type"] =>
            {
                "shows another value"
            }
            Some(_) => continue,
        };
        let message = format!("the column {} {how}", column["name"]);
        found.push(CrdProblem::of_crd(message).warning(&rules::COLUMN_CHANGED));
    }
}
