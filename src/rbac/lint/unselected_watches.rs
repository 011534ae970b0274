//! Kinds with many objects in every cluster that are watched without a selector.

use crate::diagnostic::Diagnostic;
use crate::diagnostic::lints::watch::WATCH_ALL;
use crate::sources::kind_usage::{Role, Use};

/// The Rust types of these kinds.
const CROWDS: [&str; 5] = [
    "k8s_openapi::api::core::v1::ConfigMap",
    "k8s_openapi::api::core::v1::Event",
    "k8s_openapi::api::core::v1::Pod",
    "k8s_openapi::api::core::v1::Secret",
    "k8s_openapi::api::events::v1::Event",
];

/// The names of those that specs often name.
const NAMED: [&str; 2] = ["ConfigMap", "Secret"];

/// Returns a diagnostic for each watch on all objects of such a kind.
pub fn check(uses: &[Use]) -> Vec<Diagnostic> {
    let whole = |used: &&Use| used.found.role == Role::WatchedWhole;
    let uses = uses.iter().filter(whole);
    uses.filter_map(check_one).collect()
}

fn check_one(used: &Use) -> Option<Diagnostic> {
    let path = CROWDS.into_iter().find(|path| *path == used.found.path)?;
    let (_, kind) = path.rsplit_once("::")?;
    let message = format!(
        "every {kind} of the cluster is fetched and cached, including those of other applications"
    );
    let place = &used.place;
    let diagnostic = Diagnostic::at(&place.line, place.span.clone(), message);
    let owned = format!(
        "watch only objects that this operator applies, with `.owns_matching(Watch::<{kind}>::new().applied())`"
    );
    let labelled = format!(
        "objects with certain labels, with `.watches_matching(Watch::<{kind}>::new().labels(\"..\"), ..)`"
    );
    let help = if NAMED.contains(&kind) {
        format!(
            "{owned}, {labelled}, objects that a spec names, with `.refers_to::<{kind}>(..)`, or one object of a constant name, \
             with `.fields(\"metadata.name=NAME\")` and `resourceNames=NAME` in its marker"
        )
    } else {
        format!("{owned}, or {labelled}")
    };
    Some(diagnostic.warning(&WATCH_ALL).help(help))
}
