//! Stored objects, written anew in the storage version of their kind.

use std::path::PathBuf;

use super::{Refusal, Result, runtime};
use crate::client;
use crate::migration::{self, Stored, Unwritten};
use crate::names::{Group, Kind};
use crate::project::Project;
use crate::resource::Resource;
use crate::session::Session;
use crate::text::count;

/// Writes stored objects anew, so that an older version can go.
pub struct Migrate {
    /// This kind only.
    pub kind: Option<Kind>,
    /// Kinds of this group only, as it was given when they were created.
    pub group: Option<Group>,
    /// The cluster; that of the environment where none is given.
    pub kubeconfig: Option<PathBuf>,
    /// Whether nothing is to be written.
    pub dry_run: bool,
}

impl Migrate {
    /// # Errors
    /// When there is no such kind, the API server refuses, or objects could not be written.
    pub fn run(&self, session: &Session) -> Result<()> {
        let project = Project::load(&session.dir)?;
        let crds = self.crds(&project)?;
        runtime()?.block_on(async {
            let (client, _) = client::connect(self.kubeconfig.as_deref()).await?;
            let mut unwritten = Vec::new();
            for crd in crds {
                let stored = Stored::of(&client, &crd).await?;
                unwritten.extend(self.migrate(session, &stored).await?);
            }
            if unwritten.is_empty() {
                return Ok(());
            }
            Err(migration::Error::NotMigrated { unwritten }.into())
        })
    }

    /// The names of the CRDs that are meant.
    fn crds(&self, project: &Project) -> Result<Vec<String>> {
        let all = project.resources.iter().filter(|resource| {
            resource.has_crd()
                && project.is_first_version(resource)
                && self.kind.as_ref().is_none_or(|kind| *kind == resource.kind)
                && (self.group.is_none() || self.group == resource.group)
        });
        let crds: Vec<_> = all.map(Resource::crd_name).collect();
        match &self.kind {
            Some(kind) if crds.is_empty() => {
                let meant = project.meant(kind).map(|meant| {
                    let (group, kind) = (meant.group_flag(), &meant.kind);
                    format!("rustop migrate {group}--kind {kind}")
                });
                let all = "rustop migrate, for all kinds of this project".to_owned();
                Err(Refusal::ForeignKind {
                    kind: kind.to_string(),
                    group: self.group.as_ref().map(ToString::to_string),
                    known: meant.into_iter().chain([all]).collect(),
                }
                .into())
            }
            _ => Ok(crds),
        }
    }

    /// Returns the objects that could not be written.
    async fn migrate(&self, session: &Session, stored: &Stored) -> Result<Vec<Unwritten>> {
        let terminal = session.terminal;
        let Stored {
            crd,
            storage,
            older,
            ..
        } = stored;
        if older.is_empty() {
            terminal.status(
                "Unchanged",
                format_args!("{crd}: all is stored as {storage}"),
            );
            return Ok(Vec::new());
        }
        let older = older.join(" and ");
        let objects = stored.objects().await?;
        let total = count(objects.len(), "object");
        if self.dry_run {
            terminal.status(
                "Would migrate",
                format_args!(
                    "{total} of {crd} to {storage}, of which some may be stored as {older}"
                ),
            );
            return Ok(Vec::new());
        }
        terminal.status(
            "Migrating",
            format_args!("{total} of {crd} from {older} to {storage}"),
        );
        let unwritten = stored.rewrite(&objects).await;
        if !unwritten.is_empty() {
            let left = count(unwritten.len(), "object");
            terminal.status(
                "Left",
                format_args!("{left} of {crd}, which may be stored as {older}"),
            );
            return Ok(unwritten);
        }
        stored.settle().await?;
        terminal.status(
            "Migrated",
            format_args!("{crd}: all is stored as {storage}, and {older} can go"),
        );
        Ok(unwritten)
    }
}
