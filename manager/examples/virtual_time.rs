//! Tests with virtual time: an object is deleted when its time is up, and the test of two days does
//! not wait for them.

use std::time::Duration;

use kube::api::DeleteParams;
use kube::{CustomResource, ResourceExt as _};
use rustop_manager::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug, Default)]
#[kube(group = "example.com", version = "v1", kind = "Preview", namespaced)]
struct PreviewSpec {
    hours: u32,
}

fn controller() -> Controller<Preview> {
    Controller::new(reconcile)
}

async fn reconcile(preview: Arc<Preview>, ctx: Context<Preview>) -> Result<Action> {
    let created = preview.creation_timestamp();
    let created = created.map_or_else(|| ctx.now(), |time| time.0);
    // Not the clock of the machine: in a test, `ctx.now()` is the time of the in-memory cluster.
    let age = ctx.now().duration_since(created).unsigned_abs();
    let lifetime = Duration::from_secs(3600) * preview.spec.hours;
    if age < lifetime {
        return Ok(Action::requeue(lifetime.saturating_sub(age)));
    }
    let previews = ctx.api::<Preview>();
    let params = DeleteParams::default();
    previews.delete(&preview.name_any(), &params).await?;
    Ok(Action::await_change())
}

#[tokio::main]
async fn main() -> Result<()> {
    let manager = Manager::from_args("preview-operator", "0.1.0");
    manager.controller(controller()).run().await
}

#[cfg(test)]
mod tests {
    use kube::api::{Api, PostParams};
    use kube::core::CustomResourceExt as _;
    use rustop_manager::testing::Cluster;

    use super::*;

    /// With `start_paused`, a sleep ends at once, and everything that is due before its end happens
    /// first.
    #[tokio::test(start_paused = true)]
    async fn a_preview_exists_for_two_days() {
        let cluster = Cluster::new().with([Preview::crd()]);
        let manager = Manager::new("test", "0", Options::default());
        let _operator = cluster.run(manager.controller(controller()));
        let previews = Api::<Preview>::default_namespaced(cluster.client());
        let preview = Preview::new("branch", PreviewSpec { hours: 48 });
        previews
            .create(&PostParams::default(), &preview)
            .await
            .unwrap();

        tokio::time::sleep(Duration::from_secs(47 * 3600)).await;
        assert!(previews.get_opt("branch").await.unwrap().is_some());
        tokio::time::sleep(Duration::from_secs(2 * 3600)).await;
        assert!(previews.get_opt("branch").await.unwrap().is_none());
    }
}
