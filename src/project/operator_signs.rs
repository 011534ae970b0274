//! Signs of an operator that rustop has not scaffolded.

use std::path::Path;

use walkdir::WalkDir;

use crate::disk::regular;

/// Reports whether `dir` seems to be the repository of an operator: a program that depends on a
/// client of Kubernetes, or a chart or a CRD within two levels of directories.
pub fn has_operator(dir: &Path) -> bool {
    /// The name or the extension of a file, and a text in it.
    const SIGNS: [(&str, &str); 5] = [
        ("Cargo.toml", "kube"),
        ("Cargo.lock", "name = \"kube\""),
        ("go.mod", "k8s.io/"),
        ("Chart.yaml", "apiVersion"),
        ("yaml", "kind: CustomResourceDefinition"),
    ];
    let files = WalkDir::new(dir).max_depth(3).into_iter().take(MOST_FILES);
    files.flatten().any(|entry| {
        let path = entry.path();
        let is_sign = |(file, text): &(&str, &str)| {
            let is_named = path.ends_with(file) || path.extension().is_some_and(|it| it == *file);
            is_named && regular::text(path).is_ok_and(|found| found.contains(text))
        };
        SIGNS.iter().any(is_sign)
    })
}

/// Maximum number of files that [`has_operator`] looks at: the directory may be a home directory.
const MOST_FILES: usize = 2000;
