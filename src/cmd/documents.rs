//! Tests that each command line in the documentation is one that rustop accepts.

use std::fs;
use std::path::Path;

use clap::Parser as _;
use walkdir::WalkDir;

use super::Cli;

#[test]
fn command_lines_of_the_documentation_parse() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pages = WalkDir::new(root.join("docs"))
        .into_iter()
        .map(|entry| entry.unwrap().into_path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .chain([root.join("README.md"), root.join("CONTRIBUTING.md")]);
    let (mut rejected, mut seen) = (Vec::new(), 0);
    for page in pages {
        for words in command_lines(&fs::read_to_string(&page).unwrap()) {
            seen += 1;
            if let Err(error) = Cli::try_parse_from(&words) {
                rejected.push(format!("{}: {}\n{error}", page.display(), words.join(" ")));
            }
        }
    }
    assert!(seen > 50, "{seen} command lines");
    assert!(rejected.is_empty(), "{}", rejected.join("\n"));
}

#[test]
fn command_lines_are_the_calls_of_rustop_in_shell_blocks() {
    let text = "```sh\nmkdir a && rustop init --owner 'A B' # new\nrustop create api \\\n  --kind A; ls\nIMG=x make\n```\n\
                ```text\nrustop no\n```\n";
    let expected: [&[&str]; 2] = [
        &["rustop", "init", "--owner", "A B"],
        &["rustop", "create", "api", "--kind", "A"],
    ];
    assert_eq!(command_lines(text), expected);
}

/// Returns the words of each call of rustop in the shell blocks of a page.
fn command_lines(page: &str) -> Vec<Vec<String>> {
    let blocks = page.split("```").skip(1).step_by(2);
    let shell = blocks.filter_map(|block| block.strip_prefix("sh\n"));
    shell
        .flat_map(|block| commands(&block.replace("\\\n", " ")))
        .filter(|words| words.first().is_some_and(|word| word == "rustop"))
        .collect()
}

/// Splits a shell script into commands, and these into words. Redirections end a command.
fn commands(script: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut is_comment = false;
    for character in script.chars() {
        if is_comment && character != '\n' {
            continue;
        }
        is_comment = false;
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => is_comment = true,
            (None, ' ' | '\n' | ';' | '&' | '|' | '>') => {
                let command = commands.last_mut().expect("never empty");
                command.extend(word.take());
                if character != ' ' {
                    commands.push(Vec::new());
                }
            }
            _ => word.get_or_insert_default().push(character),
        }
    }
    commands
}
