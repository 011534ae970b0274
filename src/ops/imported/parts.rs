//! The versions of a CRD as resources of a project.

use serde_json::Value;

use crate::import::{self, ImportError, Imported};
use crate::names::{Domain, Group, NameError};
use crate::project::{Project, Spellings};
use crate::resource::{Api, CrdOptions, Resource, Source};

/// A version of a CRD, and what it is in the project.
pub struct Part<'a> {
    /// All of the CRD.
    pub crd: &'a Imported,
    /// The version of it.
    pub version: &'a Value,
    /// What it is in the project.
    pub resource: Resource,
}

/// As what a project takes the kinds of CRDs.
pub struct Taken<'a> {
    /// Whether each gets a controller.
    pub controller: bool,
    /// The project's domain.
    pub domain: &'a Domain,
    /// Whether the CRDs stay somebody else's.
    pub external: bool,
}

impl Taken<'_> {
    /// The versions of a CRD, the stored one first: what exists once for a kind is called after the first. Their names
    /// are free among `spellings`, and are taken there.
    ///
    /// # Errors
    /// When one of its names is none that a project can have.
    pub fn parts<'a>(
        &self,
        crd: &'a Imported,
        source: &Source,
        spellings: &mut Spellings,
    ) -> Result<Vec<Part<'a>>, ImportError> {
        let mut versions: Vec<_> = crd.versions().iter().collect();
        versions.sort_by_key(|version| version["storage"] != true);
        let parts = versions.into_iter().map(|version| {
            let mut resource = self
                .resource(crd, version)
                .map_err(|error| ImportError::Broken {
                    name: crd.name().to_owned(),
                    reason: error.to_string(),
                })
                .map(|resource| spellings.take(resource))?;
            resource.imported = Some(Source {
                reported: import::reported(version),
                ..source.clone()
            });
            Ok(Part {
                crd,
                version,
                resource,
            })
        });
        parts.collect()
    }

    fn resource(&self, crd: &Imported, version: &Value) -> Result<Resource, NameError> {
        let (group, domain) = of_group(crd.group(), self.domain)?;
        Ok(Resource {
            api: Some(Api {
                crd_version: "v1".parse()?,
                namespaced: crd.namespaced(),
            }),
            controller: self.controller && version["storage"] == true,
            core: false,
            crd: CrdOptions::default(),
            draft: false,
            domain,
            external: self.external,
            group,
            imported: None,
            kind: crd.kind().parse()?,
            plural: crd.plural().parse()?,
            version: version["name"].as_str().unwrap_or_default().parse()?,
            webhooks: None,
            workload: None,
        })
    }
}

/// A group as the project has it: what stands before its domain, or before the first dot.
fn of_group(group: &str, domain: &Domain) -> Result<(Option<Group>, Option<Domain>), NameError> {
    if group == domain.as_str() {
        return Ok((None, Some(domain.clone())));
    }
    if let Some(first) = group
        .strip_suffix(domain.as_str())
        .and_then(|first| first.strip_suffix('.'))
    {
        return Ok((Some(first.parse()?), Some(domain.clone())));
    }
    // All of it is a group before its parts are.
    group.parse::<Group>()?;
    Ok(Group::split(group))
}

/// Puts a version in its own place, or behind all others; the controller of a kind stays where it is.
pub fn add(mut resource: Resource, project: &mut Project) {
    let mut kinds = project.resources.iter();
    let has = |it: &Resource| {
        it.has_controller_file() && it.same_kind(&resource) && !it.same_type(&resource)
    };
    resource.controller &= !kinds.any(has);
    let place = project
        .resources
        .iter_mut()
        .find(|it| it.same_type(&resource));
    if let Some(there) = place {
        resource.draft = there.draft;
        resource.controller &= !there.draft;
        resource.crd = there.crd;
        *there = resource;
        return;
    }
    let mut kinds = project.resources.iter();
    if let Some(sibling) = kinds.find(|it| it.same_kind(&resource)) {
        resource.crd = sibling.crd;
    }
    project.resources.push(resource);
}
