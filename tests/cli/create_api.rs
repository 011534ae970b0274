//! `rustop create api`, for kinds of the project's own.

use crate::dsl::Place;

impl Place {
    fn created(line: &str) -> (Self, Vec<String>) {
        let place = Self::project();
        let before = place.files();
        place.rustop(&format!("create api {line} -q")).ok();
        let mut after = place.files();
        after.retain(|path| !before.contains(path));
        (place, after)
    }

    /// The resources of PROJECT.
    fn resources(&self) -> String {
        let text = self.read("PROJECT");
        let rest = text.split_once("resources:\n").map_or("", |(_, rest)| rest);
        rest.split_once("version: \"3\"").unwrap().0.to_owned()
    }
}

#[test]
fn a_kind_has_a_type_a_controller_a_sample_roles_and_a_test() {
    let place = Place::project();
    place
        .rustop("create api --kind Lolcow")
        .stderr(
            "     Updated PROJECT
     Updated api/src/lib.rs
     Created api/src/v1alpha1/lolcow.rs
     Updated config/crd/kustomization.yaml
     Updated config/rbac/kustomization.yaml
     Created config/rbac/lolcow_roles.yaml
     Updated config/samples/kustomization.yaml
     Created config/samples/v1alpha1_lolcow.yaml
     Created src/controllers/lolcow.rs
     Updated src/controllers/mod.rs
     Created tests/harness/mod.rs
     Created tests/lolcow.rs
     Created tests/simulation.rs
     Guessed the plural `lolcows`; `--plural` names another
Next: edit api/src/v1alpha1/lolcow.rs and src/controllers/lolcow.rs, then rustop manifests\n",
        )
        .ok();
    assert_eq!(
        place.resources(),
        "- api:
    crdVersion: v1
    namespaced: true
  controller: true
  domain: my.domain
  kind: Lolcow
  plural: lolcows
  version: v1alpha1
"
    );
    assert!(
        place
            .read("api/src/lib.rs")
            .contains("v1alpha1::lolcow::Lolcow::crd()")
    );
    assert!(
        place
            .read("src/controllers/mod.rs")
            .contains(".controller(lolcow::controller())")
    );
}

#[test]
fn a_group_stands_in_every_path() {
    let (place, files) = Place::created("--group batch --version v1 --kind CronJob");
    let expected = [
        "api/src/batch/v1/cron_job.rs",
        "config/rbac/batch_cron_job_roles.yaml",
        "config/samples/batch_v1_cronjob.yaml",
        "src/controllers/batch_cron_job.rs",
        "tests/batch_cron_job.rs",
        "tests/harness/mod.rs",
        "tests/simulation.rs",
    ];
    assert_eq!(files, expected);
    assert!(
        place
            .read(expected[0])
            .contains("group = \"batch.my.domain\"")
    );
    assert!(
        place
            .read("config/crd/kustomization.yaml")
            .contains("- bases/batch.my.domain_cronjobs.yaml\n")
    );
}

#[test]
fn each_flag() {
    let (place, files) =
        Place::created("--kind Pasture --plural meadows --cluster-scoped --no-controller");
    let expected = [
        "api/src/v1alpha1/pasture.rs",
        "config/rbac/pasture_roles.yaml",
        "config/samples/v1alpha1_pasture.yaml",
    ];
    assert_eq!(files, expected);
    let api = place.read(expected[0]);
    assert!(
        api.contains("plural = \"meadows\"") && !api.contains("namespaced"),
        "{api}"
    );
    assert!(
        place
            .read("config/crd/kustomization.yaml")
            .contains("my.domain_meadows.yaml")
    );
    place
        .rustop("create api --kind X --no-controller --no-resource")
        .says(&["cannot be used with"])
        .fails(2);
}

#[test]
fn a_plural_that_is_guessed_is_told_with_the_flag_that_names_another() {
    let place = Place::project();
    let guess = "Guessed the plural `indices`; `--plural` names another";
    place
        .rustop("create api --kind Index --dry-run")
        .says(&[guess])
        .unchanged()
        .ok();
    place
        .rustop("create api --group search.io --kind Index --no-resource")
        .says(&[guess])
        .ok();
    // The plural of a kind that exists or belongs to Kubernetes is known.
    for line in ["--kind Cow --plural cattle", "--kind Cow --version v1"] {
        place
            .rustop(&format!("create api {line}"))
            .says(&["Updated PROJECT"])
            .lacks("Guessed")
            .ok();
    }
    place
        .rustop(&format!("create api --kind X{}", "x".repeat(62)))
        .says(&[
            "cannot derive a plural from the kind",
            "pass one with `--plural`",
        ])
        .fails(2);
}

#[test]
fn two_groups_may_have_kinds_of_one_name() {
    let place = Place::project();
    for line in ["--group sea", "--group air", ""] {
        place
            .rustop(&format!("create api {line} --kind Ship -q").replace("  ", " "))
            .ok();
    }
    let controllers = place.read("src/controllers/mod.rs");
    for name in ["sea_ship", "air_ship", "ship"] {
        assert!(
            controllers.contains(&format!(".controller({name}::controller())")),
            "{controllers}"
        );
    }
}

#[test]
fn a_second_version_shares_the_controller_and_the_crd() {
    let place = Place::project();
    place
        .rustop("create api --kind Fish --plural fish --cluster-scoped -q")
        .ok();
    place
        .rustop("create api --kind Fish --version v1")
        .stderr(
            "     Updated PROJECT
     Updated api/src/lib.rs
     Created api/src/v1/fish.rs
     Updated config/samples/kustomization.yaml
     Created config/samples/v1_fish.yaml
Next:
  1. rustop create webhook --kind Fish --conversion
  2. edit api/src/v1/fish.rs, a copy of v1alpha1, and with it the conversion
  3. make test, and make deploy: both versions can be read and written
  4. in src/controllers/fish.rs and tests/fish.rs, write `api::v1::fish` for `api::v1alpha1::fish`
  5. move `storage = false` from api/src/v1/fish.rs to the others; make deploy, and rustop migrate
  6. rustop delete version --kind Fish --version v1alpha1\n",
        )
        .ok();
    let second = place.read("api/src/v1/fish.rs");
    assert!(
        second.contains("plural = \"fish\"") && second.contains("storage = false"),
        "{second}"
    );
    assert!(!second.contains("namespaced,"), "{second}");
    place
        .rustop("create api --kind Fish --version v2 --plural fish --cluster-scoped -q")
        .ok();
    let fixed = "error: my.domain/v1alpha1 Fish of this project already has the plural `fish` and is cluster-scoped; all versions must agree
help: leave out `--plural` and `--cluster-scoped`\n";
    place
        .rustop("create api --kind Fish --version v3 --plural fishes")
        .stderr(fixed)
        .fails(1);
    place
        .rustop("create api --kind Fish --version v1 --no-resource --plural x")
        .stderr(fixed.replace("v1alpha1", "v1").as_str())
        .fails(1);
}

/// The new version starts with the user's types and sample of the newest version, not with the
/// example.
#[test]
fn a_new_version_begins_as_a_copy_of_the_newest_one() {
    let place = Place::project();
    for version in ["v1alpha1", "v1beta1"] {
        let line = format!("create api --kind Fish --version {version} -q");
        place.rustop(&line).ok();
    }
    let (types, sample) = (
        "api/src/v1beta1/fish.rs",
        "config/samples/v1beta1_fish.yaml",
    );
    place
        .edit(types, "pub message: Option<String>", "pub fins: u8")
        .edit(types, "storage = false", "storage = true, deprecated")
        .edit(sample, "message: hello", "fins: 4 # v1beta1");
    let mine = place.read(types);
    place.rustop("create api --kind Fish --version v1 -q").ok();
    assert_eq!(place.read(types), mine);
    assert_eq!(
        place.read("api/src/v1/fish.rs"),
        mine.replace("version = \"v1beta1\"", "version = \"v1\"")
            .replace("storage = true, deprecated", "storage = false")
    );
    assert_eq!(
        place.read("config/samples/v1_fish.yaml"),
        place
            .read(sample)
            .replace("my.domain/v1beta1", "my.domain/v1")
    );
}

#[test]
fn what_cannot_be_copied_is_said() {
    let place = Place::project();
    place.rustop("create api --kind Fish -q").ok();
    place.write("api/src/v1alpha1/fish.rs", "struct {\n");
    place
        .rustop("create api --kind Fish --version v1 -q")
        .says(&[
            "warning: my.domain/v1 Fish starts as a copy of the example, since `api/src/v1alpha1/fish.rs` is not Rust",
        ])
        .ok();
    place.remove("api/src/v1/fish.rs");
    place
        .rustop("create api --kind Fish --version v2 -q")
        .says(&["since there is no `api/src/v1/fish.rs`"])
        .ok();
    assert!(place.read("api/src/v2/fish.rs").contains("pub message"));
}

#[test]
fn the_first_controller_may_come_with_any_version() {
    let place = Place::project();
    place
        .rustop("create api --kind Cow --no-controller -q")
        .ok();
    place.rustop("create api --kind Cow --version v1 -q").ok();
    assert!(
        place
            .read("src/controllers/cow.rs")
            .contains("use api::v1::cow::Cow;")
    );
    place
        .rustop("create api --kind Cow --no-resource")
        .says(&["error: my.domain/v1 Cow exists"])
        .fails(1);
}

#[test]
fn a_controller_can_follow() {
    let place = Place::project();
    place
        .rustop("create api --group farm --kind Cow --no-controller -q")
        .ok();
    place
        .rustop("create api --group farm --kind Cow")
        .stderr(
            "error: farm.my.domain/v1alpha1 Cow exists in this project
help: rustop create api --group farm --version v1alpha1 --kind Cow --no-resource adds its controller\n",
        )
        .fails(1);
    place
        .rustop("create api --group farm --version v1alpha1 --kind Cow --no-resource")
        .stderr(
            "     Updated PROJECT
     Created src/controllers/farm_cow.rs
     Updated src/controllers/mod.rs
     Created tests/farm_cow.rs
     Created tests/harness/mod.rs
     Created tests/simulation.rs
Next: edit src/controllers/farm_cow.rs, then rustop manifests\n",
        )
        .ok();
}

#[test]
fn a_kind_that_exists_is_named() {
    let place = Place::project();
    place.rustop("create api --kind Lolcow -q").ok();
    let exists = "error: my.domain/v1alpha1 Lolcow exists in this project, with its controller
help: name another `--kind`, or another `--version` of this one\n";
    for flags in [
        "",
        " --no-controller",
        " --no-resource",
        " --dry-run",
        " --plural cows",
        " -q",
    ] {
        place
            .rustop(&format!("create api --kind Lolcow{flags}"))
            .stderr(exists)
            .fails(1);
    }
}

#[test]
fn two_groups_may_begin_with_the_same_words() {
    let place = Place::project();
    place.rustop("create api --group a-b --kind C -q").ok();
    place.rustop("create api --group a.b --kind D -q").ok();
    let lib = place.read("api/src/lib.rs");
    assert_eq!(lib.matches("pub mod a_b {").count(), 1, "{lib}");
    assert!(
        lib.contains("/// The group `a-b.my.domain`, `a.b.my.domain`."),
        "{lib}"
    );
    for file in ["c", "d"] {
        place.read(&format!("api/src/a_b/v1alpha1/{file}.rs"));
    }
}

#[test]
fn names_that_meet_are_refused() {
    let cases = [
        (
            "--kind HTTPRoute",
            "--kind HttpRoute",
            "CRD `httproutes.my.domain`",
        ),
        (
            "--kind Cow --plural x",
            "--kind Bull --plural x",
            "CRD `x.my.domain`",
        ),
        (
            "--group a-b --kind C",
            "--group a.b --kind C",
            "file `a_b_c`",
        ),
        (
            "--group a--b --kind C",
            "--group a-b --kind C",
            "role `a-b-c`",
        ),
        (
            "--kind SeaShip",
            "--group sea --kind Ship",
            "file `sea_ship`",
        ),
        (
            "--group v1 --kind A",
            "--kind B --version v1",
            "module `v1`",
        ),
        (
            "--kind B --version v1",
            "--group v1 --kind A",
            "module `v1`",
        ),
        (
            "--group core --kind Pod --no-resource",
            "--group core --kind Pod",
            "file `core_pod`",
        ),
    ];
    for (first, second, clash) in cases {
        let place = Place::project();
        place.rustop(&format!("create api {first} -q")).ok();
        let help = if clash.starts_with("CRD") {
            "both kinds have the same plural: choose another `--plural` or `--group`"
        } else {
            "choose another `--group`, `--kind` or `--plural`"
        };
        let error = format!("would both have the {clash}\nhelp: {help}\n");
        place
            .rustop(&format!("create api {second}"))
            .says(&[&error])
            .fails(1);
    }
}

#[test]
fn a_cluster_scoped_kind_needs_no_controller_in_a_namespaced_project() {
    let place = Place::empty();
    place.rustop("init --domain my.domain --namespaced -q").ok();
    place
        .rustop("create api --kind Pasture --cluster-scoped")
        .stderr(
            "error: my.domain/v1alpha1 Pasture is cluster-scoped, but this project is `--namespaced` and a Role cannot grant access to it
help: add `--no-controller`, or create the project without `--namespaced`\n",
        )
        .fails(1);
    place
        .rustop("create api --kind Pasture --cluster-scoped --no-controller -q")
        .ok();
    place
        .rustop("create api --kind Pasture --no-resource")
        .says(&["error: my.domain/v1alpha1 Pasture is cluster-scoped"])
        .fails(1);
    place
        .rustop("create api --group core --kind Node --no-resource")
        .stderr(
            "error: v1 Node is cluster-scoped, but this project is `--namespaced` and a Role cannot grant access to it
help: create the project without `--namespaced`\n",
        )
        .fails(1);
    place
        .rustop("create api --group a.io --kind X --cluster-scoped --no-resource")
        .says(&["is cluster-scoped"])
        .fails(1);
    place
        .rustop("create api --group core --kind Pod --no-resource -q")
        .ok();
}

#[test]
fn a_dry_run_names_the_files_and_writes_none() {
    let place = Place::project();
    let would = [
        "Would update PROJECT\n",
        "Would create src/controllers/lolcow.rs\n",
    ];
    place
        .rustop("create api --kind Lolcow --dry-run")
        .says(&would)
        .unchanged()
        .ok();
    place
        .rustop("create api --kind Lolcow --dry-run -v")
        .says(&["+  kind: Lolcow\n"])
        .unchanged()
        .ok();
    place
        .rustop("create api --kind Lolcow --dry-run -q")
        .unchanged()
        .ok();
}

#[test]
fn the_order_of_commands_shows_only_in_project() {
    let lines = [
        "--kind A",
        "--group g --kind B",
        "--group g --kind C --version v1",
    ];
    let tree = |order: [usize; 3]| {
        let place = Place::project();
        for n in order {
            place.rustop(&format!("create api {} -q", lines[n])).ok();
        }
        place.files()
    };
    assert_eq!(tree([0, 1, 2]), tree([2, 1, 0]));
}

#[test]
fn without_a_project_nothing_is_created() {
    let place = Place::empty();
    let none = |dir: &str| {
        format!(
            "error: `{dir}` is not in a project: found no file `PROJECT` there or in a parent directory
help: rustop init --domain my.domain, or pass the project's directory with `-C DIR`\n"
        )
    };
    place
        .rustop("create api --kind Lolcow")
        .stderr(&none("."))
        .fails(1);
    place
        .rustop("create api --kind Lolcow -C missing/dir")
        .stderr(&none("missing/dir"))
        .fails(1);
    place
        .write("file", "")
        .rustop("create api --kind Lolcow -C file")
        .stderr(&none("file"))
        .fails(1);
}

/// Commands work in each directory below a project, as in cargo; only `init` takes the directory
/// itself.
#[test]
fn a_directory_below_a_project_is_in_it() {
    let tree = |dir: &str| {
        let place = Place::project();
        let line = format!("create api --kind Lolcow -q -C {dir}");
        place.rustop(&line).ok();
        place.files()
    };
    assert_eq!(tree("api/src"), tree("."));
    let place = Place::project();
    place
        .rustop("init --domain other.domain --project-name other -q -C src")
        .ok();
    assert!(place.files().contains(&"src/PROJECT".to_owned()));
}

/// The API server answers 404 for each of its objects.
#[test]
fn a_cluster_scoped_kind_is_not_called_namespaces() {
    let place = Place::project();
    let line = "create api --kind Namespace --cluster-scoped";
    place
        .rustop(line)
        .unchanged()
        .says(&["my.domain/v1alpha1 Namespace", "choose another `--plural`"])
        .fails(1);
    place.rustop(&format!("{line} --plural spaces -q")).ok();
    place
        .rustop("create api --group farm --kind Namespace -q")
        .ok();
}

#[test]
fn an_operator_of_an_image_begins_with_all_that_was_said() {
    let (place, after) = Place::created(
        "--kind Page --image localhost:5000/page:v1 --image-container-port 8080 \
         --image-container-command /page,--verbose --run-as-user 1000",
    );
    assert!(after.contains(&"src/controllers/page.rs".to_owned()));
    let workload = "  workload:
    containerCommand:
    - /page
    - --verbose
    containerPort: 8080
    image: localhost:5000/page:v1
    runAsUser: 1000
";
    assert!(
        place.resources().ends_with(workload),
        "{}",
        place.resources()
    );
    let controller = place.read("src/controllers/page.rs");
    for line in [
        "    \"--verbose\",\n",
        "run_as_user: Some(1000)",
        "groups=apps,",
    ] {
        assert!(controller.contains(line), "{line}\n{controller}");
    }
    // A second version is a copy of what the first has become.
    place.edit("api/src/v1alpha1/page.rs", "8080", "8081");
    place.rustop("create api --kind Page --version v1 -q").ok();
    let copy = place.read("api/src/v1/page.rs");
    assert!(
        copy.contains("8081") && copy.contains("storage = false"),
        "{copy}"
    );
}

#[test]
fn what_no_image_can_be_is_refused() {
    let place = Place::project();
    let before = place.files();
    for (line, why) in [
        ("--image nginx", "has no version"),
        ("--image localhost:5000/nginx", "has no version"),
        ("--image nginx:", "has no version"),
        ("--image :1.29", "must be an image"),
        ("--image nginx;rm:1", "must be an image"),
        ("--image nginx:1 --cluster-scoped", "cannot be used with"),
        ("--image nginx:1 --no-controller", "cannot be used with"),
        ("--image nginx:1 --run-as-user 0", "0 is not in 1.."),
        (
            "--image nginx:1 --image-container-port 65536",
            "65536 is not in",
        ),
        ("--image-container-port 80", "--image <IMAGE>"),
    ] {
        let line = format!("create api --kind Page {line}");
        place.rustop(&line).says(&[why]).fails(2);
    }
    assert_eq!(place.files(), before);

    place
        .rustop("create api --kind Page --image nginx:1 -q")
        .ok();
    place
        .rustop("create api --kind Page --version v1 --image nginx:2")
        .says(&["starts as a copy of an existing one", "leave `--image` out"])
        .fails(1);
    place.edit("PROJECT", "    namespaced: true\n", "");
    let ran = place.rustop("manifests");
    ran.says(&["PROJECT", "has a `workload`"]).fails(1);
}

/// The values are those that users of kubebuilder type.
#[test]
fn flags_of_kubebuilder_are_accepted() {
    for (theirs, ours) in [
        ("--namespaced=false", "--cluster-scoped"),
        ("--namespaced=true --controller --resource", ""),
        ("--namespaced --controller=true --resource=true", ""),
        ("--controller=false", "--no-controller"),
    ] {
        let trees = [theirs, ours].map(|flags| {
            let place = Place::project();
            let line = format!("create api --kind Cow -q {flags}");
            place.rustop(line.trim()).ok();
            crate::dsl::snapshot(place.dir())
        });
        assert_eq!(trees[0], trees[1], "{theirs}");
    }
    let place = Place::project();
    place
        .rustop("create api --group apps --version v1 --kind Deployment --resource=false --controller=true -q")
        .ok();
    assert!(place.has("src/controllers/apps_deployment.rs"));
    for line in [
        "create api --kind Cow --namespaced=false --image nginx:1.29",
        "create api --kind Cow --namespaced=false --cluster-scoped",
        "create api --kind Cow --controller=false --resource=false",
        "create api --from-crd x.yaml --namespaced=false",
    ] {
        place.rustop(line).says(&["error: "]).fails(2);
    }
    place
        .rustop("create api --kind Cow --help")
        .shows(&["--cluster-scoped"])
        .ok();
}
