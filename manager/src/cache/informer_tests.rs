//! Several controllers that watch one kind.

use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Client, runtime::reflector::ObjectRef};

use super::*;
use crate::{
    cache::{Origin, decoded::Decoded, listing::Listing, watch_health::WatchHealth},
    http::{health::Health, metrics::Metrics},
    mock, object,
};

fn map(version: u64) -> ConfigMap {
    let mut map = ConfigMap::default();
    map.metadata.name = Some("a".into());
    map.metadata.resource_version = Some(version.to_string());
    map
}

fn open(informers: &Informers, client: &Client, controller: &str) -> Informer<ConfigMap> {
    let metrics = Arc::new(Metrics::new("op", "1"));
    let watched = WatchHealth::new(controller, Health::default(), metrics);
    informers.open("op", controller, || watched.watches(client, &[]))
}

#[tokio::test]
async fn two_controllers_share_one_watch_and_one_cache() {
    let (client, mut server) = mock::client();
    let informers = Informers::default();
    let first = open(&informers, &client, "op/a");
    let second = open(&informers, &client, "op/b");
    assert!(Arc::ptr_eq(&first.cache, &second.cache));

    // only the first one asks the API server
    tokio::select! {
        () = second.drive => panic!("the watch ended"),
        _ = server.recv() => panic!("it was asked twice"),
        () = tokio::time::sleep(Duration::from_millis(50)) => {}
    }
    tokio::select! {
        () = first.drive => panic!("the watch ended"),
        request = server.recv() => assert!(request.is_some()),
    }
}

#[tokio::test]
async fn whoever_looks_into_a_cache_hears_whether_it_can() {
    let (client, _server) = mock::client();
    let informers = Informers::default();
    let refused = || {
        let complete = informers.complete::<ConfigMap>();
        complete.err().map(|error| error.reason())
    };
    assert_eq!(refused(), Some("NotWatched"));
    informers.announce::<ConfigMap>();
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
    let cache = Cache::new("op", [None]);
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
        if let Some(change) = cache.offer(received, Origin::Watch(&None)) {
            cache.tell(&change);
        }
    };
    let mut listing = Listing::begin(None);
    listing.name(ObjectRef::from_obj(&map(1)));
    report(1);
    cache.listed(listing);
    assert_eq!(
        (hears(&mut one), hears(&mut other)),
        (0, 0),
        "the first list is no news"
    );
    report(2);
    assert_eq!((hears(&mut one), hears(&mut other)), (2, 2));
    cache.assume(map(3).into(), "op/a");
    report(3);
    assert_eq!((hears(&mut one), hears(&mut other)), (0, 3));

    // the watch may be faster than the answer
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
