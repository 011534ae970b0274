//! `rustop init`.

use clap::Args;

use super::format::Format;
use crate::ops;

/// Create a project in an empty directory
#[derive(Args, Debug)]
#[group(skip)]
#[command(after_help = "Examples:
  mkdir lolcow-operator && cd lolcow-operator && rustop init --domain my.domain
  rustop init lolcow-operator --domain my.domain --license mit --owner 'The Lolcow Authors'
  rustop init --domain my.domain --namespaced")]
pub struct Init {
    #[command(flatten)]
    pub format: Format,
    #[command(flatten)]
    pub operation: ops::Init,
}
