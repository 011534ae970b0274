//! `rustop docs`.

use clap::Args;

use super::format::Format;
use crate::ops;

/// Generate a reference of the project's kinds for their users
///
/// Documents the fields of each version with types, defaults, limits and rules, the samples, the
/// differences between versions, and the conditions and permissions of the operator. Builds the
/// types to generate their CRDs. `rustop manifests` updates docs/api.md and docs/api.html, if the
/// project has them, and `rustop manifests --check` reports them if they are stale.
///
/// Types of Kubernetes, such as a Pod template, are links to the reference of Kubernetes. --expand
/// documents their fields, after those of the kind.
///
/// --crds documents CRDs without a project, for example those of an operator in Go.
#[derive(Args, Debug)]
#[group(skip)]
#[command(after_help = "Examples:
  rustop docs                                # write docs/api.md
  rustop docs --format html                  # write docs/api.html, one page without scripts
  rustop docs --check                        # write nothing; exit 1 if docs/api.md is stale
  rustop docs --crds crds/*.yaml             # the CRDs of any operator, without a project
  rustop docs --crds config/crd/bases --samples config/samples --output-path docs/reference.md")]
pub struct Docs {
    #[command(flatten)]
    pub format: Format,
    #[command(flatten)]
    pub operation: ops::Docs,
}
