//! The names that most operators use: `use rustop_manager::prelude::*;`.
//!
//! ```
//! use k8s_openapi::api::{apps::v1::Deployment, core::v1::Service};
//! use rustop_manager::prelude::*;
//!
//! async fn reconcile(web: Arc<Deployment>, ctx: Context<Deployment>) -> Result<Action> {
//!     if ctx.get::<Service>("web")?.is_none() {
//!         return Err(Error::new("NoService", "Service `web` not found"));
//!     }
//!     # drop(web);
//!     Ok(Action::await_change())
//! }
//!
//! let controller = Controller::new(reconcile).owns::<Service>();
//! let manager = Manager::new("web-operator", "0.1.0", Options::default()).controller(controller);
//! # drop(manager);
//! ```
//!
//! A type of your own that has one of these names, and that you import or define, hides the name of
//! the prelude. Write the path of the hidden one, such as `rustop_manager::Action`.

pub use std::sync::Arc;

pub use kube::runtime::reflector::ObjectRef;

pub use crate::condition::{self, Conditions as _};
pub use crate::{
    Action, Children, Context, Controller, Error, EventType, Manager, Options, Result, Sequence,
    Watch, ready,
};
