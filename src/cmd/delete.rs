//! `rustop delete`.

use clap::{Args, Subcommand};

use super::switch::Switch;
use super::webhooks::Webhooks;
use crate::names::{Group, Kind, Version};
use crate::ops::{self, Result};
use crate::project::Part;
use crate::session::Session;

/// Take an API, a version of it, its webhooks, or what else create has added out of the project
///
/// What create makes, delete takes back: files that nobody has changed go, and those that you have changed stay.
/// It says which of them nothing uses any more, and which lines still name what is gone.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop delete api --kind Lolcow
  rustop delete version --kind Lolcow --version v1alpha1
  rustop delete webhook --kind Lolcow --validation
  rustop delete chart
  rustop delete bundle
  rustop delete dashboard
  rustop delete e2e
  rustop delete release
  rustop delete devcontainer")]
pub struct Delete {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Api(DeleteApi),
    /// Take the OLM bundle out of the project
    ///
    /// What you added to it, and what you changed in it, stays, and is named.
    #[command(after_help = "Examples:
  rustop delete bundle
  rustop delete bundle --dry-run")]
    Bundle(Switch),
    /// Take the Helm chart out of the project
    ///
    /// What you added to it, and what you changed in it, stays, and is named.
    #[command(after_help = "Examples:
  rustop delete chart
  rustop delete chart --dry-run")]
    Chart(Switch),
    /// Take the Grafana dashboards and the alerts out of the project
    ///
    /// What you added to them, and what you changed in them, stays, and is named.
    #[command(after_help = "Examples:
  rustop delete dashboard
  rustop delete dashboard --dry-run")]
    Dashboard(Switch),
    /// Take the development container and CONTRIBUTING.md out of the project
    ///
    /// What you added to them, and what you changed in them, stays, and is named.
    #[command(after_help = "Examples:
  rustop delete devcontainer")]
    Devcontainer(Switch),
    /// Take the end-to-end tests and their workflow out of the project
    ///
    /// What you changed in them stays, and is named.
    #[command(after_help = "Examples:
  rustop delete e2e")]
    E2e(Switch),
    /// Take the release workflow out of the project
    ///
    /// If you changed it, it stays, and is named.
    #[command(after_help = "Examples:
  rustop delete release")]
    Release(Switch),
    Version(DeleteVersion),
    Webhook(DeleteWebhook),
}

/// Take a kind out of the project, with all of its versions, its controller and its webhooks
///
/// Its CRD stays in clusters, and its objects with it, until somebody deletes it there. A kind, a group or a
/// plural is not renamed but replaced, since the API server takes them for another kind: create the new one
/// beside the old one, let the controller make a new object of each old one, and delete the old kind when none
/// of its objects is left.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop delete api --kind Lolcow
  rustop delete api --group batch --kind CronJob --dry-run
  rustop delete api --kind Lolcow --no-resource               # its controller alone
  rustop delete api --group apps --kind Deployment     # the controller of a built-in kind")]
struct DeleteApi {
    #[command(flatten)]
    kind: KindArgs,
    /// The version that goes [default: all of them]
    #[arg(long = "version", value_name = "VERSION")]
    api_version: Option<Version>,
    /// The controller alone goes: types and CRD stay
    #[arg(long)]
    no_resource: bool,
}

/// Take a version of a kind out of the project
///
/// The controller and the webhooks of the kind go to the newest version that is left. As long as a cluster
/// has objects that are stored in it, its API server refuses a CRD without the version: see rustop migrate.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop delete version --kind Lolcow --version v1alpha1
  rustop delete version --group batch --kind CronJob --version v1beta1 --dry-run")]
struct DeleteVersion {
    #[command(flatten)]
    kind: KindArgs,
    /// The version that goes
    #[arg(long = "version", value_name = "VERSION")]
    api_version: Version,
}

/// Take webhooks of a kind out of the project
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop delete webhook --kind Lolcow --validation
  rustop delete webhook --kind Lolcow --version v1 --defaulting --validation
  rustop delete webhook --kind Lolcow --conversion")]
struct DeleteWebhook {
    #[command(flatten)]
    kind: KindArgs,
    /// The version that has it [default: the only one]
    #[arg(long = "version", value_name = "VERSION")]
    api_version: Option<Version>,
    #[command(flatten)]
    webhooks: Webhooks,
}

/// What each of them takes.
#[derive(Args, Debug)]
struct KindArgs {
    /// The kind, in `PascalCase`
    #[arg(long)]
    kind: Kind,
    /// Its group, as it was given when it was created
    #[arg(long)]
    group: Option<Group>,
    /// Say what would be written and write nothing
    #[arg(long)]
    dry_run: bool,
}

impl Delete {
    pub fn run(self, session: &Session) -> Result<()> {
        let (part, Switch { dry_run }) = match self.what {
            What::Api(args) => {
                let resource = !args.no_resource;
                return args.kind.api(args.api_version, resource).run(session);
            }
            What::Bundle(Switch { dry_run }) => return ops::DeleteBundle { dry_run }.run(session),
            What::Chart(Switch { dry_run }) => return ops::DeleteChart { dry_run }.run(session),
            What::Version(args) => {
                return args.kind.api(Some(args.api_version), true).run(session);
            }
            What::Webhook(args) => return args.run(session),
            What::Dashboard(switch) => (Part::Dashboard, switch),
            What::Devcontainer(switch) => (Part::Devcontainer, switch),
            What::E2e(switch) => (Part::E2e, switch),
            What::Release(switch) => (Part::Release, switch),
        };
        ops::DeletePart { part, dry_run }.run(session)
    }
}

impl KindArgs {
    fn api(self, version: Option<Version>, resource: bool) -> ops::DeleteApi {
        ops::DeleteApi {
            kind: self.kind,
            group: self.group,
            version,
            resource,
            dry_run: self.dry_run,
        }
    }
}

impl DeleteWebhook {
    fn run(self, session: &Session) -> Result<()> {
        let operation = ops::DeleteWebhook {
            kind: ops::KindName {
                kind: self.kind.kind,
                group: self.kind.group,
                version: self.api_version,
            },
            defaulting: self.webhooks.defaulting,
            validation: self.webhooks.validation,
            conversion: self.webhooks.conversion,
            dry_run: self.kind.dry_run,
        };
        operation.run(session)
    }
}
