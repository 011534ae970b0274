//! The CRD files of a project. `crdgen` prints the CRDs as a JSON array of
//! `CustomResourceDefinition`s.
//!
//! The files contain exactly what the Rust types declare, in a form that does not depend on the
//! versions of kube and schemars: keys are sorted, integers have no fraction, and redundant parts
//! are removed (nulls, empty lists of names, the status, and the placeholder description of kube's
//! derive).

mod canonical;
pub mod cel;
pub mod check;
mod conversion;
pub mod crdgen;
mod description;
mod error;
pub mod finding;
pub mod keywords;
pub mod node;
pub mod pattern;
pub mod topology;
mod up_to_date;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, CustomResourceDefinitionVersion,
};
use kube::core::GroupVersionKind;
use serde::Deserialize as _;
use serde_json::Value;

use crate::diagnostic::lints::conventions::CRD_SIZE;
use crate::project::KubernetesVersion;
use crate::project::naming::Naming;
use crate::yaml::{self, HEADER};
pub use canonical::is_made_up;
pub use error::{DEEPEST, Error};
use finding::CrdProblem;

/// Directory of the CRD files, relative to the project.
pub const DIRECTORY: &str = "config/crd/bases";

/// A CRD in the form in which rustop writes it.
#[derive(Debug)]
pub struct Crd {
    /// The kind that the CRD defines, without group and version.
    pub kind: String,
    /// The path of the file, relative to the project.
    pub path: String,
    /// True if the types were imported from an existing CRD, whose design cannot be changed.
    pub imported: bool,
    /// The Kubernetes release whose API server must accept the CRD; by default, the newest that
    /// rustop supports.
    pub kubernetes: KubernetesVersion,
    /// The CRD in its canonical form.
    pub json: Value,
    /// Maximum length of descriptions in characters, by version. Other versions have no limit.
    pub max_descriptions: BTreeMap<String, usize>,
    /// The attributes that the advice of findings may recommend.
    pub attributes: Attributes,
    /// The CRD before it was brought into the canonical form, deserialized.
    typed: CustomResourceDefinition,
    /// Findings in the CRD from which the types were imported. They are ignored, because an API
    /// server accepted that CRD.
    upstream_findings: Vec<CrdProblem>,
}

/// The attributes and types that the Rust types of a CRD can use.
#[derive(Clone, Copy, Debug, Default)]
pub enum Attributes {
    /// Those of a project that rustop scaffolded.
    #[default]
    Scaffolded,
    /// Those of this major and minor version of kube. `None` if the version is not known.
    Kube(Option<(u32, u32)>),
}

impl Crd {
    /// Returns the YAML text of the file, with the header of generated files.
    pub fn text(&self) -> String {
        format!(
            "{HEADER}---\n{}",
            yaml::write(&self.with_short_descriptions())
        )
    }

    /// Returns the CRD with descriptions shortened to the project's limits.
    fn with_short_descriptions(&self) -> Cow<'_, Value> {
        if self.max_descriptions.is_empty() {
            return Cow::Borrowed(&self.json);
        }
        Cow::Owned(with_descriptions(&self.json, |version| {
            self.max_descriptions.get(version).copied()
        }))
    }

    /// Returns the group, version and kind for a version, which need not exist in the CRD.
    pub fn gvk(&self, version: &str) -> GroupVersionKind {
        GroupVersionKind::gvk(&self.typed.spec.group, version, &self.kind)
    }

    /// Returns the group, version and kind for each version with a schema.
    pub fn kinds(&self) -> impl Iterator<Item = GroupVersionKind> {
        let versions = check::versions(&self.json);
        versions.map(|version| self.gvk(version.name))
    }

    /// Applies a change to the schema of each version.
    pub fn each_schema(&mut self, mut change: impl FnMut(&GroupVersionKind, &mut Value)) {
        let mut kind = self.gvk("");
        each_schema(&mut self.json, |version, schema| {
            version.clone_into(&mut kind.version);
            change(&kind, schema);
        });
    }

    /// Removes the nulls that serde writes for empty `Option`s from the defaults of objects.
    pub fn drop_nulls_of_defaults(&mut self) {
        self.each_schema(|_, schema| canonical::drop_nulls_of_defaults(schema));
    }

    /// Restores the merge strategies of lists and maps in Kubernetes' own types.
    pub fn restore_topology(&mut self, foreign: topology::Foreign) {
        topology::restore(&mut self.json, foreign);
    }

    /// Copies those parts of `upstream`, the CRD from which the types were imported, that Rust
    /// types cannot express: descriptions that look like the placeholder of kube's derive. The
    /// findings in `upstream` are ignored from then on.
    pub fn inherit_from_import(&mut self, mut upstream: Value) {
        self.restore_descriptions(&upstream);
        canonical::canonical(&mut upstream);
        if let Ok(typed) = typed(&upstream, 0) {
            self.upstream_findings = check::check(&upstream, &typed, self.kubernetes);
        }
    }

    /// Restores placeholder descriptions of kube's derive that are part of the imported CRD.
    fn restore_descriptions(&mut self, upstream: &Value) {
        let descriptions = check::versions(upstream).filter_map(|version| {
            let text = version.root().text("description")?;
            is_made_up(text).then(|| (version.name.to_owned(), text.to_owned()))
        });
        let descriptions: Vec<_> = descriptions.collect();
        self.each_schema(|kind, schema| {
            let mut known = descriptions.iter();
            if let Some((_, text)) = known.find(|(version, _)| *version == kind.version) {
                schema["description"] = text.as_str().into();
            }
        });
    }

    /// Returns the errors and warnings about this CRD, except for those that also occur in the CRD
    /// from which its types were imported.
    pub fn findings(&self) -> Vec<CrdProblem> {
        let mut found = check::check(&self.json, &self.typed, self.kubernetes);
        found.retain(|finding| !self.upstream_findings.contains(finding));
        found.extend(self.oversize());
        found
    }

    /// Returns an error if the CRD is too large for etcd, or a warning if it is large. etcd rejects
    /// requests over 1.5 MiB, and the API server adds some data. `kubectl apply` stores the object
    /// in an annotation, and an object's annotations are limited to 256 KiB.
    fn oversize(&self) -> Option<CrdProblem> {
        const LIMIT: usize = 1_468_006;
        const LARGE: usize = 256 << 10;
        let size = |crd: &Value| crd.to_string().len();
        let kib = |bytes: usize| bytes.div_ceil(1 << 10);
        let written = self.with_short_descriptions();
        let bytes = size(&written);
        if bytes <= LARGE {
            return None;
        }
        let bare = size(&with_descriptions(&written, |_| Some(0)));
        let option = match self.attributes {
            Attributes::Scaffolded => {
                "`crd: {maxDescriptionLength: 0}` in PROJECT, for all kinds or in the entry of one, omits descriptions"
            }
            Attributes::Kube(_) => {
                "let the generator omit descriptions, as `controller-gen crd:maxDescLen=0` does"
            }
        };
        let option = format!("{option}: {} KiB remain", kib(bare));
        let smaller = match self.attributes {
            Attributes::Kube(None) => {
                "write `x-kubernetes-preserve-unknown-fields: true` on the largest field"
            }
            Attributes::Scaffolded | Attributes::Kube(Some(_)) => {
                "write `#[schemars(schema_with = ..)]` on the largest field, with \
                 `{\"x-kubernetes-preserve-unknown-fields\": true}`"
            }
        };
        // Recommend the option only if it makes a substantial difference.
        let help = match (bare <= LIMIT, bytes - bare > bytes / 10) {
            (true, true) => option,
            (false, true) => format!("{smaller}; {option}"),
            (_, false) => smaller.to_owned(),
        };
        let has = format!("the CRD has {} KiB of JSON ({bytes} bytes)", kib(bytes));
        let finding = if bytes > LIMIT {
            CrdProblem::of_crd(format!(
                "{has}, but etcd rejects requests over {} KiB",
                LIMIT >> 10
            ))
        } else {
            CrdProblem::of_crd(format!(
                "{has}: over {} KiB, `kubectl apply` fails without `--server-side`",
                LARGE >> 10
            ))
            .warning(&CRD_SIZE)
        };
        Some(finding.help(help))
    }
}

/// Returns a CRD whose descriptions have at most the length that `max` returns for their version.
fn with_descriptions(crd: &Value, max: impl Fn(&str) -> Option<usize>) -> Value {
    let mut crd = crd.clone();
    each_schema(&mut crd, |version, schema| {
        if let Some(max) = max(version) {
            description::shorten(schema, max);
        }
    });
    crd
}

/// Applies a change to the schema of each version of a CRD. The closure gets the version's name.
fn each_schema(crd: &mut Value, mut change: impl FnMut(&str, &mut Value)) {
    let versions = crd.pointer_mut("/spec/versions");
    for version in versions.and_then(Value::as_array_mut).into_iter().flatten() {
        let name = version["name"].as_str().unwrap_or_default().to_owned();
        if let Some(schema) = version.pointer_mut("/schema/openAPIV3Schema") {
            change(&name, schema);
        }
    }
}

/// Parses the CRDs printed by `crdgen`. Those whose file name (`my.domain_lolcows.yaml`) is in
/// `converted` get a conversion webhook, called under the names of `naming`.
///
/// # Errors
/// Returns an error if the text is not an array of CRDs, or if a CRD is nested too deeply, has a
/// wrong name, does not have exactly one storage version, or occurs twice.
pub fn read(json: &str, converted: &BTreeSet<String>, naming: &Naming) -> Result<Vec<Crd>, Error> {
    let all: Vec<Value> = serde_json::from_str(json).map_err(|error| {
        if error.to_string().starts_with("recursion limit") {
            Error::TooDeep
        } else {
            Error::NotJson(error)
        }
    })?;
    let mut crds = of_values(all)?;
    for crd in &mut crds {
        let file = crd.path.rsplit('/').next().unwrap_or_default();
        if converted.contains(file) {
            crd.json["spec"]["conversion"] = conversion::webhook(naming);
        }
    }
    Ok(crds)
}

/// Converts CRDs to the form in which rustop writes them.
///
/// # Errors
/// Returns an error if a value is not a CRD, or if a CRD has a wrong name, does not have exactly
/// one storage version, or occurs twice.
pub fn of_values(all: Vec<Value>) -> Result<Vec<Crd>, Error> {
    let mut crds: Vec<Crd> = Vec::new();
    for (index, mut crd) in all.into_iter().enumerate() {
        let typed = typed(&crd, index)?;
        let file = format!("{}_{}.yaml", typed.spec.group, typed.spec.names.plural);
        canonical::canonical(&mut crd);
        let path = format!("{DIRECTORY}/{file}");
        if crds.iter().any(|other| other.path == path) {
            let reason = "is defined twice: merge its versions into one".to_owned();
            let name = name_of(&crd, index);
            return Err(Error::Invalid { name, reason });
        }
        let kind = typed.spec.names.kind.clone();
        crds.push(Crd {
            kind,
            path,
            imported: false,
            kubernetes: KubernetesVersion::default(),
            json: crd,
            max_descriptions: BTreeMap::new(),
            attributes: Attributes::default(),
            typed,
            upstream_findings: Vec::new(),
        });
    }
    Ok(crds)
}

/// Converts any CRD to the canonical form in which rustop writes CRDs, so that two can be compared.
/// Keeps the status of a CRD from a cluster.
pub fn comparable(mut crd: Value) -> Value {
    let status = crd.get("status").cloned();
    canonical::normalise(&mut crd);
    if let Some(status) = status {
        crd["status"] = status;
    }
    crd
}

/// Returns the reasons for which the API server of a Kubernetes release would reject a CRD; empty
/// if it would accept it. Does not return warnings.
pub fn refusals(mut crd: Value, kubernetes: KubernetesVersion) -> Vec<CrdProblem> {
    canonical::canonical(&mut crd);
    match typed(&crd, 0) {
        Ok(typed) => {
            let mut found = check::check(&crd, &typed, kubernetes);
            found.retain(|finding| finding.lint.is_none());
            found
        }
        Err(error) => vec![CrdProblem::of_crd(error.to_string())],
    }
}

/// Returns the name of a CRD for a message: without a name, its number in the list.
fn name_of(crd: &Value, index: usize) -> String {
    let name = crd["metadata"]["name"].as_str();
    name.map_or_else(|| format!("item {}", index + 1), str::to_owned)
}

/// Deserializes a CRD and checks what its type does not enforce. `index` is its place in the list,
/// from 0, for a message about a CRD without a name.
fn typed(crd: &Value, index: usize) -> Result<CustomResourceDefinition, Error> {
    let name = name_of(crd, index);
    let typed = CustomResourceDefinition::deserialize(crd).map_err(|error| Error::NotACrd {
        name: name.clone(),
        reason: error.to_string(),
    })?;
    match problem(&typed) {
        Some(reason) => Err(Error::Invalid { name, reason }),
        None => Ok(typed),
    }
}

/// Returns why the API server would reject a CRD, as the predicate of a sentence about it. Checks
/// only what the rest of this module relies on; [`check::check`] is complete.
fn problem(crd: &CustomResourceDefinition) -> Option<String> {
    let spec = &crd.spec;
    let is_dns = |text: &str, others: &[u8]| {
        let part = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || others.contains(&b);
        !text.is_empty() && text.bytes().all(part)
    };
    // Both become part of the path of the CRD's file.
    if !is_dns(&spec.group, b"-.") || !is_dns(&spec.names.plural, b"-") {
        return Some(format!(
            "has the group `{}` and the plural `{}`; both must be DNS names",
            spec.group, spec.names.plural
        ));
    }
    let name = format!("{}.{}", spec.names.plural, spec.group);
    if crd.metadata.name.as_ref() != Some(&name) {
        return Some(format!(
            "must be named `{name}`, after its plural and its group"
        ));
    }
    version_problem(&spec.versions)
}

/// Returns why the API server would reject versions of a CRD because of their names or their
/// storage version, as the predicate of a sentence about the CRD.
pub fn version_problem(versions: &[CustomResourceDefinitionVersion]) -> Option<String> {
    let mut names = BTreeSet::new();
    if let Some(twice) = versions.iter().find(|it| !names.insert(&it.name)) {
        return Some(format!("has the version `{}` twice", twice.name));
    }
    let all: Vec<_> = versions.iter().map(|it| it.name.as_str()).collect();
    let stored = versions.iter().filter(|it| it.storage);
    let stored: Vec<_> = stored.map(|it| it.name.as_str()).collect();
    match stored.len() {
        1 => None,
        0 => Some(format!("has no storage version among {}", all.join(", "))),
        number => Some(format!(
            "has {number} storage versions ({}), but must have exactly one",
            stored.join(", ")
        )),
    }
}

#[cfg(test)]
mod tests;
