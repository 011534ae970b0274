//! Field managers: the names under which the API server records who has set the fields of an
//! object.

use std::collections::BTreeSet;
use std::fmt;

use http::HeaderMap;
use http::header::{CONTENT_TYPE, USER_AGENT};
use serde_json::Value;

use crate::torture::api::call::ApiCall;

/// An owner of fields in `metadata.managedFields`: a name and an operation. Each operation of the
/// same name owns other fields.
#[derive(Clone, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub struct FieldManager {
    pub name: String,
    /// True for server-side apply, false for any other write.
    pub applies: bool,
}

impl FieldManager {
    /// Returns the manager of a request. If the request does not name it, the API server takes the
    /// program from `User-Agent`.
    pub fn of(call: &ApiCall, headers: &HeaderMap) -> Self {
        let header = |name| headers.get(name).and_then(|it| it.to_str().ok());
        let named = call.parameter("fieldManager").map(|name| {
            // Names of managers often contain the slash of a domain.
            name.replace("%2F", "/").replace("%2f", "/")
        });
        let program = || header(USER_AGENT)?.split('/').next().map(str::to_owned);
        let is_known = |name: &String| !name.is_empty();
        Self {
            name: named
                .filter(is_known)
                .or_else(|| program().filter(is_known))
                .unwrap_or_else(|| "unknown".into()),
            applies: header(CONTENT_TYPE).is_some_and(|it| it.starts_with("application/apply")),
        }
    }

    /// Returns the managers that own fields of an object outside of its subresources.
    pub fn owners(object: &Value) -> BTreeSet<Self> {
        let entries = object["metadata"]["managedFields"].as_array();
        entries
            .into_iter()
            .flatten()
            .filter(|entry| entry["subresource"].is_null())
            .filter_map(|entry| {
                Some(Self {
                    name: entry["manager"].as_str()?.to_owned(),
                    applies: entry["operation"] == "Apply",
                })
            })
            .collect()
    }
}

impl fmt::Display for FieldManager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let operation = if self.applies { "Apply" } else { "Update" };
        write!(f, "{} ({operation})", self.name)
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_request_names_its_manager_or_its_program() {
        let manager = |query: &str, agent: &'static str, kind: &'static str| {
            let path = format!("/api/v1/namespaces/t/configmaps/moo{query}");
            let call = ApiCall::parse("PATCH", &path).unwrap();
            let mut headers = HeaderMap::new();
            headers.insert(USER_AGENT, HeaderValue::from_static(agent));
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
            FieldManager::of(&call, &headers).to_string()
        };
        let apply = "application/apply-patch+yaml";
        let merge = "application/merge-patch+json";
        assert_eq!(
            manager("?fieldManager=my.domain%2Fmoo", "a/1", apply),
            "my.domain/moo (Apply)"
        );
        assert_eq!(
            manager("", "manager/v0.0.0 (linux)", merge),
            "manager (Update)"
        );
        assert_eq!(manager("", "", merge), "unknown (Update)");
    }

    #[test]
    fn owners_of_subresources_are_left_out() {
        let object = json!({"metadata": {"managedFields": [
            {"manager": "a", "operation": "Apply"},
            {"manager": "a", "operation": "Update"},
            {"manager": "b", "operation": "Update", "subresource": "status"}]}});
        let owners: Vec<_> = FieldManager::owners(&object)
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(owners, ["a (Update)", "a (Apply)"]);
    }
}
