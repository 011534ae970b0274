//! `docs/how-to/jobs.md`.

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::batch::v1::{Job, JobSpec};
use k8s_openapi::api::core::v1::{Container, PodSpec, PodTemplateSpec};
use kube::ResourceExt as _;
use kube::api::PropagationPolicy;
use rustop_manager::prelude::*;

use crate::app::App;

// +kubebuilder:rbac:groups=my.domain,resources=apps,verbs=get;list;watch
// +kubebuilder:rbac:groups=my.domain,resources=apps/status,verbs=patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;patch
pub fn controller() -> Controller<App> {
    Controller::new(reconcile)
        .owns::<Job>()
        .owns::<Deployment>()
        .conditions(|status| &mut status.conditions)
}

async fn reconcile(app: Arc<App>, ctx: Context<App>) -> Result<Action> {
    let job = migration(&app);
    let current = job.name_any();
    let mut earlier = ctx.children::<Job>()?;
    earlier.retain(|job| job.name_any() != current);
    for job in &earlier {
        // in the foreground: the Job stays until its Pods are gone
        let foreground = PropagationPolicy::Foreground;
        ctx.delete_with_propagation::<Job>(&job.name_any(), foreground)
            .await?;
    }
    if !earlier.is_empty() {
        // two migrations must not run at once: the watch reports when the Job is gone
        let text = "an earlier migration is being stopped";
        let waiting = condition::false_because("Ready", "Waiting", text);
        ctx.set_status(|status| status.conditions.set(waiting));
        return Ok(Action::await_change());
    }
    let steps = Sequence::new().then(job, ready).then(web(&app), ready);
    let ready = ctx.apply_in_order(steps).await?;
    ctx.set_status(|status| status.conditions.set(ready));
    Ok(Action::await_change())
}

/// The template of a Job is immutable, so each generation of the spec gets a Job of its own.
fn migration(app: &App) -> Job {
    let generation = app.metadata.generation.unwrap_or_default();
    let container = Container {
        name: "migrate".to_owned(),
        image: Some("registry.example.com/app:v1".to_owned()),
        args: Some(vec!["migrate".to_owned()]),
        ..Container::default()
    };
    let pod = PodSpec {
        containers: vec![container],
        restart_policy: Some("Never".to_owned()),
        ..PodSpec::default()
    };
    let mut job = Job::default();
    job.metadata.name = Some(format!("{}-migrate-{generation}", app.name_any()));
    job.spec = Some(JobSpec {
        template: PodTemplateSpec {
            spec: Some(pod),
            ..PodTemplateSpec::default()
        },
        // the first attempt and two more
        backoff_limit: Some(2),
        active_deadline_seconds: Some(600),
        ..JobSpec::default()
    });
    job
}

fn web(app: &App) -> Deployment {
    let mut web = Deployment::default();
    web.metadata.name = Some(app.name_any());
    web
}

#[cfg(test)]
mod tests {
    use kube::api::{Patch, PatchParams, PostParams};
    use serde_json::json;

    use super::*;
    use crate::app::{AppSpec, app};
    use crate::{create, objects, start};

    #[tokio::test(start_paused = true)]
    async fn the_web_server_waits_for_the_migration() {
        let (cluster, _operator) = start(controller());
        create(&cluster, app("a", AppSpec::default())).await;
        let jobs = objects::<Job>(&cluster);
        let webs = objects::<Deployment>(&cluster);
        assert!(jobs.get("a-migrate-1").await.is_ok());
        assert!(webs.get("a").await.is_err());

        // the Job controller of Kubernetes writes this
        let complete = json!({"status": {"conditions": [{"type": "Complete", "status": "True"}]}});
        jobs.patch_status(
            "a-migrate-1",
            &PatchParams::default(),
            &Patch::Merge(&complete),
        )
        .await
        .unwrap();
        cluster.settle().await;
        assert!(webs.get("a").await.is_ok());

        let apps = objects::<App>(&cluster);
        let mut changed = apps.get("a").await.unwrap();
        changed.spec.domain = "cow.example".to_owned();
        apps.replace("a", &PostParams::default(), &changed)
            .await
            .unwrap();
        cluster.settle().await;
        assert!(jobs.get("a-migrate-2").await.is_ok());
        assert!(jobs.get("a-migrate-1").await.is_err());
    }
}
