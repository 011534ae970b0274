//! Sharding of a controller's own kind: the shard of each object, and the shards that a replica
//! caches.
//!
//! A hash assigns each object to one of a fixed number of shards. The hash of a UID is the one of
//! sharded lists and watches (KEP-5866), and a shard is a range of hash values. So an API server
//! with that feature sends a replica only the objects of its shards. Other API servers ignore the
//! selector and send all objects, and those of other shards are dropped here.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use kube::Client;
use kube::core::ObjectMeta;

use crate::client::wrap;
use crate::options::ShardBy;
use crate::watched::Watched;

/// The division of objects among shards, and the set of shards whose objects this replica caches,
/// which is empty at first. Clones share the same set.
#[derive(Clone, Debug)]
pub(crate) struct Sharding(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    count: u32,
    by: ShardBy,
    kept: Watched<BTreeSet<u32>>,
}

impl PartialEq for Sharding {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Sharding {}

impl Sharding {
    /// Creates a division into `count` shards, at least 1, none of which is cached.
    pub fn new(count: u32, by: ShardBy) -> Self {
        let kept = Watched::default();
        Self(Arc::new(Inner { count, by, kept }))
    }

    /// Returns the number of shards.
    pub fn count(&self) -> u32 {
        self.0.count
    }

    /// Returns the field that decides the shard of an object.
    pub fn by(&self) -> ShardBy {
        self.0.by
    }

    /// Returns the shard of an object, counted from 0.
    pub fn shard(&self, uid: Option<&str>, namespace: Option<&str>) -> u32 {
        let hash = match (self.0.by, namespace) {
            (ShardBy::Namespace, Some(namespace)) => mixed(fnv(namespace)),
            // cluster-scoped objects would all be in one shard
            _ => fnv(uid.unwrap_or_default()),
        };
        let shard = u128::from(hash) / self.width();
        // the last shard is wider by the remainder of the division
        u32::try_from(shard).map_or(self.0.count, |shard| shard.min(self.0.count - 1))
    }

    /// Returns true if this replica caches the shard of an object.
    pub fn keeps(&self, meta: &ObjectMeta) -> bool {
        let shard = self.shard(meta.uid.as_deref(), meta.namespace.as_deref());
        self.0.kept.read(|kept| kept.contains(&shard))
    }

    /// Replaces the set of shards that this replica caches.
    pub fn keep(&self, shards: BTreeSet<u32>) {
        self.0.kept.modify(|kept| {
            let differs = *kept != shards;
            *kept = shards;
            differs
        });
    }

    /// Returns the shards that this replica caches.
    pub fn kept(&self) -> BTreeSet<u32> {
        self.0.kept.read(BTreeSet::clone)
    }

    /// Waits until the set of shards that this replica caches differs from `known`.
    pub async fn differs_from(&self, known: &BTreeSet<u32>) {
        let differs = |kept: &BTreeSet<u32>| (kept != known).then_some(());
        self.0.kept.until(differs).await;
    }

    /// Returns a client whose lists and watches select the shards of this replica.
    pub fn client(&self, client: &Client) -> Client {
        let sharding = self.clone();
        wrap(client, move |request| {
            let Some(selector) = sharding.selector() else {
                return;
            };
            let text: String = form_urlencoded::byte_serialize(selector.as_bytes()).collect();
            let uri = request.uri();
            let sign = if uri.query().is_some() { '&' } else { '?' };
            if let Ok(uri) = format!("{uri}{sign}shardSelector={text}").parse() {
                *request.uri_mut() = uri;
            }
        })
    }

    /// Returns the shard selector of a request. `None` if objects are sharded by namespace: the API
    /// server's hash is not suitable for names, because names that differ only at the end have the
    /// same leading digits, which decide the shard.
    fn selector(&self) -> Option<String> {
        if self.0.by == ShardBy::Namespace {
            return None;
        }
        let mut text = String::new();
        for (start, end) in self.ranges() {
            let or = if text.is_empty() { "" } else { " || " };
            // writing to a string does not fail
            let _ = write!(
                text,
                "{or}shardRange(object.metadata.uid, '0x{start:016x}', '0x{end:016x}')"
            );
        }
        Some(text)
    }

    /// Returns the hash ranges of the cached shards, each from its start to its end, exclusive.
    /// Adjacent ones are merged. If there are no shards, returns the smallest range, because
    /// without a range an API server would send all objects.
    fn ranges(&self) -> Vec<(u128, u128)> {
        let mut ranges: Vec<(u128, u128)> = Vec::new();
        for shard in self.kept() {
            let start = u128::from(shard) * self.width();
            let is_last = shard == self.0.count - 1;
            let end = if is_last { ALL } else { start + self.width() };
            match ranges.last_mut() {
                Some((_, last)) if *last == start => *last = end,
                _ => ranges.push((start, end)),
            }
        }
        if ranges.is_empty() {
            ranges.push((0, 1));
        }
        ranges
    }

    /// Returns the number of hash values of one shard.
    fn width(&self) -> u128 {
        ALL / u128::from(self.0.count)
    }
}

/// Number of hash values.
const ALL: u128 = 1 << 64;

/// Computes the FNV-1a hash, as the API server does.
fn fnv(text: &str) -> u64 {
    let bytes = text.bytes();
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Spreads every bit of a hash over all others (the finalizer of `MurmurHash3`).
fn mixed(hash: u64) -> u64 {
    let hash = (hash ^ hash >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let hash = (hash ^ hash >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ hash >> 33
}

#[cfg(test)]
mod tests {
    use http::Response;
    use kube::client::Body;

    use super::*;
    use crate::mock;

    fn keeping(count: u32, kept: &[u32]) -> Sharding {
        let sharding = Sharding::new(count, ShardBy::Uid);
        sharding.keep(kept.iter().copied().collect());
        sharding
    }

    /// The values are those of Go's `hash/fnv`.
    #[test]
    fn the_hash_is_that_of_the_api_server() {
        assert_eq!(fnv(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv("foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn held_shards_are_selected_by_the_fewest_ranges() {
        let uid =
            |start: &str, end: &str| format!("shardRange(object.metadata.uid, '{start}', '{end}')");
        let (zero, all) = ("0x0000000000000000", "0x10000000000000000");
        let half = "0x8000000000000000";
        let both = [
            uid(zero, "0x4000000000000000"),
            uid(half, "0xc000000000000000"),
        ];
        for (count, kept, wanted) in [
            (1, &[0][..], uid(zero, all)),
            (2, &[1], uid(half, all)),
            (4, &[2, 3], uid(half, all)),
            (4, &[0, 2], both.join(" || ")),
            (4, &[], uid(zero, "0x0000000000000001")),
            (3, &[2], uid("0xaaaaaaaaaaaaaaaa", all)),
        ] {
            assert_eq!(keeping(count, kept).selector(), Some(wanted));
        }
    }

    /// The selector matches exactly the objects of the shard.
    #[test]
    fn every_object_is_in_the_range_of_its_shard() {
        for count in [1, 2, 3, 7, 256] {
            for number in 0..1000 {
                let uid = format!("{number:08x}-0000-4000-8000-{number:012x}");
                let sharding = Sharding::new(count, ShardBy::Uid);
                sharding.keep([sharding.shard(Some(&uid), None)].into());
                let (start, end) = sharding.ranges()[0];
                assert!(
                    (start..end).contains(&u128::from(fnv(&uid))),
                    "{uid} of {count}"
                );
            }
        }
    }

    #[test]
    fn similar_namespaces_and_cluster_scoped_objects_are_spread() {
        let sharding = Sharding::new(4, ShardBy::Namespace);
        let mut spread = [[0; 4]; 2];
        for number in 0..100 {
            let name = format!("team-{number}");
            let of_team = sharding.shard(Some("same"), Some(&name));
            spread[0][of_team as usize] += 1;
            spread[1][sharding.shard(Some(&format!("{name}-{name}-{number}")), None) as usize] += 1;
        }
        assert!(
            spread[0].iter().all(|count| (10..40).contains(count)),
            "{spread:?}"
        );
        assert!(spread[1].iter().all(|count| *count > 0), "{spread:?}");
        assert_eq!(sharding.selector(), None);
    }

    #[tokio::test]
    async fn lists_request_only_the_held_shards() {
        let (client, mut server) = mock::client();
        let sharding = keeping(2, &[0]);
        let asking = sharding.client(&client);
        for (path, sign) in [("/api/v1/pods", "?"), ("/api/v1/pods?limit=1", "&")] {
            let request = http::Request::get(path).body(Vec::new()).unwrap();
            let answer = async {
                let (request, respond) = server.recv().await.unwrap();
                respond.send(Response::new(Body::empty())).unwrap();
                request.uri().to_string()
            };
            let (_, asked) = tokio::join!(asking.request_text(request), answer);
            let wanted = "shardSelector=shardRange%28object.metadata.uid%2C+%270x0000000000000000%27%2C+%270x8000000000000000%27%29";
            assert_eq!(asked, format!("{path}{sign}{wanted}"));
        }
    }
}
