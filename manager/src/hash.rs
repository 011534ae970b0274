//! Hash maps and sets. Their iteration order is random, as in the standard library; in a test it
//! follows from the seed of the in-memory cluster, so that a history can be repeated.

#[cfg(not(feature = "testing"))]
pub(crate) use std::collections::{HashMap, HashSet};

#[cfg(feature = "testing")]
pub(crate) use seeded::{HashMap, HashSet};

#[cfg(feature = "testing")]
mod seeded {
    use std::hash::{BuildHasher, DefaultHasher, Hasher};

    use crate::random;

    /// A map whose iteration order follows from the seed of the thread.
    pub(crate) type HashMap<Key, Value> = std::collections::HashMap<Key, Value, Order>;
    /// A set whose iteration order follows from the seed of the thread.
    pub(crate) type HashSet<Key> = std::collections::HashSet<Key, Order>;

    /// A random iteration order of a map or a set.
    #[derive(Clone, Debug)]
    pub(crate) struct Order(u64);

    impl Default for Order {
        fn default() -> Self {
            Self(random::number())
        }
    }

    impl BuildHasher for Order {
        type Hasher = DefaultHasher;

        fn build_hasher(&self) -> DefaultHasher {
            let mut hasher = DefaultHasher::new();
            hasher.write_u64(self.0);
            hasher
        }
    }
}

#[cfg(all(test, feature = "testing"))]
mod tests {
    use super::*;
    use crate::random::seeded;

    #[test]
    fn a_seed_determines_the_iteration_order_of_a_set() {
        let order = |seed| {
            seeded::seed(seed);
            let set: HashSet<u32> = (0..20).collect();
            set.into_iter().collect::<Vec<_>>()
        };
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
    }
}
