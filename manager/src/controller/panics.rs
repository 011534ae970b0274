//! Contains panics of the user's functions that decide which objects a change concerns.

use std::panic::{AssertUnwindSafe, catch_unwind};

use kube::core::ObjectMeta;

use crate::controller::metrics::ControllerMetrics;
use crate::error::message_of;
use crate::object;
#[cfg(feature = "testing")]
use crate::recorder::{self, What};
#[cfg(feature = "testing")]
use crate::tasks::process::current;

/// Calls a function of the user for a change of the object with the metadata `meta`. `name` is the
/// name of the function in the log. If the function panics, logs and counts that, and returns
/// `None`.
pub(crate) fn contain<T>(
    metrics: &ControllerMetrics,
    name: &str,
    meta: &ObjectMeta,
    call: impl FnOnce() -> T,
) -> Option<T> {
    let panic = match catch_unwind(AssertUnwindSafe(call)) {
        Ok(result) => return Some(result),
        Err(panic) => panic,
    };
    let (controller, object) = (metrics.controller(), object::label(meta));
    let message = message_of(&*panic);
    tracing::error!(controller, object, "{name} panicked: {message}");
    metrics.panicked();
    #[cfg(feature = "testing")]
    recorder::note(|| What::Panicked {
        process: current(),
        controller: controller.to_owned(),
        object,
        message: format!("{name} panicked: {message}"),
    });
    None
}
