//! The reasons of errors that this crate gives.

/// A reason of an error that this crate or the API server gives. Conditions, events and metrics show it as text, and
/// [`Error::is`](crate::Error::is) compares an error with it. An operator's own errors have other reasons
/// ([`Error::new`](crate::Error::new)).
///
/// ```no_run
/// # use k8s_openapi::api::{apps::v1::Deployment, core::v1::ConfigMap};
/// # use rustop_manager::{Reason, prelude::*};
/// # async fn example(ctx: Context<Deployment>, settings: ConfigMap) -> Result<()> {
/// match ctx.apply(settings).await {
///     Err(error) if error.is(Reason::NotOwned) => {} // the user's own ConfigMap stays as it is
///     result => drop(result?),
/// }
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// A set of children contains the same object twice.
    Ambiguous,
    /// The API server already has an object of this name.
    AlreadyExists,
    /// The API server could not read the request.
    BadRequest,
    /// A server of the operator could not listen on its address.
    CannotListen,
    /// Another client changed the object, or another field manager owns a field.
    Conflict,
    /// The object is being deleted, so it can get no children.
    Deleting,
    /// The operator lacks a permission, or an admission plugin rejected the request.
    Forbidden,
    /// The API server rejected the content of the object.
    Invalid,
    /// A flag has a value that cannot be used.
    InvalidOption,
    /// Another replica may lead now.
    LeaseLost,
    /// The namespace is being deleted.
    NamespaceTerminating,
    /// No cluster is configured.
    NoCluster,
    /// A controller lacks state that it uses: see [`Manager::with_state`](crate::Manager::with_state).
    NoState,
    /// The API server has no such object or kind.
    NotFound,
    /// The controller has no index of this name.
    NotIndexed,
    /// A write was stopped because this replica does not hold the lease.
    NotLeader,
    /// The object exists, and this operator did not create it.
    NotOwned,
    /// The object may exist, but outside of the part of its kind that is cached.
    NotSelected,
    /// The cache of the kind is not filled yet.
    NotSynced,
    /// No controller watches the kind.
    NotWatched,
    /// The object belongs to another owner.
    OwnedByAnother,
    /// A reconcile panicked.
    Panicked,
    /// Any error without a reason of its own.
    ReconcileFailed,
    /// Two controllers have the same name.
    SameName,
    /// The API server answered with a status from 500 to 599.
    ServerError,
    /// A reconcile took longer than [`Controller::timeout`](crate::Controller::timeout).
    TimedOut,
    /// The API server or a webhook limits the rate of requests.
    TooManyRequests,
    /// The API server does not accept the credentials of the operator.
    Unauthorized,
    /// The API server did not answer.
    Unreachable,
}

impl Reason {
    /// Returns the reason as conditions, events and metrics show it: `NotOwned`.
    ///
    /// ```
    /// assert_eq!(rustop_manager::Reason::NotOwned.as_str(), "NotOwned");
    /// ```
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ambiguous => "Ambiguous",
            Self::AlreadyExists => "AlreadyExists",
            Self::BadRequest => "BadRequest",
            Self::CannotListen => "CannotListen",
            Self::Conflict => "Conflict",
            Self::Deleting => "Deleting",
            Self::Forbidden => "Forbidden",
            Self::Invalid => "Invalid",
            Self::InvalidOption => "InvalidOption",
            Self::LeaseLost => "LeaseLost",
            Self::NamespaceTerminating => "NamespaceTerminating",
            Self::NoCluster => "NoCluster",
            Self::NoState => "NoState",
            Self::NotFound => "NotFound",
            Self::NotIndexed => "NotIndexed",
            Self::NotLeader => "NotLeader",
            Self::NotOwned => "NotOwned",
            Self::NotSelected => "NotSelected",
            Self::NotSynced => "NotSynced",
            Self::NotWatched => "NotWatched",
            Self::OwnedByAnother => "OwnedByAnother",
            Self::Panicked => "Panicked",
            Self::ReconcileFailed => "ReconcileFailed",
            Self::SameName => "SameName",
            Self::ServerError => "ServerError",
            Self::TimedOut => "TimedOut",
            Self::TooManyRequests => "TooManyRequests",
            Self::Unauthorized => "Unauthorized",
            Self::Unreachable => "Unreachable",
        }
    }
}
