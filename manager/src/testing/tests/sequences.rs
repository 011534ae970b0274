//! Tests of `Context::apply_in_order` and `Context::delete_in_reverse`.

use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec, DeploymentStatus};

use super::*;
use crate::{Sequence, ready};

/// Returns a sequence: a config map that the test must fill, then a Deployment together with a
/// Secret, then another config map.
fn children(cow: &Cow) -> Sequence<Cow> {
    let named = |suffix: &str| ObjectMeta {
        name: Some(format!(
            "{}-{suffix}",
            cow.metadata.name.as_deref().unwrap()
        )),
        ..ObjectMeta::default()
    };
    let seed = ConfigMap {
        metadata: named("seed"),
        ..ConfigMap::default()
    };
    let barn = Deployment {
        metadata: named("barn"),
        spec: DeploymentSpec::default(),
        ..Deployment::default()
    };
    let key = Secret {
        metadata: named("key"),
        ..Secret::default()
    };
    let is_filled = |map: &ConfigMap| {
        let is_filled = map.data.is_some();
        is_filled.then_some(()).ok_or("it is empty".to_owned())
    };
    Sequence::new()
        .then(seed, is_filled)
        .then(barn, ready)
        .and(key, ready)
        .then(map(&cow.metadata, &cow.spec.says), ready)
}

async fn raise(cow: Arc<Cow>, ctx: Context<Cow>) -> Result<Action> {
    let ready = ctx.apply_in_order(children(&cow)).await?;
    ctx.set_status(|status| status.conditions.set(ready));
    Ok(Action::await_change())
}

async fn dissolve(cow: Arc<Cow>, ctx: Context<Cow>) -> Result<()> {
    ctx.delete_in_reverse(children(&cow)).await
}

fn operator_in_order() -> Manager {
    let controller = Controller::new(raise)
        .owns::<ConfigMap>()
        .owns::<Deployment>()
        .owns::<Secret>()
        .conditions(|status| &mut status.conditions)
        .cleanup("test.dev/in-order", dissolve);
    operator(controller)
}

/// Lists the names of all children.
async fn child_names(cluster: &Cluster) -> String {
    let all = ListParams::default();
    let maps = api::<ConfigMap>(cluster).list(&all).await.unwrap();
    let barns = api::<Deployment>(cluster).list(&all).await.unwrap();
    let keys = api::<Secret>(cluster).list(&all).await.unwrap();
    let names = maps.items.into_iter().map(|it| it.metadata.name);
    let names = names.chain(barns.items.into_iter().map(|it| it.metadata.name));
    let names = names.chain(keys.items.into_iter().map(|it| it.metadata.name));
    let mut names: Vec<String> = names.flatten().collect();
    names.sort();
    names.join(" ")
}

async fn ready_condition(cluster: &Cluster) -> String {
    let cow = api::<Cow>(cluster).get("elsie").await.unwrap();
    let condition = cow.status.unwrap().conditions.remove(0);
    format!("{}: {}", condition.status, condition.message)
}

async fn fill(cluster: &Cluster) {
    let filled = Patch::Merge(json!({"data": {"grain": "oat"}}));
    let maps = api::<ConfigMap>(cluster);
    let params = PatchParams::default();
    maps.patch("elsie-seed", &params, &filled).await.unwrap();
}

async fn build(cluster: &Cluster) {
    let barns = api::<Deployment>(cluster);
    let barn = barns.get("elsie-barn").await.unwrap();
    let status = DeploymentStatus {
        observed_generation: barn.metadata.generation,
        updated_replicas: Some(1),
        available_replicas: Some(1),
        ..DeploymentStatus::default()
    };
    let status = Patch::Merge(json!({"status": status}));
    let params = PatchParams::default();
    barns
        .patch_status("elsie-barn", &params, &status)
        .await
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn each_step_is_applied_when_the_steps_before_it_are_ready() {
    for seed in 0..20 {
        let cluster = cluster(seed);
        let operator = cluster.run(operator_in_order());
        let cows = api::<Cow>(&cluster);
        cows.create(&PostParams::default(), &cow("elsie", "moo"))
            .await
            .unwrap();
        cluster.settle().await;
        assert_eq!(child_names(&cluster).await, "elsie-seed");
        let waits = "False: step 1 of 3: ConfigMap elsie-seed: it is empty";
        assert_eq!(ready_condition(&cluster).await, waits);

        fill(&cluster).await;
        cluster.settle().await;
        assert_eq!(
            child_names(&cluster).await,
            "elsie-barn elsie-key elsie-seed"
        );
        let waits = "False: step 2 of 3: Deployment elsie-barn: updatedReplicas is 0 of 1";
        assert_eq!(ready_condition(&cluster).await, waits);

        build(&cluster).await;
        cluster.settle().await;
        assert_eq!(
            child_names(&cluster).await,
            "elsie elsie-barn elsie-key elsie-seed"
        );
        assert_eq!(
            ready_condition(&cluster).await,
            "True: step 3 of 3 is ready"
        );
        operator.stop().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn each_step_is_deleted_when_the_steps_after_it_are_gone() {
    for seed in 0..20 {
        let cluster = cluster(seed);
        let operator = cluster.run(operator_in_order());
        let (cows, barns) = (api::<Cow>(&cluster), api::<Deployment>(&cluster));
        cows.create(&PostParams::default(), &cow("elsie", "moo"))
            .await
            .unwrap();
        cluster.settle().await;
        fill(&cluster).await;
        cluster.settle().await;
        build(&cluster).await;
        cluster.settle().await;

        let (patch, delete) = (PatchParams::default(), DeleteParams::default());
        let held = |by: &[&str]| Patch::Merge(json!({"metadata": {"finalizers": by}}));
        barns
            .patch("elsie-barn", &patch, &held(&["test.dev/hay"]))
            .await
            .unwrap();
        cows.delete("elsie", &delete).await.unwrap();
        cluster.settle().await;
        // the Secret is in the same step as the Deployment
        assert_eq!(child_names(&cluster).await, "elsie-barn elsie-seed");
        let going = cows.get("elsie").await.unwrap();
        assert!(going.metadata.deletion_timestamp.is_some());

        let finalizers = barns.get("elsie-barn").await.unwrap().metadata.finalizers;
        let mut left = finalizers.unwrap();
        left.retain(|name| name != "test.dev/hay");
        let left: Vec<&str> = left.iter().map(String::as_str).collect();
        barns
            .patch("elsie-barn", &patch, &held(&left))
            .await
            .unwrap();
        cluster.settle().await;
        assert_eq!(child_names(&cluster).await, "");
        assert!(cows.get_opt("elsie").await.unwrap().is_none());
        operator.stop().await.unwrap();
    }
}

/// The child never belonged to this object.
#[tokio::test(start_paused = true)]
async fn an_object_without_the_owner_reference_is_not_deleted() {
    let cluster = cluster(0);
    let maps = api::<ConfigMap>(&cluster);
    let params = PostParams::default();
    let operator = cluster.run(operator_in_order());
    let cows = api::<Cow>(&cluster);
    cows.create(&params, &cow("elsie", "moo")).await.unwrap();
    cluster.settle().await;
    let other = map(&cow("elsie", "").metadata, "not yours");
    maps.create(&params, &other).await.unwrap();
    cows.delete("elsie", &DeleteParams::default())
        .await
        .unwrap();
    cluster.settle().await;
    assert_eq!(child_names(&cluster).await, "elsie");
    assert!(cows.get_opt("elsie").await.unwrap().is_none());
    operator.stop().await.unwrap();
}
