//! An index of the versions of each kind: a project can have thousands of kinds.

use std::collections::HashMap;

use super::Project;
use super::converted::{converted, older};
use crate::resource::Resource;

/// The resources of a project by kind and group, in the order in which they were created.
#[derive(Debug)]
pub struct Versions<'a>(HashMap<(String, String), Vec<&'a Resource>>);

impl<'a> Versions<'a> {
    /// Creates the index of a project.
    pub fn of(project: &'a Project) -> Self {
        let mut kinds: HashMap<_, Vec<_>> = HashMap::new();
        for resource in &project.resources {
            kinds.entry(kind_of(resource)).or_default().push(resource);
        }
        Self(kinds)
    }

    /// Returns all versions of a resource's kind, in the order in which they were created; none if
    /// the kind is not in the project.
    pub fn all(&self, resource: &Resource) -> &[&'a Resource] {
        self.0.get(&kind_of(resource)).map_or(&[], Vec::as_slice)
    }

    /// Returns the project's resource with the same kind and version.
    pub fn find(&self, resource: &Resource) -> Option<&'a Resource> {
        let mut versions = self.all(resource).iter();
        versions.find(|it| it.same_type(resource)).copied()
    }

    /// Reports whether a resource is the first created version of its kind.
    pub fn is_first(&self, resource: &Resource) -> bool {
        let first = self.all(resource).first();
        first.is_none_or(|first| first.same_type(resource))
    }

    /// Reports whether a sample is generated for a resource. An imported kind has a sample only for
    /// the storage version, since no operator may be running that converts other versions.
    pub fn has_sample(&self, resource: &Resource) -> bool {
        resource.has_crd() && (resource.imported.is_none() || self.is_first(resource))
    }

    /// Returns the versions of a kind that are converted into each other, the oldest first; empty
    /// if there is no conversion.
    pub fn converted(&self, resource: &Resource) -> Vec<&'a Resource> {
        converted(self.all(resource).to_vec())
    }

    /// Returns the next older version, which a resource is converted to and from, or `None` if
    /// there is none.
    pub fn older(&self, resource: &Resource) -> Option<&'a Resource> {
        older(&self.converted(resource), resource)
    }
}

fn kind_of(resource: &Resource) -> (String, String) {
    (resource.kind.to_string(), resource.api_group())
}
