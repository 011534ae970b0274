//! Tests of which markers are found and which are rejected, and that no input confuses the scanner.

use super::*;

const MARKER: &str = "+kubebuilder:rbac:groups=apps,resources=deployments,verbs=get";

fn scanned(text: &str) -> Scan {
    scan(Path::new("src/lib.rs"), text)
}

/// Returns the lines with markers. Fails if there are diagnostics.
fn lines(text: &str) -> Vec<usize> {
    let scan = scanned(text);
    assert_eq!(scan.diagnostics, [], "{text}");
    scan.markers
        .iter()
        .map(|marker| marker.line.number)
        .collect()
}

/// Returns the only diagnostic: line, underlined text, message, help.
fn refused(text: &str) -> (usize, String, String, String) {
    let scan = scanned(text);
    assert_eq!(scan.markers, [], "{text}");
    let [diagnostic] = &scan.diagnostics[..] else {
        panic!("{text}: {:#?}", scan.diagnostics)
    };
    let place = diagnostic.place.as_ref().unwrap();
    (
        place.line.number,
        place.line.text[place.span.clone()].to_owned(),
        diagnostic.message.clone(),
        diagnostic.help.clone().unwrap_or_default(),
    )
}

#[test]
fn line_comments_anywhere_are_markers() {
    for before_and_after in [
        ("", ""),
        ("use std::fs;\n", ""),
        ("", "fn reconcile() {}"),
        ("", "use std::fs;"),
        ("", "const NUMBER: u8 = 1;"),
        ("", "static NUMBER: u8 = 1;"),
        ("", "struct S;"),
        ("struct S;\n", ""),
        ("trait T {\n    ", "    fn f();\n}"),
        ("//! The documentation of a module.\n\n", "\nuse std::fs;"),
        ("fn last() {}\n\n", ""),
        ("/// Documentation.\n", "fn reconcile() {}"),
        ("fn f() {\n    ", "    g();\n}"),
        ("struct S {\n    a: u8,\n    ", "}"),
        ("enum E {\n", "A }"),
        ("impl S {\n    ", "    fn f() {}\n}"),
        ("mod m {\n", "}"),
        ("static S: &[u8] = &[\n    1,\n    ", "];"),
        ("#[derive(Debug)]\n", "struct S;"),
        ("// Only words.\n// ", "// More words."),
        ("\u{feff}", "fn f() {}"),
        ("struct S {\n  a: u8, // what it is\n  ", "}"),
        ("/* a block */\n", "/* another */"),
        ("\t", ""),
        ("let s = \"unusual \\\" // text\";\n", ""),
        ("fn f<'a>(x: &'a str) -> char { 'x' }\n", ""),
    ] {
        let (before, after) = before_and_after;
        let before = before.strip_suffix("// ").unwrap_or(before);
        for slashes in ["//", "// ", "//   ", "///", "/// ", "//!", "//! "] {
            let text = format!("{before}{slashes}{MARKER}\n{after}");
            let number = before.matches('\n').count() + 1;
            assert_eq!(lines(&text), [number], "{text}");
            assert_eq!(lines(&text.replace('\n', "\r\n")), [number], "{text}");
        }
        let found = scanned(&format!("{before}// {MARKER}\n{after}"));
        assert_eq!(
            found.markers[0].arguments(),
            "groups=apps,resources=deployments,verbs=get"
        );
    }
    assert_eq!(lines(&format!("//{MARKER}")), [1], "without a line break");
    assert_eq!(
        lines(&format!("//{MARKER}\r")),
        [1],
        "with half a line break"
    );
    assert_eq!(
        scanned("// +kubebuilder:rbac\r\n").markers[0].arguments(),
        ""
    );
    assert_eq!(
        scanned("// +kubebuilder:webhook:path=/x").markers[0].kind,
        MarkerKind::Webhook
    );
}

#[test]
fn other_comments_are_not_markers() {
    for text in [
        "// // +kubebuilder:rbac:groups=commented-out",
        "//// +kubebuilder:rbac:groups=a",
        "//! Markers like `+kubebuilder:rbac:groups=apps` are read.",
        "// - +kubebuilder:rbac:groups=a",
        "// + a list item",
        "// +optional fields",
        "// +default = the usual value",
        "// kubebuilder is a tool",
        "// kubebuilder:rbac markers grant",
        "// +1 for kubebuilder",
        "let url = \"https://example.com/+kubebuilder:rbac:x\";",
        "let s = \"// an ordinary +kubebuilder:rbac:groups=a\";",
        "let s = format!(\"+kubebuilder:rbac:groups={group},verbs={verbs}\");",
        "let s = format!(\"// +kubebuilder:rbac:groups={group},verbs={verbs}\");",
        "let s = \"+kubebuilder\";",
        "/* words about +kubebuilder:rbac:groups=a */",
        "let c = '\"'; let d = \"x\"; // '\"'",
    ] {
        assert_eq!(lines(text), [] as [usize; 0], "{text}");
    }
}

#[test]
fn markers_in_other_places_are_errors() {
    let block = "a marker in a block comment is not read";
    let string = "a marker in a string is not read";
    let code = "a marker after code is not read";
    for (before, after, line, message) in [
        ("/* ", " */", 1, block),
        ("/** ", " */", 1, block),
        ("/*! ", "*/", 1, block),
        ("/*\n * ", "\n */", 2, block),
        ("/* a /* b */\n   ", "\n*/ fn f() {}", 2, block),
        ("/*\n// ", "\n*/", 2, block),
        ("/*\n", "", 2, block),
        ("#[doc = \"", "\"]", 1, string),
        ("let s = \"// ", "\";", 1, string),
        ("let s = \"\n/// ", "\n\";", 2, string),
        ("let s = r#\"\n    // ", "\n\"#;", 2, string),
        ("let s = br##\"\"#\n// ", "\n\"##;", 2, string),
        ("let s = \"a\\\"\n// ", "\n\";", 2, string),
        ("struct S; // ", "", 1, code),
        ("    field: u8, /// ", "\n", 1, code),
        ("/* a */ // ", "", 1, code),
        ("let c = '\"'; // ", "", 1, code),
        ("let c = '\\''; // ", "", 1, code),
        ("let c = b'\\\\'; // ", "", 1, code),
        ("let c = 'é'; // ", "", 1, code),
        ("let c = '\\u{1F600}'; // ", "", 1, code),
        ("fn f<'a, 'b>(x: &'a str) {} // ", "", 1, code),
        ("let r#type = r\"\\\"; // ", "", 1, code),
        ("let s = c\"\\\"\"; // ", "", 1, code),
    ] {
        let text = format!("{before}{MARKER}{after}");
        let (number, underlined, given, _) = refused(&text);
        assert_eq!((number, given.as_str()), (line, message), "{text}");
        assert!(underlined.starts_with(MARKER), "{text}: {underlined}");
    }
}

#[test]
fn multi_line_markers_are_errors() {
    let marker = "// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=";
    for (end, more) in [
        ("get;", "//   list;watch"),
        ("get;\r", "// list;watch\r"),
        ("{get,", "// list,watch}"),
        ("", "/// get"),
    ] {
        let scan = scanned(&format!("fn f() {{\n    {marker}{end}\n    {more}\n}}\n"));
        assert_eq!(scan.markers.len(), 1);
        let [diagnostic] = &scan.diagnostics[..] else {
            panic!("{end}: {:#?}", scan.diagnostics)
        };
        let place = diagnostic.place.as_ref().unwrap();
        let underlined = &place.line.text[place.span.clone()];
        assert_eq!(place.line.number, 3);
        assert_eq!(underlined, more.trim_start_matches(['/', ' ']).trim_end());
        assert!(diagnostic.message.contains("ends with its line"));
    }
    for below in [
        "",
        "//",
        "// What it is for.",
        "code();",
        "// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=list",
    ] {
        let text = format!("{marker}get;\n{below}\n");
        assert_eq!(scanned(&text).diagnostics, [], "{below}");
    }
}

#[test]
fn the_help_repeats_the_complete_marker() {
    for text in [
        "/* +kubebuilder:rbac:groups=*,resources=*,verbs=* */",
        "let a = 1; // +kubebuilder:rbac:groups=*,resources=*,verbs=*",
    ] {
        let (_, underlined, _, help) = refused(text);
        assert_eq!(underlined, "+kubebuilder:rbac:groups=*,resources=*,verbs=*");
        assert!(
            help.contains("`// +kubebuilder:rbac:groups=*,resources=*,verbs=*`"),
            "{help}"
        );
    }
}

#[test]
fn markers_for_types_are_errors() {
    for (marker, underlined, help) in [
        (
            "+kubebuilder:printcolumn:name=A,type=string,JSONPath=.spec.a",
            "printcolumn",
            "`#[kube(printcolumn(",
        ),
        (
            "+kubebuilder:validation:Minimum=1",
            "validation",
            "`#[schemars(length(..), range(..)",
        ),
        ("+kubebuilder:object:root=true", "object", "write nothing"),
        ("+optional", "+optional", "`Option<..>`"),
        ("+listType=map", "+listType", "merge_strategy"),
        ("+default=3", "+default", "`#[serde(default = "),
        ("+k8s:required", "+k8s", "`#[schemars("),
    ] {
        let text = format!("/// {marker}\nfield: u8,\n");
        let (number, given, _, message) = refused(&text);
        assert_eq!((number, given.as_str()), (1, underlined), "{text}");
        assert!(message.contains(help), "{message}");
    }
}

#[test]
fn suggestions_for_misplaced_markers_are_valid() {
    for text in [
        "/* +kubebuilder:rbca:groups=a */\n",
        "/* +kubebuilder:rbac groups=a */\n",
        "fn f() {} // +kubebuilder:rbca:groups=a\n",
        "fn f() {} // +kubebuilder:rbac groups=a\n",
    ] {
        let scan = scan(Path::new("a.rs"), text);
        let help = scan.diagnostics[0].help.as_deref().unwrap();
        let suggested = help.split('`').nth(1).unwrap().trim_start_matches("// ");
        assert!(
            matches!(classify(suggested), CommentKind::Marker(..)),
            "{text}{help}"
        );
    }
}

const UNKNOWN: &str = "unknown marker";
const MISSPELT: &str = "a misspelt marker is not read";
const COLON: &str = "a marker needs a colon before its arguments";

/// A marker, the underlined part of it, the message and the help.
#[rustfmt::skip]
const WRONG: &[(&str, &str, &str, &str)] = &[
    ("+kubebuilder:rbca:groups=a", "rbca", UNKNOWN, "did you mean `+kubebuilder:rbac`?"),
    ("+kubebuilder:RBAC:groups=a", "RBAC", UNKNOWN, "did you mean `+kubebuilder:rbac`?"),
    ("+kubebuilder:webhooks:path=/x", "webhooks", UNKNOWN, "did you mean `+kubebuilder:webhook`?"),
    ("+kubebuilder:", "", UNKNOWN, "the markers are `+kubebuilder:rbac`"),
    ("+kubebuidler:rbac:groups=a", "+kubebuidler", MISSPELT, "`+kubebuilder:rbac:groups=a`"),
    ("+Kubebuilder:rbac:groups=a", "+Kubebuilder", MISSPELT, "`+kubebuilder:rbac:groups=a`"),
    ("+kubebuilder.rbac:groups=a", "+kubebuilder", MISSPELT, "`+kubebuilder:rbac:groups=a`"),
    ("+kubebuilder rbac:groups=a", "+kubebuilder", MISSPELT, "`+kubebuilder:rbac:groups=a`"),
    ("+kubebuilder.rbac.groups=a", "+kubebuilder", MISSPELT, "`+kubebuilder:rbac:groups=a`"),
    ("+kubebulder:rbac groups=a", "+kubebulder", MISSPELT, "`+kubebuilder:rbac:groups=a`"),
    ("+kubebulder:subresource:status", "+kubebulder", MISSPELT, "the Rust types define it; write "),
    ("+ kubebuilder:rbac:groups=a", "+ kubebuilder", MISSPELT, "`+kubebuilder:rbac:groups=a`"),
    ("++kubebuilder:rbac:groups=a", "++kubebuilder", MISSPELT, "`+kubebuilder:rbac:groups=a`"),
    ("+rbac:groups=a", "+rbac:groups", MISSPELT, "`+kubebuilder:rbac:groups=a`"),
    ("kubebuilder:rbac:groups=a", "kubebuilder:rbac:groups=a", "a marker begins with `+`", "`+kubebuilder:rbac:groups=a`"),
    ("+kubebuilder:rbac groups=a", "+kubebuilder:rbac", COLON, "`+kubebuilder:rbac:groups=a`"),
    ("+kubebuilder:rbac=groups=a", "+kubebuilder:rbac", COLON, "`+kubebuilder:rbac:groups=a`"),
];

#[test]
fn a_misspelt_marker_is_an_error() {
    for (marker, underlined, message, help) in WRONG {
        let (number, given_underlined, given, given_help) = refused(&format!("\n  // {marker}\n"));
        assert_eq!(
            (number, given_underlined.as_str()),
            (2, *underlined),
            "{marker}"
        );
        assert!(given.starts_with(message), "{marker}: {given}");
        assert!(given_help.contains(help), "{marker}: {given_help}");
    }
}

#[test]
fn all_markers_are_found_with_their_lines() {
    let text =
        format!("// {MARKER}\n\nlet a = 1; // {MARKER}\n\n/*\n{MARKER}\n*/\n\n// {MARKER}\n");
    let scan = scanned(&text);
    let numbers: Vec<_> = scan
        .markers
        .iter()
        .map(|marker| marker.line.number)
        .collect();
    assert_eq!(numbers, [1, 9]);
    let numbers: Vec<_> = scan
        .diagnostics
        .iter()
        .filter_map(Diagnostic::line)
        .collect();
    assert_eq!(numbers, [3, 6]);
}

#[test]
fn random_texts_do_not_panic() {
    const PIECES: &[&str] = &[
        "//",
        "/*",
        "*/",
        "\"",
        "'",
        "\\",
        "r#\"",
        "\"#",
        "#",
        "r",
        "b",
        "c",
        "\n",
        "\r\n",
        " ",
        "é",
        "日",
        "😀",
        "\u{feff}",
        "\u{a0}",
        "+kubebuilder:",
        "rbac",
        "webhook",
        ":",
        "groups=",
        "verbs",
        "=",
        ",",
        ";",
        "{",
        "}",
        "`",
        "get",
        "core",
        "namespace=",
        "/",
        "!",
        "*",
        "+",
        "\0",
        "\u{7f}",
        "'a",
        "x",
    ];
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    for round in 0..20_000 {
        let mut text = String::new();
        for _ in 0..round % 40 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            text.push_str(PIECES[usize::try_from(state >> 33).unwrap() % PIECES.len()]);
        }
        for text in [text.clone(), format!("// +kubebuilder:rbac:{text}")] {
            let scan = scanned(&text);
            let (_, wrong) =
                crate::rbac::rule::grants(&scan.markers, crate::rbac::rule::Scope::Cluster);
            for diagnostic in scan.diagnostics.into_iter().chain(wrong) {
                let place = diagnostic.place.as_ref().unwrap();
                assert!(
                    place.line.text.get(place.span.clone()).is_some(),
                    "{text:?}: {diagnostic:?}"
                );
                assert!(!diagnostic.to_string().is_empty());
            }
        }
    }
}
