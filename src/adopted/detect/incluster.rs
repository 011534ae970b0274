//! Operators that find their API server only in a pod.

use std::path::Path;

use super::candidate::Evidence;
use super::repository::{Repository, is_foreign, line_at};

/// For each ending of sources: calls that read the configuration of a pod, and calls that also read
/// `KUBECONFIG`.
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

/// Returns the first call that reads the configuration of a pod, if no source of the repository
/// reads `KUBECONFIG`: the operator does not run on this machine.
pub fn only_in_cluster(repository: &Repository) -> Option<Evidence> {
    let of = |ending: &str| {
        let is_source =
            |path: &&Path| path.extension().is_some_and(|it| it == ending) && !is_foreign(path);
        repository.files().filter(is_source).collect::<Vec<_>>()
    };
    let mut found = None;
    for (ending, inside, anywhere) in CALLS {
        for path in of(ending) {
            let text = repository.text(path).unwrap_or_else(|| "".into());
            if anywhere.iter().any(|call| text.contains(call)) {
                return None;
            }
            let call = inside
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
