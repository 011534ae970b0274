//! Requests to the API server as verb, resource and object, parsed from HTTP method and path.

use std::fmt;

use kube::discovery::ApiResource;
use serde::{Deserialize, Serialize};

/// The verb of a request, as RBAC names it.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verb {
    Get,
    List,
    Watch,
    /// `POST`.
    Create,
    /// `PUT`.
    Update,
    /// `PATCH`, including server-side apply.
    Patch,
    Delete,
    DeleteCollection,
}

impl Verb {
    /// Reports whether the verb changes objects.
    pub fn writes(self) -> bool {
        !matches!(self, Self::Get | Self::List | Self::Watch)
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Get => "get",
            Self::List => "list",
            Self::Watch => "watch",
            Self::Create => "create",
            Self::Update => "update",
            Self::Patch => "patch",
            Self::Delete => "delete",
            Self::DeleteCollection => "deletecollection",
        })
    }
}

/// The group, version and plural of a kind.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Resource {
    /// Empty for the core group.
    pub group: String,
    pub version: String,
    pub plural: String,
}

/// `deployments.apps`.
impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.plural)?;
        if !self.group.is_empty() {
            write!(f, ".{}", self.group)?;
        }
        Ok(())
    }
}

impl Resource {
    /// Returns a resource of the core group, version `v1`.
    pub fn core(plural: &str) -> Self {
        Self {
            group: String::new(),
            version: "v1".into(),
            plural: plural.into(),
        }
    }

    /// Returns the URL path of the collection, in a namespace, or across the cluster for `None`.
    pub fn path(&self, namespace: Option<&str>) -> String {
        let root = if self.group.is_empty() {
            format!("/api/{}", self.version)
        } else {
            format!("/apis/{}/{}", self.group, self.version)
        };
        match namespace {
            Some(namespace) => format!("{root}/namespaces/{namespace}/{}", self.plural),
            None => format!("{root}/{}", self.plural),
        }
    }
}

impl From<&ApiResource> for Resource {
    fn from(resource: &ApiResource) -> Self {
        Self {
            group: resource.group.clone(),
            version: resource.version.clone(),
            plural: resource.plural.clone(),
        }
    }
}

/// A request for a resource, without its body.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct ApiCall {
    pub verb: Verb,
    pub resource: Resource,
    /// `status`, `scale`; empty for the object itself.
    pub subresource: String,
    /// `None` for cluster-scoped objects and for requests across all namespaces.
    pub namespace: Option<String>,
    /// `None` for collections, and for a `POST`, whose body has the name.
    pub name: Option<String>,
    /// The query of the URL without its question mark.
    pub query: String,
}

impl ApiCall {
    /// Parses a method such as `GET` and a URL path with its query. Returns `None` for requests
    /// without a resource, such as discovery.
    pub fn parse(method: &str, target: &str) -> Option<Self> {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut parts = path.split('/').filter(|part| !part.is_empty()).peekable();
        let group = match parts.next()? {
            "api" => "",
            "apis" => parts.next()?,
            _ => return None,
        };
        let version = parts.next()?;
        let mut rest: Vec<&str> = parts.collect();
        let mut namespace = None;
        // `/namespaces/x` names an object, `/namespaces/x/pods` a collection in a namespace.
        if rest.first() == Some(&"namespaces")
            && rest.len() > 2
            && !["status", "finalize"].contains(&rest[2])
        {
            namespace = Some(rest[1].to_owned());
            rest.drain(..2);
        }
        let mut rest = rest.into_iter();
        let plural = rest.next()?;
        let name = rest.next().map(str::to_owned);
        let subresource = rest.collect::<Vec<_>>().join("/");
        let watched = is_watch(query);
        let verb = match (method, name.is_some()) {
            ("GET", _) if watched => Verb::Watch,
            ("GET", true) => Verb::Get,
            ("GET", false) => Verb::List,
            ("POST", _) => Verb::Create,
            ("PUT", _) => Verb::Update,
            ("PATCH", _) => Verb::Patch,
            ("DELETE", true) => Verb::Delete,
            ("DELETE", false) => Verb::DeleteCollection,
            _ => return None,
        };
        Some(Self {
            verb,
            resource: Resource {
                group: group.to_owned(),
                version: version.to_owned(),
                plural: plural.to_owned(),
            },
            subresource,
            namespace,
            name,
            query: query.to_owned(),
        })
    }

    /// Returns the URL path with its query.
    pub fn target(&self) -> String {
        let mut target = self.resource.path(self.namespace.as_deref());
        for part in self.name.iter().chain([&self.subresource]) {
            if !part.is_empty() {
                target.push('/');
                target.push_str(part);
            }
        }
        if !self.query.is_empty() {
            target.push('?');
            target.push_str(&self.query);
        }
        target
    }

    /// Returns the value of a query parameter, which may be URL-encoded.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let mut pairs = self
            .query
            .split('&')
            .filter_map(|pair| pair.split_once('='));
        pairs.find_map(|(key, value)| (key == name).then_some(value))
    }

    /// Sets a query parameter, replacing its earlier value. `value` must be URL-encoded.
    pub fn set_parameter(&mut self, name: &str, value: &str) {
        let others = self.query.split('&').filter(|pair| {
            !pair.is_empty() && pair.split_once('=').is_none_or(|(key, _)| key != name)
        });
        let mut pairs: Vec<String> = others.map(str::to_owned).collect();
        pairs.push(format!("{name}={value}"));
        self.query = pairs.join("&");
    }

    /// Adds a field selector to those of the query. It must be URL-encoded: `metadata.name%3Dmoo`.
    pub fn select_fields(&mut self, selector: &str) {
        let others = self.parameter("fieldSelector").filter(|it| !it.is_empty());
        let all = others.map_or_else(|| selector.to_owned(), |it| format!("{it},{selector}"));
        self.set_parameter("fieldSelector", &all);
    }

    /// Reports whether the request changes objects that the operator manages. Events, Leases,
    /// access reviews and dry runs do not count: they belong to no desired state, and an operator
    /// that has settled keeps renewing its Lease.
    pub fn is_work(&self) -> bool {
        const HOUSEKEEPING: [&str; 3] = [
            "events.k8s.io",
            "coordination.k8s.io",
            "authentication.k8s.io",
        ];
        self.verb.writes()
            && !HOUSEKEEPING.contains(&self.resource.group.as_str())
            && self.resource.group != "authorization.k8s.io"
            && !(self.resource.group.is_empty() && self.resource.plural == "events")
            && self.parameter("dryRun").is_none()
    }
}

/// Reports whether a query opens a watch. For the API server, `false` and `0` are false, and any
/// other value is true, also an empty one.
fn is_watch(query: &str) -> bool {
    let mut pairs = query
        .split('&')
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let value = pairs.find_map(|(key, value)| (key == "watch").then_some(value));
    value.is_some_and(|value| value != "0" && !value.eq_ignore_ascii_case("false"))
}

/// `patch deployments.apps/status moo`.
impl fmt::Display for ApiCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.verb, self.resource)?;
        if !self.subresource.is_empty() {
            write!(f, "/{}", self.subresource)?;
        }
        if let Some(name) = &self.name {
            write!(f, " {name}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_as_the_api_server_reads_them() {
        for (method, target, said) in [
            (
                "GET",
                "/apis/apps/v1/namespaces/a/deployments/b",
                "get deployments.apps b",
            ),
            ("GET", "/api/v1/pods?watch=true&x=y", "watch pods"),
            ("GET", "/api/v1/pods?watch=True", "watch pods"),
            ("GET", "/api/v1/pods?limit=1&watch", "watch pods"),
            ("GET", "/api/v1/pods?watch=False", "list pods"),
            ("GET", "/api/v1/pods?watch=0&watch=1", "list pods"),
            ("GET", "/api/v1/namespaces/a", "get namespaces a"),
            (
                "PUT",
                "/api/v1/namespaces/a/finalize",
                "update namespaces/finalize a",
            ),
            ("GET", "/api/v1/namespaces/a/pods?limit=5", "list pods"),
            (
                "PATCH",
                "/apis/x.y/v1/cows/b/status?fieldManager=z",
                "patch cows.x.y/status b",
            ),
            (
                "DELETE",
                "/api/v1/namespaces/a/pods",
                "deletecollection pods",
            ),
        ] {
            let call = ApiCall::parse(method, target).unwrap();
            assert_eq!(call.to_string(), said);
            assert_eq!(call.target(), target);
        }
        assert!(ApiCall::parse("GET", "/version").is_none());
        assert!(ApiCall::parse("GET", "/apis/apps/v1").is_none());
    }

    #[test]
    fn a_parameter_is_replaced() {
        let mut call = ApiCall::parse("GET", "/api/v1/pods?limit=500&continue=x").unwrap();
        call.set_parameter("limit", "1");
        assert_eq!(call.target(), "/api/v1/pods?continue=x&limit=1");
        assert_eq!(call.parameter("continue"), Some("x"));
    }
}
