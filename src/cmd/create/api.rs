//! `rustop create api`.

use clap::error::ErrorKind;
use clap::{Args, Command};

use crate::cmd::kubebuilder::CreateApiFlags;
use crate::cmd::usage;
use crate::names::{Group, Image, Kind, Plural, Version};
use crate::ops::{self, Result};
use crate::resource::Workload;
use crate::session::Session;

/// Add a kind with its type, CRD, controller, sample, roles and test
///
/// Another version of an existing kind starts as a copy of the newest version and shares its
/// controller. The command then prints the steps that remain until the old version can be removed.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop create api --kind Lolcow                                   # my.domain/v1alpha1
  rustop create api --group batch --version v1 --kind CronJob       # batch.my.domain/v1
  rustop create api --kind Lolcow --version v1                      # a copy of the first version
  rustop create api --kind Page --image nginx:1.29 --image-container-port 80
  rustop create api --kind Pasture --cluster-scoped --no-controller
  rustop create api --group apps --version v1 --kind Deployment --no-resource
  rustop create api --group cert-manager.io --version v1 --kind Certificate --no-resource
  rustop create api --from-crd crds/lolcows.yaml                    # types of an existing CRD
  rustop create api --from-crd cluster:certificates.cert-manager.io --no-resource --no-controller")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct CreateApi {
    /// Kind, in `PascalCase`; with --from-crd, the kind to import if the source has several
    #[arg(long, required_unless_present = "from_crd")]
    kind: Option<String>,
    /// Generate the types from an existing CRD: a file, an https:// URL, - or cluster:NAME
    #[arg(long, value_name = "FILE|URL|-|cluster:NAME", conflicts_with_all = ["group", "api_version", "plural", "cluster_scoped"])]
    from_crd: Option<String>,
    /// Omit a field of the CRD that Rust types cannot express; can be repeated
    #[arg(long, value_name = "PATH", requires = "from_crd")]
    allow: Vec<String>,
    /// Part of the API group before the project's domain; with --no-resource, the group of an
    /// existing kind
    #[arg(long)]
    group: Option<Group>,
    /// API version [default: v1alpha1, or the version of a built-in kind]
    #[arg(long = "version", value_name = "VERSION", value_parser = Version::conventional)]
    api_version: Option<Version>,
    /// Plural name of the kind [default: its English plural]
    #[arg(long)]
    plural: Option<Plural>,
    /// Make the kind cluster-scoped instead of namespaced
    #[arg(long)]
    cluster_scoped: bool,
    /// Add only the type, its CRD and a sample, without a controller
    #[arg(long)]
    no_controller: bool,
    /// Add only a controller, for an existing kind: of Kubernetes, of another project or of this
    /// one
    #[arg(long)]
    no_resource: bool,
    /// Scaffold a controller that runs this image: a Deployment and a Service for each object
    #[arg(long, conflicts_with_all = ["cluster_scoped", "from_crd", "no_controller", "no_resource"])]
    image: Option<Image>,
    /// Port that the image listens on
    #[arg(long, value_name = "PORT", default_value_t = 80, requires = "image", value_parser = clap::value_parser!(u16).range(1..))]
    image_container_port: u16,
    /// Command that replaces the image's entrypoint, as comma-separated words
    #[arg(long, value_name = "WORDS", value_delimiter = ',', requires = "image")]
    image_container_command: Vec<String>,
    /// Non-root user ID that the image runs as; its Pods then comply with the `restricted` Pod
    /// security standard
    #[arg(long, value_name = "UID", requires = "image", value_parser = clap::value_parser!(u32).range(1..))]
    run_as_user: Option<u32>,
    /// Print the changes without writing any file; with --from-crd, also the types and every field
    /// that they cannot express
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    kubebuilder: CreateApiFlags,
}

impl CreateApi {
    /// Adds the kind, or the kinds of `--from-crd`. Exits with status 2 if the options contradict
    /// each other.
    pub fn run(mut self, session: &Session) -> Result<()> {
        self.cluster_scoped |= self.kubebuilder.is_cluster_scoped();
        self.no_controller |= self.kubebuilder.is_without_controller();
        self.no_resource |= self.kubebuilder.is_without_resource();
        // clap does not know that kubebuilder's flags are synonyms of these, so conflicts with them
        // are checked here.
        let is_restricted = self.cluster_scoped || self.no_controller || self.no_resource;
        if self.image.is_some() && is_restricted {
            let text = "the argument '--image' cannot be used with '--cluster-scoped', '--no-controller' or '--no-resource'";
            exit_with_usage_error(ErrorKind::ArgumentConflict, text);
        }
        if self.from_crd.is_some() && self.cluster_scoped {
            let text = "the argument '--from-crd' cannot be used with '--namespaced=false': the CRD has a scope";
            exit_with_usage_error(ErrorKind::ArgumentConflict, text);
        }
        if let Some(from) = self.from_crd {
            let operation = ops::CreateApiFromCrd {
                from,
                kind: self.kind,
                controller: !self.no_controller,
                resource: !self.no_resource,
                allow: self.allow,
                dry_run: self.dry_run,
            };
            return operation.run(session);
        }
        if self.no_controller && self.no_resource {
            let text = "the argument '--no-resource' cannot be used with '--no-controller' without '--from-crd'";
            exit_with_usage_error(ErrorKind::ArgumentConflict, text);
        }
        let kind = self.kind.unwrap_or_default();
        // The kind of an existing type need not follow rustop's naming conventions.
        let parsed = if self.no_resource {
            kind.parse()
        } else {
            Kind::conventional(&kind)
        };
        let kind = parsed.unwrap_or_else(|error| {
            let text = format!("invalid value '{kind}' for '--kind <KIND>': {error}");
            exit_with_usage_error(ErrorKind::ValueValidation, &text)
        });
        let operation = ops::CreateApi {
            kind,
            group: self.group,
            version: self.api_version,
            plural: self.plural,
            cluster_scoped: self.cluster_scoped,
            controller: !self.no_controller,
            workload: self.image.map(|image| Workload {
                container_command: self.image_container_command,
                container_port: self.image_container_port,
                image,
                run_as_user: self.run_as_user,
            }),
            resource: !self.no_resource,
            dry_run: self.dry_run,
        };
        operation.run(session)
    }
}

/// Prints `text` as an error of clap with the usage of this command, and exits with status 2.
fn exit_with_usage_error(kind: ErrorKind, text: &str) -> ! {
    let command = Command::new("api").bin_name("rustop create api");
    usage::escaped(CreateApi::augment_args(command).error(kind, text)).exit()
}
