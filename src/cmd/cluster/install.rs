//! `rustop cluster install`.

use std::ffi::OsString;

use clap::Args;

use crate::cluster::{DEFAULT_INDEX, DEFAULT_RELEASE_SITE, InstallOptions, VersionRequest};
use crate::cmd::format::Format;
use crate::ops::{self, Result};
use crate::session::Session;

/// Install etcd, kube-apiserver, kubectl, the controllers and KWOK into rustop's cache
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop cluster install
  rustop cluster install --from go          # build 1.37, 1.36 or 1.35 from source
  rustop cluster install --from ./bin       # use the binaries in a directory
  rustop cluster install --kubernetes-version 1.35 --index https://mirror.example/releases.yaml")]
pub struct Install {
    #[command(flatten)]
    pub format: Format,
    /// Kubernetes version, such as 1.37 or 1.37.2
    #[arg(long, value_name = "VERSION", default_value_t)]
    kubernetes_version: VersionRequest,
    /// Source of the binaries: `auto` (download, or build if that is not possible), `download`,
    /// `go`, or a directory
    #[arg(long, value_name = "ORIGIN", default_value = "auto")]
    from: OsString,
    /// URL of the index of envtest releases
    #[arg(
        long,
        value_name = "URL",
        env = "RUSTOP_INDEX",
        default_value = DEFAULT_INDEX,
        hide_default_value = true
    )]
    index: String,
    /// URL of the site that publishes the Kubernetes binaries
    #[arg(
        long,
        value_name = "URL",
        env = "RUSTOP_RELEASE_SITE",
        default_value = DEFAULT_RELEASE_SITE
    )]
    release_site: String,
}

impl Install {
    pub fn run(self, session: &Session) -> Result<()> {
        let options = InstallOptions {
            version: self.kubernetes_version,
            origin: self.from.into(),
            index: self.index,
            release_site: self.release_site,
        };
        ops::cluster::install(session, &options)
    }
}
