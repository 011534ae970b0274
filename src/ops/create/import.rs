//! Kinds more, from CRDs that exist.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Read as _;
use std::time::Duration;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use sha2::{Digest as _, Sha256};
use ureq::tls::{RootCerts, TlsConfig};

use crate::client;
use crate::disk::regular;
use crate::import::{self, ImportError, Imported};
use crate::ops::imported::{Part, Taken};
use crate::ops::{Refusal, Result, Transition, imported, runtime};
use crate::project::{Spellings, Versions};
use crate::resource::{Reported, Resource, Source};
use crate::session::Session;
use crate::text::without_secrets;

/// The most that is read.
const LIMIT: u64 = regular::LIMIT;

/// Adds the kinds of CRDs to a project.
pub struct ImportApi {
    /// A file, an address, `-` for what comes in, or `cluster:NAME` for the CRD of that name.
    pub from: String,
    /// The kind, where not all are meant.
    pub kind: Option<String>,
    /// Whether each gets a controller.
    pub controller: bool,
    /// Whether the CRDs are to be the project's.
    pub resource: bool,
    /// Places that may be lost.
    pub allow: Vec<String>,
    /// Whether nothing is to be written, and the types are shown instead.
    pub dry_run: bool,
}

impl ImportApi {
    /// # Errors
    /// When there is no CRD, it cannot be imported whole, or something is in the way. What cannot be imported is an
    /// error of a dry run, too, behind the types.
    pub fn run(&self, session: &Session) -> Result<()> {
        let text = self.text(session)?;
        let from = without_secrets(&self.from);
        let crds = import::read(&text, &from)?;
        let crds = import::choose(crds, self.kind.as_deref(), &from)?;
        imported::tell_needless(session.terminal, &crds, &self.allow);
        let sayable = import::sayable(&crds, &self.allow);
        if !self.dry_run {
            sayable?;
            return self.take(session, &text, &crds);
        }
        self.take(session, &text, &crds)?;
        Ok(sayable?)
    }

    /// Makes the CRDs kinds of the project, or shows their types.
    fn take(&self, session: &Session, text: &str, crds: &[Imported]) -> Result<()> {
        let (mut transition, project) = Transition::open(session, self.dry_run)?;
        let source = Source {
            allowed: self.allow.clone(),
            from: without_secrets(&self.from),
            reported: Reported::default(),
            sha256: format!("{:x}", Sha256::digest(text)),
        };
        let taken = Taken {
            controller: self.controller,
            domain: &project.domain,
            external: !self.resource,
        };
        let mut spellings = Spellings::of(&project);
        let versions = Versions::of(&project);
        let mut parts = Vec::new();
        for crd in crds {
            let of_crd = taken.parts(crd, &source, &mut spellings)?;
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
            imported::put(&kinds, &project, before);
            imported::put(&now, &after, tree);
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
        merges.tell(session.terminal);
        imported::tell_refused(session.terminal, crds, project.kubernetes_version);
        tell(session, &changed);
        Ok(())
    }

    fn text(&self, session: &Session) -> Result<String> {
        let unreadable = |reason: String| ImportError::Unreadable {
            from: without_secrets(&self.from),
            reason,
        };
        if let Some(name) = self.from.strip_prefix("cluster:") {
            return of_cluster(name);
        }
        let mut text = String::new();
        let read = if self.from == "-" {
            std::io::stdin().take(LIMIT + 1).read_to_string(&mut text)
        } else if self.from.starts_with("https://") {
            return Ok(download(&self.from).map_err(unreadable)?);
        } else if self.from.contains("://") {
            return Err(unreadable(
                "only https:// is read, since nothing else says who wrote it".into(),
            )
            .into());
        } else {
            let there = session.dir.join(&self.from);
            let path = if there.exists() {
                there
            } else {
                self.from.clone().into()
            };
            return Ok(regular::text(&path).map_err(|error| unreadable(error.to_string()))?);
        };
        read.map_err(|error| unreadable(error.to_string()))?;
        if text.len() as u64 > LIMIT {
            return Err(unreadable(format!("it has more than {} MiB", LIMIT >> 20)).into());
        }
        Ok(text)
    }
}

/// What becomes of a version: it is new, or of another CRD than before. Nothing, where it is as it was.
fn renewed(part: &Part, versions: &Versions) -> Result<Option<Resource>> {
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

/// Rejects a CRD that lacks versions of which the project has types; `part` is any of its versions.
fn check_gone(part: &Part, versions: &Versions) -> Result<()> {
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

fn tell(session: &Session, parts: &[&Part]) {
    if parts.is_empty() {
        return session
            .terminal
            .note(format_args!("All of it is in the project"));
    }
    for part in parts {
        let nulls = import::nulls(part.version);
        if !nulls.is_empty() {
            session.terminal.warning(format_args!(
                "{}: null and nothing are one in Rust: {}",
                part.resource,
                nulls.join(", ")
            ));
        }
    }
    let files: Vec<_> = parts.iter().map(|part| part.resource.api_file()).collect();
    session.terminal.note(format_args!(
        "Next: look at {}, then rustop manifests; cargo test --workspace proves that the types say what the CRD says",
        files.join(" and ")
    ));
}

fn download(url: &str) -> std::result::Result<String, String> {
    // What this machine trusts, or the file that `SSL_CERT_FILE` names.
    let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier);
    let config = ureq::Agent::config_builder()
        .https_only(true)
        .tls_config(tls.build())
        .timeout_global(Some(Duration::from_secs(60)));
    let agent = config
        .user_agent(concat!("rustop/", env!("CARGO_PKG_VERSION")))
        .build()
        .new_agent();
    // An address that is not one is in the error.
    let says = |error: ureq::Error| error.to_string().replace(url, &without_secrets(url));
    let mut response = agent.get(url).call().map_err(says)?;
    let body = response.body_mut().with_config().limit(LIMIT);
    body.read_to_string().map_err(|error| error.to_string())
}

fn of_cluster(name: &str) -> Result<String> {
    runtime()?.block_on(async {
        let (client, _) = client::connect(None).await?;
        let api: kube::Api<CustomResourceDefinition> = kube::Api::all(client);
        let crd = api
            .get(name)
            .await
            .map_err(client::Error::refused(format!("the CRD {name}")))?;
        let mut crd = serde_json::to_value(crd).unwrap_or_default();
        crd["apiVersion"] = "apiextensions.k8s.io/v1".into();
        crd["kind"] = "CustomResourceDefinition".into();
        Ok(crd.to_string())
    })
}
