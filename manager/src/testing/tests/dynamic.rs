//! Tests of kinds that are known only at run time.

use kube::runtime::reflector::ObjectRef;
use serde_json::Value;

use super::*;
use crate::{Children, DynamicObject, Kind, Watch};

/// Returns the CRD of a kind without a Rust type.
fn definition(plural: &str, kind: &str, scope: &str) -> CustomResourceDefinition {
    let open = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let version = json!({
        "name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": open},
    });
    let names = json!({"plural": plural, "kind": kind, "singular": kind.to_lowercase(), "listKind": format!("{kind}List")});
    let definition = json!({
        "metadata": {"name": format!("{plural}.farm.test")},
        "spec": {"group": "farm.test", "scope": scope, "names": names, "versions": [version]},
    });
    serde_json::from_value(definition).unwrap()
}

struct Farm {
    cluster: Cluster,
    herds: Kind,
    stalls: Kind,
}

impl Farm {
    async fn new(seed: u64) -> Self {
        let cluster = Cluster::seeded(seed).with([
            definition("herds", "Herd", "Cluster"),
            definition("stalls", "Stall", "Namespaced"),
        ]);
        let client = cluster.client();
        let kind = async |name: &str| {
            let gvk = kube::core::GroupVersionKind::gvk("farm.test", "v1", name);
            Kind::from(kube::discovery::pinned_kind(&client, &gvk).await.unwrap())
        };
        let (herds, stalls) = (kind("Herd").await, kind("Stall").await);
        Self {
            cluster,
            herds,
            stalls,
        }
    }

    fn herds(&self) -> Api<DynamicObject> {
        Api::all_with(self.cluster.client(), &self.herds)
    }

    fn stalls(&self) -> Api<DynamicObject> {
        Api::namespaced_with(self.cluster.client(), "default", &self.stalls)
    }

    /// Returns a manager with two controllers: one owns stalls for each herd, the other owns a
    /// config map for each stall.
    fn manager(&self) -> Manager {
        let stalls = self.stalls.clone();
        let raise = move |herd, ctx| raise(stalls.clone(), herd, ctx);
        let herd = Controller::of_kind(self.herds.clone(), raise)
            .owns_matching(Watch::of_kind(self.stalls.clone()))
            .indexes_kind(self.stalls.clone(), "size", |stall| {
                Some(stall.data["spec"]["size"].to_string())
            })
            .conditions(|status| &mut status["conditions"])
            .cleanup("farm.test/stalls", lose);
        let stall = Controller::of_kind(self.stalls.clone(), keep).owns::<ConfigMap>();
        let manager = Manager::new("test", "0", Options::default());
        manager.controller(herd).controller(stall)
    }

    async fn create_herd(&self, stalls: Value) {
        let spec = json!({"spec": {"stalls": stalls}});
        let herd = DynamicObject::new("brown", &self.herds).data(spec);
        let params = PostParams::default();
        self.herds().create(&params, &herd).await.unwrap();
        self.cluster.settle().await;
    }

    /// Lists the stalls with their sizes, and the config maps.
    async fn listed(&self) -> String {
        let all = ListParams::default();
        let stalls = self.stalls().list(&all).await.unwrap().items;
        let stalls = stalls.iter().map(|stall| {
            let name = stall.metadata.name.as_deref().unwrap();
            format!("{name}={}", stall.data["spec"]["size"])
        });
        let maps = api::<ConfigMap>(&self.cluster).list(&all).await.unwrap();
        let maps = maps.items.into_iter().map(|map| {
            let size = &map.data.as_ref().unwrap()["says"];
            format!("map-{}={size}", map.metadata.name.as_deref().unwrap())
        });
        let mut names: Vec<String> = stalls.chain(maps).collect();
        names.sort();
        names.join(" ")
    }
}

/// Reconciles a herd: applies its stalls, and counts the stalls of size 9 in the status.
async fn raise(
    stalls: Kind,
    herd: Arc<DynamicObject>,
    ctx: Context<DynamicObject>,
) -> Result<Action> {
    let mut children = Children::new();
    let wanted = herd.data["spec"]["stalls"].as_object();
    for (name, size) in wanted.into_iter().flatten() {
        if size.is_null() {
            return Err(Error::new("NoSize", "a stall has a size"));
        }
        let stall = DynamicObject::new(name, &stalls).within("default");
        children.add(stall.data(json!({"spec": {"size": size}})));
    }
    ctx.apply_all(children).prune().await?;
    let large = ctx.of_kind(&stalls).by_index("size", "9")?.len();
    ctx.set_status(|status| {
        status["large"] = large.into();
        status["conditions"].set(condition::true_because(
            "Ready",
            "Raised",
            "all stalls exist",
        ));
    });
    Ok(Action::await_change())
}

/// Cleans up a deleted herd: deletes its stalls.
async fn lose(_: Arc<DynamicObject>, ctx: Context<DynamicObject>) -> Result<()> {
    ctx.apply_all(Children::new()).prune().await?;
    Ok(())
}

/// Reconciles a stall: applies a config map with its size.
async fn keep(stall: Arc<DynamicObject>, ctx: Context<DynamicObject>) -> Result<Action> {
    let size = stall.data["spec"]["size"].to_string();
    ctx.apply(map(&stall.metadata, &size)).await?;
    Ok(Action::await_change())
}

#[tokio::test(start_paused = true)]
async fn controllers_of_dynamic_kinds_create_restore_and_delete_children() {
    for seed in 0..10 {
        let farm = Farm::new(seed).await;
        let operator = farm.cluster.run(farm.manager());
        farm.create_herd(json!({"a": 1, "b": 9})).await;
        let both = "a=1 b=9 map-a=1 map-b=9";
        assert_eq!(farm.listed().await, both, "seed {seed}");
        let herd = farm.herds().get("brown").await.unwrap();
        let status = herd.status.unwrap();
        assert!(status["conditions"].is_met("Ready"), "seed {seed}");
        assert_eq!(status["large"], 1, "seed {seed}");

        // deleted and changed children are restored
        let (gone, change) = (DeleteParams::default(), PatchParams::default());
        farm.stalls().delete("a", &gone).await.unwrap();
        let small = Patch::Merge(json!({"spec": {"size": 2}}));
        farm.stalls().patch("b", &change, &small).await.unwrap();
        let maps = api::<ConfigMap>(&farm.cluster);
        maps.delete("b", &gone).await.unwrap();
        farm.cluster.settle().await;
        assert_eq!(farm.listed().await, both, "seed {seed}");

        // children that are no longer wanted are deleted, and finally all of them
        let fewer = Patch::Merge(json!({"spec": {"stalls": {"b": null, "a": 3}}}));
        farm.herds().patch("brown", &change, &fewer).await.unwrap();
        farm.cluster.settle().await;
        assert_eq!(farm.listed().await, "a=3 map-a=3", "seed {seed}");
        farm.herds().delete("brown", &gone).await.unwrap();
        farm.cluster.settle().await;
        assert_eq!(farm.listed().await, "", "seed {seed}");
        assert!(farm.herds().get_opt("brown").await.unwrap().is_none());
        operator.stop().await.unwrap();
    }
}

/// A failure is reported in the status even if the status is not an object.
#[tokio::test(start_paused = true)]
async fn a_failure_becomes_a_condition_even_if_the_status_was_no_object() {
    let farm = Farm::new(0).await;
    farm.create_herd(json!({"a": []})).await;
    let odd = Patch::Merge(json!({"status": "odd"}));
    let params = PatchParams::default();
    let herds = farm.herds();
    herds.patch_status("brown", &params, &odd).await.unwrap();
    let wrong = Patch::Json::<()>(
        serde_json::from_value(json!([
            {"op": "replace", "path": "/spec/stalls/a", "value": null},
        ]))
        .unwrap(),
    );
    herds.patch("brown", &params, &wrong).await.unwrap();
    let operator = farm.cluster.run(farm.manager());
    farm.cluster.settle().await;
    let status = herds.get("brown").await.unwrap().status.unwrap();
    let ready = status["conditions"].of_type("Ready").unwrap();
    assert_eq!(
        (&ready["status"], &ready["reason"]),
        (&json!("False"), &json!("NoSize"))
    );
    assert_eq!(ready["observedGeneration"], 2);
    operator.stop().await.unwrap();
}

/// Uses a config map without its type, and stalls, which no controller watches.
async fn ask(cow: Arc<Cow>, ctx: Context<Cow>) -> Result<Action> {
    let maps = Kind::of::<ConfigMap>();
    let name = cow.metadata.name.as_deref().unwrap_or_default();
    if cow.spec.says == "gone" {
        ctx.of_kind(&maps).delete(name).await?;
        return Ok(Action::await_change());
    }
    let child = DynamicObject::new(name, &maps).data(json!({"data": {"says": cow.spec.says}}));
    let applied = ctx.apply(child).await?;
    let known = ctx.of_kind(&maps).get(name)?.expect("it was applied");
    assert_eq!(applied, known);
    let all = ctx.of_kind(&maps).store()?;
    assert!(all.state().iter().all(|map| map.kind == "ConfigMap"));

    let gvk = kube::core::GroupVersionKind::gvk("farm.test", "v1", "Stall");
    let resource = kube::discovery::ApiResource::from_gvk(&gvk);
    let stalls = Kind::new(resource, &kube::discovery::Scope::Namespaced);
    let unknown = ctx.of_kind(&stalls).get("x").unwrap_err();
    let stall = DynamicObject::new("x", &stalls);
    let unsaid = ctx.apply(stall.clone()).await.unwrap_err();
    for error in [unknown, unsaid] {
        assert_eq!(error.reason(), "NotWatched");
        let help = "`.owns_matching(Watch::of_kind(..))`";
        assert!(error.to_string().contains(help), "{error}");
        assert!(error.to_string().contains("Stall"), "{error}");
    }
    // the CRD is not installed, which the cache cannot know
    assert!(!ctx.of_kind(&stalls).is_available());
    let refused = ctx.of_kind(&stalls).apply(stall).await.unwrap_err();
    assert!(refused.to_string().contains("404"), "{refused}");
    Ok(Action::await_change())
}

#[tokio::test(start_paused = true)]
async fn a_typed_kind_can_be_used_as_a_dynamic_kind() {
    let cluster = cluster(0);
    let (cows, maps) = (api::<Cow>(&cluster), api::<ConfigMap>(&cluster));
    // an item of a list has no `kind`
    let foreign = map(&cow("foreign", "").metadata, "baa");
    let params = PostParams::default();
    maps.create(&params, &foreign).await.unwrap();
    let controller = Controller::new(ask)
        .owns_matching(Watch::of_kind(Kind::of::<ConfigMap>()))
        .conditions(|status| &mut status.conditions);
    let operator = cluster.run(operator(controller));
    cows.create(&params, &cow("elsie", "moo")).await.unwrap();
    cluster.settle().await;
    let conditions = cows.get("elsie").await.unwrap().status;
    assert!(conditions.is_none(), "{conditions:?}");
    assert_eq!(says(&maps.get("elsie").await.unwrap()), "moo");
    let gone = Patch::Merge(json!({"spec": {"says": "gone"}}));
    let params = PatchParams::default();
    cows.patch("elsie", &params, &gone).await.unwrap();
    cluster.settle().await;
    assert!(maps.get_opt("elsie").await.unwrap().is_none());
    operator.stop().await.unwrap();
}

/// Reports the size of the stall of a cow.
async fn measure(stalls: Kind, cow: Arc<Cow>, ctx: Context<Cow>) -> Result<Action> {
    let is_its = |stall: &DynamicObject| stall.metadata.name == cow.metadata.name;
    let size = if ctx.of_kind(&stalls).is_available() {
        let stall = ctx.of_kind(&stalls).store()?.find(is_its);
        stall.map_or("homeless".to_owned(), |it| {
            it.data["spec"]["size"].to_string()
        })
    } else {
        "no object has one".to_owned()
    };
    ctx.apply(map(&cow.metadata, &size)).await?;
    Ok(Action::await_change())
}

#[tokio::test(start_paused = true)]
async fn an_optional_dynamic_kind_is_watched_with_a_selector_once_it_is_served() {
    let cluster = cluster(0);
    let gvk = kube::core::GroupVersionKind::gvk("farm.test", "v1", "Stall");
    let resource = kube::discovery::ApiResource::from_gvk(&gvk);
    let stalls = Kind::new(resource, &kube::discovery::Scope::Namespaced);
    let of_measure = stalls.clone();
    let controller = Controller::new(move |cow, ctx| measure(of_measure.clone(), cow, ctx))
        .owns::<ConfigMap>()
        .watches_matching(
            Watch::of_kind(stalls.clone()).labels("kept").optional(),
            |stall| {
                let cow = ObjectRef::<Cow>::new(stall.metadata.name.as_deref()?);
                Some(cow.within(stall.metadata.namespace.as_deref()?))
            },
        );
    let operator = cluster.run(operator(controller));
    let params = PostParams::default();
    let (cows, maps) = (api::<Cow>(&cluster), api::<ConfigMap>(&cluster));
    cows.create(&params, &cow("elsie", "moo")).await.unwrap();
    let size = async || {
        tokio::time::sleep(Duration::from_secs(10)).await;
        cluster.settle().await;
        says(&maps.get("elsie").await.unwrap()).to_owned()
    };
    assert_eq!(size().await, "no object has one");
    let _ = cluster
        .clone()
        .with([definition("stalls", "Stall", "Namespaced")]);
    assert_eq!(size().await, "homeless");
    let all = Api::<DynamicObject>::namespaced_with(cluster.client(), "default", &stalls);
    let stall = DynamicObject::new("elsie", &stalls).data(json!({"spec": {"size": 5}}));
    all.create(&params, &stall).await.unwrap();
    assert_eq!(size().await, "homeless", "it is not selected");
    let kept = Patch::Merge(json!({"metadata": {"labels": {"kept": "yes"}}}));
    let change = PatchParams::default();
    all.patch("elsie", &change, &kept).await.unwrap();
    assert_eq!(size().await, "5");
    operator.stop().await.unwrap();
}
