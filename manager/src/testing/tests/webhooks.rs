//! Webhooks of an operator on the in-memory API server.

use std::sync::atomic::AtomicBool;

use k8s_openapi::api::core::v1::Namespace;
use kube::core::{DynamicObject, GroupVersionKind};
use kube::discovery::ApiResource;
use serde_json::Value;

use super::*;
use crate::conversion;
use crate::webhook::{Defaulter, Request, Validator};

/// A webhook configuration with one webhook for cows. `changes` replaces fields of the webhook.
fn configuration(kind: &str, changes: &Value) -> Value {
    let path = if kind.starts_with("Mutating") {
        "/mutate-test-dev-v1-cow"
    } else {
        "/validate-test-dev-v1-cow"
    };
    let mut webhook = json!({
        "name": "cow.test.dev", "admissionReviewVersions": ["v1"], "sideEffects": "None",
        "clientConfig": {"service": {"name": "webhook-service", "namespace": "system", "path": path}},
        "rules": [{
            "apiGroups": ["test.dev"], "apiVersions": ["v1"], "resources": ["cows"],
            "operations": ["CREATE", "UPDATE"],
        }],
    });
    json_patch::merge(&mut webhook, changes);
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": kind,
        "metadata": {"name": "test"}, "webhooks": [webhook],
    })
}

/// Returns a cluster with a validating webhook for cows.
fn validated(changes: &Value) -> Cluster {
    let cluster = cluster(0);
    cluster.install(&configuration("ValidatingWebhookConfiguration", changes));
    cluster
}

fn manager() -> Manager {
    Manager::new("test", "0", Options::default())
}

/// Creates a cow, and returns the code and the message of the rejection.
async fn rejection(cows: &Api<Cow>, cow: &Cow) -> Option<(u16, String)> {
    match cows.create(&PostParams::default(), cow).await {
        Ok(_) => None,
        Err(kube::Error::Api(status)) => Some((status.code, status.message)),
        Err(error) => panic!("{error}"),
    }
}

/// Lets a silent cow moo.
struct Moo;

impl Defaulter<Cow> for Moo {
    async fn default(&self, new: &mut Cow, _: &Request) -> Result<()> {
        if new.spec.says.is_empty() {
            "moo".clone_into(&mut new.spec.says);
        }
        Ok(())
    }
}

/// Rejects cows that bark, and those that are not complete.
struct OnlyCows;

impl Validator<Cow> for OnlyCows {
    async fn create(&self, new: &Cow, request: &Request) -> Result<()> {
        assert!(new.metadata.uid.is_some());
        assert_eq!(Some(request.name()), new.metadata.name.as_deref());
        match &*new.spec.says {
            "" => Err(Error::new("Silent", "a cow says something")),
            "woof" => Err(Error::new("Dog", "a cow does not bark")),
            _ => Ok(()),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn webhooks_change_and_reject_writes_of_all_clients() {
    let cluster = validated(&json!({}));
    cluster.install(&configuration("MutatingWebhookConfiguration", &json!({})));
    let _operator = cluster.run(manager().defaulter(Moo).validator(OnlyCows));
    let cows = api::<Cow>(&cluster);
    let silent = cows.create(&PostParams::default(), &cow("a", "")).await;
    assert_eq!(silent.unwrap().spec.says, "moo");
    // The validator sees the generated name.
    let mut generated = cow("", "");
    generated.metadata.name = None;
    generated.metadata.generate_name = Some("cow-".to_owned());
    assert_eq!(rejection(&cows, &generated).await, None);
    let denied = "admission webhook \"cow.test.dev\" denied the request: a cow does not bark";
    let denied = Some((403, denied.to_owned()));
    assert_eq!(rejection(&cows, &cow("b", "woof")).await, denied);
    let bark = Patch::Merge(json!({"spec": {"says": "woof"}}));
    let patched = cows.patch("a", &PatchParams::default(), &bark).await;
    assert!(patched.unwrap_err().to_string().contains("does not bark"));
    // The defaulter also sees an apply, but owns no fields: the manager may remove its value.
    let empty = json!({"apiVersion": "test.dev/v1", "kind": "Cow", "spec": {"says": ""}});
    let params = PatchParams::apply("test").force();
    let applied = cows.patch("c", &params, &Patch::Apply(&empty)).await;
    let applied = applied.unwrap();
    assert_eq!(applied.spec.says, "moo");
    let owners = applied.metadata.managed_fields.unwrap();
    assert_eq!(owners.len(), 1, "{owners:?}");
}

/// Counts the cows, and accepts a second one only.
struct Herd;

impl Validator<Cow> for Herd {
    async fn create(&self, _: &Cow, request: &Request) -> Result<()> {
        let cows: Api<Cow> = Api::all(request.client());
        match cows.list(&ListParams::default()).await?.items.len() {
            0 | 1 => Ok(()),
            _ => Err(Error::new("Full", "the barn is full")),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_webhook_sends_requests_of_its_own() {
    let cluster = validated(&json!({}));
    let _operator = cluster.run(manager().validator(Herd));
    let cows = api::<Cow>(&cluster);
    for name in ["a", "b"] {
        assert_eq!(rejection(&cows, &cow(name, "moo")).await, None);
    }
    let (code, message) = rejection(&cows, &cow("c", "moo")).await.unwrap();
    assert_eq!(code, 403, "{message}");
}

/// Changes the live object while it decides for the first time.
struct Meddling(AtomicBool);

impl Validator<Cow> for Meddling {
    async fn create(&self, new: &Cow, request: &Request) -> Result<()> {
        if request.operation() == crate::webhook::Operation::Update
            && !self.0.swap(true, Ordering::Relaxed)
        {
            let cows: Api<Cow> = Api::default_namespaced(request.client());
            let name = new.metadata.name.clone().unwrap();
            let patch = Patch::Merge(json!({"metadata": {"labels": {"meanwhile": "yes"}}}));
            cows.patch(&name, &PatchParams::default(), &patch).await?;
        }
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn a_write_starts_again_if_the_object_changes_meanwhile() {
    for has_version in [false, true] {
        let cluster = validated(&json!({}));
        let _operator = cluster.run(manager().validator(Meddling(AtomicBool::new(false))));
        let cows = api::<Cow>(&cluster);
        let created = cows.create(&PostParams::default(), &cow("a", "moo")).await;
        let mut patch = json!({"spec": {"says": "muh"}});
        if has_version {
            let version = created.unwrap().metadata.resource_version;
            patch["metadata"] = json!({"resourceVersion": version});
        }
        let patch = Patch::Merge(patch);
        let patched = cows.patch("a", &PatchParams::default(), &patch).await;
        if has_version {
            assert!(patched.unwrap_err().to_string().contains("modified"));
        } else {
            let patched = patched.unwrap();
            assert_eq!(patched.spec.says, "muh");
            assert_eq!(patched.metadata.labels.unwrap()["meanwhile"], "yes");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_failure_policy_decides_while_no_operator_runs() {
    let failing = validated(&json!({}));
    let (code, message) = rejection(&api(&failing), &cow("a", "moo")).await.unwrap();
    assert_eq!(code, 500);
    let expected = "Internal error occurred: failed calling webhook \"cow.test.dev\": failed to call webhook: Post \
                    \"https://webhook-service.system.svc:443/validate-test-dev-v1-cow?timeout=10s\": dial tcp: connect: \
                    connection refused";
    assert_eq!(message, expected);
    let policy = json!({"failurePolicy": "Ignore"});
    let ignoring = validated(&policy);
    assert_eq!(rejection(&api(&ignoring), &cow("a", "moo")).await, None);
    // An operator that was killed serves no webhooks, either.
    let operator = failing.run(manager().validator(OnlyCows));
    failing.settle().await;
    assert_eq!(rejection(&api(&failing), &cow("a", "moo")).await, None);
    operator.crash();
    let refused = rejection(&api(&failing), &cow("b", "moo")).await;
    assert_eq!(refused.unwrap().0, 500);
}

/// Rejects each cow.
struct Never;

impl Validator<Cow> for Never {
    async fn create(&self, _: &Cow, _: &Request) -> Result<()> {
        Err(Error::new("Never", "no cows"))
    }

    async fn delete(&self, _: &Cow, _: &Request) -> Result<()> {
        Err(Error::new("Never", "cows stay"))
    }
}

#[tokio::test(start_paused = true)]
async fn only_matching_webhooks_are_called() {
    let rule = |changes: Value| {
        let mut rule = json!({
            "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"], "operations": ["*"],
        });
        json_patch::merge(&mut rule, &changes);
        json!({"rules": [rule]})
    };
    let own = json!({"matchLabels": {"kubernetes.io/metadata.name": "default"}});
    let others = json!({"matchExpressions": [
        {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["default"]},
    ]});
    let labelled = |value: &str| json!({"objectSelector": {"matchLabels": {"color": value}}});
    let cases = [
        (json!({}), true),
        (rule(json!({})), true),
        (rule(json!({"apiGroups": ["other.dev"]})), false),
        (rule(json!({"apiVersions": ["v2"]})), false),
        (rule(json!({"resources": ["cows/status"]})), false),
        (rule(json!({"resources": ["cows/*"]})), true),
        (rule(json!({"operations": ["UPDATE"]})), false),
        (rule(json!({"scope": "Cluster"})), false),
        (json!({"namespaceSelector": own}), true),
        (json!({"namespaceSelector": others}), false),
        (labelled("red"), true),
        (labelled("blue"), false),
    ];
    for (changes, is_called) in cases {
        let cluster = validated(&changes);
        let _operator = cluster.run(manager().validator(Never));
        let mut red = cow("a", "moo");
        red.metadata.labels = Some(BTreeMap::from([("color".to_owned(), "red".to_owned())]));
        let rejected = rejection(&api(&cluster), &red).await;
        assert_eq!(rejected.is_some(), is_called, "{changes}: {rejected:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_validator_sees_deletes() {
    let rules = json!({"rules": [{
        "apiGroups": ["test.dev"], "apiVersions": ["v1"], "resources": ["cows"], "operations": ["DELETE"],
    }]});
    let cluster = validated(&rules);
    let _operator = cluster.run(manager().validator(Never));
    let cows = api::<Cow>(&cluster);
    assert_eq!(rejection(&cows, &cow("a", "moo")).await, None);
    let deleted = cows.delete("a", &DeleteParams::default()).await;
    assert!(deleted.unwrap_err().to_string().contains("cows stay"));
    let (deletion, all) = (DeleteParams::default(), ListParams::default());
    let deleted = cows.delete_collection(&deletion, &all).await;
    assert!(deleted.unwrap_err().to_string().contains("cows stay"));
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_calls_only_webhooks_without_side_effects() {
    for (effects, message) in [("None", "no cows"), ("Some", "does not support dry run")] {
        let changes = json!({"sideEffects": effects});
        let cluster = validated(&changes);
        let _operator = cluster.run(manager().validator(Never));
        let params = PostParams {
            dry_run: true,
            ..PostParams::default()
        };
        let created = api::<Cow>(&cluster).create(&params, &cow("a", "moo")).await;
        let error = created.unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn unsupported_features_of_a_webhook_are_named() {
    let cases = [
        (
            json!({"matchConditions": [{"name": "a", "expression": "true"}]}),
            "`matchConditions`",
        ),
        (json!({"reinvocationPolicy": "IfNeeded"}), "`IfNeeded`"),
    ];
    for (changes, feature) in cases {
        let object = configuration("MutatingWebhookConfiguration", &changes);
        let object: DynamicObject = serde_json::from_value(object).unwrap();
        let kind = GroupVersionKind::gvk(
            "admissionregistration.k8s.io",
            "v1",
            "MutatingWebhookConfiguration",
        );
        let all = Api::all_with(cluster(0).client(), &ApiResource::from_gvk(&kind));
        let error = all.create(&PostParams::default(), &object).await;
        let error = error.unwrap_err().to_string();
        assert!(error.contains(feature), "{error}");
        assert!(error.contains("cow.test.dev"), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_webhook_outside_of_the_operator_cannot_be_called() {
    let cluster = validated(&json!({"clientConfig": {"url": "https://a.dev"}}));
    let (code, message) = rejection(&api(&cluster), &cow("a", "moo")).await.unwrap();
    assert_eq!(code, 501);
    assert!(
        message.contains("a `url` of a webhook, as `cow.test.dev` has"),
        "{message}"
    );
}

/// The CRD of `conversion::cows`, which stores `v1`.
fn three_versions() -> CustomResourceDefinition {
    let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {
        "spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
        "status": {"type": "object", "properties": {"seen": {"type": "integer"}}},
    }}});
    let versions = ["v1alpha1", "v1beta1", "v1"].map(|version| {
        json!({
            "name": version, "served": true, "storage": version == "v1", "schema": schema,
            "subresources": {"status": {}},
        })
    });
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "cows.my.domain"},
        "spec": {
            "group": "my.domain", "scope": "Namespaced", "versions": versions,
            "names": {"kind": "Cow", "plural": "cows"},
        },
    });
    serde_json::from_value(crd).unwrap()
}

#[tokio::test(start_paused = true)]
async fn the_operator_converts_objects_between_versions() {
    let cluster = Cluster::new().with([three_versions()]);
    let operator = cluster.run(manager().converter(conversion::versions()));
    cluster.settle().await;
    let in_version = |version: &str| {
        let kind = GroupVersionKind::gvk("my.domain", version, "Cow");
        let mut resource = ApiResource::from_gvk(&kind);
        "cows".clone_into(&mut resource.plural);
        Api::<DynamicObject>::default_namespaced_with(cluster.client(), &resource)
    };
    let (old, new) = (in_version("v1alpha1"), in_version("v1"));
    let object = json!({
        "apiVersion": "my.domain/v1alpha1", "kind": "Cow", "metadata": {"name": "a"},
        "spec": {"message": "moo", "loud": true, "herd": "alpine"},
    });
    let object = serde_json::from_value(object).unwrap();
    let created = old.create(&PostParams::default(), &object).await.unwrap();
    assert_eq!(created.data["spec"]["loud"], true);
    let stored = cluster.objects_of("cows.my.domain").remove(0);
    assert_eq!(stored["apiVersion"], "my.domain/v1");
    assert_eq!(stored["spec"]["text"], "moo");

    // A change in one version is a change in the other, and other fields survive.
    let patch = Patch::Merge(json!({"spec": {"text": "muh"}}));
    let patched = new.patch("a", &PatchParams::default(), &patch).await;
    assert_eq!(patched.unwrap().data["spec"]["volume"], 11);
    let listed = old.list(&ListParams::default()).await.unwrap();
    let spec = &listed.items[0].data["spec"];
    let expected = json!({"message": "muh", "loud": true, "herd": "alpine"});
    assert_eq!(*spec, expected);
    let events = old.watch(&WatchParams::default(), "0").await.unwrap();
    let mut events = std::pin::pin!(events);
    match events.try_next().await.unwrap() {
        Some(WatchEvent::Added(object)) => assert_eq!(object.data["spec"], expected),
        other => panic!("{other:?}"),
    }
    let generation = created.metadata.generation.map(|it| it + 1);
    assert_eq!(listed.items[0].metadata.generation, generation);

    // Without the operator, only the stored version can be read.
    operator.stop().await.unwrap();
    assert!(new.get("a").await.is_ok());
    let error = old.get("a").await.unwrap_err().to_string();
    assert!(
        error.contains("conversion webhook for my.domain/v1, Kind=Cow failed"),
        "{error}"
    );
}

/// Sees each cow in version `v1`.
struct AsV1;

impl Validator<conversion::cows::v1::Cow> for AsV1 {
    async fn create(&self, new: &conversion::cows::v1::Cow, _: &Request) -> Result<()> {
        match new.spec.text.as_deref() {
            Some("woof") => Err(Error::new("Dog", "a cow does not bark")),
            _ => Ok(()),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_webhook_gets_objects_in_the_version_of_its_rule() {
    let rule = json!({
        "apiGroups": ["my.domain"], "apiVersions": ["v1"], "resources": ["cows"], "operations": ["CREATE"],
    });
    for (policy, is_called) in [("Equivalent", true), ("Exact", false)] {
        let path = "/validate-my-domain-v1-cow";
        let changes = json!({
            "rules": [rule], "matchPolicy": policy, "clientConfig": {"service": {"path": path}},
        });
        let cluster = Cluster::new().with([three_versions()]);
        cluster.install(&configuration("ValidatingWebhookConfiguration", &changes));
        let manager = manager().converter(conversion::versions()).validator(AsV1);
        let _operator = cluster.run(manager);
        cluster.settle().await;
        let object = json!({
            "apiVersion": "my.domain/v1alpha1", "kind": "Cow", "metadata": {"name": "a"},
            "spec": {"message": "woof", "loud": true},
        });
        let created = cluster.change(&object, ObjectChange::Create).await;
        assert_eq!(created.is_err(), is_called, "{policy}: {created:?}");
    }
}

/// Namespaces are matched by their own labels.
#[tokio::test(start_paused = true)]
async fn a_namespace_is_matched_by_its_own_labels() {
    struct NoNamespaces;

    impl Validator<Namespace> for NoNamespaces {
        async fn create(&self, _: &Namespace, _: &Request) -> Result<()> {
            Err(Error::new("Never", "no namespaces"))
        }
    }

    let changes = json!({
        "clientConfig": {"service": {"path": "/validate--v1-namespace"}},
        "namespaceSelector": {"matchLabels": {"guarded": "yes"}},
        "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["namespaces"], "operations": ["*"]}],
    });
    let cluster = validated(&changes);
    let _operator = cluster.run(manager().validator(NoNamespaces));
    cluster.settle().await;
    for (guarded, is_rejected) in [("yes", true), ("no", false)] {
        let namespace = json!({
            "apiVersion": "v1", "kind": "Namespace",
            "metadata": {"name": guarded, "labels": {"guarded": guarded}},
        });
        let created = cluster.change(&namespace, ObjectChange::Create).await;
        assert_eq!(created.is_err(), is_rejected, "{guarded}: {created:?}");
    }
}
