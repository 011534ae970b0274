//! Checks that the API server accepts a CRD. Implements the rules of `apiextensions.k8s.io/v1` in
//! the structure of apiextensions-apiserver's `pkg/apis/apiextensions/validation` and
//! `pkg/apiserver/schema`.

mod branches;
mod defaults;
mod lists;
mod metadata;
mod names;
pub mod paths;
mod structural;
mod validations;
pub mod value;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::Value;

use super::cel;
use super::finding::CrdProblem;
use super::node::Node;
use crate::project::KubernetesVersion;

pub use lists::has_valid_list_type;

/// Reports everything for which the API server of a Kubernetes release would reject a CRD, and what
/// it accepts but rules of rustop warn about, such as a printer column without a field. `typed` is
/// `crd`, deserialized.
pub fn check(
    crd: &Value,
    typed: &CustomResourceDefinition,
    kubernetes: KubernetesVersion,
) -> Vec<CrdProblem> {
    let mut found = Vec::new();
    names::check(typed, &mut found);
    for version in versions(crd) {
        for mut finding in check_schema(&version.root(), version.has_status, kubernetes) {
            finding.version = Some(version.name.to_owned());
            found.push(finding);
        }
    }
    found
}

/// A version of a CRD with its schema.
pub struct CrdVersion<'a> {
    /// The name of the version: `v1alpha1`.
    pub name: &'a str,
    /// True if the version has the `status` subresource.
    pub has_status: bool,
    schema: &'a super::node::Object,
}

impl<'a> CrdVersion<'a> {
    /// Returns the schema of the whole object.
    pub fn root(&self) -> Node<'a> {
        Node::root(self.schema)
    }
}

/// Returns the versions that have a schema.
pub fn versions(crd: &Value) -> impl Iterator<Item = CrdVersion<'_>> {
    let versions = crd.pointer("/spec/versions").and_then(Value::as_array);
    versions.into_iter().flatten().filter_map(|version| {
        Some(CrdVersion {
            name: version["name"].as_str()?,
            has_status: version
                .pointer("/subresources/status")
                .is_some_and(Value::is_object),
            schema: version.pointer("/schema/openAPIV3Schema")?.as_object()?,
        })
    })
}

fn check_schema(root: &Node, has_status: bool, kubernetes: KubernetesVersion) -> Vec<CrdProblem> {
    let mut found = Vec::new();
    structural::check_root(root, has_status, &mut found);
    root.visit(&mut |node| {
        structural::check(node, &mut found);
        branches::check(node, &mut found);
        lists::check(node, &mut found);
        validations::check(node, &mut found);
        defaults::check(node, &mut found);
    });
    // Like the API server, skip the CEL rules of an invalid schema: they would be meaningless.
    if found.iter().all(|finding| finding.lint.is_some()) {
        cel::check(root, kubernetes, &mut found);
    }
    found
}

#[cfg(test)]
mod tests;
