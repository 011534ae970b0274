//! Explains why an object of the project is not Ready, or is not reconciled as it should be. The
//! rules are tried in order; the first that applies supplies the explanation and the fix.

use serde::Serialize;

use super::object::Object;
use super::reconciles::Reconcile;
use super::store::Store;

/// The prefix of the manager's log message about a controller that cannot start. Must match
/// `manager/src/cache/watch_health.rs`, which also logs `the controller can start now`.
pub const CANNOT_START: &str = "cannot start yet: ";
/// The time for which a notice about a hot loop counts as current, in microseconds. It is longer
/// than the minute after which `problem_notices.rs` repeats a notice.
const RECENT: u64 = 90_000_000;

/// The explanation of a problem, with a fix if one is known.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Cause {
    /// The class of the problem: `deleting`, `stopped`, `missing`, `forbidden`, `webhook`,
    /// `failing`, `child`, `loop` or `condition`.
    pub sort: &'static str,
    /// The explanation in one sentence, without a full stop.
    pub says: String,
    /// A command, an RBAC marker or advice that fixes it; empty if none is known.
    pub fix: String,
    /// The uid of the object that causes the problem, if it is a different one.
    pub to_blame: Option<String>,
}

impl Cause {
    fn new(sort: &'static str, says: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            sort,
            says: says.into(),
            fix: fix.into(),
            to_blame: None,
        }
    }
}

/// Returns the problem of an object of the project: a hot loop, even if the object is Ready; a
/// failed last reconcile; or the cause why it is not Ready. `None` if there is no problem, if the
/// object is deleted, or if its kind is not one of the project's.
pub fn find(store: &Store, object: &Object) -> Option<Cause> {
    if !object.is_own || object.is_gone {
        return None;
    }
    let last = store.reconciles.last(&object.kind, &object.label());
    let failed = last.filter(|last| last.outcome == "failed");
    if let Some(cause) = hot_loop(store, object) {
        return Some(cause);
    }
    if object.state.level == "ok" && failed.is_none() {
        return None;
    }
    let rules = [operator_stopped, controller_not_started];
    let of_operator = rules.iter().find_map(|rule| rule(store, object));
    of_operator
        .or_else(|| failed.map(|failed| reconcile_failed(store, object, failed)))
        .or_else(|| deletion_blocked(object))
        .or_else(|| unhealthy_child(store, object))
        .or_else(|| forbidden_request(store))
        .or_else(|| Some(reported_condition(object)))
}

/// Reports that the operator has exited.
fn operator_stopped(store: &Store, _: &Object) -> Option<Cause> {
    let process = &store.process;
    let says = match process.state.as_str() {
        "ended" => format!("the operator is not running: {}", process.says),
        _ => return None,
    };
    Some(Cause::new(
        "stopped",
        says,
        "rustop dev --watch restarts it when a source file changes",
    ))
}

/// Reports a controller that has not started because something is missing, usually a kind that is
/// not served.
fn controller_not_started(store: &Store, object: &Object) -> Option<Cause> {
    let controller = store
        .about
        .kinds
        .iter()
        .find(|kind| kind.kind == object.kind)?
        .controller
        .as_deref()?;
    let lines = store.lines.iter().rev().map(|(_, line)| line);
    let mut lines = lines.filter(|line| line.field("controller") == Some(controller));
    let last_report = lines.find(|line| {
        line.message.starts_with(CANNOT_START)
            || line.message == "the controller can start now"
            || line.span.contains_key("reconcile_id")
    })?;
    let trouble = last_report.message.strip_prefix(CANNOT_START)?;
    if let Some(marker) = marker(store, trouble) {
        return Some(Cause::new(
            "forbidden",
            format!("the controller cannot start: {trouble}"),
            marker,
        ));
    }
    Some(Cause::new(
        "missing",
        format!("the controller cannot start: {trouble}"),
        "",
    ))
}

/// Explains a failed reconcile by the text of its error.
fn reconcile_failed(store: &Store, object: &Object, failed: &Reconcile) -> Cause {
    let error = &failed.error;
    let activity = if object.state.word == "Deleting" {
        format!(
            "the cleanup of {} fails",
            object.state.says.trim_start_matches("waits for ")
        )
    } else {
        "the reconcile fails".to_owned()
    };
    let says = format!("{activity} ({} in a row): {error}", failed.failures);
    if error.contains("forbidden") && !error.contains("admission webhook") {
        return Cause::new("forbidden", says, marker(store, error).unwrap_or_default());
    }
    if error.contains("failed calling webhook") {
        return Cause::new(
            "webhook",
            says,
            "check the webhook: kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations",
        );
    }
    if error.contains("admission webhook") {
        return Cause::new(
            "webhook",
            says,
            "change the object that the controller applies, or the webhook",
        );
    }
    if error.contains("no matches for kind")
        || error.contains("404 page not found")
        || error.contains("could not find the requested resource")
    {
        return Cause::new("missing", says, "install the CRD of that kind");
    }
    Cause::new(
        if activity.starts_with("the cleanup") {
            "deleting"
        } else {
            "failing"
        },
        says,
        "",
    )
}

/// Returns the RBAC marker that grants the permission that `text` reports as missing.
fn marker(store: &Store, text: &str) -> Option<String> {
    if !text.contains("forbidden") {
        return None;
    }
    let all = &store.permissions.forbidden;
    // Prefer the marker in the operator's own message: it covers all permissions needed, not only
    // the one refused first.
    let own = text
        .split_once("help: add `")
        .and_then(|(_, rest)| rest.split('`').next());
    let plural = |resource: &str| {
        resource
            .split(['.', '/'])
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    let one = all
        .iter()
        .find(|one| text.contains(&plural(&one.resource)))
        .or(all.first())?;
    Some(format!("{}: {}", one.file, own.unwrap_or(&one.marker)))
}

/// Reports the finalizers of an object that is being deleted.
fn deletion_blocked(object: &Object) -> Option<Cause> {
    let state = &object.state;
    if state.word != "Deleting" || state.says.is_empty() {
        return None;
    }
    let says = format!(
        "the object is being deleted and {}, which is not removed yet",
        state.says
    );
    Some(Cause::new("deleting", says, ""))
}

/// Reports an unhealthy object below this one, the deepest first: a Pod explains why its Deployment
/// is not Available.
fn unhealthy_child(store: &Store, object: &Object) -> Option<Cause> {
    let below = store.objects.below(object);
    let bad = |level: &str| {
        let mut found = below
            .iter()
            .rev()
            .filter(|one| !one.is_gone && one.state.level == level);
        found.next()
    };
    let child = bad("bad").or_else(|| bad("wait"))?;
    let state = &child.state;
    let says = format!(
        "{} {} is {}: {}",
        child.kind, child.name, state.word, state.says
    );
    let mut cause = Cause::new("child", says.trim_end_matches([':', ' ']), "");
    cause.to_blame = Some(child.uid.clone());
    Some(cause)
}

/// Reports a forbidden request, in case no reconcile has failed because of it.
fn forbidden_request(store: &Store) -> Option<Cause> {
    let one = store.permissions.forbidden.first()?;
    let says = format!(
        "the operator is not allowed to {} {}",
        one.verbs.join(", "),
        one.resource
    );
    Some(Cause::new(
        "forbidden",
        says,
        format!("{}: {}", one.file, one.marker),
    ))
}

/// Reports a hot loop that was noticed shortly before the newest log line.
fn hot_loop(store: &Store, object: &Object) -> Option<Cause> {
    let newest = store.lines.iter().next_back().map_or(0, |(at, _)| *at);
    let notice = store.notices.last("loop", &object.kind, &object.label())?;
    let is_recent = notice.at + RECENT > newest;
    is_recent.then(|| Cause::new("loop", &notice.says, ""))
}

/// Repeats the condition of the object, if no rule knows more about it.
fn reported_condition(object: &Object) -> Cause {
    let state = &object.state;
    match state.level {
        "none" => Cause::new("condition", "no controller has set a condition yet", ""),
        _ => Cause::new(
            "condition",
            format!("{}: {}", state.word, state.says).trim_end_matches([':', ' ']),
            "",
        ),
    }
}
