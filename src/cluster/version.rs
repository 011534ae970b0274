//! Kubernetes versions as people write them: `1.36`, `1.36.3`, `v1.36.3`.

use std::fmt;
use std::str::FromStr;

/// The version that the Go modules in `go/` pin, and the one that is installed unless another is asked
/// for.
pub const PINNED: &str = "1.36.3";

/// Not a version.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is no Kubernetes version: write it as 1.36 or 1.36.3")]
pub struct NoVersion(String);

/// A release, `1.36.3`. Ordered as releases are.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Version {
    major: u32,
    minor: u32,
    patch: u32,
}

impl Version {
    /// The version that the Go modules pin.
    pub fn pinned() -> Self {
        PINNED.parse().unwrap_or(Self {
            major: 1,
            minor: 36,
            patch: 0,
        })
    }

    /// The request that only this version meets.
    pub fn exactly(self) -> Request {
        Request {
            major: self.major,
            minor: self.minor,
            patch: Some(self.patch),
        }
    }

    /// The request that any patch of the same minor version meets.
    pub fn any_patch(self) -> Request {
        Request {
            patch: None,
            ..self.exactly()
        }
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

/// What `--kubernetes-version` asks for: one release, or the newest patch of a minor version.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Request {
    major: u32,
    minor: u32,
    patch: Option<u32>,
}

impl Request {
    /// Whether `version` is what was asked for.
    pub fn accepts(self, version: Version) -> bool {
        self.major == version.major
            && self.minor == version.minor
            && self.patch.is_none_or(|patch| patch == version.patch)
    }

    /// The version, where only one can be meant.
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
        Version::pinned().exactly()
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

    #[test]
    fn people_write_versions_in_several_ways() {
        for text in ["1.36.3", "v1.36.3"] {
            assert_eq!(
                text.parse::<Request>().unwrap().exact(),
                Some(Version::pinned())
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
    fn the_pin_is_that_of_the_go_module() {
        let module = include_str!("go/kubernetes/go.mod");
        assert!(module.contains(&format!("k8s.io/kubernetes v{PINNED}\n")));
    }
}
