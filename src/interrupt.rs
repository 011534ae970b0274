//! Handling of Ctrl-C and similar signals: they set a flag instead of ending the process, so that
//! the run can clean up.

use std::fmt::{self, Display, Formatter};
use std::io;
use std::process::Child;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::error::Failure;
use crate::text::STACK;

/// Interval between checks for a signal or for the end of a task or process.
const POLL: Duration = Duration::from_millis(10);

/// The last signal that was received and not yet taken. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicUsize>);

impl Interrupt {
    /// Installs handlers for SIGINT, SIGTERM and SIGHUP, which no longer end the process.
    pub fn install() -> Self {
        let interrupt = Self::default();
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            let number = usize::try_from(signal).unwrap_or_default();
            // Registration fails only for signals that cannot be caught.
            let _: io::Result<_> =
                signal_hook::flag::register_usize(signal, Arc::clone(&interrupt.0), number);
        }
        interrupt
    }

    /// Interrupts the task that holds this value or a clone, as if `signal` had been received.
    pub fn raise(&self, signal: i32) {
        if let Ok(signal) = usize::try_from(signal) {
            self.0.store(signal, Ordering::SeqCst);
        }
    }

    /// Returns the number of the last signal since the previous call, and resets it; `None` if no
    /// signal was received.
    pub fn take(&self) -> Option<i32> {
        match self.0.swap(0, Ordering::SeqCst) {
            0 => None,
            signal => i32::try_from(signal).ok(),
        }
    }

    /// Reports whether a signal was received since the last [`Self::take`] or [`Self::check`],
    /// without resetting it.
    pub fn is_pending(&self) -> bool {
        self.0.load(Ordering::SeqCst) != 0
    }

    /// Returns an error if a signal was received since the last call, and resets it.
    pub fn check(&self) -> Result<(), Interrupted> {
        match self.take() {
            Some(signal) => Err(Interrupted { signal }),
            None => Ok(()),
        }
    }
}

/// The outcome of two tasks that ran at the same time.
#[derive(Debug)]
pub enum Both<A, B, E> {
    /// Both succeeded.
    Done(A, B),
    /// One of them failed.
    Failed {
        /// The value of the first task, if that one succeeded.
        first: Option<A>,
        /// The error that came first. If the other task failed, too, it was because of the
        /// interruption.
        error: E,
    },
}

/// Runs two tasks at the same time, each with an [`Interrupt`] of its own: a signal interrupts
/// both, and a task that fails interrupts the other. Returns when both have ended. A signal is
/// still pending in `interrupt` afterwards.
pub fn both<A: Send, B: Send, E: Send>(
    interrupt: &Interrupt,
    first: impl FnOnce(&Interrupt) -> Result<A, E> + Send,
    second: impl FnOnce(&Interrupt) -> Result<B, E> + Send,
) -> Both<A, B, E> {
    let (one, two) = (Interrupt::default(), Interrupt::default());
    let error = Mutex::new(None);
    let fail = |failed: E, other: &Interrupt| {
        let mut error = error.lock().unwrap_or_else(PoisonError::into_inner);
        error.get_or_insert(failed);
        other.raise(SIGTERM);
    };
    let (first, second) = thread::scope(|scope| {
        let thread = || thread::Builder::new().stack_size(STACK);
        let start = "a process has more threads";
        let first = thread()
            .spawn_scoped(scope, || {
                first(&one).map_err(|error| fail(error, &two)).ok()
            })
            .expect(start);
        let second = thread()
            .spawn_scoped(scope, || {
                second(&two).map_err(|error| fail(error, &one)).ok()
            })
            .expect(start);
        let mut came = None;
        while !(first.is_finished() && second.is_finished()) {
            if let Some(signal) = interrupt.take() {
                came = Some(signal);
                one.raise(signal);
                two.raise(signal);
            }
            thread::sleep(POLL);
        }
        // A signal may have come too late for either task. Then it interrupts what follows.
        if let Some(signal) = came {
            interrupt.raise(signal);
        }
        let join = "a task does not panic";
        (first.join().expect(join), second.join().expect(join))
    });
    let error = error.into_inner().unwrap_or_else(PoisonError::into_inner);
    match (first, second, error) {
        (first, _, Some(error)) => Both::Failed { first, error },
        (Some(first), Some(second), None) => Both::Done(first, second),
        _ => unreachable!("a task without a value has failed"),
    }
}

/// Ends `child`, which leads a process group of its own, and all of that group. Sends SIGTERM to
/// the group, waits up to `grace` until `child` has ended, and then kills the rest of the group.
pub fn end_group(child: &mut Child, grace: Duration) {
    signal_group(child, Signal::TERM);
    let deadline = Instant::now() + grace;
    while matches!(child.try_wait(), Ok(None)) && Instant::now() < deadline {
        thread::sleep(POLL);
    }
    // Processes that the child has started are still in its group.
    signal_group(child, Signal::KILL);
    let _ = child.wait();
}

/// Sends a signal to the process group that `child` leads, or led until it ended.
pub fn signal_group(child: &Child, signal: Signal) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, signal);
    }
}

/// The error of a run that was ended by Ctrl-C or another signal.
#[derive(Clone, Copy, Debug)]
pub struct Interrupted {
    /// The number of the signal. The exit code is 128 plus this number.
    pub signal: i32,
}

impl std::error::Error for Interrupted {}

impl Failure for Interrupted {
    fn exit_code(&self) -> u8 {
        u8::try_from(128 + self.signal).unwrap_or(u8::MAX)
    }
}

impl Display for Interrupted {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.signal {
            SIGHUP => f.write_str("stopped by SIGHUP"),
            SIGINT => f.write_str("stopped by Ctrl-C"),
            SIGTERM => f.write_str("stopped by SIGTERM"),
            other => write!(f, "stopped by signal {other}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt as _;
    use std::process::{Command, Stdio};

    use super::*;

    fn until_interrupted(interrupt: &Interrupt) -> Result<(), String> {
        let deadline = Instant::now() + Duration::from_secs(20);
        while Instant::now() < deadline {
            interrupt.check().map_err(|error| error.to_string())?;
            thread::sleep(POLL);
        }
        Ok(())
    }

    fn failure<E: fmt::Debug>(both: Both<(), (), E>) -> (Option<()>, E) {
        match both {
            Both::Failed { first, error } => (first, error),
            Both::Done(..) => panic!("{both:?}"),
        }
    }

    #[test]
    fn a_failed_task_interrupts_the_other() {
        let none = Interrupt::default();
        let broken = |_: &Interrupt| Err::<(), _>("broken".to_owned());
        assert_eq!(
            failure(both(&none, until_interrupted, broken)),
            (None, "broken".into())
        );
        assert_eq!(
            failure(both(&none, broken, until_interrupted)),
            (None, "broken".into())
        );
    }

    #[test]
    fn a_signal_interrupts_both_tasks() {
        let signal = Interrupt::default();
        signal.raise(SIGINT);
        let found = failure(both(&signal, until_interrupted, until_interrupted));
        assert_eq!(found, (None, "stopped by Ctrl-C".into()));
        assert_eq!(signal.take(), Some(SIGINT));
    }

    #[test]
    fn the_value_of_a_task_outlives_the_failure_of_the_other() {
        let late = |_: &Interrupt| Err::<(), _>("late".to_owned());
        let found = failure(both(&Interrupt::default(), |_| Ok(()), late));
        assert_eq!(found, (Some(()), "late".into()));
        let done = both(&Interrupt::default(), |_| Ok::<_, ()>(1), |_| Ok(2));
        assert!(matches!(done, Both::Done(1, 2)), "{done:?}");
    }

    #[test]
    fn the_children_of_a_child_end_with_it() {
        let mut child = Command::new("sh")
            .args(["-c", "sleep 60 & echo $!; trap '' TERM; wait"])
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        let mut reader = io::BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        io::BufRead::read_line(&mut reader, &mut line).unwrap();
        end_group(&mut child, Duration::from_millis(300));
        // The pipe ends when the last process that could write to it has ended.
        let start = Instant::now();
        io::Read::read_to_end(&mut reader, &mut Vec::new()).unwrap();
        assert!(start.elapsed() < Duration::from_secs(20));
    }
}
