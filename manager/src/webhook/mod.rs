//! Admission webhooks, which the API server calls before it stores an object.
//!
//! Prefer rules that need no running process: a default in the schema of the type, a CEL rule on a
//! field (`#[x_kube(validation = ..)]`), or, for kinds of other operators, a
//! `ValidatingAdmissionPolicy`. A webhook is for rules that these cannot express: values computed
//! in Rust, or rules that depend on other objects.
//!
//! A [`Defaulter`] changes an object before it is stored, a [`Validator`] accepts or rejects it:
//!
//! ```
//! use k8s_openapi::api::batch::v1::Job;
//! use rustop_manager::{Result, webhook::{Defaulter, FieldErrors, Request, Validator}};
//!
//! struct AtMostTen;
//!
//! impl Validator<Job> for AtMostTen {
//!     async fn create(&self, new: &Job, request: &Request) -> Result<()> {
//!         let mut errors = FieldErrors::new();
//!         let parallelism = new.spec.as_ref().and_then(|spec| spec.parallelism);
//!         if let Some(parallelism) = parallelism && parallelism > 10 {
//!             errors.invalid("spec.parallelism", parallelism, "must be at most 10");
//!         }
//!         errors.into_result()
//!     }
//! }
//!
//! struct Labelled;
//!
//! impl Defaulter<Job> for Labelled {
//!     async fn default(&self, new: &mut Job, request: &Request) -> Result<()> {
//!         let by = request.user().username.clone().unwrap_or_default();
//!         new.metadata.annotations.get_or_insert_default().entry("by".into()).or_insert(by);
//!         Ok(())
//!     }
//! }
//!
//! let manager = rustop_manager::Manager::new("op", "0", rustop_manager::Options::default())
//!     .defaulter(Labelled)
//!     .validator(AtMostTen);
//! ```
//!
//! An object that does not fit its Rust type is rejected with status 400, with two exceptions. If
//! the schema of its kind rejects the object as well, a defaulter is skipped: the API server then
//! reports all problems of the object at once. And an object that was stored when its type was
//! different can still be repaired and deleted: a defaulter is skipped while the object is being
//! deleted, and a validator sees only the new state, or nothing of a deleted object, and the user
//! gets a warning.
//!
//! Every replica serves webhooks, not only the leader. The path of a webhook is derived from its
//! kind, as in controller-runtime: `/mutate-<group>-<version>-<kind>` and `/validate-...`, in lower
//! case and with dashes for the dots of the group.

mod admission;
mod body;
pub(crate) mod certificate;
mod endpoint;
mod field_errors;
mod handlers;
mod metrics;
mod names;
mod patch;
mod request;
mod review;
mod server;

pub use field_errors::FieldErrors;
pub use request::{Operation, Request};

pub(crate) use admission::{Defaulting, Validating};
#[cfg(test)]
pub(crate) use endpoint::GRACE;
pub(crate) use endpoint::{Endpoint, EndpointContext};
pub(crate) use handlers::{Crds, Handlers};
pub(crate) use metrics::WebhookMetrics;
#[cfg(feature = "testing")]
pub(crate) use server::WebhookServer;

use std::future::Future;

use crate::{error::Result, object::Object};

/// Sets defaults in objects before they are validated and stored. Registered with
/// [`Manager::defaulter`](crate::Manager::defaulter).
pub trait Defaulter<K: Object>: Send + Sync + 'static {
    /// Changes `new`, which a user creates or updates. The changes are sent to the API server as a
    /// JSON patch. The API server may call the webhook twice for one request, so a second call must
    /// not change anything.
    ///
    /// # Errors
    /// An error rejects the request, as in [`Validator`].
    fn default(&self, new: &mut K, request: &Request) -> impl Future<Output = Result<()>> + Send;
}

/// Accepts or rejects creates, updates and deletes. Registered with
/// [`Manager::validator`](crate::Manager::validator).
///
/// An error rejects the request. [`FieldErrors`] become a status with the reason `Invalid` (422)
/// and one cause per field. An [`Error`](crate::Error) created with `Error::new` becomes a status
/// (403) with its reason and message. Any other error that `?` converts becomes an internal error
/// (500).
pub trait Validator<K: Object>: Send + Sync + 'static {
    /// Decides whether `new` may be created.
    ///
    /// # Errors
    /// An error rejects the request.
    fn create(&self, new: &K, request: &Request) -> impl Future<Output = Result<()>> + Send;

    /// Decides whether `old` may be changed to `new`. By default, calls [`Validator::create`] with
    /// `new`. Not called if `old` does not fit the type: then `create` is called and the user gets
    /// a warning.
    ///
    /// # Errors
    /// An error rejects the request.
    fn update(
        &self,
        old: &K,
        new: &K,
        request: &Request,
    ) -> impl Future<Output = Result<()>> + Send {
        let _ = old;
        self.create(new, request)
    }

    /// Decides whether `old` may be deleted. By default, every delete is allowed. Not called if
    /// `old` does not fit the type: then the delete is allowed. The API server sends deletes only
    /// if the webhook's marker has the verb `delete`.
    ///
    /// # Errors
    /// An error rejects the request.
    fn delete(&self, old: &K, request: &Request) -> impl Future<Output = Result<()>> + Send {
        let _ = (old, request);
        std::future::ready(Ok(()))
    }
}
