//! The target of a request to the in-memory API server.

use super::{kinds::Kind, state::Key};

/// The target of a request, from its URL and its query.
pub(super) struct Target<'a> {
    pub kind: &'a Kind,
    /// The key of the object. Its name is empty in a request for a collection. In a create request,
    /// [`super::write::draft`] takes it from the body, or [`super::write::complete`] generates it
    /// from `generateName`.
    pub key: Key,
    /// `status` or empty.
    pub subresource: &'a str,
    /// The field manager of the write.
    pub manager: &'a str,
    /// True if an apply takes over conflicting fields of other field managers.
    pub force: bool,
    /// True if nothing is stored.
    pub dry_run: bool,
    /// The number of the process that sends the request; 0 for a client that is not an operator.
    pub process: usize,
}
