//! `rustop completions`.

use clap::{Args, Command};
use clap_complete::Shell;

use crate::ops::Result;
use crate::session::Session;

/// Print a completion script for a shell
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop completions bash > ~/.local/share/bash-completion/completions/rustop
  rustop completions zsh  > ~/.zfunc/_rustop
  rustop completions fish > ~/.config/fish/completions/rustop.fish")]
pub struct Completions {
    /// Shell that the script is for
    shell: Shell,
}

impl Completions {
    /// Prints the script. `rustop` is the definition of the whole command line.
    pub fn run(self, session: &Session, rustop: &mut Command) -> Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, rustop, "rustop", &mut script);
        Ok(session.terminal.data(&String::from_utf8_lossy(&script))?)
    }
}
