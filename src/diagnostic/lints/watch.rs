//! Rules about the watches of controllers.

use crate::diagnostic::lint::Lint;

/// All rules of this module.
pub const LINTS: &[&Lint] = &[&WATCH_ALL];

pub static WATCH_ALL: Lint = Lint {
    id: "watch-all",
    finds: "a kind that is many in every cluster, watched without a selector",
    why: "Secrets, ConfigMaps, Pods and Events of others are most of what a cluster holds, and `.owns::<T>()` \
          and `.watches(…)` keep all of them in memory: 80 MiB for 3,000 Secrets of 20 KiB. With \
          `.owns_with::<T>(Watch::applied())` and `.watches_only(…)` the rest is not even fetched, and of what \
          is `Watch::…trimmed(…)` only what is read is kept. Where all of them are wanted, or children have to be found that another operator labelled, say so.",
};
