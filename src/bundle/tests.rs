//! Tests of bundles generated from files of `config/`.

use serde_json::json;

use super::*;
use crate::project::naming::Naming;

const MANAGER: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: controller-manager\n  namespace: system\n\
    spec:\n  template:\n    spec:\n      serviceAccountName: controller-manager\n      containers:\n      - name: manager\n        \
    image: controller:latest\n        env:\n        - name: WATCH_NAMESPACE\n          valueFrom:\n            fieldRef:\n              \
    fieldPath: metadata.namespace\n";

fn files(more: &[(&str, &str)]) -> BundleFiles {
    let always = [
        ("manager/manager.yaml", MANAGER),
        (
            "manifests/clusterserviceversion.yaml",
            "spec:\n  displayName: Cows\n",
        ),
    ];
    let files = always.iter().chain(more);
    let files = files.map(|(path, text)| (format!("config/{path}"), (*text).to_owned()));
    files.collect()
}

fn made(namespaced: bool, more: &[(&str, &str)]) -> Result<GeneratedBundle, Error> {
    let naming = Naming {
        namespace: "cows-system".to_owned(),
        prefix: "cows-".to_owned(),
        restores_namespaces: true,
    };
    let bundle = Bundle {
        project: "cows",
        version: "1.2.3",
        naming: &naming,
        namespaced,
        required: Vec::new(),
    };
    bundle.manifests(&files(more))
}

fn csv(namespaced: bool, more: &[(&str, &str)]) -> Value {
    let made = made(namespaced, more).unwrap();
    let text = &made.files["bundle/manifests/cows.clusterserviceversion.yaml"];
    serde_yaml::from_str(text).unwrap()
}

fn supported(csv: &Value) -> usize {
    let modes = config::items(csv, "/spec/installModes").iter();
    modes.filter(|mode| mode["supported"] == true).count()
}

#[test]
fn the_users_words_stay_and_the_rest_follows() {
    let base = "spec:\n  displayName: Cows\n  replaces: cows.v1.2.2\n  version: 0.0.0\n  installModes: []\n";
    let csv = csv(false, &[("manifests/clusterserviceversion.yaml", base)]);
    assert_eq!(csv["metadata"]["name"], "cows.v1.2.3");
    let spec = &csv["spec"];
    assert_eq!(spec["displayName"], "Cows");
    assert_eq!(spec["replaces"], "cows.v1.2.2");
    assert_eq!(spec["version"], "1.2.3");
    assert_eq!(supported(&csv), 1);
}

#[test]
fn a_namespaced_operator_watches_the_namespaces_of_olm() {
    let env = |csv: &Value| {
        let path = "/spec/install/spec/deployments/0/spec/template/spec/containers/0/env";
        csv.pointer(path).unwrap().to_string()
    };
    let confined = csv(true, &[]);
    assert!(env(&confined).contains("olm.targetNamespaces"));
    assert_eq!(supported(&confined), 4);
    assert!(!env(&csv(false, &[])).contains("olm.targetNamespaces"));
}

#[test]
fn the_port_of_a_registry_is_not_a_tag() {
    let manager = MANAGER.replace("controller:latest", "localhost:5000/cow:v1");
    let images = "images:\n- name: localhost:5000/cow\n  newTag: v2\n";
    let more = [
        ("manager/manager.yaml", manager.as_str()),
        ("manager/kustomization.yaml", images),
    ];
    let annotations = &csv(false, &more)["metadata"]["annotations"];
    assert_eq!(annotations["containerImage"], "localhost:5000/cow:v2");
}

#[test]
fn the_image_of_the_bundle_is_that_of_the_manager() {
    let proxy = "containers:\n      - name: proxy\n        image: proxy:v3\n";
    let manager = MANAGER.replace("containers:\n", proxy);
    let csv = csv(false, &[("manager/manager.yaml", &manager)]);
    let annotations = &csv["metadata"]["annotations"];
    assert_eq!(annotations["containerImage"], "controller:latest");
}

#[test]
fn a_copy_next_to_a_file_is_not_read() {
    let broken = "<<<<<<< ours\na: [\n";
    let more = [
        ("manager/manager.yaml.orig", broken),
        ("manifests/clusterserviceversion.yaml.orig", broken),
    ];
    assert!(made(false, &more).is_ok());
}

#[test]
fn patches_of_config_default_and_its_images_are_followed() {
    let default = "patches:\n- patch: |\n    kind: Deployment\n    spec:\n      replicas: 2\n- path: other.yaml\n";
    let images = "images:\n- name: controller\n  newName: quay.io/cows\n  newTag: v7\n";
    let more = [
        ("default/kustomization.yaml", default),
        ("manager/kustomization.yaml", images),
    ];
    let csv = csv(false, &more);
    let deployment = &csv["spec"]["install"]["spec"]["deployments"][0];
    assert_eq!(deployment["name"], "cows-controller-manager");
    assert_eq!(deployment["spec"]["replicas"], 2);
    let image = &deployment["spec"]["template"]["spec"]["containers"][0]["image"];
    assert_eq!(image, "quay.io/cows:v7");
    let notes = made(false, &more).unwrap().notes;
    assert!(
        notes.len() == 1 && notes[0].ends_with("1 are not"),
        "{notes:?}"
    );
}

#[test]
fn rules_reach_as_far_as_their_bindings() {
    let role = |kind: &str, verb: &str| {
        let namespace = if kind == "Role" {
            "  namespace: system\n"
        } else {
            ""
        };
        format!(
            "kind: {kind}\nmetadata:\n  name: r\n{namespace}rules:\n- verbs: [{verb}]\n---\nkind: {kind}Binding\nmetadata:\n  name: b\n{namespace}\
             roleRef:\n  kind: {kind}\n  name: r\nsubjects:\n- kind: ServiceAccount\n  name: controller-manager\n---\n"
        )
    };
    let text = role("Role", "get")
        + &role("ClusterRole", "list")
        + "kind: ClusterRole\nmetadata:\n  name: people\nrules: []\n";
    let more = [("rbac/role.yaml", text.as_str())];
    let csv = csv(false, &more);
    let spec = &csv["spec"]["install"]["spec"];
    let granted = |verb| json!([{"serviceAccountName": "cows-controller-manager", "rules": [{"verbs": [verb]}]}]);
    assert_eq!(spec["permissions"], granted("get"));
    assert_eq!(spec["clusterPermissions"], granted("list"));
    let made = made(false, &more).unwrap();
    let paths: Vec<_> = made.files.keys().map(String::as_str).collect();
    assert_eq!(
        paths,
        [
            "bundle/manifests/cows-people.clusterrole.yaml",
            "bundle/manifests/cows.clusterserviceversion.yaml"
        ]
    );
}

#[test]
fn a_webhook_that_olm_cannot_narrow_is_named() {
    let text = "kind: ValidatingWebhookConfiguration\nwebhooks:\n- name: v.cows\n  namespaceSelector: {}\n  clientConfig:\n    service:\n      path: /v\n";
    let made = made(false, &[("webhook/manifests.yaml", text)]).unwrap();
    assert_eq!(made.notes.len(), 1);
    assert!(made.notes[0].contains("the namespaceSelector of the webhook v.cows"));
}

#[test]
fn words_are_those_of_people() {
    for (name, said) in [
        ("CronJob", "Cron Job"),
        ("maxLength", "Max Length"),
        ("HTTPRoute", "HTTP Route"),
        ("x", "X"),
    ] {
        assert_eq!(owned::words(name), said);
    }
}

#[test]
fn invalid_and_missing_manifests_are_named() {
    let path = "manager/manager.yaml";
    for (text, says) in [
        ("a: [", "is not valid YAML"),
        ("kind: Namespace\n", "has no Deployment"),
    ] {
        let error = made(false, &[(path, text)]).unwrap_err().to_string();
        assert!(error.contains(says) && error.contains(path), "{error}");
    }
}

#[test]
fn a_role_for_another_namespace_is_one_note() {
    let text = "kind: Role\nmetadata:\n  name: r-infra\n  namespace: infra\nrules: []\n---\nkind: RoleBinding\nmetadata:\n  \
        name: b\n  namespace: infra\nroleRef:\n  kind: Role\n  name: r-infra\nsubjects:\n- kind: ServiceAccount\n  name: \
        controller-manager\n";
    let notes = made(false, &[("rbac/role.yaml", text)]).unwrap().notes;
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(
        notes[0].contains("the role `r-infra` in the namespace `infra`"),
        "{notes:?}"
    );
}
