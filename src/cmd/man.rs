//! `rustop man`.

use clap::error::ErrorKind;
use clap::{Args, Command};
use clap_mangen::Man as Page;

use super::usage;
use crate::ops::Result;
use crate::session::Session;

/// Print the manual page of a command
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rustop man                             # list the pages
  rustop man rustop-create-api | man -l -")]
pub struct Man {
    /// Name of the page, such as `rustop-create-api`; without it, lists all pages
    page: Option<String>,
}

impl Man {
    /// Prints the page, or the names of all pages. `rustop` is the definition of the whole command
    /// line.
    pub fn run(self, session: &Session, rustop: &mut Command) -> Result<()> {
        rustop.build();
        let pages = pages(rustop);
        let Some(wanted) = self.page else {
            let names: Vec<_> = pages.iter().map(|(name, _)| format!("{name}\n")).collect();
            return Ok(session.terminal.data(&names.concat())?);
        };
        let Some((_, command)) = pages.into_iter().find(|(name, _)| *name == wanted) else {
            let why = format!("there is no page '{wanted}'; `rustop man` lists all pages");
            usage::escaped(rustop.error(ErrorKind::InvalidValue, why)).exit()
        };
        let mut page = Vec::new();
        Page::new(command)
            .manual("rustop")
            .source(concat!("rustop ", env!("CARGO_PKG_VERSION")))
            .render(&mut page)
            .expect("a Vec takes all that is written to it");
        Ok(session.terminal.data(&String::from_utf8_lossy(&page))?)
    }
}

/// Returns a command and all its subcommands, each with the name of its page.
fn pages(command: &Command) -> Vec<(String, Command)> {
    let name = command.get_display_name().unwrap_or(command.get_name());
    let mut all = vec![(name.to_owned(), command.clone())];
    let below = command.get_subcommands();
    all.extend(
        below
            .filter(|below| below.get_name() != "help" && !below.is_hide_set())
            .flat_map(pages),
    );
    all
}
