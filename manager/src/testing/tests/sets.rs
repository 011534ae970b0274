//! Tests of `Context::apply_all` and `Context::by`.

use crate::Children;

use super::*;

const FINALIZER: &str = "test.dev/far";

/// Applies a config map for each word of the cow. Words with a slash name another namespace.
async fn keep(cow: Arc<Cow>, ctx: Context<Cow>) -> Result<Action> {
    ctx.apply_all(words(&cow)).prune().await?;
    Ok(Action::await_change())
}

async fn leave(_: Arc<Cow>, ctx: Context<Cow>) -> Result<()> {
    ctx.apply_all(Children::new()).prune().await?;
    Ok(())
}

fn words(cow: &Cow) -> Children<Cow> {
    let mut children = Children::new();
    for word in cow.spec.says.split_whitespace() {
        let mut map = ConfigMap::default();
        let (namespace, name) = word.split_once('/').unwrap_or(("", word));
        map.metadata.name = Some(name.to_owned());
        map.metadata.namespace = (!namespace.is_empty()).then(|| namespace.to_owned());
        children.add(map);
    }
    children
}

fn keeper() -> Controller<Cow> {
    Controller::new(keep)
        .owns::<ConfigMap>()
        .cleanup(FINALIZER, leave)
        .indexed_by("first letter", |map: &ConfigMap| {
            let name = map.metadata.name.as_deref().unwrap_or_default();
            name.get(..1).map(str::to_owned)
        })
        .conditions(|status| &mut status.conditions)
}

/// Lists the config maps of all namespaces.
async fn maps(cluster: &Cluster) -> Vec<String> {
    let all = Api::<ConfigMap>::all(cluster.client());
    let all = all.list(&ListParams::default()).await.unwrap().items;
    let mut names: Vec<_> = all
        .iter()
        .map(|map| {
            let meta = &map.metadata;
            format!(
                "{}/{}",
                meta.namespace.as_deref().unwrap(),
                meta.name.as_deref().unwrap()
            )
        })
        .collect();
    names.sort();
    names
}

async fn says_now(cluster: &Cluster, name: &str, says: &str) {
    let patch = json!({"spec": {"says": says}});
    let cows = api::<Cow>(cluster);
    let params = PatchParams::default();
    cows.patch(name, &params, &Patch::Merge(&patch))
        .await
        .unwrap();
    cluster.settle().await;
}

async fn far(cluster: &Cluster) {
    let namespaces = Api::<k8s_openapi::api::core::v1::Namespace>::all(cluster.client());
    let mut far = k8s_openapi::api::core::v1::Namespace::default();
    far.metadata.name = Some("far".to_owned());
    namespaces
        .create(&PostParams::default(), &far)
        .await
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_is_no_longer_in_a_set_goes() {
    for seed in 0..10 {
        let cluster = cluster(seed);
        far(&cluster).await;
        let operator = cluster.run(operator(keeper()));
        let cows = api::<Cow>(&cluster);
        let elsie = cow("elsie", "a b far/c");
        cows.create(&PostParams::default(), &elsie).await.unwrap();
        cluster.settle().await;
        assert_eq!(
            maps(&cluster).await,
            ["default/a", "default/b", "far/c"],
            "seed {seed}"
        );
        says_now(&cluster, "elsie", "b far/d").await;
        assert_eq!(maps(&cluster).await, ["default/b", "far/d"], "seed {seed}");
        // the operator restarts with a smaller set
        operator.stop().await.unwrap();
        says_now(&cluster, "elsie", "far/d").await;
        let operator = cluster.run(super::operator(keeper()));
        cluster.settle().await;
        assert_eq!(maps(&cluster).await, ["far/d"], "seed {seed}");
        // owner references do not cross namespaces, so the cleanup deletes the children
        cows.delete("elsie", &DeleteParams::default())
            .await
            .unwrap();
        cluster.settle().await;
        assert!(maps(&cluster).await.is_empty(), "seed {seed}");
        operator.stop().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_goes_before_all_are_there() {
    let cluster = cluster(1);
    let config_maps = api::<ConfigMap>(&cluster);
    let foreign = json!({
        "metadata": {"name": "taken", "ownerReferences": [{
            "apiVersion": "test.dev/v1", "kind": "Cow", "name": "other", "uid": "u", "controller": true,
        }]},
    });
    let operator = cluster.run(operator(keeper()));
    let cows = api::<Cow>(&cluster);
    cows.create(&PostParams::default(), &cow("other", ""))
        .await
        .unwrap();
    let other = cows.get("other").await.unwrap().metadata.uid;
    let mut foreign = foreign;
    foreign["metadata"]["ownerReferences"][0]["uid"] = json!(other);
    let foreign: ConfigMap = serde_json::from_value(foreign).unwrap();
    config_maps
        .create(&PostParams::default(), &foreign)
        .await
        .unwrap();
    cows.create(&PostParams::default(), &cow("elsie", "a"))
        .await
        .unwrap();
    cluster.settle().await;
    let patch = json!({"spec": {"says": "b taken"}});
    let params = PatchParams::default();
    cows.patch("elsie", &params, &Patch::Merge(&patch))
        .await
        .unwrap();
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(
        maps(&cluster).await,
        ["default/a", "default/b", "default/taken"]
    );
    let ready = cows.get("elsie").await.unwrap().status.unwrap().conditions;
    assert_eq!(ready.of_type("Ready").unwrap().reason, "OwnedByAnother");
    // the same child twice in a set is an error
    let patch = json!({"spec": {"says": "b b"}});
    cows.patch("elsie", &params, &Patch::Merge(&patch))
        .await
        .unwrap();
    tokio::time::sleep(Duration::from_secs(600)).await;
    let ready = cows.get("elsie").await.unwrap().status.unwrap().conditions;
    assert_eq!(ready.of_type("Ready").unwrap().reason, "Ambiguous");
    assert_eq!(
        maps(&cluster).await,
        ["default/a", "default/b", "default/taken"]
    );
    // an object that another owner took over is not deleted, whatever its labels
    let theirs = json!({"metadata": {"ownerReferences": foreign.metadata.owner_references}});
    config_maps
        .patch("a", &params, &Patch::Merge(&theirs))
        .await
        .unwrap();
    // the set no longer contains it
    says_now(&cluster, "elsie", "b").await;
    assert_eq!(
        maps(&cluster).await,
        ["default/a", "default/b", "default/taken"]
    );
    operator.stop().await.unwrap();
}

/// Each controller has its own set, and a child applied by `Context::apply` is in none.
#[tokio::test(start_paused = true)]
async fn each_controller_has_its_own_set() {
    async fn single(cow: Arc<Cow>, ctx: Context<Cow>) -> Result<Action> {
        ctx.apply(map(&cow.metadata, "single")).await?;
        let mut children = Children::new();
        let mut mine = ConfigMap::default();
        mine.metadata.name = Some("mine".to_owned());
        children.add(mine);
        ctx.apply_all(children).prune().await?;
        Ok(Action::await_change())
    }
    let cluster = cluster(2);
    let other = Controller::new(single)
        .with_name("single")
        .owns::<ConfigMap>();
    let manager = operator(keeper()).controller(other);
    let operator = cluster.run(manager);
    let cows = api::<Cow>(&cluster);
    cows.create(&PostParams::default(), &cow("elsie", "a"))
        .await
        .unwrap();
    cluster.settle().await;
    says_now(&cluster, "elsie", "b").await;
    assert_eq!(
        maps(&cluster).await,
        ["default/b", "default/elsie", "default/mine"]
    );
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn objects_are_found_by_what_an_index_says() {
    async fn count(_: Arc<Cow>, ctx: Context<Cow>) -> Result<Action> {
        let found = ctx.by_index::<ConfigMap>("first letter", "a")?.len();
        assert_eq!(
            ctx.by_index::<ConfigMap>("last letter", "a")
                .unwrap_err()
                .reason(),
            "NotIndexed"
        );
        let ready = condition::true_because("Ready", "Counted", found.to_string());
        ctx.set_status(|status| status.conditions.set(ready));
        Ok(Action::await_change())
    }
    let cluster = cluster(3);
    let all = |_: &ConfigMap| [kube::runtime::reflector::ObjectRef::new("elsie").within("default")];
    let controller = Controller::new(count)
        .watches(all)
        .indexed_by("first letter", |map: &ConfigMap| {
            Some(map.metadata.name.as_deref()?[..1].to_owned())
        })
        .conditions(|status| &mut status.conditions);
    let operator = cluster.run(operator(controller));
    let (cows, config_maps) = (api::<Cow>(&cluster), api::<ConfigMap>(&cluster));
    cows.create(&PostParams::default(), &cow("elsie", ""))
        .await
        .unwrap();
    for name in ["ant", "ape", "bee"] {
        let map = map(
            &ObjectMeta {
                name: Some(name.to_owned()),
                ..ObjectMeta::default()
            },
            "",
        );
        config_maps
            .create(&PostParams::default(), &map)
            .await
            .unwrap();
    }
    cluster.settle().await;
    let counted = async || {
        let elsie = cows.get("elsie").await.unwrap().status.unwrap();
        elsie.conditions.of_type("Ready").unwrap().message.clone()
    };
    assert_eq!(counted().await, "2");
    config_maps
        .delete("ape", &DeleteParams::default())
        .await
        .unwrap();
    cluster.settle().await;
    assert_eq!(counted().await, "1");
    operator.stop().await.unwrap();
}
