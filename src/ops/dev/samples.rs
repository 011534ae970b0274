//! The steps that apply the samples.

use std::time::{Duration, Instant};

use kube::api::DynamicObject;

use super::stage::{Stage, TICK};
use crate::dev::{self, Operator, Proof, Samples};
use crate::ops::Result;
use crate::project::Project;
use crate::resource::Resource;

/// The time that the operator's webhooks have to become available.
const SERVED_WITHIN: Duration = Duration::from_secs(30);

/// Applies the samples once the operator's webhooks are available. If `once` is set and the local cluster was already
/// running, deletes the samples of earlier runs first, so that they do not affect the verdict.
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

/// Reports whether the kind is imported and its status has no conditions, so that no condition can report readiness.
pub fn is_silent(resource: &Resource) -> bool {
    resource.imported.is_some() && resource.reported().conditions.is_none()
}

/// Returns the evidence that the project's controller has reconciled an object, or `None` if its kind has no controller.
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

/// Waits until none of the objects is being deleted: an apply to a terminating object would be lost with it.
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

/// Retries a request while it fails because the operator's webhooks are not available yet.
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
