//! Dockerfiles, which tell the program of an image.

use std::path::Path;
use std::rc::Rc;

use super::repository::Repository;

/// Returns the name of the program that the last `ENTRYPOINT` or, without one, the last `CMD` of a
/// Dockerfile starts.
pub fn started(dockerfile: &str) -> Option<String> {
    let last = |keyword: &str| {
        let rows = dockerfile.lines().map(str::trim);
        rows.filter_map(|row| row.strip_prefix(keyword)).next_back()
    };
    let command = last("ENTRYPOINT ").or_else(|| last("CMD "))?;
    let word = command
        .split(|c: char| c.is_whitespace() || "[],\"'".contains(c))
        .find(|word| !word.is_empty())?;
    Some(word.rsplit('/').next().unwrap_or(word).to_owned())
}

/// Returns the texts of the Dockerfiles.
pub fn dockerfiles(repository: &Repository) -> Vec<Rc<str>> {
    let is_dockerfile = |path: &&Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        ["Dockerfile", "Containerfile"]
            .iter()
            .any(|kind| name.contains(kind))
    };
    let files = repository.files().filter(is_dockerfile);
    files.filter_map(|path| repository.text(path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_entry_point_names_the_program() {
        for (text, expected) in [
            (
                "CMD [\"/x\"]\nENTRYPOINT [\"/usr/bin/tea\", \"run\"]\n",
                "tea",
            ),
            ("ENTRYPOINT /a\nENTRYPOINT ./tea --run\n", "tea"),
            ("FROM x\nCMD tea\n", "tea"),
        ] {
            assert_eq!(started(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(started("FROM x\n"), None);
    }
}
