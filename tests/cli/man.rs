//! `rustop man`.

use crate::dsl::{Place, rustop};

fn man(page: &[&str]) -> String {
    let output = rustop(&std::env::temp_dir())
        .arg("man")
        .args(page)
        .output()
        .unwrap();
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{page:?}"
    );
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_command_has_a_page_with_its_options_and_examples() {
    let pages = man(&[]);
    let pages: Vec<_> = pages.lines().collect();
    let expected: Vec<_> = crate::help::commands(&[])
        .iter()
        .map(|command| [&["rustop".to_owned()], &command[..]].concat().join("-"))
        .collect();
    assert_eq!(pages, expected);
    for page in pages {
        let text = man(&[page]);
        for part in [".TH ", ".SH NAME", ".SH SYNOPSIS", ".SH OPTIONS"] {
            assert!(text.contains(part), "{page}: {part}\n{text}");
        }
        assert!(
            text.contains("Example") || text.contains(".SH SUBCOMMANDS"),
            "{page} has no examples"
        );
        // Of global options, too.
        assert!(text.contains("\\-\\-project"), "{page}\n{text}");
    }
}

#[test]
fn a_page_that_does_not_exist_is_a_wrong_command_line() {
    Place::empty()
        .rustop("man rustop-creat")
        .says(&["there is no page 'rustop-creat'", "`rustop man` lists"])
        .fails(2);
}
