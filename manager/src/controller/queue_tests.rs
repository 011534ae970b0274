use k8s_openapi::api::core::v1::ConfigMap;

use super::*;
use crate::mock::MockMetrics;

type Line = Queue<ConfigMap>;

fn queue() -> (Line, MockMetrics) {
    let figures = MockMetrics::new();
    let metrics = figures.controllers.controller("me", 1);
    (Queue::new(metrics.queue()), figures)
}

fn add(queue: &mut Line, name: &str, cause: Cause) {
    queue.add(ObjectRef::new(name), cause, Instant::now());
}

/// Takes the next object and returns its name and causes, if one is ready.
fn next(queue: &mut Line, now: Instant) -> Option<(String, String)> {
    queue.is_ready(now).then_some(())?;
    let item = queue.take(now).unwrap();
    Some((item.key.name.clone(), item.causes.to_string()))
}

fn end(queue: &mut Line, name: &str, again: Option<(Duration, Cause)>, now: Instant) {
    queue.done(&Arc::new(ObjectRef::new(name)), again, now);
}

fn said(name: &str, causes: &str) -> (String, String) {
    (name.to_owned(), causes.to_owned())
}

#[test]
fn each_waits_once_whatever_the_causes() {
    let (mut queue, figures) = queue();
    let child = || Cause::Child("Service/a".to_owned());
    for cause in [Cause::Start, child(), child()] {
        add(&mut queue, "a", cause);
    }
    let depth = |priority: i32| {
        let of = format!("{{controller=\"me\",name=\"me\",priority=\"{priority}\"}} 1");
        figures.text().contains(&format!("workqueue_depth{of}"))
    };
    assert!(depth(0) && !depth(-100));
    let now = Instant::now();
    assert_eq!(
        next(&mut queue, now),
        Some(said("a", "start, child Service/a, 1 more"))
    );
    assert_eq!(next(&mut queue, now), None);
    assert!(!depth(0));
}

#[test]
fn requests_during_a_reconcile_wait_for_its_end() {
    let (mut queue, _metrics) = queue();
    let now = Instant::now();
    add(&mut queue, "a", Cause::Start);
    assert!(next(&mut queue, now).is_some());
    add(&mut queue, "a", Cause::Changed);
    assert_eq!(next(&mut queue, now), None);
    let hour = Duration::from_secs(3600);
    end(&mut queue, "a", Some((hour, Cause::Time)), now);
    assert_eq!(next(&mut queue, now), Some(said("a", "changed")));
    end(&mut queue, "a", None, now);
    assert_eq!(
        next(&mut queue, now + 2 * hour),
        None,
        "its time was not requested again"
    );
}

#[test]
fn a_time_comes_unless_something_happens_before() {
    let (mut queue, _metrics) = queue();
    let (now, hour) = (Instant::now(), Duration::from_secs(3600));
    for name in ["a", "b"] {
        add(&mut queue, name, Cause::Start);
        assert!(next(&mut queue, now).is_some());
        end(&mut queue, name, Some((hour, Cause::Retry)), now);
    }
    assert_eq!(next(&mut queue, now), None);
    assert_eq!(queue.next_due(), Some(now + hour));
    add(&mut queue, "a", Cause::Changed);
    assert_eq!(next(&mut queue, now), Some(said("a", "changed")));
    assert_eq!(next(&mut queue, now + hour), Some(said("b", "retry")));
    assert_eq!(next(&mut queue, now + hour), None);
    end(&mut queue, "a", Some((Duration::ZERO, Cause::Time)), now);
    assert_eq!(next(&mut queue, now), Some(said("a", "time")));
}

#[test]
fn changes_do_not_wait_for_the_objects_listed_at_start() {
    let (mut queue, _metrics) = queue();
    let now = Instant::now();
    for number in 0..10_000 {
        add(&mut queue, &format!("cow-{number}"), Cause::Start);
    }
    add(&mut queue, "cow-9000", Cause::Changed);
    add(&mut queue, "new", Cause::Changed);
    let taken: Vec<_> = (0..FAIR).filter_map(|_| next(&mut queue, now)).collect();
    for name in ["cow-9000", "new"] {
        assert!(taken.iter().any(|(item, _)| item == name), "{taken:?}");
    }
}

#[test]
fn nothing_starves() {
    let (mut queue, _metrics) = queue();
    let now = Instant::now();
    for number in 0..100 {
        add(&mut queue, &format!("old-{number}"), Cause::Start);
    }
    let mut old = 0;
    for number in 0..400 {
        add(&mut queue, &format!("new-{number}"), Cause::Changed);
        let (name, _) = next(&mut queue, now).unwrap();
        old += usize::from(name.starts_with("old"));
        end(&mut queue, &name, None, now);
    }
    assert_eq!(old, 100, "despite constant changes");
}
