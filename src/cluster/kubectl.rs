//! The kubectl on `PATH`.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde::Deserialize;

use super::version::Version;

/// The most minor versions between kubectl and the API server that Kubernetes supports
/// (<https://kubernetes.io/releases/version-skew-policy/>).
const SKEW: u32 = 1;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Printed {
    client_version: ClientVersion,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClientVersion {
    git_version: String,
}

/// Returns the path and the version of the kubectl on `PATH`, if it supports an API server of
/// `server`.
pub fn on_path(server: Version) -> Option<(PathBuf, Version)> {
    let path = std::env::var_os("PATH")?;
    let program = std::env::split_paths(&path)
        .map(|dir| dir.join("kubectl"))
        .find(|program| program.is_file())?;
    let output = Command::new(&program)
        .args(["version", "--client", "--output", "json"])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let version = parse(&output.stdout)?;
    is_compatible(version, server).then_some((program, version))
}

/// Parses the version in the output of `kubectl version`. A vendor's build reports a version like
/// `v1.36.3-vendor.4`.
fn parse(output: &[u8]) -> Option<Version> {
    let printed: Printed = serde_json::from_slice(output).ok()?;
    let text = printed.client_version.git_version;
    text.split(['-', '+']).next()?.parse().ok()
}

fn is_compatible(kubectl: Version, server: Version) -> bool {
    kubectl.minor().abs_diff(server.minor()) <= SKEW
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kubectl_may_be_one_minor_version_away_from_the_server() {
        let server = "1.37.2".parse().unwrap();
        for (kubectl, compatible) in [
            ("v1.35.9", false),
            ("v1.36.0", true),
            ("v1.37.2-dispatcher", true),
            ("v1.38.0+k3s1", true),
            ("v1.39.0", false),
        ] {
            let output = format!("{{\"clientVersion\": {{\"gitVersion\": \"{kubectl}\"}}}}");
            let version = parse(output.as_bytes()).unwrap();
            assert_eq!(is_compatible(version, server), compatible, "{kubectl}");
        }
        for bad in ["", "{}", "Client Version: v1.37.2"] {
            assert_eq!(parse(bad.as_bytes()), None, "{bad}");
        }
    }
}
