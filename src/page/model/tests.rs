//! Common faults, as watches, logs and permission reports show them, and how the page explains them.

use serde_json::{Value, json};

use super::{Model, Touched};
use crate::page::call::Call;
use crate::page::line::Line;
use crate::page::news::{About, Forbidden, Kind, News, Permissions, Process, What};

const SECOND: u64 = 1_000_000;

/// A model that receives one update per millisecond.
struct Told {
    model: Model,
    at: u64,
}

impl Told {
    fn new() -> Self {
        let mut told = Self {
            model: Model::default(),
            at: SECOND,
        };
        let kind = Kind {
            group: "my.domain".into(),
            kind: "Lolcow".into(),
            plural: "lolcows".into(),
            controller: Some("lolcow".into()),
        };
        told.tell(What::About(About {
            project: "cow".into(),
            kinds: vec![kind],
            ..About::default()
        }));
        told
    }

    fn tell(&mut self, what: What) -> Vec<Touched> {
        self.at += 1000;
        self.model.apply(News { at: self.at, what })
    }

    fn object(&mut self, plural: &str, object: Value) {
        self.change("MODIFIED", plural, object);
    }

    fn change(&mut self, change: &str, plural: &str, object: Value) {
        self.tell(What::Object {
            change: change.into(),
            plural: plural.into(),
            object,
        });
    }

    /// Adds a state of the lolcow with this status of its condition Ready.
    fn lolcow(&mut self, status: &str) {
        self.object(
            "lolcows",
            json!({"apiVersion": "my.domain/v1", "kind": "Lolcow",
            "metadata": {"name": "a", "namespace": "ns", "uid": "cow", "resourceVersion": self.at.to_string()},
            "status": {"conditions": [{"type": "Ready", "status": status, "reason": "Starting", "message": "wait"}]}}),
        );
    }

    /// Adds a log line about a reconcile of the lolcow.
    fn line(&mut self, id: &str, message: &str, fields: &Value) {
        let span = json!({"controller": "lolcow", "object": "ns/a", "reconcile_id": id, "cause": "start", "name": "reconcile"});
        self.tell(What::Line(Line {
            level: "WARN".into(),
            message: message.into(),
            fields: fields.as_object().unwrap().clone(),
            span: span.as_object().unwrap().clone(),
            ..Line::default()
        }));
    }

    fn fail(&mut self, error: &str) {
        self.line("1", "reconciling", &json!({}));
        let more = json!({"failures": 3, "retry_in": "1.5s", "reason": "x"});
        self.line("1", &format!("reconcile failed: {error}"), &more);
    }

    fn message(&self, uid: &str) -> Value {
        let message = self.model.message(&Touched::Object(uid.into()));
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
fn a_missing_permission_is_named_with_its_marker() {
    let mut told = Told::new();
    told.lolcow("False");
    told.fail(
        "deployments.apps \"a\" is forbidden: User \"u\" cannot patch resource \"deployments\"",
    );
    let marker = "// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=patch";
    let touched = told.tell(What::Permissions(Permissions {
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
        touched.contains(&Touched::Object("cow".into())),
        "the page would not be notified"
    );
    let (sort, says, fix) = told.cause();
    assert_eq!(sort, "forbidden");
    assert!(says.contains("3 in a row"), "{says}");
    assert_eq!(fix, format!("src/controllers/lolcow.rs: {marker}"));
}

#[test]
fn a_missing_crd_is_named_until_it_is_there() {
    let mut told = Told::new();
    told.lolcow("Unknown");
    let line = |message: &str| {
        let fields = json!({"controller": "lolcow"});
        What::Line(Line {
            message: message.into(),
            fields: fields.as_object().unwrap().clone(),
            ..Line::default()
        })
    };
    told.tell(line("cannot start yet: pastures.my.domain is not served"));
    let (sort, says, _) = told.cause();
    assert_eq!(sort, "missing");
    assert!(says.contains("pastures.my.domain"), "{says}");
    told.tell(line("the controller can start now"));
    assert_ne!(told.cause().0, "missing");
}

#[test]
fn an_image_that_never_starts_is_found_below() {
    let mut told = Told::new();
    told.lolcow("False");
    // The Pod arrives before its owner.
    let waiting = json!({"status": {"phase": "Pending", "containerStatuses": [{"name": "web",
        "state": {"waiting": {"reason": "ImagePullBackOff", "message": "no such image: cow:9"}}}]}});
    told.object("pods", child("Pod", "pod", "set", &waiting));
    assert!(told.model.message(&Touched::Object("pod".into())).is_none());
    told.object("replicasets", child("ReplicaSet", "set", "cow", &json!({})));
    assert_eq!(told.message("pod")["parent"], "set");
    let (sort, says, _) = told.cause();
    assert_eq!(sort, "child");
    assert!(
        says.contains("ImagePullBackOff") && says.contains("cow:9"),
        "{says}"
    );
    assert_eq!(told.message("cow")["cause"]["to_blame"], "pod");
}

#[test]
fn a_hot_loop_is_said_in_words_and_a_few_reconciles_are_none() {
    let mut told = Told::new();
    told.lolcow("True");
    for number in 0..19 {
        told.line(&number.to_string(), "reconciling", &json!({}));
        told.line(&number.to_string(), "reconciled", &json!({"took": "1ms"}));
    }
    assert_eq!(told.message("cow")["cause"], Value::Null);
    told.line("last", "reconciling", &json!({}));
    let (sort, says, _) = told.cause();
    assert_eq!(sort, "loop");
    assert!(says.contains("20 times within 10 s"), "{says}");
    // The page shows the loop for as long as it lasts.
    for number in 0..1000 {
        told.at += SECOND / 5;
        told.line(&format!("on {number}"), "reconciling", &json!({}));
    }
    assert_eq!(told.cause().0, "loop");
    told.at += 120 * SECOND;
    told.line("later", "reconciling", &json!({}));
    assert_eq!(told.message("cow")["cause"], Value::Null, "that is over");
}

#[test]
fn a_failing_webhook_is_told_from_one_that_refuses() {
    let mut told = Told::new();
    told.lolcow("False");
    told.fail("failed calling webhook \"v.my.domain\": connection refused");
    let (sort, says, fix) = told.cause();
    assert_eq!(sort, "webhook");
    assert!(
        says.contains("v.my.domain") && fix.contains("check the webhook"),
        "{says} {fix}"
    );
    told.fail("admission webhook \"v.my.domain\" denied the request: forbidden colour");
    assert!(told.cause().2.contains("change the object"));
}

#[test]
fn a_finalizer_that_hangs_is_named_and_so_is_why() {
    let mut told = Told::new();
    told.object("lolcows", json!({"apiVersion": "my.domain/v1", "kind": "Lolcow", "metadata": {"name": "a",
        "namespace": "ns", "uid": "cow", "deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["my.domain/barn"]}}));
    let (sort, says, _) = told.cause();
    assert!(
        sort == "deleting" && says.contains("my.domain/barn"),
        "{says}"
    );
    told.fail("the barn does not answer");
    let (sort, says, _) = told.cause();
    assert!(
        sort == "deleting"
            && says.contains("my.domain/barn")
            && says.contains("the barn does not answer"),
        "{says}"
    );
}

#[test]
fn a_reconcile_has_a_duration_an_outcome_and_a_wait() {
    let mut told = Told::new();
    told.lolcow("True");
    told.fail("no");
    let message = told.model.message(&Touched::Reconcile(0)).unwrap();
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
    told.line("2", "reconciling", &json!({}));
    told.tell(What::Process(Process {
        state: "ended".into(),
        ..Process::default()
    }));
    let message = told.model.message(&Touched::Reconcile(1)).unwrap();
    assert_eq!(message["outcome"], "cut off");
    assert_eq!(told.cause().0, "stopped");
}

#[test]
fn two_writers_who_undo_each_other_are_told_and_one_who_swings_is_not() {
    let fight = |managers: [&str; 2]| {
        let mut told = Told::new();
        told.lolcow("True");
        for turn in 0..4 {
            let manager = managers[turn % 2];
            let entry = json!([{"manager": manager, "time": turn}]);
            let mut object = child("ConfigMap", "map", "cow", &json!({"data": {"a": turn % 2}}));
            object["metadata"]["managedFields"] = entry;
            object["metadata"]["resourceVersion"] = json!(turn.to_string());
            told.object("configmaps", object);
        }
        let message = told.model.message(&Touched::Notice(0));
        message.map(|message| {
            message["notice"]["says"]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        })
    };
    let says = fight(["cow/lolcow", "kubectl"]).expect("conflicting writers");
    assert!(
        says.contains("cow/lolcow and kubectl undo each other"),
        "{says}"
    );
    assert_eq!(fight(["cow/lolcow", "cow/lolcow"]), None);
}

#[test]
fn a_slow_and_a_refused_call_are_told_once() {
    let mut told = Told::new();
    let call = |code: u16, took: u64| {
        What::Call(Call {
            verb: "patch".into(),
            resource: "pods".into(),
            code,
            took,
            ..Call::default()
        })
    };
    told.tell(call(200, 1000));
    assert!(told.model.message(&Touched::Notice(0)).is_none());
    for _ in 0..3 {
        told.tell(call(403, 2 * SECOND));
    }
    let sort =
        |number: u64| Some(told.model.message(&Touched::Notice(number))?["notice"]["sort"].clone());
    assert_eq!(
        (sort(0), sort(1), sort(2)),
        (Some(json!("slow")), Some(json!("forbidden")), None)
    );
}

#[test]
fn what_concerns_nobody_is_not_shown_and_what_a_controller_wrote_is() {
    let mut told = Told::new();
    told.object(
        "configmaps",
        child("ConfigMap", "other", "no-owner", &json!({})),
    );
    let mut written = child("ConfigMap", "written", "no-owner", &json!({}));
    written["metadata"]["ownerReferences"] = json!([]);
    written["metadata"]["managedFields"] = json!([{"manager": "cow/lolcow"}]);
    told.object("configmaps", written);
    assert!(
        told.model
            .message(&Touched::Object("other".into()))
            .is_none()
    );
    assert_eq!(told.message("written")["own"], false);
}

#[test]
fn what_is_kept_is_bounded_whatever_comes() {
    let mut told = Told::new();
    let long = "x".repeat(1 << 20);
    for turn in 0..200 {
        told.object("lolcows", json!({"apiVersion": "my.domain/v1", "kind": "Lolcow",
            "metadata": {"name": "a", "uid": format!("cow-{}", turn % 10)}, "spec": {"text": long, "turn": turn}}));
    }
    let kept: usize = (0..10)
        .filter_map(|number| told.model.kept.objects.get(&format!("cow-{number}")))
        .flat_map(|object| object.states.iter())
        .map(|seen| seen.json.len())
        .sum();
    assert!(kept < 70 << 20, "{kept} bytes");
    for number in 0..2000 {
        let object = json!({"apiVersion": "my.domain/v1", "kind": "Lolcow",
            "metadata": {"name": number.to_string(), "uid": number.to_string()}});
        told.change("ADDED", "lolcows", object.clone());
        told.change("DELETED", "lolcows", object);
    }
    assert!(told.model.kept.objects.all().count() < 520);
    for number in 0..6000 {
        told.line(&number.to_string(), "reconciling", &json!({}));
    }
    assert!(told.model.all().len() < 20_000);
}

#[test]
fn nonsense_is_no_panic() {
    let mut told = Told::new();
    for object in [
        json!(null),
        json!([]),
        json!({"metadata": 1}),
        json!({"kind": "Event", "involvedObject": {"uid": 7}}),
        json!({"apiVersion": "my.domain/v1", "kind": "Lolcow", "metadata": {"uid": "cow", "ownerReferences": [{"uid": "cow"}]}, "status": []}),
    ] {
        told.object("lolcows", object);
    }
    assert_eq!(told.message("cow")["kind"], "Lolcow");
    told.line(
        "",
        "reconcile failed: ",
        &json!({"retry_in": "NaN", "failures": "many"}),
    );
    assert!(told.model.all().len() > 3);
}

/// Each object is owned by the next one, which arrives later.
#[test]
fn a_long_chain_of_owners_is_followed_at_once() {
    let mut told = Told::new();
    let begin = std::time::Instant::now();
    let mut tell = |object: Value| {
        told.tell(What::Object {
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
    let touched = tell(root);
    assert_eq!(touched.len(), 4000);
    assert!(
        begin.elapsed() < std::time::Duration::from_secs(10),
        "{:?}",
        begin.elapsed()
    );
}
