//! Rejections by the API server's own admission control, and the help against them.
//!
//! The API server begins its messages with the object: `services "web" is forbidden: ...`. Webhooks write the text after
//! `admission webhook "..." denied the request: `, so what they quote is not taken for a message of the API server.

/// Splits a message such as `deployments.apps "web" is forbidden: exceeded quota: ...` into the resource with its group,
/// and the text after `is forbidden: `. Returns `None` for messages that do not begin like this.
pub(crate) fn forbidden(message: &str) -> Option<(&str, &str)> {
    let (object, why) = message.split_once(" is forbidden: ")?;
    let (resource, name) = object.split_once(' ').unwrap_or((object, ""));
    (!name.contains(' ')).then_some((resource, why))
}
