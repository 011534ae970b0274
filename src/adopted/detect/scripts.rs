//! Command lines in Makefiles, justfiles, scripts, CI workflows and documentation.

use std::path::{Path, PathBuf};

use super::repository::Repository;

/// A line of a script, recipe, CI workflow or document that may be a command.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CommandLine {
    /// The file, relative to the repository.
    pub file: PathBuf,
    /// The line in the file, counted from 1.
    pub number: usize,
    /// The command, without the prefixes of make (`@`, `-`), of prompts (`$`) and of workflows
    /// (`run: `).
    pub text: String,
    /// The command that runs the recipe with this line, such as `make crds`. `None` outside of the
    /// recipes of the Makefile or justfile at the top of the repository.
    pub recipe: Option<String>,
}

/// Returns the files that may have command lines: Makefiles and justfiles, scripts, workflows,
/// TOML, then Markdown. Within each group, those nearest to the root come first.
fn files(repository: &Repository) -> Vec<&Path> {
    let rank = |path: &Path| {
        let name = path.file_name()?.to_string_lossy().to_lowercase();
        let ending = path.extension().map(|it| it.to_string_lossy().into_owned());
        let is_workflow = path.starts_with(".github") || name == ".gitlab-ci.yml";
        Some(match (name.as_str(), ending.as_deref()) {
            ("justfile" | ".justfile" | "makefile" | "gnumakefile", _)
            | (_, Some("just" | "mk")) => 0,
            (_, Some("sh")) => 1,
            (_, Some("yml" | "yaml")) if is_workflow => 2,
            (_, Some("toml")) if name != "cargo.lock" => 3,
            ("changelog.md", _) => return None,
            (_, Some("md")) => 4,
            _ => return None,
        })
    };
    let ranked = repository.files().filter_map(|path| {
        let depth = path.components().count();
        Some((rank(path)?, depth, path))
    });
    let mut ranked: Vec<_> = ranked.collect();
    ranked.sort();
    ranked.into_iter().map(|(_, _, path)| path).collect()
}

/// Returns all lines that contain `needle`, except comments, in the order of [`files`].
pub fn lines_with(repository: &Repository, needle: &str) -> Vec<CommandLine> {
    let mut found = Vec::new();
    for file in files(repository) {
        let Some(text) = repository.text(file) else {
            continue;
        };
        if !text.contains(needle) {
            continue;
        }
        let mut recipe = None;
        for (at, row) in text.lines().enumerate() {
            if let Some(name) = recipe_name(file, row) {
                recipe = Some(name);
            }
            let text = command(row);
            let is_comment = text.starts_with('#') || text.starts_with("//");
            if text.contains(needle) && !is_comment {
                found.push(CommandLine {
                    file: file.to_owned(),
                    number: at + 1,
                    text: text.to_owned(),
                    recipe: recipe.clone().filter(|_| row.starts_with([' ', '\t'])),
                });
            }
        }
    }
    found
}

/// Returns the command that runs the recipe whose head is this row. `None` if the row is not one,
/// or if the file is not the Makefile or justfile at the top of the repository.
fn recipe_name(file: &Path, row: &str) -> Option<String> {
    let name = file.to_string_lossy().to_lowercase();
    let tool = match name.as_str() {
        "makefile" | "gnumakefile" => "make",
        "justfile" | ".justfile" => "just",
        _ => return None,
    };
    let (head, rest) = row.split_once(':')?;
    let word = head.split_whitespace().next()?.trim_start_matches('@');
    let is_name = word
        .chars()
        .all(|c| c.is_alphanumeric() || "-_".contains(c));
    let is_recipe =
        !row.starts_with([' ', '\t', '#', '.', '[']) && is_name && !rest.starts_with('=');
    is_recipe.then(|| format!("{tool} {word}"))
}

/// Returns the command in a row, without the prefixes that [`CommandLine::text`] omits.
fn command(row: &str) -> &str {
    let text = row.trim().trim_start_matches(['@', '-', '$', ' ']);
    text.strip_prefix("run: ").unwrap_or(text).trim()
}

/// Reports whether the head of the recipe that contains `line` runs something itself: other
/// recipes, or a command behind a semicolon.
pub fn has_prerequisites(repository: &Repository, line: &CommandLine) -> bool {
    let text = repository.text(&line.file).unwrap_or_else(|| "".into());
    let rows: Vec<_> = text.lines().take(line.number).collect();
    let head = rows
        .iter()
        .rev()
        .find(|row| recipe_name(&line.file, row).is_some());
    let rest = head.and_then(|head| head.split_once(':'));
    rest.is_some_and(|(_, rest)| {
        let rest = rest.split('#').next().unwrap_or_default();
        !rest.trim().is_empty()
    })
}

/// Returns the commands of the recipe that contains `line`, in the form of [`CommandLine::text`].
pub fn recipe_commands(repository: &Repository, line: &CommandLine) -> Vec<String> {
    let text = repository.text(&line.file).unwrap_or_else(|| "".into());
    let rows: Vec<_> = text.lines().collect();
    let is_inside = |row: &&str| row.starts_with([' ', '\t']) || row.trim().is_empty();
    let (before, after) = rows.split_at(line.number - 1);
    let start = before.iter().rposition(|row| !is_inside(row));
    before[start.map_or(0, |head| head + 1)..]
        .iter()
        .chain(after.iter().take_while(|row| is_inside(row)))
        .map(|row| command(row).to_owned())
        .filter(|command| !command.is_empty() && !command.starts_with('#'))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn commands_of_a_recipe_are_in_their_order() {
        let dir = tempfile::tempdir().unwrap();
        let text = "all:\n\tmake x\n\ncrds: \n\tmkdir -p a\n\tcargo run \\\n\t  crdgen > a/b\n\trm c\nx:\n";
        fs::write(dir.path().join("Makefile"), text).unwrap();
        let repository = Repository::read(dir.path());
        let [line] = &lines_with(&repository, "crdgen")[..] else {
            panic!("one line")
        };
        let commands = ["mkdir -p a", "cargo run \\", "crdgen > a/b", "rm c"];
        assert_eq!(recipe_commands(&repository, line), commands);
    }
}
