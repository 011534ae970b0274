//! Tests against Go's results: which expressions it accepts, and what they match.

use super::*;

#[test]
fn patterns_are_accepted_and_rejected_like_in_go() {
    let table = include_str!("../testdata/patterns.json");
    let table: Vec<(String, String)> = serde_json::from_str(table).unwrap();
    let mut wrong = Vec::new();
    for (pattern, verdict) in &table {
        let parsed = Pattern::parse(pattern);
        if parsed.is_ok() != (verdict == "takes") {
            wrong.push(format!(
                "Go {verdict} {pattern:?}: {:?}",
                parsed.map(|parsed| parsed.rust)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_text_matches_as_in_go() {
    for (pattern, text, matches) in [
        (r"^\d$", "٣", false),
        (r"^\D$", "٣", true),
        (r"^\w$", "é", false),
        (r"\bé\b", "é", false),
        ("^[[a]]$", "a]", true),
        ("^[a&&b]$", "&", true),
        ("^[+--]$", ",", true),
        (r"^[\w-.]+$", "a-b.c", true),
        ("^[^][ ()]$", "]", false),
        ("a(?i)b", "aB", true),
        ("a(?i)b", "AB", false),
        ("(?i:a)b", "AB", false),
        ("^.$", "\n", false),
        ("(?s)^.$", "\n", true),
        ("^b$", "a\nb", false),
        ("(?m)^b$", "a\nb", true),
        (r"^\Qa.b\E$", "a.b", true),
        (r"^\Qa.b\E$", "axb", false),
        ("^ab{2}$", "abb", true),
        ("^x{,2}$", "x{,2}", true),
        (r"^\x{41}\101$", "AA", true),
        (r"\x{D800}", "a", false),
        (r"^[^\x{D800}]$", "a", true),
        (r"^\p{^Greek}$", "α", false),
        ("", "", true),
    ] {
        let pattern = Pattern::parse(pattern).unwrap();
        assert_eq!(
            pattern.is_match(text),
            Some(matches),
            "{pattern:?} {text:?}"
        );
    }
}

#[test]
fn an_expression_may_be_as_deep_and_as_large_as_in_go() {
    let nested = |depth: usize| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
    assert!(Pattern::parse(&nested(999)).is_ok());
    assert!(Pattern::parse(&nested(1000)).is_err());
    // Non-capturing groups do not add a level.
    let grouped = |depth: usize| format!("{}a{}", "(?:".repeat(depth), ")".repeat(depth));
    assert!(Pattern::parse(&grouped(100_000)).is_ok());
    let large = |size: usize| format!("(?:{}){{1000}}", "[ab]".repeat(size));
    assert!(Pattern::parse(&large(3355)).is_ok());
    assert!(Pattern::parse(&large(3356)).is_err());
}

#[test]
fn errors_name_the_invalid_part_of_a_pattern() {
    for (pattern, why) in [
        ("a{1001}", "`{1001}` exceeds the limit of 1000 repetitions"),
        (
            "((a{100}){100})",
            "`{100}` and its nested repetitions exceed the limit of 1000",
        ),
        ("x*+", "`+` repeats a repetition"),
        ("(*)", "`*` has nothing to repeat"),
        (r"\u{41}", r"unknown escape `\u`"),
        ("[z-a]", "the range `z-a` ends before it begins"),
        ("(a", "a `(` has no `)`"),
        ("[a", "a `[` has no `]`"),
    ] {
        assert_eq!(Pattern::parse(pattern).unwrap_err(), why, "{pattern}");
    }
}
