//! `rustop create`.

mod api;
mod bundle;
mod chart;
mod webhook;

use clap::{Args, Subcommand};

use crate::cmd::format::Format;
use crate::cmd::part_options::PartOptions;
use crate::ops::{CreatePart, CreateSimulation, Result};
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
    Bundle(bundle::CreateBundle),
    Chart(chart::CreateChart),
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
    Ci(PartOptions),
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
    Dashboard(PartOptions),
    /// Add a development container in .devcontainer/, and a CONTRIBUTING.md for new contributors
    ///
    /// The container provides Rust, kubectl, make and Go, and installs rustop and its control
    /// plane. All files can be edited.
    #[command(after_help = "Examples:
  rustop create devcontainer
  devcontainer up --workspace-folder .")]
    Devcontainer(PartOptions),
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
    E2e(PartOptions),
    /// Add a `NetworkPolicy` in config/network-policy/
    ///
    /// Allows requests for metrics from namespaces with the label `metrics: enabled`, and requests
    /// to the webhooks. It takes effect when you uncomment ../network-policy in
    /// config/default/kustomization.yaml.
    #[command(after_help = "Examples:
  rustop create network-policy
  rustop create network-policy --dry-run")]
    NetworkPolicy(PartOptions),
    /// Add a `ServiceMonitor` for the Prometheus Operator in config/prometheus/
    ///
    /// Also binds the role that may read the metrics to the account of Prometheus. Both take effect
    /// when you uncomment ../prometheus in config/default/kustomization.yaml. All files can be
    /// edited.
    #[command(after_help = "Examples:
  rustop create prometheus
  rustop create prometheus --dry-run")]
    Prometheus(PartOptions),
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
    Release(PartOptions),
    /// Add the simulation of the operator in tests/simulation.rs again
    ///
    /// The first `rustop create api` and `rustop upgrade` have already added it. This command is
    /// for a project that has deleted the file. The file can be edited: it lists what the simulated
    /// histories check.
    #[command(after_help = "Examples:
  rustop create simulation
  rustop create simulation --dry-run")]
    Simulation(PartOptions),
    Webhook(webhook::CreateWebhook),
}

impl Create {
    pub fn run(self, session: &Session) -> Result<()> {
        let (part, PartOptions { dry_run }) = match self.what {
            CreateCommand::Api(args) => return args.run(session),
            CreateCommand::Bundle(args) => return args.run(session),
            CreateCommand::Chart(args) => return args.run(session),
            CreateCommand::Simulation(PartOptions { dry_run }) => {
                return CreateSimulation { dry_run }.run(session);
            }
            CreateCommand::Webhook(args) => return args.run(session),
            CreateCommand::Ci(options) => (Part::Ci, options),
            CreateCommand::Dashboard(options) => (Part::Dashboard, options),
            CreateCommand::Devcontainer(options) => (Part::Devcontainer, options),
            CreateCommand::E2e(options) => (Part::E2e, options),
            CreateCommand::NetworkPolicy(options) => (Part::NetworkPolicy, options),
            CreateCommand::Prometheus(options) => (Part::Prometheus, options),
            CreateCommand::Release(options) => (Part::Release, options),
        };
        CreatePart { part, dry_run }.run(session)
    }
}
