//! Tests of the assignment when replicas join and leave, and of rosters with inaccurate clocks.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use tokio::time::Instant;

use super::*;
use crate::leader::roster::Roster;

fn replicas(all: &[(&str, &[u32])]) -> Replicas {
    let holds =
        |(who, holds): &(&str, &[u32])| ((*who).to_owned(), holds.iter().copied().collect());
    all.iter().map(holds).collect()
}

fn assigned(shards: u32, all: &[(&str, &[u32])]) -> Vec<String> {
    let replicas = replicas(all);
    let assigned = assign(shards, &replicas);
    (0..shards)
        .map(|shard| assigned.get(&shard).copied().unwrap_or("-").to_owned())
        .collect()
}

#[test]
fn shards_are_spread_and_move_only_where_they_must() {
    assert_eq!(assigned(3, &[]), ["-", "-", "-"]);
    assert_eq!(assigned(3, &[("a", &[])]), ["a", "a", "a"]);
    // A replica joins.
    assert_eq!(
        assigned(4, &[("a", &[0, 1, 2, 3]), ("b", &[])]),
        ["a", "a", "b", "b"]
    );
    assert_eq!(
        assigned(4, &[("a", &[]), ("b", &[0, 1]), ("c", &[2, 3])]),
        ["b", "b", "c", "a"]
    );
    // A replica has left.
    assert_eq!(
        assigned(4, &[("b", &[0, 1]), ("c", &[2])]),
        ["b", "b", "c", "c"]
    );
    // There are more replicas than shards.
    assert_eq!(
        assigned(2, &[("a", &[]), ("b", &[0]), ("c", &[1])]),
        ["b", "c"]
    );
    // Two replicas claim the same shard.
    assert_eq!(assigned(2, &[("a", &[0]), ("b", &[0, 1])]), ["a", "b"]);
}

fn seeded() -> impl FnMut(u64) -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let given = std::env::var("RUSTOP_TEST_SEED").ok();
    let seed = given.and_then(|seed| seed.parse().ok());
    let mut state = seed.unwrap_or_else(|| u64::from(now.subsec_nanos()) | 1);
    println!("RUSTOP_TEST_SEED={state}");
    move |limit| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % limit
    }
}

#[test]
fn few_shards_move_when_replicas_join_or_leave() {
    let mut random = seeded();
    for _ in 0..200 {
        let shards = u32::try_from(1 + random(20)).unwrap();
        let mut all = Replicas::new();
        for number in 0..50 {
            if random(3) > 0 || all.is_empty() {
                all.insert(format!("{:x}-{number}", random(16)), BTreeSet::new());
            } else {
                let at = usize::try_from(random(all.len() as u64)).unwrap();
                let gone = all.keys().nth(at).unwrap().clone();
                all.remove(&gone);
                if all.is_empty() {
                    continue;
                }
            }
            let before = all.clone();
            let assigned = assign(shards, &before);
            assert_eq!(assigned.len(), shards as usize);
            for (who, holds) in &mut all {
                let has = assigned.iter().filter(|(_, holder)| *holder == who);
                *holds = has.map(|(shard, _)| *shard).collect();
                let (had, has) = (&before[who], holds.len());
                let share = shards as usize / before.len();
                assert!(
                    (share..=share + 1).contains(&has),
                    "{before:?} {assigned:?}"
                );
                // A replica gives away no more than necessary, and never shard 0.
                assert!(
                    had.is_subset(holds) || has >= share,
                    "{before:?} {assigned:?}"
                );
                let kept = had.intersection(holds).count();
                assert!(kept == had.len().min(has), "{before:?} {assigned:?}");
                assert!(
                    !had.contains(&0) || holds.contains(&0),
                    "{before:?} {assigned:?}"
                );
            }
        }
    }
}

const TERM: Duration = Duration::from_secs(15);
/// Time for which a replica writes after a signature, on its own clock.
const WRITES: Duration = Duration::from_secs(10);

/// A replica whose clock has an offset, and is too slow or too fast.
struct ClockedReplica {
    roster: Roster,
    name: String,
    begun: Instant,
    rate: f64,
    next: f64,
    /// On the accurate clock.
    signed: f64,
    dead: bool,
}

impl ClockedReplica {
    fn clock(&self, time: f64) -> Instant {
        self.begun + Duration::from_secs_f64(time * self.rate)
    }

    fn may_write(&self, time: f64) -> bool {
        !self.dead && (time - self.signed) * self.rate < WRITES.as_secs_f64()
    }
}

/// No replica that may write is removed from the roster, and in the end all know the live ones.
#[test]
fn inaccurate_clocks_remove_only_dead_replicas() {
    let mut random = seeded();
    for _ in 0..20 {
        let mut meta = ObjectMeta::default();
        let mut all: Vec<ClockedReplica> = Vec::new();
        let mut time = 0.0;
        while time < 600.0 {
            time += 0.1;
            let changes = time < 500.0;
            if changes && random(100) == 0 && all.iter().filter(|it| !it.dead).count() < 6 {
                let name = format!("{}", all.len());
                #[allow(clippy::cast_precision_loss, reason = "small numbers")]
                let (rate, offset) = (0.9 + random(200) as f64 / 1000.0, random(1_000_000));
                all.push(ClockedReplica {
                    roster: Roster::new(&name, TERM),
                    name,
                    begun: Instant::now() + Duration::from_secs(offset),
                    rate,
                    next: time,
                    signed: f64::NEG_INFINITY,
                    dead: false,
                });
            }
            if changes && random(200) == 0 && !all.is_empty() {
                let at = usize::try_from(random(all.len() as u64)).unwrap();
                all[at].dead = true;
            }
            for at in 0..all.len() {
                if all[at].dead || all[at].next > time {
                    continue;
                }
                let clock = all[at].clock(time);
                all[at].roster.sign(&mut meta, clock, clock);
                (all[at].signed, all[at].next) = (time, time + 2.0 / all[at].rate);
                let known = all[at].roster.replicas().borrow().clone();
                for other in all.iter().filter(|other| other.may_write(time)) {
                    assert!(known.contains_key(&other.name), "{} at {time}", other.name);
                }
            }
        }
        let live: BTreeSet<_> = all
            .iter()
            .filter(|it| !it.dead)
            .map(|it| &it.name)
            .collect();
        for replica in all.iter().filter(|it| !it.dead) {
            let known = replica.roster.replicas().borrow().clone();
            assert_eq!(known.keys().collect::<BTreeSet<_>>(), live);
        }
    }
}

#[test]
fn leaving_replicas_are_removed_from_the_roster_at_once() {
    let now = Instant::now();
    let (a, b) = (Roster::new("a", TERM), Roster::new("b", TERM));
    let mut meta = ObjectMeta {
        annotations: Some([("rustop.dev/replicas".to_owned(), "no json".to_owned())].into()),
        ..ObjectMeta::default()
    };
    a.holds([1, 2].into());
    a.sign(&mut meta, now, now);
    b.sign(&mut meta, now, now);
    assert_eq!(
        *b.replicas().borrow(),
        replicas(&[("a", &[1, 2]), ("b", &[])])
    );
    assert!(!b.lacks("a", now), "not asked since");
    assert!(a.leave(&mut meta), "one is left");
    let later = now + Duration::from_secs(1);
    b.sign(&mut meta, later, later);
    assert_eq!(*b.replicas().borrow(), replicas(&[("b", &[])]));
    assert!(b.lacks("a", now) && !b.lacks("b", now));
    assert!(!b.leave(&mut meta), "no replica is left");
}
