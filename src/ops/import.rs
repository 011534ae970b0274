//! The operation of `rustop import`: a new project from a Go operator. Imports its kinds and
//! permissions, and writes a page about the work that is left.

mod builder_calls;
mod controllers;
mod conversions;
mod deployment;
mod draft_controllers;
mod go_permissions;
mod go_project;
mod left_webhooks;
mod named;
mod page;
mod samples;
mod stored;
mod webhooks;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;

use self::deployment::Deployment;
use self::go_permissions::GoPermissions;
use self::go_project::{GoSources, ImportedFile};
use self::page::Brought;
use super::imported::{self, ImportSettings, ImportedVersion};
use super::init::name_of;
use super::{Error, Refusal, Result, Transition};
use crate::error::Io;
use crate::import::{self, Imported};
use crate::names::{Domain, ProjectName};
use crate::project::{Project, Spellings};
use crate::resource::{Reported, Source};
use crate::session::Session;
use crate::text::{sha256, shell_path};
use crate::tree::Owner;

/// The file that describes what was imported and what was not.
const PAGE: &str = "IMPORT.md";

/// The file that holds the RBAC markers until the controllers are written.
const LIB: &str = "src/lib.rs";

/// An operation that creates a project from a Go project.
#[derive(Args, Debug)]
pub struct Import {
    /// Directory of the Go project
    // Not required by clap's derive, so that it can be missing together with the whole operation.
    #[arg(required = false, required_unless_present = "shadow")]
    pub dir: PathBuf,
    /// Directory of the new project [default: the project's name, in the current directory]
    pub target: Option<PathBuf>,
    /// Domain suffix of the project's API groups [default: the Go project's]
    #[arg(long)]
    pub domain: Option<Domain>,
    /// Name of the project [default: the Go project's]
    #[arg(long, value_name = "NAME")]
    pub project_name: Option<ProjectName>,
    /// File or directory in DIR that contains the CRDs [default: config/crd/bases or a similar
    /// directory]
    #[arg(long, value_name = "PATH")]
    pub crds: Option<String>,
    /// Omit a field of a CRD that Rust types cannot express; can be repeated
    #[arg(long, value_name = "PATH")]
    pub allow: Vec<String>,
    /// Print the changes without writing any file
    #[arg(long)]
    pub dry_run: bool,
}

impl Import {
    /// Writes the files of a new project with the kinds of the Go project, and `IMPORT.md` for what
    /// is left to do.
    ///
    /// # Errors
    /// Returns an error if there is nothing to import, if a CRD cannot be imported completely, or
    /// if files are in the way. Then nothing is changed.
    pub fn run(&self, session: &Session) -> Result<()> {
        let dir = session.here.join(&self.dir);
        let found = GoSources::read(&dir, self.crds.as_deref())?;
        let crds = self.crds(&found.crds)?;
        let all = crds.iter().map(|(crd, _)| crd);
        imported::warn_unused_allowances(session.terminal, all, &self.allow);
        let name = self.name(&dir, &found)?;
        let target = match &self.target {
            Some(target) => target.clone(),
            None => name.as_str().into(),
        };
        let root = session.here.join(&target);
        if lies_in(&root, &dir)? {
            return Err(Refusal::TargetInside { dir, target: root }.into());
        }
        let mut project = Project::new(self.domain(&found, &crds)?, name);
        let all = crds.iter().map(|(crd, _)| crd);
        imported::warn_rejected_crds(session.terminal, all, project.kubernetes_version);
        let parts = parts(&crds, &project.domain)?;
        for part in &parts {
            imported::add(part.resource.clone(), &mut project);
        }
        let granted = GoPermissions::of(&found)?;
        let webhooks = webhooks::add(&found, &mut project);
        let conversions = conversions::add(&found, &parts, &mut project);
        let drafts = draft_controllers::add(&found, &mut project);
        let unfit = samples::unfit(&found, &parts);
        let samples = samples::samples(&found, &project, &unfit);
        let deployment = Deployment::read(found.deployment.as_ref());
        let brought = Brought {
            granted: &granted,
            samples: &samples,
            unfit: &unfit,
            webhooks: &webhooks,
            conversions: &conversions,
            controllers: &drafts,
            deployment: &deployment,
        };
        let kinds = project.resources.iter().filter_map(|it| {
            let part = parts.iter().find(|part| part.resource.same_type(it))?;
            Some((part.crd, it))
        });
        let kinds: Vec<_> = kinds.collect();
        let page = page::text(&found, &project, &brought);
        let mut transition = Transition::begin(&root, session, self.dry_run)?;
        let created = transition.create(&project, |tree| {
            imported::render(&kinds, &project, tree);
            let lib = tree.get(LIB).map(|file| file.text.clone());
            tree.replace(LIB, lib.unwrap_or_default() + &granted.comments());
            conversions::write_into(&conversions, &project, tree);
            webhooks::write_into(&webhooks, tree);
            draft_controllers::write_into(&drafts, &found, &project, tree);
            samples::write_into(&samples, &project, tree);
            deployment.write_into(tree);
            found.named.write_into(&project, tree);
            tree.insert(PAGE.to_owned(), Owner::User, page);
        });
        created.map_err(|error| match error {
            Error::Refusal(Refusal::ProjectExists { dir: project, .. }) => {
                let crds = found.crds.iter().map(|crd| dir.join(&crd.path));
                let crds = crds.collect();
                Refusal::ProjectExists { dir: project, crds }.into()
            }
            error => error,
        })?;
        if !self.dry_run {
            let dir = target.to_string_lossy();
            session.terminal.note(format_args!(
                "Next: cd {}, and read {PAGE}",
                shell_path(&dir)
            ));
        }
        Ok(())
    }

    /// Returns the CRDs of all files, each with its source.
    fn crds(&self, files: &[ImportedFile]) -> Result<Vec<(Imported, Source)>> {
        let mut all: Vec<(Imported, Source)> = Vec::new();
        for file in files {
            let source = Source {
                allowed: self.allow.clone(),
                from: file.path.clone(),
                reported: Reported::default(),
                sha256: sha256(&file.text),
            };
            for crd in import::read_crds(&file.text, &file.path)? {
                if let Some((_, first)) = all.iter().find(|(it, _)| it.name() == crd.name()) {
                    return Err(Refusal::GoCrdTwice {
                        name: crd.name().to_owned(),
                        first: first.from.clone(),
                        second: file.path.clone(),
                    }
                    .into());
                }
                all.push((crd, source.clone()));
            }
        }
        import::check_expressible(all.iter().map(|(crd, _)| crd), &self.allow)?;
        Ok(all)
    }

    fn name(&self, dir: &Path, found: &GoSources) -> Result<ProjectName> {
        if let Some(name) = &self.project_name {
            return Ok(name.clone());
        }
        let name = match &found.project.name {
            Some(name) => name.clone(),
            None => name_of(dir)?,
        };
        Ok(name.parse().map_err(|source| Refusal::GoName {
            source,
            flag: "--project-name",
        })?)
    }

    /// Returns the given domain, or that of the Go project's PROJECT, or the common suffix of the
    /// API groups.
    fn domain(&self, found: &GoSources, crds: &[(Imported, Source)]) -> Result<Domain> {
        if let Some(domain) = &self.domain {
            return Ok(domain.clone());
        }
        let groups = crds.iter().map(|(crd, _)| crd.group()).collect();
        let domain = found.project.domain.as_deref();
        let domain = domain.unwrap_or_else(|| common(&groups));
        Ok(domain.parse().map_err(|source| Refusal::GoName {
            source,
            flag: "--domain",
        })?)
    }
}

/// Returns the versions of all CRDs, without controllers. The user has not written any yet, and one
/// that does nothing would only look like a controller.
fn parts<'a>(crds: &'a [(Imported, Source)], domain: &Domain) -> Result<Vec<ImportedVersion<'a>>> {
    let settings = ImportSettings {
        controller: false,
        domain,
        external: false,
    };
    let mut spellings = Spellings::default();
    let mut parts = Vec::new();
    for (crd, source) in crds {
        parts.extend(settings.parts(crd, source, &mut spellings)?);
    }
    Ok(parts)
}

/// Returns the longest domain that all groups share; empty if they share none. For a single group,
/// returns the part after its first label, or the whole group if that part has no dot.
fn common<'a>(groups: &BTreeSet<&'a str>) -> &'a str {
    let Some(first) = groups.first() else {
        return "";
    };
    let is_in = |group: &&str, domain: &str| {
        let before = group.strip_suffix(domain);
        before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
    };
    let ends = first.match_indices('.').map(|(at, _)| &first[at + 1..]);
    let first = (groups.len() > 1).then_some(*first).into_iter();
    let mut domains = first.chain(ends).filter(|domain| domain.contains('.'));
    let domain = domains.find(|domain| groups.iter().all(|group| is_in(group, domain)));
    domain
        .or_else(|| groups.first().copied().filter(|_| groups.len() == 1))
        .unwrap_or_default()
}

/// Reports whether a path is a directory or lies in it. The path does not need to exist yet.
fn lies_in(path: &Path, dir: &Path) -> Result<bool> {
    let dir = dir.canonicalize().map_err(Io::on("find", dir))?;
    let path = std::path::absolute(path).map_err(Io::on("find", path))?;
    // Parts of the path that do not exist yet cannot be symbolic links.
    let mut there = path.ancestors().filter_map(|path| path.canonicalize().ok());
    Ok(there.next().is_some_and(|there| there.starts_with(dir)))
}

#[cfg(test)]
mod tests {
    use super::common;

    #[test]
    fn the_domain_is_the_common_suffix_of_groups() {
        for (groups, domain) in [
            (&["apps.emqx.example"][..], "emqx.example"),
            (&["cow.example"], "cow.example"),
            (
                &["a.farm.example.org", "b.farm.example.org"],
                "farm.example.org",
            ),
            (&["a.example.org", "example.org"], "example.org"),
            (&["xample.org", "example.org"], ""),
            (&["a.org", "b.org"], ""),
            (&[], ""),
        ] {
            assert_eq!(
                common(&groups.iter().copied().collect()),
                domain,
                "{groups:?}"
            );
        }
    }
}
