//! `rustop init`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::Session;
use crate::error::{Error, Result};
use crate::names::{Domain, Owner, ProjectName};
use crate::project::{self, KubernetesVersion, License, ManagerSource, Project};
use crate::scaffold;
use crate::tree::Tree;

/// Start a project in an empty directory
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  mkdir lolcow-operator && cd lolcow-operator && rustop init --domain my.domain
  rustop init lolcow-operator --domain my.domain --license mit --owner 'The Lolcow Authors'
  rustop init --domain my.domain --namespaced")]
pub struct Init {
    /// The directory; made where it does not exist [default: the project directory]
    dir: Option<PathBuf>,
    /// The suffix of the project's API groups, a domain that is yours
    #[arg(long)]
    domain: Domain,
    /// The project's name [default: the directory's name]
    #[arg(long, value_name = "NAME")]
    project_name: Option<ProjectName>,
    /// The licence of the project's code
    #[arg(long, value_enum, default_value_t)]
    license: License,
    /// Whoever holds the copyright
    #[arg(long, value_name = "TEXT")]
    owner: Option<Owner>,
    /// Watch the namespaces listed in `WATCH_NAMESPACE` with a Role, and not the whole cluster
    #[arg(long)]
    namespaced: bool,
    /// Where the project has the crate from that its operator runs on
    #[arg(long, value_enum, value_name = "SOURCE", default_value_t)]
    manager: ManagerSource,
    /// The newest Kubernetes whose API the code may use
    #[arg(long, value_enum, value_name = "VERSION", default_value_t)]
    kubernetes_version: KubernetesVersion,
    /// Say what would be written and write nothing
    #[arg(long)]
    dry_run: bool,
}

impl Init {
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        let root = self
            .dir
            .as_ref()
            .map_or_else(|| session.here.clone(), |dir| session.here.join(dir));
        let project = self.project(&root)?;
        let tree = scaffold::render(&project);
        let mut site = if self.dry_run {
            None
        } else {
            Some(scaffold::claim(session, &root)?)
        };
        let finished = site.as_ref().is_some_and(|site| site.recovered)
            && Project::load(&root).is_ok_and(|there| there == project);
        if !finished {
            if root.join(project::FILE).symlink_metadata().is_ok() {
                return Err(Error::ProjectExists { dir: root });
            }
            scaffold::apply(session, site.as_mut(), &root, &Tree::default(), &tree)?;
        }
        if !self.dry_run {
            let into = self
                .dir
                .map(|dir| format!("cd {} && ", shell_word(&dir.to_string_lossy())))
                .unwrap_or_default();
            session
                .terminal
                .note(format_args!("Next: {into}rustop create api --kind Lolcow"));
        }
        Ok(ExitCode::SUCCESS)
    }

    fn project(&self, root: &Path) -> Result<Project> {
        let name = match &self.project_name {
            Some(name) => name.clone(),
            None => name_of(root)?,
        };
        let mut project = Project::new(self.domain.clone(), name);
        project.license = self.license;
        project.owner.clone_from(&self.owner);
        project.namespaced = self.namespaced;
        project.manager = self.manager;
        project.kubernetes_version = self.kubernetes_version;
        Ok(project)
    }
}

/// The project's name that the directory's name gives.
fn name_of(root: &Path) -> Result<ProjectName> {
    let path = std::path::absolute(root).map_err(Error::io("find", root))?;
    // `.` and `..` at the end have no name of their own.
    let path = path.canonicalize().unwrap_or(path);
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().to_lowercase())
        .unwrap_or_default();
    name.parse()
        .map_err(|source| Error::DirectoryName { source })
}

/// A word as a shell reads it.
fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./+:@,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
