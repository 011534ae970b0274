//! The versions of a kind that are converted into each other, and their order.

use crate::resource::Resource;

/// Returns those of all versions of a kind that are converted into each other, the oldest first.
pub fn converted(mut versions: Vec<&Resource>) -> Vec<&Resource> {
    if versions.len() < 2 || !versions.iter().any(|one| one.has(|has| has.conversion)) {
        return Vec::new();
    }
    versions.sort_by_key(|resource| resource.version.order());
    versions
}

/// Returns the next older of the converted versions.
pub fn older<'a>(converted: &[&'a Resource], resource: &Resource) -> Option<&'a Resource> {
    let newer = converted.iter().position(|one| one.same_type(resource))?;
    converted[..newer].last().copied()
}
