//! Operators that only support in-cluster configuration.

use std::path::Path;

use super::candidate::Evidence;
use super::repository::{Repository, is_foreign_source, line_at};

/// For each file extension: calls that load the in-cluster configuration, and calls that also load
/// a kubeconfig.
const CALLS: [(&str, &[&str], &[&str]); 3] = [
    (
        "rs",
        &["Config::incluster"],
        &[
            "try_default(",
            "Config::infer",
            "from_kubeconfig",
            "from_custom_kubeconfig",
        ],
    ),
    (
        "go",
        &["rest.InClusterConfig("],
        &["GetConfig", "BuildConfigFromFlags(", "clientcmd."],
    ),
    (
        "py",
        &["load_incluster_config("],
        &["load_kube_config(", "load_config("],
    ),
];

/// Returns the first call that loads the in-cluster configuration, if no source outside of tests
/// and examples loads a kubeconfig: `rustop dev` and `rustop torture` cannot run such an operator.
pub fn only_in_cluster(repository: &Repository) -> Option<Evidence> {
    let of = |extension: &str| {
        let is_source = |path: &&Path| {
            path.extension().is_some_and(|it| it == extension) && !is_foreign_source(path)
        };
        repository.files().filter(is_source).collect::<Vec<_>>()
    };
    let mut found = None;
    for (extension, in_cluster, kubeconfig) in CALLS {
        for path in of(extension) {
            let text = repository.text(path).unwrap_or_else(|| "".into());
            if kubeconfig.iter().any(|call| text.contains(call)) {
                return None;
            }
            let call = in_cluster
                .iter()
                .find_map(|call| Some((call, text.find(call)?)));
            if let Some((call, at)) = call.filter(|_| found.is_none()) {
                let why = format!(
                    "calls `{}`, which works in a pod only",
                    call.trim_end_matches('(')
                );
                found = Some(Evidence::new(path, line_at(&text, at), why));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_in_src_bin_are_searched() {
        let dir = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = dir.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let found = || only_in_cluster(&Repository::read(dir.path()));
        write("tests/pod.rs", "Config::incluster()\n");
        assert_eq!(found(), None);
        write(
            "src/bin/operator.rs",
            "fn main() {\n    Config::incluster();\n}\n",
        );
        assert_eq!(found().unwrap().place(), "src/bin/operator.rs:2");
        write(
            "src/bin/tool.rs",
            "fn main() {\n    Client::try_default();\n}\n",
        );
        assert_eq!(found(), None);
    }
}
