//! The webhooks of a Go project, as scaffolds that accept every request.

use k8s_openapi::api::admissionregistration::v1::{MutatingWebhook, RuleWithOperations};

use super::go_project::GoSources;
use crate::ops::create::add_webhooks;
use crate::project::Project;
use crate::resource::{Admission, Resource};
use crate::tree::Tree;
use crate::webhook::{self, Webhook};

/// The start of a webhook marker, which specifies the requests that the API server sends to the
/// webhook.
const LINE: &str = "// +kubebuilder:webhook:";

/// A webhook that is carried over from the Go project.
pub struct Carried {
    /// The version of the kind.
    pub resource: Resource,
    /// Defaulting or validation.
    pub admission: Admission,
    /// The webhook of its marker in Go; `None` if only PROJECT mentions it.
    pub webhook: Option<Webhook>,
    /// The name that users see in its responses. It is the name in Go, unless several webhooks come
    /// from the same marker.
    name: String,
}

impl Carried {
    /// Returns the marker for the new project, or `None` if the webhook had none in Go. It is a
    /// copy of that marker, except for the path and the name, and its rule is restricted to this
    /// version of the kind.
    fn marker(&self) -> Option<String> {
        let webhook = self.webhook.as_ref()?;
        let (resource, mutating, name) = (&self.resource, webhook.mutating, &self.name);
        let rule = rule(webhook, resource)?;
        let path = webhook::path(
            mutating,
            &resource.api_group(),
            resource.version.as_str(),
            resource.kind.as_str(),
        );
        let lower = |words: &[String]| words.join(";").to_lowercase();
        let MutatingWebhook {
            failure_policy,
            side_effects,
            ..
        } = &webhook.spec;
        let resources = rule.resources.clone().unwrap_or_default();
        let own = resources.into_iter().filter(|it| is_of(it, resource));
        let own: Vec<_> = own.collect();
        let mut marker = format!(
            "{LINE}path={path},mutating={mutating},failurePolicy={},sideEffects={side_effects},groups={},resources={},\
             verbs={},versions={},name={name},admissionReviewVersions=v1",
            failure_policy.as_deref().unwrap_or("Fail").to_lowercase(),
            resource.marker_group(),
            own.join(";"),
            lower(rule.operations.as_deref().unwrap_or_default()),
            resource.version,
        );
        let more = [
            ("matchPolicy", webhook.spec.match_policy.clone()),
            (
                "timeoutSeconds",
                webhook.spec.timeout_seconds.map(|it| it.to_string()),
            ),
            (
                "reinvocationPolicy",
                webhook.spec.reinvocation_policy.clone(),
            ),
        ];
        for (argument, value) in more {
            marker += &value.map_or_else(String::new, |value| format!(",{argument}={value}"));
        }
        Some(marker)
    }

    /// Reports whether this webhook was carried over from `webhook`.
    pub fn is_of(&self, webhook: &Webhook) -> bool {
        let own = self.webhook.as_ref();
        own.is_some_and(|own| own.marker.line == webhook.marker.line)
    }

    /// Reports whether the API server also calls this webhook for another version of its kind. It
    /// does so unless `matchPolicy` is `Exact`, and converts the object first.
    fn is_asked_of(&self, resource: &Resource) -> bool {
        let spec = self.webhook.as_ref().map(|webhook| &webhook.spec);
        let policy = spec.and_then(|spec| spec.match_policy.as_deref());
        self.resource.same_kind(resource) && policy != Some("Exact")
    }

    /// Returns the place of its marker in Go as `path:line`, or `None` if it had none.
    pub fn place(&self) -> Option<String> {
        let line = &self.webhook.as_ref()?.marker.line;
        Some(format!("{}:{}", line.path.display(), line.number))
    }

    /// Returns the file of the new project that implements the webhook.
    pub fn file(&self) -> String {
        self.resource.webhook_file(self.admission)
    }
}

/// Adds the webhooks of the Go markers to the project, and returns them. If the Go project has no
/// such markers, adds those that PROJECT lists.
pub fn add(found: &GoSources, project: &mut Project) -> Vec<Carried> {
    let mut carried: Vec<Carried> = Vec::new();
    let markers = markers(found);
    for at in 0..project.resources.len() {
        for admission in Admission::ALL {
            let resource = &project.resources[at];
            let mutating = admission == Admission::Defaulting;
            let mut of = markers
                .iter()
                .filter(|it| it.mutating == mutating && rule(it, resource).is_some());
            let webhook = of.next();
            let is_told = markers.is_empty() && is_scaffolded(found, project, resource, admission);
            if webhook.is_none() && !is_told {
                continue;
            }
            // A marker may name several versions of a kind. A webhook that was added for one of
            // them serves the others, too, unless its `matchPolicy` is `Exact`.
            let shared = || {
                let mut all = carried.iter();
                all.find(|it| webhook.is_some_and(|webhook| it.is_of(webhook)))
            };
            if shared().is_some_and(|it| it.is_asked_of(resource)) {
                continue;
            }
            let name = webhook.map_or_else(String::new, |it| it.spec.name.clone());
            let name = match shared() {
                None => name,
                Some(_) => format!("{}-{}.{name}", resource.version, resource.plural),
            };
            add_webhooks(project, at, &[admission]);
            carried.push(Carried {
                resource: project.resources[at].clone(),
                admission,
                webhook: webhook.cloned(),
                name,
            });
        }
    }
    carried
}

/// Writes the markers into the scaffolded files.
pub fn write_into(carried: &[Carried], tree: &mut Tree) {
    for webhook in carried {
        let Some(marker) = webhook.marker() else {
            continue;
        };
        let file = webhook.file();
        let text = tree.get(&file).map_or("", |file| &file.text);
        let lines = text.lines();
        let lines = lines.map(|line| {
            if line.starts_with(LINE) {
                &marker
            } else {
                line
            }
        });
        let lines: Vec<_> = lines.collect();
        tree.replace(&file, lines.join("\n") + "\n");
    }
}

/// Returns the webhooks of all markers that can be parsed.
fn markers(found: &GoSources) -> Vec<Webhook> {
    let each = found.markers.iter().map(std::slice::from_ref);
    each.flat_map(|marker| webhook::read(marker).0.webhooks)
        .collect()
}

/// Returns the first rule that makes the API server call a webhook for a version of a kind.
fn rule<'a>(webhook: &'a Webhook, resource: &Resource) -> Option<&'a RuleWithOperations> {
    let mut rules = webhook.rules.iter().flat_map(|(_, rules)| rules);
    rules.find(|rule| selects(rule, resource))
}

/// Reports whether a rule matches a version of a kind. Wildcards do not count.
pub fn selects(rule: &RuleWithOperations, resource: &Resource) -> bool {
    let names = |all: &Option<Vec<String>>, one: &str| {
        let mut all = all.iter().flatten();
        all.any(|it| it == one)
    };
    let mut resources = rule.resources.iter().flatten();
    names(&rule.api_groups, &resource.api_group())
        && names(&rule.api_versions, resource.version.as_str())
        && resources.any(|it| is_of(it, resource))
}

/// Reports whether a resource name in a rule means a kind or one of its subresources.
fn is_of(name: &str, resource: &Resource) -> bool {
    name.split('/').next() == Some(resource.plural.as_str())
}

/// Reports whether PROJECT of the Go project lists such a webhook.
fn is_scaffolded(
    found: &GoSources,
    project: &Project,
    resource: &Resource,
    admission: Admission,
) -> bool {
    found.project.resources.iter().any(|go| {
        let has = match admission {
            Admission::Defaulting => go.webhooks.defaulting,
            Admission::Validation => go.webhooks.validation,
        };
        has && found
            .kind_of(go, project)
            .is_some_and(|there| there.same_type(resource))
    })
}
