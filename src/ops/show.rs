//! The operation of `rustop show`: the page of a recorded run.

use std::path::Path;
use std::time::Duration;

use super::Result;
use super::page::{address_file, announce};
use crate::page::{Page, Replay};
use crate::session::Session;

/// The interval for checking for Ctrl-C and for additions to the recording.
const TICK: Duration = Duration::from_millis(100);

/// Shows a recording until Ctrl-C, including what is appended to it in the meantime.
///
/// # Errors
/// Returns an error if the file is not a recording, or if no port is available.
pub fn show(session: &Session, file: &Path, is_opened: bool) -> Result<()> {
    let page = Page::open(None, Some(&address_file(file)?))?;
    let mut replay = Replay::open(file, |update| page.send_at(update))?;
    announce(session, &page, file, is_opened);
    session.terminal.note("Ctrl-C stops.");
    while session.interrupt().take().is_none() {
        std::thread::sleep(TICK);
        replay.read_new(|update| page.send_at(update))?;
    }
    Ok(())
}
