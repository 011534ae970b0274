//! Places in a text that Helm fills. While it is YAML, each is a word that stands nowhere else in it.

use std::iter;

use serde_json::{Map, Value};

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
    /// The CA that the API server trusts for a webhook, a field that may be absent.
    CaBundle,
    /// The interval of an endpoint of a `ServiceMonitor`, a field that may be absent.
    Interval,
    /// Its timeout, a field that may be absent.
    ScrapeTimeout,
}

impl Slot {
    /// The field that a slot fills, and its value, if the field may be absent.
    fn option(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::CaBundle => Some(("caBundle", "(($.Values.webhook).certificate).caBundle")),
            Self::Interval => Some(("interval", "$.Values.metrics.serviceMonitor.interval")),
            Self::ScrapeTimeout => Some((
                "scrapeTimeout",
                "$.Values.metrics.serviceMonitor.scrapeTimeout",
            )),
            Self::FullName
            | Self::Namespace
            | Self::NamespaceInside
            | Self::ServiceAccount
            | Self::Issuer => None,
        }
    }
}

const ALL: [Slot; 8] = [
    Slot::FullName,
    Slot::Namespace,
    Slot::NamespaceInside,
    Slot::ServiceAccount,
    Slot::Issuer,
    Slot::CaBundle,
    Slot::Interval,
    Slot::ScrapeTimeout,
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

    /// Adds the field of a slot to an object. A value that the object has already is the default of the slot; one that could
    /// not stand in a template stays.
    pub fn offer(&self, slot: Slot, object: &mut Map<String, Value>) {
        let Some((field, _)) = slot.option() else {
            return;
        };
        let word = self.word(slot);
        let new = match object.get(field) {
            None => word,
            Some(Value::String(own)) if own.chars().all(|c| c.is_ascii_alphanumeric()) => {
                format!("{word}={own}")
            }
            Some(_) => return,
        };
        object.insert(field.to_owned(), new.into());
    }

    /// Returns the lines for a line with the field of a slot that may be absent: the value, or the default if the object had
    /// one, or else nothing.
    fn optional(&self, line: &str) -> String {
        let found = ALL.into_iter().find_map(|slot| {
            let (field, value) = slot.option()?;
            let (start, rest) = line.split_once(&format!("{field}: {}", self.word(slot)))?;
            Some((field, value, start, rest))
        });
        let Some((field, value, start, rest)) = found else {
            return line.to_owned();
        };
        if let Some(default) = rest.strip_prefix('=') {
            return format!("{start}{field}: {{{{ {value} | default \"{default}\" }}}}");
        }
        let indent = " ".repeat(start.len());
        // The field may be the first one of an item of a list.
        let first = match start.trim_start() {
            "" => format!("{indent}{{{{- with {value} }}}}"),
            dash => format!(
                "{}{} {{{{- with {value} }}}}",
                &indent[dash.len()..],
                dash.trim_end()
            ),
        };
        format!("{first}\n{indent}{field}: {{{{ . }}}}\n{indent}{{{{- end }}}}")
    }

    /// What Helm renders to `text`, which may have braces of its own, with the slots filled. What is between the words
    /// is the caller's: see [`escaped`].
    pub fn fill(&self, text: &str, chart: &str) -> String {
        let lines = text.split_inclusive('\n').map(|line| {
            let content = line.strip_suffix('\n').unwrap_or(line);
            self.optional(content) + &line[content.len()..]
        });
        ALL.into_iter().fold(lines.collect(), |text: String, slot| {
            let expression = match slot {
                Slot::CaBundle | Slot::Interval | Slot::ScrapeTimeout => return text,
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
