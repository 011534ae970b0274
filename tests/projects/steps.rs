//! The steps of a page of the book: lines for a shell, and files whose content is a block of code.

use std::fs;
use std::path::Path;

use regex::Regex;

/// A step of a page.
#[derive(Debug)]
pub enum Step {
    /// Lines for a shell, without comments.
    Shell(Vec<String>),
    /// A file and its new content: the block below `` Replace `FILE`: `` or `` Create `FILE`: ``.
    File(String, String),
    /// A file and its next part: the block below `` Append to `FILE`: ``.
    Part(String, String),
    /// A file, a part of it and the new text of that part: the two blocks below `` In `FILE`,
    /// replace: `` and `with:`.
    Change(String, String, String),
    /// A part of what the last line of the shell prints: the block below `<!-- output -->`.
    Output(String),
    /// The text `Stop the operator with Ctrl-C`.
    Interrupt,
}

impl Step {
    /// Writes the file of the step, its part after an empty line, or its change. Does nothing for a
    /// shell.
    ///
    /// # Panics
    /// If the file does not contain the part that changes exactly once.
    pub fn write(&self, project: &Path) {
        match self {
            Self::Shell(_) | Self::Output(_) | Self::Interrupt => {}
            Self::File(path, text) => {
                let path = project.join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            Self::Part(path, text) => {
                let path = project.join(path);
                let before = fs::read_to_string(&path).unwrap();
                fs::write(path, format!("{before}\n{text}")).unwrap();
            }
            Self::Change(path, old, new) => {
                let file = project.join(path);
                let before = fs::read_to_string(&file).unwrap();
                assert_eq!(before.matches(old).count(), 1, "{path}:\n{old}");
                fs::write(file, before.replace(old, new)).unwrap();
            }
        }
    }
}

/// Returns the steps of the page `docs/PAGE`, in order.
///
/// # Panics
/// If a block of Rust or YAML is not a step, because nothing would test it.
pub fn steps(page: &str) -> Vec<Step> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("docs")
        .join(page);
    read(page, &fs::read_to_string(path).unwrap())
}

fn read(page: &str, text: &str) -> Vec<Step> {
    let block = Regex::new(
        r"(?sx)
        In\s+`(?<changed>[^`]+)`,\s+replace:\n\n ```\w+\n (?<old>.*?) ```\n\n with:\n\n ```\w+\n (?<new>.*?) ```
        |
        (?<interrupt>Stop\s+the\s+operator\s+with\s+Ctrl-C)
        |
        (?:(?<verb>Replace|Create|Append\ to)\s+`(?<path>[^`]+)`:\n\n (?:<!--[^\n]*-->\n\n)?)?
        (?<output><!--\ output\ -->\n\n)?
        ```(?<language>\w+)\n (?<text>.*?) ```",
    )
    .unwrap();
    block
        .captures_iter(text)
        .filter_map(|found| {
            let part = |name: &str| found.name(name).map(|part| part.as_str().to_owned());
            if let Some(path) = part("changed") {
                return Some(Step::Change(path, part("old")?, part("new")?));
            }
            if found.name("interrupt").is_some() {
                return Some(Step::Interrupt);
            }
            let text = part("text")?;
            match (part("path"), &found["language"]) {
                (Some(path), _) if &found["verb"] == "Append to" => Some(Step::Part(path, text)),
                (Some(path), _) => Some(Step::File(path, text)),
                (None, _) if found.name("output").is_some() => Some(Step::Output(text)),
                (None, "sh") => Some(Step::Shell(text.lines().map(without_comment).collect())),
                (None, "rust" | "yaml") => panic!("{page}: a block that no test uses:\n{text}"),
                (None, _) => None,
            }
        })
        .collect()
}

fn without_comment(line: &str) -> String {
    line.split("  #").next().unwrap().trim().to_owned()
}

#[test]
fn blocks_of_a_page_become_steps() {
    let page = "Replace `a`:\n\n```rust\none\n```\n\nand append to\n```text\nno\n```\nAppend to\n`a`:\n\n<!-- excerpt: x -->\n\n\
                ```rust\ntwo\n```\n\n```sh\nmake  # all\nls\n```\n";
    let dir = tempfile::tempdir().unwrap();
    let steps = read("page", page);
    for step in &steps {
        step.write(dir.path());
    }
    let written = fs::read_to_string(dir.path().join("a")).unwrap();
    assert_eq!(written, "one\n\ntwo\n");
    assert_eq!(steps.len(), 3, "{steps:?}");
    assert!(
        matches!(&steps[2], Step::Shell(lines) if *lines == ["make", "ls"]),
        "{steps:?}"
    );
}

#[test]
fn a_change_replaces_one_part_of_a_file() {
    let page = "In\n`a`, replace:\n\n```rust\n  one\n```\n\nwith:\n\n```rust\n  two\n```\n\n```sh\nls\n```\n\n<!-- output -->\n\n\
                ```text\na\n```\n\nStop the\noperator with Ctrl-C.\n";
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a");
    fs::write(&file, "zero\n  one\nthree\n").unwrap();
    let steps = read("page", page);
    steps[0].write(dir.path());
    assert_eq!(fs::read_to_string(file).unwrap(), "zero\n  two\nthree\n");
    assert!(
        matches!(&steps[1..], [Step::Shell(_), Step::Output(text), Step::Interrupt] if text == "a\n"),
        "{steps:?}"
    );
}

#[test]
#[should_panic(expected = "left: 0")]
fn a_change_of_a_part_that_the_file_lacks_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a"), "zero\n").unwrap();
    Step::Change("a".to_owned(), "one".to_owned(), "two".to_owned()).write(dir.path());
}

#[test]
#[should_panic(expected = "a block that no test uses")]
fn a_block_that_is_no_step_is_an_error() {
    read("page", "For example:\n\n```rust\nfn main() {}\n```\n");
}
