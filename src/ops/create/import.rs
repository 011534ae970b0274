//! The operation of `rustop create api --from-crd`.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use ureq::tls::{RootCerts, TlsConfig};

use crate::client;
use crate::cluster::stall_limit;
use crate::disk::regular;
use crate::import::{self, ImportError, Imported};
use crate::ops::imported::{ImportSettings, ImportedVersion};
use crate::ops::{Refusal, Result, Transition, imported, runtime};
use crate::project::{Spellings, Versions};
use crate::resource::{Reported, Resource, Source};
use crate::session::Session;
use crate::text::{sha256, without_secrets};

/// An operation that adds the kinds of existing CRDs to a project.
pub struct CreateApiFromCrd {
    /// A file, an `https://` address, `-` for stdin, or `cluster:NAME` for the CRD of that name in
    /// the cluster.
    pub from: String,
    /// The kind to import; `None` for all kinds.
    pub kind: Option<String>,
    /// True if each kind gets a controller.
    pub controller: bool,
    /// True if the project defines the CRDs from now on.
    pub resource: bool,
    /// Places in the CRDs that may be lost because Rust types cannot express them.
    pub allow: Vec<String>,
    /// If true, nothing is written, and the types are printed instead.
    pub dry_run: bool,
}

impl CreateApiFromCrd {
    /// Reads the CRDs, and adds their kinds to the project.
    ///
    /// # Errors
    /// Returns an error if there is no CRD, if a CRD cannot be imported completely, or if files are
    /// in the way. A dry run also reports what cannot be imported as an error, after it has printed
    /// the types.
    pub fn run(&self, session: &Session) -> Result<()> {
        let text = self.text(session)?;
        let from = without_secrets(&self.from);
        let crds = import::read_crds(&text, &from)?;
        let crds = import::select_kind(crds, self.kind.as_deref(), &from)?;
        imported::warn_unused_allowances(session.terminal, &crds, &self.allow);
        let checked = import::check_expressible(&crds, &self.allow);
        if !self.dry_run {
            checked?;
            return self.add_kinds(session, &text, &crds);
        }
        self.add_kinds(session, &text, &crds)?;
        Ok(checked?)
    }

    /// Adds the kinds of the CRDs to the project, or prints their types in a dry run.
    fn add_kinds(&self, session: &Session, text: &str, crds: &[Imported]) -> Result<()> {
        let (mut transition, project) = Transition::open(session, self.dry_run)?;
        let source = Source {
            allowed: self.allow.clone(),
            from: without_secrets(&self.from),
            reported: Reported::default(),
            sha256: sha256(text),
        };
        let settings = ImportSettings {
            controller: self.controller,
            domain: &project.domain,
            external: !self.resource,
        };
        let mut spellings = Spellings::of(&project);
        let versions = Versions::of(&project);
        let mut parts = Vec::new();
        for crd in crds {
            let of_crd = settings.parts(crd, &source, &mut spellings)?;
            if let Some(part) = of_crd.first() {
                check_gone(part, &versions)?;
            }
            parts.extend(of_crd);
        }
        let mut after = project.clone();
        let mut changed = Vec::new();
        for part in &parts {
            if let Some(resource) = renewed(part, &versions)? {
                changed.push(part);
                imported::add(resource, &mut after);
            }
        }
        // Types of imported kinds are rendered from their CRDs: those of the project as it is are
        // the merge base, and a new CRD replaces the earlier one of its version.
        let old = imported::all(&session.dir, &project)?;
        let kinds: Vec<_> = old.iter().map(|(crd, it)| (crd, *it)).collect();
        let kept = kinds.iter().map(|(crd, it)| (it.to_string(), *crd));
        let renewed = changed
            .iter()
            .map(|part| (part.resource.to_string(), part.crd));
        let of_resources: HashMap<_, _> = kept.chain(renewed).collect();
        let now = after
            .resources
            .iter()
            .filter_map(|it| Some((*of_resources.get(&it.to_string())?, it)));
        let now: Vec<_> = now.collect();
        let mut types = String::new();
        let merges = transition.edit_with(&project, &after, |before, tree| {
            imported::render(&kinds, &project, before);
            imported::render(&now, &after, tree);
            for part in &changed {
                imported::keep_sample(&session.dir, &part.resource, before, tree);
                let [path, _] = imported::types(&part.resource);
                let rust = tree.get(&path).map_or("", |file| &file.text);
                let _ = writeln!(types, "// {path}\n{rust}");
            }
        })?;
        if self.dry_run {
            session.terminal.data(&types)?;
        }
        merges.list(session.terminal);
        imported::warn_rejected_crds(session.terminal, crds, project.kubernetes_version);
        print_next_steps(session, &changed);
        Ok(())
    }

    /// Reads the CRDs from the source that `from` names.
    fn text(&self, session: &Session) -> Result<String> {
        let from = without_secrets(&self.from);
        if let Some(name) = self.from.strip_prefix("cluster:") {
            return of_cluster(name);
        }
        if self.from.starts_with("https://") {
            return Ok(download(&self.from)
                .map_err(|reason| ImportError::NotDownloaded { from, reason })?);
        }
        if self.from.contains("://") {
            return Err(ImportError::NotHttps { from }.into());
        }
        let read = if self.from == "-" {
            regular::text_from(io::stdin())
        } else {
            let there = session.dir.join(&self.from);
            let path = if there.exists() {
                there
            } else {
                self.from.clone().into()
            };
            regular::text(&path)
        };
        Ok(read.map_err(|source| ImportError::Unreadable { from, source })?)
    }
}

/// Returns the resource for a version that is new or whose CRD has changed, or `None` if nothing
/// has changed. Returns an error if the project has the version without having imported it.
fn renewed(part: &ImportedVersion, versions: &Versions) -> Result<Option<Resource>> {
    let Some(there) = versions.find(&part.resource) else {
        return Ok(Some(part.resource.clone()));
    };
    let (Some(old), Some(new)) = (&there.imported, &part.resource.imported) else {
        return Err(Refusal::KindExists {
            resource: there.to_string(),
            add_controller: None,
        }
        .into());
    };
    let renewed = Resource {
        imported: Some(new.clone()),
        api: part.resource.api.clone(),
        ..there.clone()
    };
    Ok((old.sha256 != new.sha256).then_some(renewed))
}

/// Rejects a CRD without a version that the project has imported before. `part` is any of the CRD's
/// versions.
fn check_gone(part: &ImportedVersion, versions: &Versions) -> Result<()> {
    let crd = part.crd;
    let is_gone = |it: &&&Resource| {
        let mut versions = crd.versions().iter();
        it.imported.is_some() && !versions.any(|version| version["name"] == it.version.as_str())
    };
    match versions.all(&part.resource).iter().find(is_gone) {
        None => Ok(()),
        Some(gone) => Err(ImportError::VersionGone {
            name: crd.name().to_owned(),
            version: gone.version.to_string(),
            command: format!(
                "rustop delete version {}--kind {} --version {}",
                gone.group_flag(),
                gone.kind,
                gone.version
            ),
        }
        .into()),
    }
}

/// Prints the files to review, and warns of fields for which Rust types do not distinguish null
/// from a missing value.
fn print_next_steps(session: &Session, parts: &[&ImportedVersion]) {
    if parts.is_empty() {
        return session
            .terminal
            .note(format_args!("The project already has all of it"));
    }
    for part in parts {
        let nulls = import::nullable_optional_fields(part.version);
        if !nulls.is_empty() {
            session.terminal.warning(format_args!(
                "{}: the Rust type reads null as a missing value: {}",
                part.resource,
                nulls.join(", ")
            ));
        }
    }
    let files: Vec<_> = parts.iter().map(|part| part.resource.api_file()).collect();
    session.terminal.note(format_args!(
        "Next: look at {}, then rustop manifests; cargo test --workspace checks that the types generate the same schema as the CRD",
        files.join(" and ")
    ));
}

/// Downloads a text. The error is the reason, without secrets of the address.
fn download(url: &str) -> std::result::Result<String, String> {
    // The certificates that this machine trusts, or those in the file that `SSL_CERT_FILE` names.
    let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier);
    let stall = stall_limit();
    let config = ureq::Agent::config_builder()
        .https_only(true)
        .tls_config(tls.build())
        .timeout_connect(Some(stall))
        .timeout_recv_response(Some(stall))
        .timeout_per_read(Some(stall))
        .timeout_global(Some(2 * stall));
    let agent = config
        .user_agent(concat!("rustop/", env!("CARGO_PKG_VERSION")))
        .build()
        .new_agent();
    // The address in an error, which may be that of a redirect, may include secrets.
    let says = |error: ureq::Error| without_secrets(&error.to_string());
    let mut response = agent.get(url).call().map_err(says)?;
    let body = response.body_mut().with_config().limit(regular::LIMIT);
    body.read_to_string().map_err(|error| error.to_string())
}

/// Returns the CRD `name` of the current cluster as JSON.
fn of_cluster(name: &str) -> Result<String> {
    runtime()?.block_on(async {
        let (client, config) = client::connect_limited(None).await?;
        let api: kube::Api<CustomResourceDefinition> = kube::Api::all(client);
        let crd = api
            .get_opt(name)
            .await
            .map_err(client::Error::refused(format!("the CRD {name}")))?
            .ok_or_else(|| ImportError::NotInCluster {
                server: client::address(&config),
                name: name.to_owned(),
            })?;
        let mut crd = serde_json::to_value(crd).unwrap_or_default();
        // A typed object of k8s-openapi has neither.
        crd["apiVersion"] = "apiextensions.k8s.io/v1".into();
        crd["kind"] = "CustomResourceDefinition".into();
        Ok(crd.to_string())
    })
}
