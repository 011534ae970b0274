//! Consistency checks for the kinds of a project. They apply to changes by commands as well as to
//! manual edits of `PROJECT`.

use std::collections::HashMap;

use super::builtin;
use super::{Error, Project, Result};
use crate::names::{Kind, Version, is_protected};
use crate::resource::{Admission, Resource, Webhooks};

/// The maximum length of a file stem. cargo and rustop add prefixes and suffixes to it, and file
/// systems limit names to 255 bytes.
const LONGEST_STEM: usize = 200;

impl Project {
    /// Checks that the kinds are valid, and that nothing generated for them has the same name.
    ///
    /// # Errors
    /// Returns an error if a kind contradicts itself, the project, or another kind.
    pub fn check(&self) -> Result<()> {
        let mut taken = Taken::default();
        for resource in &self.resources {
            self.check_one(resource)?;
            taken.add(resource)?;
        }
        for resource in &self.resources {
            self.check_conversions(resource, &taken)?;
        }
        Ok(())
    }

    /// Checks the project, and the change that leads from `before` to it.
    ///
    /// # Errors
    /// Returns an error if the project is invalid, or if it adds a group that is reserved for
    /// Kubernetes.
    pub fn check_after(&self, before: Option<&Self>) -> Result<()> {
        self.check()?;
        let there = before.map_or(&[][..], |before| &before.resources);
        let mut new = self.resources.iter();
        let group = new.find_map(|resource| new_protected_group(resource, there));
        let Some(group) = group else { return Ok(()) };
        Err(Error::Group {
            group,
            rule: "is reserved for Kubernetes itself",
            help: "for a kind that Kubernetes has, add `--no-resource`",
        })
    }

    /// Checks a kind without the others.
    fn check_one(&self, resource: &Resource) -> Result<()> {
        let contradiction = |what| {
            Err(Error::Contradiction {
                resource: resource.to_string(),
                what,
            })
        };
        if resource.imported.is_none() && !is_conventional(resource) {
            return contradiction(
                "is not `imported`, so its kind must be PascalCase and its version read like `v1`",
            );
        }
        match (&resource.api, builtin::find(resource)) {
            (None, _) if !resource.core => {
                return contradiction("needs `api`, since it is not a `core` kind");
            }
            (Some(_), _) if resource.core => {
                return contradiction("is `core`, so it cannot have an `api`");
            }
            (Some(api), _) if api.crd_version.as_str() != "v1" => {
                return contradiction("has a `crdVersion` other than v1, the only supported one");
            }
            (None, None) => return contradiction("is `core`, but Kubernetes has no such kind"),
            (None, Some(builtin)) if builtin.plural != resource.plural.as_str() => {
                return contradiction("is `core`, but its plural in Kubernetes differs");
            }
            (None, Some(builtin)) if !builtin.is_in(self.kubernetes_version) => {
                return Err(Error::BuiltinTooNew {
                    api_version: resource.api_version(),
                    kind: resource.kind.to_string(),
                    project: self.kubernetes_version,
                });
            }
            _ => {}
        }
        if resource.has(|webhooks| webhooks.webhook_version.as_str() != "v1") {
            return contradiction("has a `webhookVersion` other than v1, the only supported one");
        }
        if resource.has(|webhooks| webhooks.conversion) && !resource.has_crd() {
            return contradiction("has a conversion, but its CRD belongs to another project");
        }
        let runs = resource.has_crd() && builtin::is_namespaced(resource);
        if resource.workload.is_some() && !(runs && resource.imported.is_none()) {
            return contradiction(
                "has a `workload`, which requires a namespaced kind of this project",
            );
        }
        if resource.controller && resource.draft {
            return contradiction("has a controller that is both registered and a draft");
        }
        if resource.core && resource.external {
            return contradiction("is both `core` and `external`");
        }
        let test = resource.is_tested().then(|| resource.test_file());
        let mut parts = self.parts.iter();
        if let Some(test) = test
            && let Some(part) = parts.find(|part| part.test_file() == Some(&*test))
        {
            return Err(Error::TestTaken {
                resource: resource.to_string(),
                test,
                part: *part,
            });
        }
        if resource.has_crd() {
            check_group(resource)?;
            check_paths(resource)?;
        }
        if resource.sample().len().max(resource.name().len()) > LONGEST_STEM {
            return Err(Error::Group {
                group: resource.api_group(),
                rule: "results in file names that are too long",
                help: "choose a shorter `--group` or `--kind`",
            });
        }
        if self.namespaced && resource.has_controller_file() && !builtin::is_namespaced(resource) {
            return Err(Error::OutOfReach {
                resource: resource.to_string(),
                own: resource.has_crd(),
            });
        }
        Ok(())
    }

    /// Checks that no other kind has the file or module name of a conversion: a kind must not be
    /// called `LolcowConversion` or `LolcowFromV1` if `Lolcow` is converted.
    fn check_conversions(&self, resource: &Resource, there: &Taken<'_>) -> Result<()> {
        if !resource.has(|webhooks| webhooks.conversion) {
            return Ok(());
        }
        let converted = self.converted(resource);
        if converted.is_empty() {
            return Ok(());
        }
        let other = |what, name: &str| {
            let other = there.names.get(&(what, name.to_owned()));
            other.filter(|other| !other.same_kind(resource))
        };
        let test = format!("{}_conversion", resource.name());
        if let Some(other) = other("file", &test) {
            return Err(taken(other, resource, "file", format!("tests/{test}.rs")));
        }
        for pair in converted.windows(2) {
            let module = pair[1].conversion_from(pair[0]);
            if let Some(other) = other("module", &module) {
                return Err(taken(other, resource, "module", module));
            }
        }
        Ok(())
    }
}

/// The names that previous kinds use. A kind is compared only with those that share a name with it,
/// since a project can have thousands of kinds.
#[derive(Default)]
struct Taken<'a> {
    /// The versions of each kind, by kind and group.
    kinds: HashMap<(&'a str, String), Vec<&'a Resource>>,
    /// The first kind with each name, by the type of the name and the name.
    names: HashMap<(&'static str, String), &'a Resource>,
    /// The first kind in each top-level module of types, by the module's name and whether the kind
    /// has a group.
    modules: HashMap<(String, bool), &'a Resource>,
}

impl<'a> Taken<'a> {
    /// Records the names of a kind.
    ///
    /// # Errors
    /// Returns an error if another kind uses one of them.
    fn add(&mut self, resource: &'a Resource) -> Result<()> {
        let kind = (resource.kind.as_str(), resource.api_group());
        let versions = self.kinds.entry(kind).or_default();
        for other in versions.iter() {
            check_versions(resource, other)?;
        }
        versions.push(resource);
        for (what, name) in names(resource) {
            let other = *self.names.entry((what, name.clone())).or_insert(resource);
            if !other.same_kind(resource) {
                return Err(taken(resource, other, what, name));
            }
        }
        self.add_module(resource)
    }

    /// Records the top-level module of a kind. Groups and versions of the group-less API are
    /// modules at the same level, so they must differ. Two groups may share a module, since their
    /// kinds have different names.
    fn add_module(&mut self, resource: &'a Resource) -> Result<()> {
        if resource.api.is_none() {
            return Ok(());
        }
        let is_group = resource.group.is_some();
        let module = resource.api_modules().swap_remove(0);
        if let Some(other) = self.modules.get(&(module.clone(), !is_group)) {
            return Err(taken(resource, other, "module", module));
        }
        self.modules.entry((module, is_group)).or_insert(resource);
        Ok(())
    }
}

/// Returns the names of files, modules and objects that must be unique to a kind, each after the
/// type of the name: `("file", "batch_cron_job")`.
pub fn names(resource: &Resource) -> impl Iterator<Item = (&'static str, String)> {
    let (has_api, has_crd) = (resource.api.is_some(), resource.has_crd());
    let names = [
        ("CRD", has_api.then(|| resource.crd_name())),
        ("file", Some(resource.name())),
        ("role", has_crd.then(|| resource.dashed())),
        ("module", has_api.then(|| resource.api_path())),
        ("sample", has_crd.then(|| resource.sample())),
    ];
    let names = names.into_iter();
    names.filter_map(|(what, name)| Some((what, name?)))
}

/// Reports whether the kind and version follow the API conventions.
fn is_conventional(resource: &Resource) -> bool {
    Kind::conventional(resource.kind.as_str()).is_ok()
        && Version::conventional(resource.version.as_str()).is_ok()
}

/// Returns the group of a resource if it is reserved for Kubernetes and new in the project. The API
/// server requires an approval annotation for the CRD then, which a new CRD does not have.
fn new_protected_group(resource: &Resource, there: &[Resource]) -> Option<String> {
    let group = resource.api_group();
    let mut there = there.iter();
    let is_new = !there.any(|there| there.has_crd() && there.api_group() == group);
    // An imported CRD already has its approval.
    let is_own = resource.has_crd() && resource.imported.is_none();
    (is_own && is_new && is_protected(&group)).then_some(group)
}

/// Rejects cluster-scoped kinds with the plural `namespaces`. In a path,
/// `/apis/GROUP/VERSION/namespaces/NAME` denotes the namespace of another resource, so the API
/// server would answer 404 for every object of the kind.
fn check_paths(resource: &Resource) -> Result<()> {
    let in_namespaces = resource.api.as_ref().is_none_or(|api| api.namespaced);
    if in_namespaces || resource.plural.as_str() != "namespaces" {
        return Ok(());
    }
    Err(Error::Unreachable {
        resource: resource.to_string(),
    })
}

/// Checks the API server's requirements for the group of a CRD.
fn check_group(resource: &Resource) -> Result<()> {
    let group = resource.api_group();
    let (rule, help) = if !group.contains('.') {
        (
            "contains no dot, but the group of a CRD must",
            "pass a group: `--group example`",
        )
    } else if group.len() + resource.plural.as_str().len() + 1 > 253 {
        (
            "is too long: with the plural it is the CRD's name, of at most 253 characters",
            "choose a shorter `--group` or `--plural`",
        )
    } else {
        return Ok(());
    };
    Err(Error::Group { group, rule, help })
}

/// Checks two versions of a kind. They share one CRD, so they have the same plural and scope, and
/// they share one controller.
fn check_versions(resource: &Resource, other: &Resource) -> Result<()> {
    let contradiction = |what| {
        Err(Error::Contradiction {
            resource: resource.to_string(),
            what,
        })
    };
    let both = |webhook: fn(&Webhooks) -> bool| resource.has(webhook) && other.has(webhook);
    let meet = |one: &Admission| {
        resource.admits(*one)
            && other.admits(*one)
            && resource.webhook_file(*one) == other.webhook_file(*one)
    };
    if resource.version == other.version {
        contradiction("is listed twice")
    } else if (resource.core, resource.external) != (other.core, other.external) {
        contradiction("has a different owner than its other version: see `core` and `external`")
    } else if resource.plural != other.plural || resource.api != other.api {
        Err(Error::fixed(other))
    } else if resource.has_controller_file() && other.has_controller_file() {
        contradiction("has a controller in two versions, but one reconciles all versions")
    } else if both(|webhooks| webhooks.conversion) {
        contradiction("has a conversion in two versions, but one converts all versions")
    } else if let Some(one) = Admission::ALL.iter().find(|one| meet(one)) {
        let file = resource.webhook_file(*one);
        Err(taken(resource, other, "file", file))
    } else {
        Ok(())
    }
}

fn taken(resource: &Resource, other: &Resource, what: &'static str, name: String) -> Error {
    Error::NameTaken {
        own: resource.has_crd() && resource.imported.is_none(),
        resource: resource.to_string(),
        other: other.to_string(),
        what,
        name,
    }
}
