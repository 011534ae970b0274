//! `rustop create`.

mod api;
mod bundle;
mod chart;
mod webhook;

use clap::{Args, Subcommand};

use crate::cmd::switch::Switch;
use crate::ops::{CreatePart, Result};
use crate::project::Part;
use crate::session::Session;

/// Add an API, its webhooks, or what else an operator has to the project
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop create api --kind Lolcow
  rustop create api --group batch --version v1 --kind CronJob
  rustop create webhook --kind Lolcow --validation
  rustop create chart
  rustop create bundle
  rustop create dashboard
  rustop create e2e
  rustop create release
  rustop create devcontainer")]
pub struct Create {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Api(api::CreateApi),
    Bundle(bundle::CreateBundle),
    Chart(chart::CreateChart),
    /// Add Grafana dashboards, grafana/, and alerts for Prometheus, each with a page on what to do, docs/runbooks/
    ///
    /// There is a dashboard of the operator and one of each kind with a controller; `rustop manifests` keeps them true, and
    /// its --check sees when they are not. Import them into Grafana 10 or newer, or let its sidecar find them in a `ConfigMap`.
    /// The alerts, config/prometheus/rules.yaml, and the pages are yours: thresholds and addresses are for you to say.
    #[command(after_help = "Examples:
  rustop create dashboard
  rustop create dashboard --dry-run
  kubectl create configmap lolcow-dashboards --from-file=grafana/ \\
    --from-file=grafana/controllers/")]
    Dashboard(Switch),
    /// Add a development container, .devcontainer/, and CONTRIBUTING.md, a page for whoever joins
    ///
    /// The container has Rust, kubectl, make and Go, with which rustop and its control plane are installed. Both are yours.
    #[command(after_help = "Examples:
  rustop create devcontainer
  devcontainer up --workspace-folder .")]
    Devcontainer(Switch),
    /// Add end-to-end tests, tests/e2e.rs, of the operator as it is deployed, and a workflow that runs them on kind
    ///
    /// They deploy the image IMG to the cluster of the current kubeconfig, look whether it may run where Pods are restricted,
    /// take each sample through its life, ask for metrics with a token and without, and kill the leader. With FROM they deploy
    /// an earlier release first, whose objects have to be there afterwards. Both files are yours to go on from.
    #[command(after_help = "Examples:
  rustop create e2e
  make test-e2e IMG=registry.example.com/lolcow-operator:v0.2.0
  make test-e2e IMG=... FROM=https://example.com/releases/v0.1.0/install.yaml")]
    E2e(Switch),
    /// Add a workflow that makes a release of a tag, .github/workflows/release.yml
    ///
    /// It builds the image for amd64 and arm64 without emulation and pushes it to GitHub's registry, with an SBOM, its
    /// provenance and a signature; a release on GitHub has dist/install.yaml, the SBOM, and the chart and the bundle where the
    /// project has them. The tag is v and the version of Cargo.toml.
    #[command(after_help = "Examples:
  rustop create release
  git tag v0.1.0 && git push origin v0.1.0
  cosign verify ghcr.io/OWNER/lolcow-operator:v0.1.0 \\
    --certificate-oidc-issuer https://token.actions.githubusercontent.com \\
    --certificate-identity-regexp ^https://github.com/OWNER/lolcow-operator/")]
    Release(Switch),
    Webhook(webhook::CreateWebhook),
}

impl Create {
    pub fn run(self, session: &Session) -> Result<()> {
        let (part, Switch { dry_run }) = match self.what {
            What::Api(args) => return args.run(session),
            What::Bundle(args) => return args.run(session),
            What::Chart(args) => return args.run(session),
            What::Webhook(args) => return args.run(session),
            What::Dashboard(switch) => (Part::Dashboard, switch),
            What::Devcontainer(switch) => (Part::Devcontainer, switch),
            What::E2e(switch) => (Part::E2e, switch),
            What::Release(switch) => (Part::Release, switch),
        };
        CreatePart { part, dry_run }.run(session)
    }
}
