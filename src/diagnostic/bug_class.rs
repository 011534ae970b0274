//! The classes of the bugs that `rustop torture` and `rustop simulate` find, for reports,
//! `rustop explain` and the book. The checks are in `torture/oracle` and in the manager.

/// A class of bug.
#[derive(Debug)]
pub struct BugClass {
    /// Its name in kebab case, with which the id of a finding begins. It never changes.
    pub name: &'static str,
    /// The symptom, in one line without a full stop.
    pub symptom: &'static str,
    /// Why this is a bug although the end state may be right, in sentences; `None` if it is
    /// obvious.
    pub harm: Option<&'static str>,
    /// The usual reasons, in sentences.
    pub cause: &'static str,
    /// The fix, in sentences.
    pub fix: &'static str,
    pub reported_by: ReportedBy,
}

/// The commands that report a class.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ReportedBy {
    Torture,
    Simulate,
    Both,
}

impl ReportedBy {
    /// Returns the commands, as text.
    pub fn commands(self) -> &'static str {
        match self {
            Self::Torture => "`rustop torture`",
            Self::Simulate => "`rustop simulate`",
            Self::Both => "`rustop torture` and `rustop simulate`",
        }
    }
}

/// Returns the class with this name; `None` if there is no such class.
pub fn named(name: &str) -> Option<&'static BugClass> {
    ALL.iter().find(|class| class.name == name)
}

/// All classes: wrong states, deletion, repeated work, failures, other owners, and the checks of
/// simulations only.
pub const ALL: &[BugClass] = &[
    BugClass {
        name: "missing",
        symptom: "an expected object is missing",
        harm: None,
        cause: "A reconcile stopped between two writes, and the next one takes the earlier writes as a sign that all of \
                them were done: a field of the status, an annotation or the first child serves as a flag. Or a failed \
                request was ignored, so nothing retries it.",
        fix: "Apply every child in every reconcile, whatever the status says; an apply of an equal object changes \
               nothing. Return the errors of requests, so that the reconcile is retried.",
        reported_by: ReportedBy::Both,
    },
    BugClass {
        name: "too-many",
        symptom: "an unexpected object exists",
        harm: None,
        cause: "The operator created an object from a stale cache or an old spec, and does not remove it later: it only \
                looks at the objects that the current spec names.",
        fix: "List the owned objects in each reconcile, and delete those that the spec does not require: return the \
               children from the reconcile, or delete by owner and label.",
        reported_by: ReportedBy::Both,
    },
    BugClass {
        name: "not-removed",
        symptom: "an object that the spec no longer requires still exists",
        harm: None,
        cause: "The code creates the object if a field is set, and does nothing if the field is unset.",
        fix: "Delete the child in the branch without the field, or keep all children in one `Children`, which \
               prunes those that are no longer in it.",
        reported_by: ReportedBy::Torture,
    },
    BugClass {
        name: "not-updated",
        symptom: "an object does not match the spec",
        harm: None,
        cause: "The operator creates a child once and never updates it, updates only some of its fields, or \
                compares with a stale cache. An unset field that stays in the child was written with another field \
                manager, or by a merge patch.",
        fix: "Apply the whole child with server-side apply and one field manager in each reconcile. It removes the fields that \
               the operator no longer sets.",
        reported_by: ReportedBy::Both,
    },
    BugClass {
        name: "wrong-status",
        symptom: "the status is wrong",
        harm: None,
        cause: "The status is computed from what the operator intended and not from the observed objects, it is not written after \
                an error, or no watch reports the change of the object on which it depends.",
        fix: "Compute the whole status from the observed children at the end of each reconcile, and watch each kind that it \
               depends on.",
        reported_by: ReportedBy::Both,
    },
    BugClass {
        name: "not-recovered",
        symptom: "the spec was reset, but the children were not",
        harm: None,
        cause: "The way back is not the way there: a change is applied as a step, or the children keep a value that the \
                earlier spec wrote.",
        fix: "Derive all fields of the children from the current spec only, not from the state in which they are.",
        reported_by: ReportedBy::Torture,
    },
    BugClass {
        name: "not-restored",
        symptom: "a child that another client deleted is not created again",
        harm: None,
        cause: "The controller does not watch the kind of the child, ignores its delete events, or creates children only \
                for a new generation of the spec.",
        fix: "Declare the kind with `.owns::<T>()`, and apply the children in each reconcile.",
        reported_by: ReportedBy::Torture,
    },
    BugClass {
        name: "not-corrected",
        symptom: "a child that another client edited is not corrected",
        harm: None,
        cause: "The controller does not watch the kind, a predicate drops the events, or the operator compares a hash of the spec \
                instead of applying the child.",
        fix: "Declare the kind with `.owns::<T>()`, and apply the children in each reconcile. If others may change the \
               field, do not set it.",
        reported_by: ReportedBy::Torture,
    },
    BugClass {
        name: "leftover",
        symptom: "a child is left after the deletion of its owner",
        harm: None,
        cause: "The child has no owner reference, or one that the garbage collector cannot follow: a namespaced owner of an \
                object in another namespace or of a cluster-scoped one.",
        fix: "Set the owner reference, which `ctx.apply` does. Delete other objects in the finalizer.",
        reported_by: ReportedBy::Both,
    },
    BugClass {
        name: "stuck-deletion",
        symptom: "the object cannot be deleted",
        harm: None,
        cause: "The finalizer stays: its cleanup fails if a part of its work is already done, needs an object that is gone, or waits for \
                one that no client deletes. Or the reconcile returns before the cleanup, for example at an invalid spec.",
        fix: "Accept in the cleanup that an object does not exist. Check for the deletion first, before the spec is read.",
        reported_by: ReportedBy::Both,
    },
    BugClass {
        name: "created-twice",
        symptom: "more objects were created than necessary",
        harm: Some(
            "The extra object works until it is deleted: two Pods may use the same data, and a claim costs money.",
        ),
        cause: "The name is generated, and the operator did not see its own object: the cache was stale, or the response of \
                the first request was lost.",
        fix: "Derive the name from the owner, so that a second request meets the first object. If the name must be random, \
               store it before the object is created.",
        reported_by: ReportedBy::Both,
    },
    BugClass {
        name: "deleted-twice",
        symptom: "more objects were deleted than necessary",
        harm: Some(
            "An object that was needed was deleted and created again: what it served was interrupted, and what it \
             stored is lost, as with a claim.",
        ),
        cause: "The operator chose from a stale cache which object to delete: it did not see its first deletion, and deleted a second \
                object, or a new one of the same name.",
        fix: "Count an object that is being deleted as gone, and delete with the UID of the observed object as a precondition.",
        reported_by: ReportedBy::Torture,
    },
    BugClass {
        name: "hot-loop",
        symptom: "the operator writes again and again, and never settles",
        harm: Some("Each write costs the API server and every client that watches the object."),
        cause: "A reconcile writes a value that changes each time, such as the time or the order of a map, or one that the \
                API server or another controller sets back; its own write starts the next reconcile.",
        fix: "Write only what the spec and the observed state determine. Leave fields that others own unset. Set a time \
               only when the condition changes. The page of `rustop dev` shows the fields that change.",
        reported_by: ReportedBy::Both,
    },
    BugClass {
        name: "panic",
        symptom: "the operator panicked",
        harm: None,
        cause: "`unwrap`, `expect`, an index or arithmetic met a value that the schema allows, or an object that another \
                client changed.",
        fix: "Return an error, and restrict the field in the CRD if the value is never valid.",
        reported_by: ReportedBy::Both,
    },
    BugClass {
        name: "exit",
        symptom: "the operator exited",
        harm: None,
        cause: "The process ended without a panic: an error reached `main`, or a watch that ended was taken for the end of the program.",
        fix: "Retry requests that fail. Exit only if the leader lease is lost.",
        reported_by: ReportedBy::Both,
    },
    BugClass {
        name: "forbidden",
        symptom: "the role of the operator lacks a permission",
        harm: None,
        cause: "The code sends a request that no RBAC marker allows.",
        fix: "Add the marker in the finding above the controller, and run `rustop manifests`.",
        reported_by: ReportedBy::Both,
    },
    BugClass {
        name: "silent-refusal",
        symptom: "the API server rejected a write of the operator, and the status does not report it",
        harm: Some(
            "The user sees an object that looks right, and has to read the operator's log to learn that nothing \
             happened.",
        ),
        cause: "The spec leads to a child that the API server does not accept, and the operator only logs the error.",
        fix: "Return the error, which the runtime writes to the condition `Ready`. Reject the spec in the CRD, if a limit or a CEL rule can \
               express the condition.",
        reported_by: ReportedBy::Torture,
    },
    BugClass {
        name: "webhook-failed",
        symptom: "a webhook fails instead of allowing or denying a request",
        harm: None,
        cause: "The webhook panicked or did not answer in time. With `failurePolicy: Fail`, users can no longer write the kind.",
        fix: "Deny with a message what the webhook cannot handle, and request nothing slow in it.",
        reported_by: ReportedBy::Torture,
    },
    BugClass {
        name: "adopted",
        symptom: "the operator took over an object of another owner",
        harm: Some(
            "Names and labels do not say whose an object is: it may belong to a user or to another controller, \
             who loses its data or writes it back.",
        ),
        cause: "An object of another owner has the name or the labels of a child, and the operator writes or deletes it without looking at \
                its owner.",
        fix: "Check the controller reference before a write, which `ctx.apply` does: it returns `NotOwned`. List \
               children by owner, not only by label.",
        reported_by: ReportedBy::Both,
    },
    BugClass {
        name: "work-on-deleted",
        symptom: "the operator creates a child for an object that is being deleted",
        harm: Some(
            "The garbage collector or the finalizer may have passed already, so that the child stays for ever.",
        ),
        cause: "The reconcile does not check the deletion timestamp, so a child may appear after the cleanup, or block the \
                deletion in the foreground.",
        fix: "Return before children are applied if the object has a deletion timestamp.",
        reported_by: ReportedBy::Torture,
    },
    BugClass {
        name: "foreign-finalizer",
        symptom: "the operator removed another client's finalizer",
        harm: Some(
            "Another controller has to clean up before the object is gone, and cannot do so now.",
        ),
        cause: "The operator wrote the whole list of finalizers, from an old copy of the object.",
        fix: "Remove only your finalizer, with a patch that tests the list or has the resource version. The runtime's finalizers do.",
        reported_by: ReportedBy::Torture,
    },
    BugClass {
        name: "field-without-effect",
        symptom: "a field of the spec has no effect",
        harm: None,
        cause: "No code reads the field, or its value is lost on the way to the child.",
        fix: "Use the field or remove it. If it has an effect that Kubernetes does not show, for example in an external system, \
               the finding does not apply.",
        reported_by: ReportedBy::Torture,
    },
    BugClass {
        name: "always",
        symptom: "a check of the test that must always hold was violated",
        harm: None,
        cause: "A write left a state that the check of `Simulation::always` forbids, also if a later write corrects it.",
        fix: "Order the writes so that each state between them is valid. The timeline ends at the write.",
        reported_by: ReportedBy::Simulate,
    },
    BugClass {
        name: "eventually",
        symptom: "a check of the test did not hold after the cluster had settled",
        harm: None,
        cause: "The operator settled in a state that the check of `Simulation::eventually` does not accept.",
        fix: "Look in the timeline for the last reconcile before the end, and for the event that it did not see.",
        reported_by: ReportedBy::Simulate,
    },
    BugClass {
        name: "two-leaders",
        symptom: "a replica wrote while another one held the lease",
        harm: None,
        cause: "Code outside of the runtime's client writes: a client of its own, or a task that outlives its reconcile.",
        fix: "Write in reconciles and with `ctx`: the runtime stops the requests of its client when the lease is lost.",
        reported_by: ReportedBy::Simulate,
    },
    BugClass {
        name: "observed-generation",
        symptom: "the status has an outdated `observedGeneration` after the cluster has settled",
        harm: None,
        cause: "The status was written only when something else in it had changed, or with the generation of an older copy of the object.",
        fix: "Set `observedGeneration` from the reconciled object in each status, and write the status with `ctx.set_status`.",
        reported_by: ReportedBy::Simulate,
    },
    BugClass {
        name: "slow-retry",
        symptom: "the delays before retries do not start again after a success",
        harm: None,
        cause: "The operator computes a growing delay itself, and does not reset it after a success.",
        fix: "Return the error and leave the delay to the runtime, or reset your own delay after a success.",
        reported_by: ReportedBy::Simulate,
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::lints;

    #[test]
    fn classes_are_explained_and_differ_from_rules() {
        for (index, class) in ALL.iter().enumerate() {
            let BugClass { name, symptom, .. } = class;
            assert!(!symptom.is_empty() && !symptom.ends_with('.'), "{name}");
            assert!(class.cause.ends_with('.') && class.fix.ends_with('.'));
            let others = ALL[..index].iter().map(|class| class.name);
            let mut others = others.chain(lints::all().map(|lint| lint.id));
            assert!(others.all(|other| other != *name), "{name}");
        }
    }
}
