//! `rustop init`.

use std::path::PathBuf;

use clap::Args;

use super::format::Format;
use crate::names::{Domain, Owner, ProjectName};
use crate::ops::{self, Result};
use crate::project::{KubernetesVersion, License, ManagerSource};
use crate::session::Session;

/// Create a project in an empty directory
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  mkdir lolcow-operator && cd lolcow-operator && rustop init --domain my.domain
  rustop init lolcow-operator --domain my.domain --license mit --owner 'The Lolcow Authors'
  rustop init --domain my.domain --namespaced")]
pub struct Init {
    #[command(flatten)]
    pub format: Format,
    /// Directory of the project, created if it does not exist [default: the current directory or
    /// the one given by -C]
    dir: Option<PathBuf>,
    /// Domain suffix of the project's API groups; use a domain that you own
    #[arg(long)]
    domain: Domain,
    /// Name of the project [default: the directory's name]
    #[arg(long, value_name = "NAME")]
    project_name: Option<ProjectName>,
    /// Licence of the project's code
    #[arg(long, value_enum, default_value_t)]
    license: License,
    /// Copyright holder
    #[arg(long, value_name = "TEXT")]
    owner: Option<Owner>,
    /// Watch only the namespaces listed in `WATCH_NAMESPACE`, with a Role instead of a ClusterRole
    #[arg(long)]
    namespaced: bool,
    /// Source of the runtime crate `rustop-manager`
    #[arg(long, value_enum, value_name = "SOURCE", default_value_t)]
    manager: ManagerSource,
    /// Newest Kubernetes version whose API the code may use
    #[arg(long, value_enum, value_name = "VERSION", default_value_t)]
    kubernetes_version: KubernetesVersion,
    /// Print the changes without writing any file
    #[arg(long)]
    dry_run: bool,
}

impl Init {
    pub fn run(self, session: &Session) -> Result<()> {
        let operation = ops::Init {
            dir: self.dir,
            domain: self.domain,
            name: self.project_name,
            license: self.license,
            owner: self.owner,
            namespaced: self.namespaced,
            manager: self.manager,
            kubernetes_version: self.kubernetes_version,
            dry_run: self.dry_run,
        };
        operation.run(session)
    }
}
