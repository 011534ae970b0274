//! The Helm chart, by Helm itself.

pub mod helm;
mod same;
mod values;

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::story::{command, turn};
use crate::support::{Ran, Sandbox, run, until};
use crate::webhooks::place::{Place, Replica, SOON, project};
use helm::{Helm, chart_anew, copy};
use same::differences;

#[test]
fn with_its_default_values_it_is_config_default() {
    let sandbox = Sandbox::new();
    sandbox.ok("cluster start --no-controllers");
    let helm = Helm::new(4);
    for (golden, project) in [
        ("lolcow", "lolcow-operator"),
        ("namespaced", "namespaced-operator"),
        ("webhooks", "webhooks-operator"),
        ("fleet", "fleet-operator"),
        ("imported", "herd-operator"),
    ] {
        let dir = sandbox.path().join(golden);
        copy(golden, &dir);
        helm.ok(&dir, &format!("lint --strict charts/{project}"));
        let default = dir.join("config/default");
        let kustomize = sandbox.kubectl("default", &format!("kustomize {}", default.display()));
        assert_eq!(kustomize.code, Some(0), "{}", kustomize.stderr);
        let kustomize: Vec<Value> = serde_yaml::from_multiple(&kustomize.stdout).unwrap();
        let rendered = helm.template(&dir, project, "");
        let found = differences(&kustomize, &rendered);
        assert!(found.is_empty(), "{golden}:\n{}", found.join("\n"));
        assert!(rendered.len() > 10, "{golden}");
    }
}

/// A cluster with a release of a project.
struct Release<'a> {
    helm: Helm,
    sandbox: &'a Sandbox,
    dir: &'a Path,
    /// The name of the project, its chart and the release.
    name: &'a str,
}

impl Release<'_> {
    fn helm(&self, line: &str) -> Ran {
        let status = self.sandbox.status("default").remove(0);
        let namespace = format!("--namespace={}-system", self.name);
        let mut command = self.helm.command(self.dir);
        command.args(line.split_whitespace()).arg(namespace);
        run(command.env("KUBECONFIG", status["kubeconfig"].as_str().unwrap()))
    }

    fn ok(&self, line: &str) -> String {
        let ran = self.helm(line);
        assert_eq!(
            ran.code,
            Some(0),
            "helm {line}\n{}{}",
            ran.stdout,
            ran.stderr
        );
        ran.stdout
    }

    fn install(&self) -> String {
        self.ok(&format!(
            "install {0} charts/{0} --create-namespace",
            self.name
        ))
    }

    fn upgrade(&self, values: &str) -> String {
        self.ok(&format!("upgrade {0} charts/{0} {values}", self.name))
    }

    fn kubectl(&self, line: &str) -> String {
        let ran = self.sandbox.kubectl("default", line);
        assert_eq!(ran.code, Some(0), "{line}: {}", ran.stderr);
        ran.stdout
    }
}

#[test]
fn a_release_is_installed_upgraded_rolled_back_and_gone() {
    life(4);
}

#[test]
#[ignore = "for the nights"]
fn a_release_of_helm_3_is_installed_upgraded_rolled_back_and_gone() {
    life(3);
}

fn life(version: u8) {
    let sandbox = Sandbox::new();
    sandbox.ok("cluster start --no-controllers");
    let dir = sandbox.path().join("lolcow");
    copy("lolcow", &dir);
    let release = Release {
        helm: Helm::new(version),
        sandbox: &sandbox,
        dir: &dir,
        name: "lolcow-operator",
    };
    assert!(release.install().contains("keeps the CRDs"));
    // `kubectl wait` fails at once on a CRD that has no conditions yet.
    until("the kind is served", SOON, || {
        let line = "wait --for condition=Established --timeout 60s crd/lolcows.my.domain";
        sandbox.kubectl("default", line).code == Some(0)
    });
    release.kubectl(&format!(
        "apply -f {}",
        dir.join("config/samples/v1alpha1_lolcow.yaml").display()
    ));
    let sample =
        || release.kubectl("get lolcow lolcow-sample -o jsonpath={.metadata.uid}{.spec.message}");
    let before = sample();

    // The next version: a longer message, and braces where Helm would read a template.
    let crd = dir.join("config/crd/bases/my.domain_lolcows.yaml");
    let old = fs::read_to_string(&crd).unwrap();
    let new = old
        .replace("maxLength: 100", "maxLength: 200")
        .replace("What to say", "What {{ .Values }} say");
    assert_ne!(old, new);
    fs::write(&crd, new).unwrap();
    chart_anew(&dir);
    let message = "get crd lolcows.my.domain -o jsonpath={.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.message}";
    let longest = || {
        let message: Value = serde_json::from_str(&release.kubectl(message)).unwrap();
        (
            message["maxLength"].as_u64(),
            message["description"]
                .as_str()
                .unwrap()
                .contains("{{ .Values }}"),
        )
    };
    assert_eq!(longest(), (Some(100), false));
    release.upgrade("--set replicas=2");
    assert_eq!(longest(), (Some(200), true));
    let replicas = || {
        release.kubectl("-n lolcow-operator-system get deployment lolcow-operator-controller-manager -o jsonpath={.spec.replicas}")
    };
    assert_eq!(replicas(), "2");
    release.ok("rollback lolcow-operator 1");
    assert_eq!((longest(), replicas().as_str()), ((Some(100), false), "1"));

    release.ok("uninstall lolcow-operator");
    assert_eq!(sample(), before);
    let left = release
        .kubectl("-n lolcow-operator-system get deployments,services,roles,rolebindings -o name");
    assert_eq!(left, "");
    // What stayed is taken up again.
    release.install();
    assert_eq!((sample(), longest()), (before, (Some(200), true)));
    release.upgrade("--set crds.keep=false");
    release.ok("uninstall lolcow-operator");
    let gone = sandbox.kubectl(
        "default",
        "wait --for=delete --timeout 60s crd/lolcows.my.domain",
    );
    assert_eq!(gone.code, Some(0), "{}", gone.stderr);
}

/// The operator makes its certificate and tells the API server of it, in objects that the chart has
/// made.
#[test]
fn an_upgrade_leaves_what_the_operator_wrote() {
    upgraded(4);
}

#[test]
#[ignore = "for the nights"]
fn an_upgrade_of_helm_3_leaves_what_the_operator_wrote() {
    upgraded(3);
}

fn upgraded(version: u8) {
    let _turn = turn("webhooks");
    let place = Place {
        dir: project(),
        sandbox: Sandbox::new(),
    };
    let line = "build --locked --quiet --workspace --bin webhooks-operator";
    let built = run(command(&place.dir, "cargo").args(line.split(' ')));
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    place.sandbox.ok("cluster start --no-controllers");
    let release = Release {
        helm: Helm::new(version),
        sandbox: &place.sandbox,
        dir: &place.dir,
        name: "webhooks-operator",
    };
    release.install();
    let mut operator = Replica::start(&place);
    operator.becomes_ready();
    let written = || {
        let authorities = [
            "crd lolcows.my.domain -o jsonpath={.spec.conversion.webhook.clientConfig.caBundle}",
            "mutatingwebhookconfigurations webhooks-operator-mutating-webhook-configuration -o jsonpath={.webhooks[*].clientConfig.caBundle}",
            "validatingwebhookconfigurations webhooks-operator-validating-webhook-configuration -o jsonpath={.webhooks[*].clientConfig.caBundle}",
            "-n webhooks-operator-system secret webhooks-operator-webhook-certificate -o jsonpath={.data}",
        ];
        authorities.map(|what| release.kubectl(&format!("get {what}")))
    };
    // It is ready when it has its certificate, and tells of it then.
    until("an authority wherever one is asked for", SOON, || {
        written().iter().all(|text| text.len() > 100)
    });
    let before = written();
    // No operator runs that would write it again.
    operator.kill();
    let manifests = place
        .dir
        .join("charts/webhooks-operator/templates/webhook/manifests.yaml");
    let text = fs::read_to_string(&manifests).unwrap();
    fs::write(
        &manifests,
        text.replace(
            "sideEffects: None",
            "sideEffects: None\n  timeoutSeconds: 7",
        ),
    )
    .unwrap();
    release.upgrade("--set podLabels.a=b");
    let timeouts = release.kubectl("get mutatingwebhookconfigurations,validatingwebhookconfigurations -o jsonpath={.items[*].webhooks[*].timeoutSeconds}");
    assert_eq!(timeouts, "7 7 7");
    assert_eq!(written(), before);
    release.ok("rollback webhooks-operator 1");
    assert_eq!(written(), before);
}
