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
}

impl Step {
    /// Writes the file of the step, or its part after an empty line. Does nothing for lines of a shell.
    pub fn write(&self, project: &Path) {
        match self {
            Self::Shell(_) => {}
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
        (?:(Replace|Create|Append\ to)\s+`([^`]+)`:\n\n (?:<!--[^\n]*-->\n\n)?)?
        ```(\w+)\n (.*?) ```",
    )
    .unwrap();
    block
        .captures_iter(text)
        .filter_map(|found| {
            let text = found[4].to_owned();
            let path = found.get(2).map(|path| path.as_str().to_owned());
            match (path, &found[3]) {
                (Some(path), _) if &found[1] == "Append to" => Some(Step::Part(path, text)),
                (Some(path), _) => Some(Step::File(path, text)),
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
#[should_panic(expected = "a block that no test uses")]
fn a_block_that_is_no_step_is_an_error() {
    read("page", "For example:\n\n```rust\nfn main() {}\n```\n");
}
