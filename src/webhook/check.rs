//! Checks for which the API server would reject a webhook: the rules of the API and of its
//! validation (`pkg/apis/admissionregistration/validation` in Kubernetes). The expressions of match
//! conditions are not checked.

use k8s_openapi::api::admissionregistration::v1::{
    MutatingWebhook, RuleWithOperations, ServiceReference,
};

use crate::diagnostic::did_you_mean;
use crate::names::labels::is_qualified_name;
use crate::names::object_name;

/// Values of `failurePolicy`.
pub const FAILURE_POLICIES: [&str; 2] = ["Fail", "Ignore"];
/// Values of `matchPolicy`.
pub const MATCH_POLICIES: [&str; 2] = ["Exact", "Equivalent"];
/// Values of `reinvocationPolicy`.
pub const REINVOCATION_POLICIES: [&str; 2] = ["Never", "IfNeeded"];
/// Values of `sideEffects` in version 1 of the API.
pub const SIDE_EFFECTS: [&str; 2] = ["None", "NoneOnDryRun"];
/// Values of `operations`.
pub const OPERATIONS: [&str; 5] = ["CREATE", "UPDATE", "DELETE", "CONNECT", "*"];

/// A problem in an argument of a `+kubebuilder:webhook` marker.
#[derive(Debug)]
pub struct InvalidArgument {
    /// The name of the argument.
    pub argument: &'static str,
    pub message: String,
    /// The command or text that fixes it.
    pub help: String,
}

/// Returns everything wrong with a webhook, which is mutating or validating. `webhook` has its
/// `patch` applied.
pub fn check(webhook: &MutatingWebhook, mutating: bool) -> Vec<InvalidArgument> {
    let mut invalid = InvalidArguments(Vec::new());
    invalid.name(&webhook.name);
    invalid.words(webhook, mutating);
    invalid.called(webhook);
    invalid.review_versions(&webhook.admission_review_versions);
    for rule in webhook.rules.iter().flatten() {
        invalid.rule(rule);
    }
    invalid.match_conditions(webhook);
    invalid.0
}

/// The problems so far. Each method checks one part of a webhook and adds its problems.
struct InvalidArguments(Vec<InvalidArgument>);

impl InvalidArguments {
    fn add(&mut self, argument: &'static str, message: impl Into<String>, help: impl Into<String>) {
        self.0.push(InvalidArgument {
            argument,
            message: message.into(),
            help: help.into(),
        });
    }

    fn name(&mut self, name: &str) {
        if let Err(rule) = object_name(name) {
            self.add(
                "name",
                format!("the name of a webhook {rule}"),
                "write `name=vlolcow.my.domain`",
            );
        } else if name.split('.').count() < 3 {
            let message = format!("the name `{name}` has fewer than three parts");
            self.add("name", message, format!("write `name={name}.my.domain`"));
        }
    }

    /// Checks the arguments that have a fixed set of values, and the timeout.
    fn words(&mut self, webhook: &MutatingWebhook, mutating: bool) {
        let effects = Some(&webhook.side_effects);
        self.word(
            "failurePolicy",
            webhook.failure_policy.as_ref(),
            &FAILURE_POLICIES,
        );
        self.word(
            "matchPolicy",
            webhook.match_policy.as_ref(),
            &MATCH_POLICIES,
        );
        self.word("sideEffects", effects, &SIDE_EFFECTS);
        let again = webhook.reinvocation_policy.as_ref();
        self.word("reinvocationPolicy", again, &REINVOCATION_POLICIES);
        if again.is_some() && !mutating {
            let message = "a validating webhook has no `reinvocationPolicy`";
            self.add("reinvocationPolicy", message, "remove it");
        }
        if webhook
            .timeout_seconds
            .is_some_and(|seconds| !(1..=30).contains(&seconds))
        {
            let message = "the API server waits for 1 to 30 seconds";
            self.add(
                "timeoutSeconds",
                message,
                "write `timeoutSeconds=10`, which is the default",
            );
        }
    }

    fn word(&mut self, argument: &'static str, word: Option<&String>, words: &[&str]) {
        let Some(word) = word.filter(|word| !words.contains(&word.as_str())) else {
            return;
        };
        let help = did_you_mean(word, words).map_or_else(
            || format!("it is one of {}", words.join(", ")),
            |meant| format!("did you mean `{meant}`?"),
        );
        self.add(argument, format!("`{argument}` cannot be `{word}`"), help);
    }

    /// Checks that the webhook is called either at a service or at a URL, and the path or the URL.
    fn called(&mut self, webhook: &MutatingWebhook) {
        match (&webhook.client_config.service, &webhook.client_config.url) {
            (Some(service), None) => self.service(service),
            (None, Some(url)) => self.url(url),
            _ => {
                let message = "a webhook is called either at a service or at a URL";
                self.add("patch", message, "remove one, with `null`");
            }
        }
    }

    fn service(&mut self, service: &ServiceReference) {
        let path = service.path.as_deref().unwrap_or("/");
        let steps = path.strip_suffix('/').unwrap_or(path);
        let mut steps = steps.split('/').skip(1);
        if !path.starts_with('/') {
            self.add(
                "path",
                format!("the path `{path}` does not begin with `/`"),
                format!("write `/{path}`"),
            );
        } else if path != "/" && steps.any(|step| object_name(step).is_err()) {
            let message = format!("the API server rejects the path `{path}`");
            let help = "its parts consist of at most 253 lower-case letters, digits, `-` and `.`";
            self.add("path", message, help);
        }
        if service
            .port
            .is_some_and(|port| u16::try_from(port).map_or(true, |port| port == 0))
        {
            self.add(
                "servicePort",
                "a port is a number from 1 to 65535",
                "leave it out for 443",
            );
        }
    }

    fn url(&mut self, url: &str) {
        let host = url.strip_prefix("https://").unwrap_or_default();
        if host.is_empty() || host.starts_with('/') || host.contains(['?', '#', '@', ' ']) {
            let message = format!("the API server rejects the URL `{url}`");
            self.add(
                "url",
                message,
                "write `https://host:port/path`, with nothing behind the path",
            );
        }
    }

    fn review_versions(&mut self, versions: &[String]) {
        let argument = "admissionReviewVersions";
        if !versions
            .iter()
            .any(|version| version == "v1" || version == "v1beta1")
        {
            let message = "no API server supports any of these versions of AdmissionReview";
            self.add(argument, message, "write `admissionReviewVersions=v1`");
        }
        let twice = |(n, version): &(usize, &String)| versions[..*n].contains(version);
        if let Some((_, version)) = versions.iter().enumerate().find(twice) {
            self.add(
                argument,
                format!("`{version}` is given twice"),
                "remove one",
            );
        }
    }

    fn rule(&mut self, rule: &RuleWithOperations) {
        let lists = [
            ("groups", &rule.api_groups),
            ("versions", &rule.api_versions),
            ("verbs", &rule.operations),
            ("resources", &rule.resources),
        ];
        for (argument, values) in lists {
            let values = values.as_deref().unwrap_or_default();
            let all = ["*", "*/*"]
                .into_iter()
                .find(|all| values.iter().any(|value| value == all));
            // In addition to `*`, subresources may be listed.
            let of_same = |value: &&String| {
                argument != "resources" || all == Some("*/*") || !value.contains('/')
            };
            if let Some(all) = all
                && values.iter().filter(of_same).count() > 1
            {
                let message = format!("`{all}` includes everything, but other values follow");
                self.add(
                    argument,
                    message,
                    format!("write `{argument}={all}`, or the others"),
                );
            }
            if argument != "groups" && values.iter().any(String::is_empty) {
                self.add(
                    argument,
                    format!("an empty value of `{argument}`"),
                    "remove it",
                );
            }
        }
        for verb in rule.operations.iter().flatten() {
            if !OPERATIONS.contains(&verb.as_str()) {
                let help = did_you_mean(verb, &OPERATIONS).map_or_else(
                    || "the verbs are create, update, delete and connect".to_owned(),
                    |meant| format!("did you mean `{}`?", meant.to_lowercase()),
                );
                self.add("verbs", format!("no webhook is called for `{verb}`"), help);
            }
        }
    }

    fn match_conditions(&mut self, webhook: &MutatingWebhook) {
        let conditions = webhook.match_conditions.as_deref().unwrap_or_default();
        for (n, condition) in conditions.iter().enumerate() {
            let name = &condition.name;
            let message = if !is_qualified_name(name) {
                format!("`{name}` is not a valid name of a match condition")
            } else if condition.expression.is_empty() {
                format!("the match condition `{name}` has no expression")
            } else if conditions[..n].iter().any(|other| other.name == *name) {
                format!("two match conditions are called `{name}`")
            } else {
                continue;
            };
            let help = "write `` `name: expression` ``, each with a unique name of letters, digits, `-`, `_` and `.`";
            self.add("matchConditions", message, help);
        }
        if conditions.len() > 64 {
            let message = "the API server accepts at most 64 match conditions";
            self.add("matchConditions", message, "join them with `&&`");
        }
    }
}
