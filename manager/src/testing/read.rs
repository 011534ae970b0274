//! The responses to read requests: the form of an object that the client requested, paged lists,
//! and watch events.

use serde_json::{Value, json};

use super::{
    kinds::Kind,
    refusal::Refusal,
    route::Query,
    selector::Selectors,
    state::{Key, LogEntry, State},
};

/// The objects that a list or a watch covers.
pub(super) struct Scope<'a> {
    /// The kind in the requested version.
    pub kind: &'a Kind,
    /// `None` for all namespaces.
    pub namespace: Option<&'a str>,
    pub selected: &'a Selectors,
    /// True if the client requested only metadata (`PartialObjectMetadata`).
    pub partial: bool,
}

impl Scope<'_> {
    fn has(&self, key: &Key, object: &Value) -> bool {
        key.is_in_scope(self.kind, self.namespace) && self.selected.matches(object)
    }

    /// Converts a stored object to the representation that the client requested. The error is that
    /// of the conversion webhook.
    pub fn represent(&self, state: &State, object: &Value) -> Result<Value, Refusal> {
        represent(state, object, self.kind, self.partial)
    }

    /// Returns all objects of the scope, sorted by namespace and name.
    pub fn all(&self, state: &State) -> Result<Vec<Value>, Refusal> {
        let objects = state
            .objects
            .iter()
            .filter(|(key, object)| self.has(key, object));
        objects
            .map(|(_, object)| self.represent(state, object))
            .collect()
    }

    /// Returns the watch event for a change. `None` if the change does not concern the scope.
    pub fn event(&self, state: &State, change: &LogEntry) -> Result<Option<Value>, Refusal> {
        if !change.key.is_in_scope(self.kind, self.namespace) {
            return Ok(None);
        }
        let was = change
            .before
            .as_ref()
            .is_some_and(|before| self.selected.matches(before));
        let is = !change.is_deletion && self.selected.matches(&change.object);
        let name = match (was, is) {
            (false, true) => "ADDED",
            (true, true) => "MODIFIED",
            (true, false) => "DELETED",
            (false, false) => return Ok(None),
        };
        // a DELETED event contains the last matching state
        let last = change.before.as_ref().filter(|_| !is);
        let mut object = self.represent(state, last.unwrap_or(&change.object))?;
        object["metadata"]["resourceVersion"] = change.revision.to_string().into();
        Ok(Some(json!({"type": name, "object": object})))
    }

    /// Returns a bookmark event with the resource version `revision`. `is_end_of_list` marks it as
    /// the end of the initial events of a watch with `sendInitialEvents`.
    pub fn bookmark(&self, revision: u64, is_end_of_list: bool) -> Value {
        let mut object = json!({
            "apiVersion": self.kind.api_version(), "kind": self.kind.name,
            "metadata": {"resourceVersion": revision.to_string(), "creationTimestamp": null},
        });
        if is_end_of_list {
            object["metadata"]["annotations"] = json!({"k8s.io/initial-events-end": "true"});
        }
        json!({"type": "BOOKMARK", "object": object})
    }
}

/// Converts a stored object to the version of `kind`, or to only its metadata if `partial` is true.
/// The error is that of the conversion webhook.
pub(super) fn represent(
    state: &State,
    object: &Value,
    kind: &Kind,
    partial: bool,
) -> Result<Value, Refusal> {
    let object = state.in_version(object, kind)?;
    if partial {
        return Ok(json!({
            "apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": object["metadata"],
        }));
    }
    Ok(object)
}

/// Returns one page of a list, with a continue token if more objects follow.
///
/// # Errors
/// 400 for an invalid token, 410 if the history no longer has the requested revision, 504 if that
/// revision does not exist yet, and the error of the conversion webhook.
pub(super) fn list(state: &State, scope: &Scope<'_>, query: &Query) -> Result<Value, Refusal> {
    let (revision, after) = match query.get("continue") {
        Some(token) => {
            let (revision, after) = page(token, scope.kind)?;
            (revision, Some(after))
        }
        None => (state.revision, None),
    };
    let asked = query.number("resourceVersion").filter(|_| after.is_none());
    if let Some(asked) = asked.filter(|asked| *asked > state.revision) {
        return Err(Refusal::from_the_future(asked, state.revision));
    }
    let exactly = asked.filter(|_| query.get("resourceVersionMatch") == Some("Exact"));
    let revision = exactly.unwrap_or(revision);
    let objects = state.at(revision)?;
    let of_scope = objects
        .iter()
        .filter(|(key, object)| scope.has(key, object));
    let mut rest = of_scope
        .filter(|(key, _)| after.as_ref().is_none_or(|after| *key > after))
        .peekable();
    let limit = query.number("limit").filter(|limit| *limit > 0);
    let limit = limit.map_or(usize::MAX, |limit| {
        usize::try_from(limit).unwrap_or(usize::MAX)
    });
    let mut items = Vec::new();
    let mut last = None;
    for (key, object) in rest.by_ref().take(limit) {
        items.push(item(state, scope, object)?);
        last = Some(key);
    }
    let mut metadata = json!({"resourceVersion": revision.to_string()});
    if let Some(last) = last.filter(|_| rest.peek().is_some()) {
        metadata["continue"] = format!("{revision}.{}.{}", last.namespace, last.name).into();
        if query
            .get("labelSelector")
            .or(query.get("fieldSelector"))
            .is_none()
        {
            metadata["remainingItemCount"] = rest.count().into();
        }
    }
    if metadata["continue"].is_null() && scope.kind.schema.is_some() {
        metadata["continue"] = "".into();
    }
    let (api_version, name) = if scope.partial {
        ("meta.k8s.io/v1".to_owned(), "PartialObjectMetadata")
    } else {
        (scope.kind.api_version(), scope.kind.name.as_str())
    };
    Ok(
        json!({"kind": format!("{name}List"), "apiVersion": api_version, "metadata": metadata, "items": items}),
    )
}

/// Converts a list item. Items of built-in kinds have no `apiVersion` and `kind`.
fn item(state: &State, scope: &Scope<'_>, object: &Value) -> Result<Value, Refusal> {
    let mut object = scope.represent(state, object)?;
    if scope.kind.schema.is_none()
        && !scope.partial
        && let Some(map) = object.as_object_mut()
    {
        map.remove("apiVersion");
        map.remove("kind");
    }
    Ok(object)
}

/// Parses a continue token: the revision of the list, and the key of the last returned object.
fn page(token: &str, kind: &Kind) -> Result<(u64, Key), Refusal> {
    let mut parts = token.splitn(3, '.');
    let mut next = || parts.next().unwrap_or_default();
    let (revision, namespace, name) = (next(), next(), next());
    let revision = revision
        .parse()
        .map_err(|_| Refusal::bad_request("continue key is not valid"))?;
    Ok((revision, Key::new(kind, namespace, name)))
}
