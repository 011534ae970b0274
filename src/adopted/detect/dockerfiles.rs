//! The programs that images and workloads start.

use std::path::Path;
use std::rc::Rc;

use super::repository::Repository;

/// Programs that start the one which their arguments name.
const STARTERS: [&str; 8] = [
    "bash",
    "catatonit",
    "dumb-init",
    "env",
    "exec",
    "sh",
    "tini",
    "tini-static",
];

/// Returns the program in the words of a command line, without its directory. It may be behind
/// others that start it. `None` if the words name no other program.
pub fn program<'a>(words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let names = words.into_iter().map(base);
    let mut names = names.filter(|name| !name.is_empty());
    names.find(|name| !name.starts_with('-') && !STARTERS.contains(name))
}

fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns the programs that the stages of a Dockerfile start, each with its line, counted from 1:
/// the last `ENTRYPOINT` of a stage or, if it names none, its last `CMD`. If the stage copies the
/// program under another name, returns the name before the copy, which is that of the build.
pub fn started(dockerfile: &str) -> Vec<(usize, String)> {
    let rows: Vec<_> = dockerfile.lines().map(str::trim).enumerate().collect();
    let is_stage = |(_, row): &(usize, &str)| row.starts_with("FROM ");
    let stages = rows.split(is_stage);
    stages.filter_map(started_by_stage).collect()
}

fn started_by_stage(rows: &[(usize, &str)]) -> Option<(usize, String)> {
    let started = ["ENTRYPOINT ", "CMD "].into_iter().find_map(|keyword| {
        let mut commands = rows.iter().rev();
        let (at, command) =
            commands.find_map(|(at, row)| Some((at, row.strip_prefix(keyword)?)))?;
        Some((at + 1, program(words(command))?))
    });
    let (line, name) = started?;
    let copied = rows.iter().find_map(|(_, row)| {
        let words = words(row.strip_prefix("COPY ")?);
        let paths: Vec<_> = words.filter(|word| !word.starts_with("--")).collect();
        match paths[..] {
            [from, to] if base(to) == name => Some(base(from)),
            _ => None,
        }
    });
    let name = copied.filter(|name| !name.is_empty()).unwrap_or(name);
    Some((line, name.to_owned()))
}

/// Returns the words of an instruction in its shell form or as a JSON array.
fn words(command: &str) -> impl Iterator<Item = &str> {
    let words = command.split(|c: char| c.is_whitespace() || "[],\"'".contains(c));
    words.filter(|word| !word.is_empty())
}

/// Returns the Dockerfiles with their texts.
pub fn dockerfiles(repository: &Repository) -> Vec<(&Path, Rc<str>)> {
    let is_dockerfile = |path: &&Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        ["Dockerfile", "Containerfile"]
            .iter()
            .any(|kind| name.contains(kind))
    };
    let files = repository.files().filter(is_dockerfile);
    files
        .filter_map(|path| Some((path, repository.text(path)?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_entry_point_of_each_stage_names_its_program() {
        for (text, expected) in [
            (
                "CMD [\"/x\"]\nENTRYPOINT [\"/usr/bin/tea\", \"run\"]\n",
                &[(2, "tea")][..],
            ),
            ("ENTRYPOINT /a\nENTRYPOINT ./tea --run\n", &[(2, "tea")]),
            ("FROM x\nCMD tea\n", &[(2, "tea")]),
            (
                "FROM x AS a\nCMD [ \"/tea\" ]\nFROM x\nCOPY . .\nFROM x\nCMD milk",
                &[(2, "tea"), (6, "milk")],
            ),
            ("FROM x\n", &[]),
            (
                "ENTRYPOINT [\"/sbin/tini\", \"--\"]\nCMD [\"/tea\"]",
                &[(2, "tea")],
            ),
            ("CMD sh -c \"exec /bin/tea --run\"", &[(1, "tea")]),
            (
                "COPY --from=b /target/release/tea /usr/bin/operator\nENTRYPOINT [\"operator\"]",
                &[(2, "tea")],
            ),
            ("COPY tea /app/\nENTRYPOINT [\"/app/tea\"]", &[(2, "tea")]),
        ] {
            let expected: Vec<_> = expected
                .iter()
                .map(|(line, name)| (*line, (*name).to_owned()))
                .collect();
            assert_eq!(started(text), expected, "{text}");
        }
    }
}
