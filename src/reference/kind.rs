//! Reads CRDs into the model.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde_json::Value;

use super::anchors::Anchors;
use super::error::Error;
use super::fields::sections;
use super::input::Input;
use super::kubernetes::KubernetesTypes;
use super::model::{Column, DocumentedKind, DocumentedVersion, Subresource};
use super::{changes, prose};

/// Reads the kinds of all CRDs, sorted by name and group.
///
/// # Errors
/// Returns an error if a CRD has no kind, no group, no version, or a version without a schema.
pub fn all(input: &Input, types: KubernetesTypes) -> Result<Vec<DocumentedKind>, Error> {
    let mut crds = input.crds.clone();
    // A generator may print fields in the order of the code. The files of CRDs have them sorted.
    crds.iter_mut().for_each(Value::sort_all_objects);
    crds.sort_by_cached_key(|crd| {
        ["/spec/names/kind", "/spec/group"].map(|at| text(crd, at).map(str::to_owned))
    });
    let mut anchors = Anchors::default();
    let samples = samples(&input.samples);
    let is_unique = |crd: &Value| {
        let kind = text(crd, "/spec/names/kind");
        let mut same = crds
            .iter()
            .filter(|crd| text(crd, "/spec/names/kind") == kind);
        same.nth(1).is_none()
    };
    crds.iter()
        .map(|crd| {
            let mut kind = kind(crd, &samples, types, &mut anchors)?;
            // The code names a kind without its group.
            if let Some(set) = input
                .conditions
                .of_kind(&kind.name)
                .filter(|_| is_unique(crd))
            {
                kind.conditions = set.all.clone();
                kind.reports_errors = set.reports_errors;
            }
            Ok(kind)
        })
        .collect()
}

/// Samples by API version and kind.
type Samples = BTreeMap<[String; 2], Vec<String>>;

fn samples(texts: &[String]) -> Samples {
    let mut samples = Samples::new();
    for sample in texts {
        let Ok(object) = serde_yaml::from_str::<Value>(sample) else {
            continue;
        };
        if let (Some(version), Some(kind)) = (text(&object, "/apiVersion"), text(&object, "/kind"))
        {
            let key = [version, kind].map(str::to_owned);
            samples.entry(key).or_default().push(without_tasks(sample));
        }
    }
    samples
}

/// Returns a sample without the comments of the scaffold for the author of the kind.
fn without_tasks(sample: &str) -> String {
    let is_task = |line: &&str| line.trim_start().starts_with("# TODO(user):");
    let lines = sample.lines().filter(|line| !is_task(line));
    lines.collect::<Vec<_>>().join("\n")
}

/// Reads a kind, without its conditions.
fn kind(
    crd: &Value,
    samples: &Samples,
    types: KubernetesTypes,
    anchors: &mut Anchors,
) -> Result<DocumentedKind, Error> {
    let name = text(crd, "/metadata/name").unwrap_or("without a name");
    let error = |reason, help| Error::CannotDocument {
        name: name.to_owned(),
        reason,
        help,
    };
    if text(crd, "/apiVersion") != Some("apiextensions.k8s.io/v1") {
        let help = "convert it to `apiVersion: apiextensions.k8s.io/v1`";
        return Err(error("is not of `apiextensions.k8s.io/v1`", help));
    }
    let field = |at| {
        text(crd, at).ok_or_else(|| {
            let help =
                "set `spec.group`, `spec.scope`, `spec.names.kind` and `spec.names.plural` in it";
            error("has no group, scope, kind or plural", help)
        })
    };
    let (kind, group) = (field("/spec/names/kind")?, field("/spec/group")?);
    let anchor = anchors.of(&kind.to_lowercase());
    let versions = crd.pointer("/spec/versions").and_then(Value::as_array);
    let mut versions: Vec<_> = versions.into_iter().flatten().collect();
    versions.sort_by_cached_key(|version| {
        let name = text(version, "/name").unwrap_or_default();
        Reverse(kube::core::Version::parse(name).priority())
    });
    let versions = versions.into_iter().map(|json| {
        let name = text(json, "/name")?;
        let api_version = format!("{group}/{name}");
        let found = samples.get(&[api_version.clone(), kind.to_owned()]);
        let mut version = version(json, [&anchor, &api_version, kind], types, anchors)?;
        version.examples = found.cloned().unwrap_or_default();
        Some(version)
    });
    let versions = versions.collect::<Option<Vec<_>>>();
    let mut versions = versions.filter(|all| !all.is_empty()).ok_or_else(|| {
        let help = "give each of `spec.versions` a `schema.openAPIV3Schema`";
        error(
            "has no version, or a version without a name or a schema",
            help,
        )
    })?;
    for newer in 0..versions.len() - 1 {
        let older = &versions[newer + 1];
        let found = changes::between(older, &versions[newer]);
        versions[newer].changes = Some((older.name.clone(), found));
    }
    Ok(DocumentedKind {
        name: kind.to_owned(),
        group: group.to_owned(),
        scope: field("/spec/scope")?.to_owned(),
        plural: field("/spec/names/plural")?.to_owned(),
        singular: text(crd, "/spec/names/singular").map(str::to_owned),
        short_names: texts(crd, "/spec/names/shortNames"),
        categories: texts(crd, "/spec/names/categories"),
        anchor,
        versions,
        conditions: Vec::new(),
        reports_errors: false,
    })
}

/// Reads a version, without its samples. Returns `None` if it has no schema.
fn version(
    json: &Value,
    [kind_anchor, api_version, kind]: [&str; 3],
    types: KubernetesTypes,
    anchors: &mut Anchors,
) -> Option<DocumentedVersion> {
    let schema = json.pointer("/schema/openAPIV3Schema")?.as_object()?;
    let name = text(json, "/name")?;
    let anchor = anchors.of(&format!("{kind_anchor}.{name}"));
    let is = |at: &str| json.pointer(at) == Some(&Value::Bool(true));
    let warning = text(json, "/deprecationWarning").unwrap_or_default();
    let description = schema.get("description").and_then(Value::as_str);
    let description = description.filter(|text| !crate::crd::is_made_up(text));
    Some(DocumentedVersion {
        name: name.to_owned(),
        is_served: is("/served"),
        is_storage: is("/storage"),
        deprecated: is("/deprecated").then(|| warning.to_owned()),
        description: prose::line(description.unwrap_or_default()),
        subresources: subresources(json),
        columns: columns(json),
        selectable: list(json, "/selectableFields")
            .filter_map(|field| Some(text(field, "/jsonPath")?.to_owned()))
            .collect(),
        sections: sections(schema, [&anchor, api_version, kind], types, anchors),
        anchor,
        examples: Vec::new(),
        changes: None,
    })
}

fn subresources(version: &Value) -> Vec<Subresource> {
    let all = version.pointer("/subresources").and_then(Value::as_object);
    let subresource = |(name, of): (&String, &Value)| {
        let paths = of.as_object().into_iter().flatten();
        let paths = paths.filter_map(|(key, path)| Some([key.clone(), path.as_str()?.to_owned()]));
        Subresource {
            name: name.clone(),
            paths: paths.collect(),
        }
    };
    all.into_iter().flatten().map(subresource).collect()
}

fn columns(version: &Value) -> Vec<Column> {
    let column = |column: &Value| {
        let field = |at| text(column, at).unwrap_or_default().to_owned();
        Column {
            name: field("/name"),
            type_name: field("/type"),
            path: field("/jsonPath"),
            description: field("/description"),
            is_wide: column["priority"].as_i64().is_some_and(|it| it > 0),
        }
    };
    list(version, "/additionalPrinterColumns")
        .map(column)
        .collect()
}

/// Returns the text at a JSON pointer.
fn text<'a>(value: &'a Value, at: &str) -> Option<&'a str> {
    value.pointer(at)?.as_str()
}

fn texts(value: &Value, at: &str) -> Vec<String> {
    let texts = list(value, at).filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}

fn list<'a>(value: &'a Value, at: &str) -> impl Iterator<Item = &'a Value> {
    let items = value.pointer(at).and_then(Value::as_array);
    items.into_iter().flatten()
}
