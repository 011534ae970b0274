//! Values of the operator's author that all reconciles share, such as clients of other systems and configuration.

use std::any::{Any, TypeId, type_name};
use std::collections::HashMap;
use std::fmt;

use crate::error::{Error, Result};

/// The values that were passed to [`Manager::with_state`](crate::Manager::with_state), one of each type.
#[derive(Default)]
pub(crate) struct SharedState(HashMap<TypeId, Box<dyn Any + Send + Sync>>);

/// A type of state that a controller requires.
#[derive(Clone, Copy)]
pub(crate) struct Required {
    id: TypeId,
    name: &'static str,
}

impl Required {
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

    /// Returns the value of a type that is among `required`.
    ///
    /// # Errors
    /// Returns `NoState` if the type is not among them, whether or not the value exists: so a missing declaration is
    /// noticed by the first test, and not when another program runs the controller without the value.
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

    /// Checks that the manager has the state that a controller requires.
    ///
    /// # Errors
    /// Returns `NoState` if it lacks one.
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
