//! Compares the output with controller-gen's, and tests the extensions and all errors.

use std::path::Path;

mod handler_support;

use super::*;
use crate::project::Project;
use crate::sources::comments::{Scan, scan};

fn scanned(lines: &str) -> Scan {
    let comments: Vec<_> = lines
        .lines()
        .map(|line| format!("// {}", line.trim()))
        .collect();
    let scan = scan(Path::new("src/a.rs"), &comments.join("\n"));
    assert_eq!(scan.diagnostics, []);
    scan
}

fn file(lines: &str) -> String {
    let (webhooks, wrong) = read(&scanned(lines).markers);
    assert_eq!(wrong, [], "{lines}");
    webhooks.file().unwrap()
}

fn as_controller_gen(lines: &str, expected: &str) {
    let text = file(lines);
    assert_eq!(text.strip_prefix(HEADER).unwrap(), expected);
    let backwards: Vec<_> = lines.lines().rev().collect();
    assert_eq!(file(&backwards.join("\n")), text, "in reverse order");
    assert_eq!(
        file(&format!("{}\n{lines}", webhooks_of(lines))),
        text,
        "each twice"
    );
}

fn webhooks_of(lines: &str) -> String {
    let webhooks = lines
        .lines()
        .filter(|line| line.starts_with("+kubebuilder:webhook:"));
    webhooks.collect::<Vec<_>>().join("\n")
}

macro_rules! as_controller_gen {
    ($($name:ident: $file:literal)+) => {$(
        #[test]
        fn $name() {
            as_controller_gen(
                include_str!(concat!("testdata/", $file, ".txt")),
                include_str!(concat!("testdata/", $file, ".yaml")),
            );
        }
    )+};
}

as_controller_gen! {
    the_defaults: "minimal"
    every_argument: "arguments"
    the_names_of_configurations: "names"
    patches: "patch"
}

#[test]
fn no_markers_give_no_file() {
    assert_eq!(read(&[]).0.file(), None);
}

/// Returns a complete marker with additional arguments.
fn marker(more: &str) -> String {
    let usual = [
        "mutating=true",
        "path=/a",
        "failurePolicy=fail",
        "sideEffects=None",
        "groups=apps",
        "resources=deployments",
        "verbs=create",
        "versions=v1",
        "name=a.my.domain",
        "admissionReviewVersions=v1",
    ];
    let replaced = |usual: &&&str| {
        let name = usual.split('=').next().unwrap();
        !more
            .split(',')
            .any(|given| given.starts_with(&format!("{name}=")) || given == format!("-{name}"))
    };
    let more = more
        .split(',')
        .filter(|given| !given.starts_with('-') && !given.is_empty());
    let all: Vec<_> = usual.iter().filter(replaced).copied().chain(more).collect();
    format!("+kubebuilder:webhook:{}", all.join(","))
}

fn spec(lines: &str) -> Value {
    let (webhooks, wrong) = read(&scanned(lines).markers);
    assert_eq!(wrong, [], "{lines}");
    json!(webhooks.webhooks[0].spec)
}

#[test]
fn selectors_are_written_as_for_kubectl() {
    for (text, expected) in [
        ("env=prod", json!({"matchLabels": {"env": "prod"}})),
        (
            "env=prod;a.b/tier==web",
            json!({"matchLabels": {"env": "prod", "a.b/tier": "web"}}),
        ),
        ("env=", json!({"matchLabels": {"env": ""}})),
        (
            "env!=prod",
            json!({"matchExpressions": [{"key": "env", "operator": "NotIn", "values": ["prod"]}]}),
        ),
        (
            "env;!legacy",
            json!({"matchExpressions": [
                {"key": "env", "operator": "Exists"},
                {"key": "legacy", "operator": "DoesNotExist"},
            ]}),
        ),
        (
            "`env in (a, b)`;`tier notin (c)`",
            json!({"matchExpressions": [
                {"key": "env", "operator": "In", "values": ["a", "b"]},
                {"key": "tier", "operator": "NotIn", "values": ["c"]},
            ]}),
        ),
        (
            "env=prod;`tier in (a)`",
            json!({
                "matchExpressions": [{"key": "tier", "operator": "In", "values": ["a"]}],
                "matchLabels": {"env": "prod"},
            }),
        ),
    ] {
        for name in ["namespaceSelector", "objectSelector"] {
            let line = format!("{},{name}={text}", marker(""));
            assert_eq!(spec(&line)[name], expected, "{text}");
        }
    }
    let line = format!("{},objectSelector=\"env in (a,b), !legacy\"", marker(""));
    assert_eq!(
        spec(&line)["objectSelector"]["matchExpressions"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

#[test]
fn match_conditions_are_a_name_and_an_expression() {
    let line = format!(
        "{},matchConditions=`not-leases: request.resource.resource != \"leases\"`;`a.b/two:has(object.spec)`",
        marker("")
    );
    assert_eq!(
        spec(&line)["matchConditions"],
        json!([
            {"expression": "request.resource.resource != \"leases\"", "name": "not-leases"},
            {"expression": "has(object.spec)", "name": "a.b/two"},
        ])
    );
}

#[test]
fn patches_are_merged_with_the_arguments() {
    let line = format!(
        "{},objectSelector=env=prod,matchConditions=`a: true`,patch=`{{\"objectSelector\":{{\"matchLabels\":{{\"tier\":\"web\"}}}},\
         \"matchConditions\":[{{\"name\":\"b\",\"expression\":\"x\"}},{{\"name\":\"a\",\"expression\":\"y\"}}]}}`",
        marker("")
    );
    let spec = spec(&line);
    assert_eq!(
        spec["objectSelector"]["matchLabels"],
        json!({"env": "prod", "tier": "web"})
    );
    assert_eq!(
        spec["matchConditions"],
        json!([{"expression": "y", "name": "a"}, {"expression": "x", "name": "b"}])
    );
}

#[test]
fn markers_of_one_name_are_one_webhook_with_several_rules() {
    let lines = [
        marker(""),
        marker("groups=batch,resources=jobs"),
        marker("verbs=delete"),
        marker(""),
    ];
    let rules = spec(&lines.join("\n"))["rules"].clone();
    let rules: Vec<_> = rules
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| {
            format!(
                "{} {}",
                rule["resources"][0].as_str().unwrap(),
                rule["operations"][0].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(
        rules,
        ["deployments CREATE", "deployments DELETE", "jobs CREATE"]
    );
    let backwards: Vec<_> = lines.iter().rev().cloned().collect();
    assert_eq!(file(&backwards.join("\n")), file(&lines.join("\n")));
}

/// Returns the only problem: underlined text, message, help.
fn refused(lines: &str) -> (String, String, String) {
    let scan = scanned(lines);
    let (_, wrong) = read(&scan.markers);
    let [wrong] = &wrong[..] else {
        panic!("{lines}: {wrong:#?}")
    };
    let place = wrong.place.as_ref().unwrap();
    (
        place.line.text[place.span.clone()].to_owned(),
        wrong.message.clone(),
        wrong.help.clone().unwrap(),
    )
}

/// Arguments, underlined text, message, and a part of the help.
const REFUSED: &[(&str, &str, &str, &str)] = &[
    (
        "mutating=yes",
        "mutating=yes",
        "`yes` is neither `true` nor `false`",
        "`mutating=true`",
    ),
    (
        "failurePolicy=fial",
        "failurePolicy=fial",
        "`failurePolicy` cannot be `fial`",
        "did you mean `Fail`?",
    ),
    (
        "matchPolicy=all",
        "matchPolicy=all",
        "`matchPolicy` cannot be `all`",
        "Exact, Equivalent",
    ),
    (
        "sideEffects=Some",
        "sideEffects=Some",
        "`sideEffects` cannot be `Some`",
        "None, NoneOnDryRun",
    ),
    (
        "timeoutSeconds=31",
        "timeoutSeconds=31",
        "the API server waits for 1 to 30 seconds",
        "10",
    ),
    (
        "timeoutSeconds=-1",
        "timeoutSeconds=-1",
        "the API server waits for 1 to 30 seconds",
        "10",
    ),
    (
        "timeoutSeconds=ten",
        "timeoutSeconds=ten",
        "`timeoutSeconds` is not a number",
        "10",
    ),
    (
        "reinvocationPolicy=Always",
        "reinvocationPolicy=Always",
        "`reinvocationPolicy` cannot be `Always`",
        "Never",
    ),
    (
        "mutating=false,reinvocationPolicy=Never",
        "reinvocationPolicy=Never",
        "a validating webhook has no `reinvocationPolicy`",
        "remove",
    ),
    (
        "name=lolcow",
        "name=lolcow",
        "the name `lolcow` has fewer than three parts",
        "`name=lolcow.my.domain`",
    ),
    (
        "name=A.my.domain",
        "name=A.my.domain",
        "the name of a webhook must be a DNS subdomain: lower-case letters, digits and `-`, in parts joined by `.`, each beginning and ending with a letter or digit",
        "`name=vlolcow.my.domain`",
    ),
    (
        "path=validate",
        "path=validate",
        "the path `validate` does not begin with `/`",
        "`/validate`",
    ),
    (
        "path=/Validate_x",
        "path=/Validate_x",
        "the API server rejects the path `/Validate_x`",
        "lower-case",
    ),
    (
        "path=/a//b",
        "path=/a//b",
        "the API server rejects the path `/a//b`",
        "lower-case",
    ),
    (
        "servicePort=0",
        "servicePort=0",
        "a port is a number from 1 to 65535",
        "443",
    ),
    (
        "-path,url=http://x",
        "url=http://x",
        "the API server rejects the URL `http://x`",
        "https://",
    ),
    (
        "-path,url=`https://a@b`",
        "url=`https://a@b`",
        "the API server rejects the URL `https://a@b`",
        "https://",
    ),
    (
        "-path,url=`https://b/x`,servicePort=1",
        "servicePort=1",
        "`servicePort` of a webhook with a `url`",
        "remove",
    ),
    (
        "url=`https://b/x`",
        "url=`https://b/x`",
        "the marker has both `path` and `url`",
        "one",
    ),
    (
        "webhookVersions=v1beta1",
        "webhookVersions=v1beta1",
        "unknown version `v1beta1` of webhook configurations",
        "`v1`",
    ),
    (
        "admissionReviewVersions=v2",
        "admissionReviewVersions=v2",
        "no API server supports any of these versions of AdmissionReview",
        "=v1",
    ),
    (
        "admissionReviewVersions=v1;v1",
        "admissionReviewVersions=v1;v1",
        "`v1` is given twice",
        "remove",
    ),
    (
        "verbs=creat",
        "verbs=creat",
        "no webhook is called for `creat`",
        "did you mean `create`?",
    ),
    (
        "verbs=get",
        "verbs=get",
        "no webhook is called for `get`",
        "create, update",
    ),
    (
        "verbs=create;*",
        "verbs=create;*",
        "`*` includes everything, but other values follow",
        "`verbs=*`",
    ),
    (
        "groups=*;apps",
        "groups=*;apps",
        "`*` includes everything, but other values follow",
        "`groups=*`",
    ),
    (
        "resources=pods;*",
        "resources=pods;*",
        "`*` includes everything, but other values follow",
        "`resources=*`",
    ),
    (
        "versions=\"\"",
        "versions=\"\"",
        "an empty value of `versions`",
        "remove",
    ),
    (
        "groups=",
        "groups=",
        "`groups` has no value",
        "`groups=\"\"`",
    ),
    (
        "objectSelector=a=b;a=c",
        "c",
        "the label `a` cannot be both `b` and `c`",
        "in (b,c)",
    ),
    (
        "objectSelector=`a within (b)`",
        "`a within (b)`",
        "`a within (b)` is not a label selector",
        "`key=value`",
    ),
    (
        "objectSelector=-x=b",
        "-x=b",
        "`-x` is not a label selector",
        "`key=value`",
    ),
    (
        "objectSelector=a=b c",
        " c",
        "a space inside a value",
        "separate",
    ),
    (
        "matchConditions=`true`",
        "`true`",
        "a match condition needs a name",
        "name: expression",
    ),
    (
        "matchConditions=`a b: true`",
        "matchConditions=`a b: true`",
        "`a b` is not a valid name of a match condition",
        "letters",
    ),
    (
        "matchConditions=`a: x`;`a: y`",
        "matchConditions=`a: x`;`a: y`",
        "two match conditions are called `a`",
        "unique name",
    ),
    (
        "matchConditions=`a:`",
        "matchConditions=`a:`",
        "the match condition `a` has no expression",
        "expression",
    ),
    (
        "patch=x",
        "patch=x",
        "the patch is not valid JSON: expected value at line 1 column 1",
        "backticks",
    ),
    ("patch={}", "{", "`patch` takes one value", "backticks"),
    (
        "patch=`[]`",
        "patch=`[]`",
        "the patch is not a JSON object",
        "field",
    ),
    (
        "patch=`{\"timeoutseconds\":1}`",
        "patch=`{\"timeoutseconds\":1}`",
        "the patch names the field `timeoutseconds`, which does not exist",
        "did you mean `timeoutSeconds`?",
    ),
    (
        "patch=`{\"rules\":[{\"groups\":null}]}`",
        "patch=`{\"rules\":[{\"groups\":null}]}`",
        "the patch names the field `groups`, which does not exist",
        "apiGroups",
    ),
    (
        "patch=`{\"timeoutSeconds\":31}`",
        "patch=`{\"timeoutSeconds\":31}`",
        "the API server waits for 1 to 30 seconds",
        "10",
    ),
    (
        "patch=`{\"$patch\":\"replace\"}`",
        "patch=`{\"$patch\":\"replace\"}`",
        "the patch names the field `$patch`, which does not exist",
        "fields",
    ),
    (
        "pathh=/x",
        "pathh",
        "unknown argument `pathh`",
        "did you mean `path`?",
    ),
];

#[test]
fn webhooks_that_the_api_server_rejects_are_rejected() {
    for &(more, underlined, message, help) in REFUSED {
        let line = if more.starts_with("objectSelector=") {
            format!("{},{more}", marker(""))
        } else {
            marker(more)
        };
        let (at, what, instead) = refused(&line);
        let at = if underlined == "c" {
            &at[at.len() - 1..]
        } else {
            &at
        };
        assert_eq!((at, what.as_str()), (underlined, message), "{line}");
        assert!(instead.contains(help), "{line}: {instead}");
    }
}

#[test]
fn missing_arguments_are_named() {
    for (name, message) in [
        ("mutating", "`mutating` is missing"),
        ("failurePolicy", "`failurePolicy` is missing"),
        ("sideEffects", "`sideEffects` is missing"),
        ("groups", "`groups` is missing"),
        ("resources", "`resources` is missing"),
        ("verbs", "`verbs` is missing"),
        ("versions", "`versions` is missing"),
        ("name", "`name` is missing"),
        (
            "admissionReviewVersions",
            "`admissionReviewVersions` is missing",
        ),
        ("path", "the marker has neither `path` nor `url`"),
    ] {
        assert_eq!(refused(&marker(&format!("-{name}"))).1, message);
    }
}

#[test]
fn all_problems_of_a_marker_are_reported() {
    let wrong = "mutating=yes,reinvocationPolicy=Never,failurePolicy=fial,timeoutSeconds=soon,\
                 sideEffects=Some,verb=create,-name";
    let (_, wrong) = read(&scanned(&marker(wrong)).markers);
    let underlined: Vec<_> = wrong
        .iter()
        .map(|wrong| {
            let place = wrong.place.as_ref().unwrap();
            &place.line.text[place.span.clone()]
        })
        .collect();
    let expected = [
        "verb",
        "mutating=yes",
        "timeoutSeconds=soon",
        "failurePolicy=fial",
        "sideEffects=Some",
    ];
    assert_eq!(underlined, expected, "and a name is missing, or misspelt");
}

#[test]
fn webhooks_that_get_into_each_others_way_are_refused() {
    let (_, what, help) = refused(&[marker(""), marker("path=/b,verbs=delete")].join("\n"));
    assert_eq!(
        what,
        "`clientConfig` differs from that of the webhook `a.my.domain` in src/a.rs:1"
    );
    assert!(help.contains("another name"));
}

/// Creation requires the webhook, deletion does not: two webhooks may share a handler.
#[test]
fn two_webhooks_on_one_path_are_two_webhooks() {
    let lines = [
        marker("mutating=false,verbs=create;update"),
        marker("mutating=false,name=b.my.domain,verbs=delete,failurePolicy=ignore"),
    ];
    let (webhooks, wrong) = read(&scanned(&lines.join("\n")).markers);
    assert_eq!(wrong, []);
    let said = webhooks.webhooks.iter().map(|webhook| {
        let spec = &webhook.spec;
        let service = spec.client_config.service.as_ref().unwrap();
        let path = service.path.as_deref().unwrap();
        (
            path,
            spec.name.as_str(),
            spec.failure_policy.as_deref().unwrap(),
        )
    });
    assert_eq!(
        said.collect::<Vec<_>>(),
        [
            ("/a", "a.my.domain", "Fail"),
            ("/a", "b.my.domain", "Ignore")
        ]
    );
}

/// Parts of names and paths may be longer than a DNS label. The path is that of an existing kind.
#[test]
fn names_are_as_long_as_the_api_server_takes_them() {
    let path = "/validate-infrastructure-cluster-x-k8s-io-v1beta2-devmachinetemplate";
    assert!(path.len() > 64);
    let long = "v".repeat(100);
    let line = marker(&format!(
        "path={path},name={long}.my.domain,objectSelector={long}.my.domain/a=b"
    ));
    let spec = spec(&line);
    assert_eq!(spec["clientConfig"]["service"]["path"], path);
    assert_eq!(spec["name"], format!("{long}.my.domain"));
    let (_, what, _) = refused(&marker(&format!("path=/{}", "v".repeat(254))));
    assert!(
        what.starts_with("the API server rejects the path"),
        "{what}"
    );
}

#[test]
fn a_configuration_has_one_name() {
    let named = "+kubebuilder:webhookconfiguration:mutating=true,name=x";
    for (lines, message) in [
        (
            format!("{named}\n{named}\n{}", marker("")),
            "two markers configure the mutating webhooks",
        ),
        (
            format!("{named}\n{}", marker("mutating=false")),
            "the project has no mutating webhook for this configuration",
        ),
        (
            format!("{named},nam=y\n{}", marker("")),
            "unknown argument `nam`",
        ),
        (
            format!(
                "+kubebuilder:webhookconfiguration:mutating=true\n{}",
                marker("")
            ),
            "`name` is missing",
        ),
    ] {
        assert_eq!(refused(&lines).1, message, "{lines}");
    }
}

/// A project with a kind that has a mutating and a validating webhook.
const PROJECT: &str = "
domain: my.domain
layout: [rustop.dev/v1]
projectName: lolcow-operator
version: '3'
resources:
- api: {crdVersion: v1, namespaced: true}
  controller: true
  domain: my.domain
  kind: Lolcow
  plural: lolcows
  version: v1alpha1
  webhooks: {webhookVersion: v1, defaulting: true, validation: true}
";

const BOTH: [&str; 2] = [
    "mutating=true,name=m.my.domain,path=/mutate-my-domain-v1alpha1-lolcow,groups=my.domain,resources=lolcows,versions=v1alpha1",
    "mutating=false,name=v.my.domain,path=/validate-my-domain-v1alpha1-lolcow,groups=my.domain,resources=lolcows,versions=v1alpha1",
];

/// Returns the diagnostics about the paths of markers, given the source text `code`.
fn paths(more: &[&str], code: &str, project: &str) -> Vec<String> {
    let mut scan = scanned(
        &more
            .iter()
            .map(|more| marker(more))
            .collect::<Vec<_>>()
            .join("\n"),
    );
    let other = crate::sources::comments::scan(Path::new("src/b.rs"), code);
    scan.uses = other.uses;
    scan.routes = other.routes;
    let (webhooks, wrong) = read(&scan.markers);
    assert_eq!(wrong, []);
    let project = Project::parse(project).unwrap();
    let found = check_paths(&webhooks.webhooks, &project, &scan);
    let show =
        |found: &Diagnostic| format!("{}; {}", found.message, found.help.as_deref().unwrap());
    found.iter().map(show).collect()
}

#[test]
fn every_path_has_a_handler_and_every_handler_a_path() {
    assert_eq!(paths(&BOTH, "", PROJECT), [] as [&str; 0]);
    assert_eq!(
        paths(&BOTH[..1], "", PROJECT),
        [
            "my.domain/v1alpha1 Lolcow has `validation`, but no marker has the path of its handler; \
          add `// +kubebuilder:webhook:path=/validate-my-domain-v1alpha1-lolcow,mutating=false,…`, or remove `validation`"
        ]
    );
    assert_eq!(
        paths(
            &[BOTH[0], BOTH[1], "path=/validate-my-domain-v1alpha1-lolcw"],
            "",
            PROJECT
        ),
        [
            "no handler serves the path `/validate-my-domain-v1alpha1-lolcw`; did you mean `/validate-my-domain-v1alpha1-lolcow`?"
        ]
    );
    let crossed = BOTH.map(|more| {
        more.replace("mutating=true", "mutating=yes")
            .replace("mutating=false", "mutating=true")
            .replace("mutating=yes", "mutating=false")
    });
    assert_eq!(
        paths(&[&crossed[0], &crossed[1]], "", PROJECT),
        [
            "the handler of `/validate-my-domain-v1alpha1-lolcow` does not change objects, but this webhook is mutating; write `mutating=false`, or use another path",
            "the handler of `/mutate-my-domain-v1alpha1-lolcow` changes objects, but this webhook is validating; write `mutating=true`, or use another path",
        ]
    );
}

#[test]
fn handlers_of_ones_own_are_known() {
    let none = &PROJECT[..PROJECT.find("  webhooks:").unwrap()];
    let pods = ["mutating=false,path=/validate--v1-pod,groups=\"\",resources=pods"];
    assert_eq!(
        paths(&pods, "", none),
        [
            "no handler serves the path `/validate--v1-pod`; run `rustop create webhook` to add a handler; the path of your own handler must be a string in the sources"
        ]
    );
    let typed =
        "use k8s_openapi::api::core::v1::Pod;\nimpl manager::webhook::Validator<Pod> for Rules {}";
    assert_eq!(paths(&pods, typed, none), [] as [&str; 0]);
    assert_eq!(
        paths(&pods, "f(\"/validate--v1-pod\")", none),
        [] as [&str; 0]
    );
    assert_eq!(
        paths(&pods, "f(r#\"/validate--v1-pod\"#)", none),
        [] as [&str; 0]
    );
    // A webhook of another server needs no handler.
    assert_eq!(paths(&["serviceName=x"], "", none), [] as [&str; 0]);
    assert_eq!(
        paths(&["-path,url=`https://x/y`"], "", none),
        [] as [&str; 0]
    );
}
