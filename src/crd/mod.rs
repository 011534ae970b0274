//! CRD files from what the project's `crdgen` prints: a JSON array of
//! `CustomResourceDefinition`s.
//!
//! What a file says is exactly what the Rust types say, in a form that does not depend on the versions of
//! kube and schemars: keys sorted, whole numbers without a fraction, nothing that says nothing (nulls,
//! empty lists of names, the status of an object that does not exist yet, the description that the
//! derive makes up).

mod canonical;
pub mod cel;
pub mod check;
mod conversion;
pub mod crdgen;
mod description;
mod error;
pub mod finding;
mod freshness;
pub mod keywords;
pub mod node;
pub mod pattern;
pub mod topology;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::core::GroupVersionKind;
use serde::Deserialize as _;
use serde_json::Value;

use crate::diagnostic::lints::conventions::CRD_SIZE;
use crate::project::KubernetesVersion;
use crate::project::naming::Naming;
use crate::yaml::{self, HEADER};
pub use canonical::is_made_up;
pub use error::Error;
use finding::Finding;

/// Where the files go, relative to the project.
pub const DIRECTORY: &str = "config/crd/bases";

/// A CRD as it is written.
#[derive(Debug)]
pub struct Crd {
    /// The kind.
    pub kind: String,
    /// The file's path in the project.
    pub path: String,
    /// Whether the types were made of a CRD that was there before them: it is as it is.
    pub imported: bool,
    /// The Kubernetes release whose API server is to take the CRD; the newest known one by default.
    pub kubernetes: KubernetesVersion,
    /// The CRD in its canonical form.
    pub json: Value,
    /// The length that descriptions may have in the file, in characters, by version; no limit for other versions.
    pub max_descriptions: BTreeMap<String, usize>,
    typed: CustomResourceDefinition,
    /// What is wrong with the CRD that the types were made of: an API server took it all the same.
    excused: Vec<Finding>,
}

impl Crd {
    /// The file's text.
    pub fn text(&self) -> String {
        format!("{HEADER}---\n{}", yaml::write(&self.written()))
    }

    /// The CRD as it is applied: with descriptions of the length that the project wants.
    fn written(&self) -> Cow<'_, Value> {
        if self.max_descriptions.is_empty() {
            return Cow::Borrowed(&self.json);
        }
        Cow::Owned(with_descriptions(&self.json, |version| {
            self.max_descriptions.get(version).copied()
        }))
    }

    /// The kind in a version.
    pub fn gvk(&self, version: &str) -> GroupVersionKind {
        GroupVersionKind::gvk(&self.typed.spec.group, version, &self.kind)
    }

    /// The kind in each version that has a schema.
    pub fn kinds(&self) -> impl Iterator<Item = GroupVersionKind> {
        let versions = check::versions(&self.json);
        versions.map(|version| self.gvk(version.name))
    }

    /// Changes the schema of each version.
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

    /// Puts back how the lists and maps of Kubernetes' own types are merged.
    pub fn restore_topology(&mut self, foreign: topology::Foreign) {
        topology::restore(&mut self.json, foreign);
    }

    /// Takes from the CRD that the types were made of what no type says, and passes over what is wrong with it as well.
    pub fn came_from(&mut self, mut upstream: Value) {
        self.restore_descriptions(&upstream);
        canonical::canonical(&mut upstream);
        if let Ok(typed) = typed(&upstream, 0) {
            self.excused = check::check(&upstream, &typed, self.kubernetes);
        }
    }

    /// Puts back the descriptions that kube's derive made up in another project: they are part of its CRD.
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

    /// All that the API server would refuse.
    pub fn refused(&self) -> Vec<Finding> {
        let mut found = check::check(&self.json, &self.typed, self.kubernetes);
        found.retain(|finding| !self.excused.contains(finding));
        found.extend(self.oversize());
        found
    }

    /// An error if the CRD does not fit into etcd, and a warning if it is large. etcd rejects requests over 1.5 MiB; a part
    /// of that is taken by what the API server adds. `kubectl apply` keeps an object in one of its annotations, which may
    /// together have 256 KiB.
    fn oversize(&self) -> Option<Finding> {
        const LIMIT: usize = 1_468_006;
        const LARGE: usize = 256 << 10;
        let size = |crd: &Value| crd.to_string().len();
        let kib = |bytes: usize| bytes.div_ceil(1 << 10);
        let written = self.written();
        let bytes = size(&written);
        if bytes <= LARGE {
            return None;
        }
        let bare = size(&with_descriptions(&written, |_| Some(0)));
        let option = format!(
            "`crd: {{maxDescriptionLength: 0}}` in PROJECT, for all kinds or in the entry of one, omits descriptions: {} KiB \
             remain",
            kib(bare)
        );
        let smaller = "write `#[schemars(schema_with = ..)]` on the largest field, with \
             `{\"x-kubernetes-preserve-unknown-fields\": true}`";
        // It helps where it makes a difference.
        let help = match (bare <= LIMIT, bytes - bare > bytes / 10) {
            (true, true) => option,
            (false, true) => format!("{smaller}; {option}"),
            (_, false) => smaller.to_owned(),
        };
        let has = format!("the CRD has {} KiB of JSON ({bytes} bytes)", kib(bytes));
        let finding = if bytes > LIMIT {
            Finding::of_crd(format!(
                "{has}, and etcd takes no more than {} KiB",
                LIMIT >> 10
            ))
        } else {
            Finding::of_crd(format!(
                "{has}: over {} KiB, `kubectl apply` fails without `--server-side`",
                LARGE >> 10
            ))
            .warning(&CRD_SIZE)
        };
        Some(finding.help(help))
    }
}

/// A CRD of which the descriptions have at most as many characters as `max` says for their version.
fn with_descriptions(crd: &Value, max: impl Fn(&str) -> Option<usize>) -> Value {
    let mut crd = crd.clone();
    each_schema(&mut crd, |version, schema| {
        if let Some(max) = max(version) {
            description::shorten(schema, max);
        }
    });
    crd
}

/// Changes the schema of each version of a CRD, by the name of the version.
fn each_schema(crd: &mut Value, mut change: impl FnMut(&str, &mut Value)) {
    let versions = crd.pointer_mut("/spec/versions");
    for version in versions.and_then(Value::as_array_mut).into_iter().flatten() {
        let name = version["name"].as_str().unwrap_or_default().to_owned();
        if let Some(schema) = version.pointer_mut("/schema/openAPIV3Schema") {
            change(&name, schema);
        }
    }
}

/// The CRDs in the JSON that `crdgen` printed. `converted` are the names of the files of those kinds that
/// have a conversion webhook, which is called as `naming` says.
///
/// # Errors
/// When the text is no array of CRDs, or one of them has not exactly one storage version, serves none,
/// or bears another's name.
pub fn read(json: &str, converted: &BTreeSet<String>, naming: &Naming) -> Result<Vec<Crd>, Error> {
    let all: Vec<Value> = serde_json::from_str(json).map_err(Error::NotJson)?;
    let mut crds: Vec<Crd> = Vec::new();
    for (index, mut crd) in all.into_iter().enumerate() {
        let typed = typed(&crd, index)?;
        let file = format!("{}_{}.yaml", typed.spec.group, typed.spec.names.plural);
        canonical::canonical(&mut crd);
        if converted.contains(&file) {
            crd["spec"]["conversion"] = conversion::webhook(naming);
        }
        let path = format!("{DIRECTORY}/{file}");
        if crds.iter().any(|other| other.path == path) {
            let reason = "is there twice: merge its versions into one".to_owned();
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
            typed,
            excused: Vec::new(),
        });
    }
    Ok(crds)
}

/// A CRD that anybody wrote, in the form that is written here; a cluster's keeps its status.
pub fn comparable(mut crd: Value) -> Value {
    let status = crd.get("status").cloned();
    canonical::normalise(&mut crd);
    if let Some(status) = status {
        crd["status"] = status;
    }
    crd
}

/// Why the API server of a Kubernetes release would refuse a CRD that anybody wrote. Warnings are left out.
pub fn refusals(mut crd: Value, kubernetes: KubernetesVersion) -> Vec<Finding> {
    canonical::canonical(&mut crd);
    match typed(&crd, 0) {
        Ok(typed) => {
            let mut found = check::check(&crd, &typed, kubernetes);
            found.retain(|finding| finding.lint.is_none());
            found
        }
        Err(error) => vec![Finding::of_crd(error.to_string())],
    }
}

fn name_of(crd: &Value, index: usize) -> String {
    let name = crd["metadata"]["name"].as_str();
    name.map_or_else(|| format!("item {}", index + 1), str::to_owned)
}

/// Reads a CRD as its type, and checks what the type does not say.
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

/// What the API server would refuse.
fn problem(crd: &CustomResourceDefinition) -> Option<String> {
    let spec = &crd.spec;
    let is_dns = |text: &str, others: &[u8]| {
        let part = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || others.contains(&b);
        !text.is_empty() && text.bytes().all(part)
    };
    // Both become part of a path.
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
    let mut names = BTreeSet::new();
    if let Some(twice) = spec
        .versions
        .iter()
        .find(|version| !names.insert(&version.name))
    {
        return Some(format!("has the version `{}` twice", twice.name));
    }
    let all: Vec<_> = spec
        .versions
        .iter()
        .map(|version| version.name.as_str())
        .collect();
    let stored: Vec<_> = spec
        .versions
        .iter()
        .filter(|version| version.storage)
        .collect();
    match stored.len() {
        1 => {}
        0 => return Some(format!("has no storage version among {}", all.join(", "))),
        _ => {
            let stored: Vec<_> = stored.iter().map(|version| version.name.as_str()).collect();
            return Some(format!(
                "has {} storage versions ({}), and exactly one is stored",
                stored.len(),
                stored.join(", ")
            ));
        }
    }
    None
}

#[cfg(test)]
mod tests;
