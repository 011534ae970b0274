//! The versions of a CRD as resources of a project.

use serde_json::Value;

use crate::import::{self, ImportError, Imported};
use crate::names::{Domain, Group, NameError};
use crate::project::{Project, Spellings};
use crate::resource::{Api, CrdOptions, Resource, Source};

/// A version of a CRD and its resource in the project.
pub struct ImportedVersion<'a> {
    /// The CRD with all its versions.
    pub crd: &'a Imported,
    /// The entry of `spec.versions`.
    pub version: &'a Value,
    /// The resource of this version.
    pub resource: Resource,
}

/// The settings for importing the kinds of CRDs into a project.
pub struct ImportSettings<'a> {
    /// True if each kind gets a controller.
    pub controller: bool,
    /// The project's domain, which is split off from groups that end with it.
    pub domain: &'a Domain,
    /// True if another project owns the kinds and their CRDs.
    pub external: bool,
}

impl ImportSettings<'_> {
    /// Returns the versions of a CRD, the storage version first: files that exist once for each
    /// kind are named after the first version. Chooses names that are free in `spellings`, and
    /// records them there.
    ///
    /// # Errors
    /// Returns an error if a name in the CRD is not valid in a project.
    pub fn parts<'a>(
        &self,
        crd: &'a Imported,
        source: &Source,
        spellings: &mut Spellings,
    ) -> Result<Vec<ImportedVersion<'a>>, ImportError> {
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
                reported: import::conventional_status_fields(version),
                ..source.clone()
            });
            Ok(ImportedVersion {
                crd,
                version,
                resource,
            })
        });
        parts.collect()
    }

    /// Returns the resource of a version, without its source. Only the storage version can have the
    /// controller of its kind.
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

/// Splits an API group into group and domain: before the project's domain if the group ends with
/// it, and at the first dot if not.
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
    // Check the whole group before it is split.
    group.parse::<Group>()?;
    Ok(Group::split(group))
}

/// Replaces a version of the project, or appends it if it is new. The controller of a kind stays
/// with the version that has it.
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
