//! The handle through which `rustop dev`, `rustop run` and `rustop show` feed the page.

use std::path::Path;

use super::error::Result;
use super::hub::Hub;
use super::record::Recorder;
use super::server;
use super::update::{Update, UpdateContent};

/// The page of one run. Clones are cheap and share the same page.
#[derive(Clone, Debug)]
pub struct Page {
    hub: Hub,
    address: String,
}

impl Page {
    /// Serves the page on loopback until the program ends. `recorder` also writes each update to a
    /// recording. Reuses the port stored in the file `memory`, if it is free.
    ///
    /// # Errors
    /// Returns an error if no port is free.
    pub fn open(recorder: Option<Recorder>, memory: Option<&Path>) -> Result<Self> {
        let hub = Hub::new(recorder);
        let address = server::start(hub.clone(), memory)?;
        Ok(Self { hub, address })
    }

    /// Returns the URL, including the access key.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Sends an update with the current time to the page and to the recording.
    pub fn send(&self, content: UpdateContent) {
        self.hub.send(Update::now(content));
    }

    /// Sends an update with its own time to the page and to the recording.
    pub fn send_at(&self, update: Update) {
        self.hub.send(update);
    }

    /// Returns true if a browser has the page open or if a recording is written.
    pub fn is_open(&self) -> bool {
        self.hub.is_open()
    }

    /// Finishes the recording.
    ///
    /// # Errors
    /// Returns an error if any part of it could not be written.
    pub fn end(&self) -> Result<()> {
        self.hub.end()
    }
}
