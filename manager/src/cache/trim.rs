//! Field projection: removes parts of objects before they are cached.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use kube::core::ObjectMeta;
use serde::Serialize;

use crate::cache::decoded::Decoded;
use crate::object::AnyObject;

/// A field projection for objects of some kind, without the type of the kind.
#[derive(Clone)]
pub(crate) struct Trim {
    /// The address of the function, which identifies the projection.
    address: usize,
    /// A `Projection<K>`.
    projection: Arc<dyn Any + Send + Sync>,
}

impl Trim {
    /// Creates the projection that calls `cut`, which removes parts of an object.
    pub fn new<K: AnyObject + Serialize>(cut: fn(&mut K)) -> Self {
        let text = |object: &K| serde_json::to_string(object);
        Self {
            address: cut as usize,
            projection: Arc::new(Projection { cut, text }),
        }
    }

    /// Returns the projection if it is for objects of type `K`.
    pub fn projection<K: AnyObject>(&self) -> Option<Arc<Projection<K>>> {
        self.projection.clone().downcast().ok()
    }
}

/// Two projections are equal if they are the same function.
impl PartialEq for Trim {
    fn eq(&self, other: &Self) -> bool {
        self.address == other.address
    }
}

impl Eq for Trim {}

impl fmt::Debug for Trim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Trim").field(&self.address).finish()
    }
}

/// A field projection for objects of type `K`.
pub(crate) struct Projection<K> {
    /// Removes parts of an object.
    cut: fn(&mut K),
    /// Serializes an object as JSON.
    text: fn(&K) -> serde_json::Result<String>,
}

impl<K: AnyObject> Projection<K> {
    /// Trims an object. Computes the hashes of the applied fields before. Of the metadata, only
    /// annotations can be removed, because the caches need the rest.
    pub fn cut(&self, mut whole: Decoded<K>) -> Decoded<K> {
        whole.applied_hashes = whole.applied_hashes();
        let object = Arc::make_mut(&mut whole.object);
        let meta = object.meta().clone();
        (self.cut)(object);
        let annotations = object.meta_mut().annotations.take();
        *object.meta_mut() = ObjectMeta {
            annotations,
            ..meta
        };
        whole.text = (self.text)(object).unwrap_or(whole.text);
        whole
    }
}
