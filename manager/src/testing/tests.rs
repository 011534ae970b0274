//! Tests of the in-memory cluster, and of the manager on it.

#[cfg(feature = "dynamic")]
mod dynamic;
mod ownership;
mod panics;
mod references;
mod sequences;
mod sets;
mod state_and_children;
#[cfg(feature = "webhook")]
mod webhooks;

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use futures::{StreamExt, TryStreamExt};
use k8s_openapi::{
    api::core::v1::{ConfigMap, Secret},
    apimachinery::pkg::apis::meta::v1::Condition,
};
use kube::{
    Api, CustomResource, CustomResourceExt,
    api::{DeleteParams, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams},
    core::ObjectMeta,
    runtime::{WatchStreamExt, watcher},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::time::Instant;

use super::*;
use crate::{Action, Conditions as _, Context, Controller, Error, Options, condition};

#[derive(CustomResource, Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[kube(
    group = "test.dev",
    version = "v1",
    kind = "Cow",
    namespaced,
    status = "CowStatus"
)]
struct CowSpec {
    says: String,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
struct CowStatus {
    #[serde(default)]
    conditions: Vec<Condition>,
}

/// Applies a config map with the cow's words. Fails if the cow says `nothing`.
async fn reconcile(cow: Arc<Cow>, ctx: Context<Cow>) -> Result<Action> {
    let says = cow.spec.says.clone();
    if says == "nothing" {
        return Err(Error::new("Silent", "a cow says something"));
    }
    ctx.apply(map(&cow.metadata, &says)).await?;
    let ready = condition::true_because("Ready", "Heard", "all cows hear it");
    ctx.set_status(|status| status.conditions.set(ready));
    Ok(Action::await_change())
}

fn map(of: &ObjectMeta, says: &str) -> ConfigMap {
    let mut map = ConfigMap::default();
    map.metadata.name.clone_from(&of.name);
    map.data = Some(BTreeMap::from([("says".to_owned(), says.to_owned())]));
    map
}

fn controller() -> Controller<Cow> {
    Controller::new(reconcile)
        .owns::<ConfigMap>()
        .conditions(|status| &mut status.conditions)
}

fn operator(controller: Controller<Cow>) -> Manager {
    Manager::new("test", "0", Options::default()).controller(controller)
}

fn cluster(seed: u64) -> Cluster {
    Cluster::seeded(seed).with([Cow::crd()])
}

fn cow(name: &str, says: &str) -> Cow {
    Cow::new(
        name,
        CowSpec {
            says: says.to_owned(),
        },
    )
}

fn api<T>(cluster: &Cluster) -> Api<T>
where
    T: kube::Resource<Scope = k8s_openapi::NamespaceResourceScope, DynamicType = ()>,
{
    Api::default_namespaced(cluster.client())
}

fn says(map: &ConfigMap) -> &str {
    &map.data.as_ref().unwrap()["says"]
}

#[tokio::test(start_paused = true)]
async fn an_operator_works_as_in_a_cluster() {
    for seed in 0..20 {
        let cluster = cluster(seed);
        let (cows, maps) = (api::<Cow>(&cluster), api::<ConfigMap>(&cluster));
        let operator = cluster.run(operator(controller()));
        cows.create(&PostParams::default(), &cow("elsie", "moo"))
            .await
            .unwrap();
        cluster.settle().await;
        let elsie = cows.get("elsie").await.unwrap();
        assert!(
            elsie.status.unwrap().conditions.is_met("Ready"),
            "seed {seed}"
        );
        assert_eq!(
            says(&maps.get("elsie").await.unwrap()),
            "moo",
            "seed {seed}"
        );

        // a change by another client is reverted, a field added by another client stays
        let edit = Patch::Merge(json!({"data": {"says": "baa", "more": "stays"}}));
        maps.patch("elsie", &PatchParams::default(), &edit)
            .await
            .unwrap();
        cluster.settle().await;
        let map = maps.get("elsie").await.unwrap();
        assert_eq!(
            (says(&map), map.data.as_ref().unwrap().len()),
            ("moo", 2),
            "seed {seed}"
        );
        maps.delete("elsie", &DeleteParams::default())
            .await
            .unwrap();
        cluster.settle().await;
        assert_eq!(
            says(&maps.get("elsie").await.unwrap()),
            "moo",
            "seed {seed}"
        );

        // the child is deleted with its owner
        cows.delete("elsie", &DeleteParams::default())
            .await
            .unwrap();
        cluster.settle().await;
        assert!(
            maps.get_opt("elsie").await.unwrap().is_none(),
            "seed {seed}"
        );
        operator.stop().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_reported_and_retried_in_virtual_time() {
    let cluster = cluster(1);
    let cows = api::<Cow>(&cluster);
    let _operator = cluster.run(operator(controller()));
    let real = std::time::Instant::now();
    cows.create(&PostParams::default(), &cow("dumb", "nothing"))
        .await
        .unwrap();
    sleep(Duration::from_secs(3600)).await;
    let failed = cows.get("dumb").await.unwrap().status.unwrap();
    assert_eq!(failed.conditions[0].reason, "Silent");
    let edit = Patch::Merge(json!({"spec": {"says": "moo"}}));
    cows.patch("dumb", &PatchParams::default(), &edit)
        .await
        .unwrap();
    cluster.settle().await;
    assert!(
        cows.get("dumb")
            .await
            .unwrap()
            .status
            .unwrap()
            .conditions
            .is_met("Ready")
    );
    assert!(
        real.elapsed() < Duration::from_secs(60),
        "an hour took {:?}",
        real.elapsed()
    );
}

/// Objects, conditions and the operator share one virtual clock.
#[tokio::test(start_paused = true)]
async fn time_passes_for_objects_as_for_the_operator() {
    let start: jiff::Timestamp = "2030-01-01T00:00:00Z".parse().unwrap();
    let cluster = cluster(1).at(start);
    let hour = Duration::from_secs(3600);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let noted = seen.clone();
    let note = move |cow: Arc<Cow>, ctx: Context<Cow>| {
        noted.lock().unwrap().push(ctx.now());
        async move { reconcile(cow, ctx).await }
    };
    let controller = Controller::new(note)
        .owns::<ConfigMap>()
        .conditions(|status| &mut status.conditions);
    let _operator = cluster.run(operator(controller));
    let is_after_hours = |time: jiff::Timestamp, hours: f64| {
        let passed = time.duration_since(start).as_secs_f64() / hour.as_secs_f64();
        assert!((passed - hours).abs() < 0.01, "{time}");
    };
    for (name, hours) in [("elsie", 1.0), ("bella", 2.0)] {
        sleep(hour).await;
        let cows = api::<Cow>(&cluster);
        let params = PostParams::default();
        cows.create(&params, &cow(name, "moo")).await.unwrap();
        cluster.settle().await;
        let cow = cows.get(name).await.unwrap();
        is_after_hours(cow.metadata.creation_timestamp.unwrap().0, hours);
        let ready = &cow.status.unwrap().conditions[0];
        is_after_hours(ready.last_transition_time.0, hours);
        is_after_hours(*seen.lock().unwrap().last().unwrap(), hours);
        is_after_hours(cluster.now(), hours);
    }
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_reported_in_the_summary_condition() {
    let cluster = cluster(1);
    let controller = controller().summary_condition("Available");
    let _operator = cluster.run(operator(controller));
    let cows = api::<Cow>(&cluster);
    let params = PostParams::default();
    cows.create(&params, &cow("dumb", "nothing")).await.unwrap();
    sleep(Duration::from_secs(10)).await;
    let failed = cows.get("dumb").await.unwrap().status.unwrap().conditions;
    let [available] = &failed[..] else {
        panic!("{failed:?}");
    };
    assert_eq!(
        (&*available.type_, &*available.status, &*available.reason),
        ("Available", "False", "Silent")
    );
}

#[tokio::test(start_paused = true)]
async fn an_operator_that_always_requeues_never_settles() {
    let cluster = cluster(1);
    let again = |_: Arc<Cow>, ctx: Context<Cow>| async move {
        ctx.api::<Secret>().get_opt("none").await?;
        Ok(Action::requeue(Duration::from_millis(300)))
    };
    let _operator = cluster.run(operator(Controller::new(again)));
    api::<Cow>(&cluster)
        .create(&PostParams::default(), &cow("elsie", "moo"))
        .await
        .unwrap();
    let settled = tokio::spawn(async move { cluster.settle().await }).await;
    assert!(settled.unwrap_err().is_panic());
}

#[tokio::test(start_paused = true)]
async fn a_cleanup_holds_the_object_until_it_is_done() {
    let cluster = cluster(1);
    let cows = api::<Cow>(&cluster);
    let cleanups = Arc::new(AtomicU32::new(0));
    let counted = cleanups.clone();
    let cleanup = move |_: Arc<Cow>, _: Context<Cow>| {
        let first = counted.fetch_add(1, Ordering::Relaxed) == 0;
        async move {
            if first {
                Err(Error::new("NotYet", "once more"))
            } else {
                Ok(())
            }
        }
    };
    let _operator = cluster.run(operator(controller().cleanup("test.dev/cow", cleanup)));
    cows.create(&PostParams::default(), &cow("elsie", "moo"))
        .await
        .unwrap();
    cluster.settle().await;
    cows.delete("elsie", &DeleteParams::default())
        .await
        .unwrap();
    sleep(Duration::from_secs(600)).await;
    assert!(cows.get_opt("elsie").await.unwrap().is_none());
    // the cleanup may run again before the cache reports the removal
    assert!(cleanups.load(Ordering::Relaxed) >= 2);
}

#[tokio::test(start_paused = true)]
async fn a_seed_determines_the_order_of_reconciles() {
    let run = async |seed| {
        let cluster = cluster(seed);
        let order = Arc::new(Mutex::new(Vec::new()));
        let seen = order.clone();
        let note = move |cow: Arc<Cow>, _: Context<Cow>| {
            seen.lock()
                .unwrap()
                .push(cow.metadata.name.clone().unwrap());
            async { Ok(Action::await_change()) }
        };
        let _operator = cluster.run(operator(Controller::new(note)));
        sleep(REST).await;
        let cows = api::<Cow>(&cluster);
        let params = PostParams::default();
        let all = (0..8).map(|n| cow(&format!("cow-{n}"), "moo"));
        futures::future::join_all(all.map(|cow| {
            let (cows, params) = (cows.clone(), params.clone());
            async move { cows.create(&params, &cow).await.unwrap() }
        }))
        .await;
        cluster.settle().await;
        let order = order.lock().unwrap().clone();
        assert_eq!(order.len(), 8, "{order:?}");
        order
    };
    assert_eq!(run(7).await, run(7).await);
    let mut orders = Vec::new();
    for seed in 0..10 {
        orders.push(run(seed).await);
    }
    orders.dedup();
    assert!(orders.len() > 1, "{orders:?}");
}

#[tokio::test(start_paused = true)]
async fn a_watch_of_an_expired_version_ends_with_410() {
    let cluster = cluster(1);
    let cows = api::<Cow>(&cluster);
    let first = cows
        .create(&PostParams::default(), &cow("a", "moo"))
        .await
        .unwrap();
    let version = first.metadata.resource_version.unwrap();
    cows.create(&PostParams::default(), &cow("b", "moo"))
        .await
        .unwrap();
    let watch = async || {
        let events = cows
            .watch(&WatchParams::default().timeout(5), &version)
            .await
            .unwrap();
        events.try_collect::<Vec<_>>().await.unwrap()
    };
    let begun = Instant::now();
    let events = watch().await;
    assert!(
        matches!(&events[..], [WatchEvent::Added(cow), WatchEvent::Bookmark(_)] if cow.metadata.name.as_deref() == Some("b"))
    );
    assert!(begun.elapsed() >= Duration::from_secs(5));
    cluster.compact();
    let events = watch().await;
    assert!(
        matches!(&events[..], [WatchEvent::Error(status), ..] if status.code == 410),
        "{events:?}"
    );
}

/// Tests kube's own watcher, with lists and with streaming lists.
#[tokio::test(start_paused = true)]
async fn kubes_watcher_sees_everything() {
    let cluster = cluster(1);
    let cows = api::<Cow>(&cluster);
    for n in 0..7 {
        cows.create(&PostParams::default(), &cow(&format!("cow-{n}"), "moo"))
            .await
            .unwrap();
    }
    for config in [
        watcher::Config::default().page_size(3),
        watcher::Config::default().streaming_lists(),
    ] {
        let seen = watcher(cows.clone(), config).applied_objects().take(7);
        let seen: Vec<Cow> = seen.try_collect().await.unwrap();
        assert_eq!(seen.len(), 7);
    }
}

#[tokio::test(start_paused = true)]
async fn all_pages_of_a_list_are_of_one_version() {
    let cluster = cluster(1);
    let cows = api::<Cow>(&cluster);
    for name in ["a", "b", "c"] {
        cows.create(&PostParams::default(), &cow(name, "moo"))
            .await
            .unwrap();
    }
    let page = cows.list(&ListParams::default().limit(2)).await.unwrap();
    assert_eq!(
        (page.items.len(), page.metadata.remaining_item_count),
        (2, Some(1))
    );
    cows.delete("c", &DeleteParams::default()).await.unwrap();
    let mut next = ListParams::default().limit(2);
    next.continue_token = page.metadata.continue_;
    let rest = cows.list(&next).await.unwrap();
    assert_eq!(rest.items[0].metadata.name.as_deref(), Some("c"));
    cluster.compact();
    let error = cows.list(&next).await.unwrap_err();
    assert!(matches!(error, kube::Error::Api(status) if status.code == 410));
}

#[tokio::test(start_paused = true)]
async fn an_unsupported_subresource_is_named_in_the_error() {
    let cluster = cluster(1);
    let error = api::<Cow>(&cluster)
        .get_scale("elsie")
        .await
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("`rustop_manager::testing` does not support the subresource `cows/scale`"),
        "{error}"
    );
}

/// Malformed bodies, paths and methods are rejected, and nothing panics.
#[tokio::test(start_paused = true)]
async fn malformed_requests_are_rejected() {
    let client = cluster(1).client();
    let types = [
        "application/json",
        "application/json-patch+json",
        "application/merge-patch+json",
        "application/apply-patch+yaml",
        "text/plain",
    ];
    let bodies = [
        "",
        "{",
        "[]",
        "7",
        "null",
        "{\"metadata\": 3}",
        "{\"metadata\": {\"name\": 3, \"labels\": []}}",
        "[{\"op\": \"add\"}]",
    ];
    let paths = [
        "/",
        "/api",
        "/api/v2/pods",
        "/api/v1/namespaces/default/configmaps",
        "/api/v1/namespaces/default/configmaps/a",
        "/apis/test.dev/v1/namespaces/default/cows/a/status",
        "/api/v1/namespaces/a/b/c/d/e",
    ];
    let mut refused = 0;
    for path in paths {
        for method in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
            for (media_type, body) in types
                .iter()
                .flat_map(|it| bodies.iter().map(move |body| (it, body)))
            {
                let request = http::Request::builder()
                    .method(method)
                    .uri(format!("{path}?fieldManager=me"));
                let request = request.header("content-type", *media_type);
                let request = request.body(body.as_bytes().to_vec().into()).unwrap();
                let answer = client.send(request).await.unwrap();
                refused += u32::from(answer.status().is_client_error());
            }
        }
    }
    assert!(refused > 1000, "{refused}");
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_deletes_nothing() {
    let cluster = cluster(0);
    let maps = api::<ConfigMap>(&cluster);
    let map = map(&cow("a", "").metadata, "moo");
    maps.create(&PostParams::default(), &map).await.unwrap();
    let dry_run = DeleteParams::default().dry_run();
    maps.delete("a", &dry_run).await.unwrap();
    let all = ListParams::default();
    maps.delete_collection(&dry_run, &all).await.unwrap();
    maps.get("a").await.unwrap();
    maps.delete("a", &DeleteParams::default()).await.unwrap();
    maps.get("a").await.unwrap_err();
}

/// Two reconciles start at once, then one every ten seconds, regardless of the number of objects
/// and triggers.
#[tokio::test(start_paused = true)]
async fn a_rate_is_kept_by_all_objects_together() {
    let cluster = cluster(0);
    let starts = Arc::new(Mutex::new(Vec::new()));
    let seen = starts.clone();
    let note = move |_: Arc<Cow>, _: Context<Cow>| {
        seen.lock().unwrap().push(Instant::now());
        async { Ok(Action::await_change()) }
    };
    let ten = Duration::from_secs(10);
    let controller = Controller::new(note).concurrency(8).rate_limit(2, ten);
    let operator = cluster.run(operator(controller));
    let cows = api::<Cow>(&cluster);
    for name in ["a", "b", "c", "d", "e", "f"] {
        cows.create(&PostParams::default(), &cow(name, "moo"))
            .await
            .unwrap();
    }
    sleep(ten * 10).await;
    let starts = starts.lock().unwrap().clone();
    let after: Vec<u64> = starts
        .iter()
        .map(|start| (*start - starts[0]).as_secs())
        .collect();
    assert_eq!(after, [0, 0, 10, 20, 30, 40]);
    operator.stop().await.unwrap();
}
