//! What a version cannot hold, in annotations until the way back.
//!
//! Each field has an annotation of its own, `v1.webhook-conversion/spec.volume`. Server-side apply takes an
//! annotation for one thing: were all fields in one, none could be taken out of it by an applier that does
//! not apply it any more.
//!
//! Whoever may write annotations may write these. What does not fit is left out, with a warning: nobody
//! else may notice, least of all whoever lists objects.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Map, Value, json};

use super::{difference::Difference, shape::PARTS};

/// What stands between the version and the field in the annotation's name.
const PREFIX: &str = ".webhook-conversion/";
/// The longest that may stand behind a slash.
const LONGEST_NAME: usize = 63;
/// The API server takes so many bytes in all annotations of an object together.
/// <https://kubernetes.io/docs/concepts/overview/working-with-objects/annotations/>
const MOST: usize = 256 * 1024;

/// All that is kept of an object, by the version that it is a part of.
#[derive(Debug, Default)]
pub(super) struct Kept(BTreeMap<String, Vec<Difference>>);

impl Kept {
    /// Takes it off an object. What is none is told to `warn`.
    pub fn take(object: &mut Map<String, Value>, mut warn: impl FnMut(String)) -> Self {
        let annotations = object
            .get_mut("metadata")
            .and_then(|metadata| metadata.get_mut("annotations"));
        let mut kept = Self::default();
        let Some(annotations) = annotations.and_then(Value::as_object_mut) else {
            return kept;
        };
        annotations.retain(|name, value| {
            let Some((version, _)) = name.split_once(PREFIX) else {
                return true;
            };
            match parse(value.as_str().unwrap_or_default()) {
                Ok(one) => kept.0.entry(version.to_owned()).or_default().push(one),
                Err(error) => warn(format!(
                    "somebody broke the annotation {name}, it is lost: {error}"
                )),
            }
            false
        });
        kept
    }

    /// Puts it onto an object, if there is any, but for what is too much for annotations; names that.
    pub fn put(mut self, object: &mut Map<String, Value>) -> Vec<String> {
        let metadata = object.entry("metadata").or_insert_with(|| json!({}));
        let Some(metadata) = metadata.as_object_mut() else {
            return Vec::new();
        };
        let annotations = metadata.entry("annotations").or_insert(Value::Null);
        if annotations.is_null() {
            *annotations = json!({});
        }
        let mut left_out = Vec::new();
        if let Some(annotations) = annotations.as_object_mut() {
            let length = |name: &str, value: &str| name.len() + value.len();
            let others = annotations.iter();
            let others =
                others.map(|(name, value)| length(name, value.as_str().unwrap_or_default()));
            let mut bytes: usize = others.sum();
            // the small ones first, so that the most of them has a place
            let mut mine: Vec<_> = self.drain().collect();
            mine.sort_by_key(|(name, one, text)| (length(name, text), one.path.clone()));
            for (name, one, text) in mine {
                bytes += length(&name, &text);
                if bytes > MOST {
                    left_out.push(format!("`{}`", one.dotted()));
                } else {
                    annotations.insert(name, text.into());
                }
            }
            if annotations.is_empty() {
                metadata.remove("annotations");
            }
        }
        left_out
    }

    /// Makes the fields of `version` what they were, but for those that somebody changed since, and those
    /// with which nothing comes `back` from the object any more: these are told to `warn`. Returns the
    /// object and what comes back. See [`Difference::undo`] for what it is to be `whole`.
    ///
    /// # Errors
    /// When nothing comes back from the object as it is.
    pub fn restore(
        &mut self,
        version: &str,
        (object, whole): (Value, bool),
        back: impl Fn(&Value) -> Result<Value, String>,
        mut warn: impl FnMut(String),
    ) -> Result<(Value, Value), String> {
        let kept = self.0.remove(version).unwrap_or_default();
        if kept.is_empty() {
            let came = back(&object)?;
            return Ok((object, came));
        }
        // What is restored may be anything, a value that no conversion was made for, too.
        let attempt = |object: &Value, kept: &[Difference]| {
            let mut object = object.clone();
            for one in kept {
                one.undo(&mut object, whole);
            }
            let came = catch_unwind(AssertUnwindSafe(|| back(&object)));
            let came = came.unwrap_or_else(|_| Err("it panicked".to_owned()));
            came.map(|came| (object, came))
        };
        if let Ok(all) = attempt(&object, &kept) {
            return Ok(all);
        }
        let came = back(&object)?;
        let one_by_one = kept.iter().fold((object, came), |so_far, one| {
            match attempt(&so_far.0, std::slice::from_ref(one)) {
                Ok(more) => more,
                Err(error) => {
                    let field = one.dotted();
                    warn(format!(
                        "what is kept of `{field}` of {version} does not fit, it is lost: {error}"
                    ));
                    so_far
                }
            }
        });
        Ok(one_by_one)
    }

    /// Keeps what is lost of `version`.
    pub fn remember(&mut self, version: &str, lost: Vec<Difference>) {
        if lost.is_empty() {
            self.0.remove(version);
        } else {
            self.0.insert(version.to_owned(), lost);
        }
    }

    /// What is kept of `version`.
    #[cfg(test)]
    pub fn of(&self, version: &str) -> &[Difference] {
        self.0.get(version).map_or(&[], Vec::as_slice)
    }

    /// The annotations, each with what is kept in it.
    fn drain(&mut self) -> impl Iterator<Item = (String, Difference, String)> {
        let all = std::mem::take(&mut self.0).into_iter();
        let all = all.flat_map(|(version, kept)| {
            kept.into_iter().map(move |one| {
                let text = json!(one).to_string();
                (name(&version, &one), one, text)
            })
        });
        all.collect::<Vec<_>>().into_iter()
    }
}

/// Of the object, only what is converted may be kept: who it is does not change.
fn parse(text: &str) -> Result<Difference, String> {
    let one: Difference = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let part = one
        .path
        .strip_prefix('/')
        .and_then(|path| path.split('/').next());
    if part.is_some_and(|part| PARTS.contains(&part)) {
        return Ok(one);
    }
    Err(format!(
        "{:?} is no path of a field of {}",
        one.path,
        PARTS.join(" or ")
    ))
}

/// The name of the annotation for a field. Where its path is too long or has characters that no name may
/// have, a part of it and a hash have to do: the whole path is in the value.
fn name(version: &str, one: &Difference) -> String {
    let field = one.dotted();
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let is_name = field.len() <= LONGEST_NAME
        && field.chars().all(fits)
        && field.ends_with(|c: char| c.is_ascii_alphanumeric());
    if is_name {
        return format!("{version}{PREFIX}{field}");
    }
    let mut hasher = DefaultHasher::new();
    field.hash(&mut hasher);
    let start: String = field.chars().filter(|c| fits(*c)).take(40).collect();
    format!("{version}{PREFIX}{start}-{:016x}", hasher.finish())
}
