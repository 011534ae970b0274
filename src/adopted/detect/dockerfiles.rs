//! Dockerfiles, which tell the program of an image.

use std::path::Path;
use std::rc::Rc;

use super::repository::Repository;

/// Returns the programs that the stages of a Dockerfile start, each with its line: the last
/// `ENTRYPOINT` of a stage or, without one, its last `CMD`.
pub fn started(dockerfile: &str) -> Vec<(usize, String)> {
    let rows: Vec<_> = dockerfile.lines().map(str::trim).enumerate().collect();
    let is_stage = |(_, row): &(usize, &str)| row.starts_with("FROM ");
    let stages = rows.split(is_stage);
    stages.filter_map(started_by_stage).collect()
}

fn started_by_stage(rows: &[(usize, &str)]) -> Option<(usize, String)> {
    let last = |keyword: &str| {
        let commands = rows.iter().rev();
        let mut commands = commands.map(|(at, row)| Some((at, row.strip_prefix(keyword)?)));
        commands.find_map(|command| command)
    };
    let (at, command) = last("ENTRYPOINT ").or_else(|| last("CMD "))?;
    let word = command
        .split(|c: char| c.is_whitespace() || "[],\"'".contains(c))
        .find(|word| !word.is_empty())?;
    let name = word.rsplit('/').next().unwrap_or(word);
    Some((at + 1, name.to_owned()))
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
        ] {
            let expected: Vec<_> = expected
                .iter()
                .map(|(line, name)| (*line, (*name).to_owned()))
                .collect();
            assert_eq!(started(text), expected, "{text}");
        }
    }
}
