//! The error of an operator that ended by itself.

use parking_lot::Mutex;

use crate::error::Result;

/// The error with which an operator ended, until the test gets it.
#[derive(Default)]
pub(super) struct Failure(Mutex<Option<String>>);

impl Failure {
    /// Keeps the error of a result.
    pub fn record(&self, ended: &Result<()>) {
        *self.0.lock() = ended
            .as_ref()
            .err()
            .map(|error| format!("{}: {error}", error.reason()));
    }

    /// Forgets the error: the test has got it in another way.
    pub fn clear(&self) {
        *self.0.lock() = None;
    }

    /// Panics with the error, once, unless the test fails already.
    pub fn report(&self) {
        let error = self.0.lock().take();
        if let Some(error) = error.filter(|_| !std::thread::panicking()) {
            panic!("the operator ended with an error: {error}");
        }
    }
}
