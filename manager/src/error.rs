//! The error of a reconcile: any error, with a reason that can be used in a condition.

use std::{any::Any, error::Error as StdError, fmt};

use kube::core::{ObjectMeta, Status};

use crate::admission;
use crate::rbac::{Denied, Permission};
use crate::reason::Reason;

/// `Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The error of a reconcile. `?` converts any type that implements `std::error::Error` into it, and
/// also a string.
///
/// It is shown in the log, in an event, and in the `Ready` condition of the object. It prints the
/// error and its causes on one line, separated by `: `. If a permission is missing, it also prints
/// the RBAC marker that grants it.
pub struct Error {
    reason: &'static str,
    source: Box<dyn StdError + Send + Sync>,
    /// The rejected request, such as `cannot apply Service default/web`, if the source does not
    /// name the object.
    request: Option<String>,
    /// The command or text that fixes the problem, if the source does not contain it.
    help: Option<String>,
}

impl Error {
    /// Creates an error with your own reason and message. `reason` is one `CamelCase` word for
    /// programs: the reason of the condition and a label of the metric. `message` is a sentence for
    /// people.
    ///
    /// ```
    /// # fn check(replicas: i32) -> rustop_manager::Result<()> {
    /// if replicas > 100 {
    ///     return Err(rustop_manager::Error::new("TooMany", format!("{replicas} replicas, at most 100 are allowed")));
    /// }
    /// # Ok(()) }
    /// # assert_eq!(check(101).unwrap_err().reason(), "TooMany");
    /// ```
    pub fn new(reason: &'static str, message: impl Into<String>) -> Self {
        Self {
            reason,
            source: Box::new(Message(message.into())),
            request: None,
            help: None,
        }
    }

    /// Returns the same error with another reason.
    ///
    /// ```
    /// # use rustop_manager::{Error, Result};
    /// fn port(text: &str) -> Result<u16> {
    ///     text.parse().map_err(|error| Error::from(error).with_reason("InvalidPort"))
    /// }
    ///
    /// assert_eq!(port("http").unwrap_err().reason(), "InvalidPort");
    /// ```
    #[must_use]
    pub fn with_reason(mut self, reason: &'static str) -> Self {
        self.reason = reason;
        self
    }

    /// Returns the reason: one `CamelCase` word. For a request that the API server rejected it is
    /// the reason that Kubernetes gave (`Forbidden`, `Invalid`, `Conflict`, `NamespaceTerminating`,
    /// ...), for a request without a response `Unreachable`, for a panic `Panicked`, and for any
    /// other error `ReconcileFailed`.
    ///
    /// ```
    /// # use rustop_manager::Error;
    /// assert_eq!(Error::new("NoPassword", "Secret `password` not found").reason(), "NoPassword");
    /// assert_eq!(Error::from(std::fmt::Error).reason(), "ReconcileFailed");
    /// ```
    #[must_use]
    pub fn reason(&self) -> &'static str {
        self.reason
    }

    /// Returns true if the error has this reason.
    ///
    /// ```
    /// # use rustop_manager::{Error, Reason};
    /// assert!(!Error::new("NoPassword", "Secret `password` not found").is(Reason::NotFound));
    /// ```
    #[must_use]
    pub fn is(&self, reason: Reason) -> bool {
        self.reason == reason.as_str()
    }

    /// Returns true if the error was created by [`Error::new`]: by the operator's author or this
    /// crate, and not by a conversion.
    #[cfg(feature = "webhook")]
    pub(crate) fn is_own(&self) -> bool {
        self.source.is::<Message>()
    }

    /// Returns the underlying error if it is an `E`, like `downcast_ref` of `dyn Error`.
    ///
    /// ```
    /// # use rustop_manager::Error;
    /// let error = Error::from(std::io::Error::from(std::io::ErrorKind::NotFound));
    /// let is_missing = error
    ///     .downcast_ref::<std::io::Error>()
    ///     .is_some_and(|error| error.kind() == std::io::ErrorKind::NotFound);
    /// assert!(is_missing);
    /// ```
    #[must_use]
    pub fn downcast_ref<E: StdError + 'static>(&self) -> Option<&E> {
        self.source.downcast_ref()
    }

    /// Sets the help to the marker for all of `permission` if RBAC rejected a request that it
    /// allows: an operator that lacks one verb usually lacks the others too. A quota, `PodSecurity`
    /// or a webhook rejects with the same status code, and no permission helps against those.
    pub(crate) fn needs(mut self, permission: &Permission) -> Self {
        if self.denied().is_some_and(|it| it.is_allowed_by(permission)) {
            self.help = Some(help_to_add(&permission.marker()));
        }
        self
    }

    /// Sets the help to `make deploy` if RBAC rejected the request: for a rule that every project
    /// has in `config/rbac`. A marker would grant it in all namespaces.
    pub(crate) fn needs_deployed_role(mut self) -> Self {
        if self.denied().is_some() {
            self.help =
                Some("run `make deploy`, which applies the roles in `config/rbac`".to_owned());
        }
        self
    }

    /// Returns the error and its causes on one line, without the help.
    #[cfg(feature = "webhook")]
    pub(crate) fn without_help(&self) -> String {
        describe(self.source.as_ref())
    }

    /// Adds the object that a rejected request would have changed, unless the API server's message
    /// begins with it, and the help against the rejection. `verb` continues `cannot`: `apply`.
    /// Messages of webhooks, and of webhooks without an answer, name no object.
    pub(crate) fn of_request(mut self, verb: &str, kind: &str, meta: &ObjectMeta) -> Self {
        let Some(status) = rejection(self.source.as_ref()) else {
            return self;
        };
        let namespace = meta.namespace.as_deref();
        let (name, quoted) = match (&meta.name, &meta.generate_name) {
            (Some(name), _) => (name.as_str(), format!("\"{name}\"")),
            // The API server appends random characters.
            (None, Some(beginning)) => (beginning.as_str(), format!("\"{beginning}")),
            (None, None) => return self,
        };
        let help = admission::help(status, namespace);
        let begin = status.message.split(": ").next().unwrap_or_default();
        if !begin.contains(&quoted) {
            let within = namespace.map_or_else(String::new, |namespace| format!("{namespace}/"));
            self.request = Some(format!("cannot {verb} {kind} {within}{name}"));
        }
        self.help = help.or(self.help);
        self
    }

    /// Returns the request that RBAC rejected, if that is the error.
    fn denied(&self) -> Option<Denied<'_>> {
        rejection(self.source.as_ref()).and_then(Denied::parse)
    }

    /// Returns true for an error that usually goes away without a change: a conflict, an overloaded
    /// or unreachable API server, a renewed token that was not read again yet, a cache that is not
    /// filled yet.
    pub(crate) fn is_transient(&self) -> bool {
        [
            Reason::Conflict,
            Reason::NotLeader,
            Reason::NotSynced,
            Reason::ServerError,
            Reason::TooManyRequests,
            Reason::Unauthorized,
            Reason::Unreachable,
        ]
        .into_iter()
        .any(|reason| self.is(reason))
    }
}

impl<E: Into<Box<dyn StdError + Send + Sync>>> From<E> for Error {
    fn from(error: E) -> Self {
        let source = error.into();
        let reason = causes(source.as_ref())
            .find_map(|cause| cause.downcast_ref::<kube::Error>())
            .map_or(Reason::ReconcileFailed.as_str(), reason_of);
        let mut error = Self {
            reason,
            source,
            request: None,
            help: None,
        };
        error.help = error.denied().map(|denied| help_to_add(&denied.marker()));
        error
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(request) = &self.request {
            write!(f, "{request}: ")?;
        }
        f.write_str(&describe(self.source.as_ref()))?;
        match &self.help {
            Some(help) => write!(f, "; help: {help}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {self}", self.reason)
    }
}

/// The error of a write request that was not sent, or was cut off, because this process does not
/// hold the lease, or no longer.
#[derive(Debug, thiserror::Error)]
#[error("write rejected: this replica does not hold the lease")]
pub struct NotLeader;

/// The source of an error of [`Error::new`].
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Message(String);

/// Returns an error and its causes on one line. Many error types repeat their cause in their own
/// text; here each text appears once.
pub(crate) fn describe(error: &(dyn StdError + 'static)) -> String {
    let mut texts: Vec<String> = Vec::new();
    for cause in causes(error) {
        let refusal = status_of(cause);
        let text = refusal.map_or_else(|| cause.to_string(), |status| status.message.clone());
        if !text.is_empty() && !texts.iter().any(|earlier| earlier.contains(&text)) {
            texts.push(text);
        }
        if refusal.is_some() {
            break;
        }
    }
    texts.join(": ")
}

/// Returns the help against a missing permission.
fn help_to_add(marker: &str) -> String {
    format!("add `{marker}` and run `make manifests deploy`")
}

/// Returns the API server's response, if the error or one of its causes is a rejected request.
fn rejection<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a Status> {
    causes(error).find_map(status_of)
}

/// Returns the API server's response if the error itself, and not one of its causes, is a rejected
/// request.
fn status_of<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a Status> {
    match error.downcast_ref() {
        Some(kube::Error::Api(status)) => Some(status),
        _ => None,
    }
}

/// Returns the error and its causes, outermost first.
fn causes<'a>(
    error: &'a (dyn StdError + 'static),
) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |error: &&'a (dyn StdError + 'static)| {
        (*error).source()
    })
}

/// Returns the reason of an error of a request.
fn reason_of(error: &kube::Error) -> &'static str {
    let reason = match error {
        kube::Error::Api(status) => match status.code {
            400 => Reason::BadRequest,
            401 => Reason::Unauthorized,
            403 if is_terminating(status) => Reason::NamespaceTerminating,
            403 => Reason::Forbidden,
            404 => Reason::NotFound,
            409 if status.is_already_exists() => Reason::AlreadyExists,
            409 => Reason::Conflict,
            422 => Reason::Invalid,
            429 => Reason::TooManyRequests,
            500..=599 => Reason::ServerError,
            _ => Reason::Refused,
        },
        kube::Error::Service(error) if error.is::<NotLeader>() => Reason::NotLeader,
        kube::Error::HyperError(_) | kube::Error::Service(_) | kube::Error::ReadEvents(_) => {
            Reason::Unreachable
        }
        _ => Reason::ReconcileFailed,
    };
    reason.as_str()
}

/// Returns true if the namespace is being deleted, so that no object can be created in it.
fn is_terminating(status: &Status) -> bool {
    let causes = status.details.iter().flat_map(|details| &details.causes);
    causes
        .into_iter()
        .any(|cause| cause.reason == "NamespaceTerminating")
}

/// Returns the message of a panic.
pub(crate) fn message_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(code: u16, message: &str) -> Error {
        kube::Error::Api(Box::new(Status {
            code,
            message: message.into(),
            ..Status::default()
        }))
        .into()
    }

    #[test]
    fn the_reason_comes_from_kubernetes() {
        assert_eq!(
            refused(422, "spec.replicas: must not be negative").reason(),
            "Invalid"
        );
        assert_eq!(refused(503, "").reason(), "ServerError");
        assert_eq!(Error::from(std::fmt::Error).reason(), "ReconcileFailed");
    }

    #[test]
    fn the_reason_is_found_below_a_users_error() {
        #[derive(Debug, thiserror::Error)]
        #[error("cannot make the greeting")]
        struct Mine(#[source] kube::Error);
        let status = Status {
            code: 409,
            message: "it moved".into(),
            ..Status::default()
        };
        let error = Error::from(Mine(kube::Error::Api(Box::new(status))));
        assert_eq!(error.reason(), "Conflict");
        assert_eq!(error.to_string(), "cannot make the greeting: it moved");
    }

    #[test]
    fn a_text_is_an_error() {
        fn fails(text: &'static str) -> Result<()> {
            if text.is_empty() {
                Err(format!("no text: {text:?}"))?;
            }
            Err(text)?
        }
        for (text, said) in [("no cow", "no cow"), ("", "no text: \"\"")] {
            let error = fails(text).unwrap_err();
            assert_eq!(
                (error.reason(), error.to_string().as_str()),
                ("ReconcileFailed", said)
            );
        }
    }

    #[test]
    fn a_missing_permission_names_its_marker() {
        let text = refused(
            403,
            "services is forbidden: User \"u\" cannot patch resource \"services\" in API group \"\" in the namespace \"default\"",
        )
        .to_string();
        assert!(
            text.contains("// +kubebuilder:rbac:groups=\"\",resources=services,verbs=patch"),
            "{text}"
        );
    }

    /// The API server rejects these with 403 as well, and no permission helps.
    #[test]
    fn only_a_missing_permission_is_answered_with_a_marker() {
        let permission = Permission::new("", "pods", &["create", "patch"]);
        let terminating = json!({"causes": [
            {"reason": "NamespaceTerminating", "message": "namespace a is being terminated", "field": "metadata.namespace"},
        ]});
        for (message, details, reason) in [
            (
                "pods \"a\" is forbidden: unable to create new content in namespace a because it is being terminated",
                terminating,
                "NamespaceTerminating",
            ),
            (
                "pods \"a\" is forbidden: exceeded quota: few, requested: pods=1, used: pods=1, limited: pods=1",
                json!(null),
                "Forbidden",
            ),
            (
                "pods \"a\" is forbidden: violates PodSecurity \"restricted:latest\": allowPrivilegeEscalation != false",
                json!(null),
                "Forbidden",
            ),
            (
                "pods \"a\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no",
                json!(null),
                "Forbidden",
            ),
        ] {
            let status = json!({"status": "Failure", "message": message, "reason": "Forbidden", "code": 403, "details": details});
            let status: Status = serde_json::from_value(status).unwrap();
            let error = Error::from(kube::Error::Api(Box::new(status))).needs(&permission);
            assert_eq!(error.reason(), reason);
            assert_eq!(error.to_string(), message);
        }
        let message = "pods is forbidden: User \"u\" cannot create resource \"pods\" in API group \"\" in the namespace \"a\"";
        let text = refused(403, message).needs(&permission).to_string();
        assert!(text.contains("verbs=create;patch`"), "{text}");
    }

    #[test]
    fn a_missing_role_of_the_project_leads_to_make_deploy() {
        let message = "leases.coordination.k8s.io \"op\" is forbidden: User \"u\" cannot get resource \"leases\" in API group \"coordination.k8s.io\" in the namespace \"ns\"";
        assert_eq!(
            refused(403, message).needs_deployed_role().to_string(),
            format!("{message}; help: run `make deploy`, which applies the roles in `config/rbac`")
        );
        assert_eq!(refused(500, "x").needs_deployed_role().to_string(), "x");
    }

    #[test]
    fn a_rejection_names_its_object_once() {
        let meta = |name: Option<&str>| ObjectMeta {
            name: name.map(str::to_owned),
            generate_name: Some("job-".to_owned()),
            namespace: Some("a".to_owned()),
            ..ObjectMeta::default()
        };
        let denied = "admission webhook \"web.x.io\" denied the request: \"web\" is policy 42";
        let unreachable = "Internal error occurred: failed calling webhook \"web.x.io\": no answer";
        let quota = "services \"web\" is forbidden: exceeded quota: few, requested: services=1";
        let invalid = "Service \"web\" is invalid: spec.ports: Required value";
        let text = |code, message, name| {
            let error = refused(code, message).of_request("apply", "Service", &meta(name));
            error.to_string()
        };
        for (code, message) in [(403, denied), (500, unreachable)] {
            let cannot = "cannot apply Service a";
            assert_eq!(
                text(code, message, Some("web")),
                format!("{cannot}/web: {message}")
            );
            assert_eq!(
                text(code, message, None),
                format!("{cannot}/job-: {message}")
            );
        }
        assert_eq!(text(422, invalid, Some("web")), invalid);
        let help = "raise the quota with `kubectl edit resourcequota few --namespace=a`";
        assert_eq!(
            text(403, quota, Some("web")),
            format!("{quota}; help: {help}")
        );
    }

    /// A webhook writes any text that it likes, also the API server's words about another account.
    #[test]
    fn a_webhook_that_quotes_a_denial_leads_to_no_marker() {
        let quoted = "secrets \"vault\" is forbidden: User \"system:serviceaccount:vault:hook\" cannot get resource \"secrets\" in API group \"\" in the namespace \"vault\"";
        let message = format!("admission webhook \"deny.x.io\" denied the request: {quoted}");
        let permission = Permission::new("", "services", &["create", "patch"]);
        assert_eq!(refused(403, &message).to_string(), message);
        assert_eq!(
            refused(403, &message).needs(&permission).to_string(),
            message
        );
        assert_eq!(Error::new("Rejected", quoted).to_string(), quoted);
        // Only the marker of the rejected request helps.
        let text = refused(403, quoted).needs(&permission).to_string();
        assert!(text.contains("resources=secrets,verbs=get`"), "{text}");
    }

    #[test]
    fn only_conflicts_and_server_errors_are_transient() {
        assert!(refused(409, "").is_transient());
        assert!(refused(500, "").is_transient());
        assert!(!refused(403, "").is_transient());
        assert!(!Error::new("TooMany", "x").is_transient());
    }
}
