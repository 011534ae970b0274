//! A table of the requests that the methods of kube send, written after its sources: the HTTP
//! method and the path of each one, as the verbs and subresources of RBAC rules.

/// The type that a method of `Api<K>` returns, as far as later requests depend on it. `Result`,
/// `Option`, `Either`, `WatchEvent` and `PartialObjectMeta` count as the type inside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gives {
    /// `K`
    Object,
    /// `ObjectList<K>`, or a stream of events of `K`.
    List,
    /// kube's `Entry<K>`, which can create or replace the object.
    Entry,
    /// A type on which no request depends.
    Other,
}

/// A method of `Api<K>` that sends a request.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    /// The verbs of the RBAC rule that allows the request.
    pub verbs: &'static [&'static str],
    /// The subresource; `None` for the object itself.
    pub subresource: Option<&'static str>,
    /// The type of the result.
    pub gives: Gives,
}

const GET: &[&str] = &["get"];
const LIST: &[&str] = &["list"];
const WATCH: &[&str] = &["watch"];
const CREATE: &[&str] = &["create"];
const UPDATE: &[&str] = &["update"];
const PATCH: &[&str] = &["patch"];
const DELETE: &[&str] = &["delete"];

/// The verbs of a watcher: it lists once and watches from there.
pub const LIST_WATCH: &[&str] = &["list", "watch"];

/// Returns the request that a method of `Api` sends; `None` for methods that send none or that are
/// not known.
pub fn of_api(method: &str) -> Option<Method> {
    use Gives::{Entry, List, Object, Other};
    let (verbs, subresource, gives) = match method {
        "get"
        | "get_with"
        | "get_opt"
        | "get_metadata"
        | "get_metadata_with"
        | "get_metadata_opt"
        | "get_metadata_opt_with" => (GET, None, Object),
        "entry" => (GET, None, Entry),
        "list" | "list_metadata" => (LIST, None, List),
        "watch" | "watch_metadata" => (WATCH, None, List),
        "create" => (CREATE, None, Object),
        "replace" => (UPDATE, None, Object),
        "patch" | "patch_metadata" | "restart" | "cordon" | "uncordon" => (PATCH, None, Object),
        "delete" => (DELETE, None, Object),
        "delete_collection" => (&["deletecollection"][..], None, List),
        "get_status" => (GET, Some("status"), Object),
        "patch_status" => (PATCH, Some("status"), Object),
        "replace_status" => (UPDATE, Some("status"), Object),
        "get_scale" => (GET, Some("scale"), Other),
        "patch_scale" => (PATCH, Some("scale"), Other),
        "replace_scale" => (UPDATE, Some("scale"), Other),
        "get_approval" => (GET, Some("approval"), Object),
        "patch_approval" => (PATCH, Some("approval"), Object),
        "get_ephemeral_containers" => (GET, Some("ephemeralcontainers"), Object),
        "patch_ephemeral_containers" => (PATCH, Some("ephemeralcontainers"), Object),
        "replace_ephemeral_containers" => (UPDATE, Some("ephemeralcontainers"), Object),
        "get_resize" => (GET, Some("resize"), Object),
        "patch_resize" => (PATCH, Some("resize"), Object),
        "replace_resize" => (UPDATE, Some("resize"), Object),
        "logs" | "log_stream" => (GET, Some("log"), Other),
        "evict" => (CREATE, Some("eviction"), Other),
        "create_token_request" => (CREATE, Some("token"), Other),
        // kube opens these as WebSockets, whose handshake is a GET. Kubernetes 1.35 and later also
        // require `create`, which a note of `ops/code_permissions.rs` says.
        "exec" => (GET, Some("exec"), Other),
        "attach" => (GET, Some("attach"), Other),
        "portforward" => (GET, Some("portforward"), Other),
        _ => return None,
    };
    Some(Method {
        verbs,
        subresource,
        gives,
    })
}

/// Returns the verb of a method of `Api` whose first argument names the subresource; `None` for
/// other methods.
pub fn of_subresource(method: &str) -> Option<&'static str> {
    match method {
        "get_subresource" => Some("get"),
        "create_subresource" => Some("create"),
        "patch_subresource" => Some("patch"),
        "replace_subresource" => Some("update"),
        _ => None,
    }
}

/// The parameter types of kube's requests. If a method of an unknown type takes one and has the
/// name of a method of `Api`, it is reported as an unknown request.
pub const PARAMETERS: [&str; 9] = [
    "kube::AttachParams",
    "kube::DeleteParams",
    "kube::EvictParams",
    "kube::GetParams",
    "kube::ListParams",
    "kube::LogParams",
    "kube::PatchParams",
    "kube::PostParams",
    "kube::WatchParams",
];

/// Types of other crates that keep a lease: the crate, the type, and the verbs on leases that a
/// call of any of its functions counts as.
pub const LEASES: [(&str, &str, &[&str]); 3] = [
    (
        "kube_lease_manager",
        "LeaseManagerBuilder",
        &["create", "get", "patch"],
    ),
    (
        "kube_leader_election",
        "LeaseLock",
        &["create", "get", "patch"],
    ),
    ("kubert", "LeaseManager", &["get", "patch"]),
];
