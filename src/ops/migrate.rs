//! The operation of `rustop migrate`: rewrites of stored objects in the storage version of their
//! kind.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use super::{Refusal, Result, adopted, runtime};
use crate::adopted::{Config, copies};
use crate::client;
use crate::migration::{self, MigrationApi, Objects, Stored, Unwritten};
use crate::names::{Group, Kind};
use crate::project::Project;
use crate::resource::Resource;
use crate::session::Session;
use crate::text::count;

/// An operation that rewrites stored objects, so that an older version can be removed.
#[derive(Args, Debug)]
pub struct Migrate {
    /// Migrate only this kind
    #[arg(long)]
    pub kind: Option<Kind>,
    /// Migrate only kinds of this group, as passed to `rustop create api`
    #[arg(long)]
    pub group: Option<Group>,
    /// Kubeconfig of the cluster [default: KUBECONFIG or ~/.kube/config]
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
    /// Print the steps without writing any object
    #[arg(long)]
    pub dry_run: bool,
}

impl Migrate {
    /// Rewrites the stored objects of the project's kinds, so that the API server stores all of
    /// them in the storage version.
    ///
    /// # Errors
    /// Returns an error if the project has no such kind, if the API server rejects a request, or if
    /// an object could not be written.
    pub fn run(&self, session: &Session) -> Result<()> {
        let crds = if Config::exists(&session.dir) {
            self.adopted_crds(session)?
        } else {
            self.crds(&Project::load(&session.dir)?)?
        };
        session.report_each("kinds", []);
        runtime()?.block_on(async {
            let (client, _) = client::connect_limited(self.kubeconfig.as_deref()).await?;
            let server = MigrationApi::of(&client).await;
            let mut unwritten = Vec::new();
            for crd in crds {
                let mut stored = Stored::of(&client, &crd).await?;
                // After a failed migration by the API server, `status.storedVersions` may lack a
                // version in which objects are still stored.
                if let Some(server) = &server
                    && server.has_failed(&stored).await
                {
                    stored.assume_all_versions_stored();
                }
                unwritten.extend(self.migrate(session, &stored, server.as_ref()).await?);
            }
            if unwritten.is_empty() {
                return Ok(());
            }
            Err(migration::Error::NotMigrated { unwritten }.into())
        })
    }

    /// Returns the names of the CRDs to migrate.
    fn crds(&self, project: &Project) -> Result<Vec<String>> {
        let all = project.resources.iter().filter(|resource| {
            resource.has_crd()
                && project.is_first_version(resource)
                && self.kind.as_ref().is_none_or(|kind| *kind == resource.kind)
                && (self.group.is_none() || resource.is_of(self.group.as_ref()))
        });
        let crds: Vec<_> = all.map(Resource::crd_name).collect();
        match &self.kind {
            Some(kind) if crds.is_empty() => {
                let meant = project.meant(kind).map(|meant| {
                    let (group, kind) = (meant.group_flag(), &meant.kind);
                    format!("rustop migrate {group}--kind {kind}")
                });
                let all = "rustop migrate, for all kinds of this project".to_owned();
                let known = meant.into_iter().chain([all]).collect();
                let group = self.group.as_ref().map(Group::as_str);
                Err(Refusal::foreign_kind(kind.as_str(), group, Some(project), known).into())
            }
            _ => Ok(crds),
        }
    }

    /// Returns the names of the CRDs of an adopted project to migrate.
    fn adopted_crds(&self, session: &Session) -> Result<Vec<String>> {
        let mut all = adopted::crds(session)?;
        let name = |crd: &Value| copies::name(crd).to_owned();
        all.sort_by_key(name);
        all.dedup_by_key(|crd| name(crd));
        let text = |it: &Option<Kind>| it.as_ref().map(ToString::to_string);
        let (kind, group) = (
            text(&self.kind),
            self.group.as_ref().map(ToString::to_string),
        );
        let is_meant = |crd: &&Value| {
            let spec = &crd["spec"];
            kind.as_ref()
                .is_none_or(|kind| spec["names"]["kind"] == kind.as_str())
                && group
                    .as_ref()
                    .is_none_or(|group| spec["group"] == group.as_str())
        };
        let crds: Vec<_> = all.iter().filter(is_meant).map(name).collect();
        match kind {
            Some(kind) if crds.is_empty() => {
                let all = "rustop migrate, for all kinds of this project".to_owned();
                Err(Refusal::foreign_kind(&kind, group.as_deref(), None, vec![all]).into())
            }
            _ => Ok(crds),
        }
    }

    /// Migrates the objects of a CRD. Returns those that could not be written.
    async fn migrate(
        &self,
        session: &Session,
        stored: &Stored,
        server: Option<&MigrationApi>,
    ) -> Result<Vec<Unwritten>> {
        let terminal = session.terminal;
        let Stored {
            crd,
            storage,
            older,
            ..
        } = stored;
        let tell = |state: &str, objects: usize, left: usize| {
            let kind = json!({
                "crd": crd,
                "storage": storage,
                "older": older,
                "objects": objects,
                "left": left,
                "state": state,
            });
            session.report_each("kinds", [kind]);
        };
        if older.is_empty() {
            tell("unchanged", 0, 0);
            terminal.status(
                "Unchanged",
                format_args!("{crd}: every object is stored as {storage}"),
            );
            return Ok(Vec::new());
        }
        let objects = stored.objects().await?;
        let number = objects.names.len();
        let total = count(objects.names.len(), "object");
        let by = match server {
            Some(_) => "by a StorageVersionMigration",
            None => "one by one, since this API server has no StorageVersionMigration",
        };
        let versions = older.join(" and ");
        if self.dry_run {
            tell("pending", number, number);
            terminal.status(
                "Would migrate",
                format_args!(
                    "{total} of {crd} to {storage}, of which some may be stored as {versions}, {by}"
                ),
            );
            return Ok(Vec::new());
        }
        terminal.status(
            "Migrating",
            format_args!("{total} of {crd} from {versions} to {storage}, {by}"),
        );
        let unwritten = rewrite(session, stored, &objects, server).await?;
        if !unwritten.is_empty() {
            tell("incomplete", number, unwritten.len());
            let left = count(unwritten.len(), "object");
            terminal.status(
                "Left",
                format_args!("{left} of {crd}, which may be stored as {versions}"),
            );
            return Ok(unwritten);
        }
        stored.drop_older_stored_versions().await?;
        if let Some(server) = server {
            server.delete_failed(stored).await;
        }
        tell("migrated", number, 0);
        terminal.status(
            "Migrated",
            format_args!(
                "{crd}: every object is stored as {storage}; {versions} can now be removed"
            ),
        );
        Ok(unwritten)
    }
}

/// Rewrites the objects of a CRD. Returns those that could not be written. If the API server's own
/// migration fails, it does not name these objects, so all objects are rewritten one by one.
async fn rewrite(
    session: &Session,
    stored: &Stored,
    objects: &Objects,
    server: Option<&MigrationApi>,
) -> Result<Vec<Unwritten>> {
    if let Some(server) = server {
        match server.migrate(stored, objects).await {
            Ok(()) => return Ok(Vec::new()),
            Err(why) => {
                // The API server may have removed the older versions from the CRD's
                // `status.storedVersions`.
                stored.add_older_stored_versions().await?;
                let what = format_args!("{} one by one, since {why}", stored.crd);
                session.terminal.status("Migrating", what);
            }
        }
    }
    Ok(stored.rewrite(&objects.names).await)
}
