//! What the kinds of a project must agree on. The same rules hold for what a command adds and for what
//! was written into `PROJECT` by hand.

use std::collections::HashMap;

use super::builtin;
use super::{Error, Project, Result};
use crate::names::{Kind, Version, is_protected};
use crate::resource::{Admission, Resource, Webhooks};

/// The longest stem of a file: cargo and rustop put words of their own around it, and 255 is the most
/// that a file system takes.
const LONGEST_STEM: usize = 200;

impl Project {
    /// Whether everything that follows from the kinds can exist side by side.
    ///
    /// # Errors
    /// When a kind contradicts itself, the project or another kind.
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

    /// Whether this project may be, and come of another one.
    ///
    /// # Errors
    /// When it may not be, or a new group is protected.
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
                return contradiction("needs `api`, since it is no `core` kind");
            }
            (Some(_), _) if resource.core => {
                return contradiction("is `core`, so its `api` is Kubernetes' own");
            }
            (Some(api), _) if api.crd_version.as_str() != "v1" => {
                return contradiction("has a `crdVersion` other than v1, the only one there is");
            }
            (None, None) => return contradiction("is `core`, and Kubernetes has no such kind"),
            (None, Some(builtin)) if builtin.plural != resource.plural.as_str() => {
                return contradiction("is `core`, and Kubernetes has another plural for it");
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
            return contradiction("has a `webhookVersion` other than v1, the only one there is");
        }
        if resource.has(|webhooks| webhooks.conversion) && !resource.has_crd() {
            return contradiction("has a conversion, which is for whoever owns its CRD to say");
        }
        let runs = resource.has_crd() && builtin::is_namespaced(resource);
        if resource.workload.is_some() && !(runs && resource.imported.is_none()) {
            return contradiction(
                "has a `workload`, which is for namespaced kinds of the project's own",
            );
        }
        if resource.controller && resource.draft {
            return contradiction("has a controller that is both registered and a draft");
        }
        if resource.core && resource.external {
            return contradiction("is both `core` and `external`");
        }
        if resource.has_crd() {
            check_group(resource)?;
            check_paths(resource)?;
        }
        if resource.sample().len().max(resource.name().len()) > LONGEST_STEM {
            return Err(Error::Group {
                group: resource.api_group(),
                rule: "gives files with names that are too long",
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

    /// A kind may not be called as the conversion of another one: `LolcowConversion`, `LolcowFromV1`.
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

/// The names that the kinds so far have taken. A kind is compared with those that share a name with it, not with every
/// other one: a project may have thousands.
#[derive(Default)]
struct Taken<'a> {
    /// The versions of each kind, by kind and group.
    kinds: HashMap<(&'a str, String), Vec<&'a Resource>>,
    /// What a name is of, the name, and the first kind that has it.
    names: HashMap<(&'static str, String), &'a Resource>,
    /// The outermost module of types, and the first kind in it with a group and without one.
    modules: HashMap<(String, bool), &'a Resource>,
}

impl<'a> Taken<'a> {
    /// Takes the names of a kind.
    ///
    /// # Errors
    /// If another kind has one of them.
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

    /// A group and a version of the group-less API are modules side by side. Two groups may share a module: their kinds
    /// have names of their own.
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

/// What may not meet with that of another kind: files, modules and objects.
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

/// Whether kind and version are as the conventions ask for.
fn is_conventional(resource: &Resource) -> bool {
    Kind::conventional(resource.kind.as_str()).is_ok()
        && Version::conventional(resource.version.as_str()).is_ok()
}

/// The group of a CRD, if it is Kubernetes' own and new in the project: the API server wants an approval then, and
/// there is none yet.
fn new_protected_group(resource: &Resource, there: &[Resource]) -> Option<String> {
    let group = resource.api_group();
    let mut there = there.iter();
    let is_new = !there.any(|there| there.has_crd() && there.api_group() == group);
    // A CRD that exists brings its approval along.
    let is_own = resource.has_crd() && resource.imported.is_none();
    (is_own && is_new && is_protected(&group)).then_some(group)
}

/// `/apis/GROUP/VERSION/namespaces/NAME` is what a namespace is in the path of another resource, so the API server
/// answers 404 for every object of a CRD with such paths.
fn check_paths(resource: &Resource) -> Result<()> {
    let in_namespaces = resource.api.as_ref().is_none_or(|api| api.namespaced);
    if in_namespaces || resource.plural.as_str() != "namespaces" {
        return Ok(());
    }
    Err(Error::Unreachable {
        resource: resource.to_string(),
    })
}

/// What the API server demands of the group of a CRD.
fn check_group(resource: &Resource) -> Result<()> {
    let group = resource.api_group();
    let (rule, help) = if !group.contains('.') {
        (
            "has no dot in it, and a CRD's must have one",
            "name a group: `--group example`",
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

/// The versions of a kind have one CRD, so one plural and scope, and one controller.
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
        contradiction("has another owner than its other version: see `core` and `external`")
    } else if resource.plural != other.plural || resource.api != other.api {
        Err(Error::fixed(other))
    } else if resource.has_controller_file() && other.has_controller_file() {
        contradiction("has a controller in two versions, and one works on all of them")
    } else if both(|webhooks| webhooks.conversion) {
        contradiction("has a conversion in two versions, and one converts them all")
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
