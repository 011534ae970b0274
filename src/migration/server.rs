//! Migration by the API server: a `StorageVersionMigration`, which controllers of Kubernetes carry
//! out.
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
/// The supported versions, the preferred one first. Earlier versions have another schema.
const VERSIONS: [&str; 2] = ["v1", "v1beta1"];
const PLURAL: &str = "storageversionmigrations";

/// The time for the controllers to write the first object. They look for new kinds every 30 s, give
/// up on unreadable objects after one minute, and wait as long again until their cache is at least
/// as new as the migration.
const START: Duration = Duration::from_secs(180);
/// The time for each object: ten times the usual value.
const OBJECT: Duration = Duration::from_millis(50);
/// The time for a controller to start with the migration.
const NOTICE: Duration = Duration::from_secs(20);
/// The interval at which the state of a migration is polled.
const PAUSE: Duration = Duration::from_millis(250);

/// The `StorageVersionMigration` API of a cluster.
pub struct MigrationApi {
    api: Api<DynamicObject>,
    kind: ApiResource,
}

/// The reason why the API server did not complete a migration.
#[derive(Debug)]
pub enum MigrationFailure {
    /// The API server rejected the migration.
    Refused(String),
    /// Not all objects can be read in the storage version, which is named, so the API server would
    /// retry forever.
    Unreadable(String),
    /// No controller has started with the migration.
    Unnoticed,
    /// The controller gave up, with its message.
    Failed(String),
    /// The migration did not end within the time limit.
    Endless(Duration),
}

impl fmt::Display for MigrationFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(why) => {
                write!(
                    f,
                    "the API server rejected the StorageVersionMigration: {why}"
                )
            }
            Self::Unreadable(version) => write!(f, "not all objects can be read as {version}"),
            Self::Unnoticed => f.write_str("no controller processes the StorageVersionMigration"),
            Self::Failed(why) => write!(f, "the StorageVersionMigration failed: {why}"),
            Self::Endless(limit) => {
                let seconds = limit.as_secs();
                write!(
                    f,
                    "the StorageVersionMigration did not finish within {seconds} s"
                )
            }
        }
    }
}

/// The state of a migration.
#[derive(Debug, Eq, PartialEq)]
enum MigrationState {
    New,
    Begun,
    Failed(String),
    /// All objects are written, and the CRD's status is updated.
    Done,
}

impl MigrationApi {
    /// Returns the newest supported version of the API, or `None` if no version is served or the
    /// user may not list them.
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

    /// Makes the API server rewrite all objects of a CRD, and waits until it has. `objects` gives
    /// the time limit. The migration object is deleted afterwards unless it failed; it also remains
    /// if rustop is killed.
    ///
    /// # Errors
    /// Returns the reason if the objects cannot be migrated this way.
    pub async fn migrate(
        &self,
        stored: &Stored,
        objects: &Objects,
    ) -> Result<(), MigrationFailure> {
        if !objects.are_readable {
            return Err(MigrationFailure::Unreadable(stored.storage.clone()));
        }
        let refused = |error: kube::Error| MigrationFailure::Refused(words(&error));
        let migration = self.migration(stored);
        let made = self.api.create(&PostParams::default(), &migration).await;
        let name = made.map_err(refused)?.metadata.name.unwrap_or_default();
        let ended = self.watch(&name, limit(objects.names.len())).await;
        if matches!(
            ended,
            Ok(()) | Err(MigrationFailure::Unnoticed | MigrationFailure::Endless(_))
        ) {
            self.delete(&name).await;
        }
        ended
    }

    /// Reports whether any migration of a CRD has failed, also one that rustop did not create.
    /// Kubernetes 1.36 removes the older versions from `status.storedVersions` after a failure,
    /// too, so that this field cannot be trusted any longer.
    pub async fn has_failed(&self, stored: &Stored) -> bool {
        !self.failed(stored).await.is_empty()
    }

    /// Deletes the failed migrations of a CRD that rustop created, after which [`Self::has_failed`]
    /// no longer counts them.
    pub async fn delete_failed(&self, stored: &Stored) {
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
            it.data["spec"]["resource"] == resource
                && matches!(progress(it), MigrationState::Failed(_))
        });
        failed.map(|it| it.name_any()).collect()
    }

    /// Deletes a migration. Errors are ignored, since a leftover migration does no harm.
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

    async fn watch(&self, name: &str, limit: Duration) -> Result<(), MigrationFailure> {
        let begin = Instant::now();
        loop {
            let there = self.api.get_opt(name).await;
            let progress = there.as_ref().map(|there| there.as_ref().map(progress));
            match progress {
                Ok(Some(MigrationState::Done)) => return Ok(()),
                Ok(Some(MigrationState::Failed(why))) => return Err(MigrationFailure::Failed(why)),
                Ok(Some(MigrationState::New)) if begin.elapsed() > NOTICE => {
                    return Err(MigrationFailure::Unnoticed);
                }
                Ok(None) => return Err(MigrationFailure::Failed("it was deleted".into())),
                // Retry while the API server is unavailable, up to the time limit.
                _ if begin.elapsed() > limit => return Err(MigrationFailure::Endless(limit)),
                _ => sleep(PAUSE).await,
            }
        }
    }
}

/// Returns the prefix of the names of migrations that rustop creates.
fn prefix(stored: &Stored) -> String {
    format!("rustop-{}-", stored.crd)
}

fn limit(objects: usize) -> Duration {
    START + OBJECT * u32::try_from(objects).unwrap_or(u32::MAX)
}

/// Returns the state of a migration from its conditions.
fn progress(migration: &DynamicObject) -> MigrationState {
    let conditions = migration.data["status"]["conditions"].as_array();
    let condition = |kind: &str, status: &str| -> Option<&Value> {
        let mut all = conditions.into_iter().flatten();
        all.find(|it| it["type"] == kind && it["status"] == status)
    };
    // It is still `Running` while the controller updates the CRD's status.
    if condition("Running", "True").is_some() {
        return MigrationState::Begun;
    }
    if let Some(failed) = condition("Failed", "True") {
        let why = failed["message"].as_str().unwrap_or_default();
        return MigrationState::Failed(why.to_owned());
    }
    if condition("Succeeded", "True").is_some() {
        return MigrationState::Done;
    }
    if conditions.is_some_and(|all| !all.is_empty()) {
        MigrationState::Begun
    } else {
        MigrationState::New
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
        assert_eq!(of(&[]), MigrationState::New);
        assert_eq!(of(&[("Running", "True")]), MigrationState::Begun);
        let succeeded = [("Running", "True"), ("Succeeded", "True")];
        assert_eq!(
            of(&succeeded),
            MigrationState::Begun,
            "the CRD is not updated yet"
        );
        let done = [("Running", "False"), ("Succeeded", "True")];
        assert_eq!(of(&done), MigrationState::Done);
        let failing = [("Running", "True"), ("Failed", "True")];
        assert_eq!(of(&failing), MigrationState::Begun);
        let failed = [("Running", "False"), ("Failed", "True")];
        assert_eq!(of(&failed), MigrationState::Failed("why".into()));
        assert_eq!(limit(usize::MAX), START + OBJECT * u32::MAX);
    }
}
