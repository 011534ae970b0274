//! Slots: the places of a text that Helm fills. While the text is processed as YAML, a slot is a
//! word that occurs nowhere else in the text.

use std::iter;

use serde_json::{Map, Value};

/// The name of the issuer in `config/certmanager`.
pub const ISSUER: &str = "selfsigned-issuer";

/// A place that Helm fills.
#[derive(Clone, Copy, Debug)]
pub enum Slot {
    /// The prefix of the names of all objects.
    FullName,
    /// The namespace of the release, as a whole value.
    Namespace,
    /// The namespace of the release, as a part of a value.
    NamespaceInside,
    /// The name of the operator's `ServiceAccount`.
    ServiceAccount,
    /// The issuer of a certificate as a JSON object: the issuer from the values, or the chart's own
    /// by default.
    Issuer,
    /// The CA that the API server trusts for a webhook. The field is optional.
    CaBundle,
    /// The scrape interval of an endpoint of a `ServiceMonitor`. The field is optional.
    Interval,
    /// The scrape timeout of an endpoint of a `ServiceMonitor`. The field is optional.
    ScrapeTimeout,
}

impl Slot {
    /// Returns the field that an optional slot fills and the expression of its value; `None` for
    /// other slots.
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

/// The slot words of a chart.
#[derive(Debug)]
pub struct Slots {
    /// The prefix of the words.
    start: String,
}

impl Slots {
    /// Creates words that occur in none of these texts.
    pub fn unused_in<'a>(texts: &(impl Iterator<Item = &'a String> + Clone)) -> Self {
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

    /// Returns the word of a slot. YAML parses it as a string without quotes.
    pub fn word(&self, slot: Slot) -> String {
        format!("{}-{slot:?}-slot", self.start)
    }

    /// Adds the field of a slot to an object. An existing value becomes the slot's default; a value
    /// that cannot be part of a template stays unchanged.
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

    /// Returns the lines that replace a line with an optional slot. They render the value if it is
    /// set, and otherwise the default or nothing.
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
        // The field may be the first one of a list item.
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

    /// Replaces the slot words in a text by Helm expressions. The rest stays unchanged, including
    /// braces; the caller escapes it if needed: see [`escaped`].
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

/// Returns the text, escaped so that Helm renders it unchanged.
pub fn escaped(text: &str) -> String {
    text.replace("{{", "{{ \"{{\" }}")
}
