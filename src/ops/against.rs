//! The comparison of `rustop manifests --against`: the project's CRDs with those of a baseline.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::Api;
use serde_json::Value;

use super::{Result, runtime};
use crate::adopted;
use crate::client;
use crate::compat;
use crate::compat::baseline::{BaselineError, BaselineSource, check_comparable};
use crate::crd::{self, Crd};
use crate::diagnostic::lints::compat::{CRD_GONE, Harm, harm};
use crate::diagnostic::{Diagnostic, Problems, Severity, sort_and_check};
use crate::lint;
use crate::session::Session;
use crate::sources::Sources;
use crate::sources::allow::{self, Allow};
use crate::sources::types::Types;
use crate::text::count;

/// The baseline: the CRDs to compare with.
pub struct Against {
    /// The value of `--against`.
    name: String,
    /// `None` for a cluster, which is only queried for the CRDs that the project has.
    crds: Option<Vec<Value>>,
}

impl Against {
    /// Creates a baseline from CRDs that the caller has read.
    pub fn of(name: &str, crds: Vec<Value>) -> Self {
        Self {
            name: name.to_owned(),
            crds: Some(crds),
        }
    }

    /// Reads the baseline. Called first, so that a wrong `--against` fails before anything slow
    /// runs.
    ///
    /// # Errors
    /// Returns an error if the baseline cannot be read.
    pub fn read(session: &Session, name: &str) -> Result<Self> {
        let crds = match BaselineSource::of(name, &session.here)? {
            BaselineSource::Cluster => None,
            before => Some(before.crds(&session.dir)?),
        };
        let name = name.to_owned();
        Ok(Self { name, crds })
    }
}

/// Compares the CRDs with the baseline and shows the warnings. Returns them, without the changes
/// that the project accepts: comments in the sources and, if `file`, which describes the project,
/// is `rustop.yaml`, the entries of its `allow`.
///
/// # Errors
/// Returns an error if a change is breaking, if there is a warning and `deny_warnings` is set, or
/// if the cluster cannot be queried.
pub fn check(
    session: &Session,
    crds: &[Crd],
    sources: &Sources,
    against: &Against,
    file: &str,
    deny_warnings: bool,
) -> Result<Vec<Diagnostic>> {
    let cluster_crds;
    let before = if let Some(before) = &against.crds {
        before
    } else {
        cluster_crds = of_cluster(crds)?;
        &cluster_crds
    };
    let against = &against.name;
    let found = compared(&sources.types, crds, before, against, file)?;
    let (found, accepted) = apply_suppressions(found, &sources.scan.allows, file);
    let found = sort_and_check(found, deny_warnings).map_err(Problems)?;
    for warning in &found {
        session.terminal.diagnostic(warning);
    }
    let crds = count(before.len(), "CRD");
    let breaks = match accepted {
        0 if before.is_empty() => "there is nothing to compare".to_owned(),
        0 => "nothing breaks".to_owned(),
        changes => format!(
            "{} accepted by comments in the sources{}, nothing else breaks",
            count(changes, "breaking change"),
            if file == adopted::FILE {
                " or by `allow` in rustop.yaml"
            } else {
                ""
            }
        ),
    };
    let against = format_args!("with {crds} of {against}: {breaks}");
    session.terminal.status("Compared", against);
    Ok(found)
}

/// Removes the accepted changes, and turns the remaining breaking changes into errors. Returns the
/// remaining diagnostics and the number of accepted breaking changes.
fn apply_suppressions(
    found: Vec<Diagnostic>,
    allows: &[Allow],
    file: &str,
) -> (Vec<Diagnostic>, usize) {
    let is_breaking = |diagnostic: &Diagnostic| {
        let harm = diagnostic.rule.map(harm);
        harm.is_some_and(|harm| harm > Harm::Care)
    };
    let before = found.iter().filter(|it| is_breaking(it)).count();
    // A suppression that accepts nothing is not reported: it may be about another baseline.
    let mut found = allow::apply_suppressions(found, allows, []);
    let mut left = 0;
    for diagnostic in found.iter_mut().filter(|it| is_breaking(it)) {
        left += 1;
        diagnostic.severity = Severity::Error;
        diagnostic.help = diagnostic.rule.map(|rule| {
            let help = diagnostic.help.take();
            let help = help.map(|help| format!("{help}; ")).unwrap_or_default();
            let id = rule.id;
            let accept = match diagnostic.place {
                Some(_) => format!(
                    "to accept the change, write `// rustop:allow({id}): reason` above the line, and "
                ),
                None if file == adopted::FILE => format!(
                    "to accept the change, add `- {{rule: {id}, at: {:?}, reason: WHY}}` to `allow` in {file}, and ",
                    diagnostic.subject()
                ),
                None => String::new(),
            };
            format!("{help}{accept}`rustop explain {id}` explains the rule")
        });
    }
    (found, before - left)
}

/// Compares each CRD of the baseline with the CRD of the same name in `crds`. `against` names the
/// baseline and `file` the file that describes the project, for diagnostics about removed CRDs.
fn compared(
    types: &Types,
    crds: &[Crd],
    before: &[Value],
    against: &str,
    file: &str,
) -> std::result::Result<Vec<Diagnostic>, BaselineError> {
    let mut found = Vec::new();
    let mut gone = Vec::new();
    for old in before {
        match crds.iter().find(|crd| name(&crd.json) == name(old)) {
            Some(crd) => {
                check_comparable(old, against)?;
                let old = crd::comparable(old.clone());
                let of_crd = compat::compare(&old, &crd.json).into_iter();
                found.extend(of_crd.map(|finding| (crd, finding)));
            }
            None => gone.push(name(old).to_owned()),
        }
    }
    let mut found = lint::located(types, found);
    found.extend(gone.into_iter().map(|name| {
        let message = format!("{name}: {against} has this CRD and the project does not");
        let help = format!("to delete it with all of its objects: kubectl delete crd {name}");
        Diagnostic::file(file.as_ref(), message)
            .warning(&CRD_GONE)
            .help(help)
    }));
    Ok(found)
}

fn name(crd: &Value) -> &str {
    crd["metadata"]["name"].as_str().unwrap_or_default()
}

/// Returns the cluster's versions of the CRDs, including their `status.storedVersions`. CRDs that
/// the cluster does not have are left out and count as new.
///
/// # Errors
/// Returns an error if the cluster cannot be queried, or has none of the CRDs.
fn of_cluster(crds: &[Crd]) -> Result<Vec<Value>> {
    let names: Vec<_> = crds
        .iter()
        .map(|crd| crd.json["metadata"]["name"].as_str().unwrap_or_default())
        .collect();
    runtime()?.block_on(async {
        let (client, config) = client::connect_limited(None).await?;
        let api = Api::<CustomResourceDefinition>::all(client);
        let mut found = Vec::new();
        for name in &names {
            let what = format!("customresourcedefinition/{name}");
            let there = api
                .get_opt(name)
                .await
                .map_err(client::Error::refused(what))?;
            found.extend(there.and_then(|crd| serde_json::to_value(crd).ok()));
        }
        require_any(&found, &names, &client::address(&config))?;
        Ok(found)
    })
}

/// Checks that the cluster at `server` has at least one CRD of `names`.
///
/// # Errors
/// Returns an error if it has none: the current context may be another cluster than the user
/// thinks, and a comparison with nothing would always succeed.
fn require_any(
    found: &[Value],
    names: &[&str],
    server: &str,
) -> std::result::Result<(), BaselineError> {
    match names.first() {
        Some(name) if found.is_empty() => Err(BaselineError::NotInCluster {
            server: server.to_owned(),
            name: (*name).to_owned(),
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::diagnostic::lints::compat::FIELD_GONE;
    use crate::error::Failure as _;
    use crate::sources::comments::scan;

    #[test]
    fn a_cluster_without_any_of_the_crds_is_an_error() {
        let names = ["cows.my.domain", "pigs.my.domain"];
        let error = require_any(&[], &names, "https://prod:6443/").unwrap_err();
        assert_eq!(
            error.to_string(),
            "the cluster at https://prod:6443/ has none of the project's CRDs, for example cows.my.domain"
        );
        let help = error.help().unwrap();
        assert!(help.contains("kubectl config current-context"), "{help}");
        // One is enough: the other kind is new in the cluster.
        assert!(require_any(&[Value::Null], &names, "").is_ok());
        assert!(require_any(&[], &[], "").is_ok());
    }

    #[test]
    fn an_accepted_change_is_counted_and_an_error_says_how_to_accept_it() {
        let accepted_by = |comment: &str| {
            let text = format!("{comment}\npub struct ShipSpec {{\n}}\n");
            let path = Path::new("api/src/ship.rs");
            let types = format!(
                "#[kube(group = \"g.x\", version = \"v1\", kind = \"Ship\")]{comment}\npub struct ShipSpec {{\n}}\n"
            );
            let types = Types::of_texts([("api/src/ship.rs", types.as_str())]);
            let place = &types.iter().next().unwrap().name;
            let found = place.diagnostic("the field is gone".to_owned());
            let found = found.warning(&FIELD_GONE).help("keep it");
            apply_suppressions(vec![found], &scan(path, &text).allows, crate::project::FILE)
        };
        let (found, accepted) = accepted_by("");
        assert_eq!((found[0].severity, accepted), (Severity::Error, 0));
        assert_eq!(
            found[0].help.as_deref(),
            Some(
                "keep it; to accept the change, write `// rustop:allow(field-gone): reason` above the line, and \
                 `rustop explain field-gone` explains the rule"
            )
        );
        let (found, accepted) = accepted_by("// rustop:allow(field-gone): in no release");
        assert!(found.is_empty() && accepted == 1, "{found:?}");
    }
}
