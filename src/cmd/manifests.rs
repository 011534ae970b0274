//! `rustop manifests`.

use std::path::Path;
use std::process::ExitCode;

use clap::Args;

use super::Session;
use crate::disk;
use crate::error::{Error, Result};
use crate::manifests::rule::Scope;
use crate::manifests::{self, ROLE_FILE, crd, crdgen, walk};
use crate::project::Project;
use crate::resource::Resource;
use crate::scaffold;
use crate::tree::{Owner, Plan, Tree};

/// The name of the operator's role; `config/default` puts the project's name before it.
const ROLE: &str = "manager-role";

/// Write the CRDs that the Rust types imply and the roles that the markers ask for
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop manifests            # write what changed under config/
  rustop manifests --check    # write nothing; exit 1 and print a diff where something would change")]
pub struct Manifests {
    /// Write nothing: print what would change as a diff, and fail if anything would
    #[arg(long, conflicts_with = "dry_run")]
    check: bool,
    /// Say what would be written and write nothing
    #[arg(long)]
    dry_run: bool,
}

impl Manifests {
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        if self.check {
            return check(session);
        }
        write(session, self.dry_run)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Makes the files under `config/` those of the sources, saying which changed.
pub fn write(session: &Session, dry_run: bool) -> Result<()> {
    let root = &session.dir;
    Project::load(root)?;
    let mut site = if dry_run {
        None
    } else {
        Some(scaffold::claim(session, root)?)
    };
    let project = Project::load(root)?;
    let roles = roles(root, &project)?;
    let tree = scaffold::render(&project.by_this_rustop());
    if site.is_some() {
        // First what PROJECT implies: without it the types may not build.
        let before = scaffold::render(&project);
        scaffold::apply(session, site.as_mut(), root, &before, &tree)?;
    }
    let after = with_manifests(tree, roles, root, &project)?;
    scaffold::apply(
        session,
        site.as_mut(),
        root,
        &found(root, &project)?,
        &after,
    )?;
    Ok(())
}

fn check(session: &Session) -> Result<ExitCode> {
    let root = &session.dir;
    let project = Project::load(root)?;
    let roles = roles(root, &project)?;
    let tree = scaffold::render(&project.by_this_rustop());
    let read = |path: &str| disk::read(&root.join(path));
    let mut plan = tree.plan(&scaffold::render(&project), read)?;
    if plan == Plan::default() {
        let after = with_manifests(tree, roles, root, &project)?;
        plan = after.plan(&found(root, &project)?, read)?;
    }
    if !plan.conflicts.is_empty() {
        return Err(Error::WouldOverwrite {
            paths: plan.conflicts,
        });
    }
    for change in &plan.changes {
        session.terminal.data(&change.diff())?;
    }
    if plan.changes.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    Err(Error::Drift {
        files: plan.changes.len(),
    })
}

/// The text of the roles that the markers ask for.
fn roles(root: &Path, project: &Project) -> Result<String> {
    let scope = if project.namespaced {
        Scope::Namespace
    } else {
        Scope::Cluster
    };
    manifests::role_file(&walk::scan(root), ROLE, scope).map_err(Error::Markers)
}

/// Adds the roles and the CRDs of the types to what `PROJECT` implies.
fn with_manifests(mut tree: Tree, roles: String, root: &Path, project: &Project) -> Result<Tree> {
    tree.insert(ROLE_FILE.to_owned(), Owner::Tool, roles);
    // Without kinds there are no types to ask, and no toolchain is needed.
    if project.resources.iter().any(Resource::has_crd) {
        let files = crd::files(&crdgen::run(root)?)?;
        for crd in project
            .resources
            .iter()
            .filter(|resource| resource.has_crd())
        {
            let path = format!("{}/{}", crd::DIRECTORY, crd.crd_file());
            if !files.contains_key(&path) {
                return Err(Error::NoCrd {
                    resource: crd.to_string(),
                    name: format!("{}.{}", crd.plural, crd.api_group()),
                });
            }
        }
        for (path, text) in files {
            tree.insert(path, Owner::Tool, text);
        }
    }
    Ok(tree)
}

/// What rustop wrote before: what `PROJECT` implies, and the manifests that are there and say so.
fn found(root: &Path, project: &Project) -> Result<Tree> {
    let mut tree = scaffold::render(project);
    let crds = disk::list(&root.join(crd::DIRECTORY))?;
    let paths = crds
        .iter()
        .map(|name| format!("{}/{name}", crd::DIRECTORY))
        .chain([ROLE_FILE.to_owned()]);
    for path in paths {
        if let Some(text) = disk::read(&root.join(&path))?
            && text.starts_with(manifests::HEADER)
        {
            tree.insert(path, Owner::Tool, text);
        }
    }
    Ok(tree)
}
