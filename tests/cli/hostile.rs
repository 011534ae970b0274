//! Text that means something to YAML, TOML, Make, a shell, Rust or the template engine, in every
//! argument that takes text: it is refused, or it arrives as text.

use std::process::Command;

use crate::dsl::Place;

const HOSTILE: &[&str] = &[
    "\"",
    "'",
    "`",
    "\\",
    "\\\"",
    "{{ x }}",
    "{% raw %}",
    "{# x #}",
    "$(touch x)",
    "${HOME}",
    "$$",
    "#",
    "# x",
    "a: b",
    "- a",
    "---",
    "&a",
    "*a",
    "!x",
    "|",
    ">",
    "%",
    "@",
    "[x]",
    "{x}",
    "a, b",
    "'''",
    "\"\"\"",
    "*/",
    "// x",
    "\\u0000",
    "\u{202e}x",
    "\u{feff}x",
    "ü",
    "🐄",
    "null",
    "~",
    "no",
    "1",
    "1e3",
    "0x1",
    "-x",
    "--",
    "--help",
    "=",
    "<a@b.c>",
    "a\u{301}",
];

/// Every YAML and TOML file parses, every Rust file is as rustfmt has it.
pub fn check_formats(place: &Place) {
    let files = place.files();
    let with = |ending: &'static str| files.iter().filter(move |path| path.ends_with(ending));
    for path in with(".toml") {
        place
            .read(path)
            .parse::<toml::Table>()
            .unwrap_or_else(|error| panic!("{path}: {error}"));
    }
    for path in with(".yaml").chain(with(".yml")) {
        let documents = serde_yaml::from_multiple::<serde_json::Value>(&place.read(path));
        documents.unwrap_or_else(|error| panic!("{path}: {error}"));
    }
    let mut rustfmt = Command::new("rustfmt");
    rustfmt.args(["--edition", "2024", "--check", "-l"]);
    rustfmt.args(with(".rs").map(|path| place.path(path)));
    let output = rustfmt.output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
}

#[test]
fn an_owner_arrives_as_text() {
    for owner in HOSTILE {
        let place = Place::empty();
        let argument = format!("--owner={owner}");
        let init = place.run(["init", "--domain=a.b", "--license=mit", &argument, "-q"]);
        // A reader of LICENSE would see another text than there is.
        if owner.contains(['\u{202e}', '\u{feff}']) {
            init.says(&["visible characters"]).fails(2);
            continue;
        }
        init.ok();
        let cargo: toml::Table = place.read("Cargo.toml").parse().unwrap();
        let author = &cargo["workspace"]["package"]["authors"][0];
        assert_eq!(author.as_str(), Some(*owner));
        assert!(place.read("LICENSE").contains(owner), "{owner}");
        // Written, and read again by another and by rustop itself.
        let project: serde_json::Value = serde_yaml::from_str(&place.read("PROJECT")).unwrap();
        assert_eq!(project["owner"], *owner);
        place.rustop("create api --kind Cow -q").ok();
    }
}

#[test]
fn no_other_argument_takes_it() {
    let (new, place) = (Place::empty(), Place::project());
    let names = ["null", "no", "1", "1e3", "0x1"]; // words that a name may well be
    for text in HOSTILE.iter().filter(|text| !names.contains(text)) {
        let flag = |flag: &str| format!("{flag}={text}");
        new.run(["init", &flag("--domain")])
            .says(&["error: "])
            .fails(2);
        new.run(["init", "--domain=a.b", &flag("--project-name")])
            .says(&["error: "])
            .fails(2);
        for name in ["--group", "--version", "--plural"] {
            place
                .run(["create", "api", "--kind=Cow", &flag(name)])
                .says(&["error: "])
                .fails(2);
        }
        place
            .run(["create", "api", &flag("--kind")])
            .says(&["error: "])
            .fails(2);
    }
}

#[test]
fn words_of_yaml_are_names() {
    let place = Place::empty();
    place
        .rustop("init --domain 1.5 --project-name null -q")
        .ok();
    for line in [
        "--kind No --group no --plural no",
        "--kind Y --group 1e3 --plural y",
        "--kind Null --group 0x1 --plural null",
    ] {
        place.rustop(&format!("create api {line} -q")).ok();
    }
    check_formats(&place);
    let project: serde_json::Value = serde_yaml::from_str(&place.read("PROJECT")).unwrap();
    assert_eq!(
        (&project["domain"], &project["projectName"]),
        (&"1.5".into(), &"null".into())
    );
    for (n, group) in ["no", "1e3", "0x1"].iter().enumerate() {
        assert_eq!(project["resources"][n]["group"], *group);
    }
}

#[test]
fn a_directory_may_be_called_anything() {
    for name in HOSTILE
        .iter()
        .filter(|name| !name.contains("*/") && !name.contains("//") && !name.starts_with('-'))
    {
        let place = Place::empty();
        place
            .run(["init", name, "--domain=a.b", "--project-name=p", "-q"])
            .ok();
        assert!(
            place
                .read(&format!("{name}/Cargo.toml"))
                .contains("name = \"p\"\n")
        );
        place
            .run(["-C", name, "create", "api", "--kind=Cow", "-q"])
            .ok();
    }
}
