//! The versions of each kind, found without a search through all kinds: a project may have thousands.

use std::collections::HashMap;

use super::Project;
use super::converted::{converted, older};
use crate::resource::Resource;

/// The resources of a project by kind and group, each kind's in the order in which they were created.
#[derive(Debug)]
pub struct Versions<'a>(HashMap<(String, String), Vec<&'a Resource>>);

impl<'a> Versions<'a> {
    /// Those of a project.
    pub fn of(project: &'a Project) -> Self {
        let mut kinds: HashMap<_, Vec<_>> = HashMap::new();
        for resource in &project.resources {
            kinds.entry(kind_of(resource)).or_default().push(resource);
        }
        Self(kinds)
    }

    /// All versions of the kind of a resource.
    pub fn all(&self, resource: &Resource) -> &[&'a Resource] {
        self.0.get(&kind_of(resource)).map_or(&[], Vec::as_slice)
    }

    /// The same version of the same kind in the project.
    pub fn find(&self, resource: &Resource) -> Option<&'a Resource> {
        let mut versions = self.all(resource).iter();
        versions.find(|it| it.same_type(resource)).copied()
    }

    /// Whether a resource is the version of its kind that was created first.
    pub fn is_first(&self, resource: &Resource) -> bool {
        let first = self.all(resource).first();
        first.is_none_or(|first| first.same_type(resource))
    }

    /// Whether there is an example of an object. An imported kind has one, of the version that is stored: nobody may be
    /// there to convert another one.
    pub fn has_sample(&self, resource: &Resource) -> bool {
        resource.has_crd() && (resource.imported.is_none() || self.is_first(resource))
    }

    /// The versions of a kind that are converted into each other, the oldest first; none without a conversion.
    pub fn converted(&self, resource: &Resource) -> Vec<&'a Resource> {
        converted(self.all(resource).to_vec())
    }

    /// The version before a resource, into which and from which it is converted.
    pub fn older(&self, resource: &Resource) -> Option<&'a Resource> {
        older(&self.converted(resource), resource)
    }
}

fn kind_of(resource: &Resource) -> (String, String) {
    (resource.kind.to_string(), resource.api_group())
}
