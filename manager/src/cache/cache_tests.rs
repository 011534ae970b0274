//! Tests of the cache with watch events that arrive late and the operator's own writes, which are
//! visible at once.

use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;

use super::*;

pub(crate) fn map(name: &str, version: u64) -> ConfigMap {
    let mut map = ConfigMap::default();
    map.metadata.name = Some(name.into());
    map.metadata.namespace = Some("ns".into());
    map.metadata.resource_version = Some(version.to_string());
    map
}

/// Returns a synced cache that holds these objects. Also used by tests of other modules.
pub(crate) fn known_to(maps: &[ConfigMap]) -> Arc<Cache<ConfigMap>> {
    let cache = Cache::new((), "op", Watch::default(), [None]);
    list(&cache, 1, maps);
    cache
}

/// Feeds the cache a complete list with this resource version.
fn list(cache: &Cache<ConfigMap>, version: u64, maps: &[ConfigMap]) -> Vec<Change<ConfigMap>> {
    finish(cache, Listing::begin(None), version, maps)
}

fn finish(
    cache: &Cache<ConfigMap>,
    mut listing: Listing<ConfigMap>,
    version: u64,
    maps: &[ConfigMap],
) -> Vec<Change<ConfigMap>> {
    let mut changes = page(cache, &mut listing, version, maps);
    changes.extend(cache.listed(listing));
    changes
}

fn page(
    cache: &Cache<ConfigMap>,
    listing: &mut Listing<ConfigMap>,
    version: u64,
    maps: &[ConfigMap],
) -> Vec<Change<ConfigMap>> {
    listing.snapshot.version = version;
    let mut changes = Vec::new();
    for map in maps {
        listing.name(object::key_of(&(), &map.metadata));
        changes.extend(cache.offer(map.clone().into(), ListOrWatch::List(listing.snapshot)));
    }
    changes
}

/// Feeds the cache an event of a cluster-wide watch.
fn report(cache: &Cache<ConfigMap>, map: ConfigMap) -> Option<Change<ConfigMap>> {
    cache.offer(map.into(), ListOrWatch::Watch(&None))
}

fn report_gone(cache: &Cache<ConfigMap>, map: &ConfigMap) -> Option<Change<ConfigMap>> {
    cache.remove(&map.metadata, ListOrWatch::Watch(&None))
}

fn within(namespace: &str, mut map: ConfigMap) -> ConfigMap {
    map.metadata.namespace = Some(namespace.into());
    map
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
    let scopes = ["ns", "other"].map(|name| Some(name.to_owned()));
    let cache = Cache::new((), "op", Watch::default(), scopes.clone());
    finish(&cache, Listing::begin(scopes[0].clone()), 1, &[map("a", 1)]);
    assert!(!is_ready(&cache));
    // an event of the first watch, while the second watch is still listing
    let watch = ListOrWatch::Watch(&scopes[0]);
    assert!(cache.offer(map("b", 2).into(), watch).is_none());
    assert!(cache.remove(&map("a", 3).metadata, watch).is_none());
    let there = [within("other", map("c", 1))];
    finish(&cache, Listing::begin(scopes[1].clone()), 1, &there);
    assert!(is_ready(&cache));
    assert_eq!([known(&cache, "a"), known(&cache, "b")], [None, Some(2)]);
    assert!(cache.get(&ObjectRef::new("c").within("other")).is_some());
}

/// The first page of a list arrives, a later page fails, and everything is listed again.
#[test]
fn nothing_outlives_a_list_that_does_not_name_it() {
    for synced in [false, true] {
        let cache = Cache::new((), "op", Watch::default(), [None]);
        if synced {
            list(&cache, 1, &[]);
        }
        page(
            &cache,
            &mut Listing::begin(None),
            2,
            &[map("a", 1), map("b", 2)],
        );
        let changes = list(&cache, 4, &[map("b", 2)]);
        assert_eq!(changes.len(), usize::from(synced), "{changes:?}");
        assert_eq!([known(&cache, "a"), known(&cache, "b")], [None, Some(2)]);
        assert_eq!(cache.reader().len(), 1);
    }
}

#[test]
fn a_list_of_one_namespace_does_not_judge_others() {
    let scopes = ["ns", "other"].map(|name| Some(name.to_owned()));
    let cache = Cache::new((), "op", Watch::default(), scopes.clone());
    page(
        &cache,
        &mut Listing::begin(scopes[0].clone()),
        2,
        &[map("a", 1)],
    );
    let there = [within("other", map("a", 1))];
    finish(&cache, Listing::begin(scopes[1].clone()), 3, &there);
    assert_eq!(known(&cache, "a"), Some(1), "its own list is not complete");
    finish(&cache, Listing::begin(scopes[0].clone()), 4, &[]);
    assert_eq!(known(&cache, "a"), None);
    assert!(cache.get(&ObjectRef::new("a").within("other")).is_some());
}

#[test]
fn a_restored_database_is_believed() {
    let ours = |mut map: ConfigMap| {
        map.metadata.uid = Some("the same".into());
        map
    };
    let cache = known_to(&[ours(map("a", 900)), map("b", 800)]);
    cache.assume(map("c", 950).into(), "op/me");
    cache.mark_deleted(&ours(map("a", 900)));
    let listing = Listing::begin(None);
    // written after the restore
    cache.assume(map("d", 960).into(), "op/me");
    let changes = finish(&cache, listing, 500, &[ours(map("a", 300))]);
    assert_eq!(changes.len(), 3, "{changes:?}");
    assert_eq!(
        ["a", "b", "c", "d"].map(|name| known(&cache, name)),
        [Some(300), None, None, Some(960)]
    );
    let restored = cache.get(&key("a")).unwrap();
    assert!(
        restored.metadata.deletion_timestamp.is_none(),
        "it was deleted in another past"
    );
    // later events are processed as usual
    assert!(report(&cache, ours(map("a", 501))).is_some());
    cache.assume(map("e", 502).into(), "op/me");
    assert_eq!(
        [known(&cache, "a"), known(&cache, "e")],
        [Some(501), Some(502)]
    );
}

/// After a restore, etcd counts revisions from an older value, so one object can get the same
/// version twice with different contents.
#[test]
fn an_equal_version_of_another_past_is_another_state() {
    let cache = known_to(&[map("a", 283)]);
    let mut other = map("a", 283);
    other.data = Some([("k".to_owned(), "v".to_owned())].into());
    let mut listing = Listing::begin(None);
    listing.snapshot.restored = true;
    let changes = finish(&cache, listing, 300, &[other.clone()]);
    let [Change::Applied { before: None, now }] = &changes[..] else {
        panic!("{changes:?}");
    };
    assert_eq!(now.data, other.data);
}

/// No watch would ever correct it.
#[test]
fn objects_outside_of_the_watched_namespaces_are_not_cached() {
    let cache = Cache::new((), "op", Watch::default(), [Some("ns".to_owned())]);
    cache.assume(within("elsewhere", map("a", 5)).into(), "op/me");
    assert!(
        cache
            .get(&ObjectRef::new("a").within("elsewhere"))
            .is_none()
    );
    cache.assume(map("a", 5).into(), "op/me");
    assert_eq!(known(&cache, "a"), Some(5));
}

#[tokio::test]
async fn everyone_who_waits_for_a_cache_is_woken() {
    let cache = Cache::<ConfigMap>::new((), "op", Watch::default(), [None]);
    let wait = |cache: Arc<Cache<ConfigMap>>| async move { cache.synced().await };
    let waiting = [(); 3].map(|()| tokio::spawn(wait(cache.clone())));
    tokio::task::yield_now().await;
    list(&cache, 1, &[map("a", 1)]);
    for task in waiting {
        let woken = tokio::time::timeout(Duration::from_secs(5), task).await;
        woken.expect("it was woken").unwrap();
    }
}

#[test]
fn changes_contain_the_previous_state() {
    let cache = known_to(&[map("a", 1)]);
    let change = report(&cache, map("a", 2));
    let Some(Change::Applied {
        before: Some(before),
        now,
    }) = change
    else {
        panic!("{change:?}")
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
fn own_writes_are_cached_at_once_and_survive_older_events() {
    let cache = known_to(&[map("a", 1)]);
    cache.assume(map("a", 5).into(), "op/me");
    assert_eq!(known(&cache, "a"), Some(5));
    assert!(report(&cache, map("a", 3)).is_none());
    assert_eq!(known(&cache, "a"), Some(5));
    // the watch event of the operator's own write is ignored, the next event is not
    assert!(report(&cache, map("a", 5)).is_none());
    assert!(report(&cache, map("a", 6)).is_some());
}

#[test]
fn responses_older_than_the_cached_state_are_ignored() {
    let cache = known_to(&[map("a", 7)]);
    assert_eq!(
        object::version(&cache.assume(map("a", 5).into(), "op/me").metadata),
        7
    );
    assert_eq!(known(&cache, "a"), Some(7));
}

#[test]
fn deletions_before_the_last_write_are_ignored() {
    let cache = known_to(&[map("a", 1)]);
    cache.assume(map("a", 5).into(), "op/me");
    assert!(report_gone(&cache, &map("a", 4)).is_none());
    assert_eq!(known(&cache, "a"), Some(5));
    let change = report_gone(&cache, &map("a", 6));
    assert!(matches!(change, Some(Change::Removed(_))), "{change:?}");
    assert_eq!(known(&cache, "a"), None);
}

#[test]
fn late_responses_do_not_restore_deleted_objects() {
    let cache = known_to(&[]);
    let first = cache.write(key("a"), "op/me");
    let second = cache.write(key("b"), "op/me");
    report(&cache, map("a", 5));
    report_gone(&cache, &map("a", 6));
    first.done(map("a", 5).into());
    assert_eq!(known(&cache, "a"), None);
    second.done(map("b", 7).into());
    assert_eq!(known(&cache, "b"), Some(7));
}

/// The object was created and deleted while the watch was interrupted, so no event ever reported
/// it.
#[test]
fn an_answer_that_is_older_than_a_list_brings_nothing_back() {
    let cache = known_to(&[]);
    let write = cache.write(key("a"), "op/me");
    list(&cache, 7, &[]);
    write.done(map("a", 5).into());
    assert_eq!(known(&cache, "a"), None);
}

#[test]
fn a_relist_reports_only_deletions_and_changes() {
    let cache = known_to(&[map("a", 1), map("b", 1), map("c", 1)]);
    let changes = list(&cache, 3, &[map("a", 1), map("b", 2)]);
    let [Change::Applied { now, .. }, Change::Removed(gone)] = &changes[..] else {
        panic!("{changes:?}")
    };
    assert_eq!(
        (now.metadata.name.as_deref(), gone.metadata.name.as_deref()),
        (Some("b"), Some("c"))
    );
}

#[test]
fn writes_during_a_list_stay_cached() {
    let cache = known_to(&[map("changed", 1)]);
    cache.assume(map("before", 5).into(), "op/me");
    let listing = Listing::begin(None);
    for (name, version) in [("during", 7), ("changed", 8), ("brief", 6)] {
        cache.assume(map(name, version).into(), "op/me");
    }
    finish(&cache, listing, 6, &[map("changed", 1)]);
    assert_eq!(
        ["before", "during", "changed", "brief"].map(|name| known(&cache, name)),
        [None, Some(7), Some(8), None]
    );
}

#[test]
fn applied_fields_are_stored_until_the_object_is_deleted() {
    let cache = known_to(&[]);
    let entry = |manager: &str, fields: &str| (manager.to_owned(), fields.into());
    let received = Decoded {
        applied: vec![
            entry("other", r#"{"f:x":{}}"#),
            entry("op/me", r#"{"f:data":{}}"#),
            entry("op/you", r#"{"f:immutable":{}}"#),
        ],
        ..Decoded::from(map("a", 1))
    };
    cache.offer(received, ListOrWatch::Watch(&None));
    let applied = |manager: &str| cache.applied(&key("a"), manager);
    assert_eq!(applied("op/me"), Some(json!({ "f:data": {} })));
    assert_eq!(applied("op/you"), Some(json!({ "f:immutable": {} })));
    assert_eq!(applied("other"), None);
    report_gone(&cache, &map("a", 2));
    assert_eq!(applied("op/me"), None);
}

/// The cache contents do not depend on when `reader` is called first: at the start, midway, or
/// never.
#[test]
fn the_time_of_decoding_does_not_change_the_cache() {
    for decoded_at in 0..8 {
        let cache = known_to(&[map("a", 1), map("b", 1), map("c", 1)]);
        let mut steps = 0..;
        let mut step = || (steps.next() == Some(decoded_at)).then(|| cache.reader().clone());
        step();
        cache.assume(map("a", 3).into(), "op/me");
        step();
        assert!(report(&cache, map("a", 2)).is_none());
        step();
        cache.mark_deleted(&map("b", 1));
        step();
        let change = report(&cache, map("b", 2));
        let Some(Change::Applied { before, now }) = change else {
            panic!("{change:?}");
        };
        assert_eq!(object::version(&before.as_ref().unwrap().metadata), 1);
        assert!(now.metadata.deletion_timestamp.is_some());
        step();
        let change = report_gone(&cache, &map("c", 2));
        assert!(
            matches!(&change, Some(Change::Removed(c)) if c.metadata.name.as_deref() == Some("c"))
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
fn deleted_objects_count_as_terminating_until_the_watch_reports_them() {
    let cache = known_to(&[map("a", 5), map("b", 5)]);
    let going = |name: &str| {
        let known = cache.get(&key(name)).unwrap();
        known.metadata.deletion_timestamp.is_some()
    };
    let mut another = map("b", 5);
    another.metadata.uid = Some("another".into());
    cache.mark_deleted(&map("a", 5));
    cache.mark_deleted(&another);
    assert!(going("a") && !going("b"));
    report(&cache, map("a", 6));
    assert!(going("a"), "this was before the deletion");
    assert!(report_gone(&cache, &map("a", 7)).is_some());
    assert_eq!(known(&cache, "a"), None);
    report(&cache, map("a", 8));
    assert!(!going("a"), "this is another one");
}

#[test]
fn unchanged_objects_are_not_decoded_again() {
    for decoded in [false, true] {
        let cache = known_to(&[map("a", 5)]);
        let _store = decoded.then(|| cache.reader());
        let seen = cache.get(&key("a")).unwrap();
        let newest = || cache.newest(&seen);
        assert!(Arc::ptr_eq(&newest().unwrap(), &seen));
        cache.mark_deleted(&seen);
        let going = newest().unwrap();
        assert!(going.metadata.deletion_timestamp.is_some());
        assert!(Arc::ptr_eq(&cache.newest(&going).unwrap(), &going));
        report(&cache, map("a", 6));
        assert_eq!(object::version(&newest().unwrap().metadata), 6);
        report_gone(&cache, &map("a", 7));
        assert!(newest().is_none());
        let mut another = map("a", 5);
        another.metadata.uid = Some("another".into());
        list(&cache, 8, &[another]);
        let uid = newest().unwrap().metadata.uid.clone();
        assert_eq!(uid.as_deref(), Some("another"));
    }
}

/// The watch would never report a later change of such an object.
#[test]
fn unselected_objects_are_not_cached() {
    let labelled = |version, value: &str| {
        let mut map = map("a", version);
        map.metadata.labels = Some([("k".to_owned(), value.to_owned())].into());
        map
    };
    let key = object::key_of(&(), &map("a", 0).metadata);
    for (watch, stays) in [
        (Watch::default().and_labels("k=v"), true),
        (Watch::default().and_labels("k=w"), false),
        (Watch::default().and_labels("k=v").and_fields("f=x"), false),
    ] {
        let cache = Cache::<ConfigMap>::new((), "op", watch, [None]);
        list(&cache, 1, &[]);
        let write = cache.write(key.clone(), "op/me");
        let live = write.done(labelled(2, "v").into());
        assert_eq!(
            object::version(&live.metadata),
            2,
            "the writer gets it all the same"
        );
        assert_eq!(cache.get(&key).is_some(), stays, "{:?}", cache.watch);
    }
    // An object that the watch has reported is updated as long as it may still match the selector.
    let cache = Cache::<ConfigMap>::new(
        (),
        "op",
        Watch::default().and_labels("k").and_fields("f=x"),
        [None],
    );
    list(&cache, 1, &[labelled(1, "v")]);
    cache.assume(labelled(2, "w").into(), "op/me");
    let version = cache.get(&key).map(|map| object::version(&map.metadata));
    assert_eq!(version, Some(2));
}
