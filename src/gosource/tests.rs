//! Tests with Go code as people write it.

use std::path::Path;

use super::*;
use crate::rbac::rule::{Scope, grants};
use crate::sources::comments::MarkerKind;

#[test]
fn markers_are_line_comments_and_nothing_else() {
    let text = r#"package controllers

//+kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list
// +kubebuilder:rbac:groups="",resources=pods,verbs=get
/* // +kubebuilder:rbac:groups=a,resources=b,verbs=get */
var raw = `
// +kubebuilder:rbac:groups=c,resources=d,verbs=get
`
var quoted = "// +kubebuilder:rbac:groups=e,resources=f,verbs=\" // +kubebuilder:rbac:groups=e"
var rune = '"' // +kubebuilder:webhook:path=/x,mutating=true
"#;
    let found = markers(Path::new("a.go"), text);
    let lines: Vec<_> = found.iter().map(|it| (it.line.number, it.kind)).collect();
    let expected = [
        (3, MarkerKind::Rbac),
        (4, MarkerKind::Rbac),
        (10, MarkerKind::Webhook),
    ];
    assert_eq!(lines, expected);
    let (grants, problems) = grants(&found, Scope::Cluster);
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(grants[0].rule.groups, ["apps"]);
    assert_eq!(grants[1].rule.resources, ["pods"]);
}

#[test]
fn a_chain_has_its_calls_with_their_lines() {
    let text = r#"func (r *R) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&cowv1.Lolcow{}, builder.WithPredicates(p("a)"))). // the kind
		Owns(&appsv1.Deployment{}).
		// Named( is none
		Watches(
			&corev1.Secret{},
			handler.EnqueueRequestsFromMapFunc(r.secrets),
		).
		WithOptions(controller.Options{MaxConcurrentReconciles: 4}).
		Complete(r)
}
"#;
    let found = go_controllers(text);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].line, 2);
    assert_eq!(found[0].kind(), Some("Lolcow"));
    let calls: Vec<_> = found[0]
        .calls
        .iter()
        .map(|it| (it.name.as_str(), it.line))
        .collect();
    let expected = [
        ("For", 3),
        ("Owns", 4),
        ("Watches", 6),
        ("WithOptions", 10),
        ("Complete", 11),
    ];
    assert_eq!(calls, expected);
    assert_eq!(
        found[0].calls[2].arguments,
        "&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(r.secrets),"
    );
}

#[test]
fn calls_on_a_builder_variable_belong_to_its_controller() {
    let text = r"func (r *R) SetupWithManager(mgr ctrl.Manager) error {
	b := ctrl.NewControllerManagedBy(mgr).
		For(&cowv1.Lolcow{})
	if r.secrets {
		b = b.Owns(&corev1.Secret{})
	}
	other.b.Owns(&corev1.Pod{})
	if err := b.Owns(&corev1.Node{}).Complete(r); err != nil {
		return err
	}
	b = ctrl.NewControllerManagedBy(mgr)
	return b.For(&cowv1.Herd{}).Complete(r)
}

func other(b *builder.Builder) { b.Owns(&corev1.Event{}) }
";
    let calls = |chain: &GoController| -> Vec<_> {
        let calls = chain.calls.iter();
        calls
            .map(|it| (it.line, it.name.clone() + &it.arguments))
            .collect()
    };
    let found = go_controllers(text);
    assert_eq!(found.len(), 2);
    assert_eq!(found[1].kind(), Some("Herd"));
    let expected = [
        (3, "For&cowv1.Lolcow{}"),
        (5, "Owns&corev1.Secret{}"),
        (8, "Owns&corev1.Node{}"),
        (8, "Completer"),
    ];
    assert_eq!(
        calls(&found[0]),
        expected.map(|(at, it)| (at, it.to_owned()))
    );
}

#[test]
fn manual_controllers_reconcile_the_kind_they_enqueue() {
    for (watch, kind) in [
        (
            "source.Kind(mgr.GetCache(), &v1.Cow{}, &handler.EnqueueRequestForObject{})",
            Some("Cow"),
        ),
        (
            "source.Kind(cache, &v1.Cow{}, &handler.TypedEnqueueRequestForObject[*v1.Cow]{})",
            Some("Cow"),
        ),
        (
            "&source.Kind{Type: &v1.Cow{}}, &handler.EnqueueRequestForObject{}",
            Some("Cow"),
        ),
        (
            "source.Kind(cache, kind, &handler.EnqueueRequestForObject{})",
            None,
        ),
    ] {
        let text = format!(
            "func add(mgr manager.Manager) error {{\n\tc, err := controller.New(\"cow\", mgr, options)\n\
             \tif err != nil {{ return err }}\n\
             \terr = c.Watch(source.Kind(cache, &v1.Pod{{}}, handler.EnqueueRequestForOwner(s, &v1.Cow{{}})))\n\
             \treturn c.Watch({watch})\n}}\n"
        );
        let found = go_controllers(&text);
        assert_eq!(found.len(), 1, "{text}");
        let names: Vec<_> = found[0].calls.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["New", "Watch", "Watch"]);
        assert_eq!(found[0].calls[0].arguments, "\"cow\", mgr, options");
        assert_eq!(found[0].kind(), kind, "{watch}");
    }
}

#[test]
fn finalizers_are_found_where_they_get_a_name() {
    let text = r#"package controllers
const (
	cowFinalizer = "example.org/cow" // a name
	herdFinalizerName string = group + "/herd"
)
func f() {
	finalizers := cow.GetFinalizers()
	var finalizer = name(cow)
	log.Info("finalizer", "cow", cowFinalizer)
	if !controllerutil.ContainsFinalizer(cow, "example.org/barn") {
		controllerutil.AddFinalizer(cow, "example.org/barn")
	}
	controllerutil.RemoveFinalizer(cow, cowFinalizer)
	finalizerError = "it has: a finalizer"
	finalizerReason, oldFinalizer := "FinalizerFailed", ""
	RedCowFinalizer = "redCowFinalizer"
	finalizerAdded = "FinalizerAdded"
	finalizerPath := "/metadata/finalizers"
}
"#;
    let found: Vec<_> = finalizers(text)
        .into_iter()
        .map(|it| (it.line, it.name))
        .collect();
    let expected = [
        (3, "example.org/cow"),
        (4, "group + \"/herd\""),
        (10, "example.org/barn"),
        (16, "redCowFinalizer"),
    ];
    assert_eq!(found, expected.map(|(at, it)| (at, it.to_owned())));
}

#[test]
fn a_finalizer_in_a_variable_has_its_value_or_its_expression() {
    let text = r#"package controllers
const protect = "example.org/protect"
func f(finalizer string) {
	guard := "example.org/guard"
	controllerutil.AddFinalizer(cow, protect)
	controllerutil.AddFinalizer(
		cow,
		guard,
	)
	controllerutil.AddFinalizer(cow, v1.Keep)
	controllerutil.RemoveFinalizer(cow, name(cow))
	cow.Finalizers = append(cow.Finalizers, r.finalizer)
	cow.SetFinalizers(append(cow.GetFinalizers(), "example.org/own"))
	names = append(names, "example.org/other")
	util.AddFinalizer(ctx, cow)
	all = append(all, cow.Finalizers...)
	if finalizer == "example.org/same" { return }
	controllerutil.AddFinalizer(cow, g(`x

y`))
}
func (r *R) AddFinalizer(cow *v1.Cow, finalizer string) {}
"#;
    let found = |finalizers: &[Finalizer]| -> Vec<_> {
        let all = finalizers.iter();
        all.map(|it| (it.line, it.name.clone(), it.is_expression))
            .collect()
    };
    let mut all = finalizers(text);
    let mut expected = [
        (5, "example.org/protect", false),
        (6, "example.org/guard", false),
        (10, "v1.Keep", true),
        (11, "name(cow)", true),
        (12, "r.finalizer", true),
        (13, "example.org/own", false),
        (18, "g(`x y`)", true),
    ]
    .map(|(line, name, is_expression)| (line, name.to_owned(), is_expression));
    assert_eq!(found(&all), expected);
    // The constant is in another file; a name with two values is not followed.
    let mut constants = Constants::default();
    constants.add("package v1\nconst Keep = \"example.org/keep\"\nconst finalizer = \"a\"\n");
    constants.add("package v2\nconst finalizer = \"b\"\n");
    for finalizer in &mut all {
        constants.resolve(finalizer);
    }
    expected[2] = (10, "example.org/keep".to_owned(), false);
    assert_eq!(found(&all), expected);
}

#[test]
fn a_builder_in_the_arguments_of_another_is_no_controller() {
    let text = "func a() { ctrl.NewControllerManagedBy(m).For(ctrl.NewControllerManagedBy(m).For(x)).Complete(r) }
func b() { ctrl.NewControllerManagedBy(m).For(y).Complete(r) }
";
    let lines: Vec<_> = go_controllers(text).iter().map(|it| it.line).collect();
    assert_eq!(lines, [1, 2]);
}

#[test]
fn text_that_breaks_off_is_read_as_far_as_it_goes() {
    for text in [
        "ctrl.NewControllerManagedBy(mgr",
        "ctrl.NewControllerManagedBy(mgr).For(&v1.A{",
        "ctrl.NewControllerManagedBy(mgr).For(",
        "NewControllerManagedBy(m)).Owns(",
        "/* never closed",
        "`never closed",
        "\"\\",
        "'",
        "// +kubebuilder:rbac:ü",
        "NewControllerManagedBy(",
        "b := NewControllerManagedBy(m).For(&v1.A{}) b.Owns(",
        "c, err := controller.New(m) c.Watch(&",
        "aFinalizer string = \"a.b/c\" + d",
        "AddFinalizer(a, \"a/b\")",
        "a.Finalizers = append(a.GetFinalizers(), b.c, )",
    ] {
        for (end, _) in text.char_indices() {
            let text = &text[..end];
            go_controllers(text);
            finalizers(text);
            markers(Path::new("a.go"), text);
        }
        for chain in go_controllers(text) {
            assert!(chain.kind().is_none_or(|kind| kind == "A"), "{text}");
        }
    }
}

#[test]
fn a_project_of_each_version_is_read() {
    let third = r#"
domain: example.org
layout: [go.kubebuilder.io/v4]
plugins: {manifests.sdk.operatorframework.io/v2: {}}
projectName: cows
repo: example.org/cows
resources:
- api: {crdVersion: v1, namespaced: true}
  controllers: [{name: one}, {name: two}]
  domain: example.org
  group: farm
  kind: Cow
  version: v1
  webhooks: {defaulting: true, webhookVersion: v1}
version: "3"
"#;
    let project = GoProject::read(third).unwrap();
    assert_eq!(project.name.as_deref(), Some("cows"));
    let cow = &project.resources[0];
    assert!(cow.is_controlled() && cow.webhooks.defaulting && !cow.webhooks.validation);
    assert!(cow.is_of("farm.example.org", None) && !cow.is_of("example.org", None));

    let second = "domain: example.org\nlayout: go.kubebuilder.io/v2\nrepo: x\nresources:\n\
                  - {group: farm, kind: Cow, version: v1}\nversion: \"2\"\n";
    let project = GoProject::read(second).unwrap();
    let domain = project.domain.as_deref();
    assert!(project.name.is_none() && !project.resources[0].is_controlled());
    assert!(project.resources[0].is_of("farm.example.org", domain));

    // A full group, and a missing one.
    let of = |group: Option<&str>| GoResource {
        domain: Some("example.org".into()),
        group: group.map(Into::into),
        ..GoResource::default()
    };
    assert!(of(Some("example.org")).is_of("example.org", None));
    assert!(of(None).is_of("example.org", None));
    assert!(of(Some("core")).is_of("", None) && of(Some("core")).is_of("core.example.org", None));
    assert!(GoProject::read("resources: 1").is_err());
}

#[test]
fn a_kind_in_a_variable_is_found() {
    let text = r"func (r *A) SetupWithManager(mgr ctrl.Manager) error {
	cow := &cowv1.Lolcow{}
	pod, other := new(corev1.Pod), 1
	pod = new(corev1.Pod)
	return ctrl.NewControllerManagedBy(mgr).For(cow, builder.OnlyMetadata).Owns(pod).Complete(r)
}

func (r *B) SetupWithManager(mgr ctrl.Manager, cow client.Object) error {
	return ctrl.NewControllerManagedBy(mgr).For(cow).Complete(r)
}
";
    let found = go_controllers(text);
    let kind = |chain: &GoController| chain.kind().map(str::to_owned);
    assert_eq!(kind(&found[0]), Some("Lolcow".to_owned()));
    assert_eq!(found[0].object().unwrap().package, "cowv1");
    assert_eq!(found[0].calls[1].object().unwrap().kind, "Pod");
    assert_eq!(found[0].calls[0].arguments, "cow, builder.OnlyMetadata");
    assert_eq!(kind(&found[1]), None);
}

#[test]
fn many_markers_are_read_in_linear_time() {
    let text = "// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get\n".repeat(50_000);
    let begun = std::time::Instant::now();
    let markers = markers("a.go".as_ref(), &text);
    assert_eq!(markers.last().map(|it| it.line.number), Some(50_000));
    assert!(begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
}
