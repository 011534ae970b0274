//! The arguments of a `+kubebuilder:webhook` marker: parsed, and converted to a webhook of
//! `admissionregistration.k8s.io`.

use std::ops::Range;

use k8s_openapi::api::admissionregistration::v1::{
    MatchCondition, MutatingWebhook, RuleWithOperations, ServiceReference, WebhookClientConfig,
};

use crate::project::naming::{NAMESPACE, SERVICE};
use crate::sources::comments::Marker;
use crate::sources::marker::{Argument, Given, Problem, Text, parse};
use crate::webhook::{check, labels, patch};

/// All arguments that a webhook marker accepts.
pub const ARGUMENTS: [Argument; 22] = [
    Argument::one("mutating"),
    Argument::one("failurePolicy"),
    Argument::one("matchPolicy"),
    Argument::one("sideEffects"),
    Argument::one("timeoutSeconds"),
    Argument::list("groups"),
    Argument::list("resources"),
    Argument::list("verbs"),
    Argument::list("versions"),
    Argument::one("name"),
    Argument::one("serviceName"),
    Argument::one("serviceNamespace"),
    Argument::one("servicePort"),
    Argument::one("path"),
    Argument::one("url"),
    Argument::list("webhookVersions"),
    Argument::list("admissionReviewVersions"),
    Argument::one("reinvocationPolicy"),
    Argument::list("namespaceSelector"),
    Argument::list("objectSelector"),
    Argument::list("matchConditions"),
    Argument::one("patch"),
];

/// Arguments that every webhook marker must have, with an example of each.
const REQUIRED: [(&str, &str); 9] = [
    ("mutating", "false"),
    ("failurePolicy", "fail"),
    ("sideEffects", "None"),
    ("groups", "my.domain"),
    ("resources", "lolcows"),
    ("verbs", "create;update"),
    ("versions", "v1"),
    ("name", "vlolcow.my.domain"),
    ("admissionReviewVersions", "v1"),
];

/// Returns the byte range of an argument in the text of the marker's arguments: see
/// [`Arguments::span`].
pub fn span_of(marker: &Marker, argument: &str) -> Range<usize> {
    let (arguments, _) = Arguments::of(marker, &ARGUMENTS);
    arguments.span(argument)
}

/// The parsed arguments of a marker. Methods that convert a value add to `problems` if it is
/// invalid.
pub struct Arguments {
    /// The byte range of all arguments in the text of the marker's arguments.
    whole: Range<usize>,
    /// The arguments of the marker, with their values.
    given: Vec<Given>,
    /// Problems in the values that were converted so far. Spans are relative to the marker's
    /// arguments.
    pub problems: Vec<Problem>,
}

impl Arguments {
    /// Parses the arguments of a marker that accepts those in `known`. Returns syntax errors and
    /// unknown arguments separately, not in `problems`.
    pub fn of(marker: &Marker, known: &[Argument]) -> (Self, Vec<Problem>) {
        let (given, problems) = parse(marker.arguments(), known);
        let arguments = Self {
            whole: 0..marker.arguments().trim_end().len(),
            given,
            problems: Vec::new(),
        };
        (arguments, problems)
    }

    fn values(&self, name: &str) -> &[Text] {
        let given = self.given.iter().find(|given| given.name == name);
        given.map_or(&[], |given| &given.values)
    }

    /// Returns true if the argument is given.
    pub fn is_given(&self, name: &str) -> bool {
        self.given.iter().any(|given| given.name == name)
    }

    /// Returns the byte range of an argument. If it is missing, returns that of the patch, which
    /// may set it, or of all arguments.
    pub fn span(&self, argument: &str) -> Range<usize> {
        let of = |name| {
            let given = self.given.iter().find(|given| given.name == name);
            given.map(|given| given.span.clone())
        };
        of(argument)
            .or_else(|| of("patch"))
            .unwrap_or(self.whole.clone())
    }

    fn problem(&mut self, argument: &str, message: impl Into<String>, help: impl Into<String>) {
        let problem = Problem::new(self.span(argument), message).help(help);
        self.problems.push(problem);
    }

    /// Reports each missing argument that every webhook marker must have, and a marker with neither
    /// or both of `path` and `url`.
    pub fn check_required(&mut self) {
        for (name, example) in REQUIRED {
            self.require(name, example);
        }
        if self.values("path").is_empty() == self.values("url").is_empty() {
            let message = if self.values("path").is_empty() {
                "the marker has neither `path` nor `url`"
            } else {
                "the marker has both `path` and `url`"
            };
            self.problem("url", message, "write one: `path` of the operator's service, or the `url` of a server outside of the cluster");
        }
    }

    /// Reports an argument that is missing or has no value. The help contains `example` as its
    /// value.
    pub fn require(&mut self, name: &str, example: &str) {
        if !self.is_given(name) {
            let problem = Problem::new(self.whole.clone(), format!("`{name}` is missing"));
            self.problems
                .push(problem.help(format!("add `,{name}={example}`")));
        } else if self.values(name).is_empty() {
            let help = match name {
                "groups" => "the core group is written `groups=\"\"`".to_owned(),
                name => format!("write `{name}={example}`"),
            };
            self.problem(name, format!("`{name}` has no value"), help);
        }
    }

    /// Reports arguments that controller-gen would silently ignore: the service's in a marker with
    /// a `url`, and a version of webhook configurations other than `v1`.
    pub fn check_ignored(&mut self) {
        for name in ["serviceName", "serviceNamespace", "servicePort"] {
            if !self.values(name).is_empty() && !self.values("url").is_empty() {
                self.problem(
                    name,
                    format!("`{name}` of a webhook with a `url`"),
                    "remove it",
                );
            }
        }
        let other = self
            .values("webhookVersions")
            .iter()
            .find(|version| version.text != "v1");
        if let Some(version) = other.map(|version| version.text.clone()) {
            let message = format!("unknown version `{version}` of webhook configurations");
            self.problem("webhookVersions", message, "write `v1`, or leave it out");
        }
    }

    /// Returns the value of an argument; `None` if it is missing or empty.
    pub fn text(&self, name: &str) -> Option<String> {
        let text = self.values(name).first().map(|value| value.text.clone());
        text.filter(|text| !text.is_empty())
    }

    fn texts(&self, name: &str) -> Vec<String> {
        self.values(name)
            .iter()
            .map(|value| value.text.clone())
            .collect()
    }

    /// Parses the value of a Boolean argument. Returns `None` if it is missing or invalid; reports
    /// an invalid one.
    pub fn boolean(&mut self, name: &str) -> Option<bool> {
        let text = self.text(name).unwrap_or_default();
        let boolean = text.parse().ok();
        if boolean.is_none() && !self.values(name).is_empty() {
            self.problem(
                name,
                format!("`{text}` is neither `true` nor `false`"),
                format!("write `{name}=true` or `{name}=false`"),
            );
        }
        boolean
    }

    fn number(&mut self, name: &str) -> Option<i32> {
        let number = self.text(name)?.parse();
        if number.is_err() {
            self.problem(
                name,
                format!("`{name}` is not a number"),
                format!("write `{name}=10`"),
            );
        }
        number.ok()
    }

    /// Returns the value of an argument, with the capitalization of the API if it is one of
    /// `words`.
    fn word(&self, name: &str, words: &[&str]) -> Option<String> {
        self.text(name).map(|text| proper(&text, words))
    }

    /// Converts the arguments to a webhook of the API, except for `patch`. Reports invalid numbers,
    /// selectors and match conditions; [`check::check`] reports the rest. Both kinds of webhook
    /// have this type.
    pub fn webhook(&mut self) -> MutatingWebhook {
        MutatingWebhook {
            admission_review_versions: self.texts("admissionReviewVersions"),
            client_config: self.client_config(),
            failure_policy: self.word("failurePolicy", &check::FAILURE_POLICIES),
            match_conditions: self.match_conditions(),
            match_policy: self.word("matchPolicy", &check::MATCH_POLICIES),
            name: self.text("name").unwrap_or_default(),
            namespace_selector: self.selector("namespaceSelector"),
            object_selector: self.selector("objectSelector"),
            reinvocation_policy: self.word("reinvocationPolicy", &check::REINVOCATION_POLICIES),
            rules: Some(vec![self.rule()]),
            side_effects: self
                .word("sideEffects", &check::SIDE_EFFECTS)
                .unwrap_or_default(),
            // as in controller-gen, 0 is the same as no value
            timeout_seconds: self
                .number("timeoutSeconds")
                .filter(|seconds| *seconds != 0),
        }
    }

    fn client_config(&mut self) -> WebhookClientConfig {
        let or = |text: Option<String>, usual: &str| text.unwrap_or_else(|| usual.to_owned());
        let port = self.number("servicePort");
        let service = self.text("path").map(|path| ServiceReference {
            name: or(self.text("serviceName"), SERVICE),
            namespace: or(self.text("serviceNamespace"), NAMESPACE),
            path: Some(path),
            port,
        });
        WebhookClientConfig {
            ca_bundle: None,
            service,
            url: self.text("url"),
        }
    }

    fn rule(&self) -> RuleWithOperations {
        let groups = self.texts("groups").into_iter();
        // as in controller-gen, the core group may also be written `core`
        let core = |group: String| {
            if group == "core" {
                String::new()
            } else {
                group
            }
        };
        let verbs = self.texts("verbs").into_iter();
        let operation = |verb: String| proper(&verb, &check::OPERATIONS);
        RuleWithOperations {
            api_groups: Some(groups.map(core).collect()),
            api_versions: Some(self.texts("versions")),
            operations: Some(verbs.map(operation).collect()),
            resources: Some(self.texts("resources")),
            scope: None,
        }
    }

    fn selector(
        &mut self,
        name: &str,
    ) -> Option<k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector> {
        let (selector, problems) = labels::selector(self.values(name));
        self.problems.extend(problems);
        (!self.values(name).is_empty()).then_some(selector)
    }

    /// Parses conditions of the form `name: expression`.
    fn match_conditions(&mut self) -> Option<Vec<MatchCondition>> {
        let mut conditions = Vec::new();
        for value in self.values("matchConditions").to_vec() {
            let Some((name, expression)) = value.text.split_once(':') else {
                let message = "a match condition needs a name";
                let help = "write `` `name: expression` `` in backticks";
                self.problems
                    .push(Problem::new(value.span, message).help(help));
                continue;
            };
            conditions.push(MatchCondition {
                name: name.trim().to_owned(),
                expression: expression.trim().to_owned(),
            });
        }
        (!conditions.is_empty()).then_some(conditions)
    }

    /// Applies the argument `patch`, a merge patch, to the webhook. Reports a patch that cannot be
    /// applied.
    pub fn patch(&mut self, spec: &mut MutatingWebhook) {
        let Some(text) = self.text("patch") else {
            return;
        };
        match patch::apply(spec, &text) {
            Ok(patched) => *spec = patched,
            Err((message, help)) => self.problem("patch", message, help),
        }
    }
}

/// Returns that of `words`, the values of the API, which is equal to `text` except for its case. If
/// there is none, returns `text`, which is reported later.
fn proper(text: &str, words: &[&str]) -> String {
    let found = words.iter().find(|word| word.eq_ignore_ascii_case(text));
    found.map_or(text, |word| word).to_owned()
}
