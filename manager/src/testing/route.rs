//! The resource that a request addresses, parsed from its path and query.

use std::collections::BTreeMap;

use http::Uri;

/// The query parameters of a request.
#[derive(Clone, Debug, Default)]
pub(super) struct Query(BTreeMap<String, String>);

impl Query {
    pub fn of(uri: &Uri) -> Self {
        let pairs = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
        Self(pairs.into_owned().collect())
    }

    /// Returns a parameter. `None` if it is missing or empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    /// Returns a copy of the query with another value of a parameter.
    pub fn with(&self, name: &str, value: &str) -> Self {
        let mut query = self.clone();
        query.0.insert(name.to_owned(), value.to_owned());
        query
    }

    /// Returns a parameter as a number. `None` if it is missing or not a number.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.get(name)?.parse().ok()
    }

    /// Returns true if a parameter is `true` or `1`.
    pub fn is_set(&self, name: &str) -> bool {
        self.get(name)
            .is_some_and(|value| value == "true" || value == "1")
    }
}

/// The parts of a resource's path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Route<'a> {
    /// Empty for the core group.
    pub group: &'a str,
    pub version: &'a str,
    pub plural: &'a str,
    /// `None` for a cluster-scoped resource, and for all namespaces.
    pub namespace: Option<&'a str>,
    /// `None` for all objects.
    pub name: Option<&'a str>,
    /// Empty for the whole object.
    pub subresource: &'a str,
}

impl<'a> Route<'a> {
    /// Parses the elements of a path. `None` if it is not the path of a resource.
    pub fn of(path: &[&'a str]) -> Option<Self> {
        let (group, version, rest) = match path {
            ["api", version, rest @ ..] => ("", *version, rest),
            ["apis", group, version, rest @ ..] => (*group, *version, rest),
            _ => return None,
        };
        let (namespace, rest) = match rest {
            // a namespace itself, or one of its subresources
            ["namespaces", _] | ["namespaces", _, "status" | "finalize"] => (None, rest),
            ["namespaces", namespace, rest @ ..] => (Some(*namespace), rest),
            _ => (None, rest),
        };
        let (plural, name, subresource) = match rest {
            [plural] => (*plural, None, ""),
            [plural, name] => (*plural, Some(*name), ""),
            [plural, name, subresource] => (*plural, Some(*name), *subresource),
            _ => return None,
        };
        Some(Self {
            group,
            version,
            plural,
            namespace,
            name,
            subresource,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_a_resource() {
        let route = |path: &str| {
            let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
            let route = Route::of(&parts)?;
            Some(format!(
                "{}|{}|{}|{:?}|{:?}|{}",
                route.group,
                route.version,
                route.plural,
                route.namespace,
                route.name,
                route.subresource
            ))
        };
        let is = |path: &str, text: &str| assert_eq!(route(path).as_deref(), Some(text), "{path}");
        is("/api/v1/namespaces", "|v1|namespaces|None|None|");
        is("/api/v1/namespaces/a", "|v1|namespaces|None|Some(\"a\")|");
        is(
            "/api/v1/namespaces/a/status",
            "|v1|namespaces|None|Some(\"a\")|status",
        );
        is("/api/v1/namespaces/a/pods", "|v1|pods|Some(\"a\")|None|");
        is(
            "/apis/apps/v1/namespaces/a/deployments/b/status",
            "apps|v1|deployments|Some(\"a\")|Some(\"b\")|status",
        );
        is("/apis/my.domain/v1/herds", "my.domain|v1|herds|None|None|");
        assert_eq!(route("/version"), None);
        assert_eq!(route("/apis/apps/v1"), None);
    }
}
