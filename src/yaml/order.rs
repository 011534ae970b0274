//! The order of a mapping's keys.

use std::cmp::Ordering;

use serde_json::{Map, Value};

/// Returns the entries in the order of Go's writer: letters by code point, digits as numbers (`v2`
/// before `v10`), other characters before letters. That order is not transitive for some unusual
/// keys, for which `sort_by` may panic. An insertion sort always terminates.
pub fn in_order(map: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut entries: Vec<_> = map.iter().collect();
    entries.sort_unstable_by_key(|(key, _)| *key);
    for end in 1..entries.len() {
        let mut at = end;
        while at > 0 && natural(entries[at].0, entries[at - 1].0) == Ordering::Less {
            entries.swap(at, at - 1);
            at -= 1;
        }
    }
    entries
}

fn natural(a: &str, b: &str) -> Ordering {
    let same = a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count();
    let rest_of = |s: &str| s.chars().skip(same).collect::<Vec<_>>();
    let (rest_a, rest_b) = (rest_of(a), rest_of(b));
    let (Some(&x), Some(&y)) = (rest_a.first(), rest_b.first()) else {
        return rest_a.len().cmp(&rest_b.len());
    };
    match (x.is_alphabetic(), y.is_alphabetic()) {
        (true, true) => return x.cmp(&y),
        (false, true) => return Ordering::Less,
        (true, false) => return Ordering::Greater,
        (false, false) => {}
    }
    // After a digit other than 0, a 0 is part of the number and not a leading zero.
    let before: Vec<char> = a.chars().take(same).collect();
    let digits_before = before.iter().rev().take_while(|c| c.is_ascii_digit());
    let inside = (x == '0' || y == '0') && digits_before.into_iter().any(|c| *c != '0');
    let value = |rest: &[char]| {
        let digits: Vec<u64> = rest
            .iter()
            .map_while(|c| c.to_digit(10).map(u64::from))
            .collect();
        let number = digits.iter().fold(u64::from(inside), |n, digit| {
            n.saturating_mul(10).saturating_add(*digit)
        });
        (number, digits.len())
    };
    value(&rest_a).cmp(&value(&rest_b)).then(x.cmp(&y))
}
