//! The life of the multi-secret operator.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::operator::Operator;
use crate::stage::{SOON, Stage, condition, is_ready, message};
use crate::support::until;

const MULTIS: &str = "/apis/multi.ddnw.ml/v1alpha1/namespaces/multi-secret/multisecrets";
const NAMESPACES: &str = "/api/v1/namespaces";
/// The number of namespaces of a large cluster.
const MANY: usize = 500;

#[test]
fn lives() {
    let stage = Stage::new();
    let mut operator = Operator::install(&stage, "multi-secret");
    stage.namespace("multi-secret");
    operator.start();
    puts_a_secret_where_it_is_wanted(&stage, &operator);
    follows_what_is_asked_for(&stage);
    restores_what_others_break(&stage);
    leaves_alone_what_belongs_to_others(&stage, &operator);
    leaves_namespaces_that_are_going(&stage, &operator);
    does_nothing_when_nothing_changed(&stage, &mut operator);
    fills_many_namespaces(&stage, &operator);
    takes_all_with_it(&stage, &mut operator);
    operator.stop();
    operator.assert_its_role_fits(&stage);
}

fn multi(name: &str) -> String {
    format!("{MULTIS}/{name}")
}

fn secret(namespace: &str, name: &str) -> String {
    format!("{NAMESPACES}/{namespace}/secrets/{name}")
}

fn namespace(stage: &Stage, name: &str, group: &str) {
    let labels = json!({"multi.ddnw.ml/sample": "yes", "group": group});
    let namespace = json!({"metadata": {"name": name, "labels": labels}});
    stage.create(NAMESPACES, &namespace);
}

fn counts(wanted: usize, created: usize) -> impl Fn(&Value) -> bool {
    move |multi| {
        let status = &multi["status"];
        status["wanted"] == wanted && status["created"] == created
    }
}

fn puts_a_secret_where_it_is_wanted(stage: &Stage, operator: &Operator) {
    namespace(stage, "ms-a", "first");
    let sample = operator.dir.join("config/samples");
    stage.kubectl_ok(&format!("apply -n multi-secret -k {}", sample.display()));
    let path = multi("multisecret-sample");
    stage.wait("one", &path, |multi| counts(1, 1)(multi) && is_ready(multi));
    // A new namespace has it at once.
    namespace(stage, "ms-b", "first");
    let two = stage.wait("two", &path, |multi| counts(2, 2)(multi) && is_ready(multi));
    let made = stage.get(&secret("ms-b", "multisecret-sample"));
    assert_eq!(
        made["data"],
        json!({"user": "bW9v", "password": "Z3Jhc3M="})
    );
    assert_eq!(made["type"], "Opaque");
    assert!(made["metadata"]["ownerReferences"].is_null());
    assert!(two["status"]["changeTime"].is_string());
    assert!(
        stage
            .get(&secret("multi-secret", "multisecret-sample"))
            .is_null()
    );
    until("it is told", SOON, || {
        !stage
            .events("multi-secret", "multisecret-sample", "Created")
            .is_empty()
    });
    let columns = stage.kubectl_ok("get multisecrets -n multi-secret");
    assert!(columns.contains("WANTED   CREATED   CHANGED"), "{columns}");
}

fn follows_what_is_asked_for(stage: &Stage) {
    let (path, child) = (
        multi("multisecret-sample"),
        secret("ms-a", "multisecret-sample"),
    );
    // Values are in base64 or text; a removed key is removed from the Secrets.
    let spec = json!({"data": {"user": "b3g="}, "stringData": {"user": null, "pin": "1"}});
    stage.patch(&path, &json!({"spec": spec}));
    let wanted = json!({"user": "b3g=", "password": "Z3Jhc3M=", "pin": "MQ=="});
    stage.wait("as asked for", &child, |child| child["data"] == wanted);
    stage.patch(&path, &json!({"spec": {"stringData": {"pin": null}}}));
    let wanted = json!({"user": "b3g=", "password": "Z3Jhc3M="});
    stage.wait("dropped", &child, |child| child["data"] == wanted);

    let other = json!({"spec": {"type": "example.com/other"}});
    let refused = stage.ask("PATCH", &path, Some(&other)).unwrap_err();
    assert!(refused.contains("make another MultiSecret"), "{refused}");

    // A namespace that is no longer selected loses its Secret, and gets it back when it is selected
    // again.
    let label = |value| json!({"metadata": {"labels": {"multi.ddnw.ml/sample": value}}});
    stage.patch(&format!("{NAMESPACES}/ms-a"), &label("no"));
    stage.gone(&child);
    stage.wait("one", &path, counts(1, 1));
    stage.patch(&format!("{NAMESPACES}/ms-a"), &label("yes"));
    stage.wait("two", &path, counts(2, 2));
    assert!(!stage.get(&child).is_null());
}

fn restores_what_others_break(stage: &Stage) {
    let child = secret("ms-a", "multisecret-sample");
    let before = stage.get(&child);
    stage.delete(&child);
    stage.wait("restored", &child, |child| {
        child["data"] == before["data"] && child["metadata"]["uid"] != before["metadata"]["uid"]
    });
    stage.patch(&child, &json!({"data": {"user": "eHh4", "own": "eA=="}}));
    let restored = stage.wait("restored", &child, |child| child["data"]["user"] == "b3g=");
    assert_eq!(restored["data"]["own"], "eA==", "what is not ours stays");
    stage.patch(&child, &json!({"data": {"own": null}}));
}

/// Another user's Secret of the same name is not changed, and a condition reports it.
fn leaves_alone_what_belongs_to_others(stage: &Stage, operator: &Operator) {
    let spec = json!({
        "stringData": {"key": "ours"},
        "namespaceSelector": {"matchLabels": {"group": "first"}},
    });
    let theirs = json!({"metadata": {"name": "shared"}, "data": {"key": "dGhlaXJz"}});
    let place = format!("{NAMESPACES}/ms-a/secrets");
    let before = stage.create(&place, &theirs);
    let object = json!({
        "apiVersion": "multi.ddnw.ml/v1alpha1", "kind": "MultiSecret",
        "metadata": {"name": "shared"}, "spec": spec,
    });
    stage.create(MULTIS, &object);
    let told = stage.wait("told", &multi("shared"), |multi| {
        condition(multi, "Ready", "False") && counts(2, 1)(multi)
    });
    let text = message(&told, "Ready");
    assert!(
        text.contains("ms-a") && text.contains("someone else"),
        "{text}"
    );
    assert_eq!(stage.get(&secret("ms-a", "shared")), before);
    let writes = stage.writes(&operator.user()).into_iter();
    let mut there = writes.filter(|write| write.namespace == "ms-a" && write.name == "shared");
    assert!(there.next().is_none());

    // When the other user deletes the Secret, the operator creates its own at once.
    stage.delete(&secret("ms-a", "shared"));
    stage.wait("ready", &multi("shared"), |multi| {
        is_ready(multi) && counts(2, 2)(multi)
    });
    // And again: a race that they win over and over, in which not one of theirs is touched.
    for n in 0..50 {
        let mine =
            json!({"metadata": {"name": "shared"}, "data": {"key": "dGhlaXJz", "n": "MQ=="}});
        stage.delete(&secret("ms-b", "shared"));
        let made = stage.ask("POST", &format!("{NAMESPACES}/ms-b/secrets"), Some(&mine));
        if let Ok(made) = made {
            let told = |multi: &Value| message(multi, "Ready").contains("ms-b");
            stage.wait("told", &multi("shared"), told);
            assert_eq!(stage.get(&secret("ms-b", "shared")), made, "round {n}");
            stage.delete(&secret("ms-b", "shared"));
        }
        stage.wait("ours again", &multi("shared"), is_ready);
    }
    stage.delete(&multi("shared"));
    stage.gone(&multi("shared"));
    assert!(stage.get(&secret("ms-b", "shared")).is_null());
}

/// A namespace that is terminating takes its time; nothing can be created in it, and nothing is tried.
fn leaves_namespaces_that_are_going(stage: &Stage, operator: &Operator) {
    namespace(stage, "ms-c", "second");
    let path = multi("multisecret-sample");
    stage.wait("three", &path, counts(3, 3));
    let held = json!({"metadata": {"name": "held", "finalizers": ["test.example.com/hold"]}});
    let maps = format!("{NAMESPACES}/ms-c/configmaps");
    stage.create(&maps, &held);
    let before = written_to(stage, operator, "ms-c");
    stage.delete(&format!("{NAMESPACES}/ms-c"));
    stage.wait("two", &path, |multi| counts(2, 2)(multi) && is_ready(multi));
    stage.gone(&secret("ms-c", "multisecret-sample"));
    let going = stage.get(&format!("{NAMESPACES}/ms-c"));
    assert_eq!(going["status"]["phase"], "Terminating");
    let since = &stage.writes(&operator.user());
    let tried = since
        .iter()
        .filter(|write| write.namespace == "ms-c")
        .skip(before);
    assert!(tried.into_iter().all(|write| write.verb == "delete"));
    let free = json!({"metadata": {"finalizers": null}});
    stage.patch(&format!("{maps}/held"), &free);
    stage.gone(&format!("{NAMESPACES}/ms-c"));
    assert!(is_ready(&stage.get(&path)));
}

fn written_to(stage: &Stage, operator: &Operator, namespace: &str) -> usize {
    let writes = stage.writes(&operator.user()).into_iter();
    writes.filter(|write| write.namespace == namespace).count()
}

fn does_nothing_when_nothing_changed(stage: &Stage, operator: &mut Operator) {
    let writes = stage.writes(&operator.user()).len();
    operator.stop();
    operator.start();
    until("it has looked", SOON, || {
        operator.reconciled("multisecret") >= 1.0
    });
    assert_eq!(stage.writes(&operator.user()).len(), writes);
}

fn fills_many_namespaces(stage: &Stage, operator: &Operator) {
    for n in 0..MANY {
        namespace(stage, &format!("many-{n}"), "many");
    }
    let object = json!({
        "apiVersion": "multi.ddnw.ml/v1alpha1", "kind": "MultiSecret", "metadata": {"name": "many"},
        "spec": {
            "stringData": {"key": "value"},
            "namespaceSelector": {"matchLabels": {"group": "many"}},
        },
    });
    let start = Instant::now();
    stage.create(MULTIS, &object);
    stage.wait("all", &multi("many"), |multi| {
        is_ready(multi) && counts(MANY, MANY)(multi)
    });
    let took = start.elapsed();
    eprintln!("a Secret in each of {MANY} namespaces: {took:?}");
    assert!(took < Duration::from_secs(30), "{took:?}");
    let writes = stage.writes(&operator.user()).into_iter();
    let secrets = writes.filter(|write| write.resource == "secrets" && write.name == "many");
    assert_eq!(secrets.count(), MANY, "one request each");
}

/// The children are deleted before the parent. An operator that was killed in between continues
/// after its restart, and so does its next version.
fn takes_all_with_it(stage: &Stage, operator: &mut Operator) {
    let left = || {
        let named = "/api/v1/secrets?fieldSelector=metadata.name%3Dmany";
        stage.list(named).len()
    };
    assert_eq!(left(), MANY);
    stage.delete(&multi("many"));
    until("some are gone", SOON, || left() < MANY - 20);
    operator.crash();
    assert!(left() > 0, "it was too fast to be stopped on the way");
    assert!(!stage.get(&multi("many")).is_null(), "the parent goes last");

    operator.upgrade();
    operator.start();
    stage.gone(&multi("many"));
    assert_eq!(left(), 0);
    stage.delete(&multi("multisecret-sample"));
    stage.gone(&multi("multisecret-sample"));
    for namespace in ["ms-a", "ms-b"] {
        assert!(
            stage
                .get(&secret(namespace, "multisecret-sample"))
                .is_null()
        );
    }
    until("it is told", SOON, || {
        let told = stage.events("multi-secret", "multisecret-sample", "Deleted");
        told.iter().any(|note| note.contains("These Secrets in"))
    });
}
