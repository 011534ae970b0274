//! `rustop edit`.

use clap::Args;

use super::format::Format;
use crate::names::{Domain, ProjectName};
use crate::ops::{self, DescriptionLimit, Holder, Result};
use crate::project::{KubernetesVersion, License, ManagerFeature, ManagerSource};
use crate::session::Session;

/// Change settings that were chosen at `rustop init`
///
/// Regenerates generated files and merges the change into user files, like `rustop upgrade`. If you
/// changed the same lines, the command writes git's conflict markers, fails and lists the files. It
/// also lists references to the old values that remain in user files and in clusters.
#[derive(Args, Debug)]
#[command(override_usage = "rustop edit [OPTIONS] <CHANGE>...")]
#[command(after_help = "Examples:
  rustop edit --domain other.domain --project-name cow-operator
  rustop edit --namespaced             # a Role, and WATCH_NAMESPACE; undo: --namespaced=false
  rustop edit --license mit --owner 'The Lolcow Authors' --dry-run -v
  rustop edit --manager registry       # a dependency in Cargo.toml instead of vendor/rustop-manager
  rustop edit --manager-features inspect")]
pub struct Edit {
    #[command(flatten)]
    pub format: Format,
    #[command(flatten)]
    changes: Changes,
    /// Print the changes without writing any file
    #[arg(long)]
    dry_run: bool,
}

/// The settings to change.
#[derive(Args, Debug)]
#[group(required = true, multiple = true)]
struct Changes {
    /// Domain suffix of the project's API groups; use a domain that you own
    #[arg(long)]
    domain: Option<Domain>,
    /// Name of the project
    #[arg(long, value_name = "NAME")]
    project_name: Option<ProjectName>,
    /// Licence of the project's code
    #[arg(long, value_enum)]
    license: Option<License>,
    /// Copyright holder; '' removes it
    #[arg(long, value_name = "TEXT")]
    owner: Option<Holder>,
    /// Watch only the namespaces listed in `WATCH_NAMESPACE`, with a Role instead of a ClusterRole
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    namespaced: Option<bool>,
    /// Source of the runtime crate `rustop-manager`
    #[arg(long, value_enum, value_name = "SOURCE")]
    manager: Option<ManagerSource>,
    /// Optional features of `rustop-manager` to enable; without a value none
    #[arg(long, value_enum, value_name = "FEATURES", num_args = 0.., value_delimiter = ',')]
    manager_features: Option<Vec<ManagerFeature>>,
    /// Maximum length of descriptions in CRDs, in characters; 0 omits them, `none` removes the
    /// limit
    #[arg(long, value_name = "CHARACTERS")]
    max_description_length: Option<DescriptionLimit>,
    /// Newest Kubernetes version whose API the code may use
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
            max_description_length: changes.max_description_length,
            dry_run: self.dry_run,
        };
        operation.run(session)
    }
}
