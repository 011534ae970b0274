//! `rustop cluster network`: an internal command, which `rustop torture` starts in a new network
//! namespace to keep the namespace open.

use clap::Args;

use crate::ops::{self, Result};

/// Send a listening socket over stdin, and hold its network namespace until stdin is closed
#[derive(Args, Debug)]
#[command(hide = true)]
pub struct Network {}

impl Network {
    #[allow(clippy::unused_self, reason = "like the other commands")]
    pub fn run(self) -> Result<()> {
        ops::hold_network()
    }
}
