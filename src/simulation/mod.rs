//! Simulations: a test of the project runs the operator through thousands of histories, in virtual
//! time and with faults.
//!
//! The crate `rustop-manager` runs the histories in the process of that test. This module runs the
//! process, reads its [`protocol`], and writes the [`report`].

mod error;
mod finding;
mod formats;
mod panic;
mod process;
mod protocol;
pub mod report;

pub use error::Error;
pub use finding::{Finding, StoredFinding, load};
pub use process::{Outcome, SILENCE_LIMIT, TestProcess};
pub use protocol::{Instructions, Replay, UserObjects};

/// The path of the test in a project.
pub const TEST_FILE: &str = "tests/simulation.rs";
/// The name of the test for cargo.
pub const TEST_NAME: &str = "simulation";
