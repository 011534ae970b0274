//! Words that break their rule: exit code 2, a message that says what is wrong, nothing changed.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use crate::dsl::Place;

/// Each word in the place of `{}`, as one argument.
fn refused(place: &Place, arguments: &[&str], words: &[&str], says: &str) {
    for word in words {
        let arguments = arguments
            .iter()
            .map(|argument| argument.replace("{}", word));
        place.run(arguments).says(&["error: ", says]).fails(2);
    }
}

#[test]
fn domains() {
    let (label, name) = ("x".repeat(64), vec!["x".repeat(63); 4].join("."));
    let words = [
        "",
        "My.domain",
        "https://my.domain",
        "my.domain/",
        "a..b",
        ".a",
        "a.",
        "-a.b",
        "a_b.c",
        "a b",
        "ä.b",
        "a:1",
        "..",
        "../x",
        &label,
        &name,
    ];
    refused(
        &Place::empty(),
        &["init", "--domain={}"],
        &words,
        "domain \"",
    );
    let says = "did you mean `my.domain`?";
    Place::empty()
        .run(["init", "--domain", "https://My.Domain/x"])
        .says(&[says])
        .fails(2);
}

#[test]
fn groups_versions_kinds_and_plurals() {
    let place = Place::project();
    let long = "X".repeat(64);
    let api = |flag: &'static str| ["create", "api", "--kind=Cow", flag];
    refused(
        &place,
        &api("--group={}"),
        &[
            "", "A", "a_b", "-a", "a-", "a/b", "../a", "a b", "a..b", "ä",
        ],
        "group \"",
    );
    refused(
        &place,
        &api("--version={}"),
        &[
            "",
            "foo",
            "1",
            "v1.2",
            "v0",
            "v01",
            "V1",
            "v1alpha",
            "v1rc1",
            "v1-alpha1",
            "v 1",
        ],
        "version \"",
    );
    refused(
        &place,
        &api("--plural={}"),
        &[
            "",
            "Cows",
            "1cows",
            "co_ws",
            "cows-",
            "-cows",
            "co ws",
            &long.to_lowercase(),
        ],
        "plural \"",
    );
    let kinds = [
        "", "cow", "Co-w", "Co_w", "Self", "1Cow", "Cöw", "Co w", "Co.w", "../Cow", &long,
    ];
    refused(&place, &["create", "api", "--kind={}"], &kinds, "kind \"");
}

#[test]
fn project_names_and_owners() {
    let long = "x".repeat(45);
    let names = [
        "", "Cow", "1st", "a_b", "a.b", "a-", "a b", "../a", "type", "self", "test", "std", "kube",
        "manager", "api", "crdgen", &long,
    ];
    refused(
        &Place::empty(),
        &["init", "--domain=a.b", "--project-name={}"],
        &names,
        "project name \"",
    );
    let owners = [
        "",
        " ",
        " A",
        "A ",
        "A\nB",
        "A\u{1b}B",
        "A\tB",
        "A\u{7f}",
        "A\u{85}B",
        "A\u{2028}B",
        "A\u{202e}B",
        "A\u{200b}B",
        &"x".repeat(201),
    ];
    refused(
        &Place::empty(),
        &["init", "--domain=a.b", "--owner={}"],
        &owners,
        "owner \"",
    );
    let place = Place::empty();
    place
        .run([
            "init",
            "--domain=a.b",
            &format!("--project-name={}", "x".repeat(44)),
            "-q",
        ])
        .ok();
    place
        .run([
            "init",
            "new",
            "--domain=a.b",
            &format!("--owner={}", "ü".repeat(200)),
            "-q",
        ])
        .ok();
}

#[test]
fn arguments_are_shown_without_characters_that_hide_text() {
    let hidden = ["explain", "x\u{202e}\u{1b}[31m"];
    for arguments in [&hidden[..], &["create", "api", "--kind=x\u{202e}"]] {
        Place::empty()
            .run(arguments.iter().copied())
            .says(&["'x\\u{202e}"])
            .lacks("\u{202e}")
            .fails(2);
    }
}

#[test]
fn groups_that_no_crd_may_have() {
    let place = Place::empty();
    place.rustop("init --domain k8s.io -q").ok();
    place
        .rustop("create api --kind Cow")
        .says(&["error: the API group `k8s.io` is reserved", "--no-resource"])
        .fails(2);
    place
        .rustop("create api --kind Cow --group a")
        .says(&["`a.k8s.io` is reserved"])
        .fails(2);
    let place = Place::empty();
    place.rustop("init --domain io -q").ok();
    place
        .rustop("create api --kind Cow")
        .says(&["contains no dot", "`--group example`"])
        .fails(2);
    place
        .rustop("create api --kind Cow --group example -q")
        .ok();
    let long = vec!["x".repeat(63); 3].join(".");
    for (group, says) in [
        (format!("{long}.{}", "x".repeat(55)), "is too long"),
        (long, "names that are too long"),
    ] {
        place
            .rustop(&format!("create api --kind AbbbbbbbbbbbbB --group {group}"))
            .says(&[says])
            .fails(2);
    }
}

#[test]
fn wrong_command_lines() {
    let place = Place::project();
    for line in [
        "init",
        "create api",
        "init --domain",
        "create api --kind Cow extra",
        "create api --kind A --kind B",
        "nothing",
        "create nothing",
        "-q -v schema",
        "--color red schema",
        "create api --kind -x",
        "create api --kind Cow --group --version",
    ] {
        place.rustop(line).says(&["error: ", "--help"]).fails(2);
    }
    let not_utf8 = OsStr::from_bytes(b"\xff");
    for arguments in [["create".as_ref(), not_utf8], ["schema".as_ref(), not_utf8]] {
        place.run(arguments).says(&["error: ", "--help"]).fails(2);
    }
    place
        .rustop("create")
        .says(&["Usage: rustop create"])
        .fails(2);
    place.run([""; 0]).says(&["Usage: rustop"]).fails(2);
}
