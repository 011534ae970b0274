//! The simulated process of a Tokio task. A test can run several processes of an operator in one
//! OS process, and can freeze each of them with all of its tasks.

/// Returns `work` unchanged: without the feature `testing`, there are no simulated processes.
#[cfg(not(feature = "testing"))]
pub(crate) fn task_of_current<F: Future>(work: F) -> F {
    work
}

#[cfg(feature = "testing")]
pub(crate) mod process;

#[cfg(feature = "testing")]
pub(crate) use process::task_of_current;
