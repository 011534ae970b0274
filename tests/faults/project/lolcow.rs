//! Keeps a ConfigMap with the message of each Lolcow, and misbehaves where the message says so.

use std::sync::Arc;
use std::time::Duration;

use api::v1alpha1::herd::{Herd, HerdSpec};
use api::v1alpha1::lolcow::Lolcow;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{ConfigMap, Secret, Service};
use kube::core::PartialObjectMeta;
use rustop_manager::{Conditions as _, Error, Sequence, condition};

// +kubebuilder:rbac:groups=my.domain,resources=lolcows,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=my.domain,resources=lolcows/status,verbs=patch
// +kubebuilder:rbac:groups=my.domain,resources=herds,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

#[must_use]
pub fn controller() -> rustop_manager::Controller<Lolcow> {
    let seconds = std::env::var("TIMEOUT").ok().and_then(|seconds| seconds.parse().ok());
    rustop_manager::Controller::new(reconcile)
        .timeout(Duration::from_secs(seconds.unwrap_or(300)))
        .owns::<ConfigMap>()
        .conditions(|status| &mut status.conditions)
        .concurrency(4)
}

async fn reconcile(lolcow: Arc<Lolcow>, ctx: rustop_manager::Context<Lolcow>) -> rustop_manager::Result<rustop_manager::Action> {
    let message = lolcow.spec.message.clone().unwrap_or_default();
    match message.split_once(' ') {
        Some(("panic", _)) => panic!("the message says so"),
        Some(("fail", _)) => return Err(Error::new("Told", "the message says so")),
        Some(("hang", _)) => ctx.waiting_for("the registrar", std::future::pending::<()>()).await,
        // Nobody watches Services.
        Some(("lookup", name)) => drop(ctx.get::<Service>(name)?),
        // First the child, then a while, then the rest.
        Some(("sleep", seconds)) => {
            ctx.apply(child(&lolcow, "asleep")).await?;
            tokio::time::sleep(Duration::from_secs(seconds.parse()?)).await;
        }
        // As a call does that knows nothing of tokio.
        Some(("block", seconds)) => {
            ctx.apply(child(&lolcow, "blocked")).await?;
            std::thread::sleep(Duration::from_secs(seconds.parse()?));
        }
        _ => {}
    }
    ctx.apply(child(&lolcow, &message)).await?;
    ctx.set_status(|status| {
        status.observed_generation = lolcow.metadata.generation;
        status.conditions.set(condition::true_because("Ready", "Said", "the message is there"));
    });
    Ok(rustop_manager::Action::await_change())
}

/// A second controller for the same kind: it copies what the first one wrote, and the mark of a
/// Secret that is called alike, of which only the other kind's controller hears.
#[must_use]
pub fn copier() -> rustop_manager::Controller<Lolcow> {
    rustop_manager::Controller::new(copy).with_name("copier").owns::<ConfigMap>()
}

async fn copy(lolcow: Arc<Lolcow>, ctx: rustop_manager::Context<Lolcow>) -> rustop_manager::Result<rustop_manager::Action> {
    let name = lolcow.metadata.name.clone().unwrap_or_default();
    if let Some(original) = ctx.get::<ConfigMap>(&name)? {
        let mut copy = ConfigMap::default();
        copy.metadata.name = Some(format!("{name}-copy"));
        copy.data.clone_from(&original.data);
        let secret = ctx.get::<PartialObjectMeta<Secret>>(&name)?;
        let mark = secret.and_then(|secret| secret.metadata.labels.clone()?.remove("mark"));
        copy.data.get_or_insert_default().extend(mark.map(|mark| ("mark".to_owned(), mark)));
        ctx.apply(copy).await?;
    }
    Ok(rustop_manager::Action::await_change())
}

/// Keeps the message in a Secret instead, and watches no others, unless it is to watch `all`, or
/// all `trimmed`. It looks at, or removes, or disowns one where the message says so.
#[must_use]
pub fn keeper(watched: &str) -> rustop_manager::Controller<Lolcow> {
    let watch = rustop_manager::Watch::<Secret>::new();
    let watch = match watched {
        "all" => watch,
        "trimmed" => watch.project(|secret| secret.data = None),
        _ => watch.applied(),
    };
    rustop_manager::Controller::new(keep)
        .with_name("keeper")
        .owns_matching(watch)
        .conditions(|status| &mut status.conditions)
}

async fn keep(lolcow: Arc<Lolcow>, ctx: rustop_manager::Context<Lolcow>) -> rustop_manager::Result<rustop_manager::Action> {
    let message = lolcow.spec.message.clone().unwrap_or_default();
    let mut secret = Secret::default();
    secret.metadata.name.clone_from(&lolcow.metadata.name);
    match message.split_once(' ') {
        Some(("look", name)) => drop(ctx.get::<Secret>(name)?),
        Some(("remove", name)) => ctx.delete::<Secret>(name).await?,
        Some(("disown", _)) => {
            let label = ("app.kubernetes.io/managed-by".to_owned(), "nobody".to_owned());
            secret.metadata.labels = Some([label].into());
        }
        _ => {}
    }
    secret.data = Some([("message".to_owned(), ByteString(message.into_bytes()))].into());
    ctx.apply(secret).await?;
    ctx.set_status(|status| {
        status.observed_generation = lolcow.metadata.generation;
        status.conditions.set(condition::true_because("Ready", "Kept", "the message is there"));
    });
    Ok(rustop_manager::Action::await_change())
}

/// Keeps the message in a Herd, too, where there are such things.
#[must_use]
pub fn herder() -> rustop_manager::Controller<Lolcow> {
    rustop_manager::Controller::new(herd)
        .with_name("herder")
        .owns::<ConfigMap>()
        .owns_matching(rustop_manager::Watch::<Herd>::new().optional())
        .conditions(|status| &mut status.conditions)
}

async fn herd(lolcow: Arc<Lolcow>, ctx: rustop_manager::Context<Lolcow>) -> rustop_manager::Result<rustop_manager::Action> {
    let message = lolcow.spec.message.clone().unwrap_or_default();
    let name = lolcow.metadata.name.as_deref().unwrap_or_default();
    if ctx.is_available::<Herd>() {
        ctx.apply(Herd::new(name, HerdSpec { message: message.clone() })).await?;
    }
    ctx.apply(child(&lolcow, &message)).await?;
    ctx.set_status(|status| {
        status.observed_generation = lolcow.metadata.generation;
        status.conditions.set(condition::true_because("Ready", "Kept", "the message is there"));
    });
    Ok(rustop_manager::Action::await_change())
}

/// Creates a ConfigMap, which another client fills, then a Herd, whose status another client sets to
/// ready, then a Secret. Deletes them in reverse order at the end.
#[must_use]
pub fn orderly() -> rustop_manager::Controller<Lolcow> {
    rustop_manager::Controller::new(put_in_order)
        .with_name("orderly")
        .owns::<ConfigMap>()
        .owns::<Herd>()
        .owns::<Secret>()
        .conditions(|status| &mut status.conditions)
        .cleanup("my.domain/orderly", put_away)
}

async fn put_in_order(lolcow: Arc<Lolcow>, ctx: rustop_manager::Context<Lolcow>) -> rustop_manager::Result<rustop_manager::Action> {
    let ready = ctx.apply_in_order(steps(&lolcow)).await?;
    ctx.set_status(|status| status.conditions.set(ready));
    Ok(rustop_manager::Action::await_change())
}

async fn put_away(lolcow: Arc<Lolcow>, ctx: rustop_manager::Context<Lolcow>) -> rustop_manager::Result<()> {
    ctx.delete_in_reverse(steps(&lolcow)).await
}

fn steps(lolcow: &Lolcow) -> Sequence<Lolcow> {
    let name = lolcow.metadata.name.as_deref().unwrap_or_default();
    let message = lolcow.spec.message.clone().unwrap_or_default();
    let (mut first, mut last) = (ConfigMap::default(), Secret::default());
    first.metadata.name = Some(name.to_owned());
    last.metadata.name = Some(name.to_owned());
    let is_filled = |map: &ConfigMap| map.data.is_some().then_some(()).ok_or("it is empty".to_owned());
    Sequence::new()
        .then(first, is_filled)
        .then(Herd::new(name, HerdSpec { message }), rustop_manager::ready)
        .then(last, rustop_manager::ready)
}

/// Each replica signs with its own name, so that one that takes over has something to write.
fn child(lolcow: &Lolcow, message: &str) -> ConfigMap {
    let writer = std::env::var("POD_NAME").unwrap_or_default();
    let mut child = ConfigMap::default();
    child.metadata.name.clone_from(&lolcow.metadata.name);
    child.data = Some([("message".to_owned(), message.to_owned()), ("writer".to_owned(), writer)].into());
    child
}
