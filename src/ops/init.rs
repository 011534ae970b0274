//! The operation of `rustop init`: a new project.

use std::path::{Path, PathBuf};

use clap::Args;

use super::{Refusal, Result, Transition};
use crate::error::Io;
use crate::names::{Domain, NameError, Owner, ProjectName};
use crate::project::{self, KubernetesVersion, License, ManagerSource, Project};
use crate::session::Session;
use crate::text::shell_path;

/// An operation that creates a project in an empty directory.
#[derive(Args, Debug)]
pub struct Init {
    /// Directory of the project, created if it does not exist [default: the current directory or
    /// the one given by -C]
    pub dir: Option<PathBuf>,
    /// Domain suffix of the project's API groups; use a domain that you own
    #[arg(long)]
    pub domain: Domain,
    /// Name of the project [default: the directory's name]
    #[arg(long, value_name = "NAME")]
    pub project_name: Option<ProjectName>,
    /// Licence of the project's code
    #[arg(long, value_enum, default_value_t)]
    pub license: License,
    /// Copyright holder
    #[arg(long, value_name = "TEXT")]
    pub owner: Option<Owner>,
    /// Watch only the namespaces listed in `WATCH_NAMESPACE`, with a Role instead of a ClusterRole
    #[arg(long)]
    pub namespaced: bool,
    /// Source of the runtime crate `rustop-manager`
    #[arg(long, value_enum, value_name = "SOURCE", default_value_t)]
    pub manager: ManagerSource,
    /// Newest Kubernetes version whose API the code may use
    #[arg(long, value_enum, value_name = "VERSION", default_value_t)]
    pub kubernetes_version: KubernetesVersion,
    /// Print the changes without writing any file
    #[arg(long)]
    pub dry_run: bool,
}

impl Init {
    /// Writes the files of a new project.
    ///
    /// # Errors
    /// Returns an error if the directory already holds a project, if files are in the way, or if
    /// the directory's name is not a valid name for the project.
    pub fn run(&self, session: &Session) -> Result<()> {
        let root = match &self.dir {
            Some(dir) => session.here.join(dir),
            None => session.here.clone(),
        };
        if project::is_adopted(&root) {
            return Err(project::Error::Adopted { dir: root }.into());
        }
        let project = self.project(&root)?;
        let mut transition = Transition::begin(&root, session, self.dry_run)?;
        transition.create(&project, |_| ())?;
        if !self.dry_run {
            let into = self.shell_dir().map(|dir| format!("cd {dir} && "));
            session.terminal.note(format_args!(
                "Next: {}rustop create api --kind Lolcow",
                into.unwrap_or_default()
            ));
        }
        Ok(())
    }

    fn project(&self, root: &Path) -> Result<Project> {
        let name = match &self.project_name {
            Some(name) => name.clone(),
            None => name_of(root)?
                .parse()
                .map_err(|source| self.invalid_name(source))?,
        };
        let mut project = Project::new(self.domain.clone(), name);
        project.license = self.license;
        project.owner.clone_from(&self.owner);
        project.namespaced = self.namespaced;
        project.manager = self.manager;
        project.kubernetes_version = self.kubernetes_version;
        Ok(project)
    }

    /// Returns the directory that the user gave, as a word of a command line.
    fn shell_dir(&self) -> Option<String> {
        let dir = self.dir.as_ref()?;
        Some(shell_path(&dir.to_string_lossy()))
    }

    /// Returns the error for a directory whose name a project cannot have.
    fn invalid_name(&self, source: NameError) -> Refusal {
        let dir = self.shell_dir().map(|dir| format!("{dir} "));
        let command = format!(
            "rustop init {}--domain {} --project-name {}",
            dir.unwrap_or_default(),
            self.domain,
            source.suggestion().unwrap_or("my-operator")
        );
        Refusal::DirectoryName { command, source }
    }
}

/// Returns the default name of a project: the name of its directory in lower case.
pub(super) fn name_of(root: &Path) -> Result<String> {
    let path = std::path::absolute(root).map_err(Io::on("find", root))?;
    // `.` and `..` at the end have no name of their own.
    let path = path.canonicalize().unwrap_or(path);
    let name = path.file_name();
    let name = name.map(|name| name.to_string_lossy().to_lowercase());
    Ok(name.unwrap_or_default())
}
