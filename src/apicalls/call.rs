//! Requests that code sends to the API server, and the places where the kind of a request is not
//! known.

use std::path::PathBuf;

/// A resource of the API server.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct RequestedResource {
    /// The API group; empty for the core group.
    pub group: String,
    /// The plural name: `pods`.
    pub plural: String,
    /// True for a namespaced resource. `None` for a resource that is only known by its name.
    pub namespaced: Option<bool>,
}

/// A line of a source file.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct CodeLine {
    /// Relative to the project.
    pub file: PathBuf,
    /// Counted from 1.
    pub line: usize,
}

/// One verb on one resource, as a line of code requests it.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Call {
    pub resource: RequestedResource,
    /// `status` for `pods/status`. `None` for the object itself.
    pub subresource: Option<String>,
    /// The verb of an RBAC rule.
    pub verb: String,
    /// The line that sends the request.
    pub place: CodeLine,
    /// The call in the source: `Api::patch_status`.
    pub why: String,
}

/// A request with which no role is compared: its kind or verb cannot be derived from the sources,
/// or it goes to another cluster.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct UncheckedRequest {
    pub place: CodeLine,
    /// The reason: ``the kind of the `DynamicObject` is chosen at run time``.
    pub why: String,
}

/// A source file or manifest that cannot be parsed.
#[derive(Clone, Debug)]
pub struct InvalidFile {
    /// The line of the first problem.
    pub place: CodeLine,
    /// The reason, such as the message of the parser.
    pub why: String,
}

impl Call {
    /// Returns the resource as a rule names it: `pods/status`.
    pub fn rule_resource(&self) -> String {
        match &self.subresource {
            Some(part) => format!("{}/{part}", self.resource.plural),
            None => self.resource.plural.clone(),
        }
    }

    /// Returns the resource in the notation of kubectl: `deployments.apps`, `pods/log`.
    pub fn name(&self) -> String {
        qualified(&self.rule_resource(), &self.resource.group)
    }
}

/// Returns a resource with its group in the notation of kubectl: `deployments.apps`. `group` is
/// empty for the core group.
pub fn qualified(resource: &str, group: &str) -> String {
    match group {
        "" => resource.to_owned(),
        group => format!("{resource}.{group}"),
    }
}
