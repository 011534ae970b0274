//! Tests of `Controller::refers_to`: objects that other objects reference by name.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::Namespace;

use super::*;
use crate::{Reason, random::seeded::Random};

/// The last reconcile of each cow: the resource version of each Secret that it references, and its
/// context.
#[derive(Clone, Default)]
struct Herd(Arc<Mutex<BTreeMap<String, Seen>>>);

#[derive(Clone)]
struct Seen {
    versions: BTreeMap<String, Option<String>>,
    context: Context<Cow>,
    reconciles: usize,
}

impl Herd {
    fn controller(&self) -> Controller<Cow> {
        let herd = self.clone();
        let look = move |cow: Arc<Cow>, context: Context<Cow>| {
            let herd = herd.clone();
            async move { herd.look(&cow, context) }
        };
        Controller::new(look).refers_to::<Secret>(names)
    }

    fn look(&self, cow: &Cow, context: Context<Cow>) -> Result<Action> {
        let mut versions = BTreeMap::new();
        for name in names(cow) {
            let secret = context.get::<Secret>(&name)?;
            let version = secret.and_then(|secret| secret.metadata.resource_version.clone());
            versions.insert(name, version);
        }
        let mut herd = self.0.lock().unwrap();
        let name = cow.metadata.name.clone().unwrap();
        let reconciles = herd.get(&name).map_or(0, |seen| seen.reconciles) + 1;
        let seen = Seen {
            versions,
            context,
            reconciles,
        };
        herd.insert(name, seen);
        Ok(Action::await_change())
    }

    fn last(&self, cow: &str) -> Seen {
        self.0.lock().unwrap()[cow].clone()
    }
}

/// Returns the names of the Secrets in `spec.says`.
fn names(cow: &Cow) -> Vec<String> {
    cow.spec
        .says
        .split_whitespace()
        .map(str::to_owned)
        .collect()
}

async fn create_secret(cluster: &Cluster, name: &str) -> Option<String> {
    let mut secret = Secret::default();
    secret.metadata.name = Some(name.to_owned());
    let secrets = api::<Secret>(cluster);
    let created = secrets.create(&PostParams::default(), &secret).await;
    created.unwrap().metadata.resource_version
}

/// Sets a label, and returns the new version.
async fn touch<T>(cluster: &Cluster, name: &str, value: &str) -> Option<String>
where
    T: kube::Resource<Scope = k8s_openapi::NamespaceResourceScope, DynamicType = ()>
        + Clone
        + std::fmt::Debug
        + serde::de::DeserializeOwned,
{
    let edit = Patch::Merge(json!({"metadata": {"labels": {"touched": value}}}));
    let objects = api::<T>(cluster);
    let edited = objects.patch(name, &PatchParams::default(), &edit).await;
    edited.unwrap().meta().resource_version.clone()
}

async fn create_cow(cluster: &Cluster, name: &str, says: &str) {
    let cows = api::<Cow>(cluster);
    let created = cows.create(&PostParams::default(), &cow(name, says)).await;
    created.unwrap();
}

async fn say(cluster: &Cluster, name: &str, says: &str) {
    let edit = Patch::Merge(json!({"spec": {"says": says}}));
    let cows = api::<Cow>(cluster);
    cows.patch(name, &PatchParams::default(), &edit)
        .await
        .unwrap();
}

async fn delete<T>(cluster: &Cluster, name: &str)
where
    T: kube::Resource<Scope = k8s_openapi::NamespaceResourceScope, DynamicType = ()>
        + Clone
        + std::fmt::Debug
        + serde::de::DeserializeOwned,
{
    let params = DeleteParams::default();
    api::<T>(cluster).delete(name, &params).await.unwrap();
}

/// Returns the names of the Secrets in the cache.
fn cached(context: &Context<Cow>) -> BTreeSet<String> {
    let store = context.store::<Secret>().unwrap();
    let names = store.state().into_iter();
    names.map(|it| it.metadata.name.clone().unwrap()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_named_secret_is_cached_and_reconciles_every_cow_that_names_it() {
    let cluster = cluster(1);
    let herd = Herd::default();
    let first = create_secret(&cluster, "a").await;
    create_secret(&cluster, "foreign").await;
    create_cow(&cluster, "elsie", "a b").await;
    create_cow(&cluster, "bella", "a").await;
    let _operator = cluster.run(operator(herd.controller()));
    cluster.settle().await;
    let elsie = herd.last("elsie");
    assert_eq!(
        elsie.versions,
        [("a".into(), first), ("b".into(), None)].into()
    );
    assert_eq!(elsie.reconciles, 1);

    let changed = touch::<Secret>(&cluster, "a", "1").await;
    let created = create_secret(&cluster, "b").await;
    cluster.settle().await;
    let elsie = herd.last("elsie");
    assert_eq!(
        elsie.versions,
        [("a".into(), changed.clone()), ("b".into(), created)].into()
    );
    assert_eq!(herd.last("bella").versions, [("a".into(), changed)].into());
    assert_eq!(cached(&elsie.context), ["a".into(), "b".into()].into());
    assert!(
        elsie
            .context
            .causes()
            .to_string()
            .starts_with("mapped Secret/")
    );

    delete::<Secret>(&cluster, "a").await;
    cluster.settle().await;
    assert_eq!(herd.last("bella").versions, [("a".into(), None)].into());

    // First an edit removes the name `b`, then a deletion removes the name `c`.
    create_secret(&cluster, "c").await;
    say(&cluster, "elsie", "c").await;
    cluster.settle().await;
    assert_eq!(cached(&elsie.context), ["c".into()].into());
    let reconciles = herd.last("elsie").reconciles;
    touch::<Secret>(&cluster, "b", "2").await;
    touch::<Secret>(&cluster, "foreign", "2").await;
    cluster.settle().await;
    assert_eq!(herd.last("elsie").reconciles, reconciles);
    delete::<Cow>(&cluster, "elsie").await;
    cluster.settle().await;
    assert_eq!(cached(&elsie.context), BTreeSet::new());
}

#[tokio::test(start_paused = true)]
async fn a_secret_that_no_cow_names_cannot_be_read() {
    let cluster = cluster(1);
    let herd = Herd::default();
    create_secret(&cluster, "foreign").await;
    create_cow(&cluster, "elsie", "a ../configmaps/x").await;
    let _operator = cluster.run(operator(herd.controller()));
    cluster.settle().await;
    let seen = herd.last("elsie");
    let absent = [("../configmaps/x".into(), None), ("a".into(), None)];
    assert_eq!(seen.versions, absent.into());
    let error = seen.context.get::<Secret>("foreign").unwrap_err();
    assert!(error.is(Reason::NotNamed), "{error}");
    let help = "help: return `foreign` from the function in `refers_to::<Secret>()`";
    assert!(error.to_string().contains(help), "{error}");
    let error = seen.context.children::<Secret>().unwrap_err();
    assert!(error.is(Reason::NotWatched), "{error}");
}

/// The response of the first read is late. Meanwhile the Secret is deleted, and the watch reports
/// that.
#[tokio::test(start_paused = true)]
async fn a_read_that_an_event_overtakes_is_repeated() {
    let cluster = cluster(1);
    let herd = Herd::default();
    create_secret(&cluster, "a").await;
    let _operator = cluster.run(operator(herd.controller()));
    cluster.settle().await;
    let read = Requests::of::<Secret>(Operation::Get);
    cluster.fail_next(read, Fault::DelayedResponse(5000));
    create_cow(&cluster, "elsie", "a").await;
    sleep(Duration::from_secs(1)).await;
    delete::<Secret>(&cluster, "a").await;
    sleep(Duration::from_secs(10)).await;
    let seen = herd.last("elsie");
    assert_eq!(seen.versions, [("a".into(), None)].into());
    assert_eq!(cached(&seen.context), BTreeSet::new());
}

/// A write of the operator is read back at once, and triggers no reconcile.
#[tokio::test(start_paused = true)]
async fn the_operators_own_write_is_in_the_cache_at_once() {
    let cluster = cluster(1);
    let herd = Herd::default();
    let _operator = cluster.run(operator(herd.controller()));
    create_cow(&cluster, "elsie", "a").await;
    cluster.settle().await;
    let before = herd.last("elsie");
    let context = before.context;
    let events = cluster.hold_events::<Secret>();
    let mut secret = Secret::default();
    secret.metadata.name = Some("a".to_owned());
    let applied = context.apply(secret.clone()).await.unwrap();
    let cached = context.get::<Secret>("a").unwrap().unwrap();
    assert_eq!(cached.metadata, applied.metadata);
    drop(events);
    cluster.settle().await;
    assert_eq!(herd.last("elsie").reconciles, before.reconciles);
    // A Secret that no cow names is applied like one of a kind that is not watched.
    secret.metadata.name = Some("other".to_owned());
    for _ in 0..2 {
        context.apply(secret.clone()).await.unwrap();
    }
    let error = context.get::<Secret>("other").unwrap_err();
    assert!(error.is(Reason::NotNamed), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_cluster_scoped_object_names_secrets_of_namespaces() {
    fn names(namespace: &Namespace) -> [crate::ObjectName; 1] {
        match namespace.metadata.name.as_deref() {
            Some("kube-system") => [("default", "ca").into()],
            _ => ["ca".into()],
        }
    }
    let cluster = cluster(1);
    let calls = Arc::new(Mutex::new(Vec::new()));
    let recorded = calls.clone();
    let look = move |namespace: Arc<Namespace>, ctx: Context<Namespace>| {
        let found = ctx.get_in::<Secret>("default", "ca");
        let call = (
            namespace.metadata.name.clone().unwrap(),
            found.unwrap().is_some(),
        );
        recorded.lock().unwrap().push(call);
        async { Ok(Action::await_change()) }
    };
    let controller = Controller::new(look).refers_to::<Secret>(names);
    let manager = Manager::new("test", "0", Options::default()).controller(controller);
    let _operator = cluster.run(manager);
    cluster.settle().await;
    create_secret(&cluster, "ca").await;
    cluster.settle().await;
    // It is not called for the other namespaces: a name without a namespace is an error.
    let calls = calls.lock().unwrap();
    let wanted = [false, true].map(|found| ("kube-system".to_owned(), found));
    assert_eq!(*calls, wanted);
}

/// Random owners, names, changes and faults. When everything has settled, each cow has seen the
/// last version of each Secret that it names, and the cache contains exactly the named Secrets.
/// `REFERENCES_SEED` repeats one seed.
#[tokio::test(start_paused = true)]
async fn whatever_happens_every_cow_sees_the_last_version_of_what_it_names() {
    let only = std::env::var("REFERENCES_SEED").ok();
    let seeds = match only.and_then(|seed| seed.parse().ok()) {
        Some(seed) => seed..seed + 1,
        None => 0..20,
    };
    for seed in seeds {
        println!("REFERENCES_SEED={seed}");
        survive(seed).await;
    }
}

const COWS: [&str; 4] = ["bella", "daisy", "elsie", "rosa"];
const SECRETS: [&str; 5] = ["a", "b", "c", "d", "e"];

async fn survive(seed: u64) {
    let mut random = Random::new(seed);
    let cluster = cluster(seed);
    let herd = Herd::default();
    let mut operator = Some(cluster.run(operator(herd.controller())));
    for _ in 0..60 {
        act(&cluster, &mut random).await;
        // A restart, which is a relist with a new process.
        if random.below(40) == 0
            && let Some(running) = operator.take()
        {
            running.crash();
            operator = Some(cluster.run(super::operator(herd.controller())));
        }
        if random.below(3) == 0 {
            sleep(Duration::from_millis(random.below(20_000))).await;
        }
    }
    create_cow(&cluster, "witness", "witnessed").await;
    // Longer than the backoff after a fault, and than the time after which a silent watch is
    // restarted.
    sleep(Duration::from_secs(900)).await;
    cluster.settle().await;
    let live: BTreeMap<String, Option<String>> = list::<Secret>(&cluster).await;
    let mut existing = BTreeSet::new();
    let cows = api::<Cow>(&cluster).list(&ListParams::default()).await;
    for cow in cows.unwrap() {
        let wanted = names(&cow).into_iter().map(|name| {
            let version = live.get(&name).cloned().flatten();
            (name, version)
        });
        let wanted: BTreeMap<_, _> = wanted.collect();
        let last = herd.last(cow.metadata.name.as_deref().unwrap());
        assert_eq!(
            last.versions, wanted,
            "seed {seed}: {:?}",
            cow.metadata.name
        );
        existing.extend(
            wanted
                .into_iter()
                .filter_map(|(name, version)| version.map(|_| name)),
        );
    }
    assert_eq!(
        cached(&herd.last("witness").context),
        existing,
        "seed {seed}"
    );
}

async fn list<T>(cluster: &Cluster) -> BTreeMap<String, Option<String>>
where
    T: kube::Resource<Scope = k8s_openapi::NamespaceResourceScope, DynamicType = ()>
        + Clone
        + std::fmt::Debug
        + serde::de::DeserializeOwned,
{
    let all = api::<T>(cluster)
        .list(&ListParams::default())
        .await
        .unwrap();
    let meta = all.into_iter().map(|it| it.meta().clone());
    meta.map(|meta| (meta.name.unwrap(), meta.resource_version))
        .collect()
}

/// Creates, changes or deletes a cow or a Secret, or injects a fault.
async fn act(cluster: &Cluster, random: &mut Random) {
    let (cow, secret) = (pick(random, &COWS), pick(random, &SECRETS));
    let says: Vec<_> = SECRETS
        .into_iter()
        .filter(|_| random.below(3) == 0)
        .collect();
    let says = says.join(" ");
    let cows = list::<Cow>(cluster).await;
    let secrets = list::<Secret>(cluster).await;
    let value = random.next().to_string();
    match random.below(12) {
        0..=3 if cows.contains_key(cow) => say(cluster, cow, &says).await,
        4 if cows.contains_key(cow) => delete::<Cow>(cluster, cow).await,
        0..=4 => create_cow(cluster, cow, &says).await,
        5..=6 if secrets.contains_key(secret) => {
            drop(touch::<Secret>(cluster, secret, &value).await);
        }
        7..=8 if secrets.contains_key(secret) => delete::<Secret>(cluster, secret).await,
        5..=8 => drop(create_secret(cluster, secret).await),
        9 => cluster.compact(),
        _ => {
            let faults = [
                (Operation::Event, Fault::BrokenWatch),
                (Operation::Event, Fault::ExpiredWatch),
                (Operation::Event, Fault::DelayedEvent(7000)),
                (Operation::Get, Fault::DelayedResponse(5000)),
                (Operation::Get, Fault::Status(500)),
                (Operation::Get, Fault::LostResponse),
                (Operation::List, Fault::LostResponse),
                (Operation::Watch, Fault::Status(503)),
            ];
            let (operation, fault) = pick(random, &faults);
            cluster.fail_next(Requests::of::<Secret>(operation), fault);
        }
    }
}

fn pick<T: Copy>(random: &mut Random, of: &[T]) -> T {
    let place = random.below(of.len().try_into().unwrap());
    of[usize::try_from(place).unwrap()]
}
