//! Errors of the import of CRDs.

use std::collections::BTreeSet;
use std::io;

use thiserror::Error;

use crate::crd::DEEPEST;
use crate::terminal::escaped_line;
use crate::text::{shell_quoted, shell_word};

/// The advice for a CRD that is nested too deeply.
const UNTYPED: &str = "replace the schema of a deep object by `{type: object, x-kubernetes-preserve-unknown-fields: true}`";

/// The advice for a text that contains no CRD, wherever it comes from.
const FROM_A_CLUSTER: &str = "pass YAML or JSON with a CRD; `kubectl get crds` lists those of a cluster, and `kubectl get crd NAME --output yaml` prints one";

/// The `apiVersion` of CRDs before `apiextensions.k8s.io/v1`.
pub const OLD_API: &str = "apiextensions.k8s.io/v1beta1";

/// A reason why nothing was imported.
#[derive(Debug, Error)]
pub enum ImportError {
    /// The text cannot be parsed as YAML or JSON, or exceeds a limit of the parser.
    #[error("{from} cannot be read as YAML or JSON: {reason}")]
    NotYaml {
        /// The source of the text.
        from: String,
        reason: String,
        /// True if the text is valid, and nested too deeply.
        is_too_deep: bool,
    },
    /// The text is a web page.
    #[error("{from} is a web page, not a CRD")]
    Html {
        /// The source of the text.
        from: String,
    },
    /// The text contains no CRD.
    #[error("{from} contains no CustomResourceDefinition; it contains {found}")]
    NoCrd {
        /// The source of the text.
        from: String,
        /// The kinds that the text contains.
        found: String,
    },
    /// The CRD is of v1beta1, which no API server serves any longer.
    #[error("{name} is a CRD of {OLD_API}, which Kubernetes 1.22 removed")]
    OldApi {
        /// The name of the CRD.
        name: String,
    },
    /// The CRD is invalid, has a name that is not valid in a project, or occurs twice with
    /// different contents.
    #[error("{name}: {reason}")]
    Broken {
        /// The name of the CRD.
        name: String,
        reason: String,
    },
    /// The CRD is nested more deeply than the project could read it back.
    #[error(
        "{name} nests mappings and lists {depth} levels deep; the JSON parser of `rustop manifests` and of the project's tests \
         reads CRDs of at most {DEEPEST} levels"
    )]
    TooDeep {
        /// The name of the CRD.
        name: String,
        /// The number of levels.
        depth: usize,
    },
    /// Parts of CRDs that Rust types cannot express.
    #[error("{}", lines(crds))]
    Inexpressible {
        /// The CRDs with these parts.
        crds: Vec<Inexpressible>,
    },
    /// The text cannot be read.
    #[error("{from} cannot be read")]
    Unreadable {
        /// The source of the text.
        from: String,
        source: io::Error,
    },
    /// The URL has a protocol that is not encrypted, or that rustop does not know.
    #[error(
        "{from} cannot be read: only https:// URLs are read, because other protocols do not prove the origin"
    )]
    NotHttps {
        /// The URL.
        from: String,
    },
    /// The server did not send the text.
    #[error("{from} cannot be downloaded: {reason}")]
    NotDownloaded {
        /// The URL.
        from: String,
        reason: String,
    },
    /// The cluster does not have the CRD.
    #[error("the cluster at {server} has no CRD {name}")]
    NotInCluster {
        /// The URL of the API server.
        server: String,
        /// The requested name of the CRD.
        name: String,
    },
    /// The CRD no longer has a version for which the project has types.
    #[error("{name} no longer has version {version}, for which the project has types")]
    VersionGone {
        /// The name of the CRD.
        name: String,
        version: String,
        /// The command that removes the types of the version.
        command: String,
    },
    /// The text does not contain the requested kind.
    #[error("{from} has no kind {kind}; it has {kinds}")]
    NoKind {
        /// The source of the text.
        from: String,
        kind: String,
        /// The kinds that the text contains.
        kinds: String,
    },
}

/// A CRD with parts that Rust types cannot express.
#[derive(Debug)]
pub struct Inexpressible {
    /// The name of the CRD.
    pub name: String,
    /// The places of these parts.
    pub places: Vec<Refusal>,
}

/// A part of a CRD that Rust types cannot express.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Refusal {
    /// The path of the part: `v1.spec.replicas`.
    pub path: String,
    /// The keyword of the schema.
    pub keyword: String,
    /// The reason why the keyword is rejected.
    pub reason: &'static str,
}

impl crate::error::Failure for ImportError {
    fn is_report(&self) -> bool {
        matches!(self, Self::Inexpressible { .. })
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            Self::Inexpressible { crds } => return Some(help_for_inexpressible(crds)),
            Self::VersionGone { command, .. } => return Some(format!("first: {command}")),
            Self::NotHttps { from } => {
                return Some(format!(
                    "if you trust its origin: `curl --fail --location {} | rustop create api --from-crd -`",
                    shell_word(from)
                ));
            }
            Self::NotDownloaded { reason, .. } if reason.contains("invalid peer certificate") => {
                "name the file with the certificate of its authority, in PEM: `export SSL_CERT_FILE=FILE`"
            }
            Self::NotDownloaded { from, .. } => {
                return Some(format!(
                    "correct the URL, or see what the server answers: `curl --include --location {}`",
                    shell_word(from)
                ));
            }
            Self::Unreadable { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                "name a file, relative to the project or to the current directory; a CRD of the cluster is `--from-crd cluster:NAME`"
            }
            Self::TooDeep { .. }
            | Self::NotYaml {
                is_too_deep: true, ..
            } => UNTYPED,
            Self::NotYaml { .. } | Self::NoCrd { .. } => FROM_A_CLUSTER,
            Self::NotInCluster { .. } => "`kubectl get crds` lists the CRDs of the cluster",
            Self::Html { .. } => {
                "pass the URL of the file's text; on GitHub, it starts with https://raw.githubusercontent.com/"
            }
            Self::OldApi { .. } => {
                "convert it first with `kubectl convert`, or use a newer release of its project"
            }
            Self::NoKind { .. } => "name one of them with --kind",
            Self::Broken { .. } | Self::Unreadable { .. } => return None,
        };
        Some(help.to_owned())
    }
}

/// Returns the flags that leave parts of CRDs out.
fn help_for_inexpressible(crds: &[Inexpressible]) -> String {
    let flags: BTreeSet<_> = crds
        .iter()
        .flat_map(|crd| &crd.places)
        .map(|place| format!("--allow {}", shell_quoted(&place.path)))
        .collect();
    let flags: Vec<_> = flags.into_iter().collect();
    format!("to leave these out of the CRD, add {}", flags.join(" "))
}

/// Returns one line per CRD, each followed by its places.
fn lines(crds: &[Inexpressible]) -> String {
    let lines = crds.iter().flat_map(|crd| {
        let places = crd.places.iter().map(|place| format!("  {place}"));
        std::iter::once(format!("{} cannot be imported whole:", crd.name)).chain(places)
    });
    let lines = lines.map(|line| escaped_line(&line));
    lines.collect::<Vec<_>>().join("\n")
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}: {}", self.path, self.keyword, self.reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Failure as _;

    #[test]
    fn only_an_error_of_tls_leads_to_the_certificate_file() {
        for (reason, is_of_tls) in [
            ("io: invalid peer certificate: UnknownIssuer", true),
            ("bad uri: https://example.org/certificates.yaml", false),
        ] {
            let error = ImportError::NotDownloaded {
                from: "https://example.org/certificates.yaml".to_owned(),
                reason: reason.to_owned(),
            };
            let help = error.help().unwrap();
            assert_eq!(help.contains("SSL_CERT_FILE"), is_of_tls, "{help}");
        }
    }
}
