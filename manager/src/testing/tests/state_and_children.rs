//! Tests of shared state (`with_state`, `requires_state`) and of `Context::children`.

use kube::api::PropagationPolicy;

use super::*;
use crate::Watch;

/// An external service that a reconcile calls.
trait Barn: Send + Sync {
    fn says(&self) -> String;
}

type AnyBarn = Box<dyn Barn>;

async fn create(cluster: &Cluster, name: &str, says: &str) {
    let cow = cow(name, says);
    api::<Cow>(cluster)
        .create(&PostParams::default(), &cow)
        .await
        .unwrap();
}

struct Quiet;

impl Barn for Quiet {
    fn says(&self) -> String {
        "rustle".to_owned()
    }
}

async fn ask_barn(cow: Arc<Cow>, ctx: Context<Cow>) -> Result<Action> {
    let says = ctx.state::<AnyBarn>()?.says();
    ctx.apply(map(&cow.metadata, &says)).await?;
    Ok(Action::await_change())
}

fn asking() -> Controller<Cow> {
    Controller::new(ask_barn)
        .owns::<ConfigMap>()
        .conditions(|status| &mut status.conditions)
}

#[tokio::test(start_paused = true)]
async fn a_reconcile_reads_the_state_of_its_manager() {
    let cluster = cluster(0);
    let barn: AnyBarn = Box::new(Quiet);
    let manager = operator(asking().requires_state::<AnyBarn>()).with_state(barn);
    let _operator = cluster.run(manager);
    create(&cluster, "a", "moo").await;
    cluster.settle().await;
    let map = api::<ConfigMap>(&cluster).get("a").await.unwrap();
    assert_eq!(map.data.unwrap()["says"], "rustle");
}

#[tokio::test(start_paused = true)]
async fn missing_state_is_an_error_at_start() {
    let cluster = cluster(0);
    let operator = cluster.run(operator(asking().requires_state::<AnyBarn>()));
    let error = operator.stop().await.unwrap_err();
    assert_eq!(error.reason(), "NoState");
    let text = error.to_string();
    assert!(
        text.contains("the controller `cow` requires state") && text.contains("dyn"),
        "{text}"
    );
}

#[tokio::test(start_paused = true)]
#[should_panic = "ended with an error: NoState: the controller `cow` requires state"]
async fn settling_panics_with_the_error_of_an_operator() {
    let cluster = cluster(0);
    let _operator = cluster.run(operator(asking().requires_state::<AnyBarn>()));
    cluster.settle().await;
}

#[tokio::test(start_paused = true)]
#[should_panic = "ended with an error: NoState: the controller `cow` requires state"]
async fn dropping_an_operator_that_ended_with_an_error_panics() {
    let cluster = cluster(0);
    let operator = cluster.run(operator(asking().requires_state::<AnyBarn>()));
    tokio::time::sleep(Duration::from_secs(1)).await;
    drop(operator);
}

#[tokio::test(start_paused = true)]
async fn an_unparsable_selector_is_an_error_at_start() {
    let cluster = cluster(0);
    let watch = Watch::<Secret>::new().labels("a b ((");
    let operator = cluster.run(operator(asking().owns_matching(watch)));
    let error = operator.stop().await.unwrap_err();
    assert!(error.is(Reason::InvalidSelector), "{error}");
    let text = error.to_string();
    let named =
        "the controller `cow` watches with `.labels(\"a b ((\")`, which cannot be parsed; help: ";
    assert!(text.contains(named), "{text}");
}

#[tokio::test(start_paused = true)]
async fn state_that_the_controller_does_not_declare_is_an_error() {
    let cluster = cluster(0);
    let barn: AnyBarn = Box::new(Quiet);
    let _operator = cluster.run(operator(asking()).with_state(barn));
    create(&cluster, "a", "moo").await;
    cluster.settle().await;
    let cow = api::<Cow>(&cluster).get("a").await.unwrap();
    let conditions = cow.status.unwrap().conditions;
    assert_eq!(conditions.of_type("Ready").unwrap().reason, "NoState");
}

/// Creates two children, deletes the one with the last name, and reports the names of those that
/// are not being deleted, before and after, in a condition. Does nothing in later reconciles.
async fn report_children(cow: Arc<Cow>, ctx: Context<Cow>) -> Result<Action> {
    if cow.status.is_some() {
        return Ok(Action::await_change());
    }
    for name in ["y", "x"] {
        let mut child = map(&cow.metadata, name);
        child.metadata.name = cow
            .metadata
            .name
            .as_ref()
            .map(|cow| format!("{cow}-{name}"));
        ctx.apply(child).await?;
    }
    let names = |children: Vec<Arc<ConfigMap>>| {
        let names = children
            .iter()
            .filter(|it| it.metadata.deletion_timestamp.is_none())
            .filter_map(|it| it.metadata.name.clone());
        names.collect::<Vec<_>>().join(" ")
    };
    let before = names(ctx.children::<ConfigMap>()?);
    let last = before.rsplit(' ').next().unwrap_or_default();
    ctx.delete_with_propagation::<ConfigMap>(last, PropagationPolicy::Orphan)
        .await?;
    let message = format!("{before}, {}", names(ctx.children::<ConfigMap>()?));
    let ready = condition::true_because("Ready", "Counted", message);
    ctx.set_status(|status| status.conditions.set(ready));
    Ok(Action::await_change())
}

#[tokio::test(start_paused = true)]
async fn children_lists_own_children_by_name_and_marks_a_deleted_one_at_once() {
    let cluster = cluster(0);
    let controller = Controller::new(report_children)
        .owns::<ConfigMap>()
        .conditions(|status| &mut status.conditions);
    create(&cluster, "a", "moo").await;
    create(&cluster, "b", "moo").await;
    let _operator = cluster.run(operator(controller));
    cluster.settle().await;
    for name in ["a", "b"] {
        let cow = api::<Cow>(&cluster).get(name).await.unwrap();
        let conditions = cow.status.unwrap().conditions;
        assert_eq!(
            conditions.of_type("Ready").unwrap().message,
            format!("{name}-x {name}-y, {name}-x"),
        );
    }
}

/// Applies a child with the reference that kube's `owner_ref` makes, which is not that of a
/// controller.
async fn apply_with_plain_reference(cow: Arc<Cow>, ctx: Context<Cow>) -> Result<Action> {
    let mut child = map(&cow.metadata, "moo");
    child.metadata.owner_references = cow.owner_ref(&()).map(|owner| vec![owner]);
    ctx.apply(child).await?;
    Ok(Action::await_change())
}

#[tokio::test(start_paused = true)]
async fn a_child_with_a_plain_reference_is_controlled_by_its_owner() {
    let cluster = cluster(0);
    let controller = Controller::new(apply_with_plain_reference)
        .owns::<ConfigMap>()
        .conditions(|status| &mut status.conditions);
    let _operator = cluster.run(operator(controller));
    create(&cluster, "a", "moo").await;
    cluster.settle().await;
    let maps = api::<ConfigMap>(&cluster);
    let owners = maps.get("a").await.unwrap().metadata.owner_references;
    let owners = owners.unwrap();
    assert_eq!(owners.len(), 1, "{owners:?}");
    assert_eq!(owners[0].controller, Some(true));
    // So the change of the child reconciles its owner.
    maps.delete("a", &DeleteParams::default()).await.unwrap();
    cluster.settle().await;
    assert!(maps.get_opt("a").await.unwrap().is_some());
}
