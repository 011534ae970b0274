//! Fields that a version cannot hold, preserved in annotations until the conversion back.
//!
//! Each field has its own annotation, for example `v1.webhook-conversion/spec.volume`. Server-side
//! apply treats an annotation as one value: if all fields were in one annotation, an applier that
//! no longer applies a field could not remove it.
//!
//! A user who may write annotations may also write these. A value that does not fit is ignored with
//! a warning. It must not affect other users, least of all those who list objects.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Map, Value, json};

use super::{difference::Difference, shape::PARTS};

/// The part of an annotation's name between the version and the field.
const PREFIX: &str = ".webhook-conversion/";
/// Maximum length of an annotation name after the slash.
const LONGEST_NAME: usize = 63;
/// Maximum total size in bytes of the annotations of an object.
/// <https://kubernetes.io/docs/concepts/overview/working-with-objects/annotations/>
const MAX_TOTAL_BYTES: usize = 256 * 1024;

/// The preserved fields of an object, by the version that has the field, such as `v1`. While an
/// object is converted, they are in this value instead of its annotations.
#[derive(Debug, Default)]
pub(super) struct PreservedFields(BTreeMap<String, Vec<Difference>>);

impl PreservedFields {
    /// Removes the annotations from an object and parses them. Invalid ones are reported to `warn`.
    pub fn read_annotations(object: &mut Map<String, Value>, mut warn: impl FnMut(String)) -> Self {
        let annotations = object
            .get_mut("metadata")
            .and_then(|metadata| metadata.get_mut("annotations"));
        let mut preserved = Self::default();
        let Some(annotations) = annotations.and_then(Value::as_object_mut) else {
            return preserved;
        };
        annotations.retain(|name, value| {
            let Some((version, _)) = name.split_once(PREFIX) else {
                return true;
            };
            match parse(value.as_str().unwrap_or_default()) {
                Ok(one) => preserved.0.entry(version.to_owned()).or_default().push(one),
                Err(error) => warn(format!(
                    "discarded the invalid annotation `{name}`: {error}"
                )),
            }
            false
        });
        preserved
    }

    /// Writes the annotations to an object. Returns the fields for which there is no space, in
    /// backquotes, for messages.
    pub fn write_annotations(mut self, object: &mut Map<String, Value>) -> Vec<String> {
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
            // small ones first, so that as many as possible fit
            let mut mine: Vec<_> = self.drain().collect();
            mine.sort_by_key(|(name, one, text)| (length(name, text), one.path.clone()));
            for (name, one, text) in mine {
                bytes += length(&name, &text);
                if bytes > MAX_TOTAL_BYTES {
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

    /// Restores the preserved fields of `version` in `object`, the result of a conversion to
    /// `version`, and returns the object and its conversion `back` to the other version. Forgets
    /// these fields, which the object now has. A field that was changed in the meantime is not
    /// restored. A field whose restored value cannot be converted back is reported to `warn` and
    /// not restored. See [`Difference::undo`] for `whole`.
    ///
    /// # Errors
    /// Returns an error if even the object without restored fields cannot be converted back.
    pub fn restore(
        &mut self,
        version: &str,
        (object, whole): (Value, bool),
        back: impl Fn(&Value) -> Result<Value, String>,
        mut warn: impl FnMut(String),
    ) -> Result<(Value, Value), String> {
        let preserved = self.0.remove(version).unwrap_or_default();
        if preserved.is_empty() {
            let came = back(&object)?;
            return Ok((object, came));
        }
        // A restored value may be anything, including one for which a conversion panics.
        let attempt = |object: &Value, preserved: &[Difference]| {
            let mut object = object.clone();
            for one in preserved {
                one.undo(&mut object, whole);
            }
            let came = catch_unwind(AssertUnwindSafe(|| back(&object)));
            let came = came.unwrap_or_else(|_| Err("the conversion panicked".to_owned()));
            came.map(|came| (object, came))
        };
        // usually all can be restored; only if not, the fields that fail are searched one by one
        if let Ok(all) = attempt(&object, &preserved) {
            return Ok(all);
        }
        let came = back(&object)?;
        let one_by_one = preserved.iter().fold((object, came), |so_far, one| {
            match attempt(&so_far.0, std::slice::from_ref(one)) {
                Ok(more) => more,
                Err(error) => {
                    let field = one.dotted();
                    warn(format!(
                        "discarded the preserved value of `{field}` of {version}, which no longer converts: {error}"
                    ));
                    so_far
                }
            }
        });
        Ok(one_by_one)
    }

    /// Replaces the preserved fields of `version` by `lost`.
    pub fn preserve(&mut self, version: &str, lost: Vec<Difference>) {
        if lost.is_empty() {
            self.0.remove(version);
        } else {
            self.0.insert(version.to_owned(), lost);
        }
    }

    /// Returns the preserved fields of `version`.
    #[cfg(test)]
    pub fn of(&self, version: &str) -> &[Difference] {
        self.0.get(version).map_or(&[], Vec::as_slice)
    }

    /// Returns the annotations: name, preserved field, and text.
    fn drain(&mut self) -> impl Iterator<Item = (String, Difference, String)> {
        let all = std::mem::take(&mut self.0).into_iter();
        let all = all.flat_map(|(version, preserved)| {
            preserved.into_iter().map(move |one| {
                let text = json!(one).to_string();
                (name(&version, &one), one, text)
            })
        });
        all.collect::<Vec<_>>().into_iter()
    }
}

/// Parses an annotation. Only converted parts of an object are accepted, so that an annotation
/// cannot change its identity.
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
        "{:?} is not the path of a field in {}",
        one.path,
        PARTS.join(" or ")
    ))
}

/// Returns the name of a field's annotation. If the path is too long or has characters that are not
/// allowed in a name, it is shortened and a hash is appended. The value contains the full path.
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
