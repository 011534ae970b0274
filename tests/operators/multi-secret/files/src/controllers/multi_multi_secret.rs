//! Keeps a Secret in every namespace that a MultiSecret chooses.
//!
//! Owner references do not reach across namespaces, so Kubernetes can neither tell whose a Secret is nor
//! delete it in the end. An annotation does the one, a finalizer the other; and all Secrets are one set, of which
//! what is no longer wanted goes.

use std::{collections::BTreeMap, sync::Arc};

use api::multi::v1alpha1::multi_secret::MultiSecret;
use k8s_openapi::{
    ByteString,
    api::core::v1::{Namespace, Secret},
    apimachinery::pkg::apis::meta::v1::{Condition, ObjectMeta, Time},
    jiff::Timestamp,
};
use kube::{
    ResourceExt as _,
    core::{Selector, SelectorExt as _},
    runtime::reflector::{ObjectRef, Store},
};
use rustop_manager::{
    Action, AnyRef, Children, Conditions as _, Context, Controller, EventType, Result, Watch,
    condition,
};

// +kubebuilder:rbac:groups=multi.ddnw.ml,resources=multisecrets,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=multi.ddnw.ml,resources=multisecrets/status,verbs=patch
// +kubebuilder:rbac:groups="",resources=namespaces,verbs=get;list;watch
// rustop:allow(rbac-cluster-secrets): a Secret in every namespace is what it is for
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/// Says whose a Secret is: `namespace/name` of the MultiSecret.
const OWNER: &str = "multi.ddnw.ml/owner";
const FINALIZER: &str = "multi.ddnw.ml/secrets";

#[must_use]
pub fn controller() -> Controller<MultiSecret> {
    Controller::new(reconcile)
        .watches_with_store(Watch::new(), of_secret)
        .watches_with_store(Watch::new(), of_namespace)
        .cleanup(FINALIZER, cleanup)
        .conditions(|status| &mut status.conditions)
        .concurrency(2)
}

/// A child concerns its owner. Anybody else's Secret concerns those that would like to have its place.
fn of_secret(secret: &Secret, all: &Store<MultiSecret>) -> Vec<ObjectRef<MultiSecret>> {
    if let Some((namespace, name)) = owner(secret).and_then(|owner| owner.split_once('/')) {
        return vec![ObjectRef::new(name).within(namespace)];
    }
    let rivals = all.state_filter(|multi| multi.metadata.name == secret.metadata.name);
    rivals
        .iter()
        .map(|multi| ObjectRef::from_obj(multi.as_ref()))
        .collect()
}

/// A namespace that comes, goes or has other labels concerns every MultiSecret.
fn of_namespace(_: &Namespace, all: &Store<MultiSecret>) -> Vec<ObjectRef<MultiSecret>> {
    let all = all.state();
    all.iter()
        .map(|multi| ObjectRef::from_obj(multi.as_ref()))
        .collect()
}

async fn reconcile(multi: Arc<MultiSecret>, ctx: Context<MultiSecret>) -> Result<Action> {
    let wanted = namespaces(&multi, &ctx)?;
    let live = |namespace: &str| {
        let key = ObjectRef::new(&multi.name_any()).within(namespace);
        Ok::<_, rustop_manager::Error>(ctx.store::<Secret>()?.get(&key))
    };
    let (mut children, mut taken) = (Children::new(), Vec::new());
    for namespace in &wanted {
        if live(namespace)?.is_some_and(|live| !is_child(&live, &multi)) {
            taken.push(namespace.as_str());
        } else {
            children.add(secret(&multi, namespace));
        }
    }
    let applied = ctx.apply_all(children).prune().await;
    if let Ok(applied) = &applied {
        tell(&ctx, "Created", &applied.created);
        tell(&ctx, "Deleted", &applied.deleted);
    }
    let mut created = 0;
    for namespace in &wanted {
        created += usize::from(live(namespace)?.is_some_and(|live| is_child(&live, &multi)));
    }
    report(&ctx, wanted.len(), created, ready(&multi, &taken, created));
    applied?;
    Ok(Action::await_change())
}

/// The MultiSecret is still there while this runs, and goes only when it has returned `Ok`.
async fn cleanup(_: Arc<MultiSecret>, ctx: Context<MultiSecret>) -> Result<()> {
    let applied = ctx.apply_all(Children::new()).prune().await?;
    tell(&ctx, "Deleted", &applied.deleted);
    Ok(())
}

fn tell(ctx: &Context<MultiSecret>, what: &str, secrets: &[AnyRef]) {
    let places = secrets.iter().filter_map(|it| it.namespace.as_deref());
    let mut places: Vec<&str> = places.collect();
    places.sort_unstable();
    if !places.is_empty() {
        ctx.event(
            EventType::Normal,
            what,
            &format!("Secrets in {}", few(&places)),
        );
    }
}

/// The namespaces that should have a Secret. In one that is terminating nothing can be created.
fn namespaces(multi: &MultiSecret, ctx: &Context<MultiSecret>) -> Result<Vec<String>> {
    let chosen = multi.spec.namespace_selector.clone().unwrap_or_default();
    let chosen = Selector::try_from(chosen)?;
    let namespaces = ctx.store::<Namespace>()?.state_filter(|namespace| {
        namespace.metadata.deletion_timestamp.is_none() && chosen.matches(namespace.labels())
    });
    let mut names: Vec<String> = namespaces
        .iter()
        .map(|namespace| namespace.name_any())
        .collect();
    names.sort();
    Ok(names)
}

fn report(ctx: &Context<MultiSecret>, wanted: usize, created: usize, ready: Condition) {
    let number = |count: usize| i32::try_from(count).unwrap_or(i32::MAX);
    let (wanted, created) = (number(wanted), number(created));
    let now = ctx.now();
    // Whole seconds, as everywhere in Kubernetes.
    let now = Timestamp::from_second(now.as_second()).unwrap_or(now);
    ctx.set_status(|status| {
        if (status.wanted, status.created) != (wanted, created) || status.change_time.is_none() {
            status.change_time = Some(Time(now));
        }
        (status.wanted, status.created) = (wanted, created);
        status.conditions.set(ready);
    });
}

fn ready(multi: &MultiSecret, taken: &[&str], created: usize) -> Condition {
    if taken.is_empty() {
        return condition::true_because(
            "Ready",
            "Complete",
            format!("{created} namespaces have their Secret"),
        );
    }
    let (name, places) = (multi.name_any(), few(taken));
    let text = format!(
        "the Secret {name} in {places} belongs to someone else: delete it, or leave the namespace out by its labels"
    );
    condition::false_because("Ready", "NameTaken", text)
}

fn secret(multi: &MultiSecret, namespace: &str) -> Secret {
    let spec = &multi.spec;
    let mut data = spec.data.clone();
    // The API server would do the same with `stringData`, and then nobody could compare.
    data.extend(
        spec.string_data
            .iter()
            .map(|(key, text)| (key.clone(), ByteString(text.clone().into_bytes()))),
    );
    Secret {
        metadata: ObjectMeta {
            name: multi.metadata.name.clone(),
            namespace: Some(namespace.to_owned()),
            annotations: Some(BTreeMap::from([(OWNER.to_owned(), key(multi))])),
            ..ObjectMeta::default()
        },
        type_: Some(spec.type_.clone()),
        data: Some(data),
        ..Secret::default()
    }
}

fn is_child(secret: &Secret, multi: &MultiSecret) -> bool {
    owner(secret) == Some(&key(multi))
}

fn owner(secret: &Secret) -> Option<&String> {
    secret.annotations().get(OWNER)
}

fn key(multi: &MultiSecret) -> String {
    format!(
        "{}/{}",
        multi.namespace().unwrap_or_default(),
        multi.name_any()
    )
}

/// Some of many names: a message is for people.
fn few(names: &[&str]) -> String {
    match names {
        [] | [_] | [_, _] | [_, _, _] => names.join(", "),
        [first, second, .., last] => {
            format!("{first}, {second} to {last} ({} in all)", names.len())
        }
    }
}
