//! Tests of invalid markers and of the suggested corrections.

use super::*;

fn problem(text: &str, scope: Scope) -> (String, String, String) {
    let (_, problems) = read(text, scope);
    let [problem] = &problems[..] else {
        panic!("{text}: {problems:#?}")
    };
    (
        text[problem.span.clone()].to_owned(),
        problem.message.clone(),
        problem.help.clone().unwrap_or_default(),
    )
}

#[test]
fn reads_every_argument() {
    let text =
        "groups=apps,resources=deployments,resourceNames=a;b,verbs=get,namespace=n,roleName=r";
    let (given, problems) = read(text, Scope::Cluster);
    let rule = Rule::of(&given);
    assert_eq!(problems, []);
    assert_eq!(rule.groups, ["apps"]);
    assert_eq!(rule.resources, ["deployments"]);
    assert_eq!(rule.resource_names, ["a", "b"]);
    assert_eq!(rule.verbs, ["get"]);
    assert_eq!(
        (rule.namespace.as_deref(), rule.role_name.as_deref()),
        (Some("n"), Some("r"))
    );
}

#[test]
fn accepts_valid_markers() {
    for text in [
        "groups=\"\",resources=pods,verbs=get",
        "groups=*,resources=*,verbs=*",
        "groups=apps,resources=*/scale;deployments/finalizers,verbs=update",
        "groups=custom.metrics.k8s.io,resources=pods/http_Requests,verbs=get",
        "urls=/metrics;/debug/*;*,verbs=get",
        "groups=a,resources=b,verbs=get,namespace=\"\",roleName=\"\"",
        "groups=a,resources=b,verbs=approve,roleName=system:thing",
    ] {
        let (given, problems) = read(text, Scope::Cluster);
        let rule = Rule::of(&given);
        assert_eq!(problems, [], "{text}");
        assert_eq!(rule.namespace, None);
    }
}

/// Marker text, underlined text, message, and part of the help.
const REFUSED: &[(&str, &str, &str, &str)] = &[
    (
        "groups=a,resources=b",
        "groups=a,resources=b",
        "`verbs` is missing",
        ",verbs=get;list;watch",
    ),
    (
        "groups=a,verbs=get",
        "groups=a,verbs=get",
        "`resources` is missing",
        ",resources=",
    ),
    (
        "resources=b,verbs=get",
        "resources=b,verbs=get",
        "`groups` is missing",
        "`,groups=\"\"`",
    ),
    (
        "groups=,resources=b,verbs=get",
        "groups=",
        "`groups` has no value",
        "`groups=\"\"`",
    ),
    (
        "groups=a,resources=b,verbs=",
        "verbs=",
        "`verbs` has no value",
        "`verbs=…`",
    ),
    (
        "groups=a,resources=b,verbs={}",
        "verbs={}",
        "`verbs` has no value",
        "`verbs=…`",
    ),
    (
        "groups=a,resources=b,verbs=Get;list",
        "Get",
        "the verb `Get` is not lower case",
        "`get`",
    ),
    (
        "groups=a,resources=b,verbs=\"\"",
        "\"\"",
        "an empty value of `verbs`",
        "remove",
    ),
    (
        "groups=a,resources=b,resourceNames=\"\",verbs=get",
        "\"\"",
        "an empty value of `resourceNames`",
        "remove",
    ),
    (
        "groups=a,resources=b,verbs=[get|list]",
        "[get|list]",
        "`[get|list]` is not a verb",
        "`verbs=get;list`",
    ),
    (
        "groups=\" apps\",resources=b,verbs=get",
        "\" apps\"",
        "` apps` is not an API group",
        "a DNS name",
    ),
    (
        "groups=a,resources=\"b c\",verbs=get",
        "\"b c\"",
        "`b c` is not a resource",
        "`b;c`",
    ),
    (
        "groups=apps/v1,resources=b,verbs=get",
        "apps/v1",
        "`apps/v1` is not an API group",
        "`apps`",
    ),
    (
        "groups=Apps,resources=b,verbs=get",
        "Apps",
        "the API group `Apps` is not lower case",
        "`apps`",
    ),
    (
        "groups=a,resources=Deployments,verbs=get",
        "Deployments",
        "the resource `Deployments` is not lower case",
        "`deployments`",
    ),
    (
        "groups=a,resources=\"b\\n\",verbs=get",
        "\"b\\n\"",
        "a control character in a value",
        "",
    ),
    (
        "urls=metrics,verbs=get",
        "metrics",
        "the URL `metrics` is not a path",
        "`/metrics`",
    ),
    (
        "urls=/x,groups=a,resources=b,verbs=get",
        "urls=/x",
        "`urls` and `groups` in one rule",
        "two markers",
    ),
    (
        "urls=/x,verbs=get,namespace=n",
        "namespace=n",
        "`urls` in a namespace",
        "ClusterRole",
    ),
    (
        "groups=a,resources=b,verbs=get,namespace=My_NS",
        "My_NS",
        "`My_NS` is not a valid namespace",
        "63",
    ),
    (
        "groups=a,resources=b,verbs=get,roleName=a/b",
        "a/b",
        "`a/b` is not a valid role name",
        "`/`",
    ),
];

#[test]
fn rejects_markers_that_grant_nothing() {
    for &(text, underlined, message, help) in REFUSED {
        let (at, what, instead) = problem(text, Scope::Cluster);
        assert_eq!(
            (at.as_str(), what.as_str()),
            (underlined, message),
            "{text}"
        );
        assert!(instead.contains(help), "{text}: {instead}");
    }
}

#[test]
fn a_namespaced_project_grants_no_urls() {
    let (at, _, help) = problem("urls=/x,verbs=get", Scope::Namespace);
    assert_eq!(at, "urls=/x");
    assert!(help.contains("ClusterRole"));
}

#[test]
fn every_problem_of_every_marker_is_reported_in_place() {
    let text = "// +kubebuilder:rbac:groups=a,resources=b,verbs=GET;LIST\n\n  /// +kubebuilder:rbac:verb=get\n";
    let scan = crate::sources::comments::scan(std::path::Path::new("a.rs"), text);
    let (_, diagnostics) = grants(&scan.markers, Scope::Cluster);
    let places: Vec<_> = diagnostics.iter().map(|d| (d.line(), d.column())).collect();
    assert_eq!(
        places,
        [
            (Some(1), Some(49)),
            (Some(1), Some(53)),
            (Some(3), Some(25))
        ]
    );
}

#[test]
fn the_help_for_an_empty_marker_is_a_complete_one() {
    let (_, problems) = read("", Scope::Cluster);
    assert_eq!(problems.len(), 1);
    let help = problems[0].help.as_deref().unwrap();
    let marker = help.split('`').nth(1).unwrap();
    let arguments = marker.strip_prefix("+kubebuilder:rbac:").unwrap();
    assert_eq!(read(arguments, Scope::Cluster).1, []);
}

/// A marker corrected as suggested is valid.
#[test]
fn a_list_that_went_on_behind_a_comma_is_put_together() {
    for text in [
        "verbs=get,list",
        "verbs={get,list},watch",
        "verbs=get;\"list\",watch",
    ] {
        let text = format!("groups=apps,resources=deployments,{text}");
        let (_, problems) = read(&text, Scope::Cluster);
        let help = problems[0].help.as_deref().unwrap();
        let verbs = help.split('`').nth(3).unwrap();
        let fixed = format!("groups=apps,resources=deployments,{verbs}");
        assert_eq!(read(&fixed, Scope::Cluster).1, [], "{text}: {help}");
    }
}
