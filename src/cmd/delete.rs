//! `rustop delete`.

use clap::{Args, Subcommand};

use super::format::Format;
use crate::ops::{self, Result};
use crate::project::Part;
use crate::session::Session;

/// Remove an API, a version, webhooks or another optional part from the project
///
/// Deletes the files that `rustop create` added, except those that you have changed. Lists the
/// remaining files that are no longer used, and the lines that still refer to the removed part.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop delete api --kind Lolcow
  rustop delete version --kind Lolcow --version v1alpha1
  rustop delete webhook --kind Lolcow --validation
  rustop delete chart
  rustop delete bundle
  rustop delete ci
  rustop delete prometheus
  rustop delete dashboard
  rustop delete network-policy
  rustop delete e2e
  rustop delete release
  rustop delete devcontainer")]
pub struct Delete {
    #[command(flatten)]
    pub format: Format,
    #[command(subcommand)]
    what: DeleteCommand,
}

#[derive(Debug, Subcommand)]
enum DeleteCommand {
    /// Remove a kind with all its versions, its controller and its webhooks from the project
    ///
    /// The CRD and its objects stay in each cluster until you delete the CRD there. A kind, group
    /// or plural cannot be renamed, since the API server treats the new name as another kind:
    /// create the new kind next to the old one, let the controller create a new object for each old
    /// one, and delete the old kind when no objects are left.
    #[command(after_help = "Examples:
  rustop delete api --kind Lolcow
  rustop delete api --group batch --kind CronJob --dry-run
  rustop delete api --kind Lolcow --no-resource               # only its controller
  rustop delete api --group apps --kind Deployment     # the controller of a built-in kind")]
    Api(ops::DeleteApi),
    /// Remove the OLM bundle from the project
    ///
    /// Keeps and lists files that you added or changed.
    #[command(after_help = "Examples:
  rustop delete bundle
  rustop delete bundle --dry-run")]
    Bundle(ops::DeleteBundle),
    /// Remove the Helm chart from the project
    ///
    /// Keeps and lists files that you added or changed.
    #[command(after_help = "Examples:
  rustop delete chart
  rustop delete chart --dry-run")]
    Chart(ops::DeleteChart),
    /// Remove the workflows and rules that `rustop create ci` added
    ///
    /// Keeps and lists files that you changed. The action that installs rustop stays as long as
    /// other workflows use it.
    #[command(after_help = "Examples:
  rustop delete ci
  rustop delete ci --dry-run")]
    Ci(ops::DeletePart),
    /// Remove the Grafana dashboards and the alerts from the project
    ///
    /// Keeps and lists files that you added or changed.
    #[command(after_help = "Examples:
  rustop delete dashboard
  rustop delete dashboard --dry-run")]
    Dashboard(ops::DeletePart),
    /// Remove the development container and CONTRIBUTING.md from the project
    ///
    /// Keeps and lists files that you added or changed.
    #[command(after_help = "Examples:
  rustop delete devcontainer")]
    Devcontainer(ops::DeletePart),
    /// Remove the end-to-end tests and their workflow from the project
    ///
    /// Keeps and lists files that you changed.
    #[command(after_help = "Examples:
  rustop delete e2e")]
    E2e(ops::DeletePart),
    /// Remove the `NetworkPolicy` from the project
    ///
    /// Keeps and lists files that you added or changed, and the lines that still refer to the
    /// removed directory.
    #[command(after_help = "Examples:
  rustop delete network-policy")]
    NetworkPolicy(ops::DeletePart),
    /// Remove the `ServiceMonitor` from the project
    ///
    /// Keeps and lists files that you added or changed, and the lines that still refer to the
    /// removed directory.
    #[command(after_help = "Examples:
  rustop delete prometheus")]
    Prometheus(ops::DeletePart),
    /// Remove the release workflow from the project
    ///
    /// Keeps and lists the file if you changed it.
    #[command(after_help = "Examples:
  rustop delete release")]
    Release(ops::DeletePart),
    /// Remove a version of a kind from the project
    ///
    /// Moves the controller and the webhooks of the kind to the newest remaining version. As long
    /// as a cluster stores objects in the removed version, its API server rejects the new CRD: run
    /// `rustop migrate` first.
    #[command(after_help = "Examples:
  rustop delete version --kind Lolcow --version v1alpha1
  rustop delete version --group batch --kind CronJob --version v1beta1 --dry-run")]
    Version(ops::DeleteVersion),
    /// Remove webhooks of a kind from the project
    #[command(after_help = "Examples:
  rustop delete webhook --kind Lolcow --validation
  rustop delete webhook --kind Lolcow --version v1 --defaulting --validation
  rustop delete webhook --kind Lolcow --conversion")]
    Webhook(ops::DeleteWebhook),
}

impl Delete {
    pub fn run(self, session: &Session) -> Result<()> {
        let (part, operation) = match self.what {
            DeleteCommand::Api(operation) => return operation.run(session),
            DeleteCommand::Bundle(operation) => return operation.run(session),
            DeleteCommand::Chart(operation) => return operation.run(session),
            DeleteCommand::Version(operation) => return operation.run(session),
            DeleteCommand::Webhook(operation) => return operation.run(session),
            DeleteCommand::Ci(operation) => (Part::Ci, operation),
            DeleteCommand::Dashboard(operation) => (Part::Dashboard, operation),
            DeleteCommand::Devcontainer(operation) => (Part::Devcontainer, operation),
            DeleteCommand::E2e(operation) => (Part::E2e, operation),
            DeleteCommand::NetworkPolicy(operation) => (Part::NetworkPolicy, operation),
            DeleteCommand::Prometheus(operation) => (Part::Prometheus, operation),
            DeleteCommand::Release(operation) => (Part::Release, operation),
        };
        operation.run(part, session)
    }
}
