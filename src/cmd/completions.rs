//! `rustop completions`.

use std::process::ExitCode;

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use super::{Cli, Session};
use crate::error::Result;

/// Print the completion script for a shell
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop completions bash > ~/.local/share/bash-completion/completions/rustop
  rustop completions zsh  > ~/.zfunc/_rustop
  rustop completions fish > ~/.config/fish/completions/rustop.fish")]
pub struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub fn run(self, session: &Session) -> Result<ExitCode> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "rustop", &mut script);
        session.terminal.data(&String::from_utf8_lossy(&script))?;
        Ok(ExitCode::SUCCESS)
    }
}
