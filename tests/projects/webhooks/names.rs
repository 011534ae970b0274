//! Names and certificates as `config/` has them: whatever a user calls things, the operator finds
//! them.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::place::{Place, project};
use crate::story::{rustop, turn};
use crate::support::Sandbox;

const DEFAULT: &str = "config/default/kustomization.yaml";
const NAMESPACE: &str = "barn";

/// The objects that kustomize renders from `config/default`.
struct Rendered(Vec<Value>);

impl Rendered {
    fn of(place: &Place) -> Self {
        let yaml = place.ok("$KUBECTL kustomize config/default");
        Self(serde_yaml::from_multiple(&yaml).unwrap())
    }

    fn named<'a>(&'a self, kind: &'a str, part: &'a str) -> Vec<&'a Value> {
        let of_kind = self.0.iter().filter(move |object| object["kind"] == kind);
        let is_named =
            |object: &&Value| object["metadata"]["name"].as_str().unwrap().contains(part);
        of_kind.filter(is_named).collect()
    }

    fn one<'a>(&'a self, kind: &'a str, part: &'a str) -> &'a Value {
        let [one] = self.named(kind, part)[..] else {
            panic!("one {kind} called {part}");
        };
        one
    }

    fn container(&self) -> &Value {
        let deployment = self.one("Deployment", "");
        &deployment["spec"]["template"]["spec"]["containers"][0]
    }

    /// The value of a variable of the operator.
    fn variable(&self, name: &str) -> Option<&str> {
        let all = self.container()["env"].as_array().unwrap();
        all.iter().find(|each| each["name"] == name)?["value"].as_str()
    }
}

fn edit(path: &Path, edits: &[(&str, &str)]) {
    let mut text = fs::read_to_string(path).unwrap();
    for (from, to) in edits {
        assert!(text.contains(from), "{from} is not in {}", path.display());
        text = text.replace(from, to);
    }
    fs::write(path, text).unwrap();
}

/// The project in another namespace, with another prefix, and with a configuration of another name.
fn renamed() -> Place {
    let place = Place {
        dir: project(),
        sandbox: Sandbox::new(),
    };
    place.sandbox.ok("cluster start --no-controllers");
    edit(
        &place.dir.join(DEFAULT),
        &[
            ("namespace: webhooks-operator-system", "namespace: barn"),
            ("namePrefix: webhooks-operator-", "namePrefix: farm-"),
        ],
    );
    let rules = place.dir.join("src/webhooks/lolcow/validation.rs");
    let marker = "// +kubebuilder:webhookconfiguration:mutating=false,name=polite";
    edit(
        &rules,
        &[("// +kubebuilder", &format!("{marker}\n// +kubebuilder"))],
    );
    // The skeleton of the Pods' webhook leaves out the namespace that there was.
    let ran = rustop(&place.dir, &["manifests", "--deny-warnings"]);
    let mend = "kubernetes.io/metadata.name!=barn";
    assert!(
        ran.code == Some(1) && ran.stderr.contains(mend),
        "{}",
        ran.stderr
    );
    edit(
        &place.dir.join("src/webhooks/core_pod/validation.rs"),
        &[(
            "kubernetes.io/metadata.name!=webhooks-operator-system",
            mend,
        )],
    );
    let ran = rustop(&place.dir, &["manifests", "--deny-warnings"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    place
}

#[test]
fn names_and_the_namespace_may_be_changed() {
    let _turn = turn("webhooks");
    let place = renamed();
    let rendered = Rendered::of(&place);
    assert_eq!(
        rendered.variable("WEBHOOK_SERVICE"),
        Some("farm-webhook-service")
    );
    assert_eq!(
        rendered.variable("WEBHOOK_SECRET"),
        Some("farm-webhook-certificate")
    );
    assert_eq!(rendered.variable("WEBHOOK_VALIDATING"), Some("farm-polite"));
    assert_eq!(
        rendered.variable("WEBHOOK_MUTATING"),
        Some("farm-mutating-webhook-configuration")
    );
    let crd = rendered.one("CustomResourceDefinition", "lolcows");
    let converter = &crd["spec"]["conversion"]["webhook"]["clientConfig"]["service"];
    assert_eq!(
        (&converter["name"], &converter["namespace"]),
        (&"farm-webhook-service".into(), &NAMESPACE.into())
    );
    place.ok("$KUBECTL apply --server-side -k config/crd");
    place.ok("$KUBECTL create namespace barn");
    place.ok("$KUBECTL apply --server-side --force-conflicts -k config/default");
    let can = |what: &str| {
        let account = format!("system:serviceaccount:{NAMESPACE}:farm-controller-manager");
        let ran = place.sh(&format!("$KUBECTL auth can-i {what} --as {account}"));
        ran.stdout == "yes\n"
    };
    for allowed in [
        "update secret/farm-webhook-certificate -n barn",
        "update validatingwebhookconfigurations/farm-polite",
        "update mutatingwebhookconfigurations/farm-mutating-webhook-configuration",
        "update customresourcedefinitions/lolcows.my.domain",
    ] {
        assert!(can(allowed), "{allowed}");
    }
    for forbidden in [
        "update secret/other -n barn",
        "update secret/farm-webhook-certificate -n default",
        "update validatingwebhookconfigurations/other",
        "update customresourcedefinitions/others.my.domain",
        "list validatingwebhookconfigurations",
        "delete validatingwebhookconfigurations/farm-polite",
    ] {
        assert!(!can(forbidden), "{forbidden}");
    }
}

#[test]
fn cert_manager_can_be_switched_on() {
    let _turn = turn("webhooks");
    let place = renamed();
    edit(
        &place.dir.join(DEFAULT),
        &[
            ("#- ../certmanager", "- ../certmanager"),
            ("#replacements:", "replacements:"),
            ("#- path:", "- path:"),
        ],
    );
    let rendered = Rendered::of(&place);
    for kind in [
        "Secret",
        "Role",
        "RoleBinding",
        "ClusterRole",
        "ClusterRoleBinding",
    ] {
        assert!(
            rendered.named(kind, "webhook-certificate").is_empty(),
            "{kind}"
        );
    }
    let certificate = rendered.one("Certificate", "farm-serving-cert");
    assert_eq!(certificate["metadata"]["namespace"], NAMESPACE);
    assert_eq!(
        certificate["spec"]["issuerRef"]["name"],
        "farm-selfsigned-issuer"
    );
    assert_eq!(
        certificate["spec"]["dnsNames"],
        serde_json::json!([
            "farm-webhook-service.barn.svc",
            "farm-webhook-service.barn.svc.cluster.local"
        ])
    );
    for (kind, name) in [
        ("MutatingWebhookConfiguration", "farm-"),
        ("ValidatingWebhookConfiguration", "farm-"),
        ("CustomResourceDefinition", "lolcows"),
    ] {
        let annotations = &rendered.one(kind, name)["metadata"]["annotations"];
        assert_eq!(
            annotations["cert-manager.io/inject-ca-from"],
            "barn/farm-serving-cert"
        );
    }
    let mounted = &rendered.container()["volumeMounts"][0];
    assert_eq!(
        rendered.variable("WEBHOOK_CERT_PATH"),
        mounted["mountPath"].as_str()
    );
    assert_eq!(rendered.variable("WEBHOOK_SECRET"), None);
    let volume = &rendered.one("Deployment", "")["spec"]["template"]["spec"]["volumes"][0];
    assert_eq!(volume["name"], mounted["name"]);
    assert_eq!(
        volume["secret"]["secretName"],
        certificate["spec"]["secretName"]
    );
}
