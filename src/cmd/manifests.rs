//! `rustop manifests`.

use clap::Args;

use crate::ops;

/// Generate CRDs from the Rust types, and roles and webhook configurations from the markers
///
/// Builds the types to generate their CRDs. Also updates the project's Helm chart, OLM bundle,
/// dashboards and API reference, if it has them.
///
/// In an adopted project, compares the committed CRDs with those that the project's command
/// generates, and updates them.
#[derive(Args, Debug)]
#[group(skip)]
#[command(after_help = "Examples:
  rustop manifests            # update config/, charts/, bundle/, grafana/ and docs/api.*
  rustop manifests --check    # write nothing; print a diff and exit 1 if files are out of date
  rustop manifests --check --deny-warnings --output sarif > rustop.sarif    # for code scanning
  rustop manifests --check --against origin/main     # report breaking changes of CRDs since main
  rustop manifests --check --against cluster         # or compared with the kubeconfig's cluster

rustop reads controller-gen's markers in the workspace members that the operator is built from,
except in their tests, examples and benches. `+kubebuilder:webhook` has three additional arguments,
with selectors in kubectl's syntax. Markers with the same name form one webhook with several rules:
  namespaceSelector=env=prod;!legacy        objectSelector=`tier in (web, api)`
  matchConditions=`not-leases: request.resource.resource != \"leases\"`

The JSON output has the fields `written`, a boolean; `changes`, each with `path`, `action` (create,
update or remove) and `diff`; and `diagnostics`, each with `severity` (error or warning), `rule`,
`message`, `help`, `path`, `line`, `column` and `endColumn`, which are null if unknown.
Columns count characters, from 1.")]
pub struct Manifests {
    #[command(flatten)]
    pub operation: ops::Manifests,
}
