//! Storage version migration. It rewrites every object of a kind, so that etcd stores each in the
//! storage version, and then updates the CRD's status: only then does the API server allow the
//! removal of an old version. If the API server can migrate objects itself, it does ([`server`]);
//! the code here rewrites them one by one, and reports each object that cannot be written.
//! <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#upgrade-existing-objects-to-a-new-stored-version>

mod error;
mod server;
mod webhooks;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, ApiResource, DynamicObject, ListParams, Patch, PatchParams};
use kube::core::{GroupVersionKind, ObjectList, PartialObjectMeta};
use kube::{Client, ResourceExt as _};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::client;
use crate::error::words;

pub use error::{Error, Result};
pub use server::MigrationApi;
use webhooks::{MatchPolicy, WebhookConfigurations};

/// The number of names in one page of a list.
const PAGE: u32 = 100;
/// The number of objects that are written concurrently.
const WRITERS: usize = 8;
/// The number of retries after a write that failed with a conflict.
const TRIES: usize = 10;

/// The versions in which the objects of a CRD are stored.
pub struct Stored {
    /// The name of the CRD: `cows.example.com`.
    pub crd: String,
    /// The current storage version: `v1`.
    pub storage: String,
    /// Other versions in which objects may still be stored, by `status.storedVersions` of the CRD.
    pub older: Vec<String>,
    /// All versions, in the order of the CRD.
    versions: Vec<String>,
    client: Client,
    /// The kind in each served version. The storage version comes first, if it is served.
    kinds: Vec<ApiResource>,
}

/// The namespace of an object, if it is namespaced, and its name.
type NamespacedName = (Option<String>, String);

type Page = ObjectList<PartialObjectMeta<DynamicObject>>;

/// The objects of a kind.
pub struct Objects {
    /// The names of all objects.
    pub names: Vec<NamespacedName>,
    /// True if every object can be read in the storage version or, if that is not served, in the
    /// first served version.
    pub are_readable: bool,
}

/// An object that could not be rewritten.
#[derive(Debug)]
pub struct Unwritten {
    name: NamespacedName,
    why: String,
    /// The kind, in a version in which the object can be read.
    resource: String,
    /// Shell commands to run before the object can be repaired. If the configurations of webhooks
    /// cannot be read, one is an instruction in words.
    pub before: Vec<String>,
    /// Shell commands that revert those afterwards.
    pub after: Vec<String>,
}

impl Unwritten {
    /// Returns two lines for a message: the name with the reason, and the command that edits the
    /// object.
    fn lines(&self) -> [String; 2] {
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
        [
            format!("{place}{name}: {why}"),
            format!("  kubectl edit {resource} {name}{option}"),
        ]
    }
}

impl Stored {
    /// Reads the stored versions of the CRD called `name`.
    ///
    /// # Errors
    /// Returns an error if the CRD does not exist or serves no version, or if a request to the API
    /// server fails.
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
        // The storage version need not be served.
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

    /// Returns the kind in the storage version if that is served, or else in the first served
    /// version.
    fn kind(&self) -> &ApiResource {
        &self.kinds[0]
    }

    /// Lists the names of all objects. Objects that are created later are stored in the storage
    /// version anyway.
    ///
    /// # Errors
    /// Returns an error if the API server refuses, for example because an object cannot be read in
    /// any version.
    pub async fn objects(&self) -> Result<Objects> {
        let mut names = Vec::new();
        let mut are_readable = true;
        let mut params = ListParams::default().limit(PAGE);
        // The number of objects still to list one by one, after a page failed: one of its objects
        // cannot be read in every version.
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

    /// Returns a page of the list in the first version in which it can be read, and true if that is
    /// the first of `kinds`.
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

    /// Rewrites objects without a change, so that the API server stores them in the storage
    /// version. Returns those that it rejected, with the reasons, sorted by name.
    pub async fn rewrite(&self, names: &[NamespacedName]) -> Vec<Unwritten> {
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
            let webhooks = WebhookConfigurations::of(&self.client).await;
            for (why, name) in refused {
                unwritten.push(self.unwritten(why, name, &webhooks).await);
            }
        }
        unwritten
    }

    /// Describes an object that was rejected, with the commands to repair it. An object can always
    /// be read in the version that it is stored in.
    async fn unwritten(
        &self,
        why: kube::Error,
        name: NamespacedName,
        webhooks: &kube::Result<WebhookConfigurations>,
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
                let have = |policy| webhooks.policy_commands(policy, readable, &self.versions);
                before.extend(have(MatchPolicy::Exact));
                after.extend(have(MatchPolicy::Equivalent));
            }
            Err(error) => before.push(format!(
                "make sure that the API server calls webhooks only in version {version}: cannot read their configurations ({})",
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

    /// Returns the shell command that makes `version` the storage version.
    fn store(&self, version: &str) -> String {
        let storage = |(index, name): (usize, &String)| {
            let path = format!("/spec/versions/{index}/storage");
            json!({"op": "replace", "path": path, "value": name == version})
        };
        let patch: Value = self.versions.iter().enumerate().map(storage).collect();
        format!("kubectl patch crd {} --type json -p '{patch}'", self.crd)
    }

    fn api(&self, kind: &ApiResource, (namespace, _): &NamespacedName) -> Api<DynamicObject> {
        match namespace {
            Some(namespace) => Api::namespaced_with(self.client.clone(), namespace, kind),
            None => Api::all_with(self.client.clone(), kind),
        }
    }

    /// Sets `older` to all versions except `storage`. Called after a failed migration of the API
    /// server, after which `status.storedVersions` can lack versions that are still stored.
    pub fn assume_all_versions_stored(&mut self) {
        let all = self.versions.iter();
        self.older = all.filter(|it| **it != self.storage).cloned().collect();
    }

    /// Sets the CRD's `status.storedVersions` to `storage` only.
    ///
    /// # Errors
    /// Returns an error if the storage version was changed in the meantime, or if the API server
    /// refuses.
    pub async fn drop_older_stored_versions(&self) -> Result<()> {
        self.write_stored_versions(json!([self.storage])).await
    }

    /// Sets the CRD's `status.storedVersions` to `storage` and the `older` versions, so that the
    /// API server refuses to remove them.
    ///
    /// # Errors
    /// The same as those of [`Self::drop_older_stored_versions`].
    pub async fn add_older_stored_versions(&self) -> Result<()> {
        let older = self.older.iter().chain([&self.storage]);
        self.write_stored_versions(older.cloned().collect()).await
    }

    async fn write_stored_versions(&self, stored: Value) -> Result<()> {
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

/// Makes the API server read an object and write it again. An object that no longer exists is
/// ignored.
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
