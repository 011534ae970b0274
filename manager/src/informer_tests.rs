//! Several controllers that watch one kind.

use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::runtime::reflector::ObjectRef;

use super::*;
use crate::{health::Health, mock, watched::Watched};

fn map(version: u64) -> ConfigMap {
    let mut map = ConfigMap::default();
    map.metadata.name = Some("a".into());
    map.metadata.resource_version = Some(version.to_string());
    map
}

fn fits(version: u64) -> Guard<ConfigMap> {
    map(version).into()
}

#[tokio::test]
async fn two_controllers_share_one_watch_and_one_cache() {
    let (client, mut server) = mock::client();
    let informers = Informers::default();
    let open = |controller: &str| {
        let health = Health::default();
        let watches = || Watched::new(controller, health).watches(&client, &[]);
        informers.open::<ConfigMap>("op", controller, watches)
    };
    let (first, second) = (open("op/a"), open("op/b"));
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

#[test]
fn every_controller_hears_of_a_change_except_of_its_own() {
    let cache = Cache::new(1, "op");
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
    let mut watch = Progress::new(None);
    let mut report = |event| {
        for change in watch.take_in(&cache, event) {
            cache.tell(&change);
        }
    };
    for event in [Event::Init, Event::InitApply(fits(1)), Event::InitDone] {
        report(event);
    }
    assert_eq!(
        (hears(&mut one), hears(&mut other)),
        (0, 0),
        "the first list is no news"
    );
    report(Event::Apply(fits(2)));
    assert_eq!((hears(&mut one), hears(&mut other)), (2, 2));
    cache.assume(map(3).into(), "op/a");
    report(Event::Apply(fits(3)));
    assert_eq!((hears(&mut one), hears(&mut other)), (0, 3));

    // the watch may be faster than the answer
    let write = cache.write(ObjectRef::from_obj(&map(4)), "op/a");
    report(Event::Apply(fits(4)));
    write.done(map(4).into());
    assert_eq!((hears(&mut one), hears(&mut other)), (0, 4));
    let write = cache.write(ObjectRef::from_obj(&map(6)), "op/a");
    report(Event::Apply(fits(5)));
    assert_eq!((hears(&mut one), hears(&mut other)), (0, 5));
    drop(write);
    assert_eq!((hears(&mut one), hears(&mut other)), (5, 0), "not its own");
}
