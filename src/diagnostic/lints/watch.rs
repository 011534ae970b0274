//! Rules about the watches of controllers.

use crate::diagnostic::lint::Lint;

/// All rules of this module.
pub const LINTS: &[&Lint] = &[&WATCH_ALL];

pub static WATCH_ALL: Lint = Lint {
    id: "watch-all",
    finds: "a kind with many objects in every cluster, watched without a selector",
    why: "Most objects in a cluster are Secrets, ConfigMaps, Pods and Events of other applications. `.owns::<T>()` and \
          `.watches(…)` cache all of them: 87 MiB for 3,000 Secrets of 20 KiB. `.owns_matching(Watch::<T>::new().applied())` \
          and `.watches_matching(Watch::<T>::new().labels(…), …)` fetch only the selected objects, and `.project(…)` caches \
          only the fields that the operator reads. `.refers_to::<T>(…)` fetches only the objects that a spec names. If the \
          names are constants, such as one certificate authority, watch that object with the field selector \
          `metadata.name=ca`, and add `resourceNames=ca` to its RBAC marker. If the operator needs all objects, or children that another operator labelled, suppress \
          the warning with a reason.",
};
