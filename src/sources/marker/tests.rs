//! Tests of the grammar: valid arguments and every kind of mistake.

use super::*;

const KNOWN: [Argument; 3] = [
    Argument::list("groups"),
    Argument::list("verbs"),
    Argument::one("namespace"),
];

/// Returns the arguments as `name=a|b`. Fails if there are problems.
fn read(text: &str) -> String {
    let (given, problems) = parse(text, &KNOWN);
    assert_eq!(problems, [], "{text}");
    let values = |given: &Given| {
        let values: Vec<_> = given
            .values
            .iter()
            .map(|value| value.text.as_str())
            .collect();
        format!("{}={}", given.name, values.join("|"))
    };
    given.iter().map(values).collect::<Vec<_>>().join(" ")
}

#[test]
fn reads_both_list_forms_and_both_quotings() {
    for (text, expected) in [
        ("", ""),
        ("groups=apps", "groups=apps"),
        ("verbs=get;list,groups=a", "verbs=get|list groups=a"),
        ("groups={a,b,c}", "groups=a|b|c"),
        ("groups={a, \"b\", `c`,}", "groups=a|b|c"),
        ("groups={}", "groups="),
        ("groups=,verbs=get", "groups= verbs=get"),
        ("verbs=get;list;", "verbs=get|list"),
        ("verbs=get;,groups=a", "verbs=get groups=a"),
        ("groups=\"\"", "groups="),
        ("groups=\"a;b,c}\";`d\"\\`", "groups=a;b,c}|d\"\\"),
        (
            r#"groups="\"\\\n\t\x41\u00e9\101\U0001F600""#,
            "groups=\"\\\n\tAéA😀",
        ),
        ("namespace=a", "namespace=a"),
        ("namespace=\"a,b\"", "namespace=a,b"),
        ("groups=system:foo", "groups=system:foo"),
        ("groups=é;日本", "groups=é|日本"),
        ("groups=a=b", "groups=a=b"),
        // controller-gen loses a value that is followed by a space.
        (
            " groups = a ; b , verbs = { get , list } ",
            "groups=a|b verbs=get|list",
        ),
    ] {
        assert_eq!(read(text), expected, "{text}");
    }
}

/// Text, underlined part, message, and a part of the help.
const WRONG: &[(&str, &str, &str, &str)] = &[
    (
        "groups=apps verbs=get",
        " verbs",
        "a comma is missing before `verbs`",
        "`groups=apps,verbs=get`",
    ),
    (
        "groups=apps:verbs=get",
        ":verbs",
        "a comma is missing before `verbs`",
        "`groups=apps,verbs=get`",
    ),
    (
        "groups=\"apps\" verbs=get",
        "verbs",
        "a comma is missing before `verbs`",
        ",verbs=",
    ),
    (
        "groups={a} verbs=get",
        "verbs",
        "a comma is missing before `verbs`",
        ",verbs=",
    ),
    (
        "verbs=get verbs=list",
        " verbs",
        "`verbs` is given twice",
        "`verbs=get;list`",
    ),
    (
        "verbs=get;verbs=list",
        "verbs",
        "`verbs` is given twice",
        "`verbs=list`",
    ),
    (
        "verbs=get,verbs=list",
        "verbs=list",
        "`verbs` is given twice",
        "`verbs=get;list`",
    ),
    (
        "namespace=a,namespace=b",
        "namespace=b",
        "`namespace` is given twice",
        "two markers",
    ),
    (
        "verbs=get,list,watch,groups=a",
        "list",
        "`list` is not an argument",
        "`verbs=get;list;watch`",
    ),
    (
        "verbs=get list",
        " list",
        "a space inside a value",
        "`get;list`",
    ),
    (
        "verbs=get // for the cache",
        " // for the cache",
        "a space inside a value",
        "a line of its own",
    ),
    (
        "groups=''",
        "''",
        "single quotes do not quote: they would be part of the value",
        "`\"\"`",
    ),
    (
        "groups='apps',verbs=get",
        "'apps'",
        "single quotes do not quote: they would be part of the value",
        "`\"apps\"`",
    ),
    (
        "groups=a'b",
        "'",
        "a quote inside a value",
        "quote the whole",
    ),
    (
        "groups=a\"b\"",
        "\"",
        "a quote inside a value",
        "quote the whole",
    ),
    (
        "groups=\"a\"b,verbs=get",
        "b",
        "text behind a closing quote",
        "separate",
    ),
    ("groups=\"a", "\"", "this quote is never closed", "close it"),
    ("groups=`a", "`", "this quote is never closed", "close it"),
    (
        "groups=\"\\q\"",
        "\\q",
        "unknown escape in a string",
        "backticks",
    ),
    (
        "groups=\"\\xff\"",
        "\\x",
        "unknown escape in a string",
        "backticks",
    ),
    ("groups={a;b}", ";", "`;` inside braces", "`{a, b}`"),
    ("groups={a", "{", "this brace is never closed", "`}`"),
    ("groups=a}", "}", "unexpected `}`", "separate"),
    ("groups={a}b", "b", "unexpected `b`", "separate"),
    ("groups=a;;b", ";", "a value is missing here", "one `;`"),
    ("groups={a,,b}", ",", "a value is missing here", "one `,`"),
    (
        "groups=a,",
        ",",
        "a comma with nothing behind it",
        "remove the comma",
    ),
    (
        "groups=a,,verbs=get",
        ",",
        "expected the name of an argument",
        "`groups`",
    ),
    ("=a", "=", "expected the name of an argument", "`groups`"),
    (
        "verb=get",
        "verb",
        "unknown argument `verb`",
        "did you mean `verbs`?",
    ),
    (
        "Groups=a",
        "Groups",
        "unknown argument `Groups`",
        "did you mean `groups`?",
    ),
    (
        "label=a",
        "label",
        "unknown argument `label`",
        "`groups`, `verbs`, `namespace`",
    ),
    ("groups", "groups", "`groups` has no value", "`groups=…`"),
    (
        "namespace=\u{a0},groups=a",
        "=",
        "`namespace` has no value",
        "leave `namespace` out",
    ),
    (
        "namespace=",
        "=",
        "`namespace` has no value",
        "leave `namespace` out",
    ),
    (
        "namespace=a;b",
        ";",
        "`namespace` takes one value",
        "one marker for each",
    ),
    (
        "namespace={a}",
        "{",
        "`namespace` takes one value",
        "backticks",
    ),
];

#[test]
fn problems_have_a_message_and_a_suggestion() {
    for &(text, underlined, message, help) in WRONG {
        let (_, problems) = parse(text, &KNOWN);
        let [problem] = &problems[..] else {
            panic!("{text}: {problems:#?}")
        };
        assert_eq!(problem.message, message, "{text}");
        assert_eq!(&text[problem.span.clone()], underlined, "{text}");
        let given = problem.help.as_deref().unwrap_or_default();
        assert!(given.contains(help), "{text}: {given}");
    }
}

#[test]
fn parsing_continues_after_unknown_arguments() {
    let (given, problems) = parse("group=a,verb={get,list},namespace=x", &KNOWN);
    assert_eq!(problems.len(), 2);
    assert_eq!(given[0].values[0].text, "x");
}

#[test]
fn spans_name_the_bytes() {
    let text = "groups=é , verbs=get;list";
    let (given, _) = parse(text, &KNOWN);
    assert_eq!(&text[given[0].span.clone()], "groups=é");
    assert_eq!(&text[given[1].span.clone()], "verbs=get;list");
    assert_eq!(&text[given[1].values[1].span.clone()], "list");
}
