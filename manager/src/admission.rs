//! Rejections by the API server's own admission control, and the help against them.
//!
//! The API server begins its messages with the object: `services "web" is forbidden: ...`. Webhooks
//! write the text after `admission webhook "..." denied the request: `, so what they quote is not
//! taken for a message of the API server.

use kube::core::Status;

/// The help against each kind of rejection: the beginning of its text, the text behind the name
/// that follows, and the help, in which `{name}` stands for that name and `{namespace}` for an
/// option of kubectl.
const HELP: [(&str, &str, &str); 5] = [
    (
        "exceeded quota: ",
        ",",
        "raise the quota with `kubectl edit resourcequota {name}{namespace}`",
    ),
    (
        "failed quota: ",
        ":",
        "set these `resources` in the containers of the Pod",
    ),
    (
        "unable to create new content in namespace ",
        " ",
        "see what its deletion waits for with `kubectl describe namespace {name}`",
    ),
    (
        "ValidatingAdmissionPolicy '",
        "'",
        "see its rules with `kubectl describe validatingadmissionpolicy {name}`",
    ),
    (
        "violates PodSecurity \"",
        "\"",
        "set these fields in the `securityContext` of the Pod",
    ),
];

/// Returns the help against a rejected write in `namespace`, if there is one.
pub(crate) fn help(status: &Status, namespace: Option<&str>) -> Option<String> {
    let (_, why) = forbidden(&status.message)?;
    let namespace = namespace.map_or_else(String::new, |name| format!(" --namespace={name}"));
    HELP.iter().find_map(|(beginning, end, help)| {
        let (name, _) = why.strip_prefix(beginning)?.split_once(end)?;
        let help = help.replace("{name}", name);
        Some(help.replace("{namespace}", &namespace))
    })
}

/// Splits a message such as `deployments.apps "web" is forbidden: exceeded quota: ...` into the
/// resource with its group, and the text after `is forbidden: `. Returns `None` for messages that
/// do not begin like this.
pub(crate) fn forbidden(message: &str) -> Option<(&str, &str)> {
    let (object, why) = message.split_once(" is forbidden: ")?;
    let (resource, name) = object.split_once(' ').unwrap_or((object, ""));
    (!name.contains(' ')).then_some((resource, why))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn help_against(message: &str) -> Option<String> {
        let status = Status {
            message: message.to_owned(),
            ..Status::default()
        };
        help(&status, Some("a"))
    }

    #[test]
    fn each_rejection_has_its_help() {
        for (why, text) in [
            (
                "exceeded quota: few, requested: pods=1, used: pods=1, limited: pods=1",
                "raise the quota with `kubectl edit resourcequota few --namespace=a`",
            ),
            (
                "failed quota: few: must specify limits.cpu for: web",
                "set these `resources` in the containers of the Pod",
            ),
            (
                "unable to create new content in namespace a because it is being terminated",
                "see what its deletion waits for with `kubectl describe namespace a`",
            ),
            (
                "ValidatingAdmissionPolicy 'p.x.io' with binding 'b' denied request: no",
                "see its rules with `kubectl describe validatingadmissionpolicy p.x.io`",
            ),
            (
                "violates PodSecurity \"restricted:latest\": runAsNonRoot != true (pod must set securityContext.runAsNonRoot=true)",
                "set these fields in the `securityContext` of the Pod",
            ),
        ] {
            let message = format!("pods \"web\" is forbidden: {why}");
            assert_eq!(help_against(&message).as_deref(), Some(text));
            let quoted = format!("admission webhook \"a.b\" denied the request: {message}");
            assert_eq!(help_against(&quoted), None);
        }
        assert_eq!(help_against("pods \"web\" is forbidden: no"), None);
    }
}
