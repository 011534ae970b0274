//! `rustop create`.

mod api;

use clap::{Args, Subcommand};

use crate::cmd::format::Format;
use crate::ops::{CreateBundle, CreateChart, CreatePart, CreateSimulation, CreateWebhook, Result};
use crate::project::Part;
use crate::session::Session;

/// Add an API, webhooks or another optional part to the project
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop create api --kind Lolcow
  rustop create api --group batch --version v1 --kind CronJob
  rustop create webhook --kind Lolcow --validation
  rustop create chart
  rustop create bundle
  rustop create ci
  rustop create prometheus
  rustop create dashboard
  rustop create network-policy
  rustop create e2e
  rustop create release
  rustop create simulation
  rustop create devcontainer")]
pub struct Create {
    #[command(flatten)]
    pub format: Format,
    #[command(subcommand)]
    what: CreateCommand,
}

#[derive(Debug, Subcommand)]
enum CreateCommand {
    Api(api::CreateApi),
    /// Add a bundle for the Operator Lifecycle Manager (registry+v1) in bundle/
    ///
    /// `rustop manifests` updates bundle/manifests from config/ and the types, and `rustop
    /// manifests --check` fails if it is out of date. Edit the description, icon, provider, links
    /// and `replaces` in config/manifests/clusterserviceversion.yaml. bundle/metadata and
    /// bundle.Dockerfile can be edited, too. The version comes from Cargo.toml.
    #[command(after_help = "Examples:
  rustop create bundle && rustop manifests
  docker build -f bundle.Dockerfile -t registry.example.com/lolcow-operator-bundle:v0.1.0 bundle")]
    Bundle(CreateBundle),
    /// Add a Helm chart with the CRDs, roles, webhooks and Deployment of the operator in
    /// charts/NAME
    ///
    /// `rustop manifests` updates the chart from config/, and `rustop manifests --check` fails if
    /// it is out of date. Chart.yaml, values.yaml and files that you add to templates/ are never
    /// overwritten; all others are generated. With default values the chart installs the same
    /// objects as config/default, except for the Namespace: use helm install --create-namespace.
    #[command(after_help = "Examples:
  rustop create chart && rustop manifests
  rustop create chart --name lolcow
  helm install lolcow-operator charts/lolcow-operator \\
    --namespace lolcow-operator-system --create-namespace")]
    Chart(CreateChart),
    /// Add workflows that lint, simulate, torture and upgrade the project in .github/workflows/,
    /// and rules for its dependencies
    ///
    /// Adds lint.yml for pull requests, nightly.yml for simulation and fault injection, and
    /// upgrade.yml, which opens a pull request if there is a newer rustop; .github/deny.toml for
    /// cargo-deny, and .github/dependabot.yml. `rustop init` has created test.yml. All files can be
    /// edited.
    #[command(after_help = "Examples:
  rustop create ci
  rustop create ci --dry-run")]
    Ci(CreatePart),
    /// Add Grafana dashboards in grafana/, and Prometheus alerts with runbooks in docs/runbooks/
    ///
    /// Adds one dashboard for the operator and one for each kind with a controller. `rustop
    /// manifests` updates them, and `rustop manifests --check` fails if they are out of date.
    /// Import them into Grafana 10 or newer, or put them into a `ConfigMap` for Grafana's sidecar.
    /// Edit the alerts in config/prometheus/rules.yaml and the runbooks: their thresholds and URLs
    /// depend on your environment.
    #[command(after_help = "Examples:
  rustop create dashboard
  rustop create dashboard --dry-run
  kubectl create configmap lolcow-dashboards --from-file=grafana/ \\
    --from-file=grafana/controllers/")]
    Dashboard(CreatePart),
    /// Add a development container in .devcontainer/, and a CONTRIBUTING.md for new contributors
    ///
    /// The container provides Rust, kubectl, make and Go, and installs rustop and its control
    /// plane. All files can be edited.
    #[command(after_help = "Examples:
  rustop create devcontainer
  devcontainer up --workspace-folder .")]
    Devcontainer(CreatePart),
    /// Add end-to-end tests of the deployed operator in tests/e2e.rs, and a workflow that runs them
    /// on kind
    ///
    /// The tests deploy the image IMG to the cluster of the current kubeconfig. They check that its
    /// Pods comply with the `restricted` Pod security standard, create, update and delete each
    /// sample, request metrics with and without a token, and kill the leader. With FROM they first
    /// deploy an earlier release, and check that its objects survive the upgrade. Both files can be
    /// edited.
    #[command(after_help = "Examples:
  rustop create e2e
  make test-e2e IMG=registry.example.com/lolcow-operator:v0.2.0
  make test-e2e IMG=... FROM=https://example.com/releases/v0.1.0/install.yaml")]
    E2e(CreatePart),
    /// Add a `NetworkPolicy` in config/network-policy/
    ///
    /// Allows requests for metrics from namespaces with the label `metrics: enabled`, and requests
    /// to the webhooks. It takes effect when you uncomment ../network-policy in
    /// config/default/kustomization.yaml.
    #[command(after_help = "Examples:
  rustop create network-policy
  rustop create network-policy --dry-run")]
    NetworkPolicy(CreatePart),
    /// Add a `ServiceMonitor` for the Prometheus Operator in config/prometheus/
    ///
    /// Also binds the role that may read the metrics to the account of Prometheus. Both take effect
    /// when you uncomment ../prometheus in config/default/kustomization.yaml. All files can be
    /// edited.
    #[command(after_help = "Examples:
  rustop create prometheus
  rustop create prometheus --dry-run")]
    Prometheus(CreatePart),
    /// Add a workflow that publishes a release for each tag in .github/workflows/release.yml
    ///
    /// The workflow builds the image for amd64 and arm64 without emulation and pushes it to
    /// GitHub's registry, with an SBOM, provenance and a signature. The GitHub release contains
    /// dist/install.yaml and the SBOM, and the chart and the bundle if the project has them. Tags
    /// must be `v` followed by the version in Cargo.toml.
    #[command(after_help = "Examples:
  rustop create release
  git tag v0.1.0 && git push origin v0.1.0
  cosign verify ghcr.io/OWNER/lolcow-operator:v0.1.0 \\
    --certificate-oidc-issuer https://token.actions.githubusercontent.com \\
    --certificate-identity-regexp ^https://github.com/OWNER/lolcow-operator/")]
    Release(CreatePart),
    /// Add the simulation of the operator in tests/simulation.rs again
    ///
    /// The first `rustop create api` and `rustop upgrade` have already added it. This command is
    /// for a project that has deleted the file. The file can be edited: it lists what the simulated
    /// histories check.
    #[command(after_help = "Examples:
  rustop create simulation
  rustop create simulation --dry-run")]
    Simulation(CreateSimulation),
    /// Add defaulting, validating or conversion webhooks to a kind
    ///
    /// The operator serves the webhooks and manages their certificate. A rule that CEL can express
    /// needs no webhook: see the comments in the created files.
    ///
    /// A conversion covers all versions of a kind. Defaulting and validation are implemented for
    /// one version; the API server converts objects of all other versions to it before the call. To
    /// move them to a newer version, add them there, move your code, and delete the old version.
    #[command(after_help = "Examples:
  rustop create webhook --kind Lolcow --defaulting
  rustop create webhook --kind Lolcow --validation                  # adds to existing webhooks
  rustop create webhook --kind Lolcow --conversion                  # once it has two versions
  rustop create webhook --kind Lolcow --version v1 --validation     # for the types of v1
  rustop create webhook --group core --version v1 --kind Pod --defaulting --validation")]
    Webhook(CreateWebhook),
}

impl Create {
    pub fn run(self, session: &Session) -> Result<()> {
        let (part, operation) = match self.what {
            CreateCommand::Api(args) => return args.run(session),
            CreateCommand::Bundle(operation) => return operation.run(session),
            CreateCommand::Chart(operation) => return operation.run(session),
            CreateCommand::Simulation(operation) => return operation.run(session),
            CreateCommand::Webhook(operation) => return operation.run(session),
            CreateCommand::Ci(operation) => (Part::Ci, operation),
            CreateCommand::Dashboard(operation) => (Part::Dashboard, operation),
            CreateCommand::Devcontainer(operation) => (Part::Devcontainer, operation),
            CreateCommand::E2e(operation) => (Part::E2e, operation),
            CreateCommand::NetworkPolicy(operation) => (Part::NetworkPolicy, operation),
            CreateCommand::Prometheus(operation) => (Part::Prometheus, operation),
            CreateCommand::Release(operation) => (Part::Release, operation),
        };
        operation.run(part, session)
    }
}
