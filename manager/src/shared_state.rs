//! Values that an operator passes to its manager and that all reconciles share, such as
//! configuration and clients of other systems.

use std::any::{Any, TypeId, type_name};
use std::collections::HashMap;
use std::fmt;

use crate::error::{Error, Result};

/// The values that were passed to [`Manager::with_state`](crate::Manager::with_state), at most one
/// of each type.
#[derive(Default)]
pub(crate) struct SharedState(HashMap<TypeId, Box<dyn Any + Send + Sync>>);

/// A type that a controller declared with
/// [`Controller::requires_state`](crate::Controller::requires_state).
#[derive(Clone, Copy)]
pub(crate) struct Required {
    id: TypeId,
    /// The path of the type, for error messages.
    name: &'static str,
}

impl Required {
    /// Returns the requirement of a value of type `S`.
    pub fn of<S: 'static>() -> Self {
        Self {
            id: TypeId::of::<S>(),
            name: type_name::<S>(),
        }
    }
}

impl SharedState {
    /// Adds a value, or replaces the one of the same type.
    pub fn insert<S: Send + Sync + 'static>(&mut self, state: S) {
        self.0.insert(TypeId::of::<S>(), Box::new(state));
    }

    /// Returns the value of type `S`, which must be among the types in `required`.
    ///
    /// # Errors
    /// Returns `NoState` if the controller does not declare the type, even if the manager has a
    /// value of it. So the first test finds a missing declaration, and [`check`](Self::check) can
    /// rely on the declarations at startup.
    pub fn get<S: 'static>(&self, required: &[Required]) -> Result<&S> {
        let state = required
            .iter()
            .find(|one| one.id == TypeId::of::<S>())
            .and_then(|one| self.0.get(&one.id)?.downcast_ref());
        state.ok_or_else(|| {
            let name = type_name::<S>();
            let text = format!(
                "the controller does not require state of type `{name}`; help: add `.requires_state::<{name}>()` to the \
                 controller"
            );
            Error::new("NoState", text)
        })
    }

    /// Checks that there is a value for each type that a controller requires. The manager calls
    /// this before it starts.
    ///
    /// # Errors
    /// Returns `NoState` if the value of a required type is missing.
    pub fn check(&self, controller: &str, required: &[Required]) -> Result<()> {
        let missing = required.iter().find(|one| !self.0.contains_key(&one.id));
        missing.map_or(Ok(()), |Required { name, .. }| {
            let text = format!(
                "the controller `{controller}` requires state of type `{name}`, which the manager does not have; help: add \
                 `.with_state(..)` with a value of this type to the manager"
            );
            Err(Error::new("NoState", text))
        })
    }
}

impl fmt::Debug for SharedState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SharedState").field(&self.0.len()).finish()
    }
}
