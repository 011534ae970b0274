//! Checks of a CRD's names, versions, printer columns and subresources.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, CustomResourceDefinitionVersion, CustomResourceSubresourceScale,
};

use super::validations::lead;
use super::{metadata, paths};
use crate::crd::finding::CrdProblem;

/// Reports everything wrong with a CRD except its schemas.
pub fn check(crd: &CustomResourceDefinition, found: &mut Vec<CrdProblem>) {
    let names = &crd.spec.names;
    let mut label = |what: &str, name: &str, in_lower_case: bool| {
        let lower = name.to_lowercase();
        if !is_label(&lower) {
            found.push(CrdProblem::of_crd(format!(
                "the {what} `{name}` is not a DNS label: letters, digits and dashes, at most 63"
            )));
        } else if in_lower_case && lower != name {
            let message = format!("the {what} `{name}` is not lower case");
            found.push(CrdProblem::of_crd(message).help(format!("write `{lower}`")));
        }
    };
    label("kind", &names.kind, false);
    for name in names
        .singular
        .iter()
        .chain(names.short_names.iter().flatten())
        .chain(names.categories.iter().flatten())
    {
        label("name", name, true);
    }
    names
        .list_kind
        .iter()
        .for_each(|name| label("list kind", name, false));
    if names.list_kind.as_ref() == Some(&names.kind) {
        found.push(CrdProblem::of_crd("`listKind` must differ from `kind`"));
    }
    if !["Namespaced", "Cluster"].contains(&crd.spec.scope.as_str()) {
        found.push(CrdProblem::of_crd(format!(
            "unknown scope `{}`: write `Namespaced` or `Cluster`",
            crd.spec.scope
        )));
    }
    if !crd.spec.group.contains('.') {
        found.push(CrdProblem::of_crd(format!(
            "the group `{}` contains no dot",
            crd.spec.group
        )));
    }
    metadata::check(crd, found);
    for version in &crd.spec.versions {
        let start = found.len();
        check_version(version, found);
        found[start..]
            .iter_mut()
            .for_each(|finding| finding.version = Some(version.name.clone()));
    }
}

fn check_version(version: &CustomResourceDefinitionVersion, found: &mut Vec<CrdProblem>) {
    let mut say = |message: String| found.push(CrdProblem::of_crd(message));
    if !is_label(&version.name) {
        say(format!("the version `{}` is not a DNS label", version.name));
    }
    if version
        .schema
        .as_ref()
        .is_none_or(|schema| schema.open_api_v3_schema.is_none())
    {
        say("the version has no schema".to_owned());
    }
    if let Some(warning) = &version.deprecation_warning {
        if version.deprecated != Some(true) {
            say("only a deprecated version can have a warning".to_owned());
        } else if warning.is_empty() || warning.len() > 256 || warning.chars().any(char::is_control)
        {
            say(
                "the warning of a deprecated version must be one line of 1 to 256 characters"
                    .to_owned(),
            );
        }
    }
    for column in version.additional_printer_columns.iter().flatten() {
        const TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
        const FORMATS: [&str; 8] = [
            "byte",
            "date",
            "date-time",
            "double",
            "float",
            "int32",
            "int64",
            "password",
        ];
        if !TYPES.contains(&column.type_.as_str()) {
            say(format!(
                "the column `{}` has the type `{}`: write one of {}",
                column.name,
                column.type_,
                TYPES.join(", ")
            ));
        }
        if let Some(format) = column
            .format
            .as_deref()
            .filter(|format| !format.is_empty() && !FORMATS.contains(format))
        {
            say(format!(
                "the column `{}` has the format `{format}`: write one of {}",
                column.name,
                FORMATS.join(", ")
            ));
        }
        if column.name.is_empty() || !column.json_path.starts_with('.') {
            say(format!(
                "the column `{}` needs a name and a path that begins with a dot",
                column.name
            ));
        }
    }
    let subresources = version.subresources.as_ref();
    found.extend(paths::lost(version));
    let mut say = |message: String| found.push(CrdProblem::of_crd(message));
    if let Some(scale) = subresources.and_then(|subresources| subresources.scale.as_ref()) {
        scale_paths(scale).into_iter().for_each(&mut say);
    }
    selectable_fields(version).into_iter().for_each(say);
}

fn scale_paths(scale: &CustomResourceSubresourceScale) -> Vec<String> {
    let selector = scale
        .label_selector_path
        .as_deref()
        .filter(|path| !path.is_empty());
    let paths = [
        (
            "spec_replicas_path",
            Some(scale.spec_replicas_path.as_str()),
            &[".spec."][..],
        ),
        (
            "status_replicas_path",
            Some(scale.status_replicas_path.as_str()),
            &[".status."],
        ),
        ("label_selector_path", selector, &[".spec.", ".status."]),
    ];
    let wrong = paths.into_iter().filter_map(|(what, path, starts)| {
        let path = path?;
        let fine = starts.iter().any(|start| path.starts_with(start));
        (!fine).then(|| {
            format!(
                "the {what} `{path}` must begin with {}",
                starts.join(" or ")
            )
        })
    });
    wrong.collect()
}

fn selectable_fields(version: &CustomResourceDefinitionVersion) -> Vec<String> {
    const MOST: usize = 8;
    let fields: Vec<_> = version
        .selectable_fields
        .iter()
        .flatten()
        .map(|field| field.json_path.as_str())
        .collect();
    let Some(schema) = paths::schema(version) else {
        return Vec::new();
    };
    let mut wrong = Vec::new();
    for (n, path) in fields.iter().enumerate() {
        let kind = lead(&schema, path, false).and_then(|schema| schema.get("type")?.as_str());
        if path.is_empty()
            || path.starts_with(".metadata")
            || !matches!(kind, Some("string" | "boolean" | "integer"))
        {
            wrong.push(format!("the selectable field `{path}` does not refer to a string, boolean or integer of the spec or status"));
        }
        if fields[..n].contains(path) {
            wrong.push(format!("the selectable field `{path}` is listed twice"));
        }
    }
    if fields.len() > MOST {
        wrong.push(format!(
            "the version has {} selectable fields, but at most {MOST} are allowed",
            fields.len()
        ));
    }
    wrong
}

/// Returns true for a DNS label according to RFC 1035.
fn is_label(name: &str) -> bool {
    let all = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    name.len() <= 63
        && name.bytes().all(all)
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && !name.ends_with('-')
}
