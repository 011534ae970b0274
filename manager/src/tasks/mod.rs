//! The tasks of the operator. In a test with several processes, each task belongs to one of them,
//! which can be frozen.

/// Makes `work` a task of the process that calls this function.
#[cfg(not(feature = "testing"))]
pub(crate) fn task_of_current<F: Future>(work: F) -> F {
    work
}

#[cfg(feature = "testing")]
pub(crate) mod process;

#[cfg(feature = "testing")]
pub(crate) use process::task_of_current;
