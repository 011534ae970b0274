//! `rustop manifests --against`: the CRDs of the project beside those that were.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::Api;
use serde_json::Value;

use super::{Result, runtime};
use crate::client;
use crate::compat;
use crate::compat::before::Before;
use crate::crd::{self, Crd};
use crate::diagnostic::lints::compat::{CRD_GONE, Harm, harm};
use crate::diagnostic::{Diagnostic, Problems, Severity, judge};
use crate::lint;
use crate::project;
use crate::session::Session;
use crate::sources::types::Types;
use crate::sources::{Sources, allow};
use crate::text::count;

/// The CRDs that were.
pub struct Against {
    /// As it is written after `--against`.
    name: String,
    /// None of a cluster: it is asked for those that the project has.
    crds: Option<Vec<Value>>,
}

impl Against {
    /// Reads them, before anything that takes long.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn read(session: &Session, name: &str) -> Result<Self> {
        let crds = match Before::of(name, &session.here)? {
            Before::Cluster => None,
            before => Some(before.crds(&session.dir)?),
        };
        let name = name.to_owned();
        Ok(Self { name, crds })
    }
}

/// Shows what needs care when the CRDs follow those of `against`, but for what is allowed there, and gives it back.
///
/// # Errors
/// When something would break, or the cluster cannot be asked.
pub fn check(
    session: &Session,
    crds: &[Crd],
    sources: &Sources,
    against: &Against,
    deny_warnings: bool,
) -> Result<Vec<Diagnostic>> {
    let asked;
    let before = if let Some(before) = &against.crds {
        before
    } else {
        asked = of_cluster(crds)?;
        &asked
    };
    let against = &against.name;
    let found = compared(&sources.types, crds, before, against);
    // A comment that is about another comparison is not left over.
    let mut found = allow::settle(found, &sources.scan.allows, []);
    for diagnostic in &mut found {
        let harm = diagnostic.rule.map(harm);
        if harm.is_some_and(|harm| harm > Harm::Care) {
            diagnostic.severity = Severity::Error;
        }
    }
    let found = judge(found, deny_warnings).map_err(Problems)?;
    for warning in &found {
        session.terminal.diagnostic(warning);
    }
    let crds = count(before.len(), "CRD");
    let against = format_args!("with {crds} of {against}: nothing breaks");
    session.terminal.status("Compared", against);
    Ok(found)
}

fn compared(types: &Types, crds: &[Crd], before: &[Value], against: &str) -> Vec<Diagnostic> {
    let name = |crd: &Value| {
        crd["metadata"]["name"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let mut found = Vec::new();
    let mut gone = Vec::new();
    for old in before {
        match crds.iter().find(|crd| name(&crd.json) == name(old)) {
            Some(crd) => {
                let old = crd::comparable(old.clone());
                let of_crd = compat::compare(&old, &crd.json).into_iter();
                found.extend(of_crd.map(|finding| (crd, finding)));
            }
            None => gone.push(name(old)),
        }
    }
    let mut found = lint::located(types, found);
    found.extend(gone.into_iter().map(|name| {
        let message = format!("{name}: {against} has this CRD and the project does not");
        let help = format!("to delete it with all of its objects: kubectl delete crd {name}");
        Diagnostic::file(project::FILE.as_ref(), message)
            .warning(&CRD_GONE)
            .help(help)
    }));
    found
}

/// The CRDs as a cluster has them, with the versions that objects are stored in; those that it lacks are new.
fn of_cluster(crds: &[Crd]) -> Result<Vec<Value>> {
    runtime()?.block_on(async {
        let (client, _) = client::connect(None).await?;
        let api = Api::<CustomResourceDefinition>::all(client);
        let mut found = Vec::new();
        for crd in crds {
            let name = crd.json["metadata"]["name"].as_str().unwrap_or_default();
            let what = format!("customresourcedefinition/{name}");
            let there = api
                .get_opt(name)
                .await
                .map_err(client::Error::refused(what))?;
            found.extend(there.and_then(|crd| serde_json::to_value(crd).ok()));
        }
        Ok(found)
    })
}
