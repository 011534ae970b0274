//! The effect of each value of the chart.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::helm::{Helm, copy};

const NAME: &str = "webhooks-operator";
const CONTAINER: &str = "/spec/template/spec/containers/0";

/// One object of a kind, and what stands in it.
fn at(objects: &[Value], kind: &str, pointer: &str) -> Value {
    let mut of_kind = objects.iter().filter(|object| object["kind"] == kind);
    let object = of_kind.next().unwrap_or_else(|| panic!("no {kind}"));
    object.pointer(pointer).cloned().unwrap_or_default()
}

fn names(objects: &[Value], part: &str) -> Vec<String> {
    let name = |object: &Value| {
        format!("{} {}", object["kind"], object["metadata"]["name"]).replace('"', "")
    };
    let names = objects.iter().map(name);
    names.filter(|name| name.contains(part)).collect()
}

#[test]
fn each_value_of_the_pod_does_what_it_says() {
    let dir = tempfile::tempdir().unwrap();
    copy("webhooks", dir.path());
    let helm = Helm::new(4);
    let deployment = |values: &str, pointer: &str| {
        let objects = helm.template(dir.path(), NAME, values);
        at(&objects, "Deployment", pointer)
    };
    for (values, pointer, expected) in [
        ("replicas=3", "/spec/replicas", json!(3)),
        (
            "nodeSelector.a=b",
            "/spec/template/spec/nodeSelector/a",
            json!("b"),
        ),
        (
            "tolerations[0].key=a",
            "/spec/template/spec/tolerations/0/key",
            json!("a"),
        ),
        (
            "affinity.nodeAffinity.a=b",
            "/spec/template/spec/affinity/nodeAffinity/a",
            json!("b"),
        ),
        (
            "topologySpreadConstraints[0].maxSkew=1",
            "/spec/template/spec/topologySpreadConstraints/0/maxSkew",
            json!(1),
        ),
        (
            "priorityClassName=high",
            "/spec/template/spec/priorityClassName",
            json!("high"),
        ),
        (
            "podAnnotations.a=b",
            "/spec/template/metadata/annotations/a",
            json!("b"),
        ),
        (
            "podLabels.a=b",
            "/spec/template/metadata/labels/a",
            json!("b"),
        ),
        (
            "imagePullSecrets[0].name=a",
            "/spec/template/spec/imagePullSecrets/0/name",
            json!("a"),
        ),
        (
            "serviceAccount.name=me",
            "/spec/template/spec/serviceAccountName",
            json!("me"),
        ),
        (
            "serviceAccount.create=false",
            "/spec/template/spec/serviceAccountName",
            json!("default"),
        ),
        (
            "fullnameOverride=cow",
            "/metadata/name",
            json!("cow-controller-manager"),
        ),
    ] {
        assert_eq!(
            deployment(&format!("--set {values}"), pointer),
            expected,
            "{values}"
        );
    }
}

#[test]
fn each_value_that_other_charts_have_does_what_it_does_there() {
    let dir = tempfile::tempdir().unwrap();
    copy("webhooks", dir.path());
    let helm = Helm::new(4);
    for (values, pointer, expected) in [
        (
            "strategy.type=Recreate",
            "/spec/strategy/type",
            json!("Recreate"),
        ),
        ("deploymentLabels.a=b", "/metadata/labels/a", json!("b")),
        (
            "deploymentAnnotations.a=b",
            "/metadata/annotations/a",
            json!("b"),
        ),
        ("commonLabels.a=b", "/metadata/labels/a", json!("b")),
        (
            "hostNetwork=true",
            "/spec/template/spec/hostNetwork",
            json!(true),
        ),
        (
            "terminationGracePeriodSeconds=30",
            "/spec/template/spec/terminationGracePeriodSeconds",
            json!(30),
        ),
        (
            "podSecurityContext.fsGroup=5",
            "/spec/template/spec/securityContext",
            json!({"fsGroup": 5, "runAsNonRoot": true, "seccompProfile": {"type": "RuntimeDefault"}}),
        ),
        (
            "extraVolumes[0].name=a",
            "/spec/template/spec/volumes",
            json!([{"name": "a"}]),
        ),
        (
            "extraContainers[0].name=a",
            "/spec/template/spec/containers/1/name",
            json!("a"),
        ),
        (
            "nameOverride=cow",
            "/metadata/name",
            json!("webhooks-operator-cow-controller-manager"),
        ),
    ] {
        let objects = helm.template(dir.path(), NAME, &format!("--set {values}"));
        assert_eq!(at(&objects, "Deployment", pointer), expected, "{values}");
    }
}

#[test]
fn each_value_of_the_container_does_what_it_says() {
    let dir = tempfile::tempdir().unwrap();
    copy("webhooks", dir.path());
    let helm = Helm::new(4);
    let container = |values: &str, field: &str| {
        let objects = helm.template(dir.path(), NAME, values);
        at(&objects, "Deployment", &format!("{CONTAINER}{field}"))
    };
    let digest = format!("sha256:{}", "0".repeat(64));
    for (values, field, expected) in [
        (
            "image.repository=r.io:5000/cow,image.tag=v1".to_owned(),
            "/image",
            json!("r.io:5000/cow:v1"),
        ),
        ("image.tag=".to_owned(), "/image", json!("controller:0.1.0")),
        (
            format!("image.digest={digest}"),
            "/image",
            json!(format!("controller@{digest}")),
        ),
        (
            "image.pullPolicy=Never".to_owned(),
            "/imagePullPolicy",
            json!("Never"),
        ),
        (
            "resources.limits.memory=1Gi".to_owned(),
            "/resources/limits/memory",
            json!("1Gi"),
        ),
        (
            "args[0]=--log-level=debug".to_owned(),
            "/args/4",
            json!("--log-level=debug"),
        ),
        (
            "securityContext.runAsUser=5".to_owned(),
            "/securityContext/runAsUser",
            json!(5),
        ),
        (
            "terminationGracePeriodSeconds=30".to_owned(),
            "/args/3",
            json!("--termination-grace-period-seconds=30"),
        ),
        (
            "extraVolumeMounts[0].name=a,certManager.enabled=true".to_owned(),
            "/volumeMounts/1/name",
            json!("a"),
        ),
        (
            "leaderElection.enabled=false".to_owned(),
            "/args/0",
            json!("--health-probe-bind-address=:8081"),
        ),
        (
            "metrics.enabled=false".to_owned(),
            "/args/2",
            json!("--termination-grace-period-seconds=10"),
        ),
    ] {
        assert_eq!(
            container(&format!("--set {values}"), field),
            expected,
            "{values}"
        );
    }
    let variables = |values: &str| container(values, "/env");
    let namespaces = json!({"name": "WATCH_NAMESPACE", "value": "a,b"});
    let two = variables("--set watchNamespaces[0]=a,watchNamespaces[1]=b");
    assert!(two.as_array().unwrap().contains(&namespaces), "{two}");
    let mine = json!({"name": "PASTURE", "value": "north"});
    let more = variables("--set env[0].name=PASTURE,env[0].value=north");
    assert!(more.as_array().unwrap().contains(&mine), "{more}");
}

/// The presence of objects by value, each found by a part of its name.
#[test]
fn what_is_switched_on_is_there_and_what_is_off_is_not() {
    let dir = tempfile::tempdir().unwrap();
    copy("webhooks", dir.path());
    let helm = Helm::new(4);
    let template = |values: &str| helm.template(dir.path(), NAME, values);
    for (switch, usually, part, count) in [
        ("serviceAccount.create", true, "ServiceAccount ", 1),
        ("leaderElection.enabled", true, "leader-election", 2),
        ("metrics.enabled", true, "metrics", 4),
        (
            "metrics.serviceMonitor.enabled",
            false,
            "ServiceMonitor ",
            1,
        ),
        ("prometheusRule.enabled", false, "PrometheusRule ", 1),
        ("networkPolicy.enabled", false, "NetworkPolicy ", 2),
        (
            "podDisruptionBudget.enabled",
            false,
            "PodDisruptionBudget ",
            1,
        ),
        ("certManager.enabled", false, "Certificate ", 1),
        ("certManager.enabled", false, "Issuer ", 1),
        ("crds.enabled", true, "CustomResourceDefinition ", 1),
    ] {
        for on in [true, false] {
            let objects = names(&template(&format!("--set {switch}={on}")), part);
            assert_eq!(
                objects.len(),
                if on { count } else { 0 },
                "{switch}={on}: {objects:?}"
            );
            if on == usually {
                assert_eq!(names(&template(""), part), objects, "{switch}");
            }
        }
    }
    let with = template("--set certManager.enabled=true");
    assert_eq!(names(&with, "webhook-certificate"), Vec::<String>::new());
    for kind in [
        "CustomResourceDefinition",
        "MutatingWebhookConfiguration",
        "ValidatingWebhookConfiguration",
    ] {
        let inject = "/metadata/annotations/cert-manager.io~1inject-ca-from";
        let certificate = format!("{NAME}-system/{NAME}-serving-cert");
        assert_eq!(at(&with, kind, inject), json!(certificate), "{kind}");
        assert_eq!(at(&template(""), kind, inject), Value::Null, "{kind}");
    }
    let secret = at(&with, "Certificate", "/spec/secretName");
    assert_eq!(
        at(
            &with,
            "Deployment",
            "/spec/template/spec/volumes/0/secret/secretName"
        ),
        secret
    );
    let keep = "/metadata/annotations/helm.sh~1resource-policy";
    assert_eq!(
        at(&template(""), "CustomResourceDefinition", keep),
        json!("keep")
    );
    let gone = template("--set crds.keep=false");
    assert_eq!(at(&gone, "CustomResourceDefinition", keep), Value::Null);
    let monitor = template(
        "--set metrics.serviceMonitor.enabled=true,metrics.serviceMonitor.labels.release=p",
    );
    assert_eq!(
        at(&monitor, "ServiceMonitor", "/metadata/labels/release"),
        json!("p")
    );
    let readers =
        template("--set metrics.readers[0].name=p,metrics.readers[0].namespace=monitoring");
    assert_eq!(names(&readers, "metrics-reader-rolebinding").len(), 1);
}

/// An operator for listed namespaces gets its role in each of them, and in its own where none is
/// listed.
#[test]
fn each_watched_namespace_gets_a_role() {
    let dir = tempfile::tempdir().unwrap();
    copy("namespaced", dir.path());
    let helm = Helm::new(4);
    for (values, expected) in [
        ("", vec!["namespaced-operator-system"]),
        (
            "--set watchNamespaces[0]=a,watchNamespaces[1]=b",
            vec!["a", "b"],
        ),
    ] {
        let objects = helm.template(dir.path(), "namespaced-operator", values);
        for (kind, name) in [
            ("Role", "manager-role"),
            ("RoleBinding", "manager-rolebinding"),
        ] {
            let of_kind = objects.iter().filter(|object| {
                object["kind"] == kind
                    && object["metadata"]["name"] == format!("namespaced-operator-{name}")
            });
            let namespaces: Vec<_> = of_kind
                .map(|object| object["metadata"]["namespace"].clone())
                .collect();
            assert_eq!(namespaces, expected, "{kind}");
        }
    }
}

/// The schema knows every value and describes it, and refuses what is misspelt or of another type.
#[test]
fn the_schema_is_that_of_the_values() {
    let dir = tempfile::tempdir().unwrap();
    copy("webhooks", dir.path());
    let read =
        |file: &str| fs::read_to_string(dir.path().join(format!("charts/{NAME}/{file}"))).unwrap();
    let values: Value = serde_yaml::from_str(&read("values.yaml")).unwrap();
    let schema: Value = serde_json::from_str(&read("values.schema.json")).unwrap();
    // These have no default.
    let unset = ["global", "podDisruptionBudget.maxUnavailable"].map(str::to_owned);
    let mut all = paths(&values, "");
    all.extend(unset);
    assert_eq!(described(&schema, &schema, ""), all);

    let helm = Helm::new(4);
    for wrong in [
        "replicas=many",
        "image.repositry=x",
        "crds.keep=perhaps",
        "watchNamespaces[0]=A_B",
        "image.digest=1",
        "metrics.readers[0].name=x",
        "image=null",
        "serviceAccount.nmae=x",
        "image.pullPolicy=Sometimes",
        "replica=2",
    ] {
        let ran = helm.run(
            dir.path(),
            &format!("template x charts/{NAME} --set {wrong}"),
        );
        let field = wrong.split(['=', '[', '.']).next().unwrap();
        assert!(
            ran.code != Some(0) && ran.stderr.contains(field),
            "{wrong}: {}{}",
            ran.stdout,
            ran.stderr
        );
    }
    // What a user adds for templates of their own is theirs.
    helm.ok(
        dir.path(),
        &format!("template x charts/{NAME} --set custom.mine=1,global.theirs=2"),
    );
}

/// `image`, `image.tag`: what is a value, whatever it holds below what the chart asks for.
fn paths(values: &Value, before: &str) -> BTreeSet<String> {
    let free = ["resources", "podSecurityContext", "securityContext"];
    let fields = values.as_object().into_iter().flatten();
    let all = fields.flat_map(|(key, value)| {
        let path = format!("{before}{key}");
        let below = if free.contains(&path.as_str()) {
            BTreeSet::new()
        } else {
            paths(value, &format!("{path}."))
        };
        below.into_iter().chain([path])
    });
    all.collect()
}

/// The properties of a schema, each of which must have a description.
fn described(root: &Value, schema: &Value, before: &str) -> BTreeSet<String> {
    let referred = schema["$ref"]
        .as_str()
        .map(|place| root.pointer(place.trim_start_matches('#')).unwrap());
    let properties = referred.unwrap_or(schema)["properties"].as_object();
    let all = properties.into_iter().flatten().flat_map(|(key, value)| {
        let path = format!("{before}{key}");
        assert!(
            value["description"]
                .as_str()
                .is_some_and(|text| text.ends_with('.')),
            "{path}: {value}"
        );
        described(root, value, &format!("{path}."))
            .into_iter()
            .chain([path])
    });
    all.collect()
}

/// Templates of the user, in addition to those of rustop, are part of the chart.
#[test]
fn a_users_template_is_rendered_too() {
    let dir = tempfile::tempdir().unwrap();
    copy("lolcow", dir.path());
    let mine = Path::new("charts/lolcow-operator/templates/mine.yaml");
    let text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ include \"lolcow-operator.fullname\" . }}-mine}\n";
    fs::write(dir.path().join(mine), text).unwrap();
    let objects = Helm::new(4).template(dir.path(), "lolcow-operator", "");
    assert_eq!(
        at(&objects, "ConfigMap", "/metadata/name"),
        json!("lolcow-operator-mine")
    );
}

#[test]
fn replicas_without_leader_election_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    copy("webhooks", dir.path());
    let values = "--set replicas=2,leaderElection.enabled=false";
    let ran = Helm::new(4).run(dir.path(), &format!("template x charts/{NAME} {values}"));
    assert_ne!(ran.code, Some(0));
    assert!(
        ran.stderr
            .contains("replicas is greater than 1, and leaderElection.enabled is false"),
        "{}",
        ran.stderr
    );
}

#[test]
fn no_role_is_left_if_rbac_is_not_created() {
    let dir = tempfile::tempdir().unwrap();
    copy("webhooks", dir.path());
    let values = "--set rbac.create=false,metrics.readers[0].name=p,metrics.readers[0].namespace=m";
    let objects = Helm::new(4).template(dir.path(), NAME, values);
    let kinds = objects.iter().filter_map(|object| object["kind"].as_str());
    let roles: Vec<_> = kinds.filter(|kind| kind.contains("Role")).collect();
    assert!(roles.is_empty(), "{roles:?}");
    assert!(objects.len() > 5);
}

/// A user's `values.yaml` of an earlier release has only the values of that release.
#[test]
fn values_that_are_missing_have_their_defaults() {
    let dir = tempfile::tempdir().unwrap();
    copy("webhooks", dir.path());
    let helm = Helm::new(4);
    let before = helm.template(dir.path(), NAME, "");
    let path = dir.path().join(format!("charts/{NAME}/values.yaml"));
    let mut values: Value = serde_yaml::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let added = [
        "hostNetwork",
        "deploymentAnnotations",
        "deploymentLabels",
        "commonLabels",
        "strategy",
        "terminationGracePeriodSeconds",
        "podSecurityContext",
        "securityContext",
        "extraVolumes",
        "extraVolumeMounts",
        "extraContainers",
        "podDisruptionBudget",
        "rbac",
        "webhook",
        "nameOverride",
        "custom",
    ];
    for name in added {
        assert!(
            values.as_object_mut().unwrap().remove(name).is_some(),
            "{name}"
        );
    }
    fs::write(&path, serde_json::to_string(&values).unwrap()).unwrap();
    assert_eq!(helm.template(dir.path(), NAME, ""), before);
}

/// The alerts are those of `config/prometheus/rules.yaml`, about the release's own Service.
#[test]
fn the_alerts_are_those_of_the_project() {
    let dir = tempfile::tempdir().unwrap();
    copy("webhooks", dir.path());
    let values =
        "--set prometheusRule.enabled=true,prometheusRule.labels.release=p,fullnameOverride=herd";
    let objects = Helm::new(4).template(dir.path(), NAME, values);
    let label = at(&objects, "PrometheusRule", "/metadata/labels/release");
    assert_eq!(label, json!("p"));
    let rules = dir.path().join("config/prometheus/rules.yaml");
    let rules: Value = serde_yaml::from_str(&fs::read_to_string(rules).unwrap()).unwrap();
    let of_project = format!("job=\"{NAME}-metrics\"");
    let of_release = format!("namespace=\"{NAME}-system\",job=\"herd-metrics\"");
    let mut expected = rules["spec"].clone();
    let alerts = expected["groups"][0]["rules"].as_array_mut().unwrap();
    assert!(alerts.len() > 4);
    for alert in alerts {
        let text = alert["expr"].as_str().unwrap();
        assert!(text.contains(&of_project), "{text}");
        alert["expr"] = text.replace(&of_project, &of_release).into();
    }
    assert_eq!(at(&objects, "PrometheusRule", "/spec"), expected);
}

#[test]
fn an_issuer_of_the_values_replaces_that_of_the_chart() {
    let dir = tempfile::tempdir().unwrap();
    copy("webhooks", dir.path());
    let helm = Helm::new(4);
    let own = helm.template(dir.path(), NAME, "--set certManager.enabled=true");
    let issuer = at(&own, "Issuer", "/metadata/name");
    let reference = at(&own, "Certificate", "/spec/issuerRef");
    assert_eq!(reference, json!({"kind": "Issuer", "name": issuer}));
    let values = "--set certManager.enabled=true,certManager.issuerRef.kind=ClusterIssuer,certManager.issuerRef.name=ca";
    let theirs = helm.template(dir.path(), NAME, values);
    assert_eq!(names(&theirs, "Issuer "), Vec::<String>::new());
    let reference = at(&theirs, "Certificate", "/spec/issuerRef");
    assert_eq!(reference, json!({"kind": "ClusterIssuer", "name": "ca"}));
}

#[test]
fn a_secret_of_the_values_replaces_every_other_certificate() {
    let dir = tempfile::tempdir().unwrap();
    copy("webhooks", dir.path());
    let helm = Helm::new(4);
    let secret = "webhook.certificate.existingSecret=tls,webhook.certificate.caBundle=Q0E=";
    for values in [
        secret.to_owned(),
        format!("{secret},certManager.enabled=true"),
    ] {
        let objects = helm.template(dir.path(), NAME, &format!("--set {values}"));
        for kind in [
            "Certificate ",
            "Issuer ",
            "Secret ",
            "ValidatingAdmissionPolicy ",
        ] {
            assert_eq!(names(&objects, kind), Vec::<String>::new(), "{values}");
        }
        let pod = at(&objects, "Deployment", "/spec/template/spec");
        assert_eq!(pod["volumes"][0]["secret"]["secretName"], "tls");
        let environment = pod["containers"][0]["env"].to_string();
        assert!(environment.contains("WEBHOOK_CERT_PATH"), "{environment}");
        assert!(!environment.contains("WEBHOOK_SECRET"), "{environment}");
        for kind in [
            "MutatingWebhookConfiguration",
            "ValidatingWebhookConfiguration",
        ] {
            let webhook = at(&objects, kind, "/webhooks/0/clientConfig/caBundle");
            assert_eq!(webhook, json!("Q0E="));
            let annotations = at(&objects, kind, "/metadata/annotations");
            assert_eq!(annotations, Value::Null);
        }
    }
}

#[test]
fn the_interval_of_the_values_is_that_of_the_monitor() {
    let dir = tempfile::tempdir().unwrap();
    copy("webhooks", dir.path());
    let helm = Helm::new(4);
    let monitor = |values: &str| {
        let values = format!("--set metrics.serviceMonitor.enabled=true{values}");
        let objects = helm.template(dir.path(), NAME, &values);
        let endpoint = at(&objects, "ServiceMonitor", "/spec/endpoints/0");
        [
            endpoint["interval"].clone(),
            endpoint["scrapeTimeout"].clone(),
        ]
    };
    assert_eq!(monitor(""), [Value::Null, Value::Null]);
    let both = ",metrics.serviceMonitor.interval=1m30s,metrics.serviceMonitor.scrapeTimeout=5s";
    assert_eq!(monitor(both), [json!("1m30s"), json!("5s")]);
}
