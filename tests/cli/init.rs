//! `rustop init`.

use std::fs;
use std::process::Command;

use crate::dsl::Place;

const CREATED: &str = "\
.dockerignore
.gitattributes
.github/workflows/test.yml
.gitignore
AGENTS.md
Cargo.lock
Cargo.toml
Dockerfile
LICENSE
Makefile
PROJECT
README.md
api/Cargo.toml
api/src/bin/crdgen.rs
api/src/lib.rs
config/crd/kustomization.yaml
config/default/kustomization.yaml
config/default/metrics_service.yaml
config/image/kustomization.yaml
config/manager/kustomization.yaml
config/manager/manager.yaml
config/rbac/kustomization.yaml
config/rbac/leader_election.yaml
config/rbac/metrics.yaml
config/rbac/role_binding.yaml
config/rbac/service_account.yaml
config/samples/kustomization.yaml
config/undeploy/kustomization.yaml
config/webhook/kustomization.yaml
src/controllers/mod.rs
src/lib.rs
src/main.rs
src/webhooks/mod.rs";

#[test]
fn a_project_has_these_files() {
    assert_eq!(Place::project().files().join("\n"), CREATED);
}

/// A reviewer of a project's first commit reads these files.
#[test]
fn a_new_project_has_few_files() {
    let place = Place::project();
    place.rustop("create api --kind Lolcow -q").ok();
    let own = crate::dsl::snapshot(place.dir())
        .into_keys()
        .filter(|path| !path.ends_with('/') && path != "Cargo.lock")
        .filter(|path| !path.starts_with("vendor/"))
        .count();
    assert!(own <= 50, "{own} files");
}

#[test]
fn the_first_webhook_changes_nothing_that_the_user_owns_and_nothing_that_is_vendored() {
    let place = Place::project();
    place.rustop("create api --kind Lolcow -q").ok();
    let before = crate::dsl::snapshot(place.dir());
    place
        .rustop("create webhook --kind Lolcow --validation -q")
        .ok();
    let after = crate::dsl::snapshot(place.dir());
    let is_stable = |path: &&String| {
        let files = ["Cargo.toml", "Cargo.lock", "src/main.rs"];
        files.contains(&path.as_str()) || path.starts_with("vendor/")
    };
    let stable: Vec<_> = before.keys().filter(is_stable).collect();
    assert!(stable.len() > 100, "{stable:?}");
    for path in stable {
        assert_eq!(after.get(path), before.get(path), "{path}");
    }
}

#[test]
fn an_edited_file_of_the_vendored_crate_is_named() {
    let place = Place::project();
    place.rustop("manifests -q").ok();
    let path = "vendor/rustop-manager/src/lib.rs";
    let text = place.read(path);
    place.write(path, format!("{text}// mine\n"));
    place
        .rustop("manifests --check")
        .shows(&[&format!("--- a/{path}\n+++ b/{path}\n"), "-// mine\n"])
        .says(&["1 file differs from the text that the sources generate"])
        .unchanged()
        .fails(1);
    place
        .rustop("create api --kind Lolcow")
        .says(&[
            &format!("rustop overwrites the generated file `{path}`"),
            "-// mine\n",
        ])
        .ok();
    assert_eq!(place.read(path), text);
}

#[test]
fn a_vendored_crate_that_is_not_rustops_is_refused_before_it_is_lost() {
    let place = Place::project();
    let [edited, added] =
        ["src/lib.rs", "src/mine.rs"].map(|it| format!("vendor/rustop-manager/{it}"));
    let text = place.read(&edited);
    place.write(&edited, "// mine\n").write(&added, "");
    for (line, command) in [
        ("upgrade", "rustop manifests"),
        ("upgrade --check", "rustop manifests"),
        ("edit --manager registry", "rustop edit --manager registry"),
    ] {
        place
            .rustop(line)
            .says(&[
                &format!("error: these files of a vendored crate were edited or added:\n  {edited}\n  {added}\n"),
                &format!("help: to lose the edits, delete these files and run: {command}; "),
            ])
            .fails(1);
    }
    place.write(&edited, text);
    place
        .rustop("manifests --check")
        .says(&[&format!("edited or added:\n  {added}\n")])
        .fails(1);
    // The commands of the help work.
    place.remove(&edited).remove(&added);
    place.rustop("manifests -q").ok();
    place.rustop("upgrade -q").ok();
    place.remove(&edited);
    place.rustop("edit --manager registry -q").ok();
    assert!(!place.has("vendor"));
}

#[test]
fn config_default_names_the_command_for_each_optional_directory() {
    let place = Place::project();
    let text = place.read("config/default/kustomization.yaml");
    let offered: Vec<_> = text
        .lines()
        .filter_map(|line| line.strip_prefix("#- ../"))
        .collect();
    assert_eq!(offered, ["prometheus", "network-policy", "certmanager"]);
    let commands = [
        "create prometheus",
        "create network-policy",
        "create webhook",
    ];
    place.rustop("create api --kind Lolcow -q").ok();
    for (dir, command) in offered.into_iter().zip(commands) {
        assert!(
            text.contains(&format!("`rustop {command}`")),
            "{dir}\n{text}"
        );
        let kustomization = format!("config/{dir}/kustomization.yaml");
        assert!(!place.has(&kustomization));
        let arguments = if command == "create webhook" {
            " --kind Lolcow --validation"
        } else {
            ""
        };
        place.rustop(&format!("{command}{arguments} -q")).ok();
        assert!(place.has(&kustomization));
    }
}

/// Git on Windows writes CRLF line ends unless the project sets other ones.
#[test]
fn a_checkout_with_other_line_ends_is_the_same() {
    let place = Place::project();
    place.rustop("manifests -q").ok();
    let git = |arguments: &str| {
        let mut git = Command::new("git");
        git.args([
            "-c",
            "core.autocrlf=true",
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
        ]);
        git.args(arguments.split(' ')).current_dir(place.dir());
        let output = git.output().unwrap();
        assert!(output.status.success(), "{arguments}: {output:?}");
    };
    git("init -q");
    git("add -A");
    git("commit -q -m all");
    fs::remove_file(place.path("PROJECT")).unwrap();
    fs::remove_dir_all(place.path("config")).unwrap();
    git("checkout -q -- .");
    place.rustop("manifests --check -q").unchanged().ok();
}

#[test]
fn every_file_is_named_on_stderr_and_the_next_step_last() {
    let place = Place::empty();
    let created = "  Created .dockerignore\n";
    let last = "  Created src/webhooks/mod.rs\n     Created vendor/rustop-manager/ (";
    let next = " files of the crate rustop-manager 0.1.0)\nNext: rustop create api --kind Lolcow\n";
    place
        .rustop("init --domain my.domain")
        .says(&[created, last, next])
        .ok();
    let place = Place::empty();
    let next = "Next: cd 'it'\\''s mine/x' && rustop create api --kind Lolcow\n";
    place
        .run(["init", "it's mine/x", "--domain", "my.domain"])
        .says(&[next])
        .ok();
}

#[test]
fn project_records_what_was_asked_for() {
    let place = Place::project();
    assert_eq!(
        place.read("PROJECT"),
        "# Code generated by rustop. DO NOT EDIT.
# What was scaffolded; `rustop create` adds to it, and every command renders from it.
cliVersion: \"0.3.0\"
domain: my.domain
kubernetesVersion: \"1.37\"
layout:
- rustop.dev/v1
license: apache2
managerCrate: rustop_manager
projectName: lolcow-operator
version: \"3\"
"
    );
    let place = Place::empty();
    let line = "init --domain my.domain --project-name other --license mit --owner \"A: B\" --namespaced --kubernetes-version 1.33 -q";
    place.rustop(line).ok();
    assert_eq!(
        place
            .read("PROJECT")
            .lines()
            .skip(3)
            .collect::<Vec<_>>()
            .join("\n"),
        "domain: my.domain
kubernetesVersion: \"1.33\"
layout:
- rustop.dev/v1
license: mit
managerCrate: rustop_manager
namespaced: true
owner: \"A: B\"
projectName: other
version: \"3\""
    );
}

#[test]
fn the_directory_gives_the_name() {
    let place = Place::empty();
    place
        .rustop("init Some-Dir/cow-operator --domain my.domain -q")
        .ok();
    assert!(
        place
            .read("Some-Dir/cow-operator/Cargo.toml")
            .contains("name = \"cow-operator\"\n")
    );
    place
        .rustop("-C other init UPPER/.. --domain my.domain")
        .says(&["error: the directory's name"])
        .fails(2);
    place
        .rustop("-C deep/down init Loud --domain my.domain -q")
        .ok();
    assert!(
        place
            .read("deep/down/Loud/PROJECT")
            .contains("projectName: loud\n")
    );
    place
        .rustop("init under_score --domain my.domain")
        .stderr(
            "error: the directory's name cannot be the project's
  caused by: project name \"under_score\" must be lower-case letters, digits and `-`, beginning with a \
             letter; did you mean `under-score`?
help: rustop init under_score --domain my.domain --project-name under-score\n",
        )
        .fails(2);
    place
        .rustop("init under_score --domain my.domain --project-name under-score -q")
        .ok();
}

#[test]
fn a_link_to_nothing_is_not_a_directory() {
    let place = Place::empty();
    std::os::unix::fs::symlink("/nonexistent/dir", place.path("link")).unwrap();
    place
        .rustop("init link --domain my.domain")
        .stderr(
            "error: `./link` is a symbolic link, and its target does not exist\n\
             help: choose another directory, or remove the link: `rm ./link`\n",
        )
        .fails(1);
}

#[test]
fn licences() {
    let place = Place::empty();
    for (license, id, text) in [
        ("apache2", "Apache-2.0", "Apache License"),
        ("mit", "MIT", "MIT License"),
    ] {
        place
            .rustop(&format!(
                "init {license} --domain a.b --license {license} --owner \"The Cows\" -q"
            ))
            .ok();
        assert!(place.read(&format!("{license}/LICENSE")).contains(text));
        let cargo = place.read(&format!("{license}/Cargo.toml"));
        assert!(
            cargo.contains(&format!("license = \"{id}\"\n"))
                && cargo.contains("authors = [\"The Cows\"]\n")
        );
    }
    assert!(place.read("mit/LICENSE").contains("The Cows"));
    place
        .rustop("init none --domain a.b --license none -q")
        .ok();
    assert!(!place.has("none/LICENSE") && !place.read("none/README.md").contains("License"));
    assert!(
        !place.read("none/Cargo.toml").contains("license")
            && !place.read("none/Cargo.toml").contains("authors")
    );
    place
        .rustop("init gpl --domain a.b --license gpl")
        .says(&["[possible values: apache2, mit, none]"])
        .fails(2);
}

#[test]
fn each_version_of_kubernetes() {
    let place = Place::empty();
    for minor in 33..=37 {
        place
            .rustop(&format!(
                "init v{minor} --domain a.b --kubernetes-version 1.{minor} -q"
            ))
            .ok();
        assert!(
            place
                .read(&format!("v{minor}/Cargo.toml"))
                .contains(&format!("\"v1_{minor}\""))
        );
    }
    for wrong in ["1.32", "1.38", "1", "v1.37", "1.37.0", ""] {
        place
            .run([
                "init",
                "x",
                "--domain",
                "a.b",
                "--kubernetes-version",
                wrong,
            ])
            .says(&["1.33, 1.34"])
            .fails(2);
    }
}

#[test]
fn a_namespaced_operator_has_a_role_in_its_namespace() {
    let place = Place::empty();
    place.rustop("init --domain my.domain --namespaced -q").ok();
    let binding = place.read("config/rbac/role_binding.yaml");
    assert!(
        binding.contains("kind: RoleBinding\n") && binding.contains("kind: Role\n"),
        "{binding}"
    );
    assert!(
        place
            .read("config/manager/manager.yaml")
            .contains("name: WATCH_NAMESPACE\n")
    );
    let place = Place::project();
    assert!(
        place
            .read("config/rbac/role_binding.yaml")
            .contains("kind: ClusterRole\n")
    );
    assert!(
        !place
            .read("config/manager/manager.yaml")
            .contains("WATCH_NAMESPACE")
    );
}

#[test]
fn a_project_is_not_started_twice() {
    let place = Place::project();
    let twice =
        "error: `.` already contains a project\nhelp: rustop create api --kind Lolcow adds to it\n";
    place
        .rustop("init --domain my.domain")
        .stderr(twice)
        .fails(1);
    place
        .rustop("init --domain my.domain --dry-run")
        .stderr(twice)
        .fails(1);
    place.write("PROJECT", "not ours");
    place
        .rustop("init --domain my.domain")
        .stderr(twice)
        .fails(1);
}

#[test]
fn files_in_the_way_are_all_named() {
    let place = Place::empty();
    place
        .write("Cargo.toml", "mine")
        .write("src/main.rs", "")
        .write("src/other.rs", "");
    place
        .rustop("init --domain my.domain")
        .stderr(
            "error: these files are in the way, and rustop overwrites nothing that it did not write:
  Cargo.toml
  src/main.rs
help: move them away and run the command again\n",
        )
        .fails(1);
}

#[test]
fn what_is_no_file_is_in_the_way_too() {
    let place = Place::empty();
    place.write("src", "a file");
    place
        .rustop("init --domain my.domain")
        .says(&["error: cannot change `./src/", "Not a directory"])
        .fails(1);
    place.remove("src").write("Makefile/x", "");
    place
        .rustop("init --domain my.domain")
        .says(&["error: cannot read `./Makefile`", "directory"])
        .fails(1);
    let place = Place::empty();
    std::os::unix::fs::symlink("nowhere", place.path("Makefile")).unwrap();
    place
        .rustop("init --domain my.domain")
        .says(&["error: cannot read `./Makefile`"])
        .fails(1);
    place
        .write("file", "")
        .rustop("init file/x --domain my.domain")
        .says(&["`./file/x`"])
        .fails(1);
    let long = format!("new/{}", "x".repeat(256));
    place
        .rustop(&format!("init {long} --domain a.b --project-name x"))
        .says(&["File name too long"])
        .fails(1);
}

#[test]
fn files_that_are_the_same_are_not_in_the_way() {
    let (place, other) = (Place::empty(), Place::project());
    for file in [".gitignore", "LICENSE", "src/main.rs"] {
        place.write(file, other.read(file));
    }
    place.rustop("init --domain my.domain -q").ok();
    assert_eq!(
        crate::dsl::snapshot(place.dir()),
        crate::dsl::snapshot(other.dir())
    );
}

#[test]
fn build_products_and_journals_are_ignored_by_git() {
    let ignored = Place::project().read(".gitignore");
    assert_eq!(ignored, "/.rustop-*\n/dist/\n/target/\n");
}

#[test]
fn a_dry_run_names_the_files_and_writes_none() {
    let place = Place::empty();
    let would = ["Would create .dockerignore\n", "Would create src/main.rs\n"];
    place
        .rustop("init --domain my.domain --dry-run")
        .says(&would)
        .unchanged()
        .ok();
    place
        .rustop("init new/dir --domain my.domain --dry-run")
        .says(&would)
        .unchanged()
        .ok();
    place
        .rustop("init --domain my.domain --dry-run -q")
        .unchanged()
        .ok();
}

#[test]
fn two_runs_give_the_same_bytes() {
    let (one, other) = (Place::project(), Place::project());
    assert_eq!(
        crate::dsl::snapshot(one.dir()),
        crate::dsl::snapshot(other.dir())
    );
}

#[test]
fn the_project_can_be_named_by_a_link() {
    let place = Place::empty();
    fs::create_dir(place.path("real")).unwrap();
    std::os::unix::fs::symlink("real", place.path("link")).unwrap();
    place.rustop("init link --domain my.domain -q").ok();
    assert!(place.has("real/PROJECT") && place.read("real/PROJECT").contains("projectName: real"));
}
