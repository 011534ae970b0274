//! Writes every object of a kind anew, so that etcd holds each in the storage version, and then says so in
//! the CRD: only then does the API server let an old version go. Where the API server does that by itself it is left to
//! it ([`server`]); here is how it is done by hand, with a word on each object that cannot be written.
//! <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#upgrade-existing-objects-to-a-new-stored-version>

mod error;
mod server;
mod webhooks;

use std::fmt::{self, Display, Formatter};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, ApiResource, DynamicObject, ListParams, Patch, PatchParams};
use kube::core::{GroupVersionKind, ObjectList, PartialObjectMeta};
use kube::{Client, ResourceExt as _};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::client;
use crate::error::words;

pub use error::{Error, Result};
pub use server::Server;
use webhooks::{MatchPolicy, Webhooks};

/// How many names are asked for at once.
const PAGE: u32 = 100;
/// How many objects are written at once.
const WRITERS: usize = 8;
/// How often a write is tried that others get in the way of.
const TRIES: usize = 10;

/// In which versions the objects of a CRD are stored.
pub struct Stored {
    /// The CRD's name.
    pub crd: String,
    /// The version in which objects are written now.
    pub storage: String,
    /// Others that objects may be stored in since they were written last.
    pub older: Vec<String>,
    /// All versions, as they are in the CRD.
    versions: Vec<String>,
    client: Client,
    /// The kind in each version that is served, first in the one that is stored.
    kinds: Vec<ApiResource>,
}

/// The namespace of an object, if it has one, and its name.
type Name = (Option<String>, String);

type Page = ObjectList<PartialObjectMeta<DynamicObject>>;

/// All objects of a kind.
pub struct Objects {
    /// Their names.
    pub names: Vec<Name>,
    /// Whether all of them can be read in the version that is stored.
    pub are_readable: bool,
}

/// An object that could not be written anew.
#[derive(Debug)]
pub struct Unwritten {
    name: Name,
    why: String,
    /// The kind, in a version in which the object can be read.
    resource: String,
    /// The commands without which it cannot be mended.
    pub before: Vec<String>,
    /// The commands that take these back.
    pub after: Vec<String>,
}

impl Display for Unwritten {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            name: (namespace, name),
            why,
            resource,
            ..
        } = self;
        let place = namespace.as_ref().map(|namespace| format!("{namespace}/"));
        let option = namespace
            .as_ref()
            .map(|namespace| format!(" --namespace {namespace}"));
        let (place, option) = (place.unwrap_or_default(), option.unwrap_or_default());
        write!(
            f,
            "{place}{name}: {why}\n    kubectl edit {resource} {name}{option}"
        )
    }
}

impl Stored {
    /// What the CRD called `name` says.
    ///
    /// # Errors
    /// When there is none, or the API server does not answer.
    pub async fn of(client: &Client, name: &str) -> Result<Self> {
        let crd = definitions(client).get_opt(name).await;
        let crd = crd.map_err(client::Error::refused(name))?;
        let crd = crd.ok_or_else(|| client::Error::NotServed { kind: name.into() })?;
        let (spec, status) = (crd.spec, crd.status.unwrap_or_default());
        let storage = spec.versions.iter().find(|version| version.storage);
        let storage = storage.map_or_else(String::new, |version| version.name.clone());
        let mut older = status.stored_versions.unwrap_or_default();
        older.retain(|version| *version != storage);
        let mut served: Vec<_> = spec
            .versions
            .iter()
            .filter(|version| version.served)
            .collect();
        // What is stored need not be served.
        served.sort_by_key(|version| !version.storage);
        if served.is_empty() {
            return Err(client::Error::NotServed { kind: name.into() }.into());
        }
        let kinds = served.into_iter().map(|version| {
            let kind = GroupVersionKind::gvk(&spec.group, &version.name, &spec.names.kind);
            ApiResource::from_gvk_with_plural(&kind, &spec.names.plural)
        });
        let kinds = kinds.collect();
        let versions = spec.versions.iter().map(|version| version.name.clone());
        Ok(Self {
            crd: name.to_owned(),
            versions: versions.collect(),
            kinds,
            storage,
            older,
            client: client.clone(),
        })
    }

    /// The kind in the version that is stored, or the first one that is served.
    fn kind(&self) -> &ApiResource {
        &self.kinds[0]
    }

    /// All objects that there are. Those that are created later are stored as they should be.
    ///
    /// # Errors
    /// When the API server refuses, as it does where an object can be read in no version.
    pub async fn objects(&self) -> Result<Objects> {
        let mut names = Vec::new();
        let mut are_readable = true;
        let mut params = ListParams::default().limit(PAGE);
        // So many objects are asked for one by one: one of them cannot be read in every version.
        let mut single = 0;
        loop {
            params.limit = Some(if single > 0 { 1 } else { PAGE });
            let (page, is_first) = match self.page(&params).await {
                Err(kube::Error::Api(_)) if single == 0 => {
                    single = PAGE;
                    continue;
                }
                page => page.map_err(client::Error::refused(&self.crd))?,
            };
            are_readable &= is_first;
            single = single.saturating_sub(1);
            let found = page.items.iter();
            names.extend(found.map(|object| (object.namespace(), object.name_any())));
            match page.metadata.continue_.filter(|next| !next.is_empty()) {
                Some(next) => params = params.continue_token(&next),
                None => {
                    return Ok(Objects {
                        names,
                        are_readable,
                    });
                }
            }
        }
    }

    /// A page of the list in the first version in which it can be read, and whether that is the first of all.
    async fn page(&self, params: &ListParams) -> kube::Result<(Page, bool)> {
        let list = async |kind| {
            let api: Api<DynamicObject> = Api::all_with(self.client.clone(), kind);
            api.list_metadata(params).await
        };
        let page = list(self.kind()).await;
        if let Err(kube::Error::Api(_)) = page {
            for kind in &self.kinds[1..] {
                if let Ok(page) = list(kind).await {
                    return Ok((page, false));
                }
            }
        }
        Ok((page?, true))
    }

    /// Writes objects anew, without a change; returns which of them were refused, and why.
    pub async fn rewrite(&self, names: &[Name]) -> Vec<Unwritten> {
        let mut refused = Vec::new();
        for names in names.chunks(WRITERS) {
            let mut writes = JoinSet::new();
            for name in names {
                let api = self.api(self.kind(), name);
                let name = name.clone();
                writes.spawn(async move { Some((touch(api, &name.1).await.err()?, name)) });
            }
            refused.extend(writes.join_all().await.into_iter().flatten());
        }
        refused.sort_by(|(_, a), (_, b)| a.cmp(b));
        let mut unwritten = Vec::new();
        if !refused.is_empty() {
            let webhooks = Webhooks::of(&self.client).await;
            for (why, name) in refused {
                unwritten.push(self.unwritten(why, name, &webhooks).await);
            }
        }
        unwritten
    }

    /// In the version that it is stored in, an object can be read in any case.
    async fn unwritten(
        &self,
        why: kube::Error,
        name: Name,
        webhooks: &kube::Result<Webhooks>,
    ) -> Unwritten {
        let mut readable = self.kind();
        for kind in &self.kinds {
            if self.api(kind, &name).get_metadata(&name.1).await.is_ok() {
                readable = kind;
                break;
            }
        }
        let version = &readable.version;
        let (mut before, mut after) = (Vec::new(), Vec::new());
        if *version != self.storage {
            before.push(self.store(version));
            after.push("make install".to_owned());
        }
        match webhooks {
            Ok(webhooks) => {
                let have = |policy| webhooks.have(policy, readable, &self.versions);
                before.extend(have(MatchPolicy::Exact));
                after.extend(have(MatchPolicy::Equivalent));
            }
            Err(error) => before.push(format!(
                "let no webhook be asked in another version than {version}: which ones are is not known ({})",
                words(error)
            )),
        }
        Unwritten {
            name,
            why: words(&why),
            resource: format!("{}.{version}.{}", readable.plural, readable.group),
            before,
            after,
        }
    }

    /// The command that makes `version` the stored one.
    fn store(&self, version: &str) -> String {
        let storage = |(index, name): (usize, &String)| {
            let path = format!("/spec/versions/{index}/storage");
            json!({"op": "replace", "path": path, "value": name == version})
        };
        let patch: Value = self.versions.iter().enumerate().map(storage).collect();
        format!("kubectl patch crd {} --type json -p '{patch}'", self.crd)
    }

    fn api(&self, kind: &ApiResource, (namespace, _): &Name) -> Api<DynamicObject> {
        match namespace {
            Some(namespace) => Api::namespaced_with(self.client.clone(), namespace, kind),
            None => Api::all_with(self.client.clone(), kind),
        }
    }

    /// Takes it that objects are stored in any version: what the CRD says of it cannot be trusted.
    pub fn distrust(&mut self) {
        let all = self.versions.iter();
        self.older = all.filter(|it| **it != self.storage).cloned().collect();
    }

    /// Says in the CRD that nothing is stored in another version than `storage`.
    ///
    /// # Errors
    /// When the storage version was moved in the meantime, or the API server refuses.
    pub async fn settle(&self) -> Result<()> {
        self.say(json!([self.storage])).await
    }

    /// Says in the CRD that objects may be stored in the older versions, too.
    ///
    /// # Errors
    /// As those of [`Self::settle`].
    pub async fn unsettle(&self) -> Result<()> {
        let older = self.older.iter().chain([&self.storage]);
        self.say(older.cloned().collect()).await
    }

    async fn say(&self, stored: Value) -> Result<()> {
        let mut tries = TRIES;
        loop {
            let crd = definitions(&self.client).get(&self.crd).await;
            let crd = crd.map_err(client::Error::refused(&self.crd))?;
            let mut versions = crd.spec.versions.iter();
            if !versions.any(|version| version.storage && version.name == self.storage) {
                return Err(Error::StorageMoved {
                    crd: self.crd.clone(),
                });
            }
            let version = crd.metadata.resource_version;
            let status = json!({"metadata": {"resourceVersion": version}, "status": {"storedVersions": stored}});
            let params = PatchParams::default();
            let patch = Patch::<Value>::Merge(status);
            let api = definitions(&self.client);
            match api.patch_status(&self.crd, &params, &patch).await {
                Err(kube::Error::Api(status)) if status.is_conflict() && tries > 0 => tries -= 1,
                result => {
                    return Ok(result
                        .map(drop)
                        .map_err(client::Error::refused(&self.crd))?);
                }
            }
        }
    }
}

/// Makes the API server read an object and write it again. An object that is gone need not be written.
async fn touch(api: Api<DynamicObject>, name: &str) -> kube::Result<()> {
    let nothing = Patch::Merge(json!({}));
    let mut tries = TRIES;
    loop {
        let params = PatchParams::default();
        match api.patch_metadata(name, &params, &nothing).await {
            Err(kube::Error::Api(status)) if status.is_conflict() && tries > 0 => tries -= 1,
            Err(kube::Error::Api(status)) if status.is_not_found() => return Ok(()),
            other => return other.map(drop),
        }
    }
}

fn definitions(client: &Client) -> Api<CustomResourceDefinition> {
    Api::all(client.clone())
}
