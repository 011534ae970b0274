//! Objects that an operator numbers: `cow-0`, `cow-1`. A new object may get the next free number
//! while an old one is still being deleted, so snapshots are compared by the number of objects, not
//! by their ordinals.

use std::collections::BTreeMap;

/// A kind and a name.
type KindAndName<'a> = (&'a str, &'a str);

/// Maps the kind and name of each numbered object of `found` to the name of its counterpart in
/// `expected`, in the order of the numbers. Leaves out objects whose names do not end in a number,
/// and those of a kind and prefix of which `found` and `expected` have different numbers.
pub fn renumbered<'a>(
    expected: impl Iterator<Item = KindAndName<'a>>,
    found: impl Iterator<Item = KindAndName<'a>>,
) -> BTreeMap<KindAndName<'a>, &'a str> {
    let wanted = numbered(expected);
    let mut names = BTreeMap::new();
    for ((kind, stem), have) in numbered(found) {
        let Some(want) = wanted.get(&(kind, stem)) else {
            continue;
        };
        if want.len() == have.len() {
            let pairs = have.into_iter().zip(want);
            names.extend(pairs.map(|((_, name), (_, other))| ((kind, name), *other)));
        }
    }
    names
}

/// Returns the names by kind and prefix, ordered by their ordinals.
fn numbered<'a>(
    names: impl Iterator<Item = KindAndName<'a>>,
) -> BTreeMap<KindAndName<'a>, Vec<(u64, &'a str)>> {
    let mut stems: BTreeMap<KindAndName<'a>, Vec<(u64, &'a str)>> = BTreeMap::new();
    for (kind, name) in names {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        if let Ok(number) = name[stem.len()..].parse() {
            stems.entry((kind, stem)).or_default().push((number, name));
        }
    }
    for all in stems.values_mut() {
        all.sort_unstable();
    }
    stems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_objects_are_compared_by_count() {
        let renumber = |expected: &[&'static str], found: &[&'static str]| {
            let pods = |names: &[&'static str]| {
                let pods: Vec<_> = names.iter().map(|name| ("Pod", *name)).collect();
                pods.into_iter()
            };
            let names = renumbered(pods(expected), pods(found));
            names
                .into_iter()
                .map(|((_, name), other)| (name, other))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            renumber(&["cow-0", "cow-1"], &["cow-1", "cow-2"]),
            [("cow-1", "cow-0"), ("cow-2", "cow-1")]
        );
        assert_eq!(
            renumber(&["cow-9", "cow-10"], &["cow-11", "cow-10"]),
            [("cow-10", "cow-9"), ("cow-11", "cow-10")]
        );
        assert_eq!(renumber(&["cow-0", "cow-1"], &["cow-1"]), []);
        assert_eq!(renumber(&["cow-0"], &["calf-0"]), []);
        assert_eq!(renumber(&["cow"], &["cow"]), []);
    }
}
