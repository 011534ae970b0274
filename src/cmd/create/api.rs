//! `rustop create api`.

use clap::Args;

use crate::names::{Group, Kind, Plural, Version};
use crate::ops::{self, Result};
use crate::session::Session;

/// Add a kind: its type, its CRD, a controller, a sample, roles and a test
///
/// A further version of a kind begins as a copy of the newest one, and shares its controller. What is to be
/// done until the old version can go is printed then.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop create api --kind Lolcow                                   # my.domain/v1alpha1
  rustop create api --group batch --version v1 --kind CronJob       # batch.my.domain/v1
  rustop create api --kind Lolcow --version v1                      # a second version, a copy of the first
  rustop create api --kind Pasture --cluster-scoped --no-controller
  rustop create api --group apps --version v1 --kind Deployment --no-resource
  rustop create api --group cert-manager.io --version v1 --kind Certificate --no-resource")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct CreateApi {
    /// The kind, in `PascalCase`
    #[arg(long)]
    kind: Kind,
    /// What stands before the domain in the API group; with --no-resource, someone else's group
    #[arg(long)]
    group: Option<Group>,
    /// The API version [default: v1alpha1, or that of a built-in kind]
    #[arg(long = "version", value_name = "VERSION")]
    api_version: Option<Version>,
    /// The plural [default: the English plural of the kind]
    #[arg(long)]
    plural: Option<Plural>,
    /// Objects live in the cluster, not in namespaces
    #[arg(long)]
    cluster_scoped: bool,
    /// No controller: the type, its CRD and a sample only
    #[arg(long)]
    no_controller: bool,
    /// No CRD: a controller for a kind of Kubernetes, of someone else or already in the project
    #[arg(long, conflicts_with = "no_controller")]
    no_resource: bool,
    /// Say what would be written and write nothing
    #[arg(long)]
    dry_run: bool,
}

impl CreateApi {
    pub fn run(self, session: &Session) -> Result<()> {
        let operation = ops::CreateApi {
            kind: self.kind,
            group: self.group,
            version: self.api_version,
            plural: self.plural,
            cluster_scoped: self.cluster_scoped,
            controller: !self.no_controller,
            resource: !self.no_resource,
            dry_run: self.dry_run,
        };
        operation.run(session)
    }
}
