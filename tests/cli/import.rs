//! `rustop import`.

use crate::dsl::{Place, snapshot};

const CRD: &str = "config/crd/bases/farm.example.org_cows.yaml";

/// The files of a Go project.
const GO: [(&str, &str); 9] = [
    (
        "PROJECT",
        "domain: example.org\nlayout: [go.kubebuilder.io/v4]\nprojectName: cow-operator\n\
             repo: example.org/cow-operator\nresources:\n\
             - {api: {crdVersion: v1}, controller: true, domain: example.org, group: farm, kind: Cow, version: v1,\n\
             \x20  webhooks: {defaulting: true, validation: true, webhookVersion: v1}}\n\
             - {group: core, kind: Pod, version: v1, controller: true}\n\
             - {group: farm, kind: Hen, version: v1, controller: true}\nversion: \"3\"\n",
    ),
    (
        CRD,
        r"apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: cows.farm.example.org}
spec:
  group: farm.example.org
  names: {kind: Cow, listKind: CowList, plural: cows, singular: cow}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          apiVersion: {type: string}
          kind: {type: string}
          metadata: {type: object}
          spec:
            type: object
            description: What a cow is to be.
            properties:
              breed: {type: string, enum: [angus, jersey]}
            required: [breed]
",
    ),
    (
        "config/rbac/role.yaml",
        "kind: ClusterRole\nmetadata: {name: manager-role}\nrules:\n\
             - {apiGroups: [farm.example.org], resources: [cows], verbs: [get, list, watch]}\n\
             - {apiGroups: [\"\"], resources: [pods], verbs: [get]}\n",
    ),
    (
        "config/manager/manager.yaml",
        r"kind: Namespace
metadata: {name: system}
---
kind: Deployment
metadata: {name: controller-manager}
spec:
  replicas: 2
  template:
    spec:
      terminationGracePeriodSeconds: 30
      tolerations: [{key: barn}]
      containers:
      - {name: proxy, image: proxy}
      - name: manager
        image: example.org/cow-operator:v3
        args: [--leader-elect, --zap-log-level=debug, --pasture=north]
        env:
        - {name: BREED, value: 'yes'}
        - {name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}
        - {name: TOKEN, valueFrom: {secretKeyRef: {name: token, key: token}}}
        - {name: WATCH_NAMESPACE, value: ''}
        resources:
          limits: {cpu: 500m, memory: 512Mi}
",
    ),
    ("config/default/metrics.yaml", "kind: Service\n"),
    (
        "internal/controller/cow_controller.go",
        r"package controller

//+kubebuilder:rbac:groups=farm.example.org,resources=cows,verbs=get;list;watch
// +kubebuilder:rbac:groups=core,resources=pods,verbs=get

func (r *CowReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&farmv1.Cow{}).
		Owns(&corev1.Pod{}).
		Complete(r)
}
",
    ),
    (
        "internal/controller/more_controllers.go",
        r#"package controller

const cowFinalizer = "farm.example.org/cow"

func (r *BellReconciler) SetupWithManager(mgr ctrl.Manager) error {
	b := ctrl.NewControllerManagedBy(mgr).For(&farmv1.Cow{})
	b = b.Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(`
`))
	return b.Complete(r)
}

const bellFinalizer = "farm.example.org/cow"

func addPods(mgr manager.Manager) error {
	controllerutil.AddFinalizer(cow, "farm.example.org/cow")
	c, err := controller.New("pods", mgr, controller.Options{MaxConcurrentReconciles: 4})
	return c.Watch(source.Kind(mgr.GetCache(), &corev1.Pod{}, &handler.EnqueueRequestForObject{}))
}
"#,
    ),
    (
        "internal/controller/cow_controller_test.go",
        "// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=delete\n",
    ),
    (
        "internal/webhook/cow_webhook.go",
        "package webhook\n\n// +kubebuilder:webhook:path=/mutate-cow,mutating=true\n",
    ),
];

/// A place with a Go project in `go`.
pub fn place() -> Place {
    let place = Place::empty();
    for (path, text) in GO {
        place.write(&format!("go/{path}"), text);
    }
    place
}

#[test]
fn a_go_project_becomes_one_of_rust() {
    let place = place();
    let go = snapshot(&place.path("go"));
    place
        .rustop("import go rust")
        .says(&[
            "Created api/src/farm/v1/cow.rs",
            "Next: cd rust, and read IMPORT.md",
        ])
        .ok();
    assert!(
        go == snapshot(&place.path("go")),
        "the Go project is only read"
    );
    for (path, text) in [
        ("PROJECT", "projectName: cow-operator\n"),
        (
            "PROJECT",
            "domain: example.org\n  draft: true\n  group: farm\n",
        ),
        (
            "PROJECT",
            "    from: config/crd/bases/farm.example.org_cows.yaml\n",
        ),
        ("api/src/farm/v1/cow.rs", "/// What a cow is to be."),
        (
            "src/lib.rs",
            "// +kubebuilder:rbac:groups=core,resources=pods,verbs=get\n\
             // +kubebuilder:rbac:groups=farm.example.org,resources=cows,verbs=get;list;watch\n",
        ),
        ("IMPORT.md", "# Imported from example.org/cow-operator\n"),
        (
            "IMPORT.md",
            "2 RBAC markers at the end of `src/lib.rs`, as the Go sources have them; they grant",
        ),
        (
            "IMPORT.md",
            "The controller of Cow: write `reconcile` in `src/controllers/farm_cow.rs`; the controller in Go begins at \
             `internal/controller/cow_controller.go:7`. Then `rustop create api --group farm --version v1 --kind Cow \
             --no-resource` registers it\n",
        ),
        (
            "src/controllers/farm_cow.rs",
            "        // internal/controller/cow_controller.go:9: Owns(&corev1.Pod{})\n\
             \x20       .owns::<k8s_openapi::api::core::v1::Pod>()\n\
             \x20       .concurrency(1)\n",
        ),
        ("src/controllers/mod.rs", "pub mod farm_cow;"),
        (
            "IMPORT.md",
            "The rules of farm.example.org/v1 Cow: write them in `src/webhooks/farm_cow/validation.rs`\n",
        ),
        (
            "IMPORT.md",
            "- v1 Hen: it is in PROJECT, and no CRD defines it\n",
        ),
        (
            "IMPORT.md",
            "- `internal/webhook/cow_webhook.go:3`: `+kubebuilder:webhook:path=/mutate-cow,mutating=true`: cannot be read: ",
        ),
        ("IMPORT.md", "- `config/default/`: 1 file;"),
        (
            "IMPORT.md",
            "`rustop import --shadow -- GO-PROJECT/bin/manager`",
        ),
    ] {
        let found = place.read(&format!("rust/{path}"));
        assert!(found.contains(text), "{path}: {text}\n{found}");
    }
    assert!(place.has("rust/src/webhooks/farm_cow/defaulting.rs"));
    let add = format!("rustop -C ./rust create api --from-crd ./go/{CRD}");
    place
        .rustop("import go rust")
        .stderr(&format!(
            "error: `./rust` already contains a project\nhelp: {add}\n"
        ))
        .fails(1);
    // The help is a command that works.
    place
        .rustop(add.trim_start_matches("rustop "))
        .says(&["The project already has all of it"])
        .unchanged()
        .ok();
}

/// A CRD is what a YAML parser takes for one, not a line of a certain form.
#[test]
fn a_crd_is_found_however_it_is_written() {
    let kind = "kind: CustomResourceDefinition";
    for (written, name) in [
        ("kind: \"CustomResourceDefinition\"", "cows.yaml"),
        ("kind: CustomResourceDefinition # generated", "cows.yml"),
        ("'kind':   'CustomResourceDefinition'", "cows.yaml"),
    ] {
        let place = place();
        let text = place.read(&format!("go/{CRD}")).replace(kind, written);
        let text = text.replace("  group: ", "  \"group\": ");
        place.remove(&format!("go/{CRD}"));
        place.write(&format!("go/config/crd/bases/{name}"), &text);
        place.rustop("import go rust -q").ok();
        assert!(place.has("rust/api/src/farm/v1/cow.rs"), "{written}");
    }
    let place = place();
    let text = place.read(&format!("go/{CRD}"));
    let json: serde_json::Value = serde_yaml::from_str(&text).unwrap();
    place.remove(&format!("go/{CRD}"));
    place.write("go/config/crd/bases/cows.json", json.to_string());
    place.rustop("import go rust -q").ok();
    assert!(place.has("rust/api/src/farm/v1/cow.rs"));
}

#[test]
fn a_skeleton_is_registered_when_it_is_written() {
    let place = place();
    place.rustop("import go rust -q").ok();
    let (file, all) = (
        "rust/src/controllers/farm_cow.rs",
        "rust/src/controllers/mod.rs",
    );
    let register = "create api --group farm --version v1 --kind Cow --no-resource";
    assert!(place.read(file).contains(&format!("`rustop {register}`")));
    let begins =
        "its controller begins at `internal/controller/cow_controller.go:7`.\n/// The manager";
    assert!(place.read(file).contains(begins), "{}", place.read(file));
    let is_registered = || place.read(all).contains("farm_cow::controller()");
    assert!(!is_registered(), "{}", place.read(all));
    place
        .rustop(&format!("-C rust {register}"))
        .says(&[
            "`src/controllers/farm_cow.rs:",
            "is an unfinished draft",
            "replace its `todo!`",
        ])
        .unchanged()
        .fails(1);
    place.edit(
        file,
        "todo!(\"reconcile a Cow\")",
        "Ok(rustop_manager::Action::await_change())",
    );
    let written = place.read(file);
    place
        .rustop(&format!("-C rust {register}"))
        .says(&["Updated PROJECT"])
        .ok();
    assert!(is_registered(), "{}", place.read(all));
    assert_eq!(place.read(file), written, "it is the user's");
    assert!(
        !place
            .read("rust/PROJECT")
            .contains("draft: true\n  group: farm\n")
    );
    // An unwanted draft is deleted like any controller.
    place
        .rustop("-C rust delete api --group core --kind Pod")
        .says(&["For you to remove:\n  src/controllers/core_pod.rs\n"])
        .ok();
    let left = place.read(all);
    assert!(!left.contains("core_pod"), "{left}");
}

#[test]
fn each_controller_is_a_step_and_finalizers_are_told() {
    let place = place();
    place.rustop("import go rust -q").ok();
    let page = place.read("rust/IMPORT.md");
    let more = "internal/controller/more_controllers.go";
    for line in [
        format!(
            "The controller of Cow, `{more}:6`: a kind has one controller, so its `reconcile` is to do this, too\n"
        ),
        format!(
            "- `{more}:7`: `Watches(&corev1.Secret{{}}, handler.EnqueueRequestsFromMapFunc(' '))`: \
             `.watches::<k8s_openapi::api::core::v1::Secret, _>(|changed| ..)`\n"
        ),
        format!(
            "The controller of Pod: write `reconcile` in `src/controllers/core_pod.rs`; the controller in Go begins at \
             `{more}:16`. Then `rustop create api --group core --version v1 --kind Pod --no-resource` registers it\n"
        ),
        format!("The finalizer `farm.example.org/cow`, `{more}:3`: existing objects have it"),
    ] {
        assert!(page.contains(&line), "{line}\n{page}");
    }
    let pod = place.read("rust/src/controllers/core_pod.rs");
    let lines = format!(
        "        // {more}:16: New(\"pods\", mgr, controller.Options{{MaxConcurrentReconciles: 4}})\n        .concurrency(4)\n"
    );
    assert!(pod.contains(&lines), "{pod}");
    assert!(!pod.contains("concurrency(1)"), "{pod}");
    let finalizer = "this file uses a finalizer; if objects of this kind have it: `.cleanup(\"farm.example.org/cow\", cleanup)`\n";
    assert!(pod.contains(finalizer), "{pod}");
}

#[test]
fn a_kind_is_that_of_the_imported_group() {
    let place = place();
    let crd = place.read(&format!("go/{CRD}"));
    let shop = crd.replace("farm.example.org", "shop.example.org");
    let service = crd
        .replace("cows", "services")
        .replace("kind: Cow", "kind: Service");
    let service = service.replace("CowList", "ServiceList");
    place.write("go/config/crd/bases/shop.example.org_cows.yaml", shop);
    place.write(
        "go/config/crd/bases/farm.example.org_services.yaml",
        service,
    );
    for group in ["farm", "shop"] {
        place.write(
            &format!("go/api/{group}/v1/groupversion_info.go"),
            format!("// +groupName={group}.example.org\npackage v1\n"),
        );
    }
    place.write(
        "go/internal/controller/shop_controllers.go",
        r#"package controller

import (
	corev1 "k8s.io/api/core/v1"

	farm "example.org/cow-operator/api/farm/v1"
	v1 "example.org/cow-operator/api/shop/v1"
)

func shop(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Cow{}).Owns(&corev1.Service{}).Owns(&v1.Service{}).Complete(r)
}

func service(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&corev1.Service{}).Owns(&farm.Cow{}).Complete(r)
}
"#,
    );
    place.rustop("import go rust -q").ok();
    let go = "internal/controller/shop_controllers.go";
    for (controller, lines) in [
        (
            "shop_cow",
            format!(
                "        // {go}:11: Owns(&corev1.Service{{}})\n        .owns::<k8s_openapi::api::core::v1::Service>()\n\
                 \x20       // {go}:11: Owns(&v1.Service{{}})\n"
            ),
        ),
        (
            "core_service",
            format!(
                "        // {go}:15: Owns(&farm.Cow{{}})\n        .owns::<api::farm::v1::cow::Cow>()\n"
            ),
        ),
        (
            "farm_cow",
            "begins at `internal/controller/cow_controller.go:7`".to_owned(),
        ),
    ] {
        let text = place.read(&format!("rust/src/controllers/{controller}.rs"));
        assert!(text.contains(&lines), "{text}");
    }
    // Its type is in no builder.
    assert!(!place.has("rust/src/controllers/farm_service.rs"));
    let page = place.read("rust/IMPORT.md");
    assert!(!page.contains("a kind has one controller, so its `reconcile` is to do this, too: `internal/controller/shop"), "{page}");
}

#[test]
fn a_webhook_handler_is_that_of_the_imported_group() {
    let place = place();
    let crd = place.read(&format!("go/{CRD}"));
    place.write(
        "go/config/crd/bases/shop.example.org_cows.yaml",
        crd.replace("farm.example.org", "shop.example.org"),
    );
    place.write(
        "go/internal/webhook/markers.go",
        format!(
            "// +kubebuilder:webhook:path=/validate-cow,mutating=false,{MARKER},groups=farm.example.org,resources=cows,\
             versions=v1,name=a.example.org\n"
        ),
    );
    for group in ["farm", "shop"] {
        place.write(
            &format!("go/api/{group}/v1/groupversion_info.go"),
            format!("// +groupName={group}.example.org\npackage v1\n"),
        );
        place.write(
            &format!("go/internal/webhook/{group}.go"),
            format!(
                "package webhook\n\nimport v1 \"example.org/cow-operator/api/{group}/v1\"\n\n\
                 func {group}(mgr ctrl.Manager) error {{\n\
                 \treturn ctrl.NewWebhookManagedBy(mgr).For(&v1.Cow{{}}).Complete()\n}}\n"
            ),
        );
    }
    place.rustop("import go rust -q").ok();
    let page = place.read("rust/IMPORT.md");
    let left = "- `internal/webhook/shop.go:6`: the webhooks of `Cow`: no marker in this file defines the requests for which the API server calls them\n";
    assert!(page.contains(left), "{page}");
    assert!(!page.contains("internal/webhook/farm.go"), "{page}");
}

#[test]
fn a_conversion_is_that_of_the_packages_group() {
    let place = place();
    let crd = place.read(&format!("go/{CRD}"));
    let older = crd[crd.find("  - name: v1\n").unwrap()..]
        .replace("name: v1\n", "name: v1alpha1\n")
        .replace("storage: true", "storage: false");
    let status = "          status: {type: object, properties: {herd: {type: string}}}\n";
    let two = format!("{crd}{status}{older}{status}");
    place.write(&format!("go/{CRD}"), &two);
    place.write(
        "go/config/crd/bases/shop.example.org_cows.yaml",
        two.replace("farm.example.org", "shop.example.org"),
    );
    place.write(
        "go/api/shop/v1alpha1/groupversion_info.go",
        "// +groupName=shop.example.org\npackage v1alpha1\n",
    );
    place.write(
        "go/api/shop/v1alpha1/cow_conversion.go",
        "package v1alpha1\n\nfunc (src *Cow) ConvertTo(hub conversion.Hub) error { return nil }\n",
    );
    place.rustop("import go rust -q").ok();
    let project: serde_json::Value = serde_yaml::from_str(&place.read("rust/PROJECT")).unwrap();
    let converted: Vec<_> = project["resources"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["webhooks"]["conversion"] == true)
        .map(|it| it["group"].as_str().unwrap())
        .collect();
    assert_eq!(converted, ["shop"]);
}

#[test]
fn a_finalizer_by_variable_is_followed_or_told() {
    let place = place();
    place.write(
        "go/api/v1/names.go",
        "package v1\n\nconst Protect = \"farm.example.org/protect\"\n",
    );
    place.edit(
        "go/internal/controller/cow_controller.go",
        "package controller\n",
        "package controller\n\nfunc f() { controllerutil.AddFinalizer(cow, farmv1.Protect); controllerutil.AddFinalizer(cow, r.name()) }\n",
    );
    place.rustop("import go rust -q").ok();
    let page = place.read("rust/IMPORT.md");
    for line in [
        "The finalizer `farm.example.org/protect`, `internal/controller/cow_controller.go:3`: existing objects have it",
        "The finalizer that Go computes as `r.name()`, `internal/controller/cow_controller.go:3`: existing objects have it",
    ] {
        assert!(page.contains(line), "{line}\n{page}");
    }
    let cow = place.read("rust/src/controllers/farm_cow.rs");
    let line = "this file uses a finalizer; if objects of this kind have it: `.cleanup(\"farm.example.org/protect\", cleanup)`\n";
    assert!(cow.contains(line), "{cow}");
}

#[test]
fn the_deployment_is_carried_over_or_told() {
    let place = place();
    place.rustop("import go rust -q").ok();
    let here = place.read("rust/config/manager/manager.yaml");
    for text in [
        "\n  replicas: 2\n",
        "\n      terminationGracePeriodSeconds: 30\n",
        "\n        - --termination-grace-period-seconds=30\n",
        "              fieldPath: metadata.namespace\n        - name: BREED\n          value: \"yes\"\n        - name: NODE\n",
        "\n        resources:\n          limits:\n            cpu: 500m\n            memory: 512Mi\n        securityContext:\n",
    ] {
        assert!(here.contains(text), "{text}\n{here}");
    }
    for text in [
        "32Mi",
        "Memory grows",
        "TOKEN",
        "WATCH_NAMESPACE",
        "replicas: 1",
    ] {
        assert!(!here.contains(text), "{text}\n{here}");
    }
    let page = place.read("rust/IMPORT.md");
    for line in [
        "- `config/manager/manager.yaml` has 2 replicas\n",
        "- `config/manager/manager.yaml` has the variable `BREED`\n",
        "`config/manager/manager.yaml`: the image `example.org/cow-operator:v3` contains the Go operator",
        "`config/manager/manager.yaml`: the flag `--zap-log-level=debug`: here `--log-level`\n",
        "`config/manager/manager.yaml`: the flag `--pasture=north`: write it as an option of your own",
        "`config/manager/manager.yaml`: the variable `TOKEN`: it is read from an object that is not here",
        "`config/manager/manager.yaml`: `tolerations`: put it into",
        "`config/manager/manager.yaml`: the container `proxy` next to the operator\n",
    ] {
        assert!(page.contains(line), "{line}\n{page}");
    }
    assert!(
        !page.contains("`--leader-elect`"),
        "it is here already: {page}"
    );
    // An empty value is the default of both.
    assert!(!page.contains("WATCH_NAMESPACE"), "{page}");
    // Another object than a Deployment is copied like other files.
    place.write("go/config/manager/manager.yaml", "kind: Service\n");
    place.rustop("import go other -q").ok();
    let page = place.read("other/IMPORT.md");
    assert!(page.contains("- `config/manager/`: 1 file;"), "{page}");
    let here = place.read("other/config/manager/manager.yaml");
    assert!(
        here.contains("\n  replicas: 1\n") && here.contains("memory: 32Mi"),
        "{here}"
    );
}

#[test]
fn the_watched_namespaces_are_carried_over() {
    const MANAGER: &str = "config/manager/manager.yaml";
    const EMPTY: &str = "{name: WATCH_NAMESPACE, value: ''}";
    let literal = "        - name: WATCH_NAMESPACE\n          value: pasture,barn\n";
    let own = "        - name: WATCH_NAMESPACE\n          valueFrom:\n            fieldRef:\n              fieldPath: metadata.namespace\n";
    for (from, to, here) in [
        (
            EMPTY,
            "{name: WATCH_NAMESPACE, value: 'pasture,barn'}",
            literal,
        ),
        (
            EMPTY,
            "{name: WATCH_NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}",
            own,
        ),
        (
            "--leader-elect,",
            "'--watch-namespace=pasture,barn',",
            literal,
        ),
    ] {
        let place = place();
        place.edit(&format!("go/{MANAGER}"), from, to);
        place.rustop("import go rust -q").ok();
        let text = place.read(&format!("rust/{MANAGER}"));
        assert!(text.contains(here), "{to}\n{text}");
        assert_eq!(text.matches("WATCH_NAMESPACE").count(), 1, "{text}");
        let page = place.read("rust/IMPORT.md");
        let line = "- `config/manager/manager.yaml` has the variable `WATCH_NAMESPACE`\n";
        assert!(page.contains(line), "{page}");
    }
    let place = place();
    let config_map = "{name: WATCH_NAMESPACE, valueFrom: {configMapKeyRef: {name: a, key: b}}}";
    place.edit(&format!("go/{MANAGER}"), EMPTY, config_map);
    place.rustop("import go rust -q").ok();
    let page = place.read("rust/IMPORT.md");
    let line = "the variable `WATCH_NAMESPACE`: it is read from an object that is not here, and until you set it";
    assert!(page.contains(line), "{page}");
}

#[test]
fn a_role_in_a_namespace_becomes_markers_of_that_namespace() {
    let place = place();
    let role = "config/rbac/role.yaml";
    let cluster = place.read(&format!("go/{role}"));
    place.write(
        &format!("go/{role}"),
        format!(
            "{cluster}---\nkind: Role\nmetadata: {{name: manager-role, namespace: pasture}}\nrules:\n\
             - {{apiGroups: [\"\"], resources: [secrets], verbs: [get]}}\n"
        ),
    );
    place.rustop("import go rust -q").ok();
    let lib = place.read("rust/src/lib.rs");
    let marker = "// +kubebuilder:rbac:groups=\"\",resources=secrets,verbs=get,namespace=pasture\n";
    assert!(lib.contains(marker), "{lib}");
}

#[test]
fn the_namespace_and_the_prefix_of_names_are_carried_over() {
    const DEFAULT: &str = "config/default/kustomization.yaml";
    let place = place();
    place.write(
        &format!("go/{DEFAULT}"),
        "namespace: pasture\nnamePrefix: 'cow-'\nresources: [../crd]\n",
    );
    place.rustop("import go rust -q").ok();
    let text = place.read(&format!("rust/{DEFAULT}"));
    assert!(
        text.contains("\nnamespace: pasture\nnamePrefix: cow-\n"),
        "{text}"
    );
    let page = place.read("rust/IMPORT.md");
    for line in [
        "- `config/default/kustomization.yaml` has the `namespace` of the Go project: `pasture`\n",
        "- `config/default/kustomization.yaml` has the `namePrefix` of the Go project: `cow-`\n",
    ] {
        assert!(page.contains(line), "{line}{page}");
    }
}

#[test]
fn markers_that_grant_something_else_give_way_to_the_role() {
    let place = place();
    place.edit(
        "go/config/rbac/role.yaml",
        "verbs: [get]",
        "verbs: [get, delete]",
    );
    place.rustop("import go rust -q").ok();
    let lib = place.read("rust/src/lib.rs");
    let marker = "// +kubebuilder:rbac:groups=\"\",resources=pods,verbs=get;delete\n";
    assert!(lib.contains(marker), "{lib}");
    assert!(!lib.contains("groups=core"), "{lib}");
    let page = place.read("rust/IMPORT.md");
    assert!(
        page.contains("derived from `config/rbac/role.yaml`"),
        "{page}"
    );
}

#[test]
fn directories_of_tests_are_not_the_operator() {
    let place = place();
    let go = |finalizer: &str| {
        format!(
            "package x\n\n//+kubebuilder:rbac:groups=apps,resources=deployments,verbs=delete\n\
             const finalizer = \"farm.example.org/{finalizer}\"\n"
        )
    };
    for dir in ["test/utils", "tests", "hack/tools", "pkg/e2e"] {
        place.write(&format!("go/{dir}/main.go"), go("foreign"));
    }
    place.write("go/internal/controller/test/own.go", go("own"));
    place.rustop("import go rust -q").ok();
    let page = place.read("rust/IMPORT.md");
    assert!(!page.contains("foreign"), "{page}");
    assert!(
        page.contains("`farm.example.org/own`, `internal/controller/test/own.go:4`"),
        "{page}"
    );
}

#[test]
fn the_crds_alone_are_enough() {
    let place = place();
    for path in [
        "PROJECT",
        "config/rbac/role.yaml",
        "internal/controller/cow_controller.go",
    ] {
        place.remove(&format!("go/{path}"));
    }
    place.rustop("import go rust -q").ok();
    let project = place.read("rust/PROJECT");
    assert!(project.contains("\ndomain: example.org\n"), "{project}");
    assert!(project.contains("\nprojectName: go\n"), "{project}");

    std::fs::rename(place.dir().join("go"), place.dir().join("go+")).unwrap();
    place
        .rustop("import go+ other")
        .says(&["\"go+\"", "help: pass another one with --project-name"])
        .fails(1);
}

#[test]
fn what_cannot_be_imported_leaves_nothing() {
    for (spoil, arguments, says) in [
        (None, "go --dry-run", "Would create api/src/farm/v1/cow.rs"),
        (None, "go go/rust", "rustop import does not change"),
        (
            None,
            "go rust --crds deploy",
            "has no CRDs in deploy\nhelp: ",
        ),
        (
            None,
            "nothing rust",
            "error: cannot import `./nothing`\n  caused by: No such file or directory (os error 2)\n\
             help: name the directory of the Go project: rustop import DIR\n",
        ),
        (
            None,
            "go/PROJECT rust",
            "error: cannot import `./go/PROJECT`\n  caused by: not a directory\n\
             help: name a directory: rustop import ./go; for a file with CRDs",
        ),
        (
            Some((CRD, "kind: CustomResourceDefinition", "kind: Cow")),
            "go rust",
            "has no CRDs in config/crd/bases, ",
        ),
        // A file that mentions CRDs and cannot be parsed is not passed over.
        (
            Some((
                CRD,
                "kind: CustomResourceDefinition",
                "kind: [CustomResourceDefinition",
            )),
            "go rust",
            "config/crd/bases/farm.example.org_cows.yaml cannot be read as YAML or JSON",
        ),
        (
            Some((CRD, "type: string, enum", "$ref: there, type: string, enum")),
            "go rust",
            "v1.spec.breed: $ref",
        ),
        (
            Some((CRD, "example.org\n  names", "example.org: 1\n  names")),
            "go rust",
            "cannot be read as YAML or JSON",
        ),
        (
            Some(("PROJECT", "resources:", "resources: 1\nmore:")),
            "go rust",
            "is not a kubebuilder PROJECT file",
        ),
        (
            Some(("PROJECT", "cow-operator\n", "Cow Operator\n")),
            "go rust",
            "pass another one with --project-name",
        ),
        (
            Some(("config/rbac/role.yaml", "rules:", "rules: 1\nmore:")),
            "go rust",
            "`config/rbac/role.yaml` is not a role",
        ),
    ] {
        let place = place();
        if let Some((path, from, to)) = spoil {
            place.edit(&format!("go/{path}"), from, to);
        }
        let code = i32::from(!arguments.contains("--dry-run"));
        let run = place.rustop(&format!("import {arguments}"));
        let run = run.says(&[says]).unchanged();
        if code == 0 {
            run.ok()
        } else {
            run.fails(code)
        };
    }
}

#[test]
fn what_is_in_the_way_stays() {
    let place = place();
    place.write("rust/Makefile", "mine\n");
    place
        .rustop("import go rust")
        .says(&["these files are in the way", "Makefile"])
        .unchanged()
        .fails(1);
}

#[test]
fn a_crd_that_is_there_twice_is_asked_for() {
    let place = place();
    let crd = place.read(&format!("go/{CRD}"));
    place.remove(&format!("go/{CRD}"));
    // Patches are not CRDs, and neither are the files that controller-gen writes for types without
    // a group.
    for path in ["config/crd/patches/one.yaml", "config/crd/_cows.yaml"] {
        place.write(
            &format!("go/{path}"),
            "kind: CustomResourceDefinition\nmetadata: {name: cows.}\nspec:\n  group: \"\"\n",
        );
    }
    for path in ["config/crds/all.yaml", "config/crds/one.yaml"] {
        place.write(&format!("go/{path}"), &crd);
    }
    place
        .rustop("import go rust")
        .says(&[
            "cows.farm.example.org is in `config/crds/all.yaml` and in `config/crds/one.yaml`",
            "--crds config/crds/all.yaml",
        ])
        .unchanged()
        .fails(1);
    place
        .rustop("import go rust --crds config/crds/all.yaml -q")
        .ok();
    assert!(place.has("rust/api/src/farm/v1/cow.rs"));
}

#[test]
fn a_conversion_is_one_step_for_all_versions() {
    let place = two_versions(
        "{type: object, properties: {spec: {type: object, required: [breed], properties: {breed: {type: string}}}, \
         status: {type: object, properties: {phase: {type: string}}}}}",
    );
    place.edit(
        &format!("go/{CRD}"),
        "            required: [breed]\n",
        "            required: [breed]\n          status: {type: object, properties: {phase: {type: string}}}\n",
    );
    place.rustop("import go rust -q").ok();
    let page = place.read("rust/IMPORT.md");
    assert_eq!(page.matches("The conversion of Cow").count(), 1, "{page}");
    assert!(
        place.read("rust/PROJECT").contains("conversion: true"),
        "{page}"
    );
    let step = page.split_once("The conversion of Cow: replace each `todo!` in `");
    let file = step.unwrap().1.split('`').next().unwrap();
    let text = place.read(&format!("rust/{file}"));
    // One is a string of two values, the other any string.
    assert!(text.contains("todo!(") && text.contains("breed"), "{text}");
}

#[test]
fn a_version_without_types_of_its_own_is_not_converted() {
    let spec =
        "{type: object, properties: {spec: {type: object, properties: {race: {type: string}}}}}";
    for (schema, missing) in [("{type: object}", "spec with fields"), (spec, "status")] {
        let place = two_versions(schema);
        place.edit(
            &format!("go/{CRD}"),
            "            required: [breed]\n",
            "            required: [breed]\n          status: {type: object, properties: {fed: {type: boolean}}}\n",
        );
        let convert = "package v1beta1\n\nfunc (src *Cow) ConvertTo(hub conversion.Hub) error {\n\treturn nil\n}\n";
        place.write("go/api/v1beta1/cow_conversion.go", convert);
        place.rustop("import go rust -q").ok();
        let page = place.read("rust/IMPORT.md");
        let reason = format!(
            "- The conversion of Cow, which Go has in `api/v1beta1/cow_conversion.go`: v1beta1 has no {missing}, and"
        );
        assert_eq!(page.matches("The conversion of Cow").count(), 1, "{page}");
        assert!(page.contains(&reason), "{page}");
        assert!(!place.read("rust/PROJECT").contains("conversion: true"));
    }
}

#[test]
fn a_conversion_is_found_where_project_does_not_name_it() {
    let convert = "package v1beta1\n\nfunc (src *Cow) ConvertTo(hub conversion.Hub) error {\n\treturn nil\n}\n";
    let patch = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n\
                 metadata: {name: cows.farm.example.org}\nspec: {conversion: {strategy: Webhook}}\n";
    let kustomization =
        "resources: [bases/farm.example.org_cows.yaml]\npatches:\n- path: patches/cows.yaml\n";
    let source = ("api/v1beta1/cow_conversion.go", convert);
    let (patch, named) = (
        ("config/crd/patches/cows.yaml", patch),
        ("config/crd/kustomization.yaml", kustomization),
    );
    let unnamed = (
        "config/crd/kustomization.yaml",
        "patches:\n# - path: patches/cows.yaml\n",
    );
    for (files, sign) in [
        (&[source][..], Some(source.0)),
        (&[patch, named], Some(patch.0)),
        (&[patch, unnamed], None),
    ] {
        let place = two_versions(
            "{type: object, properties: {spec: {type: object, properties: {race: {type: string}}}, \
             status: {type: object, properties: {fed: {type: boolean}}}}}",
        );
        place.edit(
            &format!("go/{CRD}"),
            "            required: [breed]\n",
            "            required: [breed]\n          status: {type: object, properties: {fed: {type: boolean}}}\n",
        );
        let project = place.read("go/PROJECT").replace("conversion: true", "");
        place.write("go/PROJECT", project.replace("{, ", "{"));
        for (path, text) in files {
            place.write(&format!("go/{path}"), text);
        }
        place.rustop("import go rust -q").ok();
        let page = place.read("rust/IMPORT.md");
        let said =
            sign.map(|sign| format!("The conversion of Cow, which Go has in `{sign}`: replace"));
        assert_eq!(
            place.read("rust/PROJECT").contains("conversion: true"),
            sign.is_some()
        );
        assert!(said.is_none_or(|said| page.contains(&said)), "{page}");
        // A patch that is a sign of the conversion is not a change to make by hand as well.
        let by_hand = format!("- `{}`: make the change of this patch", patch.0);
        let is_left = files.contains(&patch) && sign.is_none();
        assert_eq!(page.contains(&by_hand), is_left, "{page}");
    }
}

/// A Go project that converts between `v1` and a `v1beta1` of this schema.
fn two_versions(schema: &str) -> Place {
    let place = place();
    place.edit(
        &format!("go/{CRD}"),
        "  versions:\n",
        &format!("  versions:\n  - {{name: v1beta1, served: true, storage: false, schema: {{openAPIV3Schema: {schema}}}}}\n"),
    );
    place.edit(
        "go/PROJECT",
        "defaulting: true, validation: true",
        "conversion: true",
    );
    place.edit(
        "go/PROJECT",
        "- {group: core",
        "- {group: farm, kind: Cow, version: v1beta1, webhooks: {conversion: true, validation: true}}\n- {group: core",
    );
    place
}

#[test]
fn samples_come_along_as_they_are() {
    let place = place();
    let sample = |name: &str, more: &str| {
        format!(
            "# {name}\napiVersion: farm.example.org/v1\nkind: Cow\nmetadata: {{name: {name}}}\nspec: {{breed: angus}}\n{more}"
        )
    };
    let ida = sample(
        "ida",
        "---\napiVersion: v1\nkind: Secret\nmetadata: {name: ida}",
    );
    for (path, text) in [
        ("a/all.yaml", sample("all", "")),
        ("ida.yaml", ida.clone()),
        ("kustomization.yml", "resources: [ida.yaml]\n".to_owned()),
        (
            "older.yml",
            sample("older", "").replace("/v1\n", "/v1alpha1\n"),
        ),
        (
            "old.yaml",
            sample("old", "").replace("/v1\n", "/v1alpha1\n"),
        ),
        ("broken.yaml", "{{ .Values.cow }}: [\n".to_owned()),
        (
            "farm_v1_cow.yaml",
            sample("draft", "").replace("{breed: angus}", "{}"),
        ),
        ("typo.yaml", sample("typo", "").replace("angus", "holstein")),
    ] {
        place.write(&format!("go/config/samples/{path}"), &text);
    }
    place.rustop("import go rust -q").ok();
    assert_eq!(place.read("rust/config/samples/farm_v1_cow.yaml"), ida);
    assert_eq!(
        place.read("rust/config/samples/a/all.yaml"),
        sample("all", "")
    );
    let page = place.read("rust/IMPORT.md");
    for line in [
        "- `config/samples/a/all.yaml`: a test reads it, and nothing applies it\n",
        "- `config/samples/farm_v1_cow.yaml` is `config/samples/ida.yaml`, the sample of farm.example.org/v1 Cow\n",
        "- `config/samples/broken.yaml`: it is not valid YAML: ",
        "- `config/samples/old.yaml`: it has no object of an imported version\n",
        "- `config/samples/older.yml`: it has no object of an imported version\n",
        "- `config/samples/farm_v1_cow.yaml`: it does not fit its CRD: `` `.spec` lacks `breed` ``\n",
        "- `config/samples/typo.yaml`: it does not fit its CRD: ``",
    ] {
        assert!(page.contains(line), "{line}\n{page}");
    }
    let pod = "- v1 Pod: a kind of Kubernetes, whose type is that of k8s-openapi\n";
    assert!(!page.contains("v1 Pod: it is in PROJECT"), "{page}");
    assert!(
        page.contains(pod) && !page.contains("api/src/core"),
        "{page}"
    );
    assert!(!place.has("rust/config/samples/typo.yaml"));
    let test = place.read("rust/api/tests/samples.rs");
    assert!(test.contains("farm.example.org_cows.json"), "{test}");
    assert!(place.read("rust/PROJECT").contains("kind: Pod"));
    assert!(!test.contains("pods.json"), "{test}");
    let kept = place.read("rust/config/samples/kustomization.yaml");
    assert!(
        kept.contains("- farm_v1_cow.yaml\n") && !kept.contains("ida"),
        "{kept}"
    );
    // A newer CRD asks for more, and the sample stays its owner's.
    place.edit(
        &format!("go/{CRD}"),
        "required: [breed]",
        "  name: {type: string}\n            required: [breed, name]",
    );
    let newer = format!("-C rust create api --from-crd ../go/{CRD} --no-controller");
    place
        .rustop(&newer)
        .says(&["Updated api/src/farm/v1/cow.rs"])
        .ok();
    assert_eq!(place.read("rust/config/samples/farm_v1_cow.yaml"), ida);
}

/// The webhooks keep their requests, and the names that users see in rejections.
#[test]
fn webhooks_are_those_of_the_markers() {
    let place = place();
    place.write(
        "go/internal/webhook/cow_webhook.go",
        "// +kubebuilder:webhook:path=/validate-cow,mutating=false,failurePolicy=ignore,sideEffects=None,\
         groups=farm.example.org,resources=cows;cows/status;pigs,verbs=create;delete,versions=v1,\
         name=rules.cow.example.org,admissionReviewVersions={v1,v1beta1},timeoutSeconds=5\n\
         // +kubebuilder:webhook:path=/mutate-pod,mutating=true,failurePolicy=fail,sideEffects=None,\
         groups=\"\",resources=pods,verbs=create,versions=v1,name=pods.example.org,admissionReviewVersions=v1\n",
    );
    place.rustop("import go rust -q").ok();
    let rules = place.read("rust/src/webhooks/farm_cow/validation.rs");
    let marker = "\n// +kubebuilder:webhook:path=/validate-farm-example-org-v1-cow,mutating=false,\
                  failurePolicy=ignore,sideEffects=None,groups=farm.example.org,resources=cows;cows/status,\
                  verbs=create;delete,versions=v1,name=rules.cow.example.org,admissionReviewVersions=v1,\
                  timeoutSeconds=5\n";
    assert!(rules.contains(marker), "{rules}");
    // PROJECT has a defaulting webhook, but no configuration sends requests to it.
    assert!(!place.has("rust/src/webhooks/farm_cow/defaulting.rs"));
    let page = place.read("rust/IMPORT.md");
    for line in [
        "- The validation webhook of farm.example.org/v1 Cow: `src/webhooks/farm_cow/validation.rs`, which allows every request\n",
        "write them in `src/webhooks/farm_cow/validation.rs`; in Go they begin at `internal/webhook/cow_webhook.go:1`\n",
        "- `internal/webhook/cow_webhook.go:2`: `+kubebuilder:webhook:path=/mutate-pod,",
    ] {
        assert!(page.contains(line), "{line}\n{page}");
    }
}

/// A marker's arguments, but for its path, rules and name.
const MARKER: &str =
    "failurePolicy=fail,sideEffects=None,admissionReviewVersions=v1,verbs=create;update";

#[test]
fn every_webhook_that_is_not_carried_over_has_a_place_and_a_reason() {
    let place = place();
    let webhook = |path: &str, mutating: bool, rule: &str, name: &str| {
        format!(
            "// +kubebuilder:webhook:path={path},mutating={mutating},{MARKER},{rule},name={name}\n"
        )
    };
    let cows = "groups=farm.example.org,resources=cows,versions=v1";
    place.write(
        "go/internal/webhook/cow_webhook.go",
        webhook("/validate-cow", false, cows, "a.example.org")
            + &webhook("/validate-cow-2", false, cows, "b.example.org")
            + &webhook(
                "/mutate-old",
                true,
                "groups=farm.example.org,resources=cows,versions=v9",
                "c.example.org",
            )
            + &webhook(
                "/mutate-all",
                true,
                "groups=\"\";farm.example.org,resources=pods;cows;pigs,versions=v1",
                "d.example.org",
            ),
    );
    place.write(
        "go/pkg/handlers.go",
        "var HandlerMap = map[string]types.HandlerGetter{\n\t\"mutate-all\": a,\n\t\"mutate-node\": b,\n\t\"hand-made\": c,\n}\n\
         func Setup(mgr ctrl.Manager) {\n\tctrl.NewWebhookManagedBy(mgr).For(&v1.Barn{}).Complete()\n}\n",
    );
    place.write(
        "go/config/webhook/manifests.yaml",
        "kind: ValidatingWebhookConfiguration\nwebhooks:\n- name: a.example.org\n- name: e.example.org\n  \
         clientConfig: {service: {path: /hand-made}}\n",
    );
    place.rustop("import go rust -q").ok();
    let page = place.read("rust/IMPORT.md");
    for line in [
        "b.example.org`: `cows` has a validation webhook already, that of `internal/webhook/cow_webhook.go:1`, and a kind has one of each\n",
        "c.example.org`: its rule names no imported version of `cows`\n",
        "- `internal/webhook/cow_webhook.go:4`: a part of this webhook: `pods` is a resource of Kubernetes: `rustop create webhook \
         --group core --version v1 --kind Pod --defaulting`; no CRD of the project defines `pigs`\n",
        "- `config/webhook/manifests.yaml:4`: the webhook `e.example.org`: no marker in the sources describes it\n",
        "- `pkg/handlers.go:3`: the handler of `/mutate-node`: neither a marker nor a configuration defines the requests for which the API server calls it\n",
        "- `pkg/handlers.go:7`: the webhooks of `Barn`: no marker in this file defines the requests for which the API server calls them\n",
    ] {
        assert!(page.contains(line), "{line}\n{page}");
    }
    for known in ["a.example.org", "pkg/handlers.go:2", "pkg/handlers.go:4"] {
        assert!(!page.contains(known), "{known}\n{page}");
    }
    place
        .rustop("-C rust create webhook --group core --version v1 --kind Pod --defaulting -q")
        .ok();
}

#[test]
fn characters_that_change_the_direction_of_writing_are_escaped() {
    let place = place();
    place.edit(
        "go/config/manager/manager.yaml",
        "{name: BREED, value: 'yes'}",
        "{name: BREED, value: \"a\u{202e}b\"}\n        - {name: \"c\u{2066}d\", value: e}",
    );
    place.edit("go/PROJECT", "kind: Hen", "kind: \"He\u{202e}n\"");
    let sample = "config/samples/farm_v1_cow.yaml";
    place.write(
        &format!("go/{sample}"),
        "# \u{202e}\napiVersion: farm.example.org/v1\nkind: Cow\nmetadata: {name: ida, labels: {a: \"\u{202e}\"}}\n",
    );
    place.rustop("import go rust -q").ok();
    let files = [
        ("IMPORT.md", "He\\u{202e}n"),
        ("config/manager/manager.yaml", "\"a\\u202Eb\""),
        (sample, "a: \"\\u202E\""),
    ];
    for (path, escaped) in files {
        let text = place.read(&format!("rust/{path}"));
        assert!(text.contains(escaped), "{text}");
        assert!(!text.contains(['\u{202e}', '\u{2066}']), "{text}");
    }
    let page = place.read("rust/IMPORT.md");
    assert!(page.contains("its comments are left out"), "{page}");
}

/// Before anything is built or started for it.
#[test]
fn a_shadow_needs_an_original() {
    let place = Place::project();
    for (line, text) in [
        ("import --shadow", "<COMMAND>"),
        (
            "import --shadow ../cow-operator -- ./manager",
            "cannot be used with",
        ),
        (
            "import --shadow --ignore labels -- ./manager",
            "`deployment:metadata.labels`",
        ),
        ("import -- ./manager", "--shadow"),
        ("import --shadow -- ./manager", "cannot run `./manager`"),
    ] {
        place.rustop(line).says(&[text]).unchanged().fails(2);
    }
}

#[test]
fn names_in_a_go_project_are_not_markup() {
    let place = place();
    place.edit(
        "go/PROJECT",
        "repo: example.org/cow-operator",
        r#"repo: "x](http://y)\n\n# [pwn""#,
    );
    place.edit(
        "go/config/manager/manager.yaml",
        "image: example.org/cow-operator:v3",
        "image: 'x`[a](http://b)'",
    );
    place.edit(
        "go/config/manager/manager.yaml",
        "--pasture=north",
        "'--x`[pwn](http://c)'",
    );
    place.edit(
        "go/config/manager/manager.yaml",
        "{name: BREED, value: 'yes'}",
        "{name: 'X`[pwn](http://d)', value: '`[pwn](http://e)'}",
    );
    place.rustop("import go rust -q").ok();
    let page = place.read("rust/IMPORT.md");
    for code in ["``--x`[pwn](http://c)``", "``X`[pwn](http://d)``"] {
        assert!(page.contains(code), "{page}");
    }
    assert!(!page.contains("http://e"), "{page}");
    assert!(
        page.starts_with("# Imported from `x](http://y)  # [pwn`\n"),
        "{page}"
    );
    for name in ["a\nfn pwn() {}", "a`b"] {
        let place = crate::import::place();
        place.write(&format!("go/{name}/x.go"), "package x\n");
        place
            .rustop("import go rust")
            .says(&[
                "error: the name of \"",
                "has a control character or a backtick",
                "help: rename it",
            ])
            .fails(1);
        assert!(!place.has("rust"));
    }
}
