//! The Go modules that a control plane can be built from, one for each minor version of Kubernetes.
//!
//! Each directory in `go/` is a module that requires Kubernetes, the etcd whose client that
//! Kubernetes uses, and KWOK, so that one `go build` makes all programs and compiles what they
//! share once. It replaces what Kubernetes replaces (`go install` refuses such modules), and takes
//! every version that Kubernetes names from there. Its `go.sum` pins every source that goes into
//! the build. To move to another patch: change the version and those of `k8s.io` in `go.mod`, run
//! `go mod tidy` and then, with an empty `go.sum`, `GOFLAGS=-mod=mod go list -deps` for the
//! packages of `tools.go`, which writes the few sums that a build needs. Last, change [`MODULES`],
//! and [`super::version::DEFAULT`] for the newest.

use super::version::{Request, Version};

/// A pinned Go module with all programs.
pub struct GoModule {
    version: &'static str,
    /// The text of its `go.mod`.
    pub go_mod: &'static str,
    /// The text of its `go.sum`.
    pub go_sum: &'static str,
}

/// All modules, the newest version first.
pub const MODULES: [GoModule; 3] = [
    GoModule {
        version: "1.37.2",
        go_mod: include_str!("go/1.37/go.mod"),
        go_sum: include_str!("go/1.37/go.sum"),
    },
    GoModule {
        version: "1.36.3",
        go_mod: include_str!("go/1.36/go.mod"),
        go_sum: include_str!("go/1.36/go.sum"),
    },
    GoModule {
        version: "1.35.4",
        go_mod: include_str!("go/1.35/go.mod"),
        go_sum: include_str!("go/1.35/go.sum"),
    },
];

/// A program of the control plane.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Its name in rustop's cache.
    pub name: &'static str,
    /// The import path of its Go package.
    pub package: &'static str,
    /// The name that `go build` gives it.
    pub built: &'static str,
}

/// All programs of a module.
pub const PROGRAMS: [Program; 6] = [
    Program {
        name: "etcd",
        package: "go.etcd.io/etcd/server/v3",
        // Go names a program after the last element of the path that is not a major version.
        built: "server",
    },
    KWOK,
    of_kubernetes("kube-apiserver", "k8s.io/kubernetes/cmd/kube-apiserver"),
    of_kubernetes(
        "kube-controller-manager",
        "k8s.io/kubernetes/cmd/kube-controller-manager",
    ),
    of_kubernetes("kube-scheduler", "k8s.io/kubernetes/cmd/kube-scheduler"),
    of_kubernetes("kubectl", "k8s.io/kubernetes/cmd/kubectl"),
];

/// KWOK, which publishes no archive with a checksum.
pub const KWOK: Program = Program {
    name: "kwok",
    package: "sigs.k8s.io/kwok/cmd/kwok",
    built: "kwok",
};

const fn of_kubernetes(name: &'static str, package: &'static str) -> Program {
    Program {
        name,
        package,
        built: name,
    }
}

impl GoModule {
    /// Returns the newest module that `request` accepts; `None` if there is none.
    pub fn accepted(request: Request) -> Option<&'static Self> {
        MODULES.iter().find(|it| request.accepts(it.version()))
    }

    /// Returns the version of Kubernetes.
    pub fn version(&self) -> Version {
        self.version.parse().unwrap_or_default()
    }

    /// Returns the linker flags with which the programs of Kubernetes report their version, with a
    /// space before each.
    pub fn stamp(&self) -> String {
        let version = self.version();
        [
            ("gitVersion", format!("v{version}")),
            ("gitMajor", "1".to_owned()),
            ("gitMinor", version.minor().to_string()),
            ("gitTreeState", "clean".to_owned()),
        ]
        .map(|(name, value)| format!(" -X k8s.io/component-base/version.{name}={value}"))
        .concat()
    }
}

/// Returns the versions that can be built, for messages: `1.37.2, 1.36.3 and 1.35.4`.
pub fn versions() -> String {
    let names = MODULES.map(|module| module.version.to_owned());
    let (last, first) = names.split_last().expect("there are modules");
    format!("{} and {last}", first.join(", "))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// The versions that a `go.mod` requires and those that it puts in their place.
    fn required(go_mod: &str) -> (BTreeMap<&str, &str>, BTreeMap<&str, &str>) {
        let (mut required, mut replaced) = (BTreeMap::new(), BTreeMap::new());
        for line in go_mod.lines().filter(|line| line.starts_with('\t')) {
            match line.split_whitespace().collect::<Vec<_>>()[..] {
                [module, "=>", other, version] => {
                    assert_eq!(module, other);
                    replaced.insert(module, version);
                }
                [module, version, ..] => {
                    required.insert(module, version);
                }
                _ => panic!("{line}"),
            }
        }
        (required, replaced)
    }

    #[test]
    fn every_module_pins_one_kubernetes_and_all_its_parts() {
        for module in MODULES {
            let (required, replaced) = required(module.go_mod);
            let version = module.version().to_string();
            assert_eq!(version, module.version);
            assert_eq!(required["k8s.io/kubernetes"], format!("v{version}"));
            let staging = format!("v{}", version.replacen("1.", "0.", 1));
            let parts = || {
                replaced
                    .iter()
                    .filter(|(name, _)| name.starts_with("k8s.io/"))
            };
            let other: Vec<_> = parts()
                .filter(|(name, version)| **version != staging && !name.contains("klog"))
                .collect();
            assert!(parts().count() > 30, "{version}: {}", parts().count());
            assert!(
                other.iter().all(|(name, _)| matches!(
                    **name,
                    "k8s.io/kube-openapi" | "k8s.io/utils" | "k8s.io/gengo/v2"
                )),
                "{version}: {other:?}"
            );
            // etcd and the client of the API server share their packages.
            assert_eq!(
                required["go.etcd.io/etcd/server/v3"],
                required["go.etcd.io/etcd/client/v3"]
            );
            for program in PROGRAMS {
                let home = required
                    .iter()
                    .find(|(name, _)| program.package.starts_with(**name));
                let (name, version) = home.expect(program.package);
                let sum = format!("{name} {version} h1:");
                assert!(module.go_sum.contains(&sum), "{sum}");
            }
        }
    }

    #[test]
    fn the_default_and_two_minors_before_it_can_be_built() {
        let find = |text: &str| GoModule::accepted(text.parse().unwrap()).map(GoModule::version);
        let default = Version::default();
        assert_eq!(find(&default.to_string()), Some(default));
        for back in 0..3 {
            let minor = default.minor() - back;
            let found = find(&format!("1.{minor}")).map(Version::minor);
            assert_eq!(found, Some(minor));
        }
        assert_eq!(find("1.12"), None);
        assert_eq!(find("1.37.99"), None);
    }
}
