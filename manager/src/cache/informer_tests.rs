//! Tests of several controllers that watch one kind.

use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Client, runtime::reflector::ObjectRef};

use super::*;
use crate::cache::{ListOrWatch, decoded::Decoded, listing::Listing, watch_health::WatchHealth};
use crate::http::health::Health;
use crate::mock;
use crate::object;

fn map(version: u64) -> ConfigMap {
    let mut map = ConfigMap::default();
    map.metadata.name = Some("a".into());
    map.metadata.resource_version = Some(version.to_string());
    map
}

fn open(informers: &Informers, client: &Client, controller: &str) -> Informer<ConfigMap> {
    open_with(informers, client, controller, Watch::default())
}

fn open_with(
    informers: &Informers,
    client: &Client,
    controller: &str,
    watch: Watch,
) -> Informer<ConfigMap> {
    let interruptions = mock::MockMetrics::new().interruptions;
    let watched = WatchHealth::new(controller, Health::default(), interruptions);
    informers.open(&(), "op", controller, watch, || {
        watched.watches::<ConfigMap>(client, &(), &[], 100)
    })
}

#[tokio::test]
async fn two_controllers_share_one_watch_and_one_cache() {
    let (client, mut server) = mock::client();
    let informers = Informers::default();
    let first = open(&informers, &client, "op/a");
    let second = open(&informers, &client, "op/b");
    assert!(Arc::ptr_eq(&first.cache, &second.cache));

    // only the first informer sends requests to the API server
    tokio::select! {
        () = second.drive => panic!("the watch ended"),
        _ = server.recv() => panic!("it was requested twice"),
        () = tokio::time::sleep(Duration::from_millis(50)) => {}
    }
    tokio::select! {
        () = first.drive => panic!("the watch ended"),
        request = server.recv() => assert!(request.is_some()),
    }
}

#[tokio::test]
async fn reads_of_an_unavailable_cache_return_the_reason() {
    fn without_data(map: &mut ConfigMap) {
        map.data = None;
    }
    let (client, _server) = mock::client();
    let informers = Informers::default();
    let refused = || {
        let complete = informers.complete::<ConfigMap>(&(), Vec::new());
        complete.err().map(|error| error.reason())
    };
    assert_eq!(refused(), Some("NotWatched"));
    let trimmed = Watch::default().and_trim(without_data);
    informers.announce::<ConfigMap>(&(), &trimmed);
    assert_eq!(
        refused(),
        Some("NotWatched"),
        "others cannot read trimmed objects"
    );
    informers.announce::<ConfigMap>(&(), &Watch::default());
    open_with(&informers, &client, "op/b", trimmed);
    assert_eq!(
        refused(),
        Some("NotSynced"),
        "its controller cannot start yet"
    );
    let cache = open(&informers, &client, "op/a").cache;
    assert_eq!(refused(), Some("NotSynced"));
    cache.listed(Listing::begin(None));
    assert_eq!(refused(), None);
}

#[test]
fn every_controller_hears_of_a_change_except_of_its_own() {
    let cache = Cache::new((), "op", Watch::default(), [None]);
    let (mut one, mut other) = (cache.listen("op/a").boxed(), cache.listen("op/b").boxed());
    let hears = |changes: &mut BoxStream<'_, Change<ConfigMap>>| match changes.next().now_or_never()
    {
        Some(Some(Change::Applied { before, now })) => {
            assert!(before.is_some());
            object::version(&now.metadata)
        }
        nothing => {
            assert!(nothing.is_none(), "{nothing:?}");
            0
        }
    };
    let report = |version| {
        let received = Decoded::from(map(version));
        if let Some(change) = cache.offer(received, ListOrWatch::Watch(&None)) {
            cache.notify(&change);
        }
    };
    let mut listing = Listing::begin(None);
    listing.name(ObjectRef::from_obj(&map(1)));
    report(1);
    cache.listed(listing);
    assert_eq!(
        (hears(&mut one), hears(&mut other)),
        (0, 0),
        "the first list is not a change"
    );
    report(2);
    assert_eq!((hears(&mut one), hears(&mut other)), (2, 2));
    cache.assume(map(3).into(), "op/a");
    report(3);
    assert_eq!((hears(&mut one), hears(&mut other)), (0, 3));

    // the watch event may arrive before the response to the write
    let write = cache.write(ObjectRef::from_obj(&map(4)), "op/a");
    report(4);
    write.done(map(4).into());
    assert_eq!((hears(&mut one), hears(&mut other)), (0, 4));
    let write = cache.write(ObjectRef::from_obj(&map(6)), "op/a");
    report(5);
    assert_eq!((hears(&mut one), hears(&mut other)), (0, 5));
    drop(write);
    assert_eq!((hears(&mut one), hears(&mut other)), (5, 0), "not its own");
}

#[tokio::test]
async fn different_selections_have_a_cache_each_and_the_newest_state_counts() {
    let (client, _server) = mock::client();
    let informers = Informers::default();
    let select = |labels| {
        open_with(
            &informers,
            &client,
            "op/a",
            Watch::default().and_labels(labels),
        )
        .cache
    };
    let (one, same, other) = (select("k=v"), select("k=v"), select("k"));
    assert!(Arc::ptr_eq(&one, &same));
    assert!(!Arc::ptr_eq(&one, &other));
    let key = ObjectRef::from_obj(&map(0));
    let labelled = |version| {
        let mut map = map(version);
        map.metadata.labels = Some([("k".to_owned(), "v".to_owned())].into());
        map
    };
    let list = |cache: &Cache<ConfigMap>, version| {
        let mut listing = Listing::begin(None);
        listing.name(key.clone());
        cache.offer(
            labelled(version).into(),
            ListOrWatch::List(listing.snapshot),
        );
        cache.listed(listing);
    };
    let known = || {
        let caches = informers.complete::<ConfigMap>(&(), Vec::new()).ok()?;
        let (_, map) = caches.get(&key)?;
        Some(object::version(&map.metadata))
    };
    assert_eq!(known(), None);
    list(&one, 2);
    assert_eq!(
        known(),
        Some(2),
        "one that is complete is enough for what it has"
    );
    list(&other, 1);
    assert_eq!(known(), Some(2));

    // a write is visible in every cache whose selector matches
    let caches = informers.caches::<ConfigMap>(&());
    assert!(caches.whole().is_none());
    caches
        .write(&map(0).metadata, "op/a")
        .done(labelled(3).into());
    let version =
        |cache: &Cache<ConfigMap>| cache.get(&key).map(|map| object::version(&map.metadata));
    assert_eq!((version(&one), version(&other)), (Some(3), Some(3)));

    let everything = open(&informers, &client, "op/b").cache;
    assert!(informers.caches::<ConfigMap>(&()).whole().is_none());
    list(&everything, 1);
    assert!(informers.caches::<ConfigMap>(&()).whole().is_some());
}

#[tokio::test]
async fn trimming_for_one_controller_does_not_affect_others() {
    fn without_data(map: &mut ConfigMap) {
        map.data = None;
        map.metadata = kube::core::ObjectMeta::default();
    }
    let (client, _server) = mock::client();
    let informers = Informers::default();
    let trimmed = Watch::default().and_trim(without_data);
    let short = open_with(&informers, &client, "op/a", trimmed.clone()).cache;
    let seen = |trimmed: &[Watch]| {
        let caches = informers.complete::<ConfigMap>(&(), trimmed.to_vec());
        let caches = caches.map_err(|error| error.reason())?;
        let found = caches.get(&ObjectRef::new("a"));
        Ok(found.and_then(|(_, map)| map.data.clone()))
    };
    let own = std::slice::from_ref(&trimmed);
    assert_eq!(
        (seen(&[]), seen(own)),
        (Err("NotWatched"), Err("NotSynced"))
    );
    let whole = open(&informers, &client, "op/b").cache;
    assert!(!Arc::ptr_eq(&short, &whole));
    let same = Watch::default().and_trim(without_data);
    assert!(Arc::ptr_eq(
        &short,
        &open_with(&informers, &client, "op/c", same).cache
    ));
    let other = Watch::default().and_trim(|map: &mut ConfigMap| map.binary_data = None);
    assert_ne!(other, trimmed);

    let mut full = map(1);
    full.data = Some([("k".to_owned(), "v".to_owned())].into());
    full.metadata.labels = Some([("l".to_owned(), "v".to_owned())].into());
    full.metadata.annotations = Some([("a".to_owned(), "v".to_owned())].into());
    for cache in [&short, &whole] {
        let mut listing = Listing::begin(None);
        listing.name(ObjectRef::new("a"));
        cache.offer(full.clone().into(), ListOrWatch::List(listing.snapshot));
        cache.listed(listing);
    }
    assert_eq!((seen(&[]), seen(own)), (Ok(full.data.clone()), Ok(None)));
    let caches = informers.complete::<ConfigMap>(&(), own.to_vec()).unwrap();
    assert!(caches.whole().is_some_and(|it| Arc::ptr_eq(it, &short)));
    let left = short.get(&ObjectRef::new("a")).unwrap();
    let meta = kube::core::ObjectMeta {
        annotations: None,
        ..full.metadata.clone()
    };
    assert_eq!(left.metadata, meta, "all but annotations stays");

    // the writer gets the object back as its own cache stores it
    let written = |trimmed: &[Watch], version| {
        let mut caches = informers.caches::<ConfigMap>(&());
        caches.trimmed = trimmed.to_vec();
        full.metadata.resource_version = Some(version);
        let write = caches.write(&full.metadata, "op/a");
        write.done(full.clone().into()).data.is_some()
    };
    let mut written = written;
    assert!(!written(own, "2".to_owned()));
    assert!(written(&[], "3".to_owned()));
}
