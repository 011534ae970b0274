//! Admission webhooks: what the API server asks before it stores an object.
//!
//! Prefer what needs no process to answer: a default in the type's schema, a CEL rule on a field
//! (`#[x_kube(validation = ..)]`), or, for kinds of others, a `ValidatingAdmissionPolicy`. A webhook
//! is for what these cannot say: values worked out in Rust, or a look at other objects.
//!
//! A [`Defaulter`] changes an object on its way in, a [`Validator`] refuses it:
//!
//! ```
//! use k8s_openapi::api::batch::v1::Job;
//! use manager::{Result, webhook::{Defaulter, FieldErrors, Request, Validator}};
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
//! let manager = manager::Manager::new("op", "0", manager::Options::default())
//!     .defaulter(Labelled)
//!     .validator(AtMostTen);
//! ```
//!
//! What does not fit the type is not shown to a defaulter, when the schema of the kind refuses it, too: the API
//! server says all that is wrong with it at once. An object that was stored when other types held can be mended
//! and deleted: a validator judges the new one alone then, and whoever asks gets a warning.
//!
//! Every replica answers, whether it leads or not. The path of a webhook follows from its kind, as
//! in controller-runtime: `/mutate-<group>-<version>-<kind>` and `/validate-...`, in lower case and
//! with dashes for the dots of the group.

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

use std::future::Future;

use crate::{error::Result, object::Object};

/// Completes objects before they are validated and stored.
pub trait Defaulter<K: Object>: Send + Sync + 'static {
    /// Changes `new`, which somebody creates or updates; the difference goes to the API server. It
    /// may be asked twice about one object, so it must change nothing the second time.
    ///
    /// An error refuses the object, as in [`Validator`].
    fn default(&self, new: &mut K, request: &Request) -> impl Future<Output = Result<()>> + Send;
}

/// Accepts or refuses what somebody wants to do.
///
/// An error refuses: [`FieldErrors`] with the status `Invalid` and a line for each field, an
/// [`Error`](crate::Error) of your own with its reason and message, and anything else that `?`
/// returns as an internal error.
pub trait Validator<K: Object>: Send + Sync + 'static {
    /// Somebody creates `new`.
    fn create(&self, new: &K, request: &Request) -> impl Future<Output = Result<()>> + Send;

    /// Somebody changes `old` into `new`. The same as creating it, unless implemented, or `old` does not fit
    /// the type.
    fn update(
        &self,
        old: &K,
        new: &K,
        request: &Request,
    ) -> impl Future<Output = Result<()>> + Send {
        let _ = old;
        self.create(new, request)
    }

    /// Somebody deletes `old`. Allowed, unless implemented, or where `old` does not fit the type; the marker
    /// must name the verb `delete`.
    fn delete(&self, old: &K, request: &Request) -> impl Future<Output = Result<()>> + Send {
        let _ = (old, request);
        std::future::ready(Ok(()))
    }
}
