//! The API server's audit log, filtered by user.
//!
//! <https://kubernetes.io/docs/reference/config-api/apiserver-audit.v1/>

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, ErrorKind};
use std::path::Path;

use serde::Deserialize;

use crate::error::Io;

/// A verb on a resource, in the terms of RBAC rules.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Access {
    /// The namespace of the request; empty if it is cluster-scoped or for all namespaces.
    pub namespace: String,
    /// The API group; empty for the core group.
    pub group: String,
    /// The plural, followed by `/subresource` if the request is for one.
    pub resource: String,
    /// The verb of RBAC, such as `list` or `deletecollection`, not the HTTP method.
    pub verb: String,
}

/// The requests of one user, with the number of each.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ObservedRequests {
    /// Requests that the API server authorized.
    pub allowed: BTreeMap<Access, usize>,
    /// Requests that it denied, and denied access reviews of the operator.
    pub forbidden: BTreeMap<Access, usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event {
    verb: String,
    user: User,
    #[serde(default)]
    object_ref: Option<AuditedObject>,
    #[serde(default)]
    response_status: AuditedStatus,
    #[serde(default)]
    annotations: Annotations,
    /// Logged only for access reviews, as rustop's audit policy specifies.
    #[serde(default)]
    response_object: Option<Review>,
}

#[derive(Default, Deserialize)]
struct Annotations {
    #[serde(default, rename = "authorization.k8s.io/decision")]
    decision: String,
}

#[derive(Deserialize)]
struct User {
    username: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AuditedObject {
    #[serde(default)]
    api_group: String,
    resource: String,
    #[serde(default)]
    subresource: String,
    #[serde(default)]
    namespace: String,
}

#[derive(Default, Deserialize)]
struct AuditedStatus {
    #[serde(default)]
    code: u16,
    #[serde(default)]
    message: String,
}

/// A `SelfSubjectAccessReview`, which an operator sends to check a permission before it uses it.
#[derive(Deserialize)]
struct Review {
    #[serde(default)]
    spec: ReviewSpec,
    #[serde(default)]
    status: ReviewStatus,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReviewSpec {
    #[serde(default)]
    resource_attributes: Option<ReviewedAccess>,
}

#[derive(Deserialize)]
struct ReviewedAccess {
    #[serde(default)]
    namespace: String,
    #[serde(default)]
    group: String,
    #[serde(default)]
    resource: String,
    #[serde(default)]
    subresource: String,
    #[serde(default)]
    verb: String,
}

#[derive(Default, Deserialize)]
struct ReviewStatus {
    #[serde(default)]
    allowed: bool,
}

impl ObservedRequests {
    /// Reads the requests of `user`, such as `system:serviceaccount:NAMESPACE:NAME`, from the log
    /// at `path`, starting at the byte offset `from`. Returns no requests if the log does not exist
    /// yet.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read.
    pub fn read(path: &Path, user: &str, from: u64) -> Result<Self, Io> {
        let mut observed = Self::default();
        let mut file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(observed),
            Err(error) => return Err(Io::on("read", path)(error)),
        };
        std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(from))
            .map_err(Io::on("read", path))?;
        for line in BufReader::new(file).split(b'\n') {
            let line = line.map_err(Io::on("read", path))?;
            // The last line may be incomplete, since the API server is still writing.
            if let Ok(event) = serde_json::from_slice::<Event>(&line)
                && event.user.username == user
            {
                observed.add(&event);
            }
        }
        Ok(observed)
    }

    /// Counts the request of an event, if it is for a resource that can exist.
    fn add(&mut self, event: &Event) {
        let Some(object) = &event.object_ref else {
            return;
        };
        if !can_exist(&object.api_group, &object.resource, &object.subresource) {
            return;
        }
        let access = |verb: &str| Access {
            namespace: object.namespace.clone(),
            group: object.api_group.clone(),
            resource: with_subresource(&object.resource, &object.subresource),
            verb: verb.to_owned(),
        };
        // Admission also answers with 403 to requests that RBAC allows, such as a creation in a
        // terminating namespace.
        let refused = refused_verb(&event.response_status.message, &event.user.username);
        let granted = event.annotations.decision == "allow" && refused.is_none();
        if event.response_status.code == 403 && !granted {
            let verb = refused.unwrap_or(&event.verb);
            *self.forbidden.entry(access(verb)).or_default() += 1;
            return;
        }
        *self.allowed.entry(access(&event.verb)).or_default() += 1;
        // A server-side apply that creates the object is logged as a patch, but also needs
        // `create`.
        if event.verb == "patch" && event.response_status.code == 201 {
            *self.allowed.entry(access("create")).or_default() += 1;
        }
        if let Some(review) = &event.response_object
            && let Some(reviewed) = &review.spec.resource_attributes
            && object.resource == "selfsubjectaccessreviews"
            && !review.status.allowed
            && can_exist(&reviewed.group, &reviewed.resource, &reviewed.subresource)
            && is_name(&reviewed.verb)
        {
            let access = Access {
                namespace: reviewed.namespace.clone(),
                group: reviewed.group.clone(),
                resource: with_subresource(&reviewed.resource, &reviewed.subresource),
                verb: reviewed.verb.clone(),
            };
            *self.forbidden.entry(access).or_default() += 1;
        }
    }
}

/// Reports whether an API server can have a resource. An operator may take the name of a resource
/// from an object of another user; the name must not become a line of a report, or a part of the
/// rule that it suggests.
fn can_exist(group: &str, resource: &str, subresource: &str) -> bool {
    let is_valid = |name: &str| name.is_empty() || is_name(name);
    is_valid(group) && is_name(resource) && subresource.split('/').all(is_valid)
}

/// Reports whether a text is a name of RBAC rules: letters, digits, hyphens and points, or `*`.
fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-.".contains(c);
    text == "*" || (!text.is_empty() && text.chars().all(is_part))
}

fn with_subresource(resource: &str, subresource: &str) -> String {
    if subresource.is_empty() {
        resource.to_owned()
    } else {
        format!("{resource}/{subresource}")
    }
}

/// Returns the verb that a denial by RBAC names. For a server-side apply it can be `create`,
/// although the request is a patch. The message of a webhook is text of its author.
fn refused_verb<'a>(message: &'a str, user: &str) -> Option<&'a str> {
    if message.starts_with("admission webhook ") {
        return None;
    }
    let (_, rest) = message.split_once(&format!("User \"{user}\" cannot "))?;
    let (verb, _) = rest.split_once(" resource ")?;
    is_name(verb).then_some(verb)
}

#[cfg(test)]
mod tests {
    use super::*;

    const USER: &str = "system:serviceaccount:ns:op";

    fn read(lines: &[&str]) -> ObservedRequests {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("audit.log");
        std::fs::write(&path, lines.join("\n")).unwrap();
        ObservedRequests::read(&path, USER, 0).unwrap()
    }

    fn event(user: &str, verb: &str, code: u16, more: &str) -> String {
        format!(
            r#"{{"verb":"{verb}","user":{{"username":"{user}"}},"objectRef":{{"apiGroup":"apps","resource":"deployments"}},"responseStatus":{{"code":{code}{more}}}}}"#
        )
    }

    fn words(observed: &BTreeMap<Access, usize>) -> Vec<String> {
        observed
            .keys()
            .map(|a| format!("{} {}.{}", a.verb, a.resource, a.group))
            .collect()
    }

    #[test]
    fn the_denial_of_a_webhook_is_none_of_rbac() {
        let rbac = format!("User \\\"{USER}\\\" cannot fly resource \\\"deployments\\\"");
        for message in [
            "admission webhook \\\"a\\\" denied the request: a cow cannot fly high".to_owned(),
            format!("admission webhook \\\"a\\\" denied the request: {rbac}"),
            format!("User \\\"{USER}\\\" cannot a\\nb resource \\\"deployments\\\""),
        ] {
            let decision = r#"},"annotations":{"authorization.k8s.io/decision":"allow""#;
            let more = format!(r#","message":"{message}""#);
            let line = event(USER, "create", 403, &(more + decision));
            let observed = read(&[&line]);
            assert!(observed.forbidden.is_empty(), "{line}: {observed:?}");
            assert_eq!(observed.allowed.len(), 1, "{line}: {observed:?}");
        }
    }

    #[test]
    fn a_line_that_ends_within_a_character_is_skipped() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("audit.log");
        let whole = event(USER, "get", 200, "");
        let cut = [whole.as_bytes(), b"\n{\"verb\":\"\xc3"].concat();
        std::fs::write(&path, cut).unwrap();
        let observed = ObservedRequests::read(&path, USER, 0).unwrap();
        assert_eq!(observed.allowed.len(), 1, "{observed:?}");
    }

    #[test]
    fn denied_and_allowed_requests_of_the_user_are_distinguished() {
        let observed = read(&[
            &event(USER, "list", 403, ""),
            &event(USER, "watch", 200, ""),
            &event("other-user", "delete", 200, ""),
        ]);
        assert_eq!(words(&observed.forbidden), ["list deployments.apps"]);
        assert_eq!(words(&observed.allowed), ["watch deployments.apps"]);
    }

    #[test]
    fn requests_for_impossible_resources_are_left_out() {
        let hostile = ["a\\nhelp: b", "a,b", "]", "{{.x}}", " ", "ä"]
            .map(|name| event(USER, "list", 403, "").replace("deployments", name));
        let mut lines: Vec<&str> = hostile.iter().map(String::as_str).collect();
        let usual = event(USER, "list", 403, "");
        lines.push(&usual);
        assert_eq!(words(&read(&lines).forbidden), ["list deployments.apps"]);
    }

    #[test]
    fn an_apply_that_creates_needs_both_verbs() {
        let observed = read(&[&event(USER, "patch", 201, "")]);
        assert_eq!(
            words(&observed.allowed),
            ["create deployments.apps", "patch deployments.apps"]
        );
        let refused = r#","message":"deployments.apps \"x\" is forbidden: User \"system:serviceaccount:ns:op\" cannot create resource \"deployments\"""#;
        let observed = read(&[&event(USER, "patch", 403, refused)]);
        assert_eq!(words(&observed.forbidden), ["create deployments.apps"]);
    }

    #[test]
    fn admission_denials_are_not_missing_permissions() {
        let decision = r#"},"annotations":{"authorization.k8s.io/decision":"allow""#;
        let going = r#","message":"secrets \"x\" is forbidden: unable to create new content in namespace y because it is being terminated""#;
        let observed = read(&[&event(USER, "patch", 403, &format!("{going}{decision}"))]);
        assert!(observed.forbidden.is_empty());
        assert_eq!(words(&observed.allowed), ["patch deployments.apps"]);
        let create = r#","message":"deployments.apps \"x\" is forbidden: User \"system:serviceaccount:ns:op\" cannot create resource \"deployments\"""#;
        let observed = read(&[&event(USER, "patch", 403, &format!("{create}{decision}"))]);
        assert_eq!(words(&observed.forbidden), ["create deployments.apps"]);
    }

    #[test]
    fn a_review_that_says_no_counts_as_a_refusal() {
        let review = |allowed: bool| {
            format!(
                r#"{{"verb":"create","user":{{"username":"{USER}"}},"objectRef":{{"apiGroup":"authorization.k8s.io","resource":"selfsubjectaccessreviews"}},"responseStatus":{{"code":201}},"responseObject":{{"spec":{{"resourceAttributes":{{"group":"apps","resource":"deployments","verb":"patch"}}}},"status":{{"allowed":{allowed}}}}}}}"#
            )
        };
        assert_eq!(
            words(&read(&[&review(false)]).forbidden),
            ["patch deployments.apps"]
        );
        assert!(read(&[&review(true)]).forbidden.is_empty());
    }

    #[test]
    fn a_half_written_line_and_no_log_at_all_are_no_errors() {
        assert_eq!(
            read(&[&event(USER, "get", 200, "")[..40]]),
            ObservedRequests::default()
        );
        assert_eq!(
            ObservedRequests::read(Path::new("/nonexistent/log"), USER, 0).unwrap(),
            ObservedRequests::default()
        );
    }
}
