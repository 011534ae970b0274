//! Kubernetes versions in the forms that users write: `1.37`, `1.37.2`, `v1.37.2`.

use std::fmt;
use std::str::FromStr;

/// The version that is installed unless another one is requested. Its minor version is that of a
/// new project ([`crate::project::KubernetesVersion`]).
pub const DEFAULT: &str = "1.37.2";

/// The error of a text that is not a version.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a Kubernetes version: write it like 1.37 or 1.37.2")]
pub struct NoVersion(String);

/// A release, such as `1.37.2`. Later releases are greater.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Version {
    major: u32,
    minor: u32,
    patch: u32,
}

impl Version {
    /// Returns the minor version: 37 for `1.37.2`.
    pub fn minor(self) -> u32 {
        self.minor
    }

    /// Returns the request that accepts only this version.
    pub fn exactly(self) -> Request {
        Request {
            major: self.major,
            minor: self.minor,
            patch: Some(self.patch),
        }
    }

    /// Returns the request that accepts any patch of the same minor version.
    pub fn any_patch(self) -> Request {
        Request {
            patch: None,
            ..self.exactly()
        }
    }
}

impl Default for Version {
    fn default() -> Self {
        DEFAULT.parse().unwrap_or(Self {
            major: 1,
            minor: 37,
            patch: 0,
        })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl FromStr for Version {
    type Err = NoVersion;

    fn from_str(text: &str) -> Result<Self, NoVersion> {
        let request: Request = text.parse()?;
        match request.patch {
            Some(patch) => Ok(Self {
                major: request.major,
                minor: request.minor,
                patch,
            }),
            None => Err(NoVersion(text.into())),
        }
    }
}

/// The value of `--kubernetes-version`: one release, or any patch of a minor version.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Request {
    major: u32,
    minor: u32,
    /// `None` for any patch.
    patch: Option<u32>,
}

impl Request {
    /// Returns true if `version` satisfies the request.
    pub fn accepts(self, version: Version) -> bool {
        self.major == version.major
            && self.minor == version.minor
            && self.patch.is_none_or(|patch| patch == version.patch)
    }

    /// Returns the version if the request accepts only one; `None` if it accepts any patch.
    pub fn exact(self) -> Option<Version> {
        self.patch.map(|patch| Version {
            major: self.major,
            minor: self.minor,
            patch,
        })
    }
}

impl Default for Request {
    fn default() -> Self {
        Version::default().exactly()
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.patch {
            Some(patch) => write!(f, "{}.{}.{patch}", self.major, self.minor),
            None => write!(f, "{}.{}", self.major, self.minor),
        }
    }
}

impl FromStr for Request {
    type Err = NoVersion;

    fn from_str(text: &str) -> Result<Self, NoVersion> {
        let bad = || NoVersion(text.into());
        let numbers = text
            .strip_prefix('v')
            .unwrap_or(text)
            .split('.')
            .map(|part| {
                if part.bytes().all(|b| b.is_ascii_digit()) {
                    part.parse().map_err(|_| bad())
                } else {
                    Err(bad())
                }
            })
            .collect::<Result<Vec<u32>, _>>()?;
        match numbers[..] {
            [major, minor] => Ok(Self {
                major,
                minor,
                patch: None,
            }),
            [major, minor, patch] => Ok(Self {
                major,
                minor,
                patch: Some(patch),
            }),
            _ => Err(bad()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::KubernetesVersion;

    #[test]
    fn people_write_versions_in_several_ways() {
        for text in ["1.36.3", "v1.36.3"] {
            assert_eq!(
                text.parse::<Request>().unwrap().exact(),
                Some("1.36.3".parse().unwrap())
            );
        }
        let minor: Request = "1.36".parse().unwrap();
        assert!(minor.accepts("1.36.0".parse().unwrap()));
        assert!(!minor.accepts("1.35.9".parse().unwrap()));
        for text in [
            "",
            "1",
            "v",
            "1.x",
            "1.36.3-rc.1",
            "1.36.3.4",
            "+1.2",
            "1..2",
        ] {
            assert!(text.parse::<Request>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_default_is_the_kubernetes_version_of_a_new_project() {
        let project = KubernetesVersion::default();
        let default = Version::default();
        assert_eq!(default.to_string(), DEFAULT);
        assert_eq!(project.as_str(), format!("1.{}", default.minor()));
        assert_eq!(Some(&project), KubernetesVersion::ALL.last());
        let manifest = include_str!("../../Cargo.toml");
        let feature = format!("\"v1_{}\"", project.minor());
        assert!(
            manifest
                .lines()
                .any(|line| line.starts_with("k8s-openapi") && line.contains(&feature)),
            "the feature of k8s-openapi in Cargo.toml is not {feature}"
        );
    }
}
