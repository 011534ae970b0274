//! Tests of each RBAC diagnostic, and of markers that get none.

use std::path::Path;

use super::*;
use crate::diagnostic::Lint;
use crate::diagnostic::Severity;
use crate::diagnostic::lints::rbac as rules;
use crate::diagnostic::lints::watch::WATCH_ALL;
use crate::project::naming::Naming;
use crate::rbac::rule::{Scope, grants};
use crate::sources::comments::scan;

/// A project with two kinds of its own, in `my.domain` and `batch.my.domain`, and one of another
/// project.
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
- api: {crdVersion: v1, namespaced: true}
  domain: my.domain
  group: batch
  kind: Option
  plural: options
  version: v1
- api: {crdVersion: v1, namespaced: true}
  controller: true
  external: true
  group: cert-manager.io
  kind: Certificate
  plural: certificates
  version: v1
";

fn checked(text: &str, project: &str) -> Vec<Diagnostic> {
    let project = Project::parse(project).unwrap();
    let scan = scan(Path::new("src/controllers/lolcow.rs"), text);
    let scope = if project.namespaced {
        Scope::Namespace
    } else {
        Scope::Cluster
    };
    let (grants, wrong) = grants(&scan.markers, scope);
    assert_eq!((scan.diagnostics, wrong), (vec![], vec![]), "{text}");
    let mut found = check(&grants, &scan.uses, &project);
    found.sort_by(|a, b| a.sort_key().cmp(&b.sort_key()));
    assert!(
        found
            .iter()
            .all(|found| found.severity == Severity::Warning && found.help.is_some())
    );
    found
}

/// Returns each line as a marker, prefixed with `// +kubebuilder:rbac:`.
fn markers(lines: &str) -> String {
    let lines = lines
        .lines()
        .map(|line| format!("// +kubebuilder:rbac:{}\n", line.trim()));
    lines.collect()
}

/// Returns `underlined text: message` for each warning, after asserting that all have the same
/// rule.
fn said(text: &str, rule: &Lint, project: &str) -> Vec<String> {
    let show = |found: &Diagnostic| {
        assert_eq!(found.rule, Some(rule), "{text}: {found}");
        let place = found.place.as_ref().unwrap();
        format!(
            "{}: {}",
            &place.line.text[place.span.clone()],
            found.message
        )
    };
    checked(text, project).iter().map(show).collect()
}

/// Asserts that each case gets exactly one warning, of `rule`. A case is the markers, the
/// underlined text with the message, and a part of the help.
fn one_each(rule: &Lint, cases: &[(&str, &str, &str)]) {
    for (lines, expected, help) in cases {
        let text = markers(lines);
        assert_eq!(said(&text, rule, PROJECT), [*expected], "{lines}");
        let given = checked(&text, PROJECT)[0].help.clone().unwrap();
        assert!(given.contains(help), "{lines}: {given}");
    }
}

#[test]
fn careful_markers_get_no_warnings() {
    let lines = "groups=my.domain,resources=lolcows,verbs=get;list;watch
        groups=my.domain,resources=lolcows/status;lolcows/scale,verbs=patch
        groups=my.domain,resources=lolcows/finalizers,verbs=update
        groups=batch.my.domain,resources=options,verbs=get
        groups=cert-manager.io,resources=certificates;certificaterequests,verbs=get
        groups=cert-manager.io,resources=issuers,verbs=reference
        groups=apps,resources=deployments;statefulsets/scale,verbs=create;deletecollection
        groups=\"\";events.k8s.io,resources=events,verbs=create;patch
        groups=core,resources=pods/log;pods/exec,verbs=create,resourceNames=a
        groups=\"\",resources=secrets,verbs=get,namespace=kube-system
        groups=\"\",resources=secrets,verbs=get,resourceNames=a
        groups=\"\",resources=serviceaccounts,verbs=impersonate,namespace=x
        groups=authentication.k8s.io,resources=tokenreviews,verbs=create
        groups=authentication.k8s.io,resources=userextras/scopes,verbs=impersonate,resourceNames=a
        groups=authentication.k8s.io,resources=users,verbs=impersonate:user-info,resourceNames=a
        groups=authorization.k8s.io,resources=subjectaccessreviews,verbs=create
        groups=certificates.k8s.io,resources=signers,verbs=approve;sign;attest,resourceNames=a.b/c
        groups=certificates.k8s.io,resources=certificatesigningrequests/approval,verbs=update
        groups=rbac.authorization.k8s.io,resources=clusterroles,verbs=bind,resourceNames=admin
        groups=security.openshift.io,resources=securitycontextconstraints,verbs=use,resourceNames=a
        groups=metrics.k8s.io,resources=pods,verbs=get
        groups=\"\",resources=my-audience,verbs=request-serviceaccounts-token-audience
        urls=/metrics,verbs=get;post";
    assert_eq!(checked(&markers(lines), PROJECT), []);
}

#[test]
fn a_resource_that_its_group_does_not_have() {
    one_each(
        &rules::UNKNOWN_RESOURCE,
        &[
            (
                "groups=my.domain,resources=deployments,verbs=get",
                "deployments: the API group `my.domain` has no `deployments`",
                "`groups=apps`",
            ),
            (
                "groups=apps,resources=lolcows,verbs=get",
                "lolcows: the API group `apps` has no `lolcows`",
                "`groups=my.domain`",
            ),
            (
                "groups=apps,resources=pods/log,verbs=get",
                "pods/log: the API group `apps` has no `pods`",
                "`groups=\"\"`",
            ),
            (
                "groups=\"\",resources=pod,verbs=get",
                "pod: the API group `\"\"` has no `pod`",
                "did you mean `pods`?",
            ),
            (
                "groups=core;apps,resources=services;ingresses,verbs=get",
                "ingresses: the API groups `\"\"`, `apps` have no `ingresses`",
                "`groups=networking.k8s.io`",
            ),
            (
                "groups=batch,resources=options,verbs=get",
                "options: the API group `batch` has no `options`",
                "`groups=batch.my.domain`",
            ),
            (
                "groups=my.domain,resources=sheep,verbs=get",
                "sheep: the API group `my.domain` has no `sheep`",
                "it has `lolcows`",
            ),
            (
                "groups=my.domain,resources=lolcows/state,verbs=get",
                "lolcows/state: `lolcows` of `my.domain` have no subresource `state`",
                "`status`",
            ),
            (
                "groups=extensions,resources=ingresses,verbs=get",
                "extensions: unknown API group `extensions`",
                "`apps`, `autoscaling`, `batch`, `policy`",
            ),
            (
                "groups=bacth,resources=jobs,verbs=get",
                "bacth: unknown API group `bacth`",
                "did you mean `batch`?",
            ),
            (
                "groups=\"\",resources=pods/logs,verbs=get",
                "pods/logs: `pods` of `\"\"` have no subresource `logs`",
                "did you mean `pods/log`?",
            ),
            (
                "groups=apps,resources=deployments/front,verbs=get",
                "deployments/front: `deployments` of `apps` have no subresource `front`",
                "the subresources are",
            ),
            (
                "groups=apps,resources=events,verbs=get",
                "events: the API group `apps` has no `events`",
                "`\"\"`, `events.k8s.io`",
            ),
            (
                "groups=apps;batch,resources=deployments,verbs=get",
                "batch: the API group `batch` has none of these resources",
                "remove it",
            ),
            (
                "groups=networking,resources=ingresses,verbs=get",
                "networking: unknown API group `networking`",
                "`networking.k8s.io`",
            ),
        ],
    );
}

#[test]
fn served_resources_are_in_the_catalogue() {
    let project = Project::parse(PROJECT).unwrap();
    let catalogue = Catalogue::of(&project);
    let served = include_str!("../testdata/resources.txt").lines();
    for (group, resource) in served.map(|line| line.split_once(' ').unwrap()) {
        let group = group_name(group);
        assert!(catalogue.resources(group).is_some(), "{group}");
        assert!(catalogue.may_have(group, resource), "{group} {resource}");
    }
    for (group, resource) in [
        ("", "endpoints/restricted"),
        ("discovery.k8s.io", "endpointslices/restricted"),
    ] {
        assert!(catalogue.may_have(group, resource), "{group} {resource}");
    }
    assert!(!catalogue.may_have("", "pods/restricted"));
}

#[test]
fn a_resource_that_only_a_later_kubernetes_has() {
    let text = markers("groups=lifecycle.k8s.io,resources=evictions,verbs=get");
    assert_eq!(checked(&text, PROJECT), []);
    let text = markers("groups=scheduling.k8s.io,resources=podgroups,verbs=get");
    assert_eq!(checked(&text, PROJECT), []);
    let older = format!("kubernetesVersion: '1.36'{PROJECT}");
    assert_eq!(
        said(&text, &rules::UNKNOWN_RESOURCE, &older),
        ["podgroups: `podgroups` require Kubernetes 1.37 or later, but the project is for 1.36"]
    );
}

#[test]
fn a_verb_that_no_request_has() {
    one_each(
        &rules::UNKNOWN_VERB,
        &[
            (
                "groups=apps,resources=deployments,verbs=get;wtach",
                "wtach: unknown verb `wtach`",
                "did you mean `watch`?",
            ),
            (
                "groups=cert-manager.io,resources=certificates,verbs=wtach",
                "wtach: unknown verb `wtach`",
                "did you mean `watch`?",
            ),
            (
                "groups=cert-manager.io,resources=certificates,verbs=apply",
                "apply: unknown verb `apply`",
                "did you mean `patch`?",
            ),
            (
                "groups=apps,resources=deployments,verbs=restart",
                "restart: unknown verb `restart`",
                "`deletecollection`",
            ),
            (
                "groups=apps,resources=deployments,verbs=bind",
                "bind: these resources do not support the verb `bind`",
                "`clusterroles`, `roles` in `rbac.authorization.k8s.io`",
            ),
            (
                "groups=certificates.k8s.io,resources=certificatesigningrequests,verbs=approve",
                "approve: these resources do not support the verb `approve`",
                "`signers` in `certificates.k8s.io`",
            ),
            (
                "urls=/metrics,verbs=list",
                "list: URLs do not support the verb `list`",
                "`get`, `head`",
            ),
        ],
    );
}

#[test]
fn a_name_that_the_api_server_does_not_know_yet() {
    one_each(
        &rules::NAMED_CREATE,
        &[
            (
                "groups=apps,resources=deployments,resourceNames=a,verbs=get;create",
                "create: `create` is never allowed by a rule with `resourceNames`",
                "`verbs=create`",
            ),
            (
                "groups=apps,resources=deployments,resourceNames=a,verbs=deletecollection",
                "deletecollection: `deletecollection` is never allowed by a rule with `resourceNames`",
                "second marker",
            ),
        ],
    );
}

#[test]
fn a_star_where_a_list_is_known() {
    one_each(
        &rules::WILDCARD,
        &[
            (
                "groups=*,resources=lolcows,verbs=get",
                "*: every API group, whatever is installed",
                "`groups=apps;batch`",
            ),
            (
                "groups=apps,resources=*,verbs=get",
                "*: every resource of the API group",
                "`resources=controllerrevisions;daemonsets;deployments;replicasets;statefulsets`",
            ),
            (
                "groups=my.domain,resources=*,verbs=get",
                "*: every resource of the API group",
                "`resources=lolcows`",
            ),
            (
                "groups=apps,resources=deployments,verbs=get;*",
                "*: every verb",
                "`verbs=get;list;watch;create;update;patch;delete;deletecollection`",
            ),
            ("urls=/metrics,verbs=*", "*: every verb", "`verbs=get;post`"),
        ],
    );
    let others = markers("groups=cert-manager.io,resources=*,verbs=get");
    assert_eq!(checked(&others, PROJECT), []);
    let all = said(
        &markers("groups=*,resources=*,verbs=*"),
        &rules::WILDCARD,
        PROJECT,
    );
    assert_eq!(
        all,
        ["*: every API group, whatever is installed", "*: every verb"]
    );
}

#[test]
fn dangerous_cluster_wide_permissions_get_warnings() {
    one_each(
        &rules::CLUSTER_SECRETS,
        &[(
            "groups=\"\";apps,resources=deployments;secrets,verbs=create",
            "secrets: the Secrets of every namespace",
            "`namespace=…`",
        )],
    );
    one_each(
        &rules::ESCALATION,
        &[
            (
                "groups=rbac.authorization.k8s.io,resources=clusterroles,verbs=get;bind",
                "bind: `bind` in the whole cluster allows the operator to grant itself any permission",
                "`resourceNames=…`",
            ),
            (
                "groups=rbac.authorization.k8s.io,resources=roles,verbs=escalate",
                "escalate: `escalate` in the whole cluster allows the operator to grant itself any permission",
                "`namespace=…`",
            ),
            (
                "groups=\"\",resources=users,verbs=impersonate",
                "impersonate: `impersonate` in the whole cluster allows the operator to grant itself any permission",
                "`resourceNames=…`",
            ),
        ],
    );
    let namespaced = format!("namespaced: true{PROJECT}");
    let text = markers(
        "groups=\"\",resources=secrets,verbs=get
         groups=rbac.authorization.k8s.io,resources=roles,verbs=escalate",
    );
    assert_eq!(checked(&text, &namespaced), []);
}

#[test]
fn a_marker_that_another_one_makes_superfluous() {
    for (lines, line, other) in [
        (
            "groups=apps,resources=deployments,verbs=get
             groups=apps,resources=deployments,verbs=get",
            2,
            1,
        ),
        (
            "groups=apps,resources=deployments,verbs=get
             groups=apps;batch,resources=jobs;deployments,verbs=list;get",
            1,
            2,
        ),
        (
            "groups=core,resources=pods,verbs=get
             groups=\"\",resources=pods,verbs=get,resourceNames=a",
            2,
            1,
        ),
        (
            "groups=apps,resources=deployments,verbs=get
             groups=apps,resources=deployments,verbs=get,namespace=x",
            2,
            1,
        ),
        ("urls=/debug/*,verbs=get\nurls=/debug/pprof,verbs=get", 2, 1),
    ] {
        let found = checked(&markers(lines), PROJECT);
        let [found] = &found[..] else {
            panic!("{lines}: {found:#?}")
        };
        assert_eq!(found.rule, Some(&rules::IMPLIED));
        assert_eq!(
            found.message,
            format!("line {other} already grants all of this")
        );
        assert_eq!(found.line(), Some(line));
    }
}

#[test]
fn a_marker_that_adds_anything_is_not_superfluous() {
    for lines in [
        "groups=apps,resources=deployments,verbs=get\ngroups=apps,resources=deployments,verbs=list",
        "groups=apps,resources=deployments,verbs=get\ngroups=batch,resources=jobs,verbs=get",
        "groups=\"\",resources=pods,verbs=get\ngroups=\"\",resources=pods/log,verbs=get",
        "groups=apps,resources=deployments,verbs=get,resourceNames=a\ngroups=apps,resources=deployments,verbs=get",
        "groups=apps,resources=deployments,verbs=get,roleName=a\ngroups=apps,resources=deployments,verbs=get",
        "groups=apps,resources=deployments,verbs=get,namespace=a\ngroups=apps,resources=deployments,verbs=get,namespace=b",
        "urls=/metrics,verbs=get\ngroups=apps,resources=deployments,verbs=get",
    ] {
        let found = checked(&markers(lines), PROJECT);
        let implied = found
            .iter()
            .filter(|found| found.rule == Some(&rules::IMPLIED));
        let lines_of: Vec<_> = implied.map(Diagnostic::line).collect();
        let narrower = lines.contains("resourceNames");
        let expected: &[Option<usize>] = if narrower { &[Some(1)] } else { &[] };
        assert_eq!(lines_of, expected, "{lines}");
    }
    let namespaced = format!("namespaced: true{PROJECT}");
    let text = markers(
        "groups=apps,resources=deployments,verbs=get
         groups=apps,resources=deployments,verbs=get,namespace=x",
    );
    assert_eq!(
        checked(&text, &namespaced),
        [],
        "the operator's namespace is another"
    );
}

/// Markers are compared within one file only, since each file declares its own permissions.
#[test]
fn two_files_may_ask_for_the_same() {
    let project = Project::parse(PROJECT).unwrap();
    let text = markers("groups=apps,resources=deployments,verbs=get");
    let mut both = Vec::new();
    for path in ["src/a.rs", "src/b.rs"] {
        both.extend(grants(&scan(Path::new(path), &text).markers, Scope::Cluster).0);
    }
    assert_eq!(check(&both, &[], &project), []);
}

const USES: &str = "use k8s_openapi::api::apps::v1::Deployment;\nuse api::v1alpha1::lolcow::Lolcow;\n\
                    use api::cert_manager_io::v1::certificate::Certificate;\n";

#[test]
fn watched_kinds_need_granted_permissions() {
    for (code, lines, expected) in [
        (
            ".owns::<Deployment>()",
            "",
            "Deployment: `deployments` are watched here, but no marker grants `get`, `list`, `watch`",
        ),
        (
            "fn f() -> manager::Controller<Lolcow> {}",
            "groups=my.domain,resources=lolcows,verbs=get;list",
            "Lolcow: `lolcows` are watched here, but no marker grants `watch`",
        ),
        (
            ".owns::<Certificate>()",
            "groups=my.domain,resources=lolcows,verbs=get",
            "Certificate: `certificates` are watched here, but no marker grants `get`, `list`, `watch`",
        ),
        (
            "fn f(a: Api<Deployment>) {}",
            "",
            "Deployment: the code has an `Api` for `deployments` here, but no marker grants any verb",
        ),
    ] {
        let text = format!("{}{USES}{code}\n", markers(lines));
        assert_eq!(
            said(&text, &rules::NOT_GRANTED, PROJECT),
            [expected],
            "{code}"
        );
    }
    for (code, lines, expected) in [
        (
            "ctx.create(Deployment { spec })",
            "groups=apps,resources=deployments,verbs=get;list;watch;patch",
            "Deployment: `deployments` are created here, but no marker grants `create`",
        ),
        (
            "ctx.apply::<Deployment>(x)",
            "groups=apps,resources=deployments,verbs=get;list;watch",
            "Deployment: `deployments` are applied here, but no marker grants `create`, `patch`",
        ),
    ] {
        let text = format!("{}{USES}{code}\n{code}\n", markers(lines));
        assert_eq!(said(&text, &rules::NOT_GRANTED, PROJECT), [expected]);
        let granted = lines.to_owned() + ";create;patch";
        let text = format!("{}{USES}{code}\n", markers(&granted));
        assert_eq!(checked(&text, PROJECT), [], "{code}");
    }
    let text = format!(
        "{USES}fn f(a: Api<Deployment>) {{}}\n.owns::<Deployment>()\n.owns::<Deployment>()"
    );
    let found = checked(&text, PROJECT);
    assert_eq!(found.len(), 1, "one for each kind: {found:#?}");
    assert_eq!(found[0].line(), Some(5));
    assert_eq!(
        found[0].help.as_deref(),
        Some("add `// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch`")
    );
}

#[test]
fn granted_kinds_may_be_watched() {
    for (code, lines) in [
        (
            ".owns::<Deployment>()",
            "groups=apps,resources=deployments,verbs=get;list;watch",
        ),
        (
            ".owns::<Deployment>()",
            "groups=apps,resources=deployments,verbs=get\ngroups=apps,resources=deployments,verbs=list;watch",
        ),
        (
            ".owns::<Deployment>()",
            "groups=apps,resources=deployments,verbs=get;list;watch,namespace=x",
        ),
        (
            "fn f(a: Api<Deployment>) {}",
            "groups=apps,resources=deployments,verbs=get",
        ),
        (
            ".owns::<Pod>()",
            "groups=apps,resources=deployments,verbs=get",
        ),
    ] {
        let text = format!("{}{USES}{code}\n", markers(lines));
        assert_eq!(checked(&text, PROJECT), [], "{code}");
    }
    let text = format!(
        "{}{USES}.owns::<Deployment>()",
        markers("groups=*,resources=*,verbs=*")
    );
    let found = checked(&text, PROJECT);
    assert!(
        found
            .iter()
            .all(|found| found.rule == Some(&rules::WILDCARD))
    );
}

#[test]
fn a_warning_is_allowed_in_place() {
    let text = "// rustop:allow(rbac-wildcard): the garbage collector deletes any kind\n\
                // +kubebuilder:rbac:groups=*,resources=lolcows,verbs=delete\n";
    let scan = scan(Path::new("src/a.rs"), text);
    let project = Project::parse(PROJECT).unwrap();
    let naming = Naming::default_for(&project);
    let found = crate::manifests::from_markers(&scan, &project, &naming, true).unwrap();
    assert_eq!(found.warnings, []);
}

#[test]
fn unselective_watches_of_large_kinds_get_warnings() {
    let text = "use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret, Service};
fn c() {
    Controller::new(f).owns::<Secret>().owns::<Service>().owns_matching(Watch::<ConfigMap>::new().applied())
        .watches(|pod: &Pod| pod).watches_only(Watch::labels(x), |pod: &Pod| pod);
}
";
    let said = |project: &str| -> Vec<_> {
        let found = checked(text, project).into_iter();
        let found = found.filter(|found| found.rule == Some(&WATCH_ALL));
        found.map(|found| found.message).collect()
    };
    assert_eq!(
        said(PROJECT),
        [
            "every Secret of the cluster is fetched and cached, including those of other applications",
            "every Pod of the cluster is fetched and cached, including those of other applications",
        ]
    );
    assert!(said(&format!("{PROJECT}namespaced: true\n")).is_empty());
}

#[test]
fn references_by_name_are_suggested_for_secrets_and_need_the_verbs_of_a_watch() {
    let text = |call: &str| {
        format!(
            "use k8s_openapi::api::core::v1::{{Pod, Secret}};\nfn c() {{ Controller::new(f).{call}; }}\n"
        )
    };
    let help = |call: &str| -> Option<String> {
        let mut found = checked(&text(call), PROJECT).into_iter();
        let found = found.find(|found| found.rule == Some(&WATCH_ALL))?;
        found.help
    };
    let suggestion = ", objects that a spec names, with `.refers_to::<Secret>(..)`, or one object of a constant name, with \
                      `.fields(\"metadata.name=NAME\")` and `resourceNames=NAME` in its marker";
    assert!(help("owns::<Secret>()").unwrap().ends_with(suggestion));
    assert!(!help("owns::<Pod>()").unwrap().contains("refers_to"));
    let by_name = "refers_to::<Secret>(|x: &X| x.names())";
    assert_eq!(help(by_name), None);
    let of_watch = |call: &str| -> Vec<String> {
        let found = checked(&text(call), PROJECT).into_iter();
        let found = found.filter(|found| found.rule != Some(&WATCH_ALL));
        found.map(|found| found.message).collect()
    };
    assert_eq!(of_watch(by_name), of_watch("owns::<Secret>()"));
    assert_ne!(of_watch(by_name), [""; 0]);
}

#[test]
fn a_watch_of_constant_names_needs_permission_for_these_only() {
    let named = |name: &str| {
        format!(
            ".watches_matching(Watch::<ConfigMap>::new().labels(\"a, b\").fields(\"type=x,metadata.name={name}\"), |it: &ConfigMap| f(it))"
        )
    };
    let others = ".owns_matching(Watch::<ConfigMap>::new().applied())";
    let all = "// +kubebuilder:rbac:groups=\"\",resources=configmaps,verbs=get;list;watch";
    let only = |names: &str| all.replace("verbs", &format!("resourceNames={names},verbs"));
    for (calls, marker) in [
        (named("ca"), only("ca")),
        (named("=ca"), only("ca")),
        (named("ca") + &named("a.b"), only("a.b;ca")),
        (named("ca") + others, all.to_owned()),
        (others.to_owned() + &named("ca"), all.to_owned()),
        (named("ca") + "; let a: Api<ConfigMap> = x", all.to_owned()),
        (named("!=ca").replace("=!", "!"), all.to_owned()),
        (named("{}"), all.to_owned()),
    ] {
        let text = format!(
            "use k8s_openapi::api::core::v1::ConfigMap;\nfn c() {{ Controller::new(f){calls}; }}\n"
        );
        let found = checked(&text, PROJECT);
        let help = found
            .iter()
            .find(|found| found.rule == Some(&rules::NOT_GRANTED));
        let help = help.and_then(|found| found.help.as_deref());
        assert_eq!(help, Some(format!("add `{marker}`").as_str()), "{calls}");
    }
}
