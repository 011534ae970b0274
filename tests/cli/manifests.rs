//! `rustop manifests` in a project without kinds, where neither cargo nor a toolchain is needed.

use crate::dsl::{Place, rustop, words};

const DEPLOYMENTS: &str = "// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get\n";
const SHEEP: &str = "// +kubebuilder:rbac:groups=apps,resources=sheep,verbs=get\n";

const WARNING: &str = "\
warning[rbac-unknown-resource]: the API group `apps` has no `sheep`
   --> src/rules.rs:1:44
   |
 1 | // +kubebuilder:rbac:groups=apps,resources=sheep,verbs=get
   |                                            ^^^^^
help: it has `controllerrevisions`, `daemonsets`, `deployments`, `replicasets`, `statefulsets`

";

/// A project with a file of markers.
fn project(rules: &str) -> Place {
    let place = Place::project();
    place.write("src/rules.rs", rules);
    place
}

#[test]
fn the_role_follows_the_markers() {
    let place = project(DEPLOYMENTS);
    place
        .rustop("manifests")
        .stderr("     Created config/rbac/role.yaml\n")
        .ok();
    assert!(place.read("config/rbac/role.yaml").contains("deployments"));
    place.rustop("manifests").unchanged().ok();
    place.write("src/rules.rs", "");
    place
        .rustop("manifests")
        .stderr("     Updated config/rbac/role.yaml\n")
        .ok();
    assert!(place.read("config/rbac/role.yaml").ends_with("rules: []\n"));
}

/// A package with one target, which begins with a text.
fn package(place: &Place, path: &str, name: &str, target: &str, text: &str) {
    let manifest = format!("[package]\nname = \"{name}\"\nedition = \"2024\"\n");
    place.write(&format!("{path}/Cargo.toml"), manifest);
    place.write(
        &format!("{path}/{target}"),
        format!("{text}fn main() {{}}\n"),
    );
}

#[test]
fn only_what_the_operator_is_built_from_is_read() {
    let place = project(DEPLOYMENTS);
    let of = |resource: &str| DEPLOYMENTS.replace("deployments", resource);
    package(&place, "grass", "grass", "src/lib.rs", &of("daemonsets"));
    place.edit(
        "Cargo.toml",
        "[dependencies]\n",
        "[dependencies]\ngrass = { path = \"grass\" }\n",
    );
    // What follows has no part in the operator.
    package(&place, "xtask", "xtask", "src/main.rs", SHEEP);
    place.edit(
        "Cargo.toml",
        "members = [\"api\"",
        "members = [\"xtask\", \"api\"",
    );
    package(&place, "vendor/sheep", "sheep", "src/lib.rs", SHEEP);
    package(&place, "nested", "nested", "src/main.rs", SHEEP);
    place.write("nested/api/src/lib.rs", SHEEP);
    place.edit("nested/Cargo.toml", "[package]", "[workspace]\n\n[package]");
    for path in [
        "tests/sheep.rs",
        "benches/sheep.rs",
        "examples/sheep.rs",
        "scratch/sheep.rs",
    ] {
        place.write(path, format!("{SHEEP}fn main() {{}}\n"));
    }
    place.write("tests/fixtures/latin.rs", b"// caf\xe9\n");
    #[cfg(unix)]
    for path in ["src/nowhere.rs", "nowhere.rs"] {
        std::os::unix::fs::symlink("no/such/file.rs", place.path(path)).unwrap();
    }
    place
        .rustop("manifests --deny-warnings")
        .with_cargo()
        .stderr("     Created config/rbac/role.yaml\n")
        .ok();
    let role = place.read("config/rbac/role.yaml");
    assert!(
        role.contains("  - daemonsets\n  - deployments\n") && !role.contains("sheep"),
        "{role}"
    );
}

#[test]
fn a_cargo_toml_that_cargo_cannot_read_is_shown_as_cargo_sees_it() {
    let place = project(DEPLOYMENTS);
    place.edit("Cargo.toml", "[workspace]", "[workspace");
    place
        .rustop("manifests")
        .with_cargo()
        .says(&[
            "`cargo metadata` failed:",
            "Cargo.toml",
            "help: correct the manifest",
        ])
        .fails(1);
}

#[test]
fn a_warning_is_shown_and_no_failure() {
    let place = project(SHEEP);
    place.rustop("manifests -q").stderr(WARNING).ok();
    assert!(place.read("config/rbac/role.yaml").contains("sheep"));
    place
        .rustop("manifests --check")
        .says(&["warning[rbac-unknown-resource]"])
        .ok();
}

#[test]
fn denied_warnings_are_errors_and_nothing_is_written() {
    let place = project(SHEEP);
    for line in [
        "manifests --deny-warnings",
        "manifests --deny-warnings --dry-run",
        "manifests --deny-warnings --check",
    ] {
        place
            .rustop(line)
            .says(&[
                "error: 1 problem in the sources",
                "error[rbac-unknown-resource]: the API group `apps` has no `sheep`",
            ])
            .fails(1);
    }
    for (value, message) in [
        ("\"\"", "error: `--against` has an empty value"),
        ("/etc", "error: no CustomResourceDefinition in `/etc`"),
        ("Makefile", "error: "),
        ("src", "error: no CustomResourceDefinition in `"),
    ] {
        place
            .rustop(&format!("manifests --against {value}"))
            .says(&[message])
            .lacks("nothing breaks")
            .fails(1);
    }
    assert!(!place.has("config/rbac/role.yaml"));
}

#[test]
fn a_comment_with_a_reason_allows_a_warning() {
    let place = project(&format!(
        "// rustop:allow(rbac-unknown-resource): a patched API server\n{SHEEP}"
    ));
    place
        .rustop("manifests --deny-warnings")
        .stderr("     Created config/rbac/role.yaml\n")
        .ok();
    place.edit("src/rules.rs", "sheep", "deployments");
    place
        .rustop("manifests --deny-warnings")
        .says(&["error[unused-allow]: nothing here has to be allowed by `rbac-unknown-resource`"])
        .fails(1);
    place.edit(
        "src/rules.rs",
        "rbac-unknown-resource",
        "rbac-unknown-resorce",
    );
    place
        .rustop("manifests")
        .says(&[
            "error: there is no rule `rbac-unknown-resorce`",
            "help: did you mean `rbac-unknown-resource`?",
        ])
        .fails(1);
    place.edit("src/rules.rs", ": a patched API server", "");
    place
        .rustop("manifests")
        .says(&["error: an allowed warning needs a reason"])
        .fails(1);
}

#[test]
fn warnings_wait_until_the_errors_are_gone() {
    let place = project(&format!(
        "{SHEEP}// +kubebuilder:rbca:groups=apps\n{DEPLOYMENTS}"
    ));
    place
        .rustop("manifests")
        .says(&["error: 1 problem in the sources\n\nerror: unknown marker `+kubebuilder:rbca"])
        .fails(1);
}

const WEBHOOK: &str = "// +kubebuilder:webhook:path=/validate--v1-pod,mutating=false,failurePolicy=ignore,\
                       sideEffects=None,groups=\"\",resources=pods,verbs=create,versions=v1,\
                       name=pods.my.domain,admissionReviewVersions=v1\n";

#[test]
fn the_webhook_configuration_follows_the_markers() {
    let place = project(&format!(
        "{WEBHOOK}const PATH: &str = \"/validate--v1-pod\";\n"
    ));
    place
        .rustop("manifests")
        .says(&[
            // config/webhook follows PROJECT, which has no kind with webhooks.
            "warning[webhook-not-deployed]: config/default does not deploy this webhook, since no kind in PROJECT has a validating webhook",
            "help: run `rustop create webhook --kind KIND --validation`",
            "     Created config/rbac/role.yaml\n     Created config/webhook/manifests.yaml\n",
        ])
        .ok();
    let text = place.read("config/webhook/manifests.yaml");
    assert!(
        text.starts_with("# Code generated by rustop. DO NOT EDIT.\n---\n"),
        "{text}"
    );
    assert!(text.contains("kind: ValidatingWebhookConfiguration"));
    place
        .rustop("manifests --check")
        .says(&[
            "warning[webhook-not-deployed]",
            "Checked all generated files",
        ])
        .unchanged()
        .ok();
    place
        .rustop("manifests --check -q")
        .says(&["warning[webhook-not-deployed]"])
        .lacks("Checked")
        .unchanged()
        .ok();
    place.write("src/rules.rs", "");
    place
        .rustop("manifests")
        .stderr("     Removed config/webhook/manifests.yaml\n")
        .ok();
    assert!(!place.has("config/webhook/manifests.yaml"));
}

#[test]
fn a_webhook_that_nothing_serves_is_an_error() {
    project(WEBHOOK)
        .rustop("manifests")
        .says(&["error: no handler serves the path `/validate--v1-pod`\n   --> src/rules.rs:1:25"])
        .fails(1);
}

#[test]
fn a_webhook_configuration_of_the_users_own_is_not_touched() {
    let place = project("");
    place.write("config/webhook/manifests.yaml", "mine\n");
    place
        .rustop("manifests")
        .stderr("     Created config/rbac/role.yaml\n")
        .ok();
    place.write(
        "src/rules.rs",
        format!("{WEBHOOK}const PATH: &str = \"/validate--v1-pod\";\n"),
    );
    place
        .rustop("manifests")
        .says(&[
            "these files are in the way",
            "config/webhook/manifests.yaml",
        ])
        .fails(1);
}

/// The JSON of stdout, which is all that stdout holds.
fn json(place: &Place, line: &str, code: i32) -> serde_json::Value {
    let output = rustop(place.dir()).args(words(line)).output().unwrap();
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn json_has_what_changes_and_what_was_found() {
    let place = project(SHEEP);
    for (line, code, written) in [
        ("manifests --output json --check", 1, false),
        ("manifests --output json --dry-run", 0, false),
        ("manifests --output json", 0, true),
    ] {
        let report = json(&place, line, code);
        assert_eq!(report["written"], written, "{line}");
        let change = &report["changes"][0];
        assert_eq!(
            (change["path"].as_str(), change["action"].as_str()),
            (Some("config/rbac/role.yaml"), Some("create"))
        );
        assert!(
            change["diff"]
                .as_str()
                .unwrap()
                .starts_with("--- /dev/null\n+++ b/config/rbac/role.yaml\n")
        );
        let found = report["diagnostics"][0].clone();
        assert_eq!(found["rule"], "rbac-unknown-resource");
        assert_eq!(
            (found["severity"].as_str(), found["path"].as_str()),
            (Some("warning"), Some("src/rules.rs"))
        );
        assert_eq!(
            (&found["line"], &found["column"], &found["endColumn"]),
            (&1.into(), &44.into(), &49.into())
        );
    }
    let report = json(&place, "manifests --output json --check", 0);
    assert_eq!(report["changes"], serde_json::json!([]));
    let denied = json(&place, "manifests --output json --deny-warnings", 1);
    assert_eq!(denied["diagnostics"][0]["severity"], "error");
    assert_eq!(denied["changes"], serde_json::json!([]));
}

#[test]
fn json_tells_of_every_failure() {
    let place = project(SHEEP);
    let denied = json(&place, "manifests --output json --deny-warnings", 1);
    assert_eq!(denied["written"], false);
    place.write("PROJECT", "");
    for line in [
        "manifests --output json",
        "manifests --output json --check",
        "lint --output json",
    ] {
        let report = json(&place, line, 1);
        let found = &report["diagnostics"][0];
        assert_eq!(found["path"], ".", "{line}");
        let message = found["message"].as_str().unwrap();
        assert!(message.contains("has no `version`"), "{line}: {message}");
        assert!(found["help"].is_string());
    }
    let log = json(&place, "lint --output sarif", 1);
    let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], ".");
}

#[test]
fn lint_says_that_it_has_checked() {
    let place = Place::project();
    place
        .rustop("lint")
        .stderr("     Checked the types: no warnings\n")
        .ok();
    place.rustop("lint -q").ok();
}

#[test]
fn lint_passes_over_no_comment_that_it_cannot_read() {
    project("// rustop:allow(no-phase)\n")
        .rustop("lint")
        .says(&["an allowed warning needs a reason", "src/rules.rs:1:4"])
        .fails(1);
}

#[test]
fn sarif_is_for_code_scanning() {
    let place = project(&format!("{SHEEP}// +kubebuilder:rbca:x=y\n"));
    let log = json(&place, "manifests --output sarif --check", 1);
    assert_eq!(log["runs"][0]["results"][0]["ruleId"], "invalid-source");
    place.write("src/rules.rs", SHEEP);
    let log = json(&place, "manifests --output sarif --check", 1);
    let results = log["runs"][0]["results"].as_array().unwrap();
    let ids: Vec<_> = results
        .iter()
        .map(|result| result["ruleId"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["rbac-unknown-resource", "stale-file"]);
}

#[test]
fn check_prints_a_diff_and_the_command_that_mends_it() {
    let place = project(DEPLOYMENTS);
    place.rustop("manifests -q").ok();
    place.edit("src/rules.rs", "verbs=get", "verbs=get;list");
    place
        .rustop("manifests --check")
        .stdout(
            "--- a/config/rbac/role.yaml
+++ b/config/rbac/role.yaml
@@ -11,3 +11,4 @@
   - deployments
   verbs:
   - get
+  - list
",
        )
        .stderr("error: 1 file differs from the text that the sources generate\nhelp: rustop manifests\n")
        .fails(1);
}

/// Before anything is read or built for it.
#[test]
fn what_cannot_be_compared_with_is_said_first() {
    let place = project(SHEEP);
    place
        .rustop("manifests --against nosuch")
        .says(&["error: `nosuch` is neither a file, a directory nor a git commit: "])
        .lacks("warning")
        .fails(1);
    assert!(!place.has("config/rbac/role.yaml"));
}

/// The help fits the value, and the directory: only a shallow clone lacks a commit.
#[test]
fn a_baseline_that_cannot_be_read_has_a_help_that_fits() {
    let place = project("");
    place.write("half.yaml", "a: [\n");
    place.write("empty.yaml", "");
    place.write("config/crd/bases/empty.yaml", "");
    let outside = "help: run it in the repository of the project, or pass a directory";
    let path = "help: pass the path of a file or directory with CRDs";
    let commit = "help: `git log --oneline` lists commits; in a shallow clone, fetch it first: `git fetch --depth 1 origin nosuch`";
    let crds =
        "help: correct it, or pass another file: `kubectl get crds --output yaml > crds.yaml`";
    let check = |value: &str, help: &str| {
        let run = place.rustop(&format!("manifests --against {value}"));
        let run = run.says(&["error: ", help]);
        let run = if help == commit {
            run
        } else {
            run.lacks("git fetch")
        };
        run.fails(1);
    };
    check("nosuch", outside);
    let git = std::process::Command::new("git")
        .args(["init", "--quiet"])
        .current_dir(place.dir())
        .status();
    assert!(git.unwrap().success());
    for (value, help) in [
        ("nosuch", commit),
        ("origin/nosuch", commit),
        (
            "nosuch~1",
            "help: pass a commit, a tag or a branch; `git log",
        ),
        ("/nonexist", path),
        ("./nosuch", path),
        ("../nosuch", path),
        ("nosuch/", path),
        ("nosuch.yaml", path),
        ("config/crd/bsaes", path),
        ("half.yaml", crds),
        ("empty.yaml", crds),
        ("/proc/self/environ", crds),
        (".", "help: restore the file or remove it"),
    ] {
        check(value, help);
    }
}

/// An older project whose `config/default` moves every object into the operator's namespace.
#[test]
fn a_role_that_config_default_would_move_is_not_bound() {
    let marker =
        "// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get,namespace=infra\n";
    let place = project(marker);
    let role = "config/rbac/role.yaml";
    let default = "config/default/kustomization.yaml";
    let text = place.read(default);
    let lines = &text[text.find("transformers:").unwrap()..text.find("resources:").unwrap()];
    place
        .rustop("manifests")
        .stderr("     Created config/rbac/role.yaml\n")
        .ok();
    assert!(place.read(role).contains("kind: RoleBinding\n"));
    let indented = format!("  {}", lines.trim_end().replace('\n', "\n  "));
    place.edit(default, lines, "");
    place
        .rustop("manifests")
        .says(&[
            "warning[rbac-namespace-moved]: config/default moves the role for the namespace `infra` to `lolcow-operator-system`",
            "src/rules.rs:1:",
            "help: add to config/default/kustomization.yaml",
            &indented,
            "Updated config/rbac/role.yaml",
        ])
        .ok();
    assert!(!place.read(role).contains("Binding"));
    place.write(default, place.read(default) + lines);
    place
        .rustop("manifests")
        .stderr("     Updated config/rbac/role.yaml\n")
        .ok();
    assert!(place.read(role).contains("kind: RoleBinding\n"));
}
