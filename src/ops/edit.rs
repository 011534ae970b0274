//! The operation of `rustop edit`: changes to the settings that were chosen at `init`.

use std::str::FromStr;

use clap::Args;

use super::leftovers;
use super::user_file_merge::Merges;
use super::{Refusal, Result, Transition};
use crate::names::{Domain, NameError, Owner, ProjectName};
use crate::project::{KubernetesVersion, License, ManagerFeature, ManagerSource, Project};
use crate::resource::Resource;
use crate::session::Session;

/// An operation that changes settings that were chosen at `init`.
#[derive(Args, Debug)]
pub struct Edit {
    #[command(flatten)]
    pub changes: Changes,
    /// Print the changes without writing any file
    #[arg(long)]
    pub dry_run: bool,
}

/// The settings to change. A field that is `None` leaves its setting as it is.
#[derive(Args, Debug, Default)]
#[group(required = true, multiple = true)]
pub struct Changes {
    /// Domain suffix of the project's API groups; use a domain that you own
    #[arg(long)]
    pub domain: Option<Domain>,
    /// Name of the project
    #[arg(long, value_name = "NAME")]
    pub project_name: Option<ProjectName>,
    /// Licence of the project's code
    #[arg(long, value_enum)]
    pub license: Option<License>,
    /// Copyright holder; '' removes it
    #[arg(long, value_name = "TEXT")]
    pub owner: Option<Holder>,
    /// Watch only the namespaces listed in `WATCH_NAMESPACE`, with a Role instead of a ClusterRole
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub namespaced: Option<bool>,
    /// Source of the runtime crate `rustop-manager`
    #[arg(long, value_enum, value_name = "SOURCE")]
    pub manager: Option<ManagerSource>,
    /// Optional features of `rustop-manager` to enable; without a value none
    #[arg(long, value_enum, value_name = "FEATURES", num_args = 0.., value_delimiter = ',')]
    pub manager_features: Option<Vec<ManagerFeature>>,
    /// Maximum length of descriptions in CRDs, in characters; 0 omits them, `none` removes the
    /// limit
    #[arg(long, value_name = "CHARACTERS")]
    pub max_description_length: Option<DescriptionLimit>,
    /// Newest Kubernetes version whose API the code may use
    #[arg(long, value_enum, value_name = "VERSION")]
    pub kubernetes_version: Option<KubernetesVersion>,
}

/// The maximum length of a description in a CRD, in characters. `none` parses to no limit.
#[derive(Clone, Copy, Debug)]
pub struct DescriptionLimit(Option<usize>);

impl FromStr for DescriptionLimit {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        if text == "none" {
            return Ok(Self(None));
        }
        let characters = text.parse();
        let characters = characters.map_err(|_| "expected a number of characters, or `none`")?;
        Ok(Self(Some(characters)))
    }
}

/// The copyright holder. An empty text parses to no holder.
#[derive(Clone, Debug)]
pub struct Holder(Option<Owner>);

impl FromStr for Holder {
    type Err = NameError;

    fn from_str(text: &str) -> std::result::Result<Self, NameError> {
        let owner = (!text.is_empty()).then(|| text.parse()).transpose();
        owner.map(Self)
    }
}

impl Edit {
    /// Changes PROJECT, renders the project again, and merges the result into the user's files.
    ///
    /// # Errors
    /// Returns an error if there is no project, if a merge in it is not finished, or if a file
    /// cannot be written; then nothing is changed. Also returns an error if conflicts are left for
    /// the user to resolve.
    pub fn run(&self, session: &Session) -> Result<()> {
        let (mut transition, before) = Transition::open(session, self.dry_run)?;
        let mut after = before.clone();
        self.changes.apply(&mut after);
        let merges = transition.edit(&before, &after)?;
        list_remaining_steps(session, [&before, &after], &merges);
        let places = merges.places();
        if places.is_empty() {
            return Ok(());
        }
        if self.dry_run {
            let places: Vec<_> = places.iter().map(String::as_str).collect();
            session
                .terminal
                .list("Conflicts that you would have to resolve", &places);
            return Ok(());
        }
        Err(Refusal::Conflicts { places }.into())
    }
}

impl Changes {
    /// Changes the settings in a project.
    fn apply(&self, project: &mut Project) {
        if let Some(domain) = &self.domain {
            let old = std::mem::replace(&mut project.domain, domain.clone());
            let resources = project.resources.iter_mut();
            for resource in resources.filter(|it| is_below(it, &old)) {
                resource.domain = Some(domain.clone());
            }
        }
        if let Some(name) = &self.project_name {
            project.project_name.clone_from(name);
        }
        if let Some(Holder(owner)) = &self.owner {
            project.owner.clone_from(owner);
        }
        project.namespaced = self.namespaced.unwrap_or(project.namespaced);
        project.license = self.license.unwrap_or(project.license);
        project.kubernetes_version = self
            .kubernetes_version
            .unwrap_or(project.kubernetes_version);
        project.manager = self.manager.unwrap_or(project.manager);
        if let Some(DescriptionLimit(characters)) = self.max_description_length {
            project.crd.max_description_length = characters;
        }
        if let Some(features) = &self.manager_features {
            project.manager_features = features.iter().copied().collect();
        }
    }
}

/// Reports whether a kind is the project's own and its group is below a domain. An imported kind
/// keeps the group of its CRD, so it is not.
fn is_below(resource: &Resource, domain: &Domain) -> bool {
    let is_own = !resource.core && !resource.external && resource.imported.is_none();
    is_own && resource.domain.as_ref() == Some(domain)
}

/// Lists what the change leaves for the user to do, in the project and in clusters.
fn list_remaining_steps(session: &Session, [before, after]: [&Project; 2], merges: &Merges) {
    let list = |title, lines: &[String]| {
        let lines: Vec<_> = lines.iter().map(String::as_str).collect();
        session.terminal.list(title, &lines);
    };
    merges.list(session.terminal);
    let mut lines = Vec::new();
    if before.domain != after.domain {
        let old = before.domain.as_str();
        let stays = |it: &&Resource| !is_below(it, &after.domain);
        let staying: Vec<_> = after.resources.iter().filter(stays).collect();
        let moved = before
            .resources
            .iter()
            .filter(|it| is_below(it, &before.domain));
        let moved: Vec<_> = moved
            .map(Resource::api_group)
            .chain([old.to_owned()])
            .collect();
        let groups = staying.iter().map(|it| it.api_group());
        let mut right: Vec<_> = groups.filter(|group| !moved.contains(group)).collect();
        right.push(after.domain.to_string());
        let lines_of = Naming {
            session,
            merges,
            right,
            staying,
        };
        lines.extend(lines_of.naming(&[old.into()]));
    }
    if before.project_name != after.project_name {
        let names = names_of(&before.project_name);
        let lines_of = Naming {
            session,
            merges,
            right: vec![after.project_name.to_string()],
            staying: Vec::new(),
        };
        lines.extend(lines_of.naming(&names));
    }
    list(
        "For you to change, because they contain the old domain or project name",
        &lines,
    );
    list("In clusters, for you to do", &in_clusters(before, after));
    if before != after {
        session
            .terminal
            .note("Then: cargo fmt --all, rustop manifests, and make test");
    }
}

/// A search for old names in the user's files after an edit.
struct Naming<'a> {
    session: &'a Session,
    merges: &'a Merges,
    /// Texts that are correct although they contain an old name.
    right: Vec<String>,
    /// The kinds whose groups do not change.
    staying: Vec<&'a Resource>,
}

impl Naming<'_> {
    /// Returns the lines that contain one of the names.
    fn naming(&self, names: &[String]) -> Vec<String> {
        let root = &self.session.dir;
        let text = |path: &str| {
            // cargo updates Cargo.lock, and rustop has already written PROJECT.
            let is_meant = !["Cargo.lock", "PROJECT"].contains(&path)
                && !self
                    .staying
                    .iter()
                    .any(|it| leftovers::is_crd_of(root, it, path));
            let text = self.merges.text(path).map(str::to_owned);
            is_meant.then(|| text.unwrap_or_else(|| leftovers::text_of(root, path)))
        };
        leftovers::lines(root, &text, &|line| {
            let line = self
                .right
                .iter()
                .fold(line.to_owned(), |line, right| line.replace(right, ""));
            names.iter().any(|name| leftovers::names_it(&line, name))
        })
    }
}

/// Returns the names that are derived from a project's name. The name itself is included only in
/// quotes, because it may also be the name of a kind.
fn names_of(name: &ProjectName) -> Vec<String> {
    let crate_name = name.as_str().replace('-', "_");
    let of_cluster = ["api", "system", "controller-manager", "metrics", "webhook"];
    let of_cluster = of_cluster.map(|part| format!("{name}-{part}"));
    [format!("{crate_name}::"), format!("\"{name}\"")]
        .into_iter()
        .chain(of_cluster)
        .collect()
}

/// Returns instructions for the objects that remain in clusters under the old names.
fn in_clusters(before: &Project, after: &Project) -> Vec<String> {
    let mut left = Vec::new();
    if before.domain != after.domain {
        let own = before.resources.iter();
        let own = own.filter(|it| it.has_crd() && before.is_first_version(it));
        for resource in own.filter(|it| is_below(it, &before.domain)) {
            let crd = resource.crd_name();
            left.push(format!(
                "{crd}: its objects do not move. kubectl get {crd} -A -o yaml, give them the new group in `apiVersion` and apply \
                 them, then: kubectl delete crd {crd}"
            ));
        }
    }
    if before.project_name != after.project_name {
        let name = &before.project_name;
        left.push(format!(
            "{name}-system: the operator of the old name keeps running next to the new one, with its roles and webhooks. Before you \
             deploy, in a checkout of the project as it was: make undeploy"
        ));
    }
    left
}

#[cfg(test)]
mod tests;
