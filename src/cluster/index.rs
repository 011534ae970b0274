//! The index of envtest releases, with the URL and the checksum of each archive.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::error::{Error, Result};
use super::version::{Request, Version};
use crate::text::without_secrets;

/// The URL at which the Kubernetes project publishes the index.
pub const DEFAULT_INDEX: &str =
    "https://raw.githubusercontent.com/kubernetes-sigs/controller-tools/HEAD/envtest-releases.yaml";

/// The archives of all releases, by version and file name.
#[derive(Debug, Deserialize)]
pub struct Index {
    releases: BTreeMap<String, BTreeMap<String, Archive>>,
    #[serde(skip)]
    url: String,
}

/// An archive with etcd, kube-apiserver and kubectl for one platform.
#[derive(Clone, Debug, Deserialize)]
pub struct Archive {
    /// The SHA-512 in hexadecimal.
    pub hash: String,
    /// The URL from which the archive is downloaded.
    #[serde(rename = "selfLink")]
    pub url: String,
}

impl Index {
    /// Parses an index that was downloaded from `url`, which is used in errors, without its
    /// secrets.
    ///
    /// # Errors
    /// Returns an error if the text is not an index.
    pub fn parse(text: &str, url: &str) -> Result<Self> {
        let index: Self = serde_yaml::from_str(text).map_err(|error| Error::Index {
            url: without_secrets(url),
            reason: error.to_string().lines().next().unwrap_or_default().into(),
        })?;
        Ok(Self {
            url: without_secrets(url),
            ..index
        })
    }

    /// Selects the newest archive that `request` accepts. If an exact version has no archive,
    /// selects that of the newest patch of its minor version, because not every patch has one.
    /// `platform` is for example `linux-amd64`.
    ///
    /// # Errors
    /// Returns an error if no archive has the minor version, or if the selected release has none
    /// for the platform.
    pub fn select(&self, request: Request, platform: &str) -> Result<Selection> {
        let newest = |request: Request| self.versions().filter(|v| request.accepts(*v)).max();
        let found = newest(request).or_else(|| newest(request.exact()?.any_patch()));
        let Some(archived) = found else {
            return Err(Error::NoVersion {
                url: self.url.clone(),
                version: request.to_string(),
                newest: self.versions().max().map(|version| version.to_string()),
            });
        };
        let name = format!("envtest-v{archived}-{platform}.tar.gz");
        let archive = self.releases[&format!("v{archived}")].get(&name);
        match archive {
            Some(archive) => Ok(Selection {
                version: request.exact().unwrap_or(archived),
                archived,
                archive: archive.clone(),
            }),
            None => Err(Error::NoPlatform {
                url: self.url.clone(),
                version: archived.to_string(),
                platform: platform.into(),
            }),
        }
    }

    fn versions(&self) -> impl Iterator<Item = Version> + '_ {
        // Releases before the final one (`v1.37.0-rc.0`) are not versions, and so are never chosen.
        self.releases
            .keys()
            .filter_map(|key| key.strip_prefix('v')?.parse().ok())
    }
}

/// The result of [`Index::select`].
#[derive(Debug)]
pub struct Selection {
    /// The version to install: the exact one that was requested, or else that of the archive.
    pub version: Version,
    /// The version in the archive. May be another patch than `version`.
    pub archived: Version,
    /// The archive to download.
    pub archive: Archive,
}

#[cfg(test)]
mod tests {
    use super::*;

    const INDEX: &str = "
releases:
  v1.36.0:
    envtest-v1.36.0-linux-amd64.tar.gz: { hash: a0, selfLink: 'https://x.invalid/0' }
  v1.36.2:
    envtest-v1.36.2-linux-amd64.tar.gz: { hash: a2, selfLink: 'https://x.invalid/2' }
  v1.37.0-rc.0: {}
";

    fn select(request: &str, platform: &str) -> Result<Selection> {
        Index::parse(INDEX, "https://x.invalid")?.select(request.parse()?, platform)
    }

    #[test]
    fn the_newest_patch_or_the_very_version_or_the_closest() {
        let chosen = |request| {
            let selection = select(request, "linux-amd64").unwrap();
            (selection.version.to_string(), selection.archive.hash)
        };
        assert_eq!(chosen("1.36"), ("1.36.2".into(), "a2".into()));
        assert_eq!(chosen("1.36.0"), ("1.36.0".into(), "a0".into()));
        assert_eq!(chosen("1.36.3"), ("1.36.3".into(), "a2".into()));
    }

    #[test]
    fn a_missing_version_is_an_error() {
        assert!(matches!(
            select("1.35", "linux-amd64"),
            Err(Error::NoVersion { .. })
        ));
        assert!(matches!(
            select("1.36", "plan9-amd64"),
            Err(Error::NoPlatform { .. })
        ));
        assert!(matches!(
            Index::parse("<html>", "u"),
            Err(Error::Index { .. })
        ));
    }
}
