//! Tests with replicas that join and leave an in-memory API server: no two ever own the same shard.

use std::time::{SystemTime, UNIX_EPOCH};

use kube::Api;
use prometheus_client::registry::Registry;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::election::Election;
use super::metrics::ShardMetrics;
use super::*;
use crate::http::health::Health;
use crate::leader::replica_state::ReplicaState;
use crate::leader::roster::Roster;
use crate::leader::{Candidate, Times};
use crate::options::ShardBy;
use crate::testing::Cluster;

const LEASE: Duration = Duration::from_secs(3);
const SHARDS: u32 = 8;

struct TestReplica {
    shards: Arc<Shards>,
    /// The leadership of the Lease that all replicas renew.
    common: Leadership,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl TestReplica {
    fn start(cluster: &Cluster, name: &str, by: ShardBy) -> Self {
        let leases = Api::namespaced(cluster.client(), "default");
        let (times, common) = (Times::of(LEASE), Leadership::none());
        let shards = Arc::new(Shards::new(Sharding::new(SHARDS, by)));
        let roster = Arc::new(Roster::new(name, LEASE));
        let election = Election {
            shards: shards.clone(),
            roster: roster.clone(),
            leases: leases.clone(),
            lease: "op".to_owned(),
            identity: name.to_owned(),
            times,
            replica_state: ReplicaState::default(),
            is_behind: Arc::new(|_| false),
            grace: Duration::from_secs(1),
            health: Health::default(),
            metrics: ShardMetrics::register(&mut Registry::default()),
        };
        let (replica_state, is_behind) = (ReplicaState::default(), election.is_behind.clone());
        let me = name.to_owned();
        let prepared = (replica_state, is_behind);
        let candidate = Candidate::new(leases, "op", me, common.clone(), times, prepared);
        let mut candidate = candidate.together(&election.flags(), roster);
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let task = tokio::spawn(async move {
            candidate.acquire().await;
            tokio::select! {
                () = candidate.keep() => return,
                () = election.run(std::future::pending()) => return,
                () = stopped.cancelled() => {}
            }
            futures::future::join(candidate.release(), election.release()).await;
        });
        Self {
            shards,
            common,
            stop,
            task,
        }
    }

    fn may_write(&self, shard: u32) -> bool {
        let term = self.shards.term(shard);
        !self.task.is_finished()
            && self.common.holds()
            && term.is_some_and(|term| term.leadership.holds())
    }
}

fn assert_one_at_a_time(replicas: &[TestReplica]) {
    for shard in 0..SHARDS {
        let holders = replicas.iter().filter(|replica| replica.may_write(shard));
        assert!(holders.count() < 2, "two hold {shard}");
    }
}

/// Replicas are added, stopped, and killed, that is, they vanish without a release.
#[tokio::test]
async fn no_two_replicas_hold_the_same_shard() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let given = std::env::var("RUSTOP_TEST_SEED").ok();
    let mut state = given
        .and_then(|seed| seed.parse().ok())
        .unwrap_or_else(|| u64::from(now.subsec_nanos()) | 1);
    println!("RUSTOP_TEST_SEED={state}");
    let mut random = move |limit: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % limit
    };
    let cluster = Cluster::new();
    let mut replicas: Vec<TestReplica> = Vec::new();
    let mut most = 0;
    let start = Instant::now();
    let mut number = 0;
    while start.elapsed() < Duration::from_secs(12) {
        tokio::time::sleep(Duration::from_millis(2)).await;
        assert_one_at_a_time(&replicas);
        most = most.max(replicas.len());
        match random(700) {
            0..=2 if replicas.len() < 4 => {
                number += 1;
                replicas.push(TestReplica::start(
                    &cluster,
                    &format!("replica-{number}"),
                    ShardBy::Uid,
                ));
            }
            3 if replicas.len() > 1 => {
                let at = usize::try_from(random(replicas.len() as u64)).unwrap();
                replicas.swap_remove(at).task.abort();
            }
            4 if replicas.len() > 1 => {
                let at = usize::try_from(random(replicas.len() as u64)).unwrap();
                let stopped = replicas.swap_remove(at);
                stopped.stop.cancel();
                stopped.task.await.unwrap();
            }
            _ => {}
        }
    }
    assert!(most > 1, "there was never more than one");
    replicas.retain(|replica| !replica.task.is_finished());
    replicas.push(TestReplica::start(&cluster, "last", ShardBy::Uid));
    let spread = |replicas: &[TestReplica]| {
        let mut held: Vec<usize> = replicas.iter().map(|it| it.shards.terms().len()).collect();
        held.sort_unstable();
        held.iter().sum::<usize>() == SHARDS as usize && held[held.len() - 1] - held[0] < 2
    };
    let last = Instant::now() + Duration::from_secs(40);
    while !spread(&replicas) {
        assert!(Instant::now() < last, "not all shards are held");
        tokio::time::sleep(Duration::from_millis(2)).await;
        assert_one_at_a_time(&replicas);
        replicas.retain(|replica| !replica.task.is_finished());
    }
}

/// A replica with other flags waits until all of the first ones are gone.
#[tokio::test]
async fn replicas_with_other_shard_flags_wait() {
    let cluster = Cluster::new();
    let first = TestReplica::start(&cluster, "first", ShardBy::Uid);
    first.shards.wait_for_term(FIRST).await;
    let other = TestReplica::start(&cluster, "other", ShardBy::Namespace);
    tokio::time::sleep(LEASE + LEASE / 2).await;
    assert!(other.shards.terms().is_empty());
    first.stop.cancel();
    first.task.await.unwrap();
    other.shards.wait_for_term(FIRST).await;
}

#[tokio::test]
async fn running_reconciles_end_before_the_shard_is_released() {
    let shards = Shards::new(Sharding::new(2, ShardBy::Uid));
    shards.want([1].into());
    assert_eq!(shards.sharding.kept(), [1].into());
    let now = Instant::now();
    shards.take(Term::new(1, now, Leadership::unlimited()));
    assert!(shards.begin(0, now).is_none(), "it is not held");
    let working = shards.begin(1, now).unwrap();
    shards.want(BTreeSet::new());
    let term = shards.end(1).unwrap();
    assert!(shards.begin(1, now).is_none(), "it ends");
    assert_eq!(
        shards.sharding.kept(),
        [1].into(),
        "as long as the work needs it"
    );
    assert!(!term.wait_for_reconciles(Duration::from_millis(10)).await);
    drop(working);
    assert!(term.wait_for_reconciles(Duration::from_millis(10)).await);
    shards.release(1);
    assert!(shards.sharding.kept().is_empty());
}
