//! The cache between the watch, which is late, and the operator's own writes, which are not.

use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::runtime::watcher::Event;
use serde_json::json;

use super::*;
use crate::{guard::Guard, informer::Progress};

pub(crate) fn map(name: &str, version: u64) -> ConfigMap {
    let mut map = ConfigMap::default();
    map.metadata.name = Some(name.into());
    map.metadata.namespace = Some("ns".into());
    map.metadata.resource_version = Some(version.to_string());
    map
}

fn fits(map: ConfigMap) -> Guard<ConfigMap> {
    map.into()
}

fn malformed(name: &str, version: u64) -> Guard<ConfigMap> {
    let metadata = map(name, version).metadata;
    let object = json!({ "metadata": metadata, "data": "no map" }).to_string();
    serde_json::from_str(&object).unwrap()
}

/// For the tests of others: a cache that knows these objects.
pub(crate) fn known_to(maps: &[ConfigMap]) -> Arc<Cache<ConfigMap>> {
    synced(maps).0
}

/// A cache that has listed `maps`.
fn synced(maps: &[ConfigMap]) -> (Arc<Cache<ConfigMap>>, Progress<ConfigMap>) {
    let cache = Cache::new(1, "op");
    let mut watch = Progress::new(None);
    list(&cache, &mut watch, maps);
    (cache, watch)
}

fn list(
    cache: &Cache<ConfigMap>,
    watch: &mut Progress<ConfigMap>,
    maps: &[ConfigMap],
) -> Vec<Change<ConfigMap>> {
    let listed = maps.iter().map(|map| Event::InitApply(fits(map.clone())));
    let events = std::iter::once(Event::Init)
        .chain(listed)
        .chain([Event::InitDone]);
    events
        .flat_map(|event| watch.take_in(cache, event))
        .collect()
}

fn key(name: &str) -> ObjectRef<ConfigMap> {
    ObjectRef::new(name).within("ns")
}

fn known(cache: &Cache<ConfigMap>, name: &str) -> Option<u64> {
    cache
        .get(&key(name))
        .map(|map| object::version(&map.metadata))
}

fn is_ready(cache: &Cache<ConfigMap>) -> bool {
    use futures::FutureExt;
    cache.synced().now_or_never().is_some()
}

#[test]
fn a_cache_is_synced_when_its_last_watch_has_listed() {
    let cache = Cache::<ConfigMap>::new(2, "op");
    let (mut first, mut second) = (Progress::new(None), Progress::new(None));
    list(&cache, &mut first, &[map("a", 1)]);
    assert!(!is_ready(&cache));
    // news of the first while the second is still listing
    first.take_in(&cache, Event::Apply(fits(map("b", 2))));
    first.take_in(&cache, Event::Delete(fits(map("a", 3))));
    list(&cache, &mut second, &[map("c", 1)]);
    assert!(is_ready(&cache));
    assert_eq!(
        [known(&cache, "a"), known(&cache, "b"), known(&cache, "c")],
        [None, Some(2), Some(1)]
    );
}

#[tokio::test]
async fn everyone_who_waits_for_a_cache_is_woken() {
    let cache = Cache::<ConfigMap>::new(1, "op");
    let wait = |cache: Arc<Cache<ConfigMap>>| async move { cache.synced().await };
    let waiting = [(); 3].map(|()| tokio::spawn(wait(cache.clone())));
    tokio::task::yield_now().await;
    list(&cache, &mut Progress::new(None), &[map("a", 1)]);
    for task in waiting {
        let woken = tokio::time::timeout(Duration::from_secs(5), task).await;
        woken.expect("it was woken").unwrap();
    }
}

#[test]
fn a_change_comes_with_what_was_before() {
    let (cache, mut watch) = synced(&[map("a", 1)]);
    let changes = watch.take_in(&cache, Event::Apply(fits(map("a", 2))));
    let [
        Change::Applied {
            before: Some(before),
            now,
        },
    ] = &changes[..]
    else {
        panic!("{changes:?}")
    };
    assert_eq!(
        (
            object::version(&before.metadata),
            object::version(&now.metadata)
        ),
        (1, 2)
    );
}

#[test]
fn what_the_operator_wrote_is_known_at_once_and_never_replaced_by_older_news() {
    let (cache, mut watch) = synced(&[map("a", 1)]);
    cache.assume(map("a", 5).into(), "op/me");
    assert_eq!(known(&cache, "a"), Some(5));
    assert!(
        watch
            .take_in(&cache, Event::Apply(fits(map("a", 3))))
            .is_empty()
    );
    assert_eq!(known(&cache, "a"), Some(5));
    // the echo of the write is no news either, but what follows is
    assert!(
        watch
            .take_in(&cache, Event::Apply(fits(map("a", 5))))
            .is_empty()
    );
    assert_eq!(
        watch.take_in(&cache, Event::Apply(fits(map("a", 6)))).len(),
        1
    );
}

#[test]
fn an_answer_that_comes_after_newer_news_is_left_aside() {
    let (cache, _) = synced(&[map("a", 7)]);
    assert_eq!(
        object::version(&cache.assume(map("a", 5).into(), "op/me").metadata),
        7
    );
    assert_eq!(known(&cache, "a"), Some(7));
}

#[test]
fn a_removal_before_the_last_write_is_old_news() {
    let (cache, mut watch) = synced(&[map("a", 1)]);
    cache.assume(map("a", 5).into(), "op/me");
    assert!(
        watch
            .take_in(&cache, Event::Delete(fits(map("a", 4))))
            .is_empty()
    );
    assert_eq!(known(&cache, "a"), Some(5));
    let changes = watch.take_in(&cache, Event::Delete(fits(map("a", 6))));
    assert!(matches!(changes[..], [Change::Removed(_)]), "{changes:?}");
    assert_eq!(known(&cache, "a"), None);
}

#[test]
fn an_answer_about_what_is_gone_already_does_not_bring_it_back() {
    let (cache, mut watch) = synced(&[]);
    let mut brief = map("a", 5);
    brief.metadata.uid = Some("brief".into());
    let (first, second) = (
        cache.write(key("a"), "op/me"),
        cache.write(key("b"), "op/me"),
    );
    watch.take_in(&cache, Event::Apply(fits(brief.clone())));
    watch.take_in(&cache, Event::Delete(fits(brief.clone())));
    first.done(brief.clone().into());
    assert_eq!(known(&cache, "a"), None);
    watch.take_in(&cache, Event::Delete(fits(brief.clone())));
    second.done(map("b", 6).into());
    assert_eq!(known(&cache, "b"), Some(6));
    assert!(cache.lock().buried.is_empty(), "no write is under way");
}

#[test]
fn listing_again_finds_what_is_gone_and_passes_on_only_what_changed() {
    let (cache, mut watch) = synced(&[map("a", 1), map("b", 1), map("c", 1)]);
    let changes = list(&cache, &mut watch, &[map("a", 1), map("b", 2)]);
    let [Change::Applied { now, .. }, Change::Removed(gone)] = &changes[..] else {
        panic!("{changes:?}")
    };
    assert_eq!(
        (now.metadata.name.as_deref(), gone.metadata.name.as_deref()),
        (Some("b"), Some("c"))
    );
}

#[test]
fn what_was_written_while_a_list_was_under_way_is_kept() {
    let (cache, mut watch) = synced(&[]);
    cache.assume(map("before", 5).into(), "op/me");
    watch.take_in(&cache, Event::Init);
    cache.assume(map("during", 6).into(), "op/me");
    watch.take_in(&cache, Event::InitDone);
    assert_eq!(
        [known(&cache, "before"), known(&cache, "during")],
        [None, Some(6)]
    );
}

#[test]
fn a_watch_of_one_namespace_does_not_judge_others() {
    let (cache, mut watch) = synced(&[map("a", 1)]);
    watch.scope.namespace = Some("elsewhere".into());
    assert!(list(&cache, &mut watch, &[]).is_empty());
    assert_eq!(known(&cache, "a"), Some(1));
}

#[test]
fn a_malformed_object_is_forgotten_and_the_others_stay() {
    let (cache, mut watch) = synced(&[map("a", 1), map("b", 1)]);
    let malformed = Event::Apply(malformed("a", 2));
    assert!(watch.take_in(&cache, malformed).is_empty());
    assert_eq!([known(&cache, "a"), known(&cache, "b")], [None, Some(1)]);
}

#[test]
fn what_is_known_is_not_decoded_again() {
    let (cache, mut watch) = synced(&[map("a", 2)]);
    for version in [1, 2] {
        let known = Event::Apply(malformed("a", version));
        assert!(watch.take_in(&cache, known).is_empty());
    }
    assert_eq!(known(&cache, "a"), Some(2));
}

#[test]
fn what_the_operator_applied_is_remembered_as_long_as_the_object_is_there() {
    let (cache, mut watch) = synced(&[]);
    let entry = |manager: &str, fields: &str| (manager.to_owned(), fields.into());
    let received = Received {
        applied: vec![
            entry("other", r#"{"f:x":{}}"#),
            entry("op/me", r#"{"f:data":{}}"#),
            entry("op/you", r#"{"f:immutable":{}}"#),
        ],
        ..Received::from(map("a", 1))
    };
    cache.offer(received);
    let applied = |manager: &str| cache.applied(&key("a"), manager);
    assert_eq!(applied("op/me"), Some(json!({ "f:data": {} })));
    assert_eq!(applied("op/you"), Some(json!({ "f:immutable": {} })));
    assert_eq!(applied("other"), None);
    watch.take_in(&cache, Event::Delete(fits(map("a", 2))));
    assert_eq!(applied("op/me"), None);
}

/// Whether somebody wanted all objects from the start, midway, or never, each is what it is.
#[test]
fn it_makes_no_difference_when_objects_are_decoded() {
    for decoded_at in 0..8 {
        let (cache, mut watch) = synced(&[map("a", 1), map("b", 1), map("c", 1)]);
        let mut steps = 0..;
        let mut step = || (steps.next() == Some(decoded_at)).then(|| cache.reader().clone());
        step();
        cache.assume(map("a", 3).into(), "op/me");
        step();
        assert!(
            watch
                .take_in(&cache, Event::Apply(fits(map("a", 2))))
                .is_empty()
        );
        step();
        cache.doom(&map("b", 1));
        step();
        let changes = watch.take_in(&cache, Event::Apply(fits(map("b", 2))));
        let [Change::Applied { before, now }] = &changes[..] else {
            panic!("{changes:?}");
        };
        assert_eq!(object::version(&before.as_ref().unwrap().metadata), 1);
        assert!(now.metadata.deletion_timestamp.is_some());
        step();
        let changes = watch.take_in(&cache, Event::Delete(fits(map("c", 2))));
        assert!(
            matches!(&changes[..], [Change::Removed(c)] if c.metadata.name.as_deref() == Some("c"))
        );
        step();
        assert_eq!(
            [known(&cache, "a"), known(&cache, "b"), known(&cache, "c")],
            [Some(3), Some(2), None]
        );
        assert!(
            cache
                .get(&key("b"))
                .unwrap()
                .metadata
                .deletion_timestamp
                .is_some()
        );
        step();
        let mut all = cache.reader().state();
        all.sort_by_key(|map| map.metadata.name.clone());
        let all: Vec<_> = all
            .iter()
            .map(|map| object::version(&map.metadata))
            .collect();
        assert_eq!(all, [3, 2], "decoded at {decoded_at}");
    }
}

#[test]
fn what_the_operator_deleted_counts_as_going_until_the_watch_has_the_last_word() {
    let (cache, mut watch) = synced(&[map("a", 5), map("b", 5)]);
    let going = |name: &str| {
        let known = cache.get(&key(name)).unwrap();
        known.metadata.deletion_timestamp.is_some()
    };
    let mut another = map("b", 5);
    another.metadata.uid = Some("another".into());
    cache.doom(&map("a", 5));
    cache.doom(&another);
    assert!(going("a") && !going("b"));
    watch.take_in(&cache, Event::Apply(fits(map("a", 6))));
    assert!(going("a"), "this was before the deletion");
    let gone = watch.take_in(&cache, Event::Delete(fits(map("a", 7))));
    assert_eq!(gone.len(), 1);
    assert_eq!(known(&cache, "a"), None);
    watch.take_in(&cache, Event::Apply(fits(map("a", 8))));
    assert!(!going("a"), "this is another one");
}
