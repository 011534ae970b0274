//! Decides what becomes of each request and of each piece of news in one run.

use std::time::{Duration, Instant};

use crate::torture::api::call::{ApiCall, Resource, Verb};
use crate::torture::fault::injection_points::Counter;
use crate::torture::fault::{AtNews, AtWrite, Fault, LATE, Restart};
use crate::torture::journal::RecordedRequest;

/// How long a watch that broke does not come back.
const GAP: Duration = Duration::from_millis(1500);

/// How long an operator is down, while somebody does something.
const DOWN: Duration = Duration::from_secs(1);

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// The API server gets it.
    Pass,
    /// An answer that is not the API server's.
    Answer(u16),
    /// What happens at a write.
    Write(AtWrite),
    /// Of a list only the first object, as if there were pages.
    FirstPage,
}

/// The faults of a run, and what became of each.
#[derive(Debug)]
pub struct Injector {
    namespace: String,
    counter: Counter,
    armed: Vec<Armed>,
    step: usize,
    step_began: Instant,
}

#[derive(Debug)]
struct Armed {
    fault: Fault,
    /// When it was done.
    done: Option<Instant>,
    /// Whether the end of a gap was told.
    told: bool,
}

impl Injector {
    /// For a run in a namespace.
    pub fn new(namespace: &str, faults: &[Fault]) -> Self {
        let armed = faults.iter().map(|fault| Armed {
            fault: fault.clone(),
            done: None,
            told: false,
        });
        Self {
            namespace: namespace.to_owned(),
            counter: Counter::default(),
            armed: armed.collect(),
            step: 0,
            step_began: Instant::now(),
        }
    }

    /// The scenario is at a step; the watches of the kinds that are returned break.
    pub fn begin(&mut self, step: usize) -> Vec<Resource> {
        (self.step, self.step_began) = (step, Instant::now());
        let mut broken = Vec::new();
        for armed in &mut self.armed {
            if let Fault::News(AtNews::Gap, resource, at) = &armed.fault
                && *at == step
            {
                armed.done = Some(Instant::now());
                broken.push(resource.clone());
            }
        }
        broken
    }

    /// Whether the operator is to be killed now.
    pub fn restarts(&mut self, restart: Restart) -> bool {
        let wanted = Fault::Restart(restart, self.step);
        let mut armed = self.armed.iter_mut();
        let found = armed.find(|armed| armed.fault == wanted);
        found.is_some_and(|armed| armed.done.replace(Instant::now()).is_none())
    }

    /// Whether an operator that is not there stays away.
    pub fn keeps_down(&self) -> bool {
        self.is_recent(DOWN, |restart| restart == Restart::Down)
    }

    /// Whether the operator was killed in this step, not longer ago than this.
    fn is_recent(&self, within: Duration, which: impl Fn(Restart) -> bool) -> bool {
        self.armed.iter().any(|armed| {
            matches!(armed.fault, Fault::Restart(restart, step)
                if step == self.step && which(restart))
                && armed.done.is_some_and(|since| since.elapsed() < within)
        })
    }

    /// What becomes of a request, and the fault if it is one.
    pub fn judge(&mut self, request: &RecordedRequest) -> (Verdict, Option<Fault>) {
        let call = &request.call;
        if call.is_work() {
            let point = self.counter.point(self.step, request, &self.namespace);
            for armed in &mut self.armed {
                if let Fault::Write(at, wanted) = &armed.fault
                    && armed.done.is_none()
                    && *wanted == point
                {
                    armed.done = Some(Instant::now());
                    return (Verdict::Write(*at), Some(armed.fault.clone()));
                }
            }
        }
        match call.verb {
            Verb::List | Verb::Watch => self.reading(call),
            _ => (Verdict::Pass, None),
        }
    }

    fn reading(&mut self, call: &ApiCall) -> (Verdict, Option<Fault>) {
        for armed in &mut self.armed {
            let fault = armed.fault.clone();
            match &armed.fault {
                Fault::News(AtNews::Gap, resource, _) if *resource == call.resource => {
                    let Some(since) = armed.done else { continue };
                    if since.elapsed() < GAP {
                        return (Verdict::Answer(503), Some(fault));
                    }
                    let resumes =
                        call.verb == Verb::Watch && call.parameter("sendInitialEvents").is_none();
                    if resumes && !armed.told {
                        armed.told = true;
                        return (Verdict::Answer(410), Some(fault));
                    }
                    armed.told |= call.verb == Verb::List;
                }
                Fault::SecondPage(resource)
                    if *resource == call.resource
                        && call.verb == Verb::List
                        // Who asks for all gets all.
                        && call.parameter("limit").is_some() =>
                {
                    if call.parameter("continue").is_none() {
                        return (Verdict::FirstPage, None);
                    }
                    if armed.done.is_none() {
                        armed.done = Some(Instant::now());
                        return (Verdict::Answer(410), Some(fault));
                    }
                }
                _ => {}
            }
        }
        (Verdict::Pass, None)
    }

    /// Learns from how a request went.
    pub fn learn(&mut self, request: &RecordedRequest) {
        self.counter.learn(self.step, request, &self.namespace);
    }

    /// How late a piece of news of a kind is.
    pub fn delay(&mut self, resource: &Resource) -> Duration {
        let mut is_late = self.is_behind();
        for armed in &mut self.armed {
            if let Fault::News(AtNews::Late, of, step) = &armed.fault
                && of == resource
                && *step == self.step
            {
                armed.done.get_or_insert_with(Instant::now);
                is_late = true;
            }
        }
        if is_late { LATE } else { Duration::ZERO }
    }

    /// Whether an operator that starts now is shown the past.
    pub fn is_behind(&self) -> bool {
        self.is_recent(LATE, |restart| restart != Restart::Down)
    }

    /// Whether something is yet to come of a fault in this step.
    pub fn is_under_way(&self) -> bool {
        let breaks = self.armed.iter().any(|armed| {
            matches!(armed.fault, Fault::News(AtNews::Gap, _, step) if step == self.step)
                && armed.done.is_some_and(|since| since.elapsed() < GAP)
        });
        breaks || self.is_behind() || self.keeps_down()
    }

    /// Whether the next step of the scenario was done before the operator had come to rest in this one.
    pub fn is_overtaken(&self) -> bool {
        self.overtaken().any(|step| step == self.step)
    }

    /// Whether the operator was given no time for one of the steps so far.
    pub fn was_overtaken(&self) -> bool {
        self.overtaken().next().is_some()
    }

    fn overtaken(&self) -> impl Iterator<Item = usize> {
        let done = self.armed.iter().filter(|armed| armed.done.is_some());
        done.filter_map(|armed| armed.fault.overtaken())
    }

    /// Whether each fault was done.
    pub fn all_done(&self) -> bool {
        self.armed.iter().all(|armed| armed.done.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_down_is_killed_once_and_stays_away_for_a_while() {
        let mut injector = Injector::new("t", &[Fault::Restart(Restart::Down, 1)]);
        injector.begin(0);
        assert!(!injector.restarts(Restart::Down) && !injector.keeps_down());
        injector.begin(1);
        assert!(!injector.restarts(Restart::Behind));
        assert!(injector.restarts(Restart::Down) && !injector.restarts(Restart::Down));
        assert!(injector.keeps_down() && injector.is_under_way() && injector.all_done());
        assert!(!injector.is_behind(), "it is down, and then told what is");
        injector.begin(2);
        assert!(!injector.keeps_down());
    }
}
