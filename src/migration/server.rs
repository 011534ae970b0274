//! The API server's own way to write objects anew: a `StorageVersionMigration`, which its controllers carry out.
//! <https://kubernetes.io/docs/tasks/manage-kubernetes-objects/storage-version-migration/>

use std::fmt;
use std::time::Duration;

use kube::api::{Api, ApiResource, DeleteParams, DynamicObject, ListParams, PostParams};
use kube::core::GroupVersionKind;
use kube::{Client, ResourceExt as _};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::{Objects, Stored};
use crate::error::words;

const GROUP: &str = "storagemigration.k8s.io";
/// The versions that are known, the best first. In earlier ones a migration looks otherwise.
const VERSIONS: [&str; 2] = ["v1", "v1beta1"];
const PLURAL: &str = "storageversionmigrations";

/// How long the controllers may take before the first object is written: they look for new kinds every half minute, give
/// up on what they cannot read after a minute, and wait as long until their cache is as new as the migration.
const START: Duration = Duration::from_secs(180);
/// How long they may take for each object: ten times what is usual.
const OBJECT: Duration = Duration::from_millis(50);
/// How long nobody may take notice of the migration at all.
const NOTICE: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(250);

/// Where the API server has `StorageVersionMigration`.
pub struct Server {
    api: Api<DynamicObject>,
    kind: ApiResource,
}

/// Why the API server did not carry a migration out.
#[derive(Debug)]
pub enum Unmoved {
    /// It does not take it.
    Refused(String),
    /// It would try for ever: not all objects can be read in the version that is stored.
    Unreadable(String),
    /// No controller has begun with it.
    Unnoticed,
    /// It gave up, and why.
    Failed(String),
    /// It has not come to an end.
    Endless(Duration),
}

impl fmt::Display for Unmoved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(why) => {
                write!(f, "the API server takes no StorageVersionMigration: {why}")
            }
            Self::Unreadable(version) => write!(f, "not all objects can be read as {version}"),
            Self::Unnoticed => {
                f.write_str("no controller takes notice of the StorageVersionMigration")
            }
            Self::Failed(why) => write!(f, "the API server gave up: {why}"),
            Self::Endless(limit) => {
                let seconds = limit.as_secs();
                write!(f, "the API server has come to no end within {seconds} s")
            }
        }
    }
}

/// How far a migration is.
#[derive(Debug, Eq, PartialEq)]
enum Progress {
    New,
    Begun,
    Failed(String),
    /// All is written, and the CRD says so.
    Done,
}

impl Server {
    /// The newest version of it that is served, if any. Who may not ask is answered as if there were none.
    pub async fn of(client: &Client) -> Option<Self> {
        for version in VERSIONS {
            let version_of_group = format!("{GROUP}/{version}");
            let resources = client.list_api_group_resources(&version_of_group).await;
            let resources = resources.map(|list| list.resources);
            let mut resources = resources.into_iter().flatten();
            if resources.any(|resource| resource.name == PLURAL) {
                let kind = GroupVersionKind::gvk(GROUP, version, "StorageVersionMigration");
                let kind = ApiResource::from_gvk_with_plural(&kind, PLURAL);
                let api = Api::all_with(client.clone(), &kind);
                return Some(Self { api, kind });
            }
        }
        None
    }

    /// Has the API server write all objects of a CRD anew. What it was asked by is gone afterwards, but where rustop is
    /// killed meanwhile.
    pub async fn migrate(&self, stored: &Stored, objects: &Objects) -> Result<(), Unmoved> {
        if !objects.are_readable {
            return Err(Unmoved::Unreadable(stored.storage.clone()));
        }
        let refused = |error: kube::Error| Unmoved::Refused(words(&error));
        let migration = self.migration(stored);
        let made = self.api.create(&PostParams::default(), &migration).await;
        let name = made.map_err(refused)?.metadata.name.unwrap_or_default();
        let ended = self.watch(&name, limit(objects.names.len())).await;
        if matches!(
            ended,
            Ok(()) | Err(Unmoved::Unnoticed | Unmoved::Endless(_))
        ) {
            self.delete(&name).await;
        }
        ended
    }

    /// Whether a migration of a CRD has failed, whoever asked for it. Kubernetes 1.36 takes the older versions out of
    /// `status.storedVersions` then as well, so that this says nothing any more.
    pub async fn has_failed(&self, stored: &Stored) -> bool {
        !self.failed(stored).await.is_empty()
    }

    /// Deletes the failed migrations that rustop asked for.
    pub async fn forget(&self, stored: &Stored) {
        let own = prefix(stored);
        for name in self.failed(stored).await {
            if name.starts_with(&own) {
                self.delete(&name).await;
            }
        }
    }

    async fn failed(&self, stored: &Stored) -> Vec<String> {
        let kind = stored.kind();
        let resource = json!({ "group": kind.group, "resource": kind.plural });
        let all = self.api.list(&ListParams::default()).await;
        let all = all.into_iter().flatten();
        let failed = all.filter(|it| {
            it.data["spec"]["resource"] == resource && matches!(progress(it), Progress::Failed(_))
        });
        failed.map(|it| it.name_any()).collect()
    }

    /// One that is left over does no harm.
    async fn delete(&self, name: &str) {
        let _ = self.api.delete(name, &DeleteParams::default()).await;
    }

    fn migration(&self, stored: &Stored) -> DynamicObject {
        let kind = stored.kind();
        let mut migration = DynamicObject::new("", &self.kind).data(json!({
            "spec": { "resource": { "group": kind.group, "resource": kind.plural } },
        }));
        migration.metadata.name = None;
        migration.metadata.generate_name = Some(prefix(stored));
        migration
    }

    async fn watch(&self, name: &str, limit: Duration) -> Result<(), Unmoved> {
        let begin = Instant::now();
        loop {
            let there = self.api.get_opt(name).await;
            let progress = there.as_ref().map(|there| there.as_ref().map(progress));
            match progress {
                Ok(Some(Progress::Done)) => return Ok(()),
                Ok(Some(Progress::Failed(why))) => return Err(Unmoved::Failed(why)),
                Ok(Some(Progress::New)) if begin.elapsed() > NOTICE => {
                    return Err(Unmoved::Unnoticed);
                }
                Ok(None) => return Err(Unmoved::Failed("somebody deleted it".into())),
                // An API server that is away comes back, or is away longer than there is time.
                _ if begin.elapsed() > limit => return Err(Unmoved::Endless(limit)),
                _ => sleep(PAUSE).await,
            }
        }
    }
}

/// How the names of the migrations begin that rustop asks for.
fn prefix(stored: &Stored) -> String {
    format!("rustop-{}-", stored.crd)
}

fn limit(objects: usize) -> Duration {
    START + OBJECT * u32::try_from(objects).unwrap_or(u32::MAX)
}

/// What a migration says of itself.
fn progress(migration: &DynamicObject) -> Progress {
    let conditions = migration.data["status"]["conditions"].as_array();
    let condition = |kind: &str, status: &str| -> Option<&Value> {
        let mut all = conditions.into_iter().flatten();
        all.find(|it| it["type"] == kind && it["status"] == status)
    };
    // It still runs while the CRD is told.
    if condition("Running", "True").is_some() {
        return Progress::Begun;
    }
    if let Some(failed) = condition("Failed", "True") {
        let why = failed["message"].as_str().unwrap_or_default();
        return Progress::Failed(why.to_owned());
    }
    if condition("Succeeded", "True").is_some() {
        return Progress::Done;
    }
    if conditions.is_some_and(|all| !all.is_empty()) {
        Progress::Begun
    } else {
        Progress::New
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_migration_says_how_far_it_is() {
        let of = |conditions: &[(&str, &str)]| {
            let one = |(kind, status): &(&str, &str)| json!({ "type": kind, "status": status, "message": "why" });
            let conditions: Vec<_> = conditions.iter().map(one).collect();
            let kind = ApiResource::from_gvk(&GroupVersionKind::gvk(
                GROUP,
                "v1",
                "StorageVersionMigration",
            ));
            let migration = DynamicObject::new("a", &kind);
            progress(&migration.data(json!({ "status": { "conditions": conditions } })))
        };
        assert_eq!(of(&[]), Progress::New);
        assert_eq!(of(&[("Running", "True")]), Progress::Begun);
        let told = [("Running", "True"), ("Succeeded", "True")];
        assert_eq!(of(&told), Progress::Begun, "the CRD is not told yet");
        let done = [("Running", "False"), ("Succeeded", "True")];
        assert_eq!(of(&done), Progress::Done);
        let failing = [("Running", "True"), ("Failed", "True")];
        assert_eq!(of(&failing), Progress::Begun);
        let failed = [("Running", "False"), ("Failed", "True")];
        assert_eq!(of(&failed), Progress::Failed("why".into()));
        assert_eq!(limit(usize::MAX), START + OBJECT * u32::MAX);
    }
}
