//! Diagnostics for RBAC markers that grant nothing or more than an operator needs, and for kinds
//! that the sources watch or write without permission.
//!
//! Every diagnostic is a warning: the API server accepts all of these rules, and there may be a
//! reason for them.

mod catalogue;
mod excess_permissions;
mod redundant_markers;
mod resource_text;
mod resources;
mod unselected_watches;
mod verbs;
mod watched;

use crate::diagnostic::Diagnostic;
use crate::project::Project;
use crate::rbac::rule::Grant;
use crate::sources::kind_usage::Use;
use crate::sources::marker::{Given, Problem, Text};
use catalogue::Catalogue;
use resource_text::group_name;

/// Checks the markers of a project, and the kinds that its sources watch and write.
pub fn check(grants: &[Grant], uses: &[Use], project: &Project) -> Vec<Diagnostic> {
    let catalogue = Catalogue::of(project);
    let mut found = Vec::new();
    for grant in grants {
        found.extend(resources::check(grant, &catalogue));
        found.extend(verbs::check(grant, &catalogue));
        found.extend(excess_permissions::check(grant, &catalogue, project));
    }
    found.extend(redundant_markers::check(grants, project));
    found.extend(watched::check(grants, uses, &catalogue));
    if !project.namespaced {
        found.extend(unselected_watches::check(uses));
    }
    found
}

impl Grant {
    /// Returns the values of an argument, with their positions in the marker.
    fn values(&self, argument: &str) -> &[Text] {
        let given = self.given.iter().find(|given| given.name == argument);
        given.map_or(&[], |given: &Given| &given.values)
    }

    /// Returns the groups. The core group is the empty string.
    fn groups(&self) -> impl Iterator<Item = &str> {
        self.values("groups")
            .iter()
            .map(|group| group_name(&group.text))
    }

    /// Returns a diagnostic at a value of the marker. Its severity is error until the caller
    /// changes it.
    fn at(&self, value: &Text, message: String) -> Diagnostic {
        self.marker
            .diagnostic(Problem::new(value.span.clone(), message))
    }
}

#[cfg(test)]
mod tests;
