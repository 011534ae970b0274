//! The injector of a run: decides for each request and each watch event whether a fault applies.

use std::time::{Duration, Instant};

use crate::torture::api::call::{ApiCall, Resource, Verb};
use crate::torture::fault::injection_points::WriteCounter;
use crate::torture::fault::{Fault, LATE, RestartFault, WatchFault, WriteFault};
use crate::torture::journal::RecordedRequest;

/// The time for which a broken watch cannot be opened again.
const GAP: Duration = Duration::from_millis(1500);

/// The time for which an operator stays down during a step.
const DOWN: Duration = Duration::from_secs(1);

/// The proxy's treatment of a request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Interception {
    /// Forwards it to the API server.
    Forward,
    /// Responds with this status instead of the API server.
    Respond(u16),
    /// Injects this fault at a write.
    Write(WriteFault),
    /// Forwards a list with a limit of one object, so that it has a second page.
    FirstPage,
}

/// The faults of a run and which of them were injected.
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
    /// `None` until the fault is injected.
    injected_at: Option<Instant>,
    /// True if the operator was informed that its watch cannot resume.
    gap_reported: bool,
}

impl Injector {
    /// Creates the injector of a run in `namespace`. It injects each of `faults` once.
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

    /// Begins the step with this index. Returns the resources whose open watches the caller must
    /// break.
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

    /// Reports whether a restart fault is due in this step, and records it as injected, so that it
    /// returns true only once. The caller must kill the operator.
    pub fn take_restart(&mut self, restart: RestartFault) -> bool {
        let wanted = Fault::Restart(restart, self.step);
        let mut armed = self.armed.iter_mut();
        let found = armed.find(|armed| armed.fault == wanted);
        found.is_some_and(|armed| armed.injected_at.replace(Instant::now()).is_none())
    }

    /// Reports whether an operator that was killed must stay down for now, so that the caller must
    /// not start it yet.
    pub fn is_held_down(&self) -> bool {
        self.is_recent(DOWN, |restart| restart == RestartFault::Down)
    }

    /// Reports whether a restart fault killed the operator in this step within this time.
    fn is_recent(&self, within: Duration, which: impl Fn(RestartFault) -> bool) -> bool {
        self.armed.iter().any(|armed| {
            matches!(armed.fault, Fault::Restart(restart, step)
                if step == self.step && which(restart))
                && armed
                    .injected_at
                    .is_some_and(|since| since.elapsed() < within)
        })
    }

    /// Decides how the proxy treats a request that has no response yet. Also returns the fault for
    /// the journal; `None` if none is injected, and for the first page of [`Fault::SecondPage`].
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
                    // The first watch that resumes at a resource version gets 410, so that the
                    // client lists again and never receives the missed events. A list, or a watch
                    // that begins with the current objects, misses them without that.
                    let resumes =
                        call.verb == Verb::Watch && call.parameter("sendInitialEvents").is_none();
                    if resumes && !armed.gap_reported {
                        armed.gap_reported = true;
                        return (Interception::Respond(410), Some(fault));
                    }
                    armed.gap_reported |= !resumes;
                }
                Fault::SecondPage(resource)
                    if *resource == call.resource
                        && call.verb == Verb::List
                        // A list without a limit has a single page.
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

    /// Counts a request with its response, so that later writes are identified by their occurrence.
    pub fn observe(&mut self, request: &RecordedRequest) {
        self.counter.observe(self.step, request, &self.namespace);
    }

    /// Returns the delay of a watch event of a resource that arrives now, and records a
    /// [`WatchFault::Late`] that causes it as injected.
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

    /// Reports whether the API server must appear stale to the operator, as it does for [`LATE`]
    /// after a restart of [`RestartFault::Behind`] or [`RestartFault::BehindAtRest`].
    pub fn is_behind(&self) -> bool {
        self.is_recent(LATE, |restart| restart != RestartFault::Down)
    }

    /// Reports whether a fault of this step still has effects.
    pub fn is_pending(&self) -> bool {
        let breaks = self.armed.iter().any(|armed| {
            matches!(armed.fault, Fault::Watch(WatchFault::Gap, _, step) if step == self.step)
                && armed.injected_at.is_some_and(|since| since.elapsed() < GAP)
        });
        breaks || self.is_behind() || self.is_held_down()
    }

    /// Reports whether the next step began before the operator had settled in this one.
    pub fn is_overtaken(&self) -> bool {
        self.overtaken().any(|step| step == self.step)
    }

    /// Reports whether a step so far was overtaken by the next one.
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

    /// Reports whether every fault was injected.
    pub fn all_done(&self) -> bool {
        self.armed.iter().all(|armed| armed.injected_at.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_down_fault_kills_the_operator_once_for_the_step() {
        let mut injector = Injector::new("t", &[Fault::Restart(RestartFault::Down, 1)]);
        injector.begin_step(0);
        assert!(!injector.take_restart(RestartFault::Down) && !injector.is_held_down());
        injector.begin_step(1);
        assert!(!injector.take_restart(RestartFault::Behind));
        assert!(
            injector.take_restart(RestartFault::Down) && !injector.take_restart(RestartFault::Down)
        );
        assert!(injector.is_held_down() && injector.is_pending() && injector.all_done());
        assert!(
            !injector.is_behind(),
            "after the downtime it reads the current state"
        );
        injector.begin_step(2);
        assert!(!injector.is_held_down());
    }

    #[test]
    fn only_a_watch_that_missed_events_is_told_to_list_again() {
        let pods = Resource::core("pods");
        let responses = |targets: &[&str]| -> Vec<Interception> {
            let gap = Fault::Watch(WatchFault::Gap, pods.clone(), 0);
            let mut injector = Injector::new("t", &[gap]);
            injector.begin_step(0);
            injector.armed[0].injected_at = Instant::now().checked_sub(GAP);
            let calls = targets
                .iter()
                .map(|it| ApiCall::parse("GET", it).expect("a resource"));
            calls.map(|call| injector.intercept_read(&call).0).collect()
        };
        let resume = "/api/v1/pods?watch=1&resourceVersion=7";
        let (forward, gone) = (Interception::Forward, Interception::Respond(410));
        assert_eq!(responses(&[resume, resume]), [gone, forward]);
        for complete in [
            "/api/v1/pods?limit=5",
            "/api/v1/pods?watch=1&sendInitialEvents=true",
        ] {
            assert_eq!(responses(&[complete, resume]), [forward, forward]);
        }
    }
}
