//! The three-way merge of one file: the text that rustop rendered before (`base`, the merge base),
//! the user's text (`ours`), and the text that rustop renders now (`theirs`).

use std::collections::HashSet;

use diffy::{ConflictStyle, MergeOptions};

use super::merged::Merged;
use super::{cargo_toml, lock, rust};

/// The start of a conflict's first line. A name follows: `ours` here, or a branch after `git
/// merge`.
const CONFLICT: &str = "<<<<<<< ";

/// The number of lines that only the user's text has, above which texts are not compared by line.
/// The time of a comparison is quadratic in that number: 20,000 lines in a cloned repository would
/// take a minute.
const MAX_OWN_LINES: usize = 5_000;

/// The directory with the Rust types of the project's kinds, and with the JSON schemas of imported
/// ones.
const TYPES: &str = "api/src/";

/// The directories with scaffolded examples, which the user is expected to rewrite.
const EXAMPLES: [&str; 5] = [
    TYPES,
    "config/samples/",
    "src/controllers/",
    "src/webhooks/",
    "tests/",
];

/// Reports whether a file is a scaffolded example. If such a file has conflicts, `rustop upgrade`
/// and `rustop edit` keep the user's whole text; the import of a newer CRD changes no file at all
/// (`Extent` in `ops/user_file_merge.rs`). `path` is relative to the project.
pub fn is_example(path: &str) -> bool {
    EXAMPLES.iter().any(|dir| path.starts_with(dir))
}

/// Merges the changes from `base` to `ours` with those from `base` to `theirs`. `base` and
/// `theirs`, which rustop renders, have LF line endings. The result keeps the line endings of
/// `ours`; if these are mixed and the merge changes the text, all become CRLF.
pub fn merge(path: &str, base: &str, ours: &str, theirs: &str) -> Merged {
    let is_crlf = ours.contains("\r\n");
    let lines = ours.replace("\r\n", "\n");
    let mut merged = merge_lines(path, base, &lines, theirs);
    if merged.text == lines {
        // Restore the original in any case: its line endings may be mixed.
        ours.clone_into(&mut merged.text);
    } else if is_crlf {
        merged.text = merged.text.replace('\n', "\r\n");
    }
    merged
}

fn merge_lines(path: &str, base: &str, ours: &str, theirs: &str) -> Merged {
    let clean = |text: String| Merged {
        text,
        ..Merged::default()
    };
    if ours == base {
        return clean(theirs.to_owned());
    }
    if theirs == base || ours == theirs {
        return clean(ours.to_owned());
    }
    if path == "Cargo.lock" {
        return clean(lock::merge(base, ours, theirs));
    }
    // `rust::merge` returns `None` for the JSON schemas in this directory, which are merged by
    // line.
    if path.starts_with(TYPES)
        && let Some(merged) = rust::merge(base, ours, theirs)
    {
        return merged;
    }
    if count_own_lines(base, ours) > MAX_OWN_LINES {
        return whole_conflict(ours, theirs);
    }
    let mut options = MergeOptions::new();
    options.set_conflict_style(ConflictStyle::Merge);
    let by_lines = options.merge(base, ours, theirs);
    // A line merge of a manifest conflicts if both sides have changed adjacent keys, although keys
    // have no order, and it can insert the same table twice. In both cases, merge by key.
    let is_manifest = path == "Cargo.toml" || path.ends_with("/Cargo.toml");
    let by_keys = || cargo_toml::merge(base, ours, theirs);
    if path == "Makefile"
        && by_lines.is_err()
        && let Some(text) = makefile(&options, base, ours, theirs)
    {
        return clean(text);
    }
    match by_lines {
        Ok(text) if !is_manifest || cargo_toml::is_valid(&text) => clean(text),
        // Without a merge by key, keep the invalid merge: one of the texts was not TOML before, or
        // a comment of the user would be lost.
        Ok(invalid) => by_keys().unwrap_or_else(|| clean(invalid)),
        Err(marked) => {
            let by_keys = is_manifest.then(by_keys).flatten();
            by_keys.unwrap_or(Merged {
                text: marked,
                conflicts: true,
                ..Merged::default()
            })
        }
    }
}

/// Returns the number of lines of `ours` that `base` does not have.
fn count_own_lines(base: &str, ours: &str) -> usize {
    let known: HashSet<&str> = base.lines().collect();
    ours.lines().filter(|line| !known.contains(line)).count()
}

/// Returns one conflict of two whole texts.
fn whole_conflict(ours: &str, theirs: &str) -> Merged {
    let [ours, theirs] = [ours, theirs].map(|text| text.strip_suffix('\n').unwrap_or(text));
    Merged {
        text: format!("{CONFLICT}ours\n{ours}\n=======\n{theirs}\n>>>>>>> theirs\n"),
        conflicts: true,
        ..Merged::default()
    }
}

/// Merges a Makefile to whose end the user has appended rules: merges the text before them, and
/// appends them again. The order of rules in a Makefile has no meaning. Returns `None` if there are
/// other conflicts.
fn makefile(options: &MergeOptions, base: &str, ours: &str, theirs: &str) -> Option<String> {
    let last = format!("\n{}\n", base.trim_end().lines().next_back()?);
    let Some(at) = ours.rfind(&last) else {
        // After an earlier merge, the user's text starts with all of rustop's new text.
        return ours.starts_with(theirs).then(|| ours.to_owned());
    };
    let (before, appended) = ours.split_at(at + last.len());
    let merged = options.merge(base, before, theirs).ok()?;
    Some(merged + appended)
}

/// Returns the numbers of the lines, from 1, at which unresolved conflicts start.
pub fn markers(text: &str) -> Vec<usize> {
    let lines = (1..).zip(text.lines());
    let begins = lines.filter(|(_, line)| line.starts_with(CONFLICT));
    begins.map(|(number, _)| number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "a\nb\nc\nd\ne\n";

    fn merged(ours: &str, theirs: &str) -> (String, bool) {
        let Merged {
            text, conflicts, ..
        } = merge("x", BASE, ours, theirs);
        (text, conflicts)
    }

    #[test]
    fn changes_of_one_side_are_taken() {
        let both = merged("a\nB\nc\nd\ne\n", "a\nb\nc\nd\nE\n");
        assert_eq!(both, ("a\nB\nc\nd\nE\n".to_owned(), false));
        assert_eq!(merged(BASE, "new\n"), ("new\n".to_owned(), false));
        assert_eq!(merged("mine\n", BASE), ("mine\n".to_owned(), false));
        assert_eq!(merged("same\n", "same\n"), ("same\n".to_owned(), false));
    }

    #[test]
    fn a_text_of_twenty_thousand_own_lines_is_one_conflict() {
        let lines: Vec<_> = (0..20_000).map(|n| format!("mine {n}")).collect();
        let mine = lines.join("\n") + "\n";
        let theirs = "a\nB\nc\nd\ne\n";
        assert_eq!(
            merged(&mine, theirs),
            (
                format!("<<<<<<< ours\n{mine}=======\n{theirs}>>>>>>> theirs\n"),
                true
            )
        );
        assert_eq!(merged(&mine, BASE), (mine.clone(), false));
    }

    #[test]
    fn a_table_that_both_sides_have_added_comes_once() {
        let table = "# Tests.\n[dev-dependencies]\ntokio = \"1\"\n\n";
        let base = "[dependencies]\nkube = \"5\"\n\n[profile.dev]\ndebug = false\n";
        let theirs = base.replace("[profile", &format!("{table}[profile"));
        let ours = theirs.replace("kube = \"5\"\n", "kube = \"5\"\nmine = \"1\"\n");
        let both = merge("Cargo.toml", base, &ours, &theirs);
        assert_eq!((both.text, both.conflicts), (ours, false));
    }

    #[test]
    fn rules_appended_to_a_makefile_follow_a_changed_end() {
        let base = "a:\n\tb\n\nexport c\n";
        let ours = format!("{base}\nmine:\n\techo\n");
        let theirs = "a:\n\tb\n\nd:\n\te\n";
        let both = merge("Makefile", base, &ours, theirs);
        let expected = format!("{theirs}\nmine:\n\techo\n");
        assert_eq!((both.text, both.conflicts), (expected, false));
        let done = format!("{theirs}\nmine:\n\techo\n");
        let again = merge("Makefile", base, &done, theirs);
        assert_eq!((again.text, again.conflicts), (done, false));
        // The order of lines is significant in other files, and in a rule that both have changed.
        assert!(merge("x", base, &ours, theirs).conflicts);
        let changed = ours.replace("export c", "export d");
        assert!(merge("Makefile", base, &changed, theirs).conflicts);
    }

    #[test]
    fn changes_of_both_sides_get_conflict_markers() {
        let (text, conflicts) = merged("a\nmine\nc\nd\ne\n", "a\ntheirs\nc\nd\ne\n");
        assert!(conflicts);
        let marked = "a\n<<<<<<< ours\nmine\n=======\ntheirs\n>>>>>>> theirs\nc\nd\ne\n";
        assert_eq!(text, marked);
        assert_eq!(markers(&text), [2]);
        assert_eq!(markers("<<<<<<< HEAD\n"), [1]);
        assert!(markers("a <<<<<<< ours\n<<<<<<<<<\n").is_empty());
    }

    #[test]
    fn line_breaks_stay_those_of_the_user() {
        let ours = "a\r\nB\r\nc\r\nd\r\ne\r\n";
        let (text, conflicts) = merged(ours, "a\nb\nc\nd\nE\n");
        assert_eq!(
            (text.as_str(), conflicts),
            ("a\r\nB\r\nc\r\nd\r\nE\r\n", false)
        );
        assert_eq!(merged(ours, BASE).0, ours);
        assert_eq!(merged("a\r\nb\r\nc\r\nd\r\ne\r\n", "new\n").0, "new\r\n");
    }
}
