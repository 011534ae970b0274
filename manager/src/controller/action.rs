//! The result of a successful reconcile.

use std::time::Duration;

/// The result of a successful reconcile: when to reconcile the object again. Like kube's `Action`.
///
/// ```
/// # use std::time::Duration;
/// # use rustop_manager::Action;
/// let wait = Action::await_change();
/// let look_again = Action::requeue(Duration::from_secs(3600));
/// assert_ne!(wait, look_again);
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Action(Option<Duration>);

impl Action {
    /// Reconciles the object again after this time, or earlier if something changes. Zero
    /// reconciles it again at once; more than a year counts as a year.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use rustop_manager::Action;
    /// // a certificate that is checked once an hour
    /// let hourly = Action::requeue(Duration::from_secs(3600));
    /// // one step is done; the next one follows at once
    /// let next_step = Action::requeue(Duration::ZERO);
    /// # assert_ne!(hourly, next_step);
    /// ```
    #[must_use]
    pub const fn requeue(after: Duration) -> Self {
        Self(Some(after))
    }

    /// Reconciles the object again only if something changes.
    ///
    /// ```
    /// # use k8s_openapi::api::apps::v1::Deployment;
    /// # use rustop_manager::prelude::*;
    /// async fn reconcile(_: Arc<Deployment>, _: Context<Deployment>) -> Result<Action> {
    ///     // the children are as they should be
    ///     Ok(Action::await_change())
    /// }
    /// # Controller::new(reconcile);
    /// ```
    #[must_use]
    pub const fn await_change() -> Self {
        Self(None)
    }

    /// Returns the delay after which the object is reconciled again, or `None` to wait for a
    /// change.
    pub(crate) const fn after(self) -> Option<Duration> {
        self.0
    }
}
