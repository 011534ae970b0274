//! Finds the conditions that controllers set: calls of the runtime's helpers such as
//! `condition::true_because("Ready", "Serving", ..)`.
//!
//! A list of reasons that lacks one is worse than no list. Therefore nothing is reported for a kind
//! whose controller computes a type or a reason, and nothing at all if a file without a controller
//! sets conditions.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

use super::kind_usage::{is_test, program};

/// A condition with one of its reasons.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ConditionReason {
    /// The `type` of the condition: `Ready`.
    pub type_name: String,
    /// `True`, `False` or `Unknown`.
    pub status: &'static str,
    pub reason: String,
    /// The message of the calls with this type, status and reason; `None` if it is computed or if
    /// there are several.
    pub message: Option<String>,
}

/// All conditions of a kind.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Set {
    /// The conditions, sorted by type, in the order of the code.
    pub all: Vec<ConditionReason>,
    /// True if the runtime sets `Ready` after an error of the controller.
    pub reports_errors: bool,
}

/// The conditions that an operator's code sets, as far as they are certain.
#[derive(Clone, Debug, Default)]
pub struct Conditions {
    by_kind: BTreeMap<String, Set>,
}

/// The conditions that one file sets.
#[derive(Debug)]
pub struct InFile {
    /// The kind of the file's controller; `None` if the file has no controller, or several.
    kind: Option<String>,
    /// `None` if a condition is computed.
    set: Option<Set>,
}

/// Helpers of the runtime with the status that they set.
const HELPERS: [(&str, &str); 5] = [
    ("true_because(", "True"),
    ("false_because(", "False"),
    ("condition::met(", "True"),
    ("condition::unmet(", "False"),
    ("condition::unknown(", "Unknown"),
];

/// The runtime's constant for the type `Ready`.
const READY: [&str; 2] = ["READY", "condition::READY"];

impl Conditions {
    /// Combines the conditions of all files. Empty if a file that has no controller, or several,
    /// sets some.
    pub fn of(files: impl IntoIterator<Item = InFile>) -> Self {
        let mut by_kind = BTreeMap::new();
        for file in files {
            let Some(kind) = file.kind else {
                return Self::default();
            };
            match by_kind.entry(kind) {
                Entry::Vacant(entry) => {
                    entry.insert(file.set);
                }
                // Several controllers of a kind divide its conditions among them, or the last
                // writer wins.
                Entry::Occupied(mut entry) => {
                    entry.insert(None);
                }
            }
        }
        let certain = by_kind
            .into_iter()
            .filter_map(|(kind, set)| Some((kind, set?)));
        Self {
            by_kind: certain.collect(),
        }
    }

    /// Returns the conditions of a kind; `None` if they are not certain, or if there are none.
    pub fn of_kind(&self, kind: &str) -> Option<&Set> {
        self.by_kind.get(kind)
    }
}

/// Returns the conditions that a file with this text sets, or `None` if it sets none, or contains
/// only tests.
pub fn find(path: &Path, text: &str) -> Option<InFile> {
    let may_set = text.contains("_because(") || text.contains("ondition");
    if !may_set || is_test(path) {
        return None;
    }
    let code = program(text);
    let calls = calls(&code);
    if calls.is_empty() && !has_literal(&code) {
        return None;
    }
    let conditions = calls.iter().map(|(start, status)| {
        let arguments = arguments(&code, *start);
        let [type_name, reason, message] = arguments.get(..3)? else {
            return None;
        };
        let of = |argument: &Range<usize>| text[argument.clone()].trim();
        let type_name = Some(of(type_name))
            .filter(|name| READY.contains(name))
            .map_or_else(|| string(of(type_name)), |_| Some("Ready".to_owned()));
        Some(ConditionReason {
            type_name: type_name?,
            status,
            reason: string(of(reason))?,
            message: string(of(message)),
        })
    });
    let all = conditions.collect::<Option<Vec<_>>>();
    let all = all.filter(|_| !has_literal(&code));
    let set = all.map(|mut all| {
        all = distinct(all);
        all.sort_by(|a, b| a.type_name.cmp(&b.type_name));
        let reports_errors = code.contains(".conditions(") && !code.contains(".summary_condition(");
        Set {
            all,
            reports_errors,
        }
    });
    let kind = kind(&code);
    Some(InFile { kind, set })
}

/// Returns the conditions, one for each type, status and reason, in the order of the code.
fn distinct(all: Vec<ConditionReason>) -> Vec<ConditionReason> {
    let mut distinct: Vec<ConditionReason> = Vec::new();
    for it in all {
        let key = |it: &ConditionReason| (it.type_name.clone(), it.status, it.reason.clone());
        match distinct.iter_mut().find(|other| key(other) == key(&it)) {
            Some(other) if other.message == it.message => {}
            Some(other) => other.message = None,
            None => distinct.push(it),
        }
    }
    distinct
}

/// Returns the kind of the controller in a file, if it has exactly one.
fn kind(code: &str) -> Option<String> {
    let mut kinds = BTreeSet::new();
    for word in ["Controller<", "Context<"] {
        for (at, _) in code.match_indices(word) {
            let rest = &code[at + word.len()..];
            let path = &rest[..rest.find('>')?];
            kinds.insert(path.rsplit("::").next().unwrap_or_default().trim());
        }
    }
    let mut kinds = kinds.into_iter();
    kinds
        .next()
        .filter(|_| kinds.next().is_none())
        .map(str::to_owned)
}

/// Returns the positions behind the opening parentheses of calls, with the status that the calls
/// set.
fn calls(code: &str) -> Vec<(usize, &'static str)> {
    let mut calls = Vec::new();
    for (helper, status) in HELPERS {
        for (at, _) in code.match_indices(helper) {
            let before = &code[..at];
            let is_part = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
            if !is_part && !before.ends_with("fn ") {
                calls.push((at + helper.len(), status));
            }
        }
    }
    calls.sort_unstable();
    calls
}

/// Returns true if the code constructs a condition without the runtime's helpers.
fn has_literal(code: &str) -> bool {
    let word = "Condition {";
    code.match_indices(word).any(|(at, _)| {
        let before = code[..at].trim_end_matches(|c: char| c.is_alphanumeric() || "_:".contains(c));
        let is_other_word = code[..at].ends_with(char::is_alphanumeric);
        let is_item = ["struct", "enum", "trait", "impl", "for", "->"]
            .iter()
            .any(|word| before.trim_end().ends_with(word));
        !is_other_word && !is_item
    })
}

/// Returns the arguments of the call whose parentheses begin before `start`.
fn arguments(code: &str, start: usize) -> Vec<Range<usize>> {
    let mut arguments = Vec::new();
    let mut depth = 0_usize;
    let mut from = start;
    for (at, byte) in code.bytes().enumerate().skip(start) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth == 0 => {
                arguments.push(from..at);
                break;
            }
            b')' | b']' | b'}' => depth -= 1,
            b',' if depth == 0 => {
                arguments.push(from..at);
                from = at + 1;
            }
            _ => {}
        }
    }
    arguments
}

/// Returns the value of a string literal.
fn string(literal: &str) -> Option<String> {
    let literal = literal.strip_suffix(".to_owned()").unwrap_or(literal);
    Some(syn::parse_str::<syn::LitStr>(literal).ok()?.value())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTROLLER: &str = r#"
pub fn controller() -> Controller<Cow> {
    Controller::new(reconcile).conditions(|status| &mut status.conditions)
}
async fn reconcile(cow: Arc<Cow>, ctx: Context<api::Cow>) -> Result<Action> {
    // condition::true_because("Ready", "InAComment", "")
    let ready = match ready(&cow) {
        Ok(()) => condition::true_because("Ready", "Grazing", "all, (really) all, graze"),
        Err(why) => condition::false_because(condition::READY, "Waiting", why),
    };
    let milk = condition::unknown("Milk", "NotAsked", format!("{}", 1));
    let again = condition::true_because("Ready", "Grazing", "all, (really) all, graze");
    let fat = condition::true_because("Fat", "Eats", "hay");
    let fatter = condition::true_because("Fat", "Eats", "grass");
}
#[cfg(test)]
mod tests {
    fn f() { condition::true_because("Ready", computed(), "") }
}
"#;

    fn found(texts: &[&str]) -> Conditions {
        let files = texts
            .iter()
            .filter_map(|text| find(Path::new("src/cow.rs"), text));
        Conditions::of(files)
    }

    #[test]
    fn literal_conditions_of_a_controller_are_found() {
        let conditions = found(&[CONTROLLER, "fn other() {}"]);
        let set = conditions.of_kind("Cow").unwrap();
        let all: Vec<_> = set
            .all
            .iter()
            .map(|it| {
                (
                    &*it.type_name,
                    it.status,
                    &*it.reason,
                    it.message.as_deref(),
                )
            })
            .collect();
        let grazing = Some("all, (really) all, graze");
        assert_eq!(
            all,
            [
                ("Fat", "True", "Eats", None),
                ("Milk", "Unknown", "NotAsked", None),
                ("Ready", "True", "Grazing", grazing),
                ("Ready", "False", "Waiting", None),
            ]
        );
        assert!(set.reports_errors);
    }

    #[test]
    fn nothing_is_reported_if_a_condition_may_be_missing() {
        let computed = CONTROLLER.replace("\"Waiting\"", "reason");
        let literal = CONTROLLER.replace("let milk =", "let hidden = meta::Condition { type_ };");
        let helper = "fn ready() -> Condition { condition::true_because(\"Ready\", \"A\", \"\") }";
        let two = CONTROLLER.replace("Context<api::Cow>", "Context<Calf>");
        for texts in [
            &[computed.as_str()][..],
            &[literal.as_str()],
            &[two.as_str()],
            &[CONTROLLER, helper],
            &[CONTROLLER, CONTROLLER],
        ] {
            assert!(found(texts).of_kind("Cow").is_none(), "{texts:?}");
        }
        assert!(found(&[CONTROLLER]).of_kind("Cow").is_some());
    }
}
