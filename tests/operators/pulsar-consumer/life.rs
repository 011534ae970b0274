//! The life of the pulsar-consumer operator.

use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

use crate::operator::Operator;
use crate::stage::{SOON, Stage, is_ready};
use crate::support::until;

const CONSUMERS: &str =
    "/apis/consumer.pulsarconsumer.krvarma.com/v1/namespaces/pulsar-consumer/pulsarconsumers";
const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/pulsar-consumer/deployments";
const NAME: &str = "pulsarconsumer-sample";

#[test]
fn lives() {
    let stage = Stage::new();
    let mut operator = Operator::install(&stage, "pulsar-consumer");
    stage.namespace("pulsar-consumer");
    operator.start();
    refuses_what_is_missing_or_empty(&stage);
    consumes_as_the_sample_says(&stage, &operator);
    scales(&stage, &operator);
    looks_at_the_spec_alone(&stage, &operator);
    is_not_fooled_by_defaults(&stage, &mut operator);
    mends_what_others_break(&stage, &operator);
    may_do_no_more_than_it_says(&stage, &operator);
    rolls_with_an_upgrade(&stage, &mut operator);
    goes_with_all_it_has(&stage);
    operator.stop();
    operator.assert_its_role_fits(&stage);
}

fn consumer() -> String {
    format!("{CONSUMERS}/{NAME}")
}

fn deployment() -> String {
    format!("{DEPLOYMENTS}/{NAME}")
}

/// Each field is required, and each is looked at; the message names it.
fn refuses_what_is_missing_or_empty(stage: &Stage) {
    let spec = json!({
        "serverAddress": "pulsar://here:6650", "topic": "t", "subscriptionName": "s", "replicas": 1,
    });
    let refusal = |field: &str, value: Option<Value>| {
        let mut spec = spec.clone();
        match value {
            Some(value) => spec[field] = value,
            None => drop(spec.as_object_mut().unwrap().remove(field)),
        }
        let object = json!({
            "apiVersion": "consumer.pulsarconsumer.krvarma.com/v1", "kind": "PulsarConsumer",
            "metadata": {"name": "refused"}, "spec": spec,
        });
        stage.ask("POST", CONSUMERS, Some(&object)).unwrap_err()
    };
    for field in ["serverAddress", "topic", "subscriptionName", "replicas"] {
        let message = refusal(field, None);
        let required = format!("spec.{field}: Required value");
        assert!(message.contains(&required), "{message}");
    }
    for (field, value, why) in [
        (
            "serverAddress",
            json!(""),
            "must be the address of a Pulsar server",
        ),
        (
            "serverAddress",
            json!("here:6650"),
            "must be the address of a Pulsar server",
        ),
        ("topic", json!(""), "must name a topic"),
        ("subscriptionName", json!(" "), "must name a subscription"),
        ("replicas", json!(-1), "greater than or equal to 0"),
    ] {
        let message = refusal(field, Some(value));
        let told = message.contains(&format!("spec.{field}")) && message.contains(why);
        assert!(told, "{message}");
    }
}

fn consumes_as_the_sample_says(stage: &Stage, operator: &Operator) {
    let sample = operator.dir.join("config/samples");
    stage.kubectl_ok(&format!("apply -n pulsar-consumer -k {}", sample.display()));
    let ready = stage.wait("ready", &consumer(), is_ready);
    assert_eq!(ready["status"]["replicas"], 2);
    assert_eq!(ready["status"]["availableReplicas"], 2);
    let live = stage.get(&deployment());
    assert_eq!(
        live["spec"]["template"]["spec"]["containers"][0]["env"],
        json!([
            {"name": "SERVER_ADDRESS", "value": "pulsar://broker.example.com:6650"},
            {"name": "TOPIC", "value": "persistent://public/default/orders"},
            {"name": "SUBSCRIPTION_NAME", "value": "billing"},
        ])
    );
    let columns = stage.kubectl_ok("get pulsarconsumers -n pulsar-consumer");
    assert!(
        columns.contains("TOPIC") && columns.contains("AVAILABLE"),
        "{columns}"
    );
}

fn scales(stage: &Stage, operator: &Operator) {
    let before = written(stage, operator, "deployments");
    stage.kubectl_ok(&format!(
        "scale -n pulsar-consumer pulsarconsumer/{NAME} --replicas 5"
    ));
    stage.wait("five", &consumer(), |consumer| {
        is_ready(consumer) && consumer["status"]["replicas"] == 5
    });
    assert_eq!(stage.get(&deployment())["status"]["availableReplicas"], 5);
    written_once_since(before, stage, operator);
    let scale = stage.get(&format!("{}/scale", consumer()));
    assert_eq!(scale["status"]["replicas"], 5);
    // The selector is one by which an autoscaler finds the Pods.
    let selector = scale["status"]["selector"].as_str().unwrap();
    let pods = stage.list(&format!(
        "/api/v1/namespaces/pulsar-consumer/pods?labelSelector={selector}"
    ));
    assert_eq!(pods.len(), 5);
}

/// Returns the number of times that the operator wrote a resource.
fn written(stage: &Stage, operator: &Operator, resource: &str) -> usize {
    let writes = stage.writes(&operator.user()).into_iter();
    writes.filter(|write| write.resource == resource).count()
}

/// The Deployment was written `before` times then, and once more by now.
fn written_once_since(before: usize, stage: &Stage, operator: &Operator) {
    let after = written(stage, operator, "deployments");
    let writes = stage.writes(&operator.user());
    assert_eq!(after, before + 1, "{writes:#?}");
}

/// A change of a label or an annotation does not lead to a reconcile; only a new generation does.
fn looks_at_the_spec_alone(stage: &Stage, operator: &Operator) {
    let count = quiet(operator);
    for n in 0..10 {
        let noise = json!({"metadata": {"labels": {"a": n.to_string()}, "annotations": {"b": n.to_string()}}});
        stage.patch(&consumer(), &noise);
    }
    // This one is a reason, and the only one.
    stage.patch(
        &deployment(),
        &json!({"metadata": {"labels": {"somebody": "else"}}}),
    );
    until("it looks", SOON, || {
        operator.reconciled("pulsarconsumer") > count
    });
    assert!(same(operator.reconciled("pulsarconsumer"), count + 1.0));

    stage.patch(&consumer(), &json!({"spec": {"topic": "invoices"}}));
    stage.wait("another topic", &deployment(), |live| {
        live["spec"]["template"]["spec"]["containers"][0]["env"][1]["value"] == "invoices"
    });
    stage.wait("ready", &consumer(), is_ready);
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() < f64::EPSILON
}

/// Waits until the operator has nothing more to look at; how often it has looked.
fn quiet(operator: &Operator) -> f64 {
    let mut count = 0.0;
    until("quiet", SOON, || {
        let last = std::mem::replace(&mut count, operator.reconciled("pulsarconsumer"));
        sleep(Duration::from_millis(300));
        same(last, count)
    });
    count
}

/// Returns the number of writes that the API server has counted, of all clients.
fn counted(stage: &Stage, group: &str, resource: &str) -> f64 {
    let figures = stage.kubectl_ok("get --raw /metrics");
    let lines = figures.lines().filter(|line| {
        line.starts_with("apiserver_request_total{")
            && line.contains(&format!("group=\"{group}\""))
            && line.contains(&format!("resource=\"{resource}\""))
            && ["APPLY", "PATCH", "PUT", "POST"]
                .iter()
                .any(|verb| line.contains(&format!("verb=\"{verb}\"")))
    });
    lines
        .map(|line| line.rsplit(' ').next().unwrap().parse::<f64>().unwrap())
        .sum()
}

/// A new operator compares the live Deployment, with the defaults of the API server, and writes
/// nothing. Neither does one that is triggered again.
fn is_not_fooled_by_defaults(stage: &Stage, operator: &mut Operator) {
    let group = "consumer.pulsarconsumer.krvarma.com";
    quiet(operator);
    operator.stop();
    let live = stage.get(&deployment());
    let template = &live["spec"]["template"]["spec"];
    assert_eq!(template["restartPolicy"], "Always", "a default");
    assert_eq!(
        template["containers"][0]["resources"]["limits"]["cpu"],
        "500m"
    );
    let (counter, audit) = (
        counted(stage, group, "pulsarconsumers"),
        stage.writes(&operator.user()).len(),
    );
    assert!(counter > 0.0 && audit > 0, "{counter} {audit}");
    operator.start();
    until("it has looked", SOON, || {
        operator.reconciled("pulsarconsumer") >= 1.0
    });
    // A change of the Deployment that is none of its business makes it look again.
    for n in 0..5 {
        let note = json!({"metadata": {"labels": {"somebody": n.to_string()}}});
        stage.patch(&deployment(), &note);
        let looked = f64::from(n + 2);
        until("it has looked again", SOON, || {
            operator.reconciled("pulsarconsumer") >= looked
        });
    }
    assert!(same(counted(stage, group, "pulsarconsumers"), counter));
    assert_eq!(stage.writes(&operator.user()).len(), audit);
    let now = stage.get(&deployment());
    assert_eq!(
        now["metadata"]["generation"],
        live["metadata"]["generation"]
    );
}

fn mends_what_others_break(stage: &Stage, operator: &Operator) {
    let before = written(stage, operator, "deployments");
    stage.patch(&deployment(), &json!({"spec": {"replicas": 1}}));
    stage.wait("five again", &deployment(), |live| {
        live["spec"]["replicas"] == 5 && live["status"]["availableReplicas"] == 5
    });
    stage.wait("ready", &consumer(), |consumer| {
        is_ready(consumer) && consumer["status"]["availableReplicas"] == 5
    });
    written_once_since(before, stage, operator);
}

/// Asked as the operator's ServiceAccount, the API server knows what its markers say.
fn may_do_no_more_than_it_says(stage: &Stage, operator: &Operator) {
    let asks = |line: &str| {
        let line = format!(
            "auth can-i {line} -n pulsar-consumer --as {}",
            operator.user()
        );
        stage.kubectl(&line).stdout.trim() == "yes"
    };
    assert!(asks("patch deployments.apps"));
    assert!(asks(
        "patch pulsarconsumers.consumer.pulsarconsumer.krvarma.com --subresource status"
    ));
    assert!(!asks("delete deployments.apps"));
    assert!(!asks("get secrets"));
    assert!(!asks(
        "patch pulsarconsumers.consumer.pulsarconsumer.krvarma.com"
    ));
}

fn rolls_with_an_upgrade(stage: &Stage, operator: &mut Operator) {
    let before = written(stage, operator, "deployments");
    operator.stop();
    operator.upgrade();
    operator.start();
    stage.wait("the new image", &deployment(), |live| {
        live["spec"]["template"]["spec"]["containers"][0]["image"]
            == "registry.my.domain/pulsar-consumer:v2"
            && live["status"]["updatedReplicas"] == 5
    });
    stage.wait("ready", &consumer(), is_ready);
    written_once_since(before, stage, operator);
}

fn goes_with_all_it_has(stage: &Stage) {
    stage.delete(&consumer());
    stage.gone(&deployment());
    let pods = "/api/v1/namespaces/pulsar-consumer/pods";
    until("its Pods are gone", SOON, || stage.list(pods).is_empty());
}
