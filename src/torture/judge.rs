//! What runs tell about an operator.

use std::collections::{BTreeMap, BTreeSet};

use super::call::{Resource, Verb};
use super::fault::{AtWrite, Fault};
use super::finding::{Class, Finding};
use super::journal::{self, Entry};
use super::played::{Expected, Played, Sign};
use super::scenario::{Act, Scenario};
use super::state::{Difference, Id, Mask, State};

/// The two runs of a scenario without faults.
#[derive(Clone, Debug)]
pub struct Reference {
    /// What was played.
    pub scenario: Scenario,
    /// As it went, twice.
    pub runs: [Played; 2],
    /// What other runs are compared with.
    pub expected: Expected,
}

impl Reference {
    /// Learns from two runs what is different each time.
    pub fn new(scenario: Scenario, runs: [Played; 2]) -> Self {
        let mut mask = Mask::default();
        let pairs = runs[0].states.iter().zip(&runs[1].states);
        for (one, other) in pairs {
            let mut differences = one.differences(other, &mask);
            // That an object is there is never a matter of chance.
            differences.retain(|difference| !difference.field.is_empty());
            mask.learn(&differences);
        }
        let restless = runs.iter().flat_map(Played::restless).collect();
        let expected = Expected {
            states: runs[0].states.clone(),
            restless,
            mask,
        };
        Self {
            scenario,
            runs,
            expected,
        }
    }

    /// The same about some of its steps only.
    #[must_use]
    pub fn only(&self, kept: &[usize]) -> Self {
        let place = |step: usize| kept.iter().position(|kept| *kept == step);
        let mut expected = self.expected.clone();
        expected.states = kept
            .iter()
            .map(|step| self.expected.states[*step].clone())
            .collect();
        expected.restless = self
            .expected
            .restless
            .iter()
            .filter_map(|step| place(*step))
            .collect();
        let runs = self.runs.clone().map(|mut run| {
            run.states = kept
                .iter()
                .filter_map(|step| run.states.get(*step).cloned())
                .collect();
            run.entries.retain(|entry| kept.contains(&entry.step));
            for entry in &mut run.entries {
                entry.step = place(entry.step).unwrap_or_default();
            }
            run.signs.retain(|(step, _)| kept.contains(step));
            for (step, _) in &mut run.signs {
                *step = place(*step).unwrap_or_default();
            }
            run
        });
        Self {
            scenario: self.scenario.only(kept),
            runs,
            expected,
        }
    }
}

/// Judges without knowledge of the operator but for what it is asked to count.
#[derive(Clone, Debug, Default)]
pub struct Judge {
    /// Kinds of which nothing may be made twice, by plural.
    pub counted: BTreeSet<String>,
    /// The kinds of the project.
    pub own: BTreeSet<Resource>,
}

/// The making of findings of one run.
struct Maker<'a> {
    scenario: &'a Scenario,
    faults: &'a [Fault],
    played: &'a Played,
}

impl Maker<'_> {
    fn make(
        &self,
        class: Class,
        object: &str,
        step: usize,
        says: String,
        differences: Vec<Difference>,
    ) -> Finding {
        let finding = Finding {
            id: String::new(),
            class,
            object: object.to_owned(),
            says,
            differences,
            scenario: self.scenario.clone(),
            step: step.min(self.scenario.steps.len().saturating_sub(1)),
            faults: self.faults.to_vec(),
            others: 0,
            entries: self.played.entries.clone(),
            log: self.played.log.clone(),
        };
        finding.named()
    }

    /// What is wrong in a state: one finding, about the difference that says most.
    fn of_differences(&self, step: usize, differences: Vec<Difference>) -> Option<Finding> {
        let (class, worst) = self.class(step, &differences)?;
        let says = worst.to_string();
        let object = worst.id.to_string();
        Some(self.make(class, &object, step, says, differences))
    }

    fn class<'d>(
        &self,
        step: usize,
        differences: &'d [Difference],
    ) -> Option<(Class, &'d Difference)> {
        let subject = self.subject();
        let is_status = |difference: &&Difference| difference.field.starts_with("status");
        let there = |wanted: bool| {
            let mut found = differences.iter();
            found.find(|d| d.field.is_empty() && d.expected.is_some() == wanted)
        };
        let act = &self.scenario.steps.get(step)?.act;
        if self.scenario.ends_it(step) {
            if let Some(itself) = differences
                .iter()
                .find(|d| d.id == subject && d.expected.is_none())
            {
                return Some((Class::StuckDeletion, itself));
            }
            if let Some(left) = there(false) {
                return Some((Class::Leftover, left));
            }
        }
        let field = differences
            .iter()
            .find(|d| !d.field.is_empty() && !is_status(d));
        let status = differences.iter().find(is_status);
        let worst = there(true).or(there(false)).or(field).or(status)?;
        if self.faults.is_empty() {
            let is_back = matches!(act, Act::Set(spec) if *spec == self.scenario.subject["spec"]);
            match act {
                Act::DeleteChild(_) if there(true).is_some() => {
                    return Some((Class::NotRestored, worst));
                }
                Act::EditChild(..) if !worst.field.is_empty() => {
                    return Some((Class::NotCorrected, worst));
                }
                Act::Set(_) if there(false).is_some() => {
                    return Some((Class::NotRemoved, there(false)?));
                }
                Act::Set(_) if is_back && there(true).is_some() => {
                    return Some((Class::NotRecovered, worst));
                }
                _ => {}
            }
        }
        let class = match worst {
            missing if missing.field.is_empty() && missing.expected.is_some() => Class::Missing,
            more if more.field.is_empty() => Class::TooMany,
            status if status.field.starts_with("status") => Class::WrongStatus,
            _ => Class::NotUpdated,
        };
        Some((class, worst))
    }

    /// The object that all is about, as a state has it.
    fn subject(&self) -> Id {
        subject(self.scenario)
    }

    fn of_sign(&self, step: usize, sign: &Sign) -> Option<Finding> {
        let name = self.subject().to_string();
        let (class, object, says) = match sign {
            Sign::Panic(message) => (Class::Panic, "operator".to_owned(), message.clone()),
            Sign::Ended(status) => (Class::Exit, "operator".to_owned(), status.clone()),
            Sign::Forbidden(call) => (Class::Forbidden, call.clone(), call.clone()),
            Sign::Restless(call, count) => {
                let object = call.split(' ').skip(1).collect::<Vec<_>>().join(" ");
                (
                    Class::HotLoop,
                    object,
                    format!("`{call}` {count} times in 4 s, while nobody else changed {name}"),
                )
            }
            Sign::Refused(_) => return None,
        };
        Some(self.make(class, &object, step, says, Vec::new()))
    }
}

impl Judge {
    /// What two runs of each scenario show without any fault.
    pub fn references(references: &[Reference]) -> Vec<Finding> {
        Self::plain(references, false)
    }

    /// The same for the few scenarios of one finding, which show nothing of other fields.
    pub fn again(references: &[Reference], finding: &Finding) -> Option<Finding> {
        let mut findings = Self::plain(references, true).into_iter();
        findings.find(|found| found.cause() == finding.cause())
    }

    fn plain(references: &[Reference], is_alone: bool) -> Vec<Finding> {
        let each = |run: usize| {
            let mut findings = Vec::new();
            for reference in references {
                findings.extend(Self::alone(&reference.scenario, &reference.runs[run]));
            }
            findings.extend(roads(references, run));
            findings.extend(without_effect(references, run, is_alone));
            findings
        };
        // What shows once of two times is chance.
        let again: BTreeSet<_> = each(1).iter().map(Finding::cause).collect();
        let mut findings = each(0);
        findings.retain(|finding| again.contains(&finding.cause()));
        findings
    }

    /// What one run shows by itself.
    pub fn alone(scenario: &Scenario, played: &Played) -> Vec<Finding> {
        let maker = Maker {
            scenario,
            faults: &[],
            played,
        };
        let mut findings: Vec<_> = played
            .signs
            .iter()
            .filter_map(|(step, sign)| maker.of_sign(*step, sign))
            .collect();
        findings.extend(leftovers(&maker));
        findings.extend(adopted(&maker));
        findings.extend(Self::work_on_deleted(&maker));
        findings.extend(silent_refusals(&maker));
        findings
    }

    /// What a run with faults shows that those without did not.
    pub fn faulty(&self, reference: &Reference, faults: &[Fault], played: &Played) -> Vec<Finding> {
        let maker = Maker {
            scenario: &reference.scenario,
            faults,
            played,
        };
        let known: BTreeSet<_> = Self::alone(&reference.scenario, &reference.runs[0])
            .iter()
            .map(Finding::cause)
            .collect();
        let mut findings: Vec<_> = played
            .signs
            .iter()
            .filter_map(|(step, sign)| maker.of_sign(*step, sign))
            .collect();
        findings.retain(|finding| !known.contains(&finding.cause()));
        if let Some((step, differences)) = &played.mismatch {
            findings.extend(maker.of_differences(*step, differences.clone()));
            return findings;
        }
        findings.extend(self.twice(reference, &maker));
        findings
    }

    /// Whether more was made or deleted than without faults.
    fn twice(&self, reference: &Reference, maker: &Maker) -> Vec<Finding> {
        let mut findings = Vec::new();
        let now = Work::of(&maker.played.entries);
        let before = reference.runs.each_ref().map(|run| Work::of(&run.entries));
        let most = |count: fn(&Work) -> &BTreeMap<Resource, usize>, resource: &Resource| {
            before
                .iter()
                .filter_map(|work| count(work).get(resource).copied())
                .max()
                .unwrap_or(0)
        };
        let last = maker.scenario.steps.len().saturating_sub(1);
        for (resource, count) in &now.made {
            let removed = maker.faults.iter().filter(|fault| {
                matches!(fault, Fault::Write(AtWrite::Removed, point) if point.resource == *resource)
            });
            let usual = most(|work| &work.made, resource) + removed.count();
            if *count > usual && self.counts(resource) {
                let says = format!(
                    "{count} {} were made, where {usual} are enough",
                    resource.plural
                );
                findings.push(maker.make(
                    Class::CreatedTwice,
                    &resource.to_string(),
                    last,
                    says,
                    Vec::new(),
                ));
            }
        }
        for (resource, count) in &now.deleted {
            let usual = most(|work| &work.deleted, resource);
            if *count > usual && !self.own.contains(resource) {
                let says = format!(
                    "the operator deleted {count} {}, where {usual} had to go",
                    resource.plural
                );
                findings.push(maker.make(
                    Class::DeletedTwice,
                    &resource.to_string(),
                    last,
                    says,
                    Vec::new(),
                ));
            }
        }
        findings
    }

    fn counts(&self, resource: &Resource) -> bool {
        const MATTER: [&str; 2] = ["pods", "persistentvolumeclaims"];
        MATTER.contains(&resource.plural.as_str()) || self.counted.contains(&resource.plural)
    }

    /// While an object is on its way out.
    fn work_on_deleted(maker: &Maker) -> Option<Finding> {
        let held = maker
            .scenario
            .steps
            .iter()
            .position(|step| step.act == Act::Hold)?;
        let released = maker
            .scenario
            .steps
            .iter()
            .position(|step| step.act == Act::Release)?;
        let mut requests = journal::requests(&maker.played.entries);
        let (step, request) = requests.find(|(step, request)| {
            request.call.is_work() && request.status == 201 && (held + 1..released).contains(step)
        })?;
        let object = format!("{}/{}", request.call.resource.plural, request.name());
        let says = format!("{object} was made after the object had its deletionTimestamp");
        Some(maker.make(Class::WorkOnDeleted, &object, step, says, Vec::new()))
    }
}

/// What an operator made and deleted.
#[derive(Default)]
struct Work {
    made: BTreeMap<Resource, usize>,
    deleted: BTreeMap<Resource, usize>,
}

impl Work {
    fn of(entries: &[Entry]) -> Self {
        let mut work = Self::default();
        for (_, request) in journal::requests(entries) {
            let call = &request.call;
            if !call.is_work() || !request.succeeded() || !call.subresource.is_empty() {
                continue;
            }
            match call.verb {
                Verb::Delete => *work.deleted.entry(call.resource.clone()).or_default() += 1,
                _ if request.status == 201 => {
                    *work.made.entry(call.resource.clone()).or_default() += 1;
                }
                _ => {}
            }
        }
        work
    }
}

fn subject(scenario: &Scenario) -> Id {
    Id {
        kind: super::state::kind(&scenario.subject),
        name: scenario.subject["metadata"]["name"]
            .as_str()
            .unwrap_or_default()
            .to_owned(),
    }
}

/// What the operator made and is there though the object is gone.
fn leftovers(maker: &Maker) -> Option<Finding> {
    let beside: BTreeSet<Id> = State::of(&maker.scenario.beside, "")
        .0
        .into_keys()
        .collect();
    for (step, state) in maker.played.states.iter().enumerate() {
        let strange = maker
            .scenario
            .steps
            .iter()
            .any(|step| matches!(step.act, Act::Strangers { .. }));
        if !maker.scenario.ends_it(step) || strange {
            continue;
        }
        let left = state
            .clone()
            .without(|id| beside.contains(id) || is_of_namespace(id));
        let differences = State::default().differences(&left, &Mask::default());
        if let Some(finding) = maker.of_differences(step, differences) {
            return Some(finding);
        }
    }
    None
}

/// What a namespace has from the start.
fn is_of_namespace(id: &Id) -> bool {
    ["Role", "RoleBinding", "Namespace"].contains(&id.kind.as_str())
}

/// Whether what was somebody else's is as it was.
fn adopted(maker: &Maker) -> Option<Finding> {
    maker
        .scenario
        .steps
        .iter()
        .position(|step| matches!(step.act, Act::Strangers { .. }))?;
    let strangers = maker.played.states.first()?;
    for (step, state) in maker.played.states.iter().enumerate().skip(1) {
        let now = state.clone().without(|id| !strangers.0.contains_key(id));
        let differences = strangers.differences(&now, &Mask::default());
        if let Some(first) = differences
            .iter()
            .min_by_key(|difference| difference.expected.is_none())
        {
            let (object, says) = (first.id.to_string(), format!("somebody else's {first}"));
            return Some(maker.make(Class::Adopted, &object, step, says, differences));
        }
    }
    None
}

/// Whether the status says that something was refused.
fn silent_refusals(maker: &Maker) -> Vec<Finding> {
    let mut findings = Vec::new();
    let (id, played) = (subject(maker.scenario), maker.played);
    let status = |step: usize| -> BTreeMap<&String, &String> {
        let object = played.states.get(step).and_then(|state| state.0.get(&id));
        let fields = object.into_iter().flatten();
        fields
            .filter(|(name, _)| {
                name.starts_with("status")
                    && !name.contains("bservedGeneration")
                    && !name.ends_with("lastTransitionTime")
            })
            .collect()
    };
    for step in 0..played.states.len() {
        let mut last: BTreeMap<String, (u16, String)> = BTreeMap::new();
        for (_, request) in
            journal::requests(&played.entries).filter(|(at, r)| *at == step && r.call.is_work())
        {
            let object = format!("{}/{}", request.call.resource.plural, request.name());
            let message = request.answer["message"]
                .as_str()
                .unwrap_or_default()
                .to_owned();
            last.insert(object, (request.status, message));
        }
        let refused = last
            .into_iter()
            .find(|(_, (status, _))| [400, 422].contains(status));
        let Some((object, (_, message))) = refused else {
            continue;
        };
        let normal = (0..played.states.len())
            .find(|other| played.states[*other].0.contains_key(&id) && *other != step);
        let says_so = status(step).keys().any(|name| name.contains("conditions["))
            && normal.is_none_or(|normal| status(normal) != status(step));
        if !says_so {
            let says = format!("{object} was refused ({message}), and the status does not say so");
            findings.push(maker.make(Class::SilentRefusal, &object, step, says, Vec::new()));
        }
    }
    findings.truncate(1);
    findings
}

/// A state that is reached by two roads is one state.
fn roads(references: &[Reference], run: usize) -> Vec<Finding> {
    let mut best: BTreeMap<&str, (&Reference, usize)> = BTreeMap::new();
    let usable = |reference: &Reference, step: usize| {
        let played = &reference.runs[run];
        step < played.states.len()
            && !played.refused().contains(&step)
            && !has_refusals(played, step)
    };
    let steps = || {
        references.iter().flat_map(|reference| {
            let steps = reference.scenario.steps.iter().enumerate();
            steps
                .filter_map(move |(step, is)| Some((reference, step, is.road.as_deref()?, &is.act)))
        })
    };
    for (reference, step, road, act) in
        steps().filter(|(_, _, road, _)| *road != super::scenario::GONE)
    {
        // The straight road: made like this, with nothing before.
        let straight = step == 0 && matches!(act, Act::Create(_));
        let anew = matches!(act, Act::Create(_));
        if usable(reference, step) && (straight || (anew && !best.contains_key(road))) {
            best.entry(road).or_insert((reference, step));
        }
    }
    let mut findings = Vec::new();
    for (reference, step, road, _) in steps() {
        let Some((other, at)) = best.get(road) else {
            continue;
        };
        let same = std::ptr::eq(*other, reference) && *at == step;
        let is_back = reference.scenario.steps[step].act
            == Act::Set(reference.scenario.subject["spec"].clone());
        if same || step >= reference.runs[run].states.len() || !(is_back || usable(reference, step))
        {
            continue;
        }
        let expected = &other.runs[run].states[*at];
        let found = &reference.runs[run].states[step];
        let mut mask = other.expected.mask.clone();
        mask.learn(&chance(reference));
        let differences = expected.differences(found, &mask);
        let maker = Maker {
            scenario: &reference.scenario,
            faults: &[],
            played: &reference.runs[run],
        };
        findings.extend(maker.of_differences(step, differences));
    }
    findings
}

/// What two runs of a scenario did not agree on.
fn chance(reference: &Reference) -> Vec<Difference> {
    let [one, other] = reference.runs.each_ref().map(|run| &run.states);
    let pairs = one.iter().zip(other);
    pairs
        .flat_map(|(one, other)| one.differences(other, &Mask::default()))
        .filter(|d| !d.field.is_empty())
        .collect()
}

/// Whether the API server refused something that the operator wrote in a step: then it cannot be expected
/// to be done.
fn has_refusals(played: &Played, step: usize) -> bool {
    let mut requests = journal::requests(&played.entries);
    requests.any(|(at, request)| {
        at == step && request.call.is_work() && [400, 422].contains(&request.status)
    })
}

/// Fields of which nothing comes, where something comes of others.
fn without_effect(references: &[Reference], run: usize, is_alone: bool) -> Vec<Finding> {
    let mut effects: BTreeMap<&str, (bool, &Reference, usize)> = BTreeMap::new();
    for reference in references {
        let field = reference.scenario.name.trim_end_matches(", made anew");
        let Some(base) = references
            .iter()
            .find(|other| other.scenario.name == super::scenario::LIFE)
        else {
            return Vec::new();
        };
        if !field.starts_with("spec.") || base.scenario.subject != reference.scenario.subject {
            continue;
        }
        let id = subject(&reference.scenario);
        let beside_spec = |state: &State| {
            let mut state = state.clone();
            if let Some(fields) = state.0.get_mut(&id) {
                fields.retain(|name, _| !name.starts_with("spec"));
            }
            state
        };
        let Some(first) = base.runs[run].states.first() else {
            continue;
        };
        let played = &reference.runs[run];
        let steps = reference.scenario.steps.iter().enumerate();
        for (step, is) in steps.filter(|(_, step)| matches!(step.act, Act::Set(_) | Act::Create(_)))
        {
            let (Act::Set(spec) | Act::Create(spec)) = &is.act else {
                continue;
            };
            let Some(state) = played.states.get(step) else {
                continue;
            };
            if *spec == reference.scenario.subject["spec"] || played.refused().contains(&step) {
                continue;
            }
            let differs = !beside_spec(first)
                .differences(&beside_spec(state), &base.expected.mask)
                .is_empty();
            let effect = effects.entry(field).or_insert((false, reference, step));
            effect.0 |= differs || has_refusals(played, step);
        }
    }
    let any = is_alone || effects.values().any(|(effect, ..)| *effect);
    let without = effects
        .into_iter()
        .filter(|(_, (effect, ..))| any && !effect);
    without
        .map(|(field, (_, reference, step))| {
            let maker = Maker {
                scenario: &reference.scenario,
                faults: &[],
                played: &reference.runs[run],
            };
            let says = format!(
                "{field} has been changed, and neither a child nor the status is any different"
            );
            maker.make(Class::FieldWithoutEffect, field, step, says, Vec::new())
        })
        .collect()
}
