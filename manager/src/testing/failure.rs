//! The error of an operator that ended by itself.

use parking_lot::Mutex;

use crate::error::Result;

/// The error with which an operator ended, stored until the test has got it. `None` if it did not
/// end with an error.
#[derive(Default)]
pub(super) struct Failure(Mutex<Option<String>>);

impl Failure {
    /// Stores the error of the operator's result, as `reason: message`. `Ok` removes a stored one.
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

    /// Panics with the stored error, if there is one, and removes it. Does not panic if the test is
    /// already panicking.
    pub fn report(&self) {
        let error = self.0.lock().take();
        if let Some(error) = error.filter(|_| !std::thread::panicking()) {
            panic!("the operator ended with an error: {error}");
        }
    }
}
