//! `rustop edit`.

use clap::Args;

use crate::names::{Domain, ProjectName};
use crate::ops::{self, Holder, Result};
use crate::project::{KubernetesVersion, License, ManagerFeature, ManagerSource};
use crate::session::Session;

/// Change what `rustop init` decided
///
/// rustop's own files are rendered anew. Into yours the change is merged, as `rustop upgrade` does it: where you changed the
/// same lines, both are marked as git marks them, and the command fails and lists them. What still names what it was,
/// in your files and in clusters, is listed as well.
#[derive(Args, Debug)]
#[command(override_usage = "rustop edit [OPTIONS] <CHANGE>...")]
#[command(after_help = "Examples:
  rustop edit --domain other.domain --project-name cow-operator
  rustop edit --namespaced             # a Role, and WATCH_NAMESPACE; back: --namespaced=false
  rustop edit --license mit --owner 'The Lolcow Authors' --dry-run -v
  rustop edit --manager registry       # a line in Cargo.toml instead of vendor/rustop-manager
  rustop edit --manager-features inspect")]
pub struct Edit {
    #[command(flatten)]
    changes: Changes,
    /// Say what would be written and write nothing
    #[arg(long)]
    dry_run: bool,
}

/// What changes.
#[derive(Args, Debug)]
#[group(required = true, multiple = true)]
struct Changes {
    /// The suffix of the project's API groups, a domain that is yours
    #[arg(long)]
    domain: Option<Domain>,
    /// The project's name
    #[arg(long, value_name = "NAME")]
    project_name: Option<ProjectName>,
    /// The licence of the project's code
    #[arg(long, value_enum)]
    license: Option<License>,
    /// Whoever holds the copyright; '' for nobody
    #[arg(long, value_name = "TEXT")]
    owner: Option<Holder>,
    /// Watch the namespaces listed in `WATCH_NAMESPACE` with a Role, and not the whole cluster
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    namespaced: Option<bool>,
    /// Where the project has the crate from that its operator runs on
    #[arg(long, value_enum, value_name = "SOURCE")]
    manager: Option<ManagerSource>,
    /// The parts of that crate which not every operator needs, and this one has; without a value none
    #[arg(long, value_enum, value_name = "FEATURES", num_args = 0.., value_delimiter = ',')]
    manager_features: Option<Vec<ManagerFeature>>,
    /// The newest Kubernetes whose API the code may use
    #[arg(long, value_enum, value_name = "VERSION")]
    kubernetes_version: Option<KubernetesVersion>,
}

impl Edit {
    pub fn run(self, session: &Session) -> Result<()> {
        let changes = self.changes;
        let operation = ops::Edit {
            domain: changes.domain,
            name: changes.project_name,
            namespaced: changes.namespaced,
            license: changes.license,
            owner: changes.owner,
            kubernetes_version: changes.kubernetes_version,
            manager: changes.manager,
            manager_features: changes
                .manager_features
                .map(|features| features.into_iter().collect()),
            dry_run: self.dry_run,
        };
        operation.run(session)
    }
}
