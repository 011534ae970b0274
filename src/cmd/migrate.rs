//! `rustop migrate`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::{Session, client};
use crate::error::{Error, Result};
use crate::migration::{Stored, Unwritten};
use crate::names::{Group, Kind};
use crate::project::Project;
use crate::terminal::count;

/// Write stored objects anew in the storage version of their kind, so that an older version can go
///
/// A CRD keeps in `status.storedVersions` every version that objects were ever stored in, and the API server
/// removes none of those from it. This reads and writes each object, without a change to it, and then leaves
/// the storage version alone in that list. It may be interrupted and run again at any time. While it runs,
/// the operator must, too: it converts. Objects that it cannot convert are named at the end, each with the
/// command that opens it in a version in which it can be mended.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop migrate --dry-run                                # what is to be done
  rustop migrate                                          # all kinds, in the cluster of the kubeconfig
  rustop migrate --kind Lolcow --kubeconfig production    # one kind, in another cluster")]
pub struct Migrate {
    /// This kind only
    #[arg(long)]
    kind: Option<Kind>,
    /// Kinds of this group only, as it was given to create api
    #[arg(long)]
    group: Option<Group>,
    /// The cluster [default: that of KUBECONFIG or of ~/.kube/config]
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// Say what would be done and write nothing
    #[arg(long)]
    dry_run: bool,
}

impl Migrate {
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        let project = Project::load(&session.dir)?;
        let crds = self.crds(&project)?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(Error::io("start", "tokio"))?;
        runtime.block_on(async {
            let (client, _) = client::connect(self.kubeconfig.as_deref()).await?;
            let mut unwritten = Vec::new();
            for crd in crds {
                let stored = Stored::of(&client, &crd).await?;
                unwritten.extend(self.migrate(session, &stored).await?);
            }
            if unwritten.is_empty() {
                return Ok(ExitCode::SUCCESS);
            }
            Err(Error::NotMigrated { unwritten })
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
        let crds: Vec<_> = all.map(crate::resource::Resource::crd_name).collect();
        match &self.kind {
            Some(kind) if crds.is_empty() => {
                let meant = project.meant(kind).map(|meant| {
                    let (group, kind) = (meant.group_flag(), &meant.kind);
                    format!("rustop migrate {group}--kind {kind}")
                });
                let all = "rustop migrate, for all kinds of this project".to_owned();
                Err(Error::ForeignKind {
                    kind: kind.to_string(),
                    group: self.group.as_ref().map(ToString::to_string),
                    known: meant.into_iter().chain([all]).collect(),
                })
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
