//! Writes every object of a kind anew, so that etcd holds each in the storage version, and then says so in
//! the CRD: only then does the API server let an old version go.
//! <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#upgrade-existing-objects-to-a-new-stored-version>

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, ApiResource, DynamicObject, ListParams, Patch, PatchParams};
use kube::core::GroupVersionKind;
use kube::{Client, ResourceExt as _};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::error::{Error, Result, words};

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
    client: Client,
    /// The kind, in a version that is served.
    kind: ApiResource,
}

/// The namespace of an object, if it has one, and its name.
type Name = (Option<String>, String);

impl Stored {
    /// What the CRD called `name` says.
    ///
    /// # Errors
    /// When there is none, or the API server does not answer.
    pub async fn of(client: &Client, name: &str) -> Result<Self> {
        let crd = definitions(client).get_opt(name).await;
        let crd = crd.map_err(refused(name))?;
        let crd = crd.ok_or_else(|| Error::NotServed { kind: name.into() })?;
        let (spec, status) = (crd.spec, crd.status.unwrap_or_default());
        let storage = spec.versions.iter().find(|version| version.storage);
        let storage = storage.map_or_else(String::new, |version| version.name.clone());
        let mut older = status.stored_versions.unwrap_or_default();
        older.retain(|version| *version != storage);
        // What is stored need not be served.
        let served = spec.versions.iter().filter(|version| version.served);
        let served = served.max_by_key(|version| version.storage);
        let served = served.map_or(&storage, |version| &version.name);
        let kind = GroupVersionKind::gvk(&spec.group, served, &spec.names.kind);
        let kind = ApiResource::from_gvk_with_plural(&kind, &spec.names.plural);
        Ok(Self {
            crd: name.to_owned(),
            storage,
            older,
            client: client.clone(),
            kind,
        })
    }

    /// All objects that there are. Those that are created later are stored as they should be.
    ///
    /// # Errors
    /// When the API server refuses, as it does where an object cannot be converted.
    pub async fn objects(&self) -> Result<Vec<Name>> {
        let api: Api<DynamicObject> = Api::all_with(self.client.clone(), &self.kind);
        let mut names = Vec::new();
        let mut params = ListParams::default().limit(PAGE);
        loop {
            let page = api.list_metadata(&params).await;
            let page = page.map_err(refused(&self.crd))?;
            let found = page.items.iter();
            names.extend(found.map(|object| (object.namespace(), object.name_any())));
            match page.metadata.continue_.filter(|next| !next.is_empty()) {
                Some(next) => params = params.continue_token(&next),
                None => return Ok(names),
            }
        }
    }

    /// Writes objects anew, without a change; returns which of them were refused, and why.
    pub async fn rewrite(&self, names: &[Name]) -> Vec<String> {
        let mut refused = Vec::new();
        for names in names.chunks(WRITERS) {
            let mut writes = JoinSet::new();
            for name in names {
                let api = match &name.0 {
                    Some(space) => Api::namespaced_with(self.client.clone(), space, &self.kind),
                    None => Api::all_with(self.client.clone(), &self.kind),
                };
                writes.spawn(touch(api, name.clone()));
            }
            refused.extend(writes.join_all().await.into_iter().flatten());
        }
        refused
    }

    /// Says in the CRD that nothing is stored in another version than `storage`.
    ///
    /// # Errors
    /// When the storage version was moved in the meantime, or the API server refuses.
    pub async fn settle(&self) -> Result<()> {
        let mut tries = TRIES;
        loop {
            let crd = definitions(&self.client).get(&self.crd).await;
            let crd = crd.map_err(refused(&self.crd))?;
            let mut versions = crd.spec.versions.iter();
            if !versions.any(|version| version.storage && version.name == self.storage) {
                return Err(Error::StorageMoved {
                    crd: self.crd.clone(),
                });
            }
            let version = crd.metadata.resource_version;
            let status = json!({"metadata": {"resourceVersion": version}, "status": {"storedVersions": [self.storage]}});
            let params = PatchParams::default();
            let patch = Patch::<Value>::Merge(status);
            let api = definitions(&self.client);
            match api.patch_status(&self.crd, &params, &patch).await {
                Err(kube::Error::Api(status)) if status.is_conflict() && tries > 0 => tries -= 1,
                result => return result.map(drop).map_err(refused(&self.crd)),
            }
        }
    }
}

/// Makes the API server read an object and write it again. An object that is gone need not be written.
async fn touch(api: Api<DynamicObject>, (namespace, name): Name) -> Option<String> {
    let nothing = Patch::Merge(json!({}));
    let mut tries = TRIES;
    loop {
        match api
            .patch_metadata(&name, &PatchParams::default(), &nothing)
            .await
        {
            Err(kube::Error::Api(status)) if status.is_conflict() && tries > 0 => tries -= 1,
            Err(kube::Error::Api(status)) if status.is_not_found() => return None,
            Err(error) => {
                let place = namespace.map(|namespace| format!("{namespace}/"));
                return Some(format!(
                    "{}{name}: {}",
                    place.unwrap_or_default(),
                    words(&error)
                ));
            }
            Ok(_) => return None,
        }
    }
}

fn definitions(client: &Client) -> Api<CustomResourceDefinition> {
    Api::all(client.clone())
}

fn refused(object: &str) -> impl FnOnce(kube::Error) -> Error {
    let object = object.to_owned();
    move |source| Error::Refused {
        object,
        source: Box::new(source),
    }
}
