//! The page of one run, for those who tell it what they see.

use std::path::Path;

use super::error::Result;
use super::hub::Hub;
use super::news::{News, What};
use super::record::Recorder;
use super::server;

/// The page of one run. Cheap to clone; all clones are one.
#[derive(Clone, Debug)]
pub struct Page {
    hub: Hub,
    address: String,
}

impl Page {
    /// Serves the page on this machine until the program ends, at the address that is in the file `memory`, if it can.
    ///
    /// # Errors
    /// When no port is free.
    pub fn open(recorder: Option<Recorder>, memory: Option<&Path>) -> Result<Self> {
        let hub = Hub::new(recorder);
        let address = server::start(hub.clone(), memory)?;
        Ok(Self { hub, address })
    }

    /// Where a browser finds it.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Takes in what was seen just now.
    pub fn tell(&self, what: What) {
        self.hub.tell(News::now(what));
    }

    /// Takes in what was seen.
    pub fn tell_at(&self, news: News) {
        self.hub.tell(news);
    }

    /// Whether anybody looks, or all is recorded.
    pub fn is_open(&self) -> bool {
        self.hub.is_open()
    }

    /// Ends the recording.
    ///
    /// # Errors
    /// When not all of it could be written.
    pub fn end(&self) -> Result<()> {
        self.hub.end()
    }
}
