//! Which versions of a kind are converted into each other, and in which order.

use crate::resource::Resource;

/// Those of all versions of one kind that are converted into each other, the oldest first.
pub fn converted(mut versions: Vec<&Resource>) -> Vec<&Resource> {
    if versions.len() < 2 || !versions.iter().any(|one| one.has(|has| has.conversion)) {
        return Vec::new();
    }
    versions.sort_by_key(|resource| resource.version.age());
    versions
}

/// The version before a resource among those that are converted.
pub fn older<'a>(converted: &[&'a Resource], resource: &Resource) -> Option<&'a Resource> {
    let newer = converted.iter().position(|one| one.same_type(resource))?;
    converted[..newer].last().copied()
}
