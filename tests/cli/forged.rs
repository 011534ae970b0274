//! Names that contain line feeds, in each place that someone else can write: none of them begins a
//! line of stderr, where it would look like a message of rustop, and no indented line, where it
//! would look like a cause.

use std::process::Stdio;

use crate::dsl::{Place, rustop, toolchain};

/// A name, and its form in a quoted scalar of YAML, JSON or Go.
const NAME: &str = "x\nhelp: forged\n  caused by: forged";
const QUOTED: &str = "\"x\\nhelp: forged\\n  caused by: forged\"";
/// [`NAME`] as rustop shows it.
const SHOWN: &str = "x\\nhelp: forged\\n  caused by: forged";

const CRD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: cows.b.org}
spec:
  group: b.org
  scope: Namespaced
  names: {kind: Cow, plural: cows}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}
";
const GO: &str = "\
domain: my.domain
layout:
- go.kubebuilder.io/v4
projectName: barn
repo: example.org/barn
version: \"3\"
";
const MARKER: &str =
    "// +kubebuilder:rbac:groups=\"apps\",resources=\"deployments\",verbs=\"get\"\n";
const ADOPTED: &str = "\
layout: [rustop.dev/adopted-v1]
projectName: barn
crds:
  command: cat in.yaml
  files:
  - crds.yaml
lint: {disable: [no-phase]}
";

/// A run that must fail or warn, in a project of its own.
struct Case {
    file: &'static str,
    text: String,
    /// The part of the text that is replaced by the name.
    part: String,
    arguments: Vec<&'static str>,
}

/// Parts that no message repeats: they are imported or ignored.
const UNSHOWN: [(&str, &str); 6] = [
    ("crd.yaml", "size"),
    ("crd.yaml", "integer"),
    ("crd.yaml", "keyword"),
    ("../go/PROJECT", "go.kubebuilder.io/v4"),
    ("../go/PROJECT", "example.org/barn"),
    ("../go/PROJECT", "layout"),
];

/// One case for each part of a text: the part is replaced by the name in quotes.
fn replaced(
    file: &'static str,
    text: &str,
    parts: &[&str],
    arguments: &[&'static str],
) -> Vec<Case> {
    let case = |part: &&str| {
        assert!(text.contains(part), "{file} has no {part}");
        Case {
            file,
            text: text.replacen(part, QUOTED, 1),
            part: (*part).to_owned(),
            arguments: arguments.to_vec(),
        }
    };
    parts.iter().map(case).collect()
}

fn cases() -> Vec<Case> {
    let paths: [&[&str]; 9] = [
        &["-C", NAME, "create", "api", "--kind=Cow"],
        &["create", "api", "--from-crd", NAME],
        &[
            "create",
            "api",
            "--from-crd",
            "https://x\nhelp: forged\n  caused by: forged",
        ],
        &["create", "api", "--kind", NAME],
        &["import", NAME, "new"],
        &["adopt", NAME],
        &["show", NAME],
        &["manifests", "--against", NAME],
        &[
            "manifests",
            "--against=x\nhelp: forged\n  caused by: forged",
        ],
    ];
    let paths = paths.into_iter().map(|arguments| Case {
        file: "README.md",
        text: String::new(),
        part: String::new(),
        arguments: arguments.to_vec(),
    });
    let project = Place::project().read("PROJECT");
    let values = [
        "my.domain",
        "lolcow-operator",
        "rustop.dev/v1",
        "\"3\"",
        "domain",
    ];
    let marker = ["\"apps\"", "\"deployments\"", "\"get\"", "verbs"];
    let adopted = [
        "rustop.dev/adopted-v1",
        "cat in.yaml",
        "crds.yaml",
        "command",
        "no-phase",
    ];
    let go = [
        "my.domain",
        "go.kubebuilder.io/v4",
        "barn",
        "example.org/barn",
        "layout",
    ];
    let mut cases: Vec<_> = paths.chain(in_crds()).collect();
    cases.extend(replaced(
        "PROJECT",
        &project,
        &values,
        &["create", "api", "--kind=Cow"],
    ));
    cases.extend(replaced("src/rules.rs", MARKER, &marker, &["manifests"]));
    cases.extend(replaced(
        "../go/PROJECT",
        GO,
        &go,
        &["import", "../go", "../new"],
    ));
    cases.extend(replaced(
        "../adopted/rustop.yaml",
        ADOPTED,
        &adopted,
        &["-C", "../adopted", "manifests"],
    ));
    cases
}

/// Returns a CRD with a forged name in each place of one, for `create api`.
fn in_crds() -> Vec<Case> {
    let from_crd = ["create", "api", "--from-crd", "crd.yaml"];
    let crd = [
        "cows.b.org",
        "b.org\n",
        "Cow",
        "cows}",
        "Namespaced",
        "v1\n ",
        "size",
        "integer",
    ];
    let crd = crd
        .iter()
        .map(|part| {
            let kept = part.trim_start_matches(|c: char| c.is_alphanumeric() || c == '.');
            let at = CRD.rfind(part).unwrap();
            let end = at + part.len() - kept.len();
            (
                &CRD[at..end],
                format!("{}{QUOTED}{}", &CRD[..at], &CRD[end..]),
            )
        })
        .map(|(part, text)| Case {
            file: "crd.yaml",
            text,
            part: part.to_owned(),
            arguments: from_crd.to_vec(),
        });
    let keyword = Case {
        file: "crd.yaml",
        text: CRD.replace("integer", &format!("integer, {QUOTED}: 1")),
        part: "keyword".to_owned(),
        arguments: from_crd.to_vec(),
    };
    crd.chain([keyword]).collect()
}

fn is_forged(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("help: forged") || line.starts_with("caused by: forged")
}

#[test]
fn no_name_begins_a_line_of_stderr() {
    let mut wrong = Vec::new();
    for case in cases() {
        let place = Place::project();
        place.write(case.file, &case.text);
        place.write("../adopted/in.yaml", CRD);
        place.write("../go/config/crd/bases/cows.yaml", CRD);
        let output = rustop(place.dir())
            .args(&case.arguments)
            .envs(toolchain())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        let what = format!(
            "{:?} with {}\n{}\n{stderr}",
            case.arguments, case.file, case.text
        );
        assert!(!stderr.lines().any(is_forged), "{what}");
        assert!(output.status.code() != Some(101), "{what}");
        let is_unshown = UNSHOWN.contains(&(case.file, case.part.as_str()));
        if stderr.contains("forged") == is_unshown {
            wrong.push(what);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n---\n"));
}

#[test]
fn no_file_name_begins_a_line_of_stderr() {
    let place = Place::project();
    place.write(
        &format!("src/{NAME}.rs"),
        "// +kubebuilder:rbac:nothing=1\n",
    );
    place
        .rustop("manifests")
        .says(&[&format!("src/{SHOWN}.rs:1:")])
        .fails(1);
}
