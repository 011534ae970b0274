//! Existing objects that another client created are not changed.

use k8s_openapi::api::core::v1::Namespace;
use kube::Resource as _;

use super::*;
use crate::{Children, Watch};

const THEIRS: &str = "theirs";

/// The name of a namespaced object says nothing in the reconcile of a cluster-scoped one.
#[tokio::test(start_paused = true)]
async fn a_cluster_scoped_object_deletes_nothing_without_a_namespace() {
    let reasons = Arc::new(Mutex::new(Vec::new()));
    let recorded = reasons.clone();
    let look = move |_: Arc<Namespace>, ctx: Context<Namespace>| {
        let recorded = recorded.clone();
        async move {
            let error = ctx.delete::<ConfigMap>("notes").await.unwrap_err();
            let help = "`ctx.get_in::<ConfigMap>(namespace, \"notes\")`";
            assert!(error.to_string().contains(help), "{error}");
            let unread = ctx.get::<ConfigMap>("notes").unwrap_err();
            let found = [error.reason().to_owned(), unread.reason().to_owned()];
            recorded.lock().unwrap().push(found);
            Ok(Action::await_change())
        }
    };
    let cluster = cluster(1);
    let controller = Controller::new(look).owns::<ConfigMap>();
    let manager = Manager::new("test", "0", Options::default()).controller(controller);
    let _operator = cluster.run(manager);
    cluster.settle().await;
    let reasons = reasons.lock().unwrap();
    let no_namespace = ["NoNamespace", "NoNamespace"].map(str::to_owned);
    assert!(reasons.len() > 1 && reasons.iter().all(|found| *found == no_namespace));
}

/// The watch has not reported the child of a `create` whose response was lost.
#[tokio::test(start_paused = true)]
async fn live_children_contain_a_child_that_the_cache_lacks() {
    let counts = Arc::new(Mutex::new(Vec::new()));
    let recorded = counts.clone();
    let look = move |elsie: Arc<Cow>, ctx: Context<Cow>| {
        let recorded = recorded.clone();
        async move {
            let (cached, live) = (
                ctx.children::<ConfigMap>()?,
                ctx.live_children::<ConfigMap>(),
            );
            let live = live.await?;
            recorded.lock().unwrap().push((cached.len(), live.len()));
            if live.is_empty() {
                ctx.create(map(&elsie.metadata, "moo")).await?;
            }
            Ok(Action::await_change())
        }
    };
    let cluster = cluster(1);
    create_map(&cluster, &foreign("foreign")).await;
    let held = cluster.hold_events::<ConfigMap>();
    let create = Requests::of::<ConfigMap>(Operation::Create);
    cluster.fail_next(create, Fault::LostResponse);
    let controller = Controller::new(look).owns::<ConfigMap>();
    let _operator = cluster.run(operator(controller));
    create_cow(&cluster, "elsie").await;
    cluster.settle().await;
    assert_eq!(*counts.lock().unwrap(), [(0, 0), (0, 1)]);
    drop(held);
}

/// The messages of webhooks do not name the object.
#[tokio::test(start_paused = true)]
async fn rejected_writes_name_their_object() {
    let errors = Arc::new(Mutex::new(Vec::new()));
    let recorded = errors.clone();
    let write = move |elsie: Arc<Cow>, ctx: Context<Cow>| {
        let recorded = recorded.clone();
        async move {
            if !recorded.lock().unwrap().is_empty() {
                return Ok(Action::await_change());
            }
            let child = || map(&elsie.metadata, "moo");
            let create = ctx.create(child()).await.unwrap_err();
            let apply = ctx.apply(child()).await.unwrap_err();
            let stored = ctx.apply(child()).await?;
            let delete = ctx.delete_object(stored.as_ref()).await.unwrap_err();
            let ready = condition::true_because("Ready", "Heard", "");
            let status = ctx.update_status(|status| status.conditions.set(ready));
            let status = status.await.unwrap_err();
            let all = [create, apply, delete, status].map(|error| error.to_string());
            recorded.lock().unwrap().extend(all);
            Ok(Action::await_change())
        }
    };
    let cluster = cluster(1);
    for requests in [
        Requests::of::<ConfigMap>(Operation::Create),
        Requests::of::<ConfigMap>(Operation::Apply),
        Requests::of::<ConfigMap>(Operation::Delete),
        Requests::of::<Cow>(Operation::Patch).status(),
    ] {
        cluster.fail_next(requests, Fault::Status(403));
    }
    let _operator = cluster.run(operator(Controller::new(write).owns::<ConfigMap>()));
    create_cow(&cluster, "elsie").await;
    cluster.settle().await;
    let expected = [
        "cannot create ConfigMap default/elsie: injected fault",
        "cannot apply ConfigMap default/elsie: injected fault",
        "cannot delete ConfigMap default/elsie: injected fault",
        "cannot update the status of Cow default/elsie: injected fault",
    ];
    assert_eq!(*errors.lock().unwrap(), expected);
}

/// Returns an object of another client, without an owner.
fn foreign(name: &str) -> ConfigMap {
    let name = Some(name.to_owned());
    let meta = ObjectMeta {
        name,
        ..ObjectMeta::default()
    };
    map(&meta, THEIRS)
}

async fn create_map(cluster: &Cluster, map: &ConfigMap) {
    let maps = api::<ConfigMap>(cluster);
    maps.create(&PostParams::default(), map).await.unwrap();
}

async fn create_cow(cluster: &Cluster, name: &str) {
    let cows = api::<Cow>(cluster);
    let elsie = cow(name, "moo");
    cows.create(&PostParams::default(), &elsie).await.unwrap();
    sleep(Duration::from_secs(10)).await;
}

async fn elsie_is(cluster: &Cluster) -> Condition {
    let elsie = api::<Cow>(cluster).get("elsie").await.unwrap();
    let conditions = elsie.status.unwrap_or_default().conditions;
    conditions.of_type("Ready").unwrap().clone()
}

async fn patch_map(cluster: &Cluster, change: serde_json::Value) {
    let maps = api::<ConfigMap>(cluster);
    let change = Patch::Merge(change);
    let patched = maps.patch("elsie", &PatchParams::default(), &change).await;
    patched.unwrap();
    // A failed reconcile is repeated within five minutes.
    sleep(Duration::from_secs(301)).await;
}

fn assert_is_theirs(map: &ConfigMap) {
    assert_eq!(says(map), THEIRS);
    assert_eq!(map.metadata.owner_references, None);
    assert_eq!(map.metadata.labels, None);
}

/// Asserts that the map is unchanged, and outlives the cow.
async fn is_left_alone(cluster: &Cluster) {
    let (cows, maps) = (api::<Cow>(cluster), api::<ConfigMap>(cluster));
    let ready = elsie_is(cluster).await;
    assert_eq!((&*ready.status, &*ready.reason), ("False", "NotOwned"));
    assert_is_theirs(&maps.get("elsie").await.unwrap());
    let params = DeleteParams::default();
    cows.delete("elsie", &params).await.unwrap();
    sleep(Duration::from_secs(60)).await;
    assert_is_theirs(&maps.get("elsie").await.unwrap());
}

/// Asserts that the map belongs to the cow, and is deleted with it.
async fn is_owned(cluster: &Cluster) {
    let (cows, maps) = (api::<Cow>(cluster), api::<ConfigMap>(cluster));
    assert_eq!(elsie_is(cluster).await.status, "True");
    let map = maps.get("elsie").await.unwrap();
    assert_eq!(
        (
            says(&map),
            map.metadata.owner_references.iter().flatten().count()
        ),
        ("moo", 1)
    );
    let params = DeleteParams::default();
    cows.delete("elsie", &params).await.unwrap();
    sleep(Duration::from_secs(60)).await;
    assert!(maps.get_opt("elsie").await.unwrap().is_none());
}

/// Returns controllers that watch all maps, no maps, and only maps with the operator's label.
fn controllers() -> [Controller<Cow>; 3] {
    let unwatched =
        || Controller::new(reconcile).conditions(|status: &mut CowStatus| &mut status.conditions);
    [
        controller(),
        unwatched(),
        unwatched().owns_matching(Watch::<ConfigMap>::new().applied()),
    ]
}

#[tokio::test(start_paused = true)]
async fn a_foreign_object_is_neither_changed_nor_deleted() {
    for controller in controllers() {
        let cluster = cluster(1);
        create_map(&cluster, &foreign("elsie")).await;
        let operator = cluster.run(operator(controller));
        create_cow(&cluster, "elsie").await;
        let message = elsie_is(&cluster).await.message;
        let help =
            "`kubectl annotate configmaps elsie --namespace=default test.dev/adopt=Cow/elsie`";
        assert!(message.contains(help), "{message}");
        is_left_alone(&cluster).await;
        operator.stop().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn an_annotation_for_this_owner_allows_adoption() {
    for controller in controllers() {
        let cluster = cluster(1);
        create_map(&cluster, &foreign("elsie")).await;
        let operator = cluster.run(operator(controller));
        create_cow(&cluster, "elsie").await;
        for other in ["true", "elsie", "Cow/bella", "Bull/elsie"] {
            let annotations = json!({"test.dev/adopt": other});
            patch_map(&cluster, json!({"metadata": {"annotations": annotations}})).await;
            assert_eq!(elsie_is(&cluster).await.reason, "NotOwned", "{other}");
        }
        let annotations = json!({"test.dev/adopt": "Cow/elsie"});
        patch_map(&cluster, json!({"metadata": {"annotations": annotations}})).await;
        is_owned(&cluster).await;
        operator.stop().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn code_can_adopt_an_object_without_controller() {
    async fn adopt(cow: Arc<Cow>, ctx: Context<Cow>) -> Result<Action> {
        ctx.adopt(map(&cow.metadata, &cow.spec.says)).await?;
        let ready = condition::true_because("Ready", "Heard", "");
        ctx.set_status(|status| status.conditions.set(ready));
        Ok(Action::await_change())
    }
    for is_controlled in [false, true] {
        let cluster = cluster(1);
        let mut elsie = foreign("elsie");
        if is_controlled {
            let other = api::<Secret>(&cluster)
                .create(
                    &PostParams::default(),
                    &serde_json::from_value(json!({"metadata": {"name": "other"}})).unwrap(),
                )
                .await
                .unwrap();
            elsie.metadata.owner_references = other.controller_owner_ref(&()).map(|it| vec![it]);
        }
        create_map(&cluster, &elsie).await;
        let controller = Controller::new(adopt).conditions(|status| &mut status.conditions);
        let operator = cluster.run(operator(controller));
        create_cow(&cluster, "elsie").await;
        if is_controlled {
            let ready = elsie_is(&cluster).await;
            assert_eq!(ready.reason, "OwnedByAnother");
            let help = "; help: use another name, or remove that owner with `kubectl edit configmaps elsie --namespace=default`";
            assert!(ready.message.ends_with(help), "{}", ready.message);
        } else {
            is_owned(&cluster).await;
        }
        operator.stop().await.unwrap();
    }
}

/// After an object is recreated, children of its predecessor block it only until the garbage
/// collector has deleted them.
#[tokio::test(start_paused = true)]
async fn children_of_a_predecessor_delay_only_until_they_are_collected() {
    // A controller that watches the map sees its deletion; the others repeat a failed reconcile
    // within five minutes.
    for (controller, seconds) in controllers().into_iter().zip([5, 301, 301]) {
        let cluster = cluster(1);
        let mut predecessor = cow("elsie", "mew");
        predecessor.metadata.uid = Some("of-the-predecessor".to_owned());
        let mut left = foreign("elsie");
        left.metadata.owner_references = predecessor.controller_owner_ref(&()).map(|it| vec![it]);
        // The in-memory garbage collector works at once; a finalizer delays it.
        left.metadata.finalizers = Some(vec!["test.dev/slow".to_owned()]);
        create_map(&cluster, &left).await;
        let operator = cluster.run(operator(controller));
        create_cow(&cluster, "elsie").await;
        sleep(Duration::from_secs(400)).await;
        let ready = elsie_is(&cluster).await;
        assert_eq!(ready.reason, "OwnedByAnother");
        let says = "belongs to the deleted Cow elsie, which this object replaces";
        assert!(ready.message.contains(says), "{}", ready.message);

        let change = Patch::Merge(json!({"metadata": {"finalizers": null}}));
        let maps = api::<ConfigMap>(&cluster);
        let patched = maps.patch("elsie", &PatchParams::default(), &change).await;
        patched.unwrap();
        sleep(Duration::from_secs(seconds)).await;
        is_owned(&cluster).await;
        operator.stop().await.unwrap();
    }
}

/// The cache may not contain an object yet that was created a moment ago, or that replaced the
/// child.
#[tokio::test(start_paused = true)]
async fn a_foreign_object_created_before_the_write_is_left_alone() {
    async fn race(cow: Arc<Cow>, ctx: Context<Cow>) -> Result<Action> {
        let maps = ctx.api::<ConfigMap>();
        let name = cow.metadata.name.as_deref().unwrap_or_default();
        let has_child = maps.get_opt(name).await?.is_some();
        if cow.spec.says == "replaced" && !has_child {
            ctx.apply(map(&cow.metadata, "first")).await?;
            maps.delete(name, &DeleteParams::default()).await?;
        }
        if !has_child {
            maps.create(&PostParams::default(), &foreign(name)).await?;
        }
        ctx.apply(map(&cow.metadata, "moo")).await?;
        Ok(Action::await_change())
    }
    for (seed, word) in (0..10).flat_map(|seed| [(seed, "new"), (seed, "replaced")]) {
        let cluster = cluster(seed);
        let controller = Controller::new(race)
            .owns::<ConfigMap>()
            .conditions(|status| &mut status.conditions);
        let operator = cluster.run(operator(controller));
        let cows = api::<Cow>(&cluster);
        let elsie = cow("elsie", word);
        cows.create(&PostParams::default(), &elsie).await.unwrap();
        sleep(Duration::from_secs(10)).await;
        is_left_alone(&cluster).await;
        operator.stop().await.unwrap();
    }
}

/// A child keeps its owner when the operator restarts, and gets it back if another client removes
/// it.
#[tokio::test(start_paused = true)]
async fn a_child_stays_a_child() {
    for controllers in controllers().into_iter().zip(controllers()) {
        let cluster = cluster(1);
        let first = cluster.run(operator(controllers.0));
        create_cow(&cluster, "elsie").await;
        first.stop().await.unwrap();
        patch_map(
            &cluster,
            json!({"metadata": {"ownerReferences": null}, "data": {"says": "baa"}}),
        )
        .await;
        let second = cluster.run(operator(controllers.1));
        sleep(Duration::from_secs(10)).await;
        is_owned(&cluster).await;
        second.stop().await.unwrap();
    }
}

/// A child of an unwatched kind is not written if it is already in the desired state.
#[tokio::test(start_paused = true)]
async fn an_unwatched_child_is_not_sent_again() {
    let cluster = cluster(1);
    let [_, unwatched, _] = controllers();
    let operator = cluster.run(operator(unwatched));
    create_cow(&cluster, "elsie").await;
    let maps = api::<ConfigMap>(&cluster);
    let version = async || maps.get("elsie").await.unwrap().metadata.resource_version;
    let before = version().await;
    let labels = Patch::Merge(json!({"metadata": {"labels": {"a": "b"}}}));
    let cows = api::<Cow>(&cluster);
    let params = PatchParams::default();
    cows.patch("elsie", &params, &labels).await.unwrap();
    sleep(Duration::from_secs(10)).await;
    assert_eq!(version().await, before);
    is_owned(&cluster).await;
    operator.stop().await.unwrap();
}

/// Children in other namespaces have no owner reference. Their labels identify the owner.
#[tokio::test(start_paused = true)]
async fn a_child_in_another_namespace_is_not_taken_by_an_owner_of_the_same_name() {
    async fn keep(cow: Arc<Cow>, ctx: Context<Cow>) -> Result<Action> {
        let mut far = map(&cow.metadata, &cow.spec.says);
        far.metadata.namespace = Some("far".to_owned());
        let mut children = Children::new();
        children.add(far);
        ctx.apply_all(children).prune().await?;
        Ok(Action::await_change())
    }
    for rival in ["near", "far"] {
        let cluster = cluster(1);
        let namespaces = Api::<Namespace>::all(cluster.client());
        for name in ["near", "far"] {
            let mut namespace = Namespace::default();
            namespace.metadata.name = Some(name.to_owned());
            let params = PostParams::default();
            namespaces.create(&params, &namespace).await.unwrap();
        }
        let controller = Controller::new(keep)
            .owns::<ConfigMap>()
            .conditions(|status| &mut status.conditions);
        let operator = cluster.run(operator(controller));
        create_cow(&cluster, "elsie").await;
        let rivals = Api::<Cow>::namespaced(cluster.client(), rival);
        let params = PostParams::default();
        rivals.create(&params, &cow("elsie", "baa")).await.unwrap();
        sleep(Duration::from_secs(60)).await;
        let maps = Api::<ConfigMap>::namespaced(cluster.client(), "far");
        assert_eq!(says(&maps.get("elsie").await.unwrap()), "moo", "{rival}");
        operator.stop().await.unwrap();
    }
}
