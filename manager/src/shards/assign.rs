//! Assigns shards to replicas. All replicas compute the assignment from the same roster, so it is
//! not communicated.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::leader::roster::Replicas;
use crate::planted::{Bug, is_planted};

/// Returns the identity of the replica that should hold each shard, by the number of the shard;
/// empty if there are no replicas. `shards` is the number of shards.
///
/// Shards are spread evenly: the numbers of shards per replica differ by one at most. A replica
/// keeps the shards that it holds as far as that allows, the lowest first, so that shard 0 stays
/// with its owner for as long as that replica lives.
pub(crate) fn assign(shards: u32, replicas: &Replicas) -> BTreeMap<u32, &str> {
    let mut room = quotas(shards, replicas);
    let mut assigned = BTreeMap::new();
    for (who, holds) in replicas {
        let Some(room) = room.get_mut(who.as_str()) else {
            continue;
        };
        for shard in holds {
            if *room > 0 && !assigned.contains_key(shard) {
                assigned.insert(*shard, who.as_str());
                *room -= 1;
            }
        }
    }
    let open: BTreeSet<u32> = (0..shards)
        .filter(|shard| !assigned.contains_key(shard))
        .collect();
    let takers = room
        .into_iter()
        .flat_map(|(who, room)| (0..room).map(move |_| who));
    assigned.extend(open.into_iter().zip(takers));
    if is_planted(Bug::ShardOfNobody) {
        assigned.pop_last();
    }
    assigned
}

/// Returns the number of shards for each replica. The remainder goes to the replicas that hold
/// most.
fn quotas(shards: u32, replicas: &Replicas) -> BTreeMap<&str, u32> {
    let count = u32::try_from(replicas.len()).unwrap_or(u32::MAX);
    let mut by_held: Vec<_> = replicas.iter().collect();
    by_held.sort_by_key(|(_, holds)| Reverse(holds.len()));
    let quota = |rank: u32| shards / count + u32::from(rank < shards % count);
    let ranked = (0..).zip(by_held);
    let quotas = ranked.map(|(rank, (who, _))| (who.as_str(), quota(rank)));
    quotas.collect()
}

#[cfg(test)]
#[path = "assign_tests.rs"]
mod tests;
