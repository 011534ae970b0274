//! The error reasons of this crate and of the API server.

/// The reason of an error that this crate or the API server returns. Conditions, events and metrics
/// show it as text, and [`Error::is`](crate::Error::is) compares an error with it. An operator's
/// own errors have other reasons ([`Error::new`](crate::Error::new)), and so do errors of
/// simulations and of the in-memory cluster for tests.
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
    /// The files of a certificate are missing or invalid.
    BadCertificate,
    /// The API server could not read the request.
    BadRequest,
    /// A server of the operator could not listen on its address.
    CannotListen,
    /// Another client changed the object, or another field manager owns a field.
    Conflict,
    /// Two flags contradict each other.
    Contradiction,
    /// Children remain, so the cleanup with `Context::delete_in_reverse` is not finished.
    Deleting,
    /// A controller or a task of the operator ended unexpectedly.
    Ended,
    /// The operator lacks a permission, or an admission plugin rejected the request.
    Forbidden,
    /// The API server, or a webhook with `FieldErrors`, rejected the content of the object.
    Invalid,
    /// A flag has a value that cannot be used.
    InvalidOption,
    /// The label or field selector of a watch cannot be parsed.
    InvalidSelector,
    /// The operator could not generate the CRDs of its types.
    InvalidTypes,
    /// This replica lost the lease, so another one may lead. The process exits.
    LeaseLost,
    /// The object cannot be deserialized into its Rust type.
    Malformed,
    /// The namespace is being deleted.
    NamespaceTerminating,
    /// A server of the operator has no usable certificate.
    NoCertificate,
    /// No cluster is configured.
    NoCluster,
    /// The child has no name.
    NoName,
    /// An object of a namespaced kind has no namespace.
    NoNamespace,
    /// A controller lacks state that it uses: see
    /// [`Manager::with_state`](crate::Manager::with_state).
    NoState,
    /// The object has no UID, so it cannot own children.
    NoUid,
    /// The API server has no such object or kind.
    NotFound,
    /// The controller has no index of this name.
    NotIndexed,
    /// Objects of the kind are cached only if an object names them, and no object names this one.
    NotNamed,
    /// The fence stopped a write, because this replica does not hold the lease.
    NotLeader,
    /// The object cannot own the child: an owner reference would cross namespaces.
    NotOwnable,
    /// This controller did not create the object, or the object has no owner reference to the
    /// reconciled one.
    NotOwned,
    /// The selector of the controller's watch excludes the object, or some of the objects that are
    /// read, so the cache lacks them.
    NotSelected,
    /// The cache of the kind is not filled yet.
    NotSynced,
    /// The controller does not watch the kind, or no controller does, so it is not cached.
    NotWatched,
    /// The object belongs to another owner.
    OwnedByAnother,
    /// A reconcile or a thread of the operator panicked.
    Panicked,
    /// Any error without a reason of its own.
    ReconcileFailed,
    /// The API server rejected the request with a status that has no reason in this list.
    Refused,
    /// Two converters have the same kind.
    SameKind,
    /// Two controllers have the same name.
    SameName,
    /// Two webhooks have the same path.
    SamePath,
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
    /// The webhooks of a test could not be served.
    WebhooksNotServed,
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
            Self::BadCertificate => "BadCertificate",
            Self::BadRequest => "BadRequest",
            Self::CannotListen => "CannotListen",
            Self::Conflict => "Conflict",
            Self::Contradiction => "Contradiction",
            Self::Deleting => "Deleting",
            Self::Ended => "Ended",
            Self::Forbidden => "Forbidden",
            Self::Invalid => "Invalid",
            Self::InvalidOption => "InvalidOption",
            Self::InvalidSelector => "InvalidSelector",
            Self::InvalidTypes => "InvalidTypes",
            Self::LeaseLost => "LeaseLost",
            Self::Malformed => "Malformed",
            Self::NamespaceTerminating => "NamespaceTerminating",
            Self::NoCertificate => "NoCertificate",
            Self::NoCluster => "NoCluster",
            Self::NoName => "NoName",
            Self::NoNamespace => "NoNamespace",
            Self::NoState => "NoState",
            Self::NoUid => "NoUid",
            Self::NotFound => "NotFound",
            Self::NotIndexed => "NotIndexed",
            Self::NotNamed => "NotNamed",
            Self::NotLeader => "NotLeader",
            Self::NotOwnable => "NotOwnable",
            Self::NotOwned => "NotOwned",
            Self::NotSelected => "NotSelected",
            Self::NotSynced => "NotSynced",
            Self::NotWatched => "NotWatched",
            Self::OwnedByAnother => "OwnedByAnother",
            Self::Panicked => "Panicked",
            Self::ReconcileFailed => "ReconcileFailed",
            Self::Refused => "Refused",
            Self::SameKind => "SameKind",
            Self::SameName => "SameName",
            Self::SamePath => "SamePath",
            Self::ServerError => "ServerError",
            Self::TimedOut => "TimedOut",
            Self::TooManyRequests => "TooManyRequests",
            Self::Unauthorized => "Unauthorized",
            Self::Unreachable => "Unreachable",
            Self::WebhooksNotServed => "WebhooksNotServed",
        }
    }
}
