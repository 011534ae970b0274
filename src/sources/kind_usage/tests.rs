//! Tests of which kinds are found and which are ignored.

use super::*;

/// Returns the kinds with their roles: `!` for watched, `!!` for watched whole.
fn found(text: &str) -> Vec<String> {
    let found = find(Path::new("src/controllers/lolcow.rs"), text);
    let show = |found: &KindUse| {
        let path = found.path.strip_prefix("k8s_openapi::api::");
        let path = path.unwrap_or(&found.path);
        let role = match found.role {
            Role::Watched => "!",
            Role::WatchedWhole => "!!",
            Role::Api => "",
            Role::Created => " created",
            Role::Applied => " applied",
            Role::Defaulter => " defaulted",
            Role::Validator => " validated",
        };
        format!("{path}{role}")
    };
    found.iter().map(show).collect()
}

const USE: &str = "use k8s_openapi::api::apps::v1::Deployment;\n";

#[test]
fn finds_kinds_that_a_reconcile_writes() {
    for (code, expected) in [
        ("ctx.create::<Deployment>(x.into())", " created"),
        (
            "ctx.create(Deployment { spec, ..Default::default() })",
            " created",
        ),
        ("ctx.create(Deployment::default())", " created"),
        ("self.ctx\n.create(Deployment {})", " created"),
        ("let d: Deployment = x; ctx.create(d)", " created"),
        (
            "let mut d = Deployment {}; ctx.apply(d.clone())",
            " applied",
        ),
        (
            "fn made(c: &Cow) -> Deployment {} fn r() { ctx.create(made(&cow)) }",
            " created",
        ),
        (
            "fn r() { let d = made(&cow)?; ctx.apply(d) } fn made(c: &Cow) -> Result<Deployment, E> {}",
            " applied",
        ),
    ] {
        let text = format!("{USE}{code}");
        assert_eq!(
            found(&text),
            [format!("apps::v1::Deployment{expected}")],
            "{code}"
        );
    }
    for code in [
        "ctx.create(deployment)",
        "disk.create(Deployment {})",
        "ctx.create(made(x))",
        "ctx.create(&params, &Deployment {})",
        "let d = x.deployment(); ctx.create(d)",
        "fn made() -> Deployment {} mod m { fn made() -> Cow {} } ctx.create(made())",
        "ctx.create(Deployment::of(x))",
    ] {
        assert_eq!(found(&format!("{USE}{code}")), [] as [&str; 0], "{code}");
    }
}

#[test]
fn finds_watched_kinds_and_kinds_with_an_api() {
    for (code, expected) in [
        ("c.owns::<Deployment>()", "!!"),
        ("c.owns::<PartialObjectMeta<Deployment>>()", "!"),
        ("c.owns_with::<Deployment>(Watch::applied())", "!"),
        ("c.owns_if_served::<Deployment>()", "!!"),
        ("c.watches_if_served(|d: &Deployment| [])", "!!"),
        ("c\n    .owns::< Deployment >()", "!!"),
        ("c.watches::<Deployment, _>(|d| [])", "!!"),
        ("c.watches(|d: &Deployment| [])", "!!"),
        ("c.watches(\n move |d : & Deployment| [])", "!!"),
        ("c.watches_with(|d: &Deployment, all| [])", "!!"),
        ("c.watches(|d: &PartialObjectMeta<Deployment>| [])", "!"),
        ("c.watches_only(Watch::labels(s), |d: &Deployment| [])", "!"),
        (
            "c.watches_only(Watch::all().trimmed(|d: &mut Deployment| {}), on(x))",
            "!",
        ),
        ("c.owns_matching(Watch::<Deployment>::new())", "!!"),
        (
            "c.owns_matching(Watch::<Deployment>::new().optional())",
            "!!",
        ),
        ("c.owns_matching(Watch::<Deployment>::new().applied())", "!"),
        (
            "c.owns_matching(\n    Watch::<Deployment>::new()\n        .optional()\n        .labels(s),\n)",
            "!",
        ),
        (
            "c.owns_matching(Watch::<Deployment>::new().metadata_only())",
            "!",
        ),
        (
            "c.watches_matching(rustop_manager::Watch::<Deployment>::new().project(f), on(x))",
            "!",
        ),
        (
            "c.watches_matching(Watch::<Deployment>::new(), on(x))",
            "!!",
        ),
        ("let watch = Watch::<Deployment>::new();", "!"),
        ("c.refers_to::<Deployment>(|x: &X| x.names())", "!"),
        ("c.refers_to::<PartialObjectMeta<Deployment>>(names)", "!"),
        ("c.owns_matching::<Deployment>(watch)", "!"),
        ("c.watches_matching(watch, |d: &Deployment| [])", "!"),
        ("c.watches_with_store(watch, |d: &Deployment, all| [])", "!"),
        ("fn c() -> manager::Controller<Deployment> {", "!"),
        ("fn c() -> rustop_manager::Controller<Deployment> {", "!"),
        ("Controller::<Deployment>::new(api, x)", "!"),
        ("Controller::new(Api::<Deployment>::all(c), x)", "!"),
        (
            "kube::runtime::Controller::new(kube::Api::<Deployment>::all(c), x)",
            "!",
        ),
        (".owns(Api::<Deployment>::all(c), x)", "!"),
        (".watches_with(\n  Api::<Deployment>::all(c), x)", "!"),
        ("watcher(Api::<Deployment>::all(c), x)", "!"),
        (
            "metadata_watcher(Api::<PartialObjectMeta<Deployment>>::all(c), x)",
            "!",
        ),
        ("let a: Api<Deployment> = Api::all(c);", ""),
        ("Api::<Deployment>::all(c).get()", ""),
        ("ctx.api::<Deployment>()", ""),
    ] {
        let expected = format!("apps::v1::Deployment{expected}");
        assert_eq!(found(&format!("{USE}{code}")), [expected], "{code}");
    }
}

#[test]
fn finds_handlers_of_webhooks() {
    for (code, expected) in [
        ("impl Validator<Deployment> for Rules {", "validated"),
        (
            "impl manager::webhook::Defaulter<Deployment> for D {",
            "defaulted",
        ),
        (
            "impl rustop_manager::webhook::Defaulter<Deployment> for D {",
            "defaulted",
        ),
        (
            "impl<T> webhook::Validator<Deployment> for Rules<T> {",
            "validated",
        ),
    ] {
        let expected = format!("apps::v1::Deployment {expected}");
        assert_eq!(found(&format!("{USE}{code}")), [expected], "{code}");
    }
    let bound =
        format!("{USE}fn f(v: &dyn Validator<Deployment>, d: impl X + Defaulter<Deployment>) {{}}");
    assert_eq!(found(&bound), [] as [&str; 0]);
}

#[test]
fn names_are_resolved_through_use_declarations() {
    for (uses, name, expected) in [
        (
            "use k8s_openapi::api::apps::v1::{DaemonSet, Deployment};",
            "DaemonSet",
            "apps::v1::DaemonSet!",
        ),
        (
            "use k8s_openapi::api::{apps::v1::Deployment as D, core::{v1::{self, Pod}}};",
            "D",
            "apps::v1::Deployment!",
        ),
        (
            "use k8s_openapi::api::{apps::v1::Deployment as D, core::{v1::{self, Pod}}};",
            "v1::Secret",
            "core::v1::Secret!",
        ),
        (
            "use k8s_openapi::api::{apps::v1::Deployment as D, core::{v1::{self, Pod}}};",
            "Pod",
            "core::v1::Pod!",
        ),
        (
            "use ::k8s_openapi::api::core::v1 as corev1;",
            "corev1::Pod",
            "core::v1::Pod!",
        ),
        (
            "pub(crate) use k8s_openapi::api::core::v1::{\n    Pod,\n    Secret,\n};",
            "Secret",
            "core::v1::Secret!",
        ),
        ("", "k8s_openapi::api::core::v1::Pod", "core::v1::Pod!"),
        ("", "::k8s_openapi::api::core::v1::Pod", "core::v1::Pod!"),
        (
            "use api::v1alpha1::lolcow::Lolcow;",
            "Lolcow",
            "api::v1alpha1::lolcow::Lolcow!",
        ),
        (
            "use api::v1alpha1::lolcow;",
            "lolcow::Lolcow",
            "api::v1alpha1::lolcow::Lolcow!",
        ),
    ] {
        assert_eq!(
            found(&format!("{uses} c.owns_with::<{name}>(w)")),
            [expected],
            "{uses} {name}"
        );
    }
}

#[test]
fn uncertain_uses_are_skipped() {
    for code in [
        "c.owns::<Pod>()",
        "use k8s_openapi::api::core::v1::*; c.owns::<Pod>()",
        "use super::Deployment; c.owns::<Deployment>()",
        "use crate::api::v1::Deployment; c.owns::<Deployment>()",
        "fn f<T>(a: Api<T>) {}",
        "let s = \".owns::<Deployment>()\";",
        "// c.owns::<Deployment>()",
        "/* c.owns::<Deployment>() */",
        "/// `Api<Deployment>`",
        "fn f(a: MyApi<Deployment>, b: Controllers<Deployment>) {}",
        "c.disowns::<Deployment>()",
        "#[cfg(test)]\nmod tests { fn f(a: Api<Deployment>) { let c = '}'; } fn g(a: Api<Deployment>) {} }",
        "#[cfg(test)]\nuse x::Api<Deployment>;",
        "Api::<",
        "Api::<Deployment",
    ] {
        let text = if code.starts_with("use") || code.starts_with("c.owns") {
            format!("// api::\n{code}")
        } else {
            format!("{USE}{code}")
        };
        let expected: &[&str] = match code {
            "Api::<Deployment" => &["apps::v1::Deployment"],
            _ => &[],
        };
        assert_eq!(found(&text), expected, "{code}");
    }
}

#[test]
fn code_behind_a_test_module_is_read() {
    let text =
        format!("{USE}#[cfg(test)] mod tests {{ fn f() {{}} }}\nfn f(a: Api<Deployment>) {{}}");
    assert_eq!(found(&text), ["apps::v1::Deployment"]);
}

#[test]
fn uses_in_tests_are_ignored() {
    for path in [
        "tests/lolcow.rs",
        "src/tests.rs",
        "src/a_tests.rs",
        "src/tests/a.rs",
        "benches/a.rs",
        "examples/a.rs",
    ] {
        assert_eq!(
            find(
                Path::new(path),
                &format!("{USE}fn f(a: Api<Deployment>) {{}}")
            ),
            [],
            "{path}"
        );
    }
}

#[test]
fn spans_name_the_type() {
    let text = format!("{USE}// é\nlet a: Api<PartialObjectMeta<Deployment>>;");
    let [found] = &find(Path::new("src/a.rs"), &text)[..] else {
        panic!()
    };
    assert_eq!(&text[found.span.clone()], "Deployment");
}
