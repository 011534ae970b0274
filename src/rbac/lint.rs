//! Looks for RBAC markers that grant nothing, or more than anybody needs, and for kinds that the sources
//! watch and no marker lets them.
//!
//! Every rule is a warning: the API server takes all of it, and there may be a reason for it.

mod broad;
mod catalogue;
mod crowds;
mod implied;
mod resources;
mod verbs;
mod watched;
mod words;

use crate::diagnostic::Diagnostic;
use crate::project::Project;
use crate::rbac::rule::Grant;
use crate::sources::marker::{Given, Problem, Text};
use crate::sources::uses::Use;
use catalogue::Catalogue;
use words::group_name;

/// Everything that should be looked at in the markers of a project and in what its sources watch.
pub fn check(grants: &[Grant], uses: &[Use], project: &Project) -> Vec<Diagnostic> {
    let catalogue = Catalogue::of(project);
    let mut found = Vec::new();
    for grant in grants {
        found.extend(resources::check(grant, &catalogue));
        found.extend(verbs::check(grant, &catalogue));
        found.extend(broad::check(grant, &catalogue, project));
    }
    found.extend(implied::check(grants, project));
    found.extend(watched::check(grants, uses, &catalogue));
    if !project.namespaced {
        found.extend(crowds::check(uses));
    }
    found
}

impl Grant {
    /// The values of an argument, with their bytes.
    fn values(&self, argument: &str) -> &[Text] {
        let given = self.given.iter().find(|given| given.name == argument);
        given.map_or(&[], |given: &Given| &given.values)
    }

    /// The groups, the core group as the empty string.
    fn groups(&self) -> impl Iterator<Item = &str> {
        self.values("groups")
            .iter()
            .map(|group| group_name(&group.text))
    }

    /// A diagnostic about some value of the marker, an error as yet.
    fn at(&self, value: &Text, message: String) -> Diagnostic {
        self.marker
            .diagnostic(Problem::new(value.span.clone(), message))
    }
}

#[cfg(test)]
mod tests;
