//! Several replicas at work, each on its share, and what may happen to them.

use std::collections::{BTreeMap, BTreeSet};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::audit::{self, is_write, succeeded};
use crate::beliefs::shard;
use crate::cluster::SOON;
use crate::operator::{Launch, Operator};
use crate::place::Place;
use crate::proxy::{Exchange, Proxy, Verdict};
use crate::support::random::{Random, rounds};
use crate::support::until;
use crate::{Cases, Stage};

pub const CASES: Cases = &[
    ("each_has_a_third_and_works_on_it_alone", thirds),
    ("whoever_comes_and_goes_nothing_is_worked_on_by_two", chaos),
    ("what_the_one_before_wrote_last_is_known", behind),
    ("who_shares_in_another_way_stands_by", strangers),
    ("a_frozen_one_writes_nothing_when_it_wakes_up", frozen),
    (
        "a_reconcile_that_outlives_the_grace_writes_no_more",
        outlived,
    ),
    ("an_api_server_that_can_sends_only_a_share", served),
    (
        "of_a_namespace_one_does_all_and_the_task_is_one's",
        namespaces,
    ),
];

const SHARDS: u64 = 6;

fn replica() -> Launch {
    Launch::default().with("SHARDS", &SHARDS)
}

fn create(place: &Place, count: u32, message: &str) {
    for number in 0..count {
        place.create("lolcows", &format!("cow-{number}"), message);
    }
}

/// The shard of each Lolcow, by name.
fn shards(place: &Place) -> BTreeMap<String, u64> {
    let list = place.get("lolcows", "").unwrap();
    let lolcows = list["items"].as_array().unwrap().iter();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let shard = |lolcow: &serde_json::Value| shard(&text(&lolcow["metadata"]["uid"]), SHARDS);
    lolcows
        .map(|lolcow| (text(&lolcow["metadata"]["name"]), shard(lolcow)))
        .collect()
}

fn lease(shard: u64) -> String {
    format!("faults-operator-shard-{shard}")
}

/// Asserts that each write about an object comes from the replica that last wrote the Lease of its
/// shard.
fn assert_one_worker_at_a_time(place: &Place) {
    let shards = shards(place);
    let mut holders = BTreeMap::new();
    let mut writes = 0;
    let all = place.audit();
    for entry in all.iter().filter(|entry| is_write(entry)) {
        if entry.resource == "leases" {
            if succeeded(entry) {
                holders.insert(entry.name.clone(), entry.who());
            }
        } else if let Some(shard) = shards.get(&entry.name) {
            writes += 1;
            let holder = holders.get(&lease(*shard)).copied();
            let leases: Vec<_> = all
                .iter()
                .filter(|entry| is_write(entry) && entry.name == lease(*shard))
                .collect();
            assert_eq!(
                Some(entry.who()),
                holder,
                "shard {shard}: {entry:?} in {leases:#?}"
            );
        }
    }
    assert!(writes > 0, "nobody wrote anything");
}

/// Waits until each has as many shards as that.
fn hold(operators: &[&Operator], shards: &[f64]) {
    until("the shards are spread", SOON, || {
        let held = |operator: &&Operator| operator.metric("shards_held").unwrap_or_default();
        let mut held: Vec<f64> = operators.iter().map(held).collect();
        held.sort_by(f64::total_cmp);
        held == shards
    });
}

fn thirds(stage: &Stage) {
    let place = stage.place();
    let replicas = ["alpha", "beta", "gamma"].map(|name| place.operator(name, replica()));
    let [alpha, beta, gamma] = &replicas;
    hold(&[alpha, beta, gamma], &[2.0; 3]);
    create(&place, 300, "moo");
    place.converges();
    assert_one_worker_at_a_time(&place);
    let mut written = BTreeMap::new();
    let all = shards(&place);
    for name in all.keys() {
        *written
            .entry(place.data(name, "writer").unwrap())
            .or_insert(0) += 1;
    }
    assert_eq!(written.len(), 3, "{written:?}");
    for (operator, of) in &written {
        assert!((70..=130).contains(of), "{operator} has {of} of 300");
    }
    let mut reconciled = 0.0;
    for operator in &replicas {
        operator.is_ready();
        assert!(operator.ready_text().1.contains("2 of 6 shards"));
        let text = "controller_runtime_reconcile_total{controller=\"lolcow\",result=\"success\"}";
        reconciled += operator.metric(text).unwrap();
    }
    assert!((300.0..400.0).contains(&reconciled), "{reconciled}");
}

/// Replicas are killed, stopped and added, while users change things.
fn chaos(stage: &Stage) {
    churn(stage, Duration::from_secs(rounds(30)));
}

fn churn(stage: &Stage, time: Duration) {
    let mut random = Random::seeded();
    let place = stage.place();
    let mut names = (0..).map(|number| format!("replica-{number}"));
    let mut replicas: Vec<Operator> = Vec::new();
    let start = Instant::now();
    create(&place, 30, "moo");
    while start.elapsed() < time {
        match random.below(12) {
            0 | 1 if replicas.len() < 4 => {
                replicas.push(place.operator(&names.next().unwrap(), replica()));
            }
            2 if replicas.len() > 1 => {
                let at = random.below(u32::try_from(replicas.len()).unwrap());
                replicas.swap_remove(at as usize).kill();
            }
            3 if replicas.len() > 1 => {
                let at = random.below(u32::try_from(replicas.len()).unwrap());
                let mut stopped = replicas.swap_remove(at as usize);
                // Before that, it does not handle signals yet.
                stopped.says("starting");
                stopped.signal(Signal::TERM);
                assert_eq!(stopped.ends().0.code(), Some(0), "{}", stopped.log());
            }
            _ => {
                let number = random.below(1000);
                let message = match random.below(4) {
                    0 => "sleep 1".to_owned(),
                    1 => "sleep 2".to_owned(),
                    _ => format!("moo {number}"),
                };
                place.say("lolcows", &format!("cow-{}", number % 30), &message);
            }
        }
        sleep(Duration::from_millis(random.below(300).into()));
    }
    place.converges();
    for replica in &mut replicas {
        assert!(!replica.has_ended(), "{}", replica.log());
    }
    assert_one_worker_at_a_time(&place);
}

/// The watches of a new replica receive no events, and then it gets shards.
fn behind(stage: &Stage) {
    let place = stage.place();
    let alpha = place.operator("alpha", replica());
    create(&place, 20, "moo");
    place.converges();
    let proxy = Proxy::start(&place.cluster.dir, &place.cluster.api.server);
    proxy.set(|method, target| {
        if target.contains("watch=true") {
            Verdict::Freeze
        } else if method == "PUT" && target.contains("/leases/") {
            Verdict::Answer(503)
        } else {
            Verdict::Pass
        }
    });
    let through = Launch {
        server: Some(proxy.url.clone()),
        ..replica()
    };
    let beta = place.operator("beta", through.with("LIST_PAGE_SIZE", &3));
    beta.says("caches are filled, waiting for the lease");
    for number in 0..20 {
        place.say("lolcows", &format!("cow-{number}"), "bow");
    }
    place.delete("configmaps", "cow-19");
    place.converges();
    proxy.set(|_, _| Verdict::Pass);
    hold(&[&alpha, &beta], &[3.0; 2]);
    until("beta has signed its share", SOON, || {
        let theirs =
            |number| place.data(&format!("cow-{number}"), "writer").as_deref() == Some("beta");
        (0..20).filter(|number| theirs(*number)).count() > 3
    });
    place.converges();
    for number in 0..20 {
        let name = format!("cow-{number}");
        assert_eq!(place.data(&name, "message").as_deref(), Some("bow"));
    }
    assert_one_worker_at_a_time(&place);
    // a Lolcow in its former state would have been reported again
    let mut writes = place.writes();
    writes.retain(|entry| entry.who() == "beta" && entry.resource == "configmaps");
    let written: BTreeSet<_> = writes.iter().map(|entry| &entry.name).collect();
    assert_eq!(writes.len(), written.len(), "{writes:#?}");
}

/// Another number of shards, or one leader: it waits until all others are gone, and says why.
fn strangers(stage: &Stage) {
    let place = stage.place();
    let alpha = place.operator("alpha", replica());
    create(&place, 10, "moo");
    place.converges();
    let other = replica().with("SHARDS", &4);
    let beta = place.operator("beta", other);
    beta.says("run with flags other than --shards=4 --shard-by=uid");
    let gamma = place.operator("gamma", Launch::replica());
    gamma.says("--shards=6 --shard-by=uid");
    place.say("lolcows", "cow-0", "bow");
    place.converges();
    sleep(Duration::from_secs(2));
    let workers = |since: &str| {
        let mut writes = place.writes();
        writes.retain(|entry| entry.resource == "configmaps" && *entry.received > *since);
        let workers = writes.iter().map(|entry| entry.who().to_owned());
        workers.collect::<BTreeSet<_>>()
    };
    assert_eq!(workers(""), BTreeSet::from(["alpha".to_owned()]));
    alpha.kill();
    let since = audit::now();
    place.say("lolcows", "cow-0", "moo moo");
    place.converges();
    until("all are signed anew", SOON, || {
        let writer = |number| place.data(&format!("cow-{number}"), "writer");
        (0..10).all(|number| writer(number).as_deref() != Some("alpha"))
    });
    let workers = workers(&since);
    assert_eq!(workers.len(), 1, "{workers:?}");
    assert!(!workers.contains("alpha"));
}

/// It is frozen between two writes of one reconcile, and another one takes its shards.
fn frozen(stage: &Stage) {
    let place = stage.place();
    let mut alpha = place.operator("alpha", replica());
    create(&place, 10, "moo");
    place.converges();
    let beta = place.operator("beta", replica());
    hold(&[&alpha, &beta], &[3.0; 2]);
    for number in 0..10 {
        place.say("lolcows", &format!("cow-{number}"), "sleep 3");
    }
    until("alpha has begun one", SOON, || {
        (0..10).any(|number| {
            let name = format!("cow-{number}");
            let said = |field| place.data(&name, field);
            said("writer").as_deref() == Some("alpha")
                && said("message").as_deref() == Some("asleep")
        })
    });
    // A request that the connection has already taken over is sent when the process wakes up, so
    // the other reconciles come to their pause first.
    sleep(Duration::from_secs(1));
    alpha.signal(Signal::STOP);
    hold(&[&beta], &[6.0]);
    place.converges();
    let since = audit::now();
    alpha.signal(Signal::CONT);
    assert_eq!(alpha.ends().0.code(), Some(1), "{}", alpha.log());
    let mut writes = place.writes();
    writes.retain(|entry| entry.who() == "alpha" && *entry.received > *since);
    assert!(writes.is_empty(), "{writes:#?}");
    place.converges();
    assert_one_worker_at_a_time(&place);
}

/// Another one is to have the shard, but the reconcile does not end. The Lease runs out, as if this
/// one had died.
fn outlived(stage: &Stage) {
    let place = stage.place();
    let grace = replica().with("TERMINATION_GRACE_PERIOD_SECONDS", &5);
    let mut alpha = place.operator("alpha", grace);
    create(&place, 30, "moo");
    place.converges();
    // As many as it works on at once. Half of the six shards go, one of these at least.
    let shards = shards(&place);
    let by_shard: BTreeMap<_, _> = shards.iter().map(|(name, shard)| (shard, name)).collect();
    let sleepers: Vec<_> = by_shard.into_values().take(4).collect();
    for name in &sleepers {
        place.say("lolcows", name, "sleep 40");
    }
    let message = |name: &str| place.data(name, "message");
    until("all are asleep", SOON, || {
        sleepers
            .iter()
            .all(|name| message(name).as_deref() == Some("asleep"))
    });
    let beta = place.operator("beta", replica());
    hold(&[&alpha, &beta], &[3.0; 2]);
    let given_up = alpha.metric("shard_handovers_total{result=\"given_up\"}");
    assert!(given_up >= Some(1.0), "{given_up:?}: {}", alpha.log());
    until("beta has begun with what alpha does still", SOON, || {
        sleepers
            .iter()
            .any(|name| place.data(name, "writer").as_deref() == Some("beta"))
    });
    place.converges();
    assert_one_worker_at_a_time(&place);
    assert!(!alpha.has_ended(), "{}", alpha.log());
}

/// With the feature gate, and without it: what a replica gets, and what it keeps.
fn served(stage: &Stage) {
    let cluster = stage.cluster();
    for gate in [false, true] {
        if gate {
            let argument = "--feature-gates=ShardedListAndWatch=true";
            cluster.restart_api_server_with(Some(argument), || {});
        }
        let place = cluster.place();
        let proxies = [0, 1].map(|_| Proxy::start(&cluster.dir, &cluster.api.server));
        let mut started = proxies.iter().zip(["alpha", "beta"]).map(|(proxy, name)| {
            let server = Some(proxy.url.clone());
            place.operator(
                name,
                Launch {
                    server,
                    ..replica()
                },
            )
        });
        let [alpha, beta] = [started.next().unwrap(), started.next().unwrap()];
        create(&place, 20, "moo");
        hold(&[&alpha, &beta], &[3.0; 2]);
        for number in 20..40 {
            place.create("lolcows", &format!("cow-{number}"), "moo");
        }
        place.converges();
        let of = shards(&place);
        let own = |operator: &Operator| -> BTreeSet<u64> {
            let writer = |name: &str| place.data(name, "writer").unwrap_or_default();
            let mine = of.iter().filter(|(name, _)| writer(name) == operator.name);
            mine.map(|(_, shard)| *shard).collect()
        };
        // With 40 objects, a shard may be empty.
        let share = |operator: &Operator| own(operator).len() <= 3;
        until("each has signed its share", SOON, || {
            share(&alpha) && share(&beta) && own(&alpha).is_disjoint(&own(&beta))
        });
        for (proxy, operator) in proxies.iter().zip([&alpha, &beta]) {
            let (sent, own) = (sent(proxy), own(operator));
            let others = of.iter().filter(|(name, shard)| {
                !own.contains(shard) && sent.contains(&format!("\"name\":\"{name}\""))
            });
            let others = others.count();
            if gate {
                assert_eq!(others, 0, "{}: {sent}", operator.name);
            } else {
                assert!(others > 0, "nothing was to be dropped: {sent}");
            }
        }
        assert_one_worker_at_a_time(&place);
    }
}

/// The objects are sharded by namespace, with a task that the next shard owner continues.
fn namespaces(stage: &Stage) {
    let places: Vec<Place> = (0..12).map(|_| stage.place()).collect();
    let names: Vec<_> = places
        .iter()
        .map(|place| place.namespace.as_str())
        .collect();
    let [alpha, beta] = ["alpha", "beta"].map(|name| {
        let launch = Launch {
            watch: Some(names.join(",")),
            ..replica().with("SHARD_BY", &"namespace")
        };
        let task = format!("held-by-{name}");
        places[0].operator(name, launch.with("TASK", &task))
    });
    hold(&[&alpha, &beta], &[3.0; 2]);
    for place in &places {
        create(place, 4, "moo");
    }
    let writers = |place: &Place| -> BTreeSet<String> {
        place.converges();
        let writer = |number| place.data(&format!("cow-{number}"), "writer");
        (0..4).filter_map(writer).collect()
    };
    let mut all = BTreeSet::new();
    for place in &places {
        let of_place = writers(place);
        assert_eq!(of_place.len(), 1, "{}: {of_place:?}", place.namespace);
        all.extend(of_place);
    }
    assert_eq!(all.len(), 2);

    let runs = |operator: &Operator| {
        let name = format!("held-by-{}", operator.name);
        places[0].get("configmaps", &name).is_some()
    };
    until("the task runs", SOON, || runs(&alpha) || runs(&beta));
    assert!(!(runs(&alpha) && runs(&beta)), "the task runs twice");
    let (first, second) = if runs(&alpha) {
        (alpha, beta)
    } else {
        (beta, alpha)
    };
    first.kill();
    hold(&[&second], &[6.0]);
    until("the task goes on", SOON, || runs(&second));
    for place in &places {
        (0..4).for_each(|number| {
            place.say("lolcows", &format!("cow-{number}"), "bow");
        });
        assert_eq!(writers(place), BTreeSet::from([second.name.clone()]));
    }
}

/// Returns the watch events of Lolcows that an operator has received since its shards last changed.
fn sent(proxy: &Proxy) -> String {
    let exchanges = proxy.exchanges();
    let selector = |exchange: &Exchange| {
        let (_, query) = exchange.target.split_once("/lolcows?")?;
        let (_, selector) = query.split_once("shardSelector=")?;
        Some(selector.to_owned())
    };
    let last = exchanges.iter().rev().find_map(selector);
    let with_it = exchanges
        .iter()
        .filter(|exchange| selector(exchange) == last);
    with_it.map(|exchange| exchange.share.as_str()).collect()
}
