//! A merge of one unit by part: its comments, each of its attributes, and the rest.

use std::collections::{BTreeMap, BTreeSet};

use diffy::MergeOptions;

use super::order::order;

/// Merges a unit by part, and each part by line. Returns `None` if both sides have changed the same
/// lines.
pub fn merge(base: &str, ours: &str, theirs: &str) -> Option<String> {
    if let Ok(text) = MergeOptions::new().merge(base, ours, theirs) {
        return Some(text);
    }
    let files = [base, ours, theirs].map(parts);
    let [old, mine, new] = files.each_ref().map(|all| -> BTreeMap<_, _> {
        all.iter()
            .map(|(name, text)| (name.as_str(), text.as_str()))
            .collect()
    });
    let names = [&files[1], &files[2]].map(|all| all.iter().map(|(name, _)| name.as_str()));
    let [ours, theirs] = names;
    let texts = order(ours, theirs).into_iter().map(|name| {
        let texts = [&old, &mine, &new].map(|all| all.get(name).copied().unwrap_or_default());
        match texts {
            [_, mine, new] if mine == new => Some(mine.to_owned()),
            [old, mine, new] if mine == old => Some(new.to_owned()),
            [old, mine, new] if new == old => Some(mine.to_owned()),
            [old, mine, new] => MergeOptions::new().merge(old, mine, new).ok(),
        }
    });
    texts.map(|text| Some(lines(&text?))).collect()
}

/// Splits a unit into parts with unique names. An attribute is named by its path and a counter.
fn parts(text: &str) -> Vec<(String, String)> {
    let mut parts: Vec<(String, String)> = Vec::new();
    let mut seen = BTreeMap::<&str, usize>::new();
    let mut open = false;
    for line in text.split_inclusive('\n') {
        let word = line.trim();
        let last = parts.last_mut();
        let is_comment = word.starts_with("//");
        match last {
            Some((name, text))
                if open || name == "rest" || (is_comment && name.starts_with("//")) =>
            {
                *text += line;
            }
            _ => {
                let name = if is_comment {
                    "//"
                } else if word.starts_with("#[") {
                    open = true;
                    word.split(['(', ']', '='])
                        .next()
                        .unwrap_or_default()
                        .trim()
                } else {
                    "rest"
                };
                let number = seen.entry(name).or_default();
                *number += 1;
                let name = if name == "rest" {
                    name.to_owned()
                } else {
                    format!("{name} {number}")
                };
                parts.push((name, line.to_owned()));
            }
        }
        open &= !word.ends_with(']');
    }
    parts
}

/// Merges the `use` declarations of one module: adds the names that one side has added, and removes
/// those that one has removed. Returns `None` if a declaration contains comments, attributes or
/// nested paths.
pub fn names(base: &str, ours: &str, theirs: &str) -> Option<String> {
    let [(_, old), (start, mine), (_, new)] = [imported(base)?, imported(ours)?, imported(theirs)?];
    let gone = old.iter().filter(|name| !new.contains(*name));
    let gone: Vec<_> = gone.collect();
    let names = mine.iter().filter(|name| !gone.contains(name));
    let added = new.iter().filter(|name| !old.contains(*name));
    let all: BTreeSet<_> = names.chain(added).copied().collect();
    let all: Vec<_> = all.into_iter().collect();
    Some(match all.as_slice() {
        [] => String::new(),
        [one] => format!("{start}{one};\n"),
        all => format!("{start}{{{}}};\n", all.join(", ")),
    })
}

/// Splits a `use` declaration into its path and the names imported from it. Returns `None` if it
/// contains comments, attributes or nested paths.
fn imported(text: &str) -> Option<(&str, BTreeSet<&str>)> {
    let text = text.trim().strip_suffix(';')?;
    if text.contains("//") || text.contains('#') {
        return None;
    }
    let (start, names) = match text.split_once('{') {
        Some((start, names)) => (start, names.strip_suffix('}')?),
        None => text.split_at(text.rfind("::")? + 2),
    };
    let names = names.split(',').map(str::trim);
    let names: BTreeSet<_> = names.filter(|name| !name.is_empty()).collect();
    let is_simple = names.iter().all(|name| !name.contains([':', '{', '}']));
    is_simple.then_some((start, names))
}

/// Returns the text with a final line feed, unless it is empty.
pub fn lines(text: &str) -> String {
    let is_whole = text.is_empty() || text.ends_with('\n');
    format!("{text}{}", if is_whole { "" } else { "\n" })
}
