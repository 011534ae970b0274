//! Tests of unsupported requests to handlers.

use super::*;

/// Returns the problems of a marker for the validator of [`PROJECT`], or for the defaulter with
/// `mutating=true`. The project has a second version of the kind.
fn unanswered(more: &str) -> Vec<String> {
    let two = format!(
        "{PROJECT}- api: {{crdVersion: v1, namespaced: true}}\n  domain: my.domain\n  kind: Lolcow\n  plural: lolcows\n  version: v1\n"
    );
    let usual = if more.contains("mutating=true") {
        BOTH[0]
    } else {
        BOTH[1]
    };
    let other = if usual == BOTH[0] { BOTH[1] } else { BOTH[0] };
    let kept = usual.split(',').filter(|usual| {
        let name = usual.split('=').next().unwrap();
        !more
            .split(',')
            .any(|more| more.starts_with(&format!("{name}=")))
    });
    let line = kept.chain(more.split(',')).collect::<Vec<_>>().join(",");
    paths(&[&line, other], "", &two)
}

#[test]
fn handlers_receive_only_kinds_they_can_decode() {
    let reads = "the handler of `/validate-my-domain-v1alpha1-lolcow` expects a Lolcow of `my.domain/v1alpha1`, but";
    let lolcows = "write `resources=lolcows`";
    let scale = format!(
        "`lolcows/scale` is a Scale, but the handler of `/validate-my-domain-v1alpha1-lolcow` expects a Lolcow and would reject it; {lolcows}"
    );
    for (more, expected) in [
        ("resources=lolcows;lolcows/scale", scale.clone()),
        ("resources=lolcows/*", scale.clone()),
        ("resources=*/*", scale),
        (
            "resources=gadgets",
            format!("{reads} `resources` is `gadgets`; {lolcows}"),
        ),
        (
            "resources=lolcows/moos",
            format!("unknown subresource `lolcows/moos`; {lolcows}"),
        ),
        (
            "versions=v7",
            format!("{reads} `versions` is `v7`; write `versions=v1alpha1`"),
        ),
        (
            "versions=v1alpha1;v1",
            format!("{reads} `versions` is `v1`; write `versions=v1alpha1`"),
        ),
        (
            "versions=*",
            format!("{reads} `versions` is `v1`; write `versions=v1alpha1`"),
        ),
        (
            "groups=apps",
            format!("{reads} `groups` is `apps`; write `groups=my.domain`"),
        ),
        (
            "verbs=connect",
            "a `Validator` is never called for `connect`; leave it out".to_owned(),
        ),
        (
            "mutating=true,verbs=create;delete",
            "a `Defaulter` is never called for `delete`; leave it out".to_owned(),
        ),
    ] {
        assert_eq!(unanswered(more), [expected], "{more}");
    }
    for fine in [
        "resources=lolcows;lolcows/status",
        "resources=*",
        "verbs=create;delete",
        "groups=*",
        "verbs=*",
    ] {
        assert_eq!(unanswered(fine), [] as [&str; 0], "{fine}");
    }
}

#[test]
fn the_parts_of_kubernetes_own_kinds_are_known() {
    let none = &PROJECT[..PROJECT.find("  webhooks:").unwrap()];
    let typed = "use k8s_openapi::api::core::v1::{Namespace, Pod};\nimpl manager::webhook::Validator<Pod> for A {}\nimpl manager::webhook::Validator<Namespace> for B {}";
    let pod = |more: &str| {
        paths(
            &[&format!(
                "mutating=false,path=/validate--v1-pod,groups=\"\",{more}"
            )],
            typed,
            none,
        )
    };
    for fine in ["resources=pods", "resources=pods;pods/status;pods/resize"] {
        assert_eq!(pod(fine), [] as [&str; 0], "{fine}");
    }
    for other in ["resources=pods/*", "resources=pods;pods/binding"] {
        assert!(
            pod(other)[0].starts_with("`pods/binding` is a Binding"),
            "{:?}",
            pod(other)
        );
    }
    assert!(
        pod("resources=*")[0].contains("expects a Pod of `v1`"),
        "{:?}",
        pod("resources=*")
    );
    let namespaces =
        ["mutating=false,path=/validate--v1-namespace,groups=\"\",resources=namespaces/*"];
    assert_eq!(paths(&namespaces, typed, none), [] as [&str; 0]);
}

/// If a webhook has several markers, the diagnostic points to the one at fault.
#[test]
fn the_marker_that_asks_too_much_is_named() {
    let sound = marker(BOTH[1]);
    let (webhooks, wrong) = read(
        &scanned(
            &[
                &sound,
                &marker(&BOTH[1].replace("resources=lolcows", "resources=cows")),
            ]
            .map(String::as_str)
            .join("\n"),
        )
        .markers,
    );
    assert_eq!(wrong, []);
    let project = Project::parse(PROJECT).unwrap();
    let found = check_paths(&webhooks.webhooks, &project, &Scan::default());
    let place = found[0].place.as_ref().unwrap();
    assert_eq!(
        (place.line.number, &place.line.text[place.span.clone()]),
        (2, "resources=cows")
    );
}
