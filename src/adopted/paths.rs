//! Patterns with `*`: of paths in an adopted project, and of texts ([`fits`]).

use std::path::{Path, PathBuf};

/// Returns the sorted paths that a pattern matches, relative to `dir`. `*` matches any characters
/// of one path component except for a leading dot. A pattern without `*` matches if the path
/// exists. A leading `/` is ignored, so `/etc/x` is `etc/x` below `dir` (`Config` rejects such a
/// pattern before). Symbolic links that lead out of `dir` match nothing.
pub fn matching(dir: &Path, pattern: &str) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::new()];
    for part in pattern
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
    {
        found = found
            .into_iter()
            .flat_map(|base| step(dir, &base, part))
            .collect();
    }
    let whole = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    found.retain(|path| {
        let target = dir.join(path).canonicalize();
        target.is_ok_and(|target| target.starts_with(&whole))
    });
    found.sort();
    found
}

fn step(dir: &Path, base: &Path, part: &str) -> Vec<PathBuf> {
    if !part.contains('*') {
        let next = base.join(part);
        return if dir.join(&next).exists() {
            vec![next]
        } else {
            Vec::new()
        };
    }
    let entries = dir.join(base).read_dir().into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| (part.starts_with('.') || !name.starts_with('.')) && fits(part, name))
        .map(|name| base.join(name))
        .collect()
}

/// Returns true if a text fits a pattern in which `*` stands for any characters, including `/`:
/// [`matching`] splits paths into components before. `documents.rs` compares rendered texts with
/// templates.
pub fn fits(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((start, rest)) => text.strip_prefix(start).is_some_and(|text| {
            (0..=text.len()).any(|at| text.is_char_boundary(at) && fits(rest, &text[at..]))
        }),
    }
}

/// Returns true if a file may contain Kubernetes objects, by its ending.
pub fn is_manifest(path: &Path) -> bool {
    let ending = path.extension().and_then(|it| it.to_str());
    ending.is_some_and(|ending| ["json", "yaml", "yml"].contains(&ending))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_star_matches_within_one_component() {
        let dir = tempfile::tempdir().unwrap();
        for path in [
            "yaml/instance-a.yaml",
            "yaml/instance-b.yaml",
            "yaml/crd.yaml",
            "yaml/x/instance-c.yaml",
        ] {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let paths = |pattern| {
            let found = matching(dir.path(), pattern);
            found
                .iter()
                .map(|it| it.display().to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            paths("yaml/instance-*.yaml"),
            ["yaml/instance-a.yaml", "yaml/instance-b.yaml"]
        );
        assert_eq!(paths("./yaml/*/*"), ["yaml/x/instance-c.yaml"]);
        assert_eq!(paths("yaml/crd.yaml"), ["yaml/crd.yaml"]);
        assert!(paths("yaml/none.yaml").is_empty());
    }

    #[test]
    fn links_out_of_the_directory_match_nothing() {
        let above = tempfile::tempdir().unwrap();
        let [dir, other] = ["clone", "other"].map(|name| above.path().join(name));
        for file in [other.join("secret.yaml"), dir.join("own.yaml")] {
            fs::create_dir(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        symlink(&other, dir.join("out")).unwrap();
        symlink("own.yaml", dir.join("link.yaml")).unwrap();
        assert!(matching(&dir, "out/secret.yaml").is_empty());
        assert!(matching(&dir, "*/*").is_empty());
        assert_eq!(matching(&dir, "*.yaml").len(), 2);
    }
}
