//! The page of a run that was recorded.

use std::path::Path;
use std::time::Duration;

use super::Result;
use super::page::{announce, remembered};
use crate::page::{Page, Replay};
use crate::session::Session;

/// How often it is looked whether to end.
const TICK: Duration = Duration::from_millis(100);

/// Shows a recording until Ctrl-C; what is added to it meanwhile, too.
///
/// # Errors
/// When the file is no recording, or there is no port.
pub fn show(session: &Session, file: &Path, is_opened: bool) -> Result<()> {
    let page = Page::open(None, Some(&remembered(file)?))?;
    let mut replay = Replay::begin(file, |news| page.tell_at(news))?;
    announce(session, &page, file, is_opened);
    session.terminal.note("Ctrl-C stops.");
    while session.interrupt().take().is_none() {
        std::thread::sleep(TICK);
        replay.go_on(|news| page.tell_at(news))?;
    }
    Ok(())
}
