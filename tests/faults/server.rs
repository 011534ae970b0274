//! The API server and its database fail.

use std::thread::sleep;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::json;

use crate::operator::{Launch, Operator};
use crate::place::Place;
use crate::proxy::{Proxy, Verdict};
use crate::support::until;
use crate::{Cases, Stage};

pub const CASES: Cases = &[
    ("stopped_for_30_s", stopped),
    ("killed_and_restarted", restarted),
    ("restarted_with_its_history_compacted", compacted),
    ("restored_from_a_backup", restored),
];

/// A replica that ends is started again, as the kubelet would do.
struct Kubelet<'a> {
    place: &'a Place,
    replicas: Vec<Operator>,
}

impl<'a> Kubelet<'a> {
    fn start(place: &'a Place) -> Self {
        let replicas = ["alpha", "beta"].map(|name| place.operator(name, Launch::replica()));
        Self {
            place,
            replicas: replicas.into(),
        }
    }

    fn restart_the_ended(&mut self) {
        for replica in &mut self.replicas {
            if replica.has_ended() {
                *replica = self
                    .place
                    .operator(&replica.name.clone(), Launch::replica());
            }
        }
    }

    fn converges(&mut self) {
        until("every object is converged", Duration::from_secs(90), || {
            self.restart_the_ended();
            self.place.is_converged()
        });
    }
}

fn cows(place: &Place, message: &str) {
    for number in 0..10 {
        let name = format!("cow-{number}");
        match place.get("lolcows", &name) {
            None => place.create("lolcows", &name, message),
            Some(_) => place.say("lolcows", &name, message),
        };
    }
}

/// With and without leader election at once: the one keeps its process, the other gets a new
/// leader.
fn stopped(stage: &Stage) {
    let cluster = stage.cluster();
    let (alone, elected) = (cluster.place(), cluster.place());
    let mut operator = alone.operator("alone", Launch::default());
    let mut kubelet = Kubelet::start(&elected);
    for place in [&alone, &elected] {
        cows(place, "moo");
    }
    alone.converges();
    kubelet.converges();
    // Requests that are sent now are in flight when the API server stops.
    for place in [&alone, &elected] {
        cows(place, "bow");
    }
    cluster.signal("kube-apiserver", Signal::STOP);
    sleep(Duration::from_secs(30));
    cluster.signal("kube-apiserver", Signal::CONT);
    cluster.wait_until_ready();
    kubelet.converges();
    alone.converges();
    for place in [&alone, &elected] {
        cows(place, "meow");
    }
    kubelet.converges();
    alone.converges();
    assert!(!operator.has_ended(), "{}", operator.log());
    elected.assert_one_leader_at_a_time();
}

fn restarted(stage: &Stage) {
    let cluster = stage.cluster();
    let place = cluster.place();
    let mut operator = place.operator("alpha", Launch::default());
    cows(&place, "moo");
    place.converges();
    cows(&place, "bow");
    cluster.restart_api_server(|| sleep(Duration::from_secs(1)));
    cows(&place, "meow");
    place.converges();
    operator.is_ready();
    assert!(!operator.has_ended(), "{}", operator.log());
}

/// The operator receives no events from before the restart of the API server, whose history is
/// lost.
fn compacted(stage: &Stage) {
    let cluster = stage.cluster();
    let place = cluster.place();
    let proxy = Proxy::start(&cluster.dir, &cluster.api.server);
    let operator = place.operator("alpha", Launch::through(&proxy.url));
    cows(&place, "moo");
    place.create("pastures", "gone", "fenced");
    place.converges();
    until("the pasture has its fence", Duration::from_secs(20), || {
        place.get("configmaps", "gone-fence").is_some()
    });
    proxy.set(|_, _| Verdict::Cut);
    proxy.cut();
    cows(&place, "bow");
    place.delete("lolcows", "cow-0");
    place.delete("pastures", "gone");
    place.create("lolcows", "new", "moo");
    cluster.restart_api_server(|| cluster.compact());
    proxy.set(|_, _| Verdict::Pass);
    place.converges();
    until("the cleanup ran", Duration::from_secs(60), || {
        place.get("pastures", "gone").is_none()
    });
    assert!(place.get("leases", "gone-gone").is_some());
    let expired = |exchange: &crate::proxy::Exchange| exchange.expired;
    assert!(
        proxy.exchanges().iter().any(expired),
        "no watch answered 410"
    );
    operator.is_ready();
}

/// The resource versions go back: objects created after the backup are missing, deleted ones exist
/// again, and watch events arrive long before the versions have caught up.
fn restored(stage: &Stage) {
    let cluster = stage.cluster();
    let place = cluster.place();
    let mut operator = place.operator("alpha", Launch::default());
    cows(&place, "moo");
    place.create("lolcows", "gone", "moo");
    place.create("pastures", "meadow", "fenced");
    place.converges();
    let backup = cluster.backup();

    place.delete("lolcows", "gone");
    place.create("lolcows", "after", "moo");
    cows(&place, "bow");
    place.converges();
    let version = |place: &Place| -> u64 {
        let list = place.get("lolcows", "").unwrap();
        list["metadata"]["resourceVersion"]
            .as_str()
            .unwrap()
            .parse()
            .unwrap()
    };
    let filler = json!({"metadata": {"name": "filler"}});
    place.cluster.api.post(&place.path("secrets", ""), &filler);
    for number in 0..1000 {
        let label = json!({"metadata": {"labels": {"number": number.to_string()}}});
        place.patch("secrets", "filler", &label);
    }
    let before = version(&place);
    cluster.restore(&backup);
    assert!(place.get("lolcows", "after").is_none() && place.get("lolcows", "gone").is_some());

    cows(&place, "again");
    place.converges();
    operator.believes_what_is_so();
    assert!(version(&place) < before, "the versions have caught up");
    operator.says("the API server was restored from a backup");
    operator.is_ready();
    assert!(!operator.has_ended());
}
