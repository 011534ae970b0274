//! Pausing of objects with the annotation `<group>/paused`, or `core/paused` for kinds of the core
//! group. `true`, an empty value and an invalid one pause until the annotation is removed, a time
//! pauses until then, and `false` does not pause. An invalid value pauses because the user has
//! asked for a pause.

use jiff::Timestamp;
use kube::core::ObjectMeta;

use crate::controller::action::Action;
use crate::object::{self, AnyObject};

/// The condition that shows whether an object is paused. It is set at the first pause.
pub(crate) const PAUSED: &str = "Paused";

/// The current pause of an object. A paused object is not reconciled.
#[derive(Debug, PartialEq)]
pub(crate) struct Pause {
    /// The message of the condition: why the object is paused, and until when.
    pub text: String,
    /// The end of the pause; `None` if it lasts until the annotation is removed.
    until: Option<Timestamp>,
}

impl Pause {
    /// Returns the pause of an object, or `None` if it is not paused now. An object that is being
    /// deleted is never paused, so that its cleanup runs.
    pub fn of<K: AnyObject>(kind: &K::DynamicType, object: &K, now: Timestamp) -> Option<Self> {
        let meta = object.meta();
        let annotation = object::annotation::<K>(kind, "paused");
        let word = word(meta, &annotation).filter(|_| meta.deletion_timestamp.is_none())?;
        let (text, until) = match word {
            "false" => return None,
            "true" | "" => (
                format!("paused until the annotation `{annotation}` is removed"),
                None,
            ),
            time => match time.parse::<Timestamp>() {
                Ok(until) if until <= now => return None,
                Ok(until) => (
                    format!("paused until {until} by the annotation `{annotation}`"),
                    Some(until),
                ),
                Err(_) => (
                    format!(
                        "paused until the annotation `{annotation}` is removed: {time:?} is neither `true` nor \
                         a time such as 2030-01-31T12:00:00Z"
                    ),
                    None,
                ),
            },
        };
        Some(Self { text, until })
    }

    /// Returns the action of a paused reconcile: requeue at the end of the pause, or await a change
    /// if it has none.
    pub fn action(&self, now: Timestamp) -> Action {
        self.until.map_or_else(Action::await_change, |until| {
            Action::requeue(until.duration_since(now).unsigned_abs())
        })
    }
}

/// Returns true if the pause annotation differs between two versions of an object. Such a change is
/// reconciled whatever the predicate says.
pub(crate) fn differs<K: AnyObject>(
    kind: &K::DynamicType,
    before: &ObjectMeta,
    now: &ObjectMeta,
) -> bool {
    let annotation = object::annotation::<K>(kind, "paused");
    word(before, &annotation) != word(now, &annotation)
}

fn word<'a>(meta: &'a ObjectMeta, annotation: &str) -> Option<&'a str> {
    let annotations = meta.annotations.as_ref()?;
    annotations.get(annotation).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use k8s_openapi::api::apps::v1::Deployment;
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

    use super::*;

    fn deployment(word: &str) -> Deployment {
        let mut deployment = Deployment::default();
        let annotation = ("apps/paused".to_owned(), word.to_owned());
        deployment.metadata.annotations = Some([annotation].into());
        deployment
    }

    fn pause(word: &str) -> Option<Pause> {
        Pause::of(
            &(),
            &deployment(word),
            "2026-01-31T12:00:00Z".parse().unwrap(),
        )
    }

    #[test]
    fn a_time_ends_the_pause_and_other_values_pause_forever() {
        assert_eq!(
            Pause::of(&(), &Deployment::default(), Timestamp::now()),
            None
        );
        assert_eq!(pause("false"), None);
        assert_eq!(pause("2026-01-31T12:00:00Z"), None);
        for word in ["true", "", "yes"] {
            assert_eq!(pause(word).unwrap().until, None, "{word}");
        }
        assert!(pause("yes").unwrap().text.contains("\"yes\" is neither"));
        let paused = pause("2026-01-31T13:00:30+01:00").unwrap();
        let now = "2026-01-31T12:00:00Z".parse().unwrap();
        assert_eq!(paused.action(now).after(), Some(Duration::from_secs(30)));
    }

    #[test]
    fn an_object_being_deleted_is_not_paused() {
        let mut deployment = deployment("true");
        assert!(Pause::of(&(), &deployment, Timestamp::now()).is_some());
        deployment.metadata.deletion_timestamp = Some(Time(Timestamp::now()));
        assert_eq!(Pause::of(&(), &deployment, Timestamp::now()), None);
    }
}
