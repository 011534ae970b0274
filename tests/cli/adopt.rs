//! `rustop adopt`, and the other commands in an adopted project.

use serde_json::Value;

use crate::dsl::{Place, rustop};

/// The CRD of the operators in these tests, with a minimum of `spec.size`.
fn crd(minimum: u32) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: cows.farm.example
spec:
  group: farm.example
  names: {{kind: Cow, plural: cows, singular: cow, listKind: CowList}}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {{type: integer, format: int32, minimum: {minimum}}}
"
    )
}

const CHART: &str = "apiVersion: v2\nname: shepherd\nversion: 0.1.0\nappVersion: 1.0.0\n";

/// A Deployment, its account and its roles as a chart's template.
const TEMPLATE: &str = r#"apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
  namespace: {{ .Values.namespace }}
spec:
  template:
    spec:
      serviceAccountName: {{ .Release.Name }}
      containers:
      - name: shepherd
        image: "ghcr.io/farm/shepherd:{{ .Chart.AppVersion }}"
---
kind: ClusterRole
metadata: {name: shepherd}
rules:
- {apiGroups: [farm.example], resources: [cows], verbs: [get, list, watch]}
---
kind: ClusterRoleBinding
metadata: {name: shepherd}
subjects: [{kind: ServiceAccount, name: {{ .Release.Name }}, namespace: {{ .Values.namespace }}}]
roleRef: {kind: ClusterRole, name: shepherd}
"#;

/// An operator of one crate with a generator and a chart.
fn operator() -> Place {
    let place = Place::empty();
    place
        .write("Cargo.toml", "[package]\nname = \"shepherd\"\nversion = \"0.1.0\"\n")
        .write(
            "src/main.rs",
            "mod herd;\n\nfn main() {\n    herd::run();\n}\n",
        )
        .write(
            "src/herd.rs",
            "use kube::runtime::Controller;\n\npub fn run() {\n    Controller::new(cows, config).run(reconcile, policy, context);\n}\n",
        )
        .write(
            "src/lib.rs",
            "use kube::CustomResource;\n\n#[derive(CustomResource)]\n#[kube(group = \"farm.example\", version = \"v1\", kind = \"Cow\", namespaced)]\npub struct CowSpec {\n    /// The size.\n    pub size: i32,\n}\n",
        )
        .write(
            "src/bin/crdgen.rs",
            "fn main() {\n    print!(\"{}\", serde_yaml::to_string(&shepherd::Cow::crd()).unwrap());\n}\n",
        )
        .write("deploy/crd.yaml", crd(1))
        .write("charts/shepherd/Chart.yaml", CHART)
        .write("charts/shepherd/values.yaml", "namespace: farm\ncrds: true\n")
        .write("charts/shepherd/templates/deployment.yaml", TEMPLATE)
        .write(
            "charts/shepherd/templates/crd.yaml",
            format!("{{{{- if .Values.crds }}}}\n{}{{{{- end }}}}\n", crd(1)),
        )
        .write(
            "samples/cow-red.yaml",
            "apiVersion: farm.example/v1\nkind: Cow\nmetadata: {name: red}\nspec: {size: 2}\n",
        );
    place
}

/// The operator with a `rustop.yaml` whose CRD command is given.
fn adopted(command: &str) -> Place {
    let place = operator();
    configure(&place, command);
    place
}

fn configure(place: &Place, command: &str) {
    place.write(
        "rustop.yaml",
        format!(
            "layout: [rustop.dev/adopted-v1]
projectName: shepherd
crds:
  command: {command:?}
  files: [deploy/crd.yaml, charts/shepherd/templates/crd.yaml]
operator: {{command: [target/debug/shepherd]}}
deploy: {{chart: charts/shepherd}}
"
        ),
    );
}

#[test]
fn an_operator_is_found_with_evidence_and_only_one_file_is_written() {
    let place = operator();
    let before = place.files();
    place
        .rustop("adopt")
        .says(&[
            "Found CRD command `cargo run -q --bin crdgen`: src/bin/crdgen.rs:2 calls `Cow::crd()`",
            "Found CRDs `deploy/crd.yaml`: deploy/crd.yaml:1 has cows.farm.example",
            "Found CRDs `charts/shepherd/templates/crd.yaml`",
            "Found program `shepherd`: src/herd.rs:4 has `Controller::new`",
            "Found manifests `charts/shepherd`",
            "Found samples `samples/cow-red.yaml`",
            "Found name `shepherd`: charts/shepherd/Chart.yaml:2 has the name of the chart",
            "Found Deployment `shepherd`, container `shepherd`, ServiceAccount `farm/shepherd` with 1 rule",
            "Created rustop.yaml",
        ])
        .ok();
    let mut after = place.files();
    after.retain(|path| path != "rustop.yaml");
    assert_eq!(after, before);
    let written = place.read("rustop.yaml");
    assert!(
        written.starts_with("# yaml-language-server: $schema=rustop.schema.json\n"),
        "{written}"
    );
    for line in [
        "layout:",
        "projectName: shepherd",
        "command: cargo run -q --bin crdgen",
        "build: cargo build --bin shepherd",
        "chart: charts/shepherd",
    ] {
        assert!(written.contains(line), "{line}: {written}");
    }
    place
        .rustop("adopt")
        .says(&["Unchanged rustop.yaml"])
        .unchanged()
        .ok();
}

#[test]
fn an_edited_file_is_kept_and_the_difference_is_shown() {
    let place = operator();
    place.rustop("adopt -q").ok();
    place.edit("rustop.yaml", "RUST_LOG: info", "RUST_LOG: debug");
    place
        .rustop("adopt")
        .shows(&["-    RUST_LOG: debug", "+    RUST_LOG: info"])
        .says(&["Kept rustop.yaml", "rustop adopt --force"])
        .unchanged()
        .ok();
    place.rustop("adopt --force -q").ok();
    assert!(place.read("rustop.yaml").contains("RUST_LOG: info"));
}

#[test]
fn a_dry_run_prints_the_file_and_flags_replace_findings() {
    let place = operator();
    place
        .write("a.yaml", place.read("samples/cow-red.yaml"))
        .write("c.yaml", "")
        .write("d.yaml", "");
    place
        .rustop("adopt --dry-run -q --name other --samples a.yaml --crds b.yaml --crds-command make --deploy files:c.yaml,d.yaml")
        .shows(&["projectName: other", "- a.yaml", "- b.yaml", "command: make", "- c.yaml", "- d.yaml"])
        .says(&["Deployment"])
        .unchanged()
        .ok();
}

#[test]
fn flags_that_name_nothing_are_errors_and_the_file_is_kept() {
    let place = operator();
    place.rustop("adopt -q").ok();
    for (flag, says) in [
        (
            "--crds nope.yaml",
            "error: --crds nope.yaml: matches no file",
        ),
        (
            "--samples nope/*.yaml",
            "error: --samples 'nope/*.yaml': matches no file",
        ),
        ("--deploy nope", "error: --deploy nope: matches no file"),
        (
            "--deploy chart:nope",
            "error: --deploy nope: matches no file",
        ),
        ("--bin nope", "help: --bin shepherd\n"),
    ] {
        place
            .rustop(&format!("adopt --force {flag}"))
            .says(&[says])
            .unchanged()
            .fails(1);
    }
}

#[test]
fn values_that_the_next_commands_reject_are_errors_of_their_flags() {
    let above = Place::empty();
    let place = operator();
    let outside = above.path("crd.yaml").display().to_string();
    above.write("crd.yaml", crd(1));
    let path = |flag: &str, value: &str| {
        format!(
            "error: {flag}: `{value}` is not a path below the directory of rustop.yaml\nhelp: pass a path in the repository, relative to its top: {flag} PATH\n"
        )
    };
    for (flag, says) in [
        (format!("--crds {outside}"), path("--crds", &outside)),
        (
            "--crds ../crd.yaml --crds-command make".to_owned(),
            path("--crds", "../crd.yaml"),
        ),
        ("--samples ../*.yaml".to_owned(), path("--samples", "../*.yaml")),
        ("--deploy ../x".to_owned(), path("--deploy", "../x")),
        ("--deploy files:/x".to_owned(), path("--deploy", "/x")),
        ("--deploy chart:".to_owned(), path("--deploy", "")),
        (
            "--deploy chart:Cargo.toml".to_owned(),
            "error: --deploy Cargo.toml: is not the directory of a Helm chart: it has no Chart.yaml\n".to_owned(),
        ),
        (
            "--deploy kustomize:deploy".to_owned(),
            "error: --deploy deploy: is not the directory of a kustomization: it has no kustomization.yaml\n".to_owned(),
        ),
        (
            "--crds-command \"\"".to_owned(),
            "error: --crds-command: `crds.command` is empty\n".to_owned(),
        ),
    ] {
        place
            .rustop(&format!("adopt {flag}"))
            .says(&[&*says])
            .unchanged()
            .fails(1);
    }
    for (name, says) in [
        ("\"\"", "name \"\" must have 1 to 63 characters"),
        ("Flock", "; did you mean `flock`?"),
        ("a.b", "must be lower-case letters, digits and `-`"),
    ] {
        place
            .rustop(&format!("adopt --name {name}"))
            .says(&[says])
            .unchanged()
            .fails(2);
    }
    // The name that is found is checked, too.
    place.edit("charts/shepherd/Chart.yaml", "name: shepherd", "name: A b");
    place
        .rustop("adopt")
        .says(&[
            "error: --name: `projectName` is `A b`, which cannot be the name of a Helm release",
        ])
        .unchanged()
        .fails(1);
    // The next commands have the same text for a chart that is gone.
    let place = operator();
    place.rustop("adopt -q").ok();
    place
        .remove("charts/shepherd/Chart.yaml")
        .rustop("rbac report")
        .says(&["`deploy.chart` of rustop.yaml has `charts/shepherd`, which is not the directory of a Helm chart: it has no Chart.yaml"])
        .fails(1);
}

#[test]
fn settings_that_adopt_does_not_find_are_kept() {
    let place = operator();
    place.rustop("adopt -q").ok();
    let found = place.read("rustop.yaml");
    let mine = found
        .replace("crds:\n", "crds:\n  timeoutSeconds: 7200\n")
        .replace("  - target/debug/shepherd\n", "  - target/debug/shepherd\n  - --all\n")
        .replace("    RUST_LOG: info\n", "    RUST_LOG: info\n    HERD: '1'\n  container: shepherd\n  workload: flock\n")
        .replace("  chart: charts/shepherd\n", "  chart: charts/shepherd\n  set:\n    namespace: meadow\n  namespace: hills\n  release: flock\n")
        + "lint:\n  disable:\n  - no-phase\nallow:\n- rule: field-gone\n  at: Cow v1 .spec.size\n  reason: in no release\n";
    place.write("rustop.yaml", &mine);
    place
        .rustop("adopt --force")
        .says(&["ServiceAccount `meadow/flock`", "Unchanged rustop.yaml"])
        .unchanged()
        .ok();
    // A key that `adopt` finds gets the found value.
    place.edit("rustop.yaml", "projectName: shepherd", "projectName: mine");
    place.rustop("adopt --force -q").ok();
    let parsed = |text: &str| serde_yaml::from_str::<Value>(text).unwrap();
    assert_eq!(parsed(&place.read("rustop.yaml")), parsed(&mine));
    // Values of a chart do not apply to plain manifests.
    place
        .rustop("adopt --force -q --deploy files:deploy")
        .says(&["correct `operator.workload` in rustop.yaml, which is `flock`"])
        .ok();
    let text = place.read("rustop.yaml");
    assert!(
        text.contains("namespace: hills") && !text.contains("release: flock"),
        "{text}"
    );
    // A file that is gone is not kept.
    place.remove("samples/cow-red.yaml");
    place
        .rustop("adopt --force")
        .says(&["Missing samples", "Updated rustop.yaml"])
        .ok();
    assert!(!place.read("rustop.yaml").contains("samples"));
    place.write("rustop.yaml", "layout: []\n");
    place
        .rustop("adopt --force")
        .says(&[
            "warning: rustop.yaml",
            "no setting of this file is kept",
            "Updated rustop.yaml",
        ])
        .ok();
}

#[test]
fn the_lines_for_ci_are_those_that_work_in_the_project() {
    let both = "In a GitHub workflow:\n  - run: rustop manifests --check\n  - run: rustop rbac report --check\n";
    let place = operator();
    place.rustop("adopt").says(&[both]).ok();
    let place = operator();
    place
        .remove("charts/shepherd/templates/deployment.yaml")
        .rustop("adopt")
        .says(&[
            "In a GitHub workflow:\n  - run: rustop manifests --check\nIn .gitlab-ci.yml:\n  script:\n    - rustop manifests --check\n",
            "`rustop rbac report --check` is left out of CI: rustop.yaml has no `deploy` (--deploy PATH --force)\n",
        ])
        .ok();
    let place = operator();
    place
        .remove("src/bin/crdgen.rs")
        .remove("deploy/crd.yaml")
        .remove("charts/shepherd/templates/crd.yaml")
        .rustop("adopt")
        .says(&[
            "In a GitHub workflow:\n  - run: rustop rbac report --check\nIn .gitlab-ci.yml:\n  script:\n    - rustop rbac report --check\n",
            "`rustop manifests --check` is left out of CI: rustop.yaml has no `crds` (--crds PATH --force)\n",
        ])
        .ok();
    let place = operator();
    place
        .edit(
            "charts/shepherd/templates/deployment.yaml",
            "kind: Deployment",
            "kind: Job # Deployment",
        )
        .rustop("adopt --deploy charts/shepherd")
        .says(&["`rustop rbac report --check` is left out of CI: the manifests cannot be read"])
        .ok();
    let place = operator();
    place
        .remove("Cargo.toml")
        .remove("src/bin/crdgen.rs")
        .write("go.mod", "module farm.example/shepherd\n")
        .rustop("adopt --command bin/manager")
        .says(&[
            "`rustop rbac report --check` is left out of CI: requests are read in Rust code only\n",
        ])
        .ok();
    // In YAML, a colon and a space have a meaning of their own.
    for (dir, line) in [
        ("a b", "  - run: rustop -C 'a b' manifests --check\n"),
        ("a: b", "  - run: 'rustop -C ''a: b'' manifests --check'\n"),
    ] {
        let above = Place::empty();
        let place = operator();
        std::fs::rename(place.dir(), above.path(dir)).unwrap();
        std::fs::create_dir(place.dir()).unwrap();
        let next = format!("Next: cd '{dir}' && rustop rbac report && ");
        above
            .rustop(&format!("adopt \"{dir}\""))
            .says(&[&next, line])
            .ok();
    }
}

#[test]
fn a_command_that_changes_a_cluster_is_never_taken() {
    let recipe = "crds:\n\tcargo run --bin crdgen";
    for (rest, command) in [
        (" | kubectl apply -f -\n", "cargo run -q --bin crdgen"),
        (" | k apply -f -\n", "cargo run -q --bin crdgen"),
        (
            " | yq -P | oc apply -f -\n",
            "cargo run -q --bin crdgen | yq -P",
        ),
        (" | diff deploy/crd.yaml -\n", "cargo run -q --bin crdgen"),
        (
            " > deploy/crd.yaml\n\tsed -i s/1/2/ deploy/crd.yaml\n\tgit commit -am crds && git push\n",
            "cargo run -q --bin crdgen",
        ),
    ] {
        let place = operator();
        place.write("Makefile", format!("{recipe}{rest}"));
        place
            .rustop("adopt --dry-run -q")
            .shows(&[&format!("command: {command}\n")])
            .ok();
    }
}

#[test]
fn several_candidates_are_one_error_with_the_flags() {
    let place = operator();
    let main = "use kube::runtime::Controller;\n\nfn main() {\n    Controller::new(kube::pods(), config);\n}\n";
    place
        .remove("src/main.rs")
        .write("src/bin/ranger.rs", main)
        .write("src/bin/warden.rs", main)
        .write(
            "charts/other/Chart.yaml",
            CHART.replace("shepherd", "other"),
        )
        .write("charts/other/templates/all.yaml", TEMPLATE)
        .edit("charts/shepherd/Chart.yaml", "shepherd", "flock");
    std::fs::rename(place.path("charts/shepherd"), place.path("charts/flock")).unwrap();
    place
        .rustop("adopt")
        .says(&[
            "several candidates for the program:",
            "--bin warden    # src/bin/warden.rs:4",
            "--bin ranger    # src/bin/ranger.rs:4",
            "several candidates for the manifests:",
            "--deploy charts/flock",
            "--deploy charts/other",
            "help: run rustop adopt again with one of each",
        ])
        .fails(1);
    place
        .rustop("adopt -q --bin warden --deploy charts/flock")
        .ok();
}

#[test]
fn json_has_each_finding_with_its_place() {
    let place = operator();
    let mut command = rustop(place.dir());
    let output = command
        .args(["adopt", "--dry-run", "--output", "json", "-q"])
        .output()
        .unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["command"], "adopt");
    assert_eq!(document["written"], false);
    assert_eq!(document["workload"]["serviceAccount"], "shepherd");
    let found = document["found"].as_array().unwrap();
    let program = found.iter().find(|it| it["what"] == "program").unwrap();
    assert_eq!(
        (&program["value"], &program["path"], &program["line"]),
        (&"shepherd".into(), &"src/herd.rs".into(), &4.into())
    );
}

#[test]
fn a_recipe_replaces_its_command_only_if_later_lines_edit_the_crd() {
    let generate = "\t@cargo run --bin crdgen > deploy/crd.yaml\n";
    for (edit, command) in [
        ("", "cargo run -q --bin crdgen"),
        ("\t@sed -i s/1/2/ deploy/crd.yaml\n", "make crds"),
    ] {
        let place = operator();
        place.write("Makefile", format!("crds:\n{generate}{edit}"));
        place
            .rustop("adopt --dry-run")
            .shows(&[&format!("command: {command}\n")])
            .says(&["Makefile:2 runs `crdgen`"])
            .ok();
    }
}

#[test]
fn a_kubebuilder_project_in_go_is_recognised() {
    let place = Place::empty();
    place
        .write("PROJECT", "layout:\n- go.kubebuilder.io/v4\nprojectName: shepherd-go\nversion: \"3\"\n")
        .write("go.mod", "module farm.example/shepherd\n")
        .write("Makefile", "manifests: controller-gen\n\tcontroller-gen crd paths=./...\n\nbuild: manifests\n\tgo build -o bin/manager cmd/main.go\n")
        .write("cmd/main.go", "package main\n")
        .write("api/v1/groupversion_info.go", "// +groupName=farm.example\npackage v1\n")
        .write("config/crd/bases/farm.example_cows.yaml", crd(1))
        .write("config/default/kustomization.yaml", "resources: [../manager]\n")
        .write("config/samples/farm_v1_cow.yaml", "apiVersion: farm.example/v1\nkind: Cow\nmetadata: {name: a}\n");
    place
        .rustop("adopt --dry-run")
        .shows(&[
            "projectName: shepherd-go",
            "command: make manifests",
            "- config/crd/bases/farm.example_cows.yaml",
            "build: go build -o bin/manager cmd/main.go",
            "- bin/manager",
            "kustomize: config/default",
            "- config/samples/farm_v1_cow.yaml",
        ])
        .says(&["Makefile:1 has the target `manifests`"])
        .unchanged()
        .ok();
}

#[test]
fn files_that_cannot_be_parsed_are_named_with_their_place() {
    let place = operator();
    place
        .write("agent/Cargo.toml", "[package]\nname = agent\n")
        .write(
            "deploy/broken.yaml",
            "apiVersion: v1\nkind: Secret\ndata: [\n",
        );
    place
        .rustop("adopt --dry-run")
        .shows(&["projectName: shepherd"])
        .says(&[
            "warning: agent/Cargo.toml:2: cannot be parsed: ",
            "warning: deploy/broken.yaml:",
            "; it is left out",
        ])
        .ok();
}

#[test]
fn a_kustomization_that_lists_a_generated_file_is_read_without_it() {
    let place = operator();
    place.remove("charts/shepherd/Chart.yaml");
    place
        .write(
            "config/kustomization.yaml",
            "resources:\n- crds.yaml\n- all.yaml\n",
        )
        .write(
            "config/all.yaml",
            TEMPLATE
                .replace("{{ .Release.Name }}", "shepherd")
                .replace("{{ .Values.namespace }}", "farm")
                .replace("{{ .Chart.AppVersion }}", "1"),
        );
    place
        .rustop("adopt --dry-run")
        .shows(&["kustomize: config"])
        .says(&["warning: config/kustomization.yaml:2 lists `crds.yaml`, which does not exist; the rest is read"])
        .ok();
}

/// Two programs of a package with the library of [`operator`], each with its main function.
fn programs(shepherd: &str, tool: &str) -> Place {
    let place = operator();
    let library = place.read("src/lib.rs");
    place
        .write("src/lib.rs", format!("pub mod herd;\n{library}"))
        .write("Cargo.toml", "[package]\nname = \"flock\"\nversion = \"0.1.0\"\n[dependencies]\nkube = \"1\"\n")
        .remove("src/main.rs")
        .write("src/bin/shepherd.rs", format!("use flock::Cow;\nfn main() {{ {shepherd} }}\n"))
        .write("src/bin/shepctl.rs", format!("use flock::Cow;\nfn main() {{ {tool} }}\n"))
        .write(
            "src/herd.rs",
            "use kube::{Api, runtime::Controller};\npub fn run() {\n    Controller::new(Api::<crate::Cow>::all(client), config).run(reconcile, policy, context);\n}\n",
        );
    place
}

#[test]
fn program_that_reaches_the_controller_is_the_operator() {
    programs("flock::herd::run()", "println!(\"{}\", Cow::kind())")
        .rustop("adopt --dry-run")
        .shows(&["crds:"])
        .says(&["Found program `shepherd`: src/herd.rs:3 has `Controller::new`"])
        .ok();
    let place = programs("flock::herd::run()", "flock::herd::run()");
    place
        .rustop("adopt --dry-run")
        .says(&["--bin shepherd", "--bin shepctl"])
        .fails(1);
    place
        .write(
            "Dockerfile",
            "FROM scratch\nENTRYPOINT [\"/shepctl\", \"run\"]\n",
        )
        .rustop("adopt --dry-run")
        .shows(&["crds:"])
        .says(&["Found program `shepctl`"])
        .ok();
    place
        .remove("Dockerfile")
        .edit(
            "Cargo.toml",
            "version",
            "default-run = \"shepherd\"\nversion",
        )
        .rustop("adopt --dry-run")
        .shows(&["crds:"])
        .says(&["Found program `shepherd`"])
        .ok();
}

#[test]
fn program_in_go_is_the_one_that_creates_a_manager() {
    let place = Place::empty();
    place
        .write("go.mod", "module farm.example/shepherd\n")
        .write(
            "Makefile",
            "manager:\n\tgo build -ldflags $(LDFLAGS) -o bin/shepherd cmd/operator/main.go\nagent:\n\tgo build -o bin/agent cmd/agent/main.go\n",
        )
        .write("cmd/agent/main.go", "package main\n\nfunc main() {}\n")
        .write("cmd/operator/main.go", "package main\n\nimport \"farm.example/shepherd/internal/run\"\n\nfunc main() { run.Run() }\n")
        .write("internal/run/run.go", "package run\n\nfunc Run() { mgr, err := ctrl.NewManager(config, options) }\n")
        .write("deploy/crd.yaml", crd(1));
    place
        .rustop("adopt --dry-run")
        .shows(&[
            "build: go build -o bin/shepherd cmd/operator/main.go",
            "- bin/shepherd",
        ])
        .says(&["Found program `shepherd`: Makefile:2 builds the program"])
        .ok();
}

/// The operator with plain manifests of its own, in `deploy/all.yaml`.
fn plain() -> Place {
    let place = operator();
    place.remove("charts/shepherd/Chart.yaml").write(
        "deploy/all.yaml",
        TEMPLATE
            .replace("{{ .Release.Name }}", "shepherd")
            .replace("{{ .Values.namespace }}", "farm")
            .replace("{{ .Chart.AppVersion }}", "1"),
    );
    place
}

#[test]
fn a_workload_of_the_default_account_is_found_if_a_role_is_bound_to_it() {
    let place = plain();
    place
        .edit(
            "deploy/all.yaml",
            "      serviceAccountName: shepherd\n",
            "",
        )
        .rustop("adopt --dry-run")
        .shows(&["crds:"])
        .says(&["Missing manifests"])
        .ok();
    place
        .edit("deploy/all.yaml", "kind: ServiceAccount, name: shepherd", "kind: ServiceAccount, name: default")
        .rustop("adopt --dry-run")
        .shows(&["crds:"])
        .says(&[
            "Found manifests `files:deploy/all.yaml`: deploy/all.yaml:2 has a workload with the ServiceAccount `default`",
            "ServiceAccount `farm/default` with 1 rule",
        ])
        .ok();
}

#[test]
fn manifests_of_other_software_are_no_candidates() {
    let place = plain();
    let other = place.read("deploy/all.yaml").replace("shepherd", "wolf");
    place
        .write("vendored/wolf.yaml", other)
        .rustop("adopt --dry-run")
        .shows(&["deploy:\n  files:\n  - deploy/all.yaml\n"])
        .says(&["Found manifests"])
        .ok();
}

#[test]
fn nothing_to_check_is_no_success() {
    let place = adopted("x");
    place.write(
        "rustop.yaml",
        "layout: [rustop.dev/adopted-v1]\nprojectName: shepherd\noperator: {command: [target/debug/shepherd]}\n",
    );
    for command in ["manifests --check", "lint"] {
        place
            .rustop(command)
            .says(&[
                "error: rustop.yaml names no CRDs",
                "help: rustop adopt --crds PATH --force",
            ])
            .lacks("up to date")
            .fails(1);
    }
    let place = adopted("/bin/cat new.yaml");
    place.write("new.yaml", crd(1)).edit(
        "rustop.yaml",
        "  files: [deploy/crd.yaml, charts/shepherd/templates/crd.yaml]\n",
        "",
    );
    place
        .rustop("manifests --check")
        .says(&["generates 1 CRD; `crds.files` of rustop.yaml names no copy to compare with"])
        .lacks("up to date")
        .ok();
}

#[test]
fn advice_of_lint_needs_no_newer_kube() {
    let place = adopted("/bin/cat new.yaml");
    place.write(
        "new.yaml",
        crd(1).replace(
            "              size:",
            "              names: {type: array, items: {type: string}}\n              size:",
        ),
    );
    place.edit(
        "src/lib.rs",
        "    pub size: i32,\n",
        "    pub size: i32,\n    /// Names.\n    pub names: Vec<String>,\n",
    );
    let lock = |version: &str| format!("[[package]]\nname = \"kube\"\nversion = \"{version}\"\n");
    place
        .write("Cargo.lock", lock("0.99.0"))
        .rustop("lint")
        .says(&["`#[schemars(schema_with = ..)]` on the field"])
        .lacks("x_kube")
        .ok();
    place
        .write("Cargo.lock", lock("1.1.0"))
        .rustop("lint")
        .says(&[
            "#[x_kube(merge_strategy = ListMerge::Set)]",
            "#[derive(KubeSchema)]",
        ])
        .ok();
}

#[test]
fn subcommand_that_reaches_crd_is_the_crd_command() {
    let place = operator();
    place.remove("src/bin/crdgen.rs").write(
        "src/main.rs",
        "mod herd;\nuse shepherd::Cow;\n\n#[derive(clap::Parser)]\nenum Cli { Schema, Run }\n
fn schema() {\n    println!(\"{}\", serde_yaml::to_string(&Cow::crd()).unwrap());\n}\n
fn main() {\n    match Cli::parse() {\n        Cli::Schema => schema(),\n        Cli::Run => herd::run(),\n    }\n}\n",
    );
    place
        .rustop("adopt --dry-run")
        .shows(&["command: cargo run -q --bin shepherd -- schema"])
        .says(&["src/main.rs:8 calls `crd()` for the subcommand `schema`"])
        .ok();
}

#[test]
fn generator_with_an_argument_for_each_crd_is_run_for_all() {
    let place = operator();
    place.write(
        "justfile",
        "crds:\n    cargo run --bin crdgen -- cows > deploy/crd.yaml\n    cargo run --bin crdgen -- goats > deploy/goats.yaml\n",
    );
    place
        .rustop("adopt --dry-run")
        .shows(&["projectName: shepherd"])
        .says(&["`cargo run -q --bin crdgen -- cows && echo --- && cargo run -q --bin crdgen -- goats`: justfile:2"])
        .ok();
}

#[test]
fn released_crds_are_no_copies() {
    let place = operator();
    place
        .write("olm/0.1.0/crd.yaml", crd(2))
        .write("releases/shepherd-0.1.0-rc1.yaml", crd(2));
    place
        .rustop("adopt --dry-run")
        .shows(&["  - charts/shepherd/templates/crd.yaml\n  - deploy/crd.yaml\noperator:"])
        .says(&["left out 2 files of released versions, such as olm/0.1.0/crd.yaml"])
        .ok();
    // With a command, none of them is one to which the generated CRDs are written.
    place
        .remove("deploy/crd.yaml")
        .remove("charts/shepherd/templates/crd.yaml");
    place
        .rustop("adopt --dry-run")
        .shows(&["command: cargo run -q --bin crdgen\noperator:"])
        .says(&["left out 2 files of released versions", "Missing CRDs"])
        .ok();
}

#[test]
fn the_newest_released_crd_counts_if_no_other_file_has_it() {
    let place = Place::empty();
    place
        .write("operator.py", "import kopf\n")
        .write("releases/shepherd-0.9.0.yaml", crd(1))
        .write("releases/shepherd-0.10.0-rc1.yaml", crd(2))
        .write("releases/shepherd-0.10.0.yaml", crd(3));
    place
        .rustop("adopt --dry-run")
        .shows(&["  files:\n  - releases/shepherd-0.10.0.yaml\n"])
        .lacks("0.9.0.yaml:")
        .says(&[
            "Found CRDs `releases/shepherd-0.10.0.yaml`: releases/shepherd-0.10.0.yaml:1 has cows.farm.example, which only released files have",
            "left out 2 files",
        ])
        .ok();
    place
        .write("dist/install.yaml", crd(4))
        .rustop("adopt --dry-run")
        .shows(&["  files:\n  - dist/install.yaml\n"])
        .says(&["left out 3 files"])
        .ok();
    place
        .write("install.yaml", crd(4))
        .rustop("adopt --dry-run")
        .shows(&["  files:\n  - install.yaml\n"])
        .says(&["left out 4 files"])
        .ok();
}

#[test]
fn samples_beyond_ten_are_one_line() {
    let place = operator();
    let sample = place.read("samples/cow-red.yaml");
    for n in 0..12 {
        place.write(&format!("samples/{n}/cow.yaml"), &sample);
    }
    let found = "Found samples `samples/9/cow.yaml`";
    place
        .rustop("adopt --dry-run")
        .shows(&["- samples/9/cow.yaml"])
        .says(&["Found 3 more samples (listed with --verbose)"])
        .lacks(found)
        .ok();
}

#[test]
fn flags_that_name_other_files_are_errors() {
    for (flags, error) in [
        (
            "--crds samples/cow-red.yaml",
            "--crds samples/cow-red.yaml: has no CustomResourceDefinition",
        ),
        (
            "--samples charts/shepherd/values.yaml",
            "--samples charts/shepherd/values.yaml: has no object of the operator's groups",
        ),
    ] {
        operator()
            .rustop(&format!("adopt {flags}"))
            .says(&[error])
            .unchanged()
            .fails(1);
    }
}

#[test]
fn directories_without_an_operator_and_scaffolded_projects_are_refused() {
    Place::empty()
        .rustop("adopt")
        .says(&["found no operator in", "help: rustop adopt --crds-command"])
        .fails(1);
    Place::empty()
        .rustop("adopt nowhere")
        .says(&["cannot read"])
        .fails(1);
    Place::project()
        .rustop("adopt")
        .says(&["is a project that rustop has scaffolded"])
        .fails(1);
}

#[test]
fn problems_of_the_manifests_are_warnings_with_the_fix() {
    let place = operator();
    let template = "charts/shepherd/templates/deployment.yaml";
    place.edit(
        template,
        "      - name: shepherd\n        image: \"ghcr.io/farm/shepherd:{{ .Chart.AppVersion }}\"\n",
        "      - {name: a}\n      - {name: b}\n      - {name: c}\n",
    );
    place
        .rustop("adopt --dry-run")
        .shows(&["chart: charts/shepherd"])
        .says(&[
            "has the containers a, b, c: cannot tell which one is the operator",
            "add to rustop.yaml: operator: {container: a}",
        ])
        .unchanged()
        .ok();
    let place = operator();
    place.edit(
        template,
        "{{ .Values.namespace }}\nspec",
        "{{ required \"set a namespace\" .Values.missing }}\nspec",
    );
    place
        .rustop("adopt --dry-run")
        .shows(&["chart: charts/shepherd"])
        .says(&[
            "deployment.yaml:5: the chart requires the value `missing`: set a namespace",
            "help: add it to rustop.yaml: deploy: {set: {missing: VALUE}}\n",
        ])
        .unchanged()
        .ok();
    let place = operator();
    place.edit(template, "kind: ClusterRoleBinding", "kind: Unbound");
    place
        .rustop("adopt --dry-run")
        .shows(&["chart: charts/shepherd"])
        .says(&[
            "with 0 rules",
            "no role is bound to the ServiceAccount farm/shepherd",
        ])
        .unchanged()
        .ok();
}

#[test]
fn a_changed_type_is_named_in_every_copy_and_only_plain_ones_are_updated() {
    let place = adopted("cat new.yaml");
    place.write("new.yaml", crd(0));
    let differs = "cows.farm.example: v1 spec.size: minimum is 1, but 0 in the generated CRD";
    place
        .rustop("manifests --check")
        .says(&[
            "deploy/crd.yaml",
            "charts/shepherd/templates/crd.yaml",
            differs,
            "help: rustop manifests",
            "rustop does not write templates",
        ])
        .fails(1);
    // The plain copy is written although the template is left to the user.
    assert_eq!(place.rustop("manifests").code_of(), Some(1));
    assert!(place.read("deploy/crd.yaml").contains("minimum: 0"));
    assert!(
        place
            .read("charts/shepherd/templates/crd.yaml")
            .contains("minimum: 1")
    );
    place.edit(
        "charts/shepherd/templates/crd.yaml",
        "minimum: 1",
        "minimum: 0",
    );
    place
        .rustop("manifests --check")
        .says(&["Checked 2 copies of 1 CRD: up to date"])
        .ok();
}

#[test]
fn two_copies_that_differ_are_named_without_a_command() {
    let place = adopted("x");
    place
        .edit("rustop.yaml", "  command: \"x\"\n", "")
        .edit("deploy/crd.yaml", "int32", "int64");
    place
        .rustop("manifests --check")
        .says(&[
            "templates/crd.yaml",
            "v1 spec.size: format is \"int32\", but \"int64\" in `deploy/crd.yaml`",
            "help: make the copies equal",
        ])
        .fails(1);
}

#[test]
fn a_command_that_writes_files_leaves_the_repository_alone() {
    let place = adopted("sed -i 's/minimum: 1/minimum: 7/' deploy/crd.yaml");
    place
        .rustop("manifests --check")
        .says(&["minimum is 1, but 7 in the generated CRD"])
        .fails(1);
}

#[test]
fn a_command_that_cannot_give_crds_is_an_error_with_its_output() {
    for (command, parts) in [
        (
            "echo broken >&2; exit 3",
            ["failed (exit status: 3)", "broken"],
        ),
        (
            "true",
            [
                "printed no CustomResourceDefinition and wrote none",
                "correct `crds.command`",
            ],
        ),
        (
            "echo hello",
            [
                "printed no CustomResourceDefinition and wrote none:",
                "hello",
            ],
        ),
    ] {
        let place = adopted(command);
        place.rustop("manifests --check").says(&parts).fails(1);
    }
    let place = adopted("while :; do :; done");
    place.edit("rustop.yaml", "crds:\n", "crds:\n  timeoutSeconds: 1\n");
    place
        .rustop("manifests --check")
        .says(&["did not end within 1 s", "timeoutSeconds"])
        .fails(1);
}

#[test]
fn a_command_that_writes_only_what_has_changed_is_no_command_that_generates_nothing() {
    let place = adopted("cmp -s new.yaml deploy/crd.yaml || cp new.yaml deploy/crd.yaml");
    place.write("new.yaml", crd(1));
    for command in ["manifests --check", "manifests"] {
        place.rustop(command).says(&["up to date"]).ok();
    }
    configure(&place, "true");
    for command in ["manifests --check", "manifests"] {
        let ran = place.rustop(command);
        ran.says(&["printed no CustomResourceDefinition and wrote none"])
            .fails(1);
    }
}

#[test]
fn a_log_line_before_the_crds_is_named() {
    let place = adopted("echo '[INFO] generating'; cat deploy/crd.yaml");
    place
        .rustop("manifests --check")
        .says(&[
            "the CRD command prints `[INFO] generating` before the CRDs",
            "Checked",
        ])
        .ok();
}

#[test]
fn lint_reports_the_field_of_the_type() {
    let place = adopted("/bin/cat new.yaml");
    place.write(
        "new.yaml",
        crd(1).replace(
            "              size:",
            "              size2: {type: number}\n              size:",
        ),
    );
    place.edit(
        "src/lib.rs",
        "    pub size: i32,\n",
        "    pub size: i32,\n    /// A measure.\n    pub size2: f64,\n",
    );
    place.rustop("lint").says(&["src/lib.rs:9"]).ok();
}

#[test]
fn a_baseline_hides_old_findings_and_shows_new_ones() {
    let place = adopted("/bin/cat new.yaml");
    place.write("new.yaml", crd(1));
    let offer = "`rustop lint --baseline` records these warnings in rustop-lint.yaml";
    place.rustop("lint").says(&["the types: ", offer]).ok();
    place
        .rustop("lint --deny-warnings")
        .says(&["Cow v1 .spec.size: the field has no description"])
        .fails(1);
    place
        .rustop("lint --baseline")
        .says(&["Created rustop-lint.yaml", "Recorded"])
        .ok();
    place
        .rustop("lint --deny-warnings")
        .says(&["the types: no warnings"])
        .ok();
    place.edit(
        "new.yaml",
        "              size:",
        "              age: {type: integer, format: int32}\n              size:",
    );
    place.edit(
        "src/lib.rs",
        "    pub size: i32,\n",
        "    pub size: i32,\n    pub age: i32,\n",
    );
    place
        .rustop("lint")
        .says(&["Cow v1 .spec.age: the field has no description"])
        .lacks(offer)
        .ok();
    place
        .rustop("lint --deny-warnings")
        .says(&["Cow v1 .spec.age: the field has no description"])
        .lacks(".spec.size")
        .fails(1);
}

#[test]
fn commands_for_scaffolded_projects_say_why_they_do_not_work() {
    let place = adopted("true");
    for line in [
        "create api --kind Ox",
        "delete chart",
        "edit --domain a.b",
        "upgrade",
        "init --domain a.b",
        "create chart",
        "run",
    ] {
        place
            .rustop(line)
            .says(&[
                "describes an adopted operator, and this command works in scaffolded projects only",
                "help: `rustop manifests`, `rustop lint`, `rustop rbac report`, `rustop dev`, `rustop torture`, \
                 `rustop migrate` and `rustop docs` work here; rustop does not convert the sources:",
                "`rustop create api --from-crd FILE` there, which imports the types\n",
            ])
            .unchanged()
            .fails(1);
    }
}

#[test]
fn an_invalid_rustop_yaml_is_reported_at_its_line() {
    let place = adopted("true");
    place.edit("rustop.yaml", "crds:\n", "crdz:\n");
    place
        .rustop("manifests --check")
        .says(&["rustop.yaml:3: "])
        .fails(1);
}

#[test]
fn the_schema_has_every_field_of_rustop_yaml() {
    let place = operator();
    let output = rustop(place.dir())
        .args(["schema", "--adopted"])
        .output()
        .unwrap();
    let schema: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(schema["additionalProperties"], false);
    place.rustop("adopt -q").ok();
    let written: Value = serde_yaml::from_str(&place.read("rustop.yaml")).unwrap();
    for name in written.as_object().unwrap().keys() {
        assert!(
            schema["properties"].get(name).is_some(),
            "the schema has no {name}"
        );
    }
}

#[test]
fn a_rule_of_a_type_that_the_command_does_not_generate_is_found() {
    let place = adopted("cat other.yaml");
    place
        .write(
            "other.yaml",
            crd(1).replace("cows", "oxen").replace("Cow", "Ox"),
        )
        .edit(
            "src/lib.rs",
            "    pub size: i32,\n",
            "    #[schemars(schema_with = \"fixed\")]\n    pub size: i32,\n",
        );
    let source = place.read("src/lib.rs");
    place.write(
        "src/lib.rs",
        source + "\nfn fixed(_: &mut SchemaGenerator) -> Schema {\n    json_schema!({ \"x-kubernetes-validations\": [{ \"rule\": \"self == oldSelf\" }] })\n}\n",
    );
    place
        .rustop("manifests --check")
        .says(&[
            "the CRD command does not generate cows.farm.example",
            "v1 spec.size: x-kubernetes-validations is missing, but src/lib.rs:12 has a rule",
            "which the CRD command generates",
        ])
        .fails(1);
}

#[test]
fn a_baseline_commit_is_compared_by_the_listed_files() {
    let place = adopted("cat new.yaml");
    place.write("new.yaml", crd(1));
    let git = |line: &str| {
        let mut command = std::process::Command::new("git");
        command.args(line.split(' ')).current_dir(place.dir());
        command.envs([("HOME", "/nonexistent"), ("GIT_CONFIG_NOSYSTEM", "1")]);
        let output = command.output().unwrap();
        assert!(output.status.success(), "git {line}: {output:?}");
    };
    git("init -q");
    git("add -A");
    git("-c user.name=a -c user.email=a@b.c commit -q -m a");
    place
        .rustop("manifests --check --against HEAD")
        .says(&["Compared with 1 CRD of HEAD: nothing breaks"])
        .ok();
    place.edit("new.yaml", "minimum: 1", "minimum: 5");
    place
        .rustop("manifests --check --against HEAD")
        .says(&["spec.size", "rustop explain"])
        .fails(1);
    place
        .rustop("manifests --check --against nowhere")
        .says(&["neither a file, a directory nor a git commit"])
        .fails(1);
    place.edit(
        "rustop.yaml",
        "deploy/crd.yaml, charts/shepherd/templates/crd.yaml",
        "samples/cow-red.yaml",
    );
    place
        .rustop("manifests --check --against HEAD")
        .says(&["no file in `crds.files` of rustop.yaml has a CustomResourceDefinition"])
        .fails(1);
}

#[test]
fn a_read_only_directory_is_left_alone() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt as _;
    let place = operator();
    set_permissions(place.dir(), Permissions::from_mode(0o555)).unwrap();
    // Root may write everywhere.
    let is_root = std::fs::write(place.path("probe"), "").is_ok();
    if !is_root {
        place
            .rustop("adopt")
            .says(&["Found program", "cannot create"])
            .fails(1);
    }
    set_permissions(place.dir(), Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn dev_names_the_missing_fields_of_rustop_yaml() {
    let place = adopted("true");
    place.edit("rustop.yaml", "deploy: {chart: charts/shepherd}\n", "");
    place
        .rustop("dev --once")
        .says(&[
            "rustop.yaml has no `deploy`",
            "help: add the manifests to rustop.yaml: `deploy: {files: [PATH]}`",
        ])
        .unchanged()
        .fails(1);
    place.edit(
        "rustop.yaml",
        "operator: {command: [target/debug/shepherd]}\n",
        "",
    );
    place
        .rustop("dev --once")
        .says(&[
            "`operator.command` of rustop.yaml is missing",
            "help: rustop adopt --command 'PROGRAM ARGUMENTS' --force",
        ])
        .fails(1);
}

#[test]
fn migrate_knows_the_kinds_of_the_copies() {
    let place = adopted("true");
    place
        .rustop("migrate --kind Ox")
        .says(&["no kind Ox is known", "rustop migrate, for all kinds"])
        .fails(2);
    place
        .rustop("migrate --kind Cow --kubeconfig nowhere")
        .says(&["cannot use the kubeconfig `nowhere`"])
        .fails(1);
}

#[test]
fn a_change_without_a_line_of_rust_is_accepted_in_rustop_yaml() {
    let place = Place::empty();
    let write = |allow: &str| {
        place.write(
            "rustop.yaml",
            format!(
                "layout: [rustop.dev/adopted-v1]\nprojectName: barn\ncrds: {{files: [crd.yaml]}}\n{allow}"
            ),
        );
    };
    let next_to_size = "              size:";
    place.write(
        "old.yaml",
        crd(1).replace(
            next_to_size,
            "              old: {type: string}\n              size:",
        ),
    );
    place.write("crd.yaml", crd(1));
    write("");
    let line = "manifests --check --against old.yaml";
    place
        .rustop(line)
        .says(&[
            "to accept the change, add `- {rule: field-gone, at: \"Cow v1 .spec.old\", reason: WHY}` to `allow` in rustop.yaml",
        ])
        .fails(1);
    let entry = "allow:\n- {rule: field-gone, at: \"Cow v1 .spec.old\", reason: in no release}\n";
    write(entry);
    place
        .rustop(line)
        .says(&["1 breaking change accepted by comments in the sources or by `allow` in rustop.yaml, nothing else breaks"])
        .ok();
    write(&entry.replace(".old", ".size"));
    place.rustop(line).says(&["Cow v1 .spec.old"]).fails(1);
    write(&entry.replace("field-gone", "field-gon"));
    place
        .rustop(line)
        .says(&[
            "there is no rule `field-gon`",
            "rustop.yaml:5:10",
            "did you mean `field-gone`?",
        ])
        .fails(1);
    write(&entry.replace("in no release", "''"));
    place
        .rustop(line)
        .says(&["rustop.yaml:4: an entry of `allow` has no reason"])
        .fails(1);
    // A kind that is gone is not in PROJECT, which does not exist.
    write("");
    place.write(
        "old.yaml",
        crd(1).replace("cows", "calves").replace("Cow", "Calf") + "---\n" + &crd(1),
    );
    place
        .rustop(line)
        .says(&["--> rustop.yaml", "has this CRD and the project does not"])
        .ok();
}

#[test]
fn an_allowance_of_lint_that_allows_nothing_is_named() {
    let place = Place::empty();
    place.write("crd.yaml", crd(1));
    let allow = |at: &str| {
        place.write(
            "rustop.yaml",
            format!(
                "layout: [rustop.dev/adopted-v1]\nprojectName: barn\ncrds: {{files: [crd.yaml]}}\nallow:\n- rule: description\n  at: {at}\n  reason: old\n"
            ),
        );
    };
    allow("Cow v1 .spec.size");
    place
        .rustop("lint")
        .says(&["Checked the types: no warnings"])
        .ok();
    allow("Cow v1 .spec.weight");
    place
        .rustop("lint")
        .says(&[
            "Cow v1 .spec.size: the field has no description",
            "nothing here has to be allowed by `description`",
            "rustop.yaml:5:9",
        ])
        .ok();
}

#[test]
fn a_crd_as_deep_as_the_api_server_takes_is_read() {
    let place = adopted("cat new.yaml");
    let size = "              size: {type";
    for levels in [61, 120, 400] {
        let deep = (0..levels).fold(String::new(), |text, level| {
            let indent = " ".repeat(14 + 4 * level);
            text + &format!("{indent}a:\n{indent}  type: object\n{indent}  properties:\n")
        });
        let end = format!("{}a: {{type: string}}\n", " ".repeat(14 + 4 * levels));
        place.write("new.yaml", crd(1).replace(size, &(deep + &end + size)));
        place
            .rustop("lint")
            .says(&["Checked the types: "])
            .lacks("printed no CustomResourceDefinition")
            .ok();
        place
            .rustop("docs --crds new.yaml --format markdown")
            .says(&["docs/api.md"])
            .ok();
    }
    let deep = "[".repeat(6_000) + &"]".repeat(6_000);
    place.write("new.yaml", crd(1) + "other: " + &deep);
    place
        .rustop("lint")
        .says(&["printed no CustomResourceDefinition and wrote none; line 21 of its output is not valid YAML"])
        .fails(1);
}

#[test]
fn a_rule_with_two_braces_is_no_template() {
    let place = Place::empty();
    place.write(
        "rustop.yaml",
        "layout: [rustop.dev/adopted-v1]\nprojectName: barn\ncrds: {files: [crd.yaml]}\n",
    );
    let with_rule = crd(1).replace("            type: object\n            properties", "            type: object\n            x-kubernetes-validations: [{rule: \"1 in {{'a':'b'}: 1}\"}]\n            properties");
    assert_ne!(with_rule, crd(1));
    place.write("crd.yaml", &with_rule);
    let refused = "the rule `1 in {{'a':'b'}: 1}` applies `in` to the types int and map<map<string, string>, int>";
    place.rustop("lint").says(&[refused]).fails(1);
    place.write(
        "rustop.yaml",
        "layout: [rustop.dev/adopted-v1]\nprojectName: barn\ncrds: {command: cat crd.yaml}\n",
    );
    place.rustop("lint").says(&[refused]).fails(1);
}

/// An operator in Python with Kopf: a file with the code, a CRD, a Deployment and a sample.
fn kopf() -> Place {
    let place = Place::empty();
    place
        .write("op.py", "import kopf\n")
        .write("crd.yaml", crd(1))
        .write(
            "deploy.yaml",
            TEMPLATE
                .replace("{{ .Release.Name }}", "shepherd")
                .replace("{{ .Values.namespace }}", "farm")
                .replace(
                    "        image: \"ghcr.io/farm/shepherd:{{ .Chart.AppVersion }}\"\n",
                    "        command: [/usr/local/bin/kopf, run, /src/op.py]\n        args: [--verbose]\n",
                ),
        )
        .write(
            "cow.yaml",
            "apiVersion: farm.example/v1\nkind: Cow\nmetadata: {name: red}\nspec: {size: 2}\n",
        );
    place
}

#[test]
fn an_operator_in_another_language_is_the_program_of_its_deployment() {
    let place = kopf();
    place
        .rustop("adopt --dry-run")
        .shows(&[
            "operator:\n  command:\n  - kopf\n",
            "samples:\n- cow.yaml\n",
        ])
        .says(&["Found program `kopf`: deploy.yaml:1 has the command of the Deployment `shepherd`"])
        .ok();
    place
        .run([
            "adopt",
            "--dry-run",
            "--command",
            "python -m kopf run 'my op.py'",
            "--build",
            "make all",
        ])
        .shows(&[
            "operator:\n  build: make all\n  command:\n  - python\n  - -m\n  - kopf\n  - run\n  - my op.py\n",
        ])
        .says(&["Found CRDs"])
        .ok();
    place
        .rustop("adopt --bin kopf")
        .says(&["help: rustop adopt --command 'PROGRAM ARGUMENTS'"])
        .fails(1);
    place
        .run(["adopt", "--command", "python 'op.py"])
        .says(&[
            "--command 'python '\\''op.py': not a program with arguments",
            "help: write it as for a shell",
        ])
        .unchanged()
        .fails(1);
}

#[test]
fn an_operator_without_rustop_yaml_is_pointed_to_adopt() {
    let not_adopted = "help: rustop adopt, for an operator that rustop has not scaffolded";
    for line in ["rbac report", "manifests", "lint", "dev --once"] {
        for place in [operator(), kopf()] {
            place
                .rustop(line)
                .says(&["is not in a project", not_adopted])
                .unchanged()
                .fails(1);
        }
    }
    Place::empty()
        .rustop("lint")
        .says(&["help: rustop init --domain my.domain"])
        .fails(1);
}

#[test]
fn several_programs_in_go_have_the_names_of_their_directories() {
    let place = Place::empty();
    let main = "package main\n\nfunc main() {}\n";
    place
        .write("go.mod", "module farm.example/shepherd\n")
        .write("cmd/webhook/go.mod", "module farm.example/webhook\n")
        .write("cmd/webhook/main.go", main)
        .write("cmd/agent/main.go", main)
        .write("hack/lint/main.go", main)
        .write(
            "zz/gen/main.go",
            format!("// Code generated by x. DO NOT EDIT.\n{main}"),
        )
        .write("deploy/crd.yaml", crd(1));
    place
        .rustop("adopt")
        .says(&[
            "several candidates for the program:",
            "--bin agent    # cmd/agent/main.go",
            "--bin webhook    # cmd/webhook/main.go",
        ])
        .lacks("--bin lint")
        .lacks("--bin gen")
        .fails(1);
    place
        .rustop("adopt --dry-run --bin agent")
        .shows(&[
            "build: go build -o bin/agent ./cmd/agent\n",
            "- bin/agent\n",
        ])
        .says(&["Found program `agent`"])
        .ok();
    place
        .rustop("adopt --dry-run --bin webhook")
        .shows(&["build: go build -C cmd/webhook -o ../../bin/webhook .\n"])
        .says(&["Found program `webhook`"])
        .ok();
    place
        .rustop("adopt --bin nope")
        .says(&[
            "--bin nope: the repository has no such program",
            "--bin agent\n",
        ])
        .fails(1);
    // A shell reads the names of directories as they are.
    place.write("cmd/a b$(id)/main.go", main);
    place
        .rustop("adopt --dry-run --bin \"a b$(id)\"")
        .shows(&["build: go build -o 'bin/a b$(id)' './cmd/a b$(id)'\n"])
        .says(&["Found program `a b$(id)`"])
        .ok();
    // The program named like an operator is the operator.
    place.write("cmd/controller/main.go", main);
    place
        .rustop("adopt --dry-run")
        .says(&["Found program `controller`: cmd/controller/main.go"])
        .shows(&["- bin/controller\n"])
        .ok();
}

#[test]
fn each_stage_of_a_dockerfile_may_start_an_operator() {
    let controller = "flock::herd::run()";
    let place = programs(controller, controller);
    let stage = |name: &str| format!("FROM scratch AS {name}\nCMD [ \"/{name}\" ]\n");
    place.write("Dockerfile", stage("shepherd") + &stage("shepctl"));
    place
        .rustop("adopt")
        .says(&[
            "several candidates for the program:",
            "--bin shepherd    # Dockerfile:2 starts the program",
            "--bin shepctl    # Dockerfile:4 starts the program",
        ])
        .fails(1);
    place.write("Dockerfile", stage("builder") + &stage("shepctl"));
    place
        .rustop("adopt --dry-run")
        .says(&["Found program `shepctl`: Dockerfile:4 starts the program"])
        .shows(&["build: cargo build --bin shepctl"])
        .ok();
}

#[test]
fn the_workload_in_the_manifests_starts_the_operator() {
    let controller = "flock::herd::run()";
    let place = programs(controller, controller);
    let stage = |name: &str| format!("FROM scratch AS {name}\nCMD [ \"/{name}\" ]\n");
    place
        .write("Dockerfile", stage("shepherd") + &stage("shepctl"))
        .edit(
            "charts/shepherd/templates/deployment.yaml",
            "      - name: shepherd\n",
            "      - name: shepherd\n        command: [/tini, --, /usr/bin/shepctl]\n",
        );
    place
        .rustop("adopt --dry-run")
        .says(&["Found program `shepctl`: charts/shepherd/templates/deployment.yaml:1 has a Deployment that starts the program"])
        .shows(&["build: cargo build --bin shepctl"])
        .ok();
}

#[test]
fn programs_of_one_name_are_chosen_by_their_build() {
    let place = Place::empty();
    for dir in ["north", "south"] {
        place
            .write(
                &format!("{dir}/Cargo.toml"),
                format!("[package]\nname = \"{dir}\"\nversion = \"0.1.0\"\n[[bin]]\nname = \"ranger\"\npath = \"src/main.rs\"\n[workspace]\n"),
            )
            .write(
                &format!("{dir}/src/main.rs"),
                "use kube::runtime::Controller;\nfn main() {\n    Controller::new(a, b);\n}\n",
            );
    }
    place.write("deploy/crd.yaml", crd(1));
    let flags = "--build 'cargo build --manifest-path south/Cargo.toml --bin ranger' --command south/target/debug/ranger";
    place
        .rustop("adopt")
        .says(&[&*format!("{flags}    # south/src/main.rs:3")])
        .fails(1);
    place
        .rustop(&format!("adopt --dry-run {}", flags.replace('\'', "\"")))
        .shows(&["build: cargo build --manifest-path south/Cargo.toml --bin ranger\n  command:\n  - south/target/debug/ranger\n"])
        .says(&["Found CRDs `deploy/crd.yaml`"])
        .ok();
}

#[test]
fn a_project_in_rust_is_not_imported_but_adopted() {
    let place = operator();
    place
        .remove("deploy/crd.yaml")
        .rustop("import . ../new")
        .says(&[
            "has no CRDs in",
            "help: rustop does not convert projects in Rust: `rustop adopt`",
        ])
        .unchanged()
        .fails(1);
}

#[test]
fn lint_reports_the_field_of_a_type_in_a_macro() {
    let place = adopted("/bin/cat new.yaml");
    place.write("new.yaml", crd(1)).write(
        "src/lib.rs",
        "use kube::CustomResource;\n\nwrap! {\n    #[derive(CustomResource)]\n    #[kube(group = \"farm.example\", version = \"v1\", kind = \"Cow\", namespaced)]\n    pub struct CowSpec {\n        pub size: i32,\n    }\n}\n",
    );
    place.rustop("lint").says(&["src/lib.rs:7"]).ok();
}

/// The macro is defined in another file than the call, whose file imports nothing.
#[test]
fn lint_reports_the_field_of_a_type_that_a_macro_declares() {
    let place = adopted("/bin/cat new.yaml");
    let size = "size: {type: object, properties: {height: {type: number}, title: {type: number}}}";
    let old = "size: {type: integer, format: int32, minimum: 1}";
    place
        .write("new.yaml", crd(1).replace(old, size))
        .write(
            "src/macros.rs",
            "#[macro_export]\nmacro_rules! measure {\n    ($name:ident { $($field:ident: $ty:ty),* }) => {\n        #[derive(Clone, JsonSchema)]\n        pub struct $name {\n            #[serde(alias = \"name\")]\n            pub title: f64,\n            $(pub $field: $ty),*\n        }\n    };\n}\n",
        )
        .write(
            "src/size.rs",
            "// The size of a cow.\ncrate::measure! {\n    Size {\n        height: f64\n    }\n}\n",
        )
        .edit("src/lib.rs", "pub size: i32", "pub size: size::Size")
        .edit("src/lib.rs", "use kube", "#[macro_use]\nmod macros;\nmod size;\n\nuse kube");
    place
        .rustop("lint")
        .says(&[
            "Cow v1 .spec.size.height: the field is a floating point number\n   --> src/size.rs:4:9\n",
            "Cow v1 .spec.size.title: the field is a floating point number\n   --> src/size.rs:2:8\n",
            "`title` has the alias `name` only in Rust",
        ])
        .ok();
    let allow = "// rustop:allow(no-floats, description, lost-field): as everywhere\n";
    place.write(
        "src/size.rs",
        format!("{allow}crate::measure! {{\n    Size {{\n        height: f64\n    }}\n}}\n"),
    );
    place
        .rustop("lint")
        .says(&[".spec.size.height"])
        .lacks(".spec.size.title")
        .lacks("alias")
        .ok();
}

#[test]
fn an_operator_that_only_runs_in_a_pod_is_a_warning() {
    let place = operator();
    place.edit(
        "src/main.rs",
        "    herd::run();\n",
        "    let client = kube::Client::try_from(kube::Config::incluster());\n    herd::run();\n",
    );
    let warning = "src/main.rs:4 calls `Config::incluster`, which works in a pod only: `rustop dev` and `rustop torture` need";
    place
        .rustop("adopt --dry-run")
        .shows(&["projectName: shepherd"])
        .says(&[warning])
        .ok();
    place.write("src/client.rs", "// kube::Client::try_default()\n");
    place
        .rustop("adopt --dry-run")
        .shows(&["projectName: shepherd"])
        .says(&["Found program"])
        .lacks(warning)
        .ok();
}
