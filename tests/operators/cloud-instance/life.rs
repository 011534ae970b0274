//! The life of the cloud-instance operator.

use std::thread::sleep;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::cloud::{Cloud, Mood};
use crate::operator::Operator;
use crate::stage::{SOON, Stage, condition, is_ready, message};
use crate::support::until;

const INSTANCES: &str = "/apis/cloud.example.com/v1alpha1/namespaces/cloud-instance/instances";
const WORKSPACES: &str =
    "/apis/cloud.example.com/v1alpha1/namespaces/cloud-instance/instanceworkspaces";

#[test]
fn lives() {
    let stage = Stage::new();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let seed = u64::from(now.subsec_nanos());
    eprintln!("cloud-instance: seed {seed}");
    let cloud = Cloud::open(seed);
    let operator = Operator::install(&stage, "cloud-instance");
    let mut operator = operator.env("CLOUD_URL", cloud.url.clone());
    stage.namespace("cloud-instance");
    operator.start();
    gets_what_is_asked_for(&stage, &operator, &cloud);
    says_what_is_wrong_and_what_to_do(&stage, &cloud);
    writes_down_before_it_asks(&stage, &mut operator, &cloud);
    too_late_is_too_late(&stage, &mut operator, &cloud);
    forgets_no_machine_that_goes(&stage, &mut operator, &cloud);
    keeps_what_it_must_not_forget(&stage, &cloud);
    survives_a_hundred_deaths(&stage, &mut operator, &cloud);
    looks_for_drift(&stage, &mut operator, &cloud);
    owes_nothing_in_the_end(&stage, &cloud);
    operator.stop();
    operator.assert_its_role_fits(&stage);
}

fn path(name: &str) -> String {
    format!("{INSTANCES}/{name}")
}

fn workspace(name: &str) -> String {
    format!("{WORKSPACES}/{name}")
}

fn order(stage: &Stage, name: &str) {
    let instance = json!({
        "apiVersion": "cloud.example.com/v1alpha1", "kind": "Instance",
        "metadata": {"name": name}, "spec": {"size": "small"},
    });
    stage.create(INSTANCES, &instance);
}

/// Waits until an Instance is ready; the machine that it has, which the cloud must know.
fn machine(stage: &Stage, cloud: &Cloud, name: &str) -> String {
    let ready = stage.wait("ready", &path(name), is_ready);
    let machine = ready["status"]["machine"].as_str().unwrap().to_owned();
    assert!(cloud.machines().contains_key(&machine), "{machine}");
    machine
}

/// Deletes an Instance and waits until it and its workspace are gone.
fn gone(stage: &Stage, name: &str) {
    stage.delete(&path(name));
    stage.gone(&path(name));
    stage.gone(&workspace(name));
}

fn gets_what_is_asked_for(stage: &Stage, operator: &Operator, cloud: &Cloud) {
    let huge = json!({
        "apiVersion": "cloud.example.com/v1alpha1", "kind": "Instance",
        "metadata": {"name": "huge"}, "spec": {"size": "huge"},
    });
    let refused = stage.ask("POST", INSTANCES, Some(&huge)).unwrap_err();
    assert!(
        refused.contains("must be small, medium or large"),
        "{refused}"
    );

    let sample = operator.dir.join("config/samples");
    stage.kubectl_ok(&format!("apply -n cloud-instance -k {}", sample.display()));
    let id = machine(stage, cloud, "instance-sample");
    assert_eq!(cloud.machines()[&id], "small");
    let owner = &stage.get(&workspace("instance-sample"))["metadata"]["ownerReferences"][0];
    let instance = stage.get(&path("instance-sample"));
    assert_eq!(owner["uid"], instance["metadata"]["uid"]);
    stage.patch(
        &path("instance-sample"),
        &json!({"spec": {"size": "large"}}),
    );
    until("it is resized", SOON, || cloud.machines()[&id] == "large");

    // An existing token is not replaced by a new one, not even by mistake.
    let token = json!({"spec": {"token": "another"}});
    let refused = stage.ask("PATCH", &workspace("instance-sample"), Some(&token));
    let refused = refused.unwrap_err();
    assert!(refused.contains("nobody finds again"), "{refused}");
}

fn says_what_is_wrong_and_what_to_do(stage: &Stage, cloud: &Cloud) {
    cloud.is(Mood::Broke);
    order(stage, "poor");
    for (n, size) in ["medium", "small"].iter().enumerate() {
        let told = stage.wait("told", &path("poor"), |instance| {
            condition(instance, "Ready", "False")
        });
        assert!(message(&told, "Ready").contains("ask for a larger quota"));
        let asked = cloud.asked();
        until("it has been tried again and again", SOON, || {
            cloud.asked() >= asked + 3
        });
        // Each change of the condition publishes an event, and a repeated failure publishes none.
        until("there is an event", SOON, || {
            told_of(stage, "poor") == n + 1
        });

        cloud.is(Mood::Good);
        let id = machine(stage, cloud, "poor");
        let rich = stage.get(&path("poor"));
        assert_eq!(message(&rich, "Ready"), "the machine is there");
        assert_eq!(rich["status"]["conditions"].as_array().unwrap().len(), 1);
        assert_eq!(told_of(stage, "poor"), n + 1);
        if n == 0 {
            cloud.is(Mood::Broke);
        }
        let size = json!({"spec": {"size": size}});
        stage.patch(&path("poor"), &size);
        until("resized, if there is money", SOON, || {
            n == 0 || cloud.machines()[&id] == "small"
        });
    }
}

/// Returns the number of events about the quota; a repeated event is counted in a series.
fn told_of(stage: &Stage, name: &str) -> usize {
    let path = "/apis/events.k8s.io/v1/namespaces/cloud-instance/events";
    let events = stage.list(path).into_iter().filter(|event| {
        let advice = event["note"].as_str().unwrap_or_default();
        event["regarding"]["name"] == name
            && event["reason"] == "QuotaExceeded"
            && event["type"] == "Warning"
            && advice.contains("ask for a larger quota")
    });
    let times = events.map(|event| event["series"]["count"].as_u64().unwrap_or(1));
    usize::try_from(times.sum::<u64>()).unwrap()
}

/// The operator dies after the machine is paid for and before it knows of it.
fn writes_down_before_it_asks(stage: &Stage, operator: &mut Operator, cloud: &Cloud) {
    cloud.is(Mood::Silent);
    order(stage, "unheard");
    until("it is paid for", SOON, || {
        cloud.bill().contains_key("unheard")
    });
    let before = stage.get(&workspace("unheard"));
    assert!(!before.is_null());
    operator.crash();
    cloud.is(Mood::Good);
    operator.start();
    machine(stage, cloud, "unheard");
    assert_eq!(cloud.bill()["unheard"], 1);
    assert_eq!(stage.get(&workspace("unheard"))["spec"], before["spec"]);
}

/// The operator dies while the cloud takes its time; the Instance is deleted; then the cloud gets to it.
fn too_late_is_too_late(stage: &Stage, operator: &mut Operator, cloud: &Cloud) {
    cloud.is(Mood::Late);
    order(stage, "late");
    until("it is asked for", SOON, || cloud.working() > 0);
    operator.crash();
    cloud.is(Mood::Good);
    stage.delete(&path("late"));
    operator.start();
    stage.gone(&path("late"));
    until("the cloud has got to it", SOON, || cloud.working() == 0);
    assert!(!cloud.bill().contains_key("late"));
}

/// The operator dies after the machine is given back and before it knows that it is.
fn forgets_no_machine_that_goes(stage: &Stage, operator: &mut Operator, cloud: &Cloud) {
    order(stage, "going");
    let id = machine(stage, cloud, "going");
    cloud.is(Mood::Silent);
    stage.delete(&path("going"));
    until("it is given back", SOON, || {
        !cloud.machines().contains_key(&id)
    });
    operator.crash();
    assert!(!stage.get(&path("going")).is_null());
    cloud.is(Mood::Good);
    operator.start();
    stage.gone(&path("going"));
    stage.gone(&workspace("going"));
}

/// However the workspace or the Instance is deleted, the token stays until the machine is given back.
fn keeps_what_it_must_not_forget(stage: &Stage, cloud: &Cloud) {
    order(stage, "kept");
    let id = machine(stage, cloud, "kept");
    stage.delete(&workspace("kept"));
    let still = stage.get(&workspace("kept"));
    assert!(still["metadata"]["deletionTimestamp"].is_string());
    stage.patch(&path("kept"), &json!({"spec": {"size": "medium"}}));
    until("it is resized", SOON, || cloud.machines()[&id] == "medium");
    // Children first: the workspace would go before the machine.
    stage.delete(&format!("{}?propagationPolicy=Foreground", path("kept")));
    stage.gone(&path("kept"));
    stage.gone(&workspace("kept"));
    assert!(!cloud.machines().contains_key(&id));
    assert_eq!(cloud.bill()["kept"], 1);

    // An existing workspace belongs to another user, and so does the machine that it may represent.
    let foreign = json!({
        "apiVersion": "cloud.example.com/v1alpha1", "kind": "InstanceWorkspace",
        "metadata": {"name": "taken"}, "spec": {"token": "theirs"},
    });
    stage.create(WORKSPACES, &foreign);
    order(stage, "taken");
    stage.wait("told", &path("taken"), |instance| {
        message(instance, "Ready").contains("already exists")
    });
    stage.delete(&path("taken"));
    stage.gone(&path("taken"));
    assert_eq!(stage.get(&workspace("taken"))["spec"]["token"], "theirs");
    assert!(!cloud.bill().contains_key("taken"));
}

/// SIGKILL in a loop, with an unreliable cloud: each machine that stays is paid for once, each
/// deleted one at most once.
fn survives_a_hundred_deaths(stage: &Stage, operator: &mut Operator, cloud: &Cloud) {
    let names = |numbers: std::ops::Range<usize>| numbers.map(|n| format!("mortal-{n}"));
    operator.stop();
    cloud.is(Mood::Bad);
    names(0..6).for_each(|name| order(stage, &name));
    for death in 0..20 {
        operator.launch();
        sleep(Duration::from_millis(100 + cloud.random(600)));
        operator.crash();
        if death == 10 {
            names(0..3).for_each(|name| stage.delete(&path(&name)));
        }
    }
    operator.start();
    // The day ends before the operator has tried so often that it waits for minutes: half of what it asks fails.
    sleep(Duration::from_secs(5));
    cloud.is(Mood::Good);
    let stay: Vec<String> = names(3..6)
        .map(|name| machine(stage, cloud, &name))
        .collect();
    for name in names(0..3) {
        stage.gone(&path(&name));
        stage.gone(&workspace(&name));
    }
    until("the cloud is done", SOON, || cloud.working() == 0);
    let bill = cloud.bill();
    assert!(names(3..6).all(|name| bill[&name] == 1), "{bill:?}");
    assert!(bill.values().all(|times| *times == 1), "{bill:?}");
    let there = cloud.machines();
    assert!(stay.iter().all(|id| there.contains_key(id)), "{there:?}");
    let known = stage.list(INSTANCES).len();
    assert_eq!(there.len(), known, "{there:?}");
}

/// A change of a machine in the cloud causes no event. The operator checks it after an hour, and
/// not before; its next version checks every second.
fn looks_for_drift(stage: &Stage, operator: &mut Operator, cloud: &Cloud) {
    let id = machine(stage, cloud, "poor");
    operator.stop();
    let instances = f64::from(u32::try_from(stage.list(INSTANCES).len()).unwrap());
    operator.start();
    until("it has looked at all", SOON, || {
        operator.reconciled("instance") >= instances
    });
    let asked = cloud.asked();
    cloud.meddle(&id, "large");
    sleep(Duration::from_millis(1500));
    assert_eq!(cloud.asked(), asked);
    operator.stop();

    operator.upgrade();
    cloud.meddle(&id, "small");
    operator.start();
    until("it has looked at all", SOON, || {
        operator.reconciled("instance") >= instances
    });
    let writes = stage.writes(&operator.user()).len();
    cloud.meddle(&id, "large");
    until("the size is as it should be", SOON, || {
        cloud.machines()[&id] == "small"
    });
    assert_eq!(stage.writes(&operator.user()).len(), writes);
    assert_eq!(cloud.bill().values().max(), Some(&1));
}

fn owes_nothing_in_the_end(stage: &Stage, cloud: &Cloud) {
    let name = |instance: &Value| instance["metadata"]["name"].as_str().unwrap().to_owned();
    for instance in stage.list(INSTANCES) {
        gone(stage, &name(&instance));
    }
    assert!(cloud.machines().is_empty(), "{:?}", cloud.machines());
}
