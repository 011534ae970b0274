//! A new project.

use std::path::{Path, PathBuf};

use super::{Refusal, Result, Transition};
use crate::error::Io;
use crate::names::{Domain, Owner, ProjectName};
use crate::project::{KubernetesVersion, License, ManagerSource, Project};
use crate::session::Session;
use crate::text::shell_word;

/// Starts a project in an empty directory.
pub struct Init {
    /// The directory, as it is seen from that of the session, which it is where none is named.
    pub dir: Option<PathBuf>,
    /// The suffix of the project's API groups.
    pub domain: Domain,
    /// The project's name; that of the directory where none is given.
    pub name: Option<ProjectName>,
    /// The licence of the project's code.
    pub license: License,
    /// Whoever holds the copyright.
    pub owner: Option<Owner>,
    /// Whether the operator watches namespaces that are listed, with a Role.
    pub namespaced: bool,
    /// Where the project has the manager from.
    pub manager: ManagerSource,
    /// The newest Kubernetes whose API the code may use.
    pub kubernetes_version: KubernetesVersion,
    /// Whether nothing is to be written.
    pub dry_run: bool,
}

impl Init {
    /// # Errors
    /// When there is a project or something else in the way, or the directory's name cannot be the project's.
    pub fn run(&self, session: &Session) -> Result<()> {
        let root = match &self.dir {
            Some(dir) => session.here.join(dir),
            None => session.here.clone(),
        };
        let project = self.project(&root)?;
        let mut transition = Transition::begin(&root, session, self.dry_run)?;
        transition.create(&project, |_| ())?;
        if !self.dry_run {
            let dir = self.dir.as_ref().map(|dir| dir.to_string_lossy());
            let into = dir.map(|dir| format!("cd {} && ", shell_word(&dir)));
            session.terminal.note(format_args!(
                "Next: {}rustop create api --kind Lolcow",
                into.unwrap_or_default()
            ));
        }
        Ok(())
    }

    fn project(&self, root: &Path) -> Result<Project> {
        let name = match &self.name {
            Some(name) => name.clone(),
            None => name_of(root)?
                .parse()
                .map_err(|source| Refusal::DirectoryName { source })?,
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

/// What a project is called after its directory.
pub(super) fn name_of(root: &Path) -> Result<String> {
    let path = std::path::absolute(root).map_err(Io::on("find", root))?;
    // `.` and `..` at the end have no name of their own.
    let path = path.canonicalize().unwrap_or(path);
    let name = path.file_name();
    let name = name.map(|name| name.to_string_lossy().to_lowercase());
    Ok(name.unwrap_or_default())
}
