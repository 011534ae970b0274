//! `rustop init`.

use std::path::PathBuf;

use clap::Args;

use crate::names::{Domain, Owner, ProjectName};
use crate::ops::{self, Result};
use crate::project::{KubernetesVersion, License, ManagerSource};
use crate::session::Session;

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
