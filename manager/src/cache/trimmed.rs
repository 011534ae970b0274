//! Watches that cache only part of each object.

use std::marker::PhantomData;

use serde::Serialize;

use crate::cache::selection::Watch;
use crate::object::AnyObject;

/// A [`Watch`] for objects of type `T`, with or without a projection: the argument of the
/// deprecated functions `owns_with` and `watches_only`. Their successors take a
/// [`KindWatch`](crate::KindWatch).
#[derive(Clone, Debug)]
pub struct Trimmed<T> {
    pub(crate) watch: Watch,
    kind: PhantomData<fn(T)>,
}

impl<T> From<Watch> for Trimmed<T> {
    fn from(watch: Watch) -> Self {
        let kind = PhantomData;
        Self { watch, kind }
    }
}

impl Watch {
    /// Caches only the part of each object that `cut` leaves; see
    /// [`KindWatch::project`](crate::KindWatch::project).
    #[deprecated(note = "use `Watch::<Kind>::new().project(..)`")]
    #[must_use]
    pub fn trimmed<T: AnyObject + Serialize>(self, cut: fn(&mut T)) -> Trimmed<T> {
        self.and_trim(cut).into()
    }
}
