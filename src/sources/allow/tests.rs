//! Tests of the scope of suppressions and of the diagnostics about wrong ones.

use std::path::Path;

use super::*;
use crate::diagnostic::sort_and_check;
use crate::sources::comments::{Scan, scan};

static BOOLS: Lint = Lint {
    id: "unused-allow",
    finds: "stands for any rule that is known",
    why: "The tests need one.",
};

fn scanned(text: &str) -> Scan {
    scan(Path::new("src/a.rs"), text)
}

/// Creates a warning about the line that contains `here`.
fn warning(text: &str) -> Diagnostic {
    let (number, line) = (1..)
        .zip(text.lines())
        .find(|(_, line)| line.contains("here"))
        .unwrap();
    let line = Arc::new(SourceLine {
        path: "src/a.rs".into(),
        number,
        text: line.to_owned(),
    });
    Diagnostic::at(&line, 0..1, "no bools").warning(&BOOLS)
}

#[test]
fn an_allow_holds_for_its_block_and_the_first_line_below() {
    let allow = "// rustop:allow(unused-allow): it is a switch\n";
    for (below, holds) in [
        ("here: bool", true),
        ("// +here", true),
        ("// other words\n// +here", true),
        (
            "/// Documentation.\n#[serde(default)]\n    pub here: bool",
            true,
        ),
        ("#[schemars(\n  length(max = 3),\n)]\nhere: bool", true),
        ("#[serde(rename = \"here\")]\nx: bool", true),
        ("\nhere: bool", false),
        ("x: bool,\nhere: bool", false),
        ("// words\n\n// +here", false),
    ] {
        for indent in ["", "    ", "\t"] {
            let text = format!("{indent}{allow}{below}\n");
            let scan = scanned(&text);
            assert_eq!(scan.diagnostics, [], "{text}");
            let left = apply_suppressions(vec![warning(&text)], &scan.allows, [&BOOLS]);
            let messages: Vec<_> = left.iter().map(|left| left.message.as_str()).collect();
            if holds {
                assert_eq!(messages, [] as [&str; 0], "{text}");
            } else {
                let unused = "nothing here has to be allowed by `unused-allow`";
                assert_eq!(messages, ["no bools", unused], "{text}");
            }
        }
    }
    let above = format!("here: bool\n{allow}");
    let left = apply_suppressions(vec![warning(&above)], &scanned(&above).allows, [&BOOLS]);
    assert_eq!(left.len(), 2, "{left:#?}");
}

#[test]
fn suppressions_match_rule_file_and_severity() {
    let text = "// rustop:allow(unused-allow): why not\nhere\n";
    let allows = scanned(text).allows;
    let mut error = warning(text);
    error.severity = Severity::Error;
    let elsewhere = Diagnostic {
        path: "src/b.rs".into(),
        ..warning(text)
    };
    let other = Diagnostic {
        rule: None,
        ..warning(text)
    };
    for diagnostic in [error, elsewhere, other] {
        let left = apply_suppressions(vec![diagnostic.clone()], &allows, []);
        assert_eq!(left, [diagnostic]);
    }
}

#[test]
fn several_rules_share_a_reason() {
    let scan = scanned("// rustop:allow(unused-allow, unused-allow) : why not\nhere\n");
    assert_eq!(scan.diagnostics, []);
    let [allow] = &scan.allows[..] else {
        panic!("{scan:#?}")
    };
    let words = allow
        .rules
        .iter()
        .map(|rule| &allow.line.text[rule.span.clone()]);
    assert_eq!(words.collect::<Vec<_>>(), ["unused-allow", "unused-allow"]);
}

/// A rule that did not run cannot tell whether a suppression is unused.
#[test]
fn an_allow_of_a_rule_that_did_not_run_is_left_alone() {
    let allows = scanned("// rustop:allow(unused-allow): why not\nf();\n").allows;
    assert_eq!(apply_suppressions(Vec::new(), &allows, []), []);
    assert_eq!(apply_suppressions(Vec::new(), &allows, [&BOOLS]).len(), 1);
}

#[test]
fn an_allow_that_cannot_be_is_an_error() {
    for (text, underlined, message, help) in [
        (
            "// rustop:allow(unused-allow)",
            "rustop:allow(unused-allow)",
            "an allowed warning needs a reason",
            "rustop:allow(some-rule): reason",
        ),
        (
            "// rustop:allow(unused-allow):  ",
            "rustop:allow(unused-allow)",
            "an allowed warning needs a reason",
            "reason",
        ),
        (
            "// rustop:allow unused-allow: why",
            "rustop:allow",
            "this allows nothing",
            "rustop:allow(some-rule): reason",
        ),
        (
            "// rustop: alow(unused-allow): why",
            "rustop: alow",
            "this allows nothing",
            "reason",
        ),
        (
            "// rustop:allow(unused-allow: why",
            "(",
            "this parenthesis is never closed",
            "reason",
        ),
        (
            "// rustop:allow(): why",
            "()",
            "the name of a rule is missing",
            "reason",
        ),
        (
            "f(); // rustop:allow(unused-allow): why",
            "rustop:allow(unused-allow): why",
            "a suppression after code is not read",
            "the line above",
        ),
        (
            "/// rustop:allow(unused-allow): why",
            "rustop:allow(unused-allow): why",
            "a suppression in a doc comment is not read",
            "`//`",
        ),
        (
            "// rustop:allow(unused-alow): why",
            "unused-alow",
            "there is no rule `unused-alow`",
            "did you mean `unused-allow`?",
        ),
        (
            "// rustop:allow(x): why",
            "x",
            "there is no rule `x`",
            "unused-allow",
        ),
    ] {
        let scan = scanned(text);
        let found = apply_suppressions(scan.diagnostics, &scan.allows, []);
        let [problem] = &sort_and_check(found, false).unwrap_err()[..] else {
            panic!("{text}")
        };
        let place = problem.place.as_ref().unwrap();
        assert_eq!(&place.line.text[place.span.clone()], underlined, "{text}");
        assert_eq!(problem.message, message, "{text}");
        let given = problem.help.as_deref().unwrap_or_default();
        assert!(given.contains(help), "{text}: {given}");
    }
}

#[test]
fn words_about_rustop_are_words() {
    for text in [
        "// rustop: this is what it writes",
        "// rustop:",
        "// rustop dev",
    ] {
        let scan = scanned(text);
        assert_eq!((scan.diagnostics, scan.allows), (vec![], vec![]), "{text}");
    }
}
