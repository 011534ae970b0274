//! The operation of `rustop rbac report` for an adopted operator: a comparison of the requests in
//! its code with the rules of its rendered roles. Needs no cluster.

mod templates;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use k8s_openapi::api::rbac::v1::PolicyRule;
use serde_json::json;
use walkdir::{DirEntry, WalkDir};

use super::{Refusal, Result};
use crate::adopted::config::{Deploy, ManifestSource};
use crate::adopted::deploy::{
    self, AbsentRole, GrantedRule, GrantingRole, IneffectiveBinding, Rendered, Workload,
};
use crate::adopted::{self, Config, FILE};
use crate::apicalls::{
    Call, CodeLine, InvalidFile, Repository, RepositoryProgram, Sent, UncheckedRequest,
};
use crate::disk::regular;
use crate::rbac::missing::{Certainty, Missing, Optional, is_granted, missing, selecting};
use crate::rbac::rule::{Rule, scalar};
use crate::session::Session;
use crate::terminal::escaped_line;
use crate::text::{count, place};

/// Maximum number of places that are printed for one missing rule.
const MOST_PLACES: usize = 4;

/// Prints the permissions that the operator's code needs and its roles do not grant. If
/// `rustop.yaml` names no manifests, prints a role with all of them. Returns the exit code, which
/// is 1 if `check` is set and a rule is missing, or a binding is missing or wrong. If there is no
/// Rust code, prints a note and returns `None`.
///
/// # Errors
/// Returns an error if the program of the Rust code is not known, if no request in it can be read,
/// if the manifests cannot be read, or if `check` is set and `rustop.yaml` names no manifests.
pub fn report(session: &Session, check: bool) -> Result<Option<ExitCode>> {
    let dir = &session.dir;
    let config = Config::load(dir)?;
    if !has_rust(dir) {
        unread(session, dir)?;
        return Ok(None);
    }
    let repository = Repository::new(sources(dir));
    warn_of(session, &repository.invalid, "its programs are not known");
    let program = program(&repository, &config)?;
    let Some(deployed) = &config.deploy else {
        if check {
            return Err(Refusal::NoDeploy.into());
        }
        let sent = read(session, &repository, &program, &[])?;
        whole_role(session, &program, &sent)?;
        return Ok(Some(ExitCode::SUCCESS));
    };
    let installed = installed(session, &config, deployed)?;
    let Installed {
        objects,
        workload,
        granted,
        absent,
        ..
    } = &installed;
    // The manifests need not contain every role that they bind. The rules of `cluster-admin` are
    // known; any other absent role may grant a request, which makes a missing rule uncertain.
    let (full, unknown): (Vec<_>, Vec<_>) = absent.iter().partition(|it| it.grants_everything());
    let rules: Vec<Rule> = granted
        .iter()
        .map(|it| rule(&it.rule, it.namespace.clone()))
        .chain(full.into_iter().map(every_rule))
        .collect();
    let possible: Vec<Rule> = unknown.into_iter().map(every_rule).collect();
    let mut optional: Vec<Optional> = workload
        .iter()
        .flat_map(|it| of_siblings(objects, it))
        .collect();
    if let ManifestSource::Chart(chart) = deployed.source() {
        optional.extend(unbound(&templates::unbound(dir, chart, objects)));
        optional.extend(hidden(&templates::rules(&dir.join(chart)), objects));
    }
    let arguments = workload.as_ref().map(Workload::arguments);
    let sent = read(
        session,
        &repository,
        &program,
        &arguments.unwrap_or_default(),
    )?;
    let found = missing(&sent.calls, &rules, &optional, &possible);
    let report = Report {
        program: &program,
        workload: workload.as_ref(),
        granted,
        absent,
        unbound: installed.unbound.as_ref(),
        ineffective: &installed.ineffective,
        note: installed.note.as_deref(),
        sent: &sent,
        rules: &rules,
        found: &found,
    };
    report.set_json(session);
    session.terminal.data(&report.text())?;
    let has_missing = found.iter().any(|it| it.certainty == Certainty::Certain);
    let has_wrong_binding = report.unbound.is_some() || !report.ineffective.is_empty();
    let failed = check && (has_missing || has_wrong_binding);
    Ok(Some(ExitCode::from(u8::from(failed))))
}

/// Returns the requests of a program, and lists them for `--verbose` and in the JSON document.
/// `arguments` are those of its command line.
///
/// # Errors
/// Returns an error if there are none, or none whose kind is known: that is more likely code that
/// rustop cannot read than an operator without any.
fn read(
    session: &Session,
    repository: &Repository,
    program: &RepositoryProgram,
    arguments: &[String],
) -> Result<Sent> {
    let sent = repository.sent(program, arguments);
    warn_of(session, &sent.skipped, "requests in this file are not read");
    if sent.calls.is_empty() && sent.unknown.is_empty() && sent.elsewhere.is_empty() {
        return Err(Refusal::NoRequests {
            program: program.name.clone(),
            root: program.root.clone(),
        }
        .into());
    }
    let place = |place: &CodeLine| format!("{}:{}", place.file.display(), place.line);
    let mut calls: Vec<_> = sent.calls.iter().collect();
    calls.sort_by_key(|call| &call.place);
    for call in &calls {
        session.terminal.detail(format_args!(
            "{}: {} {} ({})",
            place(&call.place),
            call.verb,
            call.name(),
            call.why
        ));
    }
    for (what, requests) in [
        ("unresolved", &sent.unknown),
        ("sent to another cluster", &sent.elsewhere),
    ] {
        for UncheckedRequest { place: at, why } in requests {
            session
                .terminal
                .detail(format_args!("{}: {what}: {why}", place(at)));
        }
    }
    let read = calls.iter().map(|call| {
        json!({
            "path": call.place.file,
            "line": call.place.line,
            "resource": call.name(),
            "verb": call.verb,
            "why": call.why,
        })
    });
    let listed = |requests: &BTreeSet<UncheckedRequest>| -> Vec<_> {
        let each = requests.iter();
        each.map(|it| json!({"path": it.place.file, "line": it.place.line, "why": it.why}))
            .collect()
    };
    session.report("program", json!(program.name));
    session.report("requests", json!(sent.calls.len()));
    session.report("read", read.collect::<Vec<_>>());
    session.report("unresolved", listed(&sent.unknown));
    session.report("elsewhere", listed(&sent.elsewhere));
    if sent.calls.is_empty() && !sent.unknown.is_empty() {
        return Err(Refusal::NothingResolved {
            program: program.name.clone(),
            unresolved: sent.unknown.len(),
        }
        .into());
    }
    Ok(sent)
}

/// Warns about files that cannot be parsed. `effect` says what is not known therefore.
fn warn_of<'a>(session: &Session, files: impl IntoIterator<Item = &'a InvalidFile>, effect: &str) {
    for InvalidFile { place, why } in files {
        session.terminal.warning(format_args!(
            "{}:{}: cannot be parsed: {why}; {effect}",
            place.file.display(),
            place.line
        ));
    }
}

/// Prints a role that grants all requests of an operator without manifests.
fn whole_role(session: &Session, program: &RepositoryProgram, sent: &Sent) -> Result<()> {
    let needed = missing(&sent.calls, &[], &[], &[]);
    let rules: String = needed.iter().map(Missing::rule).collect();
    let name = json!(program.name);
    let lacks = match sent.unknown.len() {
        0 => String::new(),
        number => format!(
            "# Without rules for {}, listed with --verbose.\n",
            count(number, "unresolved request")
        ),
    };
    let role = format!(
        "{lacks}apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: {name}\nrules:\n{rules}"
    );
    session.report("role", role.as_str());
    session.terminal.data(&role)?;
    let requests = count(sent.calls.len(), "request");
    session.terminal.note(format_args!(
        "{}: {requests} read, which this role grants{}",
        program.name,
        rest_of(sent)
    ));
    session.terminal.note(format_args!(
        "{FILE} names no manifests; `rustop adopt --deploy PATH --force` adds those with the operator's role"
    ));
    Ok(())
}

/// Returns the numbers of requests that no role is compared with.
fn rest_of(sent: &Sent) -> String {
    let rest = [
        (sent.unknown.len(), "unresolved"),
        (sent.elsewhere.len(), "sent to another cluster"),
    ];
    let rest: Vec<_> = rest
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, what)| format!("{number} {what}"))
        .collect();
    if rest.is_empty() {
        String::new()
    } else {
        format!("; {} (listed with --verbose)", rest.join(", "))
    }
}

/// The objects of the manifests and the rules that they grant to the operator.
struct Installed {
    objects: Vec<Rendered>,
    /// `None` if the manifests cannot be rendered.
    workload: Option<Workload>,
    /// The rules of the roles that are bound to the operator's ServiceAccount.
    granted: Vec<GrantedRule>,
    /// The roles that are bound to it and that the manifests do not contain.
    absent: Vec<AbsentRole>,
    /// The role whose rules are in `granted` although it is not bound: no role is bound to the
    /// ServiceAccount, and this is the only one without a binding.
    unbound: Option<Rendered>,
    /// The bindings that do not bind their roles, whose rules are in `granted`, too.
    ineffective: Vec<IneffectiveBinding>,
    /// The reason why `granted` contains all rules of the templates; `None` if the manifests were
    /// rendered.
    note: Option<String>,
}

/// Renders the manifests and collects the rules of the operator's roles. If the chart needs helm,
/// and helm is not installed, all rules in its templates count as the operator's.
fn installed(session: &Session, config: &Config, deployed: &Deploy) -> Result<Installed> {
    let dir = &session.dir;
    for entry in deploy::left_out(dir, deployed) {
        session.terminal.warning(entry);
    }
    match deploy::objects(dir, deployed, &config.project_name) {
        Ok(objects) => {
            let workload = deploy::workload(config, &objects)?;
            let mut granted = deploy::rules(&objects, &workload);
            let mut absent = deploy::absent_roles(&objects, &workload);
            let ineffective = deploy::ineffective_bindings(&objects, &workload);
            for wrong in &ineffective {
                let reference = wrong.binding.role_ref();
                absent.retain(|it| reference != (it.kind.as_str(), it.role.as_str()));
                granted.extend(wrong.rules.iter().cloned());
            }
            let mut unbound = None;
            if granted.is_empty()
                && absent.is_empty()
                && let Some((role, rules)) = deploy::unbound(&objects)
                && !is_bound_with_other_values(dir, deployed, &objects, role)
            {
                unbound = Some(role.clone());
                granted = rules;
            }
            Ok(Installed {
                granted,
                absent,
                unbound,
                ineffective,
                workload: Some(workload),
                objects,
                note: None,
            })
        }
        Err(error @ adopted::Error::Chart { .. }) => {
            let ManifestSource::Chart(chart) = deployed.source() else {
                return Err(error.into());
            };
            let templates = templates::rules(&dir.join(chart)).into_iter();
            Ok(Installed {
                objects: Vec::new(),
                workload: None,
                granted: templates
                    .map(|rule| GrantedRule {
                        file: chart.into(),
                        line: 0,
                        role: GrantingRole::OfChart,
                        namespace: None,
                        rule,
                    })
                    .collect(),
                absent: Vec::new(),
                unbound: None,
                ineffective: Vec::new(),
                note: Some(format!(
                    "{error}; therefore all rules in its templates count"
                )),
            })
        }
        Err(error) => Err(error.into()),
    }
}

/// Reports whether a role that no rendered object binds is bound by a template of the chart, which
/// other values would render.
fn is_bound_with_other_values(
    dir: &Path,
    deployed: &Deploy,
    objects: &[Rendered],
    role: &Rendered,
) -> bool {
    let ManifestSource::Chart(chart) = deployed.source() else {
        return false;
    };
    let roles = templates::unbound(dir, chart, objects);
    roles
        .iter()
        .any(|it| it.kind() == role.kind() && it.name() == role.name())
}

/// Reports that the code is not read.
fn unread(session: &Session, dir: &Path) -> Result<()> {
    let language = if dir.join("go.mod").is_file() {
        "Go"
    } else {
        "this language"
    };
    let note = format!(
        "requests in {language} are not read: rustop reads Rust code on kube-rs only, not the typed client of other \
         libraries"
    );
    session.report("program", json!(null));
    session.report("requests", json!(0));
    session.report("notes", json!([note]));
    for list in ["missing", "bindings", "read", "unresolved", "elsewhere"] {
        session.report(list, json!([]));
    }
    session.terminal.data(&format!("{note}\n"))?;
    Ok(())
}

/// Reports whether a repository has Rust code, which this report can read.
pub fn has_rust(dir: &Path) -> bool {
    let mut entries = WalkDir::new(dir).into_iter().filter_entry(is_source);
    entries.any(|entry| entry.is_ok_and(|entry| entry.file_name() == "Cargo.toml"))
}

/// Returns the texts of all Rust sources and manifests, by their paths relative to `dir`. A file
/// that cannot be read is left out: if the program needs it, its requests are unresolved.
fn sources(dir: &Path) -> BTreeMap<PathBuf, String> {
    let entries = WalkDir::new(dir).into_iter().filter_entry(is_source);
    let mut texts = BTreeMap::new();
    for entry in entries.flatten() {
        let path = entry.path();
        let is_rust = path.extension().is_some_and(|extension| extension == "rs");
        let is_wanted = is_rust || entry.file_name() == "Cargo.toml";
        if is_wanted
            && let Ok(relative) = path.strip_prefix(dir)
            && let Ok(text) = regular::text(path)
        {
            texts.insert(relative.to_owned(), text);
        }
    }
    texts
}

/// Reports whether an entry may contain sources: neither hidden, nor a directory of dependencies or
/// of build results.
fn is_source(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    let is_build = || {
        let is_cache = entry.path().join("CACHEDIR.TAG").exists();
        is_cache || name == "target" && entry.path().with_file_name("Cargo.toml").exists()
    };
    entry.depth() == 0
        || !(name.starts_with('.')
            || entry.file_type().is_dir() && (name == "node_modules" || is_build()))
}

/// Returns the program that `rustop.yaml` names, or the only one that sends requests.
fn program(repository: &Repository, config: &Config) -> Result<RepositoryProgram> {
    let programs = repository.programs();
    let build = config.operator.build.as_deref().unwrap_or_default();
    let words = config
        .operator
        .command
        .iter()
        .map(String::as_str)
        .chain(build.split_whitespace());
    let named = words.filter_map(|word| {
        let name = Path::new(word).file_name()?.to_str()?;
        let name = name.strip_prefix("--bin=").unwrap_or(name);
        programs.iter().find(|program| program.name == name)
    });
    if let Some(program) = named.into_iter().next() {
        return Ok(program.clone());
    }
    let mut sending = programs.iter().filter(|program| {
        let sent = repository.sent(program, &[]);
        !sent.calls.is_empty() || !sent.unknown.is_empty()
    });
    match (sending.next(), sending.next()) {
        (Some(program), None) => Ok(program.clone()),
        _ => Err(Refusal::NoProgram {
            programs: programs.into_iter().map(|program| program.name).collect(),
        }
        .into()),
    }
}

/// Converts a rule of a role.
pub fn rule(policy: &PolicyRule, namespace: Option<String>) -> Rule {
    Rule {
        groups: policy.api_groups.clone().unwrap_or_default(),
        resources: policy.resources.clone().unwrap_or_default(),
        resource_names: policy.resource_names.clone().unwrap_or_default(),
        verbs: policy.verbs.clone(),
        urls: policy.non_resource_urls.clone().unwrap_or_default(),
        namespace,
        role_name: None,
    }
}

/// Returns a rule for all requests in the reach of a role.
fn every_rule(role: &AbsentRole) -> Rule {
    let all = || vec!["*".to_owned()];
    Rule {
        groups: all(),
        resources: all(),
        verbs: all(),
        namespace: role.namespace.clone(),
        ..Rule::default()
    }
}

/// The heading of requests that are granted with other values of the chart.
const BY_VALUES: &str = "not granted by default";

/// Returns the rules of the templates that no rendered role contains.
fn hidden(templates: &[PolicyRule], objects: &[Rendered]) -> Vec<Optional> {
    let rendered: Vec<PolicyRule> = objects
        .iter()
        .filter(|object| matches!(object.kind(), "ClusterRole" | "Role"))
        .filter_map(|object| serde_json::from_value::<Vec<_>>(object.object["rules"].clone()).ok())
        .flatten()
        .collect();
    let hidden = templates.iter().filter(|rule| !rendered.contains(rule));
    hidden
        .map(|policy| Optional {
            rule: rule(policy, None),
            heading: BY_VALUES,
            why: "the chart grants this with other values".to_owned(),
        })
        .collect()
}

/// Returns the rules of roles that are not bound with the current values of the chart.
fn unbound(roles: &[&Rendered]) -> Vec<Optional> {
    let all = roles.iter().flat_map(|role| {
        let policies = serde_json::from_value::<Vec<PolicyRule>>(role.object["rules"].clone());
        let (kind, name) = (role.kind(), role.name());
        policies.into_iter().flatten().map(move |policy| Optional {
            rule: rule(&policy, None),
            heading: BY_VALUES,
            why: format!(
                "{kind} {name} grants this, but is not bound with these values of the chart"
            ),
        })
    });
    all.collect()
}

/// Returns the rules of other workloads that run the operator's image: an argument may decide what
/// the program does there.
fn of_siblings(objects: &[Rendered], workload: &Workload) -> Vec<Optional> {
    let siblings = workload.siblings(objects).into_iter();
    let rules = siblings.flat_map(|sibling| {
        let (kind, name) = (sibling.kind.clone(), sibling.name.clone());
        let granted = deploy::rules(objects, &sibling).into_iter();
        granted.map(move |it| Optional {
            rule: rule(&it.rule, it.namespace),
            heading: "granted to another workload",
            why: format!("{kind} {name}, which runs the same image, may do this"),
        })
    });
    rules.collect()
}

/// Returns a rule of the role to which a rule for a resource belongs: a role that has rules for the
/// resource or its group already, or else the first one, preferably not limited to a namespace.
pub fn role<'a>(
    granted: &'a [GrantedRule],
    group: &str,
    resource: &str,
) -> Option<&'a GrantedRule> {
    let of = |fits: &dyn Fn(&PolicyRule) -> bool| granted.iter().find(|it| fits(&it.rule));
    let has =
        |names: &Option<Vec<String>>, name: &str| names.iter().flatten().any(|one| one == name);
    let of_resource =
        |rule: &PolicyRule| has(&rule.api_groups, group) && has(&rule.resources, resource);
    let of_group = |rule: &PolicyRule| has(&rule.api_groups, group);
    of(&of_resource)
        .or_else(|| of(&of_group))
        .or_else(|| granted.iter().find(|it| it.namespace.is_none()))
        .or_else(|| granted.first())
}

/// Returns the kinds that controllers in the operator's code reconcile, each as its group and
/// plural. Empty if the code is not Rust, or if it does not tell.
pub fn reconciled_kinds(dir: &Path, config: &Config, workload: &Workload) -> Vec<(String, String)> {
    let texts = sources(dir);
    if !texts.keys().any(|path| path.ends_with("Cargo.toml")) {
        return Vec::new();
    }
    let repository = Repository::new(texts);
    let Ok(program) = program(&repository, config) else {
        return Vec::new();
    };
    let sent = repository.sent(&program, &workload.arguments());
    sent.primary
        .into_iter()
        .map(|it| (it.group, it.plural))
        .collect()
}

/// The result of the comparison. The fields from `granted` to `note` are those of [`Installed`].
struct Report<'a> {
    program: &'a RepositoryProgram,
    /// `None` if the manifests cannot be rendered.
    workload: Option<&'a Workload>,
    granted: &'a [GrantedRule],
    absent: &'a [AbsentRole],
    unbound: Option<&'a Rendered>,
    ineffective: &'a [IneffectiveBinding],
    note: Option<&'a str>,
    /// The requests in the code.
    sent: &'a Sent,
    /// The rules with which the requests were compared.
    rules: &'a [Rule],
    /// The requests that `rules` do not grant.
    found: &'a [Missing<'a>],
}

impl Report<'_> {
    /// Sets the fields of the JSON document.
    fn set_json(&self, session: &Session) {
        let missing = self.found.iter().map(|it| {
            let places = it.calls.iter().map(|call| {
                json!({
                    "path": call.place.file,
                    "line": call.place.line,
                    "verb": call.verb,
                    "why": call.why,
                })
            });
            let role = self.role(it);
            json!({
                "resource": it.name(),
                "verbs": it.verbs,
                "rule": it.rule(),
                "role": role.map(|role| role.role.to_string()),
                "file": role.map(|role| &role.file),
                "optional": it.certainty == Certainty::Optional,
                "uncertain": it.certainty == Certainty::AbsentRole,
                "places": places.collect::<Vec<_>>(),
            })
        });
        let bindings = self.ineffective.iter().map(|it| {
            json!({
                "path": it.binding.file,
                "line": it.binding.line,
                "binding": format!("{} {}", it.binding.kind(), it.binding.name()),
                "why": it.why,
                "yaml": it.fixed.join("\n") + "\n",
            })
        });
        session.report_each("bindings", bindings);
        session.report("notes", json!(self.notes()));
        session.report("missing", missing.collect::<Vec<_>>());
    }

    /// Returns the role to which a missing rule should be added.
    fn role(&self, missing: &Missing) -> Option<&GrantedRule> {
        role(self.granted, missing.group, &missing.resource)
    }

    /// Returns what the report cannot decide.
    fn notes(&self) -> Vec<String> {
        let mut notes: Vec<_> = self.note.map(str::to_owned).into_iter().collect();
        notes.extend(self.absent.iter().map(absent_role));
        notes.extend(selecting(&self.sent.calls, self.rules).map(|call| {
            format!(
                "{}:{} needs `{}` of {}, which only rules with `resourceNames` grant: the API server allows it only \
                 with the field selector `metadata.name`",
                call.place.file.display(),
                call.place.line,
                call.verb,
                call.name()
            )
        }));
        if let Some(place) = &self.sent.blocks_deletion {
            let owners = self.sent.primary.iter().filter(|owner| {
                let update = Call {
                    resource: (*owner).clone(),
                    subresource: Some("finalizers".to_owned()),
                    verb: "update".to_owned(),
                    place: place.clone(),
                    why: String::new(),
                };
                !is_granted(&update, self.rules)
            });
            let owners: Vec<_> = owners
                .map(|owner| format!("{}/finalizers", owner.plural))
                .collect();
            if !owners.is_empty() {
                notes.push(format!(
                    "{}:{} sets `blockOwnerDeletion`: on clusters with the admission plugin \
                     OwnerReferencesPermissionEnforcement, such as OpenShift, this needs `update` of {}",
                    place.file.display(),
                    place.line,
                    owners.join(", ")
                ));
            }
        }
        let opens = self.sent.calls.iter().find(|call| {
            matches!(
                call.subresource.as_deref(),
                Some("exec" | "attach" | "portforward")
            )
        });
        if let Some(call) = opens {
            notes.push(format!(
                "{}:{} opens a WebSocket with `get` of {}; Kubernetes 1.35 and later also require `create`",
                call.place.file.display(),
                call.place.line,
                call.rule_resource()
            ));
        }
        notes
    }

    /// Returns the text of the report. Names in the code and in the manifests begin no line of it.
    fn text(&self) -> String {
        let lines = self.lines().into_iter();
        lines.map(|line| escaped_line(&line) + "\n").collect()
    }

    /// Returns the lines of the report before they are escaped.
    fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let has_no_role =
            self.unbound.is_some() || self.granted.is_empty() && self.absent.is_empty();
        if let Some(workload) = self.workload.filter(|_| has_no_role) {
            let (kind, name, account) = (&workload.kind, &workload.name, &workload.service_account);
            lines.push(format!(
                "no role is bound to the ServiceAccount `{account}` of {kind} {name}"
            ));
            let role = self.unbound.iter();
            lines.extend(role.flat_map(|role| binding(role, workload)));
        }
        lines.extend(self.ineffective.iter().flat_map(wrong_binding));
        lines.extend(self.found.iter().flat_map(|missing| self.entry(missing)));
        lines.extend(self.notes().into_iter().map(|note| format!("note: {note}")));
        lines.push(self.summary());
        lines
    }

    /// Returns the last line, with the numbers of requests, missing rules and bindings.
    fn summary(&self) -> String {
        let number = |certainty| {
            let found = self.found.iter();
            found.filter(|it| it.certainty == certainty).count()
        };
        let missing = match number(Certainty::Certain) {
            0 => "no rule is missing".to_owned(),
            1 => "1 rule is missing".to_owned(),
            number => format!("{number} rules are missing"),
        };
        let possible = match number(Certainty::AbsentRole) {
            0 => String::new(),
            number => format!(", {number} may be missing"),
        };
        let binding = match self.unbound {
            Some(_) => ", 1 binding is missing",
            None => "",
        };
        let wrong = match self.ineffective.len() {
            0 => String::new(),
            1 => ", 1 binding is wrong".to_owned(),
            number => format!(", {number} bindings are wrong"),
        };
        let program = &self.program.name;
        let requests = count(self.sent.calls.len(), "request");
        let rest = rest_of(self.sent);
        format!("{program}: {requests} read, {missing}{possible}{binding}{wrong}{rest}")
    }

    /// Returns the lines about the missing verbs of one resource.
    fn entry(&self, missing: &Missing) -> Vec<String> {
        let word = match missing.certainty {
            Certainty::Certain => "missing",
            Certainty::AbsentRole => "may be missing",
            Certainty::Optional => missing.optional.map_or(BY_VALUES, |it| it.heading),
        };
        let verbs = missing.verbs.join(", ");
        let mut lines = vec![format!("{word}: {verbs} {}", missing.name())];
        lines.extend(missing.calls.iter().take(MOST_PLACES).map(|call| {
            let (file, line) = (call.place.file.display(), call.place.line);
            format!("  {file}:{line}: {} ({})", call.verb, call.why)
        }));
        let more = missing.calls.len().saturating_sub(MOST_PLACES);
        if more > 0 {
            lines.push(format!("  and {more} more"));
        }
        match missing.certainty {
            Certainty::Certain => lines.extend(self.advice(missing)),
            Certainty::AbsentRole => {
                lines.push("  a role that the manifests do not contain may grant this".to_owned());
            }
            Certainty::Optional => {
                let why = missing.optional.iter().map(|it| format!("  {}", it.why));
                lines.extend(why);
            }
        }
        lines
    }

    /// Returns the rule to add, and the place where it belongs.
    fn advice(&self, missing: &Missing) -> Vec<String> {
        let other = missing.other_groups.iter().map(|group| {
            let group = if group.is_empty() { "core" } else { group };
            format!(
                "  the roles grant this for `{}` of the group `{group}`, which is another resource",
                missing.resource
            )
        });
        let names: Vec<_> = missing.names.iter().map(|name| scalar(name)).collect();
        let limited = (!names.is_empty()).then(|| {
            format!(
                "  a rule grants this for `resourceNames: [{}]` only, but the name of an object is not part of this request",
                names.join(", ")
            )
        });
        let place = match self.role(missing) {
            Some(granted) => format!(
                "{}, {}{}",
                granted.role,
                granted.place(),
                present(granted, missing)
            ),
            None => "a role of the ServiceAccount".to_owned(),
        };
        let rule = missing.rule();
        let rule = rule.lines().map(|line| format!("    {line}"));
        other
            .chain(limited)
            .chain([format!("  add to {place}:")])
            .chain(rule)
            .collect()
    }
}

/// Returns the verbs that a rule grants for the same resource already, as the end of a sentence.
fn present(role: &GrantedRule, missing: &Missing) -> String {
    let has =
        |names: &Option<Vec<String>>, name: &str| names.iter().flatten().any(|one| one == name);
    let is_limited = role.rule.resource_names.as_ref();
    if has(&role.rule.api_groups, missing.group)
        && has(&role.rule.resources, &missing.resource)
        && is_limited.is_none_or(Vec::is_empty)
    {
        let verbs = role.rule.verbs.join(", ");
        format!(", which grants only {verbs} of it")
    } else {
        String::new()
    }
}

/// Returns the lines of a binding to add for a role.
fn binding(role: &Rendered, workload: &Workload) -> Vec<String> {
    let (kind, name, file) = (role.kind(), role.name(), role.file.display());
    let yaml = deploy::binding_of(name, role, true, role, workload).into_iter();
    let head = format!("  {kind} {name}, {file}, is not bound; add:");
    let yaml = yaml.map(|line| format!("    {line}"));
    [head].into_iter().chain(yaml).collect()
}

/// Returns the lines about a binding that does not bind its role.
fn wrong_binding(wrong: &IneffectiveBinding) -> Vec<String> {
    let IneffectiveBinding { binding, why, .. } = wrong;
    let place = binding.place();
    let yaml = wrong.fixed.iter().map(|line| format!("    {line}"));
    [
        format!("wrong binding: {} {}", binding.kind(), binding.name()),
        format!("  {place}: it {why}"),
        "  replace it with:".to_owned(),
    ]
    .into_iter()
    .chain(yaml)
    .collect()
}

/// Describes a bound role that the manifests do not contain.
fn absent_role(role: &AbsentRole) -> String {
    let AbsentRole {
        file, line, kind, ..
    } = role;
    let place = place(file, *line);
    let what = if role.grants_everything() {
        "is a role of Kubernetes that grants every request"
    } else {
        "is not in the manifests, so its rules are not known"
    };
    format!("{kind} {}, which {place} binds, {what}", role.role)
}
