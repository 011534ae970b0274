//! Places in a text that Helm fills. While it is YAML, each is a word that stands nowhere else in it.

use std::iter;

/// The issuer in `config/certmanager`.
pub const ISSUER: &str = "selfsigned-issuer";

/// What Helm puts there.
#[derive(Clone, Copy, Debug)]
pub enum Slot {
    /// What the names of all objects begin with.
    FullName,
    /// The namespace of the release, all of a value.
    Namespace,
    /// The same as part of a value.
    NamespaceInside,
    /// The name of the operator's ServiceAccount.
    ServiceAccount,
    /// The issuer of a certificate: that of the values, or else the chart's own, as a JSON object.
    Issuer,
}

const ALL: [Slot; 5] = [
    Slot::FullName,
    Slot::Namespace,
    Slot::NamespaceInside,
    Slot::ServiceAccount,
    Slot::Issuer,
];

/// The words for a chart.
#[derive(Debug)]
pub struct Slots {
    /// What they begin with.
    start: String,
}

impl Slots {
    /// Words that are in none of these texts.
    pub fn beside<'a>(texts: &(impl Iterator<Item = &'a String> + Clone)) -> Self {
        let mut starts =
            iter::successors(Some("helm".to_owned()), |start| Some(start.clone() + "x"));
        let is_free = |start: &String| {
            texts
                .clone()
                .all(|text| !text.contains(&format!("{start}-")))
        };
        Self {
            start: starts.find(is_free).expect("no text holds all words"),
        }
    }

    /// The word for a slot. A reader of YAML takes it for a string, bare as it is.
    pub fn word(&self, slot: Slot) -> String {
        format!("{}-{slot:?}-slot", self.start)
    }

    /// What Helm renders to `text`, which may have braces of its own, with the slots filled. What is between the words
    /// is the caller's: see [`escaped`].
    pub fn fill(&self, text: &str, chart: &str) -> String {
        ALL.into_iter().fold(text.to_owned(), |text, slot| {
            let expression = match slot {
                Slot::FullName => format!("include \"{chart}.fullname\" $"),
                Slot::Namespace => "$.Release.Namespace | quote".to_owned(),
                Slot::NamespaceInside => "$.Release.Namespace".to_owned(),
                Slot::Issuer => format!(
                    "$.Values.certManager.issuerRef | default (dict \"kind\" \"Issuer\" \"name\" (printf \"%s-{ISSUER}\" (include \"{chart}.fullname\" $))) | toJson"
                ),
                Slot::ServiceAccount => format!("include \"{chart}.serviceAccountName\" $ | quote"),
            };
            text.replace(&self.word(slot), &format!("{{{{ {expression} }}}}"))
        })
    }
}

/// A text that Helm renders to this one.
pub fn escaped(text: &str) -> String {
    text.replace("{{", "{{ \"{{\" }}")
}
