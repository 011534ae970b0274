//! A common order for two lists of names, such as those of the units of two Rust files.

/// Returns all names in the order of `ours`. A name that only `theirs` has is placed after its
/// predecessor there.
pub fn order<'a>(
    ours: impl Iterator<Item = &'a str>,
    theirs: impl Iterator<Item = &'a str>,
) -> Vec<&'a str> {
    let mut all: Vec<_> = ours.collect();
    let mut next = 0;
    for name in theirs {
        let place = all.iter().position(|one| *one == name);
        let at = place.unwrap_or(next);
        if place.is_none() {
            all.insert(at, name);
        }
        next = at + 1;
    }
    all
}
