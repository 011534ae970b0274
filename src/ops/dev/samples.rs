//! The samples on their way to the API server.

use std::time::{Duration, Instant};

use kube::api::DynamicObject;

use super::stage::{Stage, TICK};
use crate::dev::{self, Operator, Proof, Samples};
use crate::ops::Result;
use crate::project::Project;
use crate::resource::Resource;

/// How long the operator's webhooks may take until they serve.
const SERVED_WITHIN: Duration = Duration::from_secs(30);

/// Applies the samples, as soon as the operator's webhooks let them pass. On a cluster that ran before,
/// those of an earlier run go first, so that no verdict rests on them.
pub fn apply(stage: &Stage<'_>, operator: &mut Operator) -> Result<Samples> {
    let (project, place) = (stage.project, stage.place);
    if !project.resources.iter().any(Resource::has_crd) {
        return Ok(Samples::default());
    }
    let namespace = if project.namespaced {
        &stage.deployed.namespace
    } else {
        "default"
    };
    let objects = dev::samples(&stage.session.dir, &place.kubectl, namespace)?;
    if stage.dev.once && place.cluster.is_some() && !place.started {
        let delete = || dev::delete(stage.client, &objects);
        patiently(|| stage.runtime.block_on(delete()))?;
    }
    until_none_is_leaving(stage, operator, &objects)?;
    let proof = |sample: &DynamicObject| proof(stage.project, sample);
    let apply = || Samples::apply(stage.client, objects.clone(), proof);
    let applied = patiently(|| stage.runtime.block_on(apply()));
    Ok(applied.map_err(|error| dev::located(&stage.session.dir, error))?)
}

/// Whether the types of a kind give a controller no condition to set.
pub fn is_silent(resource: &Resource) -> bool {
    resource.imported.is_some() && resource.reported().conditions.is_none()
}

/// How the work of the project's controller shows in an object; not at all where none works on it.
fn proof(project: &Project, object: &DynamicObject) -> Option<Proof> {
    let types = object.types.clone().unwrap_or_default();
    let (group, version) = types
        .api_version
        .rsplit_once('/')
        .unwrap_or(("", &types.api_version));
    let resources = || project.versions_of(group, &types.kind);
    resources().find(|it| it.controller)?;
    let of_version = resources().find(|it| it.version.as_str() == version);
    Some(if of_version.is_some_and(is_silent) {
        Proof::Watch
    } else {
        Proof::Condition
    })
}

/// Waits for those that are being deleted: what is applied onto one goes with it.
fn until_none_is_leaving(
    stage: &Stage<'_>,
    operator: &mut Operator,
    objects: &[DynamicObject],
) -> Result<()> {
    let deadline = Instant::now() + stage.dev.timeout;
    let mut told = Vec::new();
    loop {
        let leaving = patiently(|| stage.runtime.block_on(dev::leaving(stage.client, objects)))?;
        if leaving.is_empty() {
            return Ok(());
        }
        if leaving != told {
            for line in &leaving {
                stage.session.terminal.status("Waiting", line);
            }
            told.clone_from(&leaving);
        }
        stage.session.interrupt().check()?;
        if let Some(status) = operator.ended() {
            return Err(dev::Error::OperatorEnded { status }.into());
        }
        if Instant::now() > deadline {
            return Err(dev::Error::NotReady {
                missing: leaving,
                timeout: stage.dev.timeout,
            }
            .into());
        }
        std::thread::sleep(TICK);
    }
}

/// Asks again while the operator does not answer for its webhooks yet.
fn patiently<T, F>(mut ask: F) -> std::result::Result<T, dev::Error>
where
    F: FnMut() -> std::result::Result<T, dev::Error>,
{
    let deadline = Instant::now() + SERVED_WITHIN;
    loop {
        match ask() {
            Err(error) if dev::is_not_served_yet(&error) && Instant::now() < deadline => {
                std::thread::sleep(TICK);
            }
            done => return done,
        }
    }
}
