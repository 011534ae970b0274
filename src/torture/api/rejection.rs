//! Error messages of the API server: whether admission, a webhook or a failed webhook rejected a
//! request.

use crate::torture::api::permission::Permission;

/// The text before the name of a webhook that could not be called, and the character after it.
const IN_VAIN: [(&str, char); 2] = [
    ("failed calling webhook ", ':'),
    ("conversion webhook for ", ','),
];

/// Returns the name of the webhook that did not respond, or whose response was invalid. On a loaded
/// machine the next try may succeed. For a conversion webhook, also one that responded that it
/// cannot convert an object, returns the API version of the object: `my.domain/v1`. Returns `None`
/// for other messages.
pub fn unreachable_webhook(message: &str) -> Option<&str> {
    let name = IN_VAIN.iter().find_map(|(before, behind)| {
        let (_, rest) = message.split_once(before)?;
        rest.split(*behind).next()
    });
    Some(name?.trim_matches('"'))
}

/// Reports whether a conversion webhook has responded that it cannot convert an object, so that the
/// next try fails, too.
pub fn is_conversion_refusal(message: &str) -> bool {
    // Go quotes the URL of a request without a response.
    message.contains("conversion webhook for ") && !message.contains(": Post \"")
}

/// Returns the name of the admission webhook that denied the request; `None` for other messages.
pub fn denying_webhook(message: &str) -> Option<&str> {
    let named = message.strip_prefix("admission webhook \"")?;
    named.split('"').next()
}

/// Reports whether the API server's own admission, such as a quota or Pod security, denied a
/// request with status 403. The other causes of that status are webhooks, the authorizer, and a
/// namespace in deletion.
pub fn is_admission_denial(message: &str) -> bool {
    !message.is_empty()
        && denying_webhook(message).is_none()
        && Permission::from_denial(message).is_none()
        && !message.contains("because it is being terminated")
}

/// Returns the webhook that failed, named as by [`unreachable_webhook`]: it did not respond, its
/// response was invalid, or it panicked. `None` for other messages.
pub fn failed_webhook(message: &str) -> Option<&str> {
    let panicked = || message.contains("panicked") || message.contains("panic:");
    unreachable_webhook(message).or_else(|| denying_webhook(message).filter(|_| panicked()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_webhook_that_refuses_is_not_one_that_fails() {
        let (name, no) = (
            "vlolcow-v1.kb.io",
            "admission webhook \"vlolcow-v1.kb.io\" denied the request: ",
        );
        let denied = format!("{no}spec.replicas: must be at least 1");
        assert_eq!(
            (denying_webhook(&denied), failed_webhook(&denied)),
            (Some(name), None)
        );
        let panicked = format!("{no}the webhook panicked; see the operator's log for the location");
        assert_eq!(failed_webhook(&panicked), Some(name));
        let silent = "Internal error occurred: failed calling webhook \"vlolcow-v1.kb.io\": failed to call webhook: Post \
                      \"https://127.0.0.1:1/x?timeout=10s\": dial tcp 127.0.0.1:1: connect: connection refused";
        assert_eq!(
            (unreachable_webhook(silent), failed_webhook(silent)),
            (Some(name), Some(name))
        );
        let conversion =
            "conversion webhook for my.domain/v1, Kind=Lolcow failed: spec.size: no number";
        assert_eq!(failed_webhook(conversion), Some("my.domain/v1"));
        assert!(is_conversion_refusal(conversion));
        let silent = "conversion webhook for my.domain/v1, Kind=Lolcow failed: Post \"https://moo.barn.svc:443/convert?timeout=30s\": \
                      dial tcp 127.0.0.1:1: connect: connection refused";
        assert!(!is_conversion_refusal(silent) && !is_conversion_refusal(&denied));
        let own = "Lolcow.my.domain \"moo\" is invalid: spec.replicas: Invalid value: -1";
        assert_eq!((denying_webhook(own), failed_webhook(own)), (None, None));
    }
}
