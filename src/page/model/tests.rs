//! Common faults, as watches, logs and permission reports show them, and how the page explains
//! them.

use serde_json::{Value, json};

use super::{ChangedPart, Model};
use crate::page::call::Call;
use crate::page::line::LogLine;
use crate::page::update::{
    About, Forbidden, Permissions, Process, ProjectKind, Update, UpdateContent,
};

const SECOND: u64 = 1_000_000;

/// A model that receives one update per millisecond.
struct Observations {
    model: Model,
    at: u64,
}

impl Observations {
    fn new() -> Self {
        let mut observed = Self {
            model: Model::default(),
            at: SECOND,
        };
        let kind = ProjectKind {
            group: "my.domain".into(),
            kind: "Lolcow".into(),
            plural: "lolcows".into(),
            controller: Some("lolcow".into()),
        };
        observed.add(UpdateContent::About(About {
            project: "cow".into(),
            kinds: vec![kind],
            ..About::default()
        }));
        observed
    }

    fn add(&mut self, content: UpdateContent) -> Vec<ChangedPart> {
        self.at += 1000;
        self.model.apply(Update {
            at: self.at,
            content,
        })
    }

    fn object(&mut self, plural: &str, object: Value) -> Vec<ChangedPart> {
        self.change("MODIFIED", plural, object)
    }

    fn change(&mut self, change: &str, plural: &str, object: Value) -> Vec<ChangedPart> {
        self.add(UpdateContent::Object {
            change: change.into(),
            plural: plural.into(),
            object,
        })
    }

    /// Adds a state of the lolcow with this status of its condition Ready.
    fn lolcow(&mut self, status: &str) -> Vec<ChangedPart> {
        self.object(
            "lolcows",
            json!({"apiVersion": "my.domain/v1", "kind": "Lolcow",
            "metadata": {"name": "a", "namespace": "ns", "uid": "cow", "resourceVersion": self.at.to_string()},
            "status": {"conditions": [{"type": "Ready", "status": status, "reason": "Starting", "message": "wait"}]}}),
        )
    }

    /// Adds a log line about a reconcile of the lolcow.
    fn line(&mut self, id: &str, message: &str, fields: &Value) {
        let span = json!({"controller": "lolcow", "object": "ns/a", "reconcile_id": id, "cause": "start", "name": "reconcile"});
        self.add(UpdateContent::Line(LogLine {
            level: "WARN".into(),
            message: message.into(),
            fields: fields.as_object().unwrap().clone(),
            span: span.as_object().unwrap().clone(),
            ..LogLine::default()
        }));
    }

    fn fail(&mut self, error: &str) {
        self.line("1", "reconciling", &json!({}));
        let more = json!({"failures": 3, "retry_in": "1.5s", "reason": "x"});
        self.line("1", &format!("reconcile failed: {error}"), &more);
    }

    fn message(&self, uid: &str) -> Value {
        let message = self.model.message(&ChangedPart::Object(uid.into()));
        message.expect("it is shown")
    }

    /// Returns the sort of the lolcow's cause, the explanation and the fix.
    fn cause(&self) -> (String, String, String) {
        let cause = &self.message("cow")["cause"];
        let word = |name: &str| cause[name].as_str().unwrap_or_default().to_owned();
        (word("sort"), word("says"), word("fix"))
    }
}

fn child(kind: &str, uid: &str, owner: &str, more: &Value) -> Value {
    let mut object = json!({"apiVersion": "v1", "kind": kind, "metadata":
        {"name": uid, "namespace": "ns", "uid": uid, "ownerReferences": [{"uid": owner, "controller": true}]}});
    for (name, value) in more.as_object().unwrap() {
        object[name] = value.clone();
    }
    object
}

#[test]
fn a_postponed_reconcile_ends() {
    for (message, fields, reason) in [
        (
            "reconcile postponed: wait for a Pod",
            json!({}),
            "wait for a Pod",
        ),
        (
            "reconcile failed, but the object was deleted or the operator is stopping",
            json!({"error": "no such host"}),
            "no such host",
        ),
        (
            "write skipped: this replica is no longer the leader",
            json!({}),
            "write skipped: this replica is no longer the leader",
        ),
    ] {
        let mut observed = Observations::new();
        observed.lolcow("False");
        observed.line("1", "reconciling", &json!({}));
        observed.line("1", message, &fields);
        let shown = observed.model.message(&ChangedPart::Reconcile(0)).unwrap();
        assert_eq!(shown["outcome"], "put off", "{message}");
        assert_eq!(shown["error"], reason, "{message}");
        assert!(shown["end"].is_u64(), "{message}");
    }
}

#[test]
fn a_missing_permission_is_named_with_its_marker() {
    let mut observed = Observations::new();
    observed.lolcow("False");
    observed.fail(
        "deployments.apps \"a\" is forbidden: User \"u\" cannot patch resource \"deployments\"",
    );
    let marker = "// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=patch";
    let changed = observed.add(UpdateContent::Permissions(Permissions {
        forbidden: vec![Forbidden {
            resource: "deployments.apps".into(),
            verbs: vec!["patch".into()],
            times: 1,
            marker: marker.into(),
            file: "src/controllers/lolcow.rs".into(),
        }],
        ..Permissions::default()
    }));
    assert!(
        changed.contains(&ChangedPart::Object("cow".into())),
        "the page would not be notified"
    );
    let (sort, says, fix) = observed.cause();
    assert_eq!(sort, "forbidden");
    assert!(says.contains("3 in a row"), "{says}");
    assert_eq!(fix, format!("src/controllers/lolcow.rs: {marker}"));
}

#[test]
fn a_missing_crd_is_the_cause_until_it_is_installed() {
    let mut observed = Observations::new();
    observed.lolcow("Unknown");
    let line = |message: &str| {
        let fields = json!({"controller": "lolcow"});
        UpdateContent::Line(LogLine {
            message: message.into(),
            fields: fields.as_object().unwrap().clone(),
            ..LogLine::default()
        })
    };
    observed.add(line("cannot start yet: pastures.my.domain is not served"));
    let (sort, says, _) = observed.cause();
    assert_eq!(sort, "missing");
    assert!(says.contains("pastures.my.domain"), "{says}");
    observed.add(line("the controller can start now"));
    assert_ne!(observed.cause().0, "missing");
}

#[test]
fn an_image_that_never_starts_is_found_below() {
    let mut observed = Observations::new();
    observed.lolcow("False");
    // The Pod arrives before its owner.
    let waiting = json!({"status": {"phase": "Pending", "containerStatuses": [{"name": "web",
        "state": {"waiting": {"reason": "ImagePullBackOff", "message": "no such image: cow:9"}}}]}});
    observed.object("pods", child("Pod", "pod", "set", &waiting));
    assert!(
        observed
            .model
            .message(&ChangedPart::Object("pod".into()))
            .is_none()
    );
    observed.object("replicasets", child("ReplicaSet", "set", "cow", &json!({})));
    assert_eq!(observed.message("pod")["parent"], "set");
    let (sort, says, _) = observed.cause();
    assert_eq!(sort, "child");
    assert!(
        says.contains("ImagePullBackOff") && says.contains("cow:9"),
        "{says}"
    );
    assert_eq!(observed.message("cow")["cause"]["to_blame"], "pod");
}

#[test]
fn a_hot_loop_is_reported_but_not_a_few_reconciles() {
    let mut observed = Observations::new();
    observed.lolcow("True");
    for number in 0..19 {
        observed.line(&number.to_string(), "reconciling", &json!({}));
        observed.line(&number.to_string(), "reconciled", &json!({"took": "1ms"}));
    }
    assert_eq!(observed.message("cow")["cause"], Value::Null);
    observed.line("last", "reconciling", &json!({}));
    let (sort, says, _) = observed.cause();
    assert_eq!(sort, "loop");
    assert!(says.contains("20 times within 10 s"), "{says}");
    // The page shows the loop for as long as it lasts.
    for number in 0..1000 {
        observed.at += SECOND / 5;
        observed.line(&format!("on {number}"), "reconciling", &json!({}));
    }
    assert_eq!(observed.cause().0, "loop");
    observed.at += 120 * SECOND;
    observed.line("later", "reconciling", &json!({}));
    assert_eq!(
        observed.message("cow")["cause"],
        Value::Null,
        "that is over"
    );
}

#[test]
fn failing_and_rejecting_webhooks_have_different_fixes() {
    let mut observed = Observations::new();
    observed.lolcow("False");
    observed.fail("failed calling webhook \"v.my.domain\": connection refused");
    let (sort, says, fix) = observed.cause();
    assert_eq!(sort, "webhook");
    assert!(
        says.contains("v.my.domain") && fix.contains("check the webhook"),
        "{says} {fix}"
    );
    observed.fail("admission webhook \"v.my.domain\" denied the request: forbidden colour");
    assert!(observed.cause().2.contains("change the object"));
}

#[test]
fn a_blocked_deletion_shows_its_finalizer_and_cause() {
    let mut observed = Observations::new();
    observed.object("lolcows", json!({"apiVersion": "my.domain/v1", "kind": "Lolcow", "metadata": {"name": "a",
        "namespace": "ns", "uid": "cow", "deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["my.domain/barn"]}}));
    let (sort, says, _) = observed.cause();
    assert!(
        sort == "deleting" && says.contains("my.domain/barn"),
        "{says}"
    );
    observed.fail("the barn does not answer");
    let (sort, says, _) = observed.cause();
    assert!(
        sort == "deleting"
            && says.contains("my.domain/barn")
            && says.contains("the barn does not answer"),
        "{says}"
    );
}

#[test]
fn a_reconcile_has_a_duration_an_outcome_and_a_wait() {
    let mut observed = Observations::new();
    observed.lolcow("True");
    observed.fail("no");
    let message = observed.model.message(&ChangedPart::Reconcile(0)).unwrap();
    let number = |name: &str| message[name].as_u64().unwrap();
    assert_eq!(number("end") - number("start"), 1000);
    assert_eq!(number("retry") - number("end"), 1_500_000);
    assert_eq!(
        (
            message["outcome"].as_str(),
            message["uid"].as_str(),
            message["kind"].as_str()
        ),
        (Some("failed"), Some("cow"), Some("Lolcow"))
    );
    observed.line("2", "reconciling", &json!({}));
    for state in ["building", "failed"] {
        observed.add(UpdateContent::Process(Process {
            state: state.into(),
            ..Process::default()
        }));
    }
    let message = observed.model.message(&ChangedPart::Reconcile(1)).unwrap();
    assert_eq!(message["outcome"], "running", "the old operator still runs");
    observed.add(UpdateContent::Process(Process {
        state: "ended".into(),
        ..Process::default()
    }));
    let message = observed.model.message(&ChangedPart::Reconcile(1)).unwrap();
    assert_eq!(message["outcome"], "cut off");
    assert_eq!(observed.cause().0, "stopped");
}

#[test]
fn conflicting_writers_are_reported_but_not_a_single_one() {
    let conflict = |managers: [&str; 2]| {
        let mut observed = Observations::new();
        observed.lolcow("True");
        for round in 0..4 {
            let manager = managers[round % 2];
            let entry = json!([{"manager": manager, "time": round}]);
            let mut object = child(
                "ConfigMap",
                "map",
                "cow",
                &json!({"data": {"a": round % 2}}),
            );
            object["metadata"]["managedFields"] = entry;
            object["metadata"]["resourceVersion"] = json!(round.to_string());
            observed.object("configmaps", object);
        }
        let message = observed.model.message(&ChangedPart::Notice(0));
        message.map(|message| {
            message["notice"]["says"]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        })
    };
    let says = conflict(["cow/lolcow", "kubectl"]).expect("conflicting writers");
    assert!(
        says.contains("cow/lolcow and kubectl overwrite each other"),
        "{says}"
    );
    assert_eq!(conflict(["cow/lolcow", "cow/lolcow"]), None);
}

#[test]
fn slow_and_forbidden_requests_are_reported_once() {
    let mut observed = Observations::new();
    let call = |code: u16, took: u64| {
        UpdateContent::Call(Call {
            verb: "patch".into(),
            resource: "pods".into(),
            code,
            took,
            ..Call::default()
        })
    };
    observed.add(call(200, 1000));
    assert!(observed.model.message(&ChangedPart::Notice(0)).is_none());
    for _ in 0..3 {
        observed.add(call(403, 2 * SECOND));
    }
    let sort = |number: u64| {
        Some(observed.model.message(&ChangedPart::Notice(number))?["notice"]["sort"].clone())
    };
    assert_eq!(
        (sort(0), sort(1), sort(2)),
        (Some(json!("slow")), Some(json!("forbidden")), None)
    );
}

#[test]
fn reports_that_arrive_before_their_object_are_assigned_to_it() {
    let mut observed = Observations::new();
    let status = |code: u16| {
        UpdateContent::Call(Call {
            verb: "patch".into(),
            group: "my.domain".into(),
            resource: "lolcows/status".into(),
            namespace: "ns".into(),
            name: "a".into(),
            code,
            ..Call::default()
        })
    };
    observed.add(status(404));
    observed.add(status(200));
    observed.line("1", "reconciling", &json!({}));
    let uid = |observed: &Observations, changed: &ChangedPart| {
        observed.model.message(changed).expect("it is kept")["uid"].clone()
    };
    let early = [ChangedPart::Call(1), ChangedPart::Reconcile(0)];
    assert_eq!(
        early.each_ref().map(|one| uid(&observed, one)),
        [json!(null), json!(null)]
    );

    let changed = observed.lolcow("True");
    for one in &early {
        assert!(changed.contains(one), "open pages do not receive {one:?}");
        assert_eq!(uid(&observed, one), json!("cow"));
    }
    // A write that failed before the object existed is not about it.
    assert_eq!(uid(&observed, &ChangedPart::Call(0)), json!(null));
    assert_eq!(
        observed.lolcow("False"),
        [ChangedPart::Object("cow".into())]
    );
}

#[test]
fn only_own_objects_and_those_written_by_controllers_are_shown() {
    let mut observed = Observations::new();
    observed.object(
        "configmaps",
        child("ConfigMap", "other", "no-owner", &json!({})),
    );
    let mut written = child("ConfigMap", "written", "no-owner", &json!({}));
    written["metadata"]["ownerReferences"] = json!([]);
    written["metadata"]["managedFields"] = json!([{"manager": "cow/lolcow"}]);
    observed.object("configmaps", written);
    assert!(
        observed
            .model
            .message(&ChangedPart::Object("other".into()))
            .is_none()
    );
    assert_eq!(observed.message("written")["own"], false);
}

#[test]
fn the_states_of_a_large_object_are_compared() {
    let mut observed = Observations::new();
    let long = "x".repeat(1 << 20);
    for round in 0..2 {
        observed.object(
            "lolcows",
            json!({"apiVersion": "my.domain/v1", "kind": "Lolcow",
            "metadata": {"name": "a", "uid": "cow"}, "spec": {"text": long, "round": round}}),
        );
    }
    let difference = observed.model.difference("cow", 0, 1).unwrap();
    let lines = difference["diff"].as_str().unwrap().lines().skip(2);
    let changed: Vec<_> = lines.filter(|line| line.starts_with(['-', '+'])).collect();
    assert_eq!(changed, ["-  round: 0", "+  round: 1"]);
}

#[test]
fn the_stored_data_is_bounded() {
    let mut observed = Observations::new();
    let long = "x".repeat(1 << 20);
    for round in 0..200 {
        observed.object("lolcows", json!({"apiVersion": "my.domain/v1", "kind": "Lolcow",
            "metadata": {"name": "a", "uid": format!("cow-{}", round % 10)}, "spec": {"text": long, "round": round}}));
    }
    let kept: usize = (0..10)
        .filter_map(|number| observed.model.store.objects.get(&format!("cow-{number}")))
        .flat_map(|object| object.states.iter())
        .map(|state| state.json.len())
        .sum();
    assert!(kept < 70 << 20, "{kept} bytes");
    for number in 0..2000 {
        let object = json!({"apiVersion": "my.domain/v1", "kind": "Lolcow",
            "metadata": {"name": number.to_string(), "uid": number.to_string()}});
        observed.change("ADDED", "lolcows", object.clone());
        observed.change("DELETED", "lolcows", object);
    }
    assert!(observed.model.store.objects.all().count() < 520);
    for number in 0..6000 {
        observed.line(&number.to_string(), "reconciling", &json!({}));
    }
    assert!(observed.model.all().len() < 20_000);
}

#[test]
fn invalid_input_does_not_panic() {
    let mut observed = Observations::new();
    for object in [
        json!(null),
        json!([]),
        json!({"metadata": 1}),
        json!({"kind": "Event", "involvedObject": {"uid": 7}}),
        json!({"apiVersion": "my.domain/v1", "kind": "Lolcow", "metadata": {"uid": "cow", "ownerReferences": [{"uid": "cow"}]}, "status": []}),
    ] {
        observed.object("lolcows", object);
    }
    assert_eq!(observed.message("cow")["kind"], "Lolcow");
    observed.line(
        "",
        "reconcile failed: ",
        &json!({"retry_in": "NaN", "failures": "many"}),
    );
    assert!(observed.model.all().len() > 3);
}

/// Each object is owned by the next one, which arrives later.
#[test]
fn a_long_chain_of_owners_is_followed_at_once() {
    let mut observed = Observations::new();
    let begin = std::time::Instant::now();
    let mut tell = |object: Value| {
        observed.add(UpdateContent::Object {
            change: "ADDED".into(),
            plural: "configmaps".into(),
            object,
        })
    };
    for n in (1..4000).rev() {
        let owner = format!("u{}", n - 1);
        tell(child("ConfigMap", &format!("u{n}"), &owner, &json!({})));
    }
    let root = json!({"apiVersion": "my.domain/v1", "kind": "Lolcow", "metadata": {"name": "a", "uid": "u0"}});
    let changed = tell(root);
    assert_eq!(changed.len(), 4000);
    assert!(
        begin.elapsed() < std::time::Duration::from_secs(10),
        "{:?}",
        begin.elapsed()
    );
}

#[test]
fn the_command_of_an_object_quotes_its_names() {
    let mut observed = Observations::new();
    let metadata = json!({"name": "a;id", "namespace": "$(id)", "uid": "cow"});
    observed.object(
        "lolcows",
        json!({"apiVersion": "my.domain/v1", "kind": "Lolcow", "metadata": metadata}),
    );
    let detail = observed.model.detail("cow").unwrap();
    assert_eq!(
        detail["kubectl"],
        " get lolcows.v1.my.domain 'a;id' --namespace '$(id)' --output yaml"
    );
}
