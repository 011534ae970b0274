//! Tests of the text form of diagnostics.

use super::*;

fn line(text: &str) -> Arc<SourceLine> {
    Arc::new(SourceLine {
        path: "src/a.rs".into(),
        number: 12,
        text: text.to_owned(),
    })
}

#[test]
fn shows_place_carets_and_help() {
    let diagnostic = Diagnostic::at(&line("// é\tverb=get"), 6..10, "unknown argument `verb`")
        .help("did you mean `verbs`?");
    assert_eq!(
        diagnostic.to_string(),
        "error: unknown argument `verb`
    --> src/a.rs:12:6
    |
 12 | // é verb=get
    |      ^^^^
help: did you mean `verbs`?"
    );
    assert_eq!(
        (diagnostic.line(), diagnostic.column()),
        (Some(12), Some(6))
    );
}

#[test]
fn shows_a_file_without_a_place() {
    let diagnostic = Diagnostic::file(Path::new("src/a.rs"), "is not UTF-8");
    assert_eq!(
        diagnostic.to_string(),
        "error: is not UTF-8\n  --> src/a.rs"
    );
}

#[test]
fn long_lines_are_cut_around_the_span() {
    let text = format!("{}here{}", "x".repeat(1000), "y".repeat(1000));
    let shown = Diagnostic::at(&line(&text), 1000..1004, "m").to_string();
    let lines: Vec<_> = shown.lines().collect();
    assert_eq!(lines[1], "    --> src/a.rs:12:1001");
    assert!(lines[3].len() < 180);
    let under = lines[4].find('^').unwrap();
    assert_eq!(&lines[3][under..under + 4], "here");
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let shown = Diagnostic::at(&line("\u{1b}[31mred\r"), 0..0, "m").to_string();
    assert!(!shown.contains(['\u{1b}', '\r']));
}

#[test]
fn similar_words_are_suggested() {
    let names = ["groups", "resources", "resourceNames", "verbs", "urls"];
    for (word, meant) in [
        ("verb", Some("verbs")),
        ("Verbs", Some("verbs")),
        ("vrebs", Some("verbs")),
        ("group", Some("groups")),
        ("resource", Some("resources")),
        ("resourcenames", Some("resourceNames")),
        ("something", None),
        (&"x".repeat(10_000), None),
        ("", None),
    ] {
        assert_eq!(did_you_mean(word, &names), meant, "{word}");
    }
}

static LINT: Lint = Lint {
    id: "some-rule",
    finds: "something",
    why: "It is bad.",
};

#[test]
fn a_warning_names_its_rule() {
    let diagnostic = Diagnostic::file(Path::new("src/a.rs"), "is odd").warning(&LINT);
    assert_eq!(
        diagnostic.to_string(),
        "warning[some-rule]: is odd\n  --> src/a.rs"
    );
}

#[test]
fn warnings_alone_fail_only_where_they_are_denied() {
    let file = |name: &str| Diagnostic::file(Path::new(name), "is odd");
    let warnings = || vec![file("b").warning(&LINT), file("a").warning(&LINT)];
    let paths = |found: &[Diagnostic]| -> Vec<_> {
        let paths = found.iter().map(|d| d.path.display().to_string());
        paths.collect()
    };
    assert_eq!(
        paths(&sort_and_check(warnings(), false).unwrap()),
        ["a", "b"]
    );
    let denied = sort_and_check(warnings(), true).unwrap_err();
    assert!(denied[0].to_string().starts_with("error[some-rule]: "));
    let mut mixed = warnings();
    mixed.push(file("c"));
    assert_eq!(
        paths(&sort_and_check(mixed, false).unwrap_err()),
        ["a", "b", "c"]
    );
}
