//! Decides what becomes of each request and of each piece of news in one run.

use std::time::{Duration, Instant};

use crate::torture::api::call::{ApiCall, Resource, Verb};
use crate::torture::fault::injection_points::WriteCounter;
use crate::torture::fault::{Fault, LATE, RestartFault, WatchFault, WriteFault};
use crate::torture::journal::RecordedRequest;

/// How long a watch that broke does not come back.
const GAP: Duration = Duration::from_millis(1500);

/// How long an operator is down, while somebody does something.
const DOWN: Duration = Duration::from_secs(1);

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Interception {
    /// The API server gets it.
    Forward,
    /// An answer that is not the API server's.
    Respond(u16),
    /// What happens at a write.
    Write(WriteFault),
    /// Of a list only the first object, as if there were pages.
    FirstPage,
}

/// The faults of a run, and what became of each.
#[derive(Debug)]
pub struct Injector {
    namespace: String,
    counter: WriteCounter,
    armed: Vec<ArmedFault>,
    step: usize,
    step_began: Instant,
}

#[derive(Debug)]
struct ArmedFault {
    fault: Fault,
    /// When it was done.
    injected_at: Option<Instant>,
    /// Whether the end of a gap was told.
    gap_reported: bool,
}

impl Injector {
    /// For a run in a namespace.
    pub fn new(namespace: &str, faults: &[Fault]) -> Self {
        let armed = faults.iter().map(|fault| ArmedFault {
            fault: fault.clone(),
            injected_at: None,
            gap_reported: false,
        });
        Self {
            namespace: namespace.to_owned(),
            counter: WriteCounter::default(),
            armed: armed.collect(),
            step: 0,
            step_began: Instant::now(),
        }
    }

    /// The scenario is at a step; the watches of the kinds that are returned break.
    pub fn begin_step(&mut self, step: usize) -> Vec<Resource> {
        (self.step, self.step_began) = (step, Instant::now());
        let mut broken = Vec::new();
        for armed in &mut self.armed {
            if let Fault::Watch(WatchFault::Gap, resource, at) = &armed.fault
                && *at == step
            {
                armed.injected_at = Some(Instant::now());
                broken.push(resource.clone());
            }
        }
        broken
    }

    /// Whether the operator is to be killed now.
    pub fn take_restart(&mut self, restart: RestartFault) -> bool {
        let wanted = Fault::Restart(restart, self.step);
        let mut armed = self.armed.iter_mut();
        let found = armed.find(|armed| armed.fault == wanted);
        found.is_some_and(|armed| armed.injected_at.replace(Instant::now()).is_none())
    }

    /// Whether an operator that is not there stays away.
    pub fn is_held_down(&self) -> bool {
        self.is_recent(DOWN, |restart| restart == RestartFault::Down)
    }

    /// Whether the operator was killed in this step, not longer ago than this.
    fn is_recent(&self, within: Duration, which: impl Fn(RestartFault) -> bool) -> bool {
        self.armed.iter().any(|armed| {
            matches!(armed.fault, Fault::Restart(restart, step)
                if step == self.step && which(restart))
                && armed
                    .injected_at
                    .is_some_and(|since| since.elapsed() < within)
        })
    }

    /// What becomes of a request, and the fault if it is one.
    pub fn intercept(&mut self, request: &RecordedRequest) -> (Interception, Option<Fault>) {
        let call = &request.call;
        if call.is_work() {
            let point = self.counter.next_point(self.step, request, &self.namespace);
            for armed in &mut self.armed {
                if let Fault::Write(at, wanted) = &armed.fault
                    && armed.injected_at.is_none()
                    && *wanted == point
                {
                    armed.injected_at = Some(Instant::now());
                    return (Interception::Write(*at), Some(armed.fault.clone()));
                }
            }
        }
        match call.verb {
            Verb::List | Verb::Watch => self.intercept_read(call),
            _ => (Interception::Forward, None),
        }
    }

    fn intercept_read(&mut self, call: &ApiCall) -> (Interception, Option<Fault>) {
        for armed in &mut self.armed {
            let fault = armed.fault.clone();
            match &armed.fault {
                Fault::Watch(WatchFault::Gap, resource, _) if *resource == call.resource => {
                    let Some(since) = armed.injected_at else {
                        continue;
                    };
                    if since.elapsed() < GAP {
                        return (Interception::Respond(503), Some(fault));
                    }
                    let resumes =
                        call.verb == Verb::Watch && call.parameter("sendInitialEvents").is_none();
                    if resumes && !armed.gap_reported {
                        armed.gap_reported = true;
                        return (Interception::Respond(410), Some(fault));
                    }
                    armed.gap_reported |= call.verb == Verb::List;
                }
                Fault::SecondPage(resource)
                    if *resource == call.resource
                        && call.verb == Verb::List
                        // Who asks for all gets all.
                        && call.parameter("limit").is_some() =>
                {
                    if call.parameter("continue").is_none() {
                        return (Interception::FirstPage, None);
                    }
                    if armed.injected_at.is_none() {
                        armed.injected_at = Some(Instant::now());
                        return (Interception::Respond(410), Some(fault));
                    }
                }
                _ => {}
            }
        }
        (Interception::Forward, None)
    }

    /// Learns from how a request went.
    pub fn observe(&mut self, request: &RecordedRequest) {
        self.counter.observe(self.step, request, &self.namespace);
    }

    /// How late a piece of news of a kind is.
    pub fn watch_delay(&mut self, resource: &Resource) -> Duration {
        let mut is_late = self.is_behind();
        for armed in &mut self.armed {
            if let Fault::Watch(WatchFault::Late, of, step) = &armed.fault
                && of == resource
                && *step == self.step
            {
                armed.injected_at.get_or_insert_with(Instant::now);
                is_late = true;
            }
        }
        if is_late { LATE } else { Duration::ZERO }
    }

    /// Whether an operator that starts now is shown the past.
    pub fn is_behind(&self) -> bool {
        self.is_recent(LATE, |restart| restart != RestartFault::Down)
    }

    /// Whether something is yet to come of a fault in this step.
    pub fn is_pending(&self) -> bool {
        let breaks = self.armed.iter().any(|armed| {
            matches!(armed.fault, Fault::Watch(WatchFault::Gap, _, step) if step == self.step)
                && armed.injected_at.is_some_and(|since| since.elapsed() < GAP)
        });
        breaks || self.is_behind() || self.is_held_down()
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
        let injected_at = self
            .armed
            .iter()
            .filter(|armed| armed.injected_at.is_some());
        injected_at.filter_map(|armed| armed.fault.overtaken_step())
    }

    /// Whether each fault was done.
    pub fn all_done(&self) -> bool {
        self.armed.iter().all(|armed| armed.injected_at.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_down_is_killed_once_and_stays_away_for_a_while() {
        let mut injector = Injector::new("t", &[Fault::Restart(RestartFault::Down, 1)]);
        injector.begin_step(0);
        assert!(!injector.take_restart(RestartFault::Down) && !injector.is_held_down());
        injector.begin_step(1);
        assert!(!injector.take_restart(RestartFault::Behind));
        assert!(
            injector.take_restart(RestartFault::Down) && !injector.take_restart(RestartFault::Down)
        );
        assert!(injector.is_held_down() && injector.is_pending() && injector.all_done());
        assert!(!injector.is_behind(), "it is down, and then told what is");
        injector.begin_step(2);
        assert!(!injector.is_held_down());
    }
}
