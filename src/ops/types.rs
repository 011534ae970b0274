//! What operations do with the project's types: their CRDs, and what the linter says of them.

use std::path::Path;

use super::{Error, Result};
use crate::crd::crdgen;
use crate::crd::{self, Crd};
use crate::diagnostic::{Diagnostic, judge};
use crate::lint;
use crate::project::naming::Naming;
use crate::project::{Looking, Project};
use crate::resource::Resource;
use crate::session::Session;
use crate::sources::allow::{self, Allow};
use crate::sources::comments::Scan;
use crate::sources::{files, members};

/// What stands in the operator's sources.
pub fn scan(root: &Path, project: &Project) -> Result<Scan> {
    let places = members::places(root, project.project_name.as_str())?;
    Ok(files::scan(root, &places))
}

/// The CRDs of the types. Without kinds there are no types to ask, and no toolchain is needed.
pub fn crds(root: &Path, project: &Project) -> Result<Vec<Crd>> {
    let own = || {
        let all = project.resources.iter();
        all.filter(|resource| resource.has_crd())
    };
    if own().next().is_none() {
        return Ok(Vec::new());
    }
    let converts = |resource: &&Resource| !project.converted(resource).is_empty();
    let converted = own().filter(converts).map(Resource::crd_file).collect();
    let mut crds = crd::read(&json(root)?, &converted, &Naming::of(root, project))?;
    lint::mark_quantities(root, &mut crds);
    lint::restore_topology(root, &mut crds);
    for resource in own() {
        let path = format!("{}/{}", crd::DIRECTORY, resource.crd_file());
        if !crds.iter().any(|crd| crd.path == path) {
            return Err(Error::NoCrd {
                resource: resource.to_string(),
                name: resource.crd_name(),
            });
        }
    }
    Ok(crds)
}

/// What `crdgen` prints. What the compiler would explain badly is said before it is asked. A type without an end makes
/// `crdgen` run out of stack, and an enum without a schema makes it panic, which says nothing of the type.
fn json(root: &Path) -> Result<String> {
    let found = lint::derived_twice(root);
    if !found.is_empty() {
        return Err(Error::Sources(found));
    }
    match crdgen::run(root) {
        Err(Error::Crdgen { output }) => {
            let found = if crdgen::is_endless(&output) {
                lint::endless(root)
            } else {
                lint::unions(root, &output)
            };
            Err(if found.is_empty() {
                Error::Crdgen { output }
            } else {
                Error::Sources(found)
            })
        }
        json => json,
    }
}

/// Shows the warnings of some rules on CRDs but for those that `allows` allow, and gives them back.
///
/// # Errors
/// When there is something that the API server would refuse, or a warning and warnings are denied.
pub fn lint(
    session: &Session,
    crds: &[Crd],
    looking: &Looking,
    allows: &[Allow],
    deny_warnings: bool,
) -> Result<Vec<Diagnostic>> {
    let found = lint::run(&session.dir, crds, looking);
    let found = allow::settle(found, allows, lint::lints(looking));
    let warnings = judge(found, deny_warnings).map_err(Error::Sources)?;
    for warning in &warnings {
        session.terminal.diagnostic(warning);
    }
    Ok(warnings)
}
