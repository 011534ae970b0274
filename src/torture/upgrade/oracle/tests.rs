//! Tests of the upgrade oracle with snapshots and requests written by hand.

use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::torture::api::call::ApiCall;
use crate::torture::env::namespace::handed_over::LossCause;
use crate::torture::journal::JournalEvent;
use crate::torture::upgrade::state::Reference;

const NAMESPACE: &str = "torture-00001";

fn snapshot(objects: &[Value]) -> Snapshot {
    Snapshot::of(objects, NAMESPACE)
}

fn deployment(image: &str, replicas: i64) -> Value {
    json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "moo"},
        "spec": {"replicas": replicas, "template": {"spec": {"containers": [{"name": "moo", "image": image}]}}}})
}

fn config(name: &str, metadata: &Value) -> Value {
    let mut object =
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": "b"}});
    object["metadata"]["name"] = name.into();
    object
}

fn request(method: &str, target: &str, status: u16, answer: Value) -> JournalEntry {
    let call = ApiCall::parse(method, target).unwrap();
    let request = RecordedRequest {
        status,
        answer,
        ..RecordedRequest::new(call, Value::Null)
    };
    JournalEntry {
        at: Duration::ZERO,
        step: 0,
        event: JournalEvent::Request(Box::new(request)),
    }
}

/// The evidence of an upgrade. By default, the new version creates new objects like those after the
/// upgrade (`fresh` is `None`), and writes nothing.
#[derive(Default)]
struct Case {
    before: Vec<Value>,
    after: Vec<Value>,
    fresh: Option<Vec<Value>>,
    restart: Vec<Difference>,
    entries: Vec<JournalEntry>,
    old_entries: Vec<JournalEntry>,
}

impl Case {
    /// Returns the changes as `effect object text`.
    fn changes(&self) -> Vec<String> {
        let subject = ObjectId {
            kind: "Lolcow.my.domain".into(),
            name: "moo".into(),
        };
        let [before, after] = [&self.before, &self.after].map(|it| snapshot(it));
        let fresh = snapshot(self.fresh.as_ref().unwrap_or(&self.after));
        let evidence = Evidence {
            subject: &subject,
            namespace: NAMESPACE,
            before: &before,
            after: &after,
            fresh: [&fresh, &fresh],
            restart: &self.restart,
            entries: &self.entries,
            old_entries: &self.old_entries,
        };
        let changes = evidence.changes();
        let text = |it: &ObjectDifference| format!("{} {} {it}", it.effect, it.object);
        changes.iter().map(text).collect()
    }
}

fn changes(before: &[Value], after: &[Value]) -> Vec<String> {
    Case {
        before: before.to_vec(),
        after: after.to_vec(),
        ..Case::default()
    }
    .changes()
}

#[test]
fn a_changed_pod_template_restarts_pods() {
    let image = "deployment/moo spec.template.spec.containers[moo].image: moo:1 -> moo:2";
    assert_eq!(
        changes(&[deployment("moo:1", 1)], &[deployment("moo:2", 1)]),
        [format!("restarts-pods {image}")]
    );
    let paused = |image: &str| {
        let mut object = deployment(image, 1);
        object["spec"]["paused"] = true.into();
        object
    };
    assert_eq!(
        changes(&[paused("moo:1")], &[paused("moo:2")]),
        [format!("harmless {image}")]
    );
}

#[test]
fn a_replica_set_does_not_replace_pods() {
    let set = |image: &str, replicas: i64| {
        let mut object = deployment(image, replicas);
        object["kind"] = "ReplicaSet".into();
        object
    };
    for (before, after, effect) in [
        (set("moo:1", 1), set("moo:2", 1), "harmless"),
        (set("moo:1", 2), set("moo:1", 1), "restarts-pods"),
    ] {
        let found = changes(&[before], &[after]);
        assert!(
            found.len() == 1 && found[0].starts_with(effect),
            "{found:?}"
        );
    }
}

#[test]
fn a_changed_image_restarts_a_pod() {
    let pod = |image: &str| {
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "moo"},
        "spec": {"containers": [{"name": "moo", "image": image}]}})
    };
    assert_eq!(
        changes(&[pod("moo:1")], &[pod("moo:2")]),
        ["restarts-pods pod/moo spec.containers[moo].image: moo:1 -> moo:2"]
    );
}

#[test]
fn pods_that_the_operator_deletes_or_evicts_count_as_restarted() {
    let pods = "/api/v1/namespaces/torture-00001/pods";
    let case = Case {
        entries: vec![
            request("DELETE", &format!("{pods}/moo-0"), 200, json!({})),
            request("POST", &format!("{pods}/moo-1/eviction"), 201, json!({})),
            request("POST", &format!("{pods}/moo-2/eviction"), 429, json!({})),
            request("DELETE", &format!("{pods}?labelSelector=a"), 200, json!({})),
        ],
        ..Case::default()
    };
    assert_eq!(
        case.changes(),
        [
            "restarts-pods pod the new version deletes all that match a selector",
            "restarts-pods pod/moo-0 the new version deletes it",
            "restarts-pods pod/moo-1 the new version evicts it"
        ]
    );
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "moo-0"}});
    let case = Case {
        before: vec![pod],
        ..case
    };
    let found = case.changes();
    let deleted = found.iter().filter(|it| it.contains("pod/moo-0"));
    assert_eq!(deleted.count(), 1, "{found:?}");
}

#[test]
fn scaling_down_restarts_pods_but_scaling_up_does_not() {
    let scaled = |before: i64, after: i64| {
        let [before, after] = [before, after].map(|it| [deployment("moo:1", it)]);
        changes(&before, &after)
    };
    assert_eq!(
        scaled(3, 1),
        ["restarts-pods deployment/moo spec.replicas: 3 -> 1"]
    );
    assert_eq!(
        scaled(1, 3),
        ["harmless deployment/moo spec.replicas: 1 -> 3"]
    );
}

#[test]
fn a_deleted_object_has_the_effect_of_its_kind() {
    for (version, kind, effect) in [
        ("v1", "PersistentVolumeClaim", "deletes-data"),
        ("v1", "Secret", "deletes-data"),
        ("my.domain/v1", "Coop", "deletes-data"),
        ("apps/v1", "StatefulSet", "restarts-pods"),
        ("v1", "Service", "changes-traffic"),
        ("v1", "ConfigMap", "removes"),
    ] {
        let object = json!({"apiVersion": version, "kind": kind, "metadata": {"name": "moo"}});
        let expected = format!(
            "{effect} {}/moo the new version deletes it",
            kind.to_lowercase()
        );
        assert_eq!(changes(&[object], &[]), [expected]);
    }
}

#[test]
fn a_replaced_password_deletes_data_and_is_not_shown() {
    let secret = |password: &str| json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "moo"}, "data": {"password": password}});
    assert_eq!(
        changes(&[secret("b25l")], &[secret("dHdv")]),
        ["deletes-data secret/moo data.password: a value -> another value"]
    );
}

/// The new version cannot create new objects here, so no run of it shows that passwords are random.
#[test]
fn a_password_that_differed_before_the_upgrade_is_no_change() {
    let state = |password: &str, data: &str| {
        snapshot(&[
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "moo"}, "data": {"password": password}}),
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "moo"}, "data": {"a": data}}),
        ])
    };
    let reference = Reference {
        before: state("b25l", "b"),
        after: state("b25l", "b"),
        mask: Mask::default(),
        crashes: Vec::new(),
    };
    let mask = reference.mask_for(&state("dHdv", "b"));
    let changed = |after: &Snapshot| -> Vec<_> {
        changes_after(&reference.after, after, &mask, "after a crash")
            .into_iter()
            .map(|change| change.object)
            .collect()
    };
    assert_eq!(changed(&state("dHdv", "b")), [""; 0]);
    assert_eq!(changed(&state("dHdv", "c")), ["configmap/moo"]);
}

#[test]
fn values_of_secrets_are_never_shown() {
    let secret = |password: &str| {
        json!({"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "data": {"password": password},
        "metadata": {"name": "moo", "labels": {"a": password.len().to_string()},
            "annotations": {"kubectl.kubernetes.io/last-applied-configuration": format!("{{\"data\":\"{password}\"}}")}}})
    };
    let [before, after] = [secret("b25l"), secret("dHdvdHdv")].map(|it| snapshot(&[it]));
    let mut all = changes(&[secret("b25l")], &[secret("dHdvdHdv")]);
    let mask = Mask::default();
    for change in rollback_changes(&before, &after, &mask)
        .into_iter()
        .chain(changes_after(&before, &after, &mask, "a crash"))
    {
        all.push(change.to_string());
    }
    all.extend(
        Case {
            before: vec![secret("b25l")],
            after: vec![secret("b25l")],
            fresh: Some(vec![secret("dHdvdHdv")]),
            ..Case::default()
        }
        .changes(),
    );
    assert_eq!(all.len(), 12, "{all:?}");
    for text in &all {
        assert!(!text.contains("b25l") && !text.contains("dHdv"), "{text}");
    }
    assert!(
        all.iter()
            .any(|it| it.contains("metadata.labels.a: 4 -> 8")),
        "{all:?}"
    );
    assert!(
        all.iter()
            .any(|it| it.ends_with("secret/moo data.password: another value instead of a value")),
        "{all:?}"
    );
}

#[test]
fn a_recreated_object_is_reported_as_deleted() {
    let set = json!({"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": format!("{NAMESPACE}-moo")}});
    let path = format!("/apis/apps/v1/namespaces/{NAMESPACE}/statefulsets");
    let delete = request("DELETE", &format!("{path}/{NAMESPACE}-moo"), 200, json!({}));
    let apply = request(
        "PATCH",
        &format!("{path}/{NAMESPACE}-moo?fieldManager=moo"),
        201,
        json!({}),
    );
    let case = |entries: Vec<JournalEntry>| {
        let objects = vec![set.clone()];
        let case = Case {
            before: objects.clone(),
            after: objects,
            entries,
            ..Case::default()
        };
        case.changes()
    };
    assert_eq!(
        case(vec![delete.clone(), apply.clone()]),
        ["restarts-pods statefulset/NAMESPACE-moo the new version deletes it and creates it again"]
    );
    assert_eq!(case(vec![apply, delete]), [""; 0]);
}

#[test]
fn rejections_of_immutable_fields_have_their_own_effect() {
    let objects = vec![deployment("moo:1", 1)];
    let mut fresh = deployment("moo:2", 1);
    fresh["spec"]["selector"] = json!({"matchLabels": {"app": "moo"}});
    let path = format!("/apis/apps/v1/namespaces/{NAMESPACE}/deployments/moo");
    let rejected = |message: &str| request("PATCH", &path, 422, json!({ "message": message }));
    let immutable =
        "Deployment.apps \"moo\" is invalid: spec.selector: Invalid value: field is immutable";
    let negative = "Deployment.apps \"moo\" is invalid: spec.replicas: Invalid value: -1";
    let case = |old: Vec<JournalEntry>| Case {
        before: objects.clone(),
        after: objects.clone(),
        fresh: Some(vec![fresh.clone()]),
        entries: vec![rejected(immutable), rejected(immutable), rejected(negative)],
        old_entries: old,
        ..Case::default()
    };
    // The differences from a new object follow from the rejection.
    assert_eq!(
        case(Vec::new()).changes(),
        [
            format!("refused-as-immutable deployment/moo {immutable}"),
            format!("refused deployment/moo {negative}")
        ]
    );
    let of_both = case(vec![rejected(negative)]).changes();
    assert_eq!(
        of_both,
        [format!("refused-as-immutable deployment/moo {immutable}")]
    );
}

#[test]
fn an_old_child_next_to_a_new_one_is_orphaned() {
    let none = json!({});
    let old = config("moo-config", &none);
    let new = config("moo-settings", &none);
    let case = Case {
        before: vec![old.clone()],
        after: vec![old, new.clone()],
        fresh: Some(vec![new]),
        ..Case::default()
    };
    assert_eq!(
        case.changes(),
        [
            "harmless configmap/moo-settings the new version creates it",
            "orphaned configmap/moo-config it stays next to the new configmap/moo-settings"
        ]
    );
}

#[test]
fn an_old_label_that_stays_is_orphaned() {
    let labels = |names: &[&str]| {
        let labels: serde_json::Map<_, _> = names
            .iter()
            .map(|it| ((*it).to_owned(), "x".into()))
            .collect();
        config("moo", &json!({ "labels": labels }))
    };
    let case = Case {
        before: vec![labels(&["old"])],
        after: vec![labels(&["old", "new"])],
        fresh: Some(vec![labels(&["new"])]),
        ..Case::default()
    };
    assert_eq!(
        case.changes(),
        [
            "harmless configmap/moo metadata.labels.new: nothing -> x",
            "orphaned configmap/moo metadata.labels.old: x; the field of the old version stays"
        ]
    );
}

#[test]
fn a_renamed_finalizer_is_orphaned() {
    let with = |finalizers: Value| {
        json!({"apiVersion": "my.domain/v1", "kind": "Lolcow",
            "metadata": {"name": "moo", "finalizers": finalizers}, "spec": {}})
    };
    let case = Case {
        before: vec![with(json!(["my.domain/old"]))],
        after: vec![with(json!(["my.domain/new", "my.domain/old"]))],
        fresh: Some(vec![with(json!(["my.domain/new"]))]),
        ..Case::default()
    };
    let found = case.changes();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with("orphaned lolcow/moo metadata.finalizers: my.domain/old; "),
        "{found:?}"
    );
}

#[test]
fn a_child_that_loses_its_owner_reference_is_orphaned() {
    let owned = json!({"ownerReferences": [{"apiVersion": "my.domain/v1", "kind": "Lolcow", "name": "moo", "uid": "1"}]});
    let found = changes(&[config("moo", &owned)], &[config("moo", &json!({}))]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with("orphaned configmap/moo metadata.ownerReferences: "),
        "{found:?}"
    );
}

#[test]
fn a_new_network_policy_changes_traffic() {
    let policy = json!({"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "moo"},
        "spec": {"podSelector": {}}});
    assert_eq!(
        changes(&[], &[policy]),
        ["changes-traffic networkpolicy/moo the new version creates it"]
    );
    assert_eq!(
        changes(&[], &[config("moo", &json!({}))]),
        ["harmless configmap/moo the new version creates it"]
    );
}

#[test]
fn a_value_that_the_api_server_loses_is_deleted_data() {
    let lost_in = |version: &str, cause: LossCause| LostValue {
        difference: Difference {
            id: ObjectId {
                kind: "Lolcow.my.domain".into(),
                name: "moo".into(),
            },
            field: "spec.a".into(),
            expected: Some("1".into()),
            found: None,
        },
        version: version.into(),
        cause,
    };
    let values = [
        lost_in("v1", LossCause::Replaced),
        lost_in("v1beta1", LossCause::RoundTrip),
    ];
    let text: Vec<_> = lost_values(&values)
        .iter()
        .map(|it| format!("{} {} {it}", it.effect, it.object))
        .collect();
    assert_eq!(
        text,
        [
            "deletes-data lolcow/moo spec.a: 1 -> nothing; in v1: the schema or the conversion of the installed CRD drops the value that the other version has stored"
        ]
    );
}

/// The fields of a test of field managers: the manager of a write and the owners of fields after
/// it, each as `name Operation`.
fn write_of(manager: &str, owners: &[&str]) -> JournalEntry {
    let parse = |text: &str| {
        let (name, operation) = text.split_once(' ').unwrap();
        (name.to_owned(), operation.to_owned())
    };
    let fields: Vec<_> = owners
        .iter()
        .map(|it| parse(it))
        .map(|(name, operation)| json!({"manager": name, "operation": operation}))
        .collect();
    let (name, operation) = parse(manager);
    let mut entry = request(
        "PATCH",
        &format!("/api/v1/namespaces/{NAMESPACE}/configmaps/moo"),
        200,
        json!({"metadata": {"managedFields": fields}}),
    );
    if let JournalEvent::Request(request) = &mut entry.event {
        request.manager = FieldManager {
            name,
            applies: operation == "Apply",
        };
    }
    entry
}

#[test]
fn a_changed_field_manager_leaves_the_fields_of_the_old_one() {
    let cases: [(&str, &str, &[&str], &[&str]); 8] = [
        (
            "old Apply",
            "new Apply",
            &["new Apply", "old Apply"],
            &["orphaned", "old -> new; "],
        ),
        ("old Apply", "old Apply", &["old Apply"], &[]),
        // The new version has taken the fields over.
        ("old Apply", "new Apply", &["new Apply"], &[]),
        (
            "moo Apply",
            "moo Update",
            &["moo Apply", "moo Update"],
            &["orphaned", "moo (Apply) -> moo (Update); "],
        ),
        (
            "old Update",
            "new Apply",
            &["new Apply", "old Update"],
            &["orphaned", "old (Update) -> new (Apply); "],
        ),
        (
            "old Update",
            "new Update",
            &["new Update", "old Update"],
            &["harmless", "old -> new; neither version applies"],
        ),
        (
            "old Update",
            "old Update",
            &["old Update", "other Update"],
            &[],
        ),
        // Another program owns fields, too.
        (
            "old Update",
            "new Apply",
            &["new Apply", "other Update"],
            &[],
        ),
    ];
    for (old, new, owners, expected) in cases {
        let objects = vec![config("moo", &json!({}))];
        let case = Case {
            before: objects.clone(),
            after: objects,
            entries: vec![write_of(new, owners)],
            old_entries: vec![write_of(old, &[old])],
            ..Case::default()
        };
        let found = case.changes();
        assert_eq!(found.len(), expected.len() / 2, "{old}, {new}: {found:?}");
        for (found, expected) in found.iter().zip(expected.chunks(2)) {
            let expected = format!(
                "{} configmap/moo metadata.managedFields: {}",
                expected[0], expected[1]
            );
            assert!(found.starts_with(&expected), "{found}");
        }
    }
}

#[test]
fn a_field_that_stays_after_updates_of_another_manager_is_orphaned() {
    let [with, without] =
        [json!({"labels": {"first": "yes"}}), json!({})].map(|it| config("moo", &it));
    let case = Case {
        before: vec![with.clone()],
        after: vec![with],
        fresh: Some(vec![without]),
        entries: vec![write_of("new Update", &["new Update", "old Update"])],
        old_entries: vec![write_of("old Update", &["old Update"])],
        ..Case::default()
    };
    assert_eq!(
        case.changes(),
        [
            "orphaned configmap/moo metadata.managedFields: old -> new; the fields of the old field manager stay, even if the new version no longer sets them",
            "orphaned configmap/moo metadata.labels.first: yes; the field of the old version stays"
        ]
    );
}

#[test]
fn an_unchanged_old_object_that_differs_from_a_new_one_is_not_updated() {
    let case = Case {
        before: vec![deployment("moo:1", 1)],
        after: vec![deployment("moo:1", 1)],
        fresh: Some(vec![deployment("moo:2", 1), config("moo", &json!({}))]),
        ..Case::default()
    };
    assert_eq!(
        case.changes(),
        [
            "not-updated configmap/moo it is missing: the new version creates it only for a new object",
            "not-updated deployment/moo spec.template.spec.containers[moo].image: moo:1; a new object has moo:2"
        ]
    );
}

#[test]
fn values_that_differ_after_a_restart_or_between_runs_are_ignored() {
    let with = |boot: &str, token: &str| {
        let mut object = config("moo", &json!({}));
        object["data"] = json!({"boot": boot, "token": token});
        object
    };
    let [before, restarted, after] = ["1", "2", "3"].map(|boot| snapshot(&[with(boot, "a")]));
    let fresh = [("4", "b"), ("5", "c")].map(|(boot, token)| snapshot(&[with(boot, token)]));
    let restart = before.differences(&restarted, &Mask::default());
    let subject = ObjectId {
        kind: "Lolcow.my.domain".into(),
        name: "moo".into(),
    };
    let mut evidence = Evidence {
        subject: &subject,
        namespace: NAMESPACE,
        before: &before,
        after: &after,
        fresh: [&fresh[0], &fresh[1]],
        restart: &restart,
        entries: &[],
        old_entries: &[],
    };
    assert_eq!(evidence.changes(), []);
    evidence.restart = &[];
    assert_eq!(evidence.changes().len(), 1, "the boot changes");
}

#[test]
fn objects_that_survive_the_deletion_are_orphaned() {
    let subject = ObjectId {
        kind: "Lolcow.my.domain".into(),
        name: "moo".into(),
    };
    let lolcow = json!({"apiVersion": "my.domain/v1", "kind": "Lolcow",
        "metadata": {"name": "moo", "finalizers": ["my.domain/old"]}});
    let left = snapshot(&[lolcow, config("moo", &json!({}))]);
    let gone = Snapshot::default();
    let add = |upgraded: &Snapshot, fresh: &Snapshot| -> Vec<String> {
        let finalizer =
            ObjectDifference::new(Effect::Orphaned, "lolcow/moo", FINALIZERS).because("unknown");
        let mut changes = vec![finalizer];
        add_deletion(&mut changes, &subject, upgraded, fresh, None);
        let text = |it: &ObjectDifference| format!("{} {} {it}", it.effect, it.object);
        changes.iter().map(text).collect()
    };
    assert_eq!(
        add(&left, &gone),
        ["orphaned lolcow/moo it cannot be deleted: nothing removes its finalizer `my.domain/old`"],
        "a child that stays because its owner does is not a change of its own"
    );
    let child = snapshot(&[config("moo", &json!({}))]);
    assert_eq!(
        add(&child, &gone)[1],
        "orphaned configmap/moo it stays when lolcow/moo is deleted"
    );
    assert_eq!(
        add(&gone, &gone),
        [
            "harmless lolcow/moo metadata.finalizers: the new version removes it when the object is deleted"
        ]
    );
}

#[test]
fn only_new_finalizers_make_an_object_undeletable_after_a_rollback() {
    let subject = ObjectId {
        kind: "Lolcow.my.domain".into(),
        name: "moo".into(),
    };
    let lolcow = |finalizers: &[&str]| {
        snapshot(&[json!({"apiVersion": "my.domain/v1", "kind": "Lolcow",
            "metadata": {"name": "moo", "finalizers": finalizers}, "spec": {"a": 1}})])
    };
    let (protected, old) = (lolcow(&[]), lolcow(&["my.domain/old"]));
    assert_eq!(
        undeletable(&subject, &protected, Some("admission webhook denied it")).unwrap(),
        "it still exists after its deletion: admission webhook denied it"
    );
    assert_eq!(
        undeletable_after_rollback(&subject, &protected, &protected),
        None
    );
    assert_eq!(undeletable_after_rollback(&subject, &old, &old), None);
    let new = lolcow(&["my.domain/old", "my.domain/new"]);
    assert_eq!(
        undeletable_after_rollback(&subject, &old, &new).unwrap(),
        "it cannot be deleted: nothing removes its finalizer `my.domain/new`"
    );
}

#[test]
fn a_value_that_a_rollback_does_not_restore_makes_the_upgrade_one_way() {
    let mut changed = deployment("moo:2", 1);
    changed["metadata"]["labels"] = json!({"new": "x"});
    changed["metadata"]["finalizers"] = json!(["my.domain/new"]);
    let [before, back] = [
        snapshot(&[deployment("moo:1", 1), config("old", &json!({}))]),
        snapshot(&[changed, config("new", &json!({}))]),
    ];
    let found: Vec<_> = rollback_changes(&before, &back, &Mask::default())
        .iter()
        .map(|it| format!("{} {} {it}", it.effect, it.object))
        .collect();
    assert_eq!(
        found,
        [
            "harmless configmap/new it stays when the old version takes over again",
            "one-way configmap/old it is missing after the old version has taken over again",
            "harmless deployment/moo metadata.labels.new: nothing -> x; after the old version has taken over again",
            "one-way deployment/moo spec.template.spec.containers[moo].image: moo:1 -> moo:2; after the old version has taken over again"
        ]
    );
}

#[test]
fn symptoms_that_the_old_version_has_too_are_ignored() {
    let subject = ObjectId {
        kind: "Lolcow.my.domain".into(),
        name: "moo".into(),
    };
    let hot_loop =
        |number: u8| Symptom::HotLoop(format!("PATCH /namespaces/torture-0000{number}/moo"), 40);
    let panic = |text: &str, line: u8| Symptom::Panic(format!("src/cow.rs:{line}: {text}"));
    let webhook = |message: &str| Symptom::WebhookFailed {
        webhook: "moo".into(),
        message: message.into(),
    };
    let old = [hot_loop(1), panic("no hay", 3), webhook("timeout 1")];
    let same = [hot_loop(2), panic("no hay", 14), webhook("timeout after 2")];
    assert_eq!(symptoms(&same, &old, &subject), []);
    let new = [
        panic("no grass", 3),
        Symptom::Exited("exit status: 1".into()),
    ];
    let effects = |known: &[Symptom]| symptoms(&new, known, &subject).len();
    assert_eq!((effects(&old), effects(&[])), (2, 2));
}

#[test]
fn only_new_decoding_errors_count() {
    let log = "INFO starts\nWARN watch failed: missing field `size` at line 1\n\
        WARN watch failed: missing field `size` at line 1\nERROR unknown variant `Blue`, expected";
    assert_eq!(
        undecodable(log, "WARN unknown variant `Blue`, expected"),
        ["WARN watch failed: missing field `size` at line 1"]
    );
    assert_eq!(undecodable(log, log), [""; 0]);
}

#[test]
fn kinds_are_found_by_their_plurals() {
    let resource = |group: &str, plural: &str| Resource {
        group: group.into(),
        version: "v1".into(),
        plural: plural.into(),
    };
    for (kind, group, plural, is) in [
        ("Deployment", "apps", "deployments", true),
        ("Ingress", "networking.k8s.io", "ingresses", true),
        (
            "NetworkPolicy",
            "networking.k8s.io",
            "networkpolicies",
            true,
        ),
        ("Lolcow.my.domain", "my.domain", "lolcows", true),
        ("Lolcow.my.domain", "other.domain", "lolcows", false),
        ("Service", "", "serviceaccounts", false),
    ] {
        assert_eq!(
            is_resource_of_kind(kind, &resource(group, plural)),
            is,
            "{kind}"
        );
    }
}

#[test]
fn only_successful_writes_to_managed_objects_are_counted() {
    let entries = [
        request(
            "PATCH",
            "/api/v1/namespaces/t/configmaps/moo",
            200,
            json!({}),
        ),
        request(
            "PATCH",
            "/api/v1/namespaces/t/configmaps/moo",
            422,
            json!({}),
        ),
        request("GET", "/api/v1/namespaces/t/configmaps/moo", 200, json!({})),
        request("POST", "/api/v1/namespaces/t/events", 201, json!({})),
    ];
    assert_eq!(count_writes(&entries), 1);
}
