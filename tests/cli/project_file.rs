//! Invalid `PROJECT` files: each command ends with exit code 1 and changes nothing.

use crate::dsl::Place;

const HEAD: &str = "cliVersion: \"0.3.0\"\ndomain: my.domain\nlayout: [rustop.dev/v1]\nprojectName: p\nversion: \"3\"\n";

fn refused(contents: impl AsRef<[u8]>, says: &[&str]) {
    let place = Place::empty();
    place.write("PROJECT", contents);
    for line in ["create api --kind New", "create api --kind New --dry-run"] {
        place.rustop(line).says(says).fails(1);
    }
}

#[test]
fn text_that_is_not_a_project_file() {
    for (text, says) in [
        ("", "`version`"),
        ("---\n", "`PROJECT"),
        ("text", "`PROJECT:1` is invalid: "),
        (
            "- a\n",
            "`PROJECT:1` is invalid: a mapping (`key: value`) is needed here\n",
        ),
        ("{", "`PROJECT:1`"),
        ("domain: \"", "`PROJECT:1` is invalid: "),
        ("\t", "`PROJECT`"),
        ("a: &a [*a]", "`PROJECT:1`"),
        ("{\"a\": 1}", "`version`"),
        (
            "version: \"3\"\nversion: \"3\"\n",
            "`PROJECT:2` is invalid: duplicate mapping key `version` is not allowed here\n",
        ),
    ] {
        refused(text, &[says, "help: see `git diff PROJECT`"]);
    }
    refused(
        b"domain: \xff\xfe\n",
        &[
            "error: cannot read `PROJECT`",
            "UTF-8",
            "help: save the file as UTF-8",
        ],
    );
    let levels = ('b'..='i').zip('a'..).map(|(name, below)| {
        let many = vec![format!("*{below}"); 9].join(", ");
        format!("{name}: &{name} [{many}]\n")
    });
    let bomb = format!("a: &a [moo]\n{}", levels.collect::<String>());
    refused(
        bomb,
        &["with its aliases expanded, the text is too large to read"],
    );
    refused("x: \0", &["`PROJECT:1`"]);
}

#[test]
fn an_unfinished_merge_is_reported_as_one() {
    let sides = "<<<<<<< HEAD\n- {kind: A}\n=======\n- {kind: B}\n>>>>>>> branch\n";
    refused(
        format!("{HEAD}resources:\n{sides}"),
        &[
            "error: `PROJECT:7` contains an unresolved merge conflict: keep the kinds of both sides in one list \
             `resources`, and remove the lines `<<<<<<<`, `=======` and `>>>>>>>`\n",
        ],
    );
}

#[test]
fn files_of_others_and_of_newer_tools() {
    let stamp = |layout: &str, version: &str| {
        HEAD.replace("rustop.dev/v1", layout)
            .replace("\"3\"", version)
    };
    refused(
        stamp("rustop.dev/v2", "\"3\"") + "novelty: 1\n",
        &["was written by a newer rustop (version 3, layout rustop.dev/v2): update rustop"],
    );
    refused(
        stamp("rustop.dev/v1", "\"4\""),
        &["newer rustop (version 4, "],
    );
    refused(
        stamp("go.kubebuilder.io/v4", "\"3\"") + "repo: x\n",
        &["has the layout go.kubebuilder.io/v4, not rustop.dev/v1: another tool wrote it"],
    );
}

#[test]
fn invalid_fields() {
    refused(format!("{HEAD}colour: red\n"), &["`PROJECT:6`", "colour"]);
    refused(
        format!("{HEAD}resources:\n- {{kind: A, plural: as, version: v1, colour: 1}}\n"),
        &["colour"],
    );
    refused(HEAD.replace("projectName: p\n", ""), &["projectName"]);
    refused(
        HEAD.replace("my.domain", "My Domain"),
        &["domain \"My Domain\" must be"],
    );
    refused(HEAD.replace(": p", ": \"p\\nx\""), &["project name"]);
    refused(format!("{HEAD}kubernetesVersion: \"1.99\"\n"), &["1.99"]);
    refused(format!("{HEAD}license: gpl\n"), &["gpl"]);
    refused(format!("{HEAD}owner: \"a\\nb\"\n"), &["owner"]);
    refused(
        format!("{HEAD}namespaced: maybe\n"),
        &["`PROJECT:6` is invalid: `true` or `false` is needed here\n"],
    );
    refused(
        format!("{HEAD}resources: Cow\n"),
        &["`PROJECT:6` is invalid: a list is needed here\n"],
    );
    for (field, wrong) in [
        ("group", "../../etc"),
        ("group", "/etc"),
        ("group", "a/b"),
        ("group", ".."),
        ("version", "../v1"),
        ("kind", "../Cow"),
        ("kind", "Self"),
        ("plural", "a/b"),
        ("domain", ".."),
    ] {
        let fields = [
            ("domain", "my.domain"),
            ("kind", "Cow"),
            ("plural", "cows"),
            ("version", "v1"),
        ];
        let mut all: std::collections::BTreeMap<_, _> = fields.into();
        all.insert(field, wrong);
        refused(
            format!("{HEAD}resources:\n- {all:?}\n"),
            &[&format!("{field} \\\"{wrong}").replace('\\', "")],
        );
    }
}

#[test]
fn invalid_linter_settings() {
    for (lint, says) in [
        (
            "disable: [no-fase]",
            "`PROJECT` has an invalid `lint`: unknown rule `no-fase`; did you mean `no-phase`?",
        ),
        ("enable: [x]", "unknown rule `x`; run `rustop lint --list`"),
        (
            "forbiddenNames: [{ pattern: '(a', instead: b }]",
            "`(a` is not a valid regular expression: error: unclosed group",
        ),
        ("forbiddenNames: [{ pattern: a }]", "`instead`"),
    ] {
        refused(format!("{HEAD}lint: {{ {lint} }}\n"), &[says]);
    }
}

/// The approval of the group is an attribute of the type, which `manifests` checks.
#[test]
fn an_existing_kind_in_a_group_of_kubernetes() {
    let place = Place::empty();
    let cow = "domain: x.k8s.io, kind: Cow, plural: cows, api: {crdVersion: v1}";
    let resources = format!("resources:\n- {{{cow}, version: v1}}\n");
    place.write("PROJECT", format!("{HEAD}{resources}"));
    let run = place.rustop("create api --kind New -q");
    run.says(&["rustop overwrites the generated file `PROJECT`"])
        .ok();
}

#[test]
fn kinds_that_contradict_themselves_or_each_other() {
    let cow = "domain: my.domain, kind: Cow, plural: cows, version: v1";
    let api = "api: {crdVersion: v1, namespaced: true}";
    let cases = [
        (
            format!("- {{{cow}, {api}}}\n- {{{cow}, {api}}}"),
            "my.domain/v1 Cow is listed twice",
        ),
        (
            format!("- {{{cow}}}"),
            "needs `api`, since it is not a `core` kind",
        ),
        (
            format!("- {{{}, {api}}}", cow.replace("Cow", "cow")),
            "its kind must be PascalCase",
        ),
        (
            format!("- {{{}, {api}}}", cow.replace("v1", "gold")),
            "its version read like `v1`",
        ),
        (
            format!("- {{{cow}, core: true}}"),
            "is `core`, but Kubernetes has no such kind",
        ),
        (
            format!("- {{{cow}, {api}, core: true}}"),
            "is `core`, so it cannot have an `api`",
        ),
        (
            "- {core: true, external: true, group: core, kind: Pod, plural: pods, version: v1}"
                .into(),
            "both `core` and `external`",
        ),
        (
            "- {core: true, group: core, kind: Pod, plural: pod, version: v1}".into(),
            "its plural in Kubernetes differs",
        ),
        (
            format!("- {{{cow}, api: {{crdVersion: v2}}}}"),
            "`crdVersion` other than v1",
        ),
        (
            format!(
                "- {{{cow}, {api}}}\n- {{{}, {api}}}",
                cow.replace("v1", "v2").replace("cows", "kine")
            ),
            "has the plural `cows`",
        ),
        (
            format!(
                "- {{{cow}, {api}}}\n- {{{}, api: {{crdVersion: v1}}}}",
                cow.replace("v1", "v2")
            ),
            "and is namespaced; all versions must agree",
        ),
        (
            format!(
                "- {{{cow}, {api}, controller: true}}\n- {{{}, {api}, controller: true}}",
                cow.replace("v1", "v2")
            ),
            "controller in two versions",
        ),
        (
            format!(
                "- {{{cow}, {api}}}\n- {{{}, {api}, external: true}}",
                cow.replace("v1", "v2")
            ),
            "a different owner",
        ),
        (
            format!(
                "- {{{cow}, {api}}}\n- {{{}, {api}}}",
                cow.replace("Cow", "Bull")
            ),
            "both have the CRD `cows.my.domain`",
        ),
        (
            format!(
                "- {{{}, {api}}}",
                cow.replace("domain: my.domain", "group: farm")
            ),
            "`farm` contains no dot",
        ),
    ];
    for (resources, says) in cases {
        refused(format!("{HEAD}resources:\n{resources}\n"), &[says]);
    }
    let pasture = "- {domain: my.domain, kind: P, plural: ps, version: v1, controller: true, api: {crdVersion: v1}}";
    refused(
        format!("{HEAD}namespaced: true\nresources:\n{pasture}\n"),
        &["my.domain/v1 P is cluster-scoped"],
    );
}

#[test]
fn a_project_path_that_is_not_a_file() {
    let place = Place::empty();
    place.write("PROJECT/x", "");
    place
        .rustop("create api --kind New")
        .says(&["error: cannot read `PROJECT`", "directory"])
        .fails(1);
    place
        .rustop("init --domain a.b")
        .says(&["already contains a project"])
        .fails(1);
    let place = Place::project();
    std::fs::rename(place.path("PROJECT"), place.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink("elsewhere", place.path("PROJECT")).unwrap();
    place
        .rustop("create api --kind New")
        .says(&[
            "error: cannot write `./PROJECT`: `./PROJECT` is a symbolic link",
            "`rm ./PROJECT && cp -r ./elsewhere ./PROJECT`",
        ])
        .fails(1);
    place.remove("elsewhere");
    place
        .rustop("create api --kind New")
        .says(&["error: cannot read `PROJECT`"])
        .fails(1);
    place
        .rustop("init --domain a.b")
        .says(&["already contains a project"])
        .fails(1);
}

/// PROJECT is read in any formatting and order. rustop rewrites the file, and warns that the
/// comments are removed.
#[test]
fn a_file_written_by_hand_is_read_and_its_form_is_reported() {
    let place = Place::project();
    place.write(
        "PROJECT",
        "version: '3'\ncliVersion: '0.3.0'\nprojectName: lolcow-operator\nlayout: rustop.dev/v1\n"
            .replace(": rustop.dev/v1", ": [ rustop.dev/v1 ]")
            + "domain: my.domain # ours\n",
    );
    place
        .rustop("create api --kind Cow")
        .says(&[
            "warning: rustop overwrites the generated file `PROJECT`",
            "-domain: my.domain # ours\n",
        ])
        .ok();
    place.rustop("create api --kind Bull -q").ok();
}
