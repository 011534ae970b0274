//! The process of the project's test, which runs its simulations one after the other.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::TEST_NAME;
use super::error::Error;
use super::finding::Finding;
use super::panic::Panic;
use super::protocol::{
    CampaignProgress, Event, Instructions, OutputLine, Replay, UserObjects, VARIABLE,
};
use crate::error::Io;
use crate::interrupt::{Interrupt, end_group};
use crate::progress::Progress as ProgressLine;
use crate::terminal::Terminal;
use crate::text::count;

/// The polling interval.
const TICK: Duration = Duration::from_millis(50);
/// Time limit for an interrupted test to end.
const GRACE: Duration = Duration::from_secs(2);
/// The longest time between two events of the test: a single history, or minimizing the findings.
/// Either takes milliseconds to seconds.
pub const SILENCE_LIMIT: Duration = Duration::from_secs(180);
/// The exit code of a test executable with a test that failed.
const FAILED: i32 = 101;
/// The number of lines that are shown of the output of a test that crashed.
const LINES: usize = 30;

/// A test that was built, and the directory of its project.
pub struct TestProcess<'a> {
    /// The directory of the project.
    pub root: &'a Path,
    /// The test executable.
    pub binary: &'a Path,
    /// Returns the command that runs a program. It must end the program with rustop.
    pub command: fn(&Path) -> Command,
    pub terminal: Terminal,
    pub interrupt: &'a Interrupt,
    /// Time without an event after which the test is ended, because one of its histories blocks its
    /// thread.
    pub silence_limit: Duration,
}

/// The results of all simulations of the test.
#[derive(Debug, Default)]
pub struct Outcome {
    /// By the name of the `#[test]`.
    pub simulations: BTreeMap<String, SimulationResult>,
    /// True if a signal ended the test.
    pub interrupted: bool,
    /// The error that ended a simulation or the test although there are findings.
    pub failure: Option<Error>,
}

/// The result of one simulation, or the events so far if it was interrupted.
#[derive(Debug, Default)]
pub struct SimulationResult {
    /// The samples and the edits.
    pub objects: UserObjects,
    pub progress: CampaignProgress,
    /// The time that the histories took; `None` if the simulation has not ended.
    pub seconds: Option<f64>,
    /// The findings. They are not minimized if the simulation has not ended.
    pub findings: Vec<Finding>,
    /// The result of a replay. `None` for a campaign, and before the replay has ended.
    pub replay: Option<Replay>,
    /// The message of the error that ended the simulation.
    pub(super) failure: Option<String>,
}

impl TestProcess<'_> {
    /// Runs the simulations, or only that of the `#[test]` with the name `test`, and shows the
    /// progress. Sets the output file in `instructions`. Ends the process when a signal is
    /// received, and returns the results so far.
    ///
    /// # Errors
    /// Returns an error if a simulation cannot run, if the process ends without the result of each,
    /// or if it reports nothing for longer than the silence limit.
    pub fn run(&self, instructions: Instructions, test: Option<&str>) -> Result<Outcome, Error> {
        let temporary = std::env::temp_dir();
        let dir = tempfile::tempdir().map_err(Io::on("create a directory in", &temporary))?;
        let (events, log) = (dir.path().join("events"), dir.path().join("log"));
        fs::write(&events, "").map_err(Io::on("write", &events))?;
        let mut reader = Reader {
            file: File::open(&events).map_err(Io::on("read", &events))?,
            rest: Vec::new(),
        };
        let instructions = Instructions {
            output: events.clone(),
            ..instructions
        };
        let mut outcome = Outcome::default();
        let ended = self.follow(&instructions, test, &mut reader, &log, &mut outcome);
        match ended {
            Err(error) if outcome.findings().next().is_some() => outcome.failure = Some(error),
            ended => ended?,
        }
        Ok(outcome)
    }

    /// Starts the test, and adds its events to `outcome` until it ends.
    fn follow(
        &self,
        instructions: &Instructions,
        test: Option<&str>,
        reader: &mut Reader,
        log: &Path,
        outcome: &mut Outcome,
    ) -> Result<(), Error> {
        let events = &instructions.output;
        let mut child = self.start(instructions, test, log)?;
        let mut line = self.progress_line(instructions);
        let begun = Instant::now();
        let mut last = begun;
        let status = loop {
            let status = child.try_wait().map_err(Io::on("run", self.binary))?;
            let lines = reader.read().map_err(Io::on("read", events))?;
            if !lines.is_empty() {
                last = Instant::now();
            }
            for line in lines {
                outcome.add(line);
            }
            if let Some(status) = status {
                break status;
            }
            if self.interrupt.is_pending() {
                end_group(&mut child, GRACE);
                outcome.interrupted = true;
                return Ok(());
            }
            if last.elapsed() > self.silence_limit {
                end_group(&mut child, GRACE);
                let running = outcome.running().map(|(name, _)| name.as_str());
                return Err(Error::Stuck {
                    simulation: running.unwrap_or(TEST_NAME).to_owned(),
                    seconds: self.silence_limit.as_secs(),
                });
            }
            outcome.show(&mut line, instructions, begun.elapsed());
            thread::sleep(TICK);
        };
        drop(line);
        outcome.check()?;
        if !status.success() || !outcome.has_ended() {
            let output = fs::read(log).map_err(Io::on("read", log))?;
            let output = String::from_utf8_lossy(&output);
            let panic = Panic::find(&output).filter(|_| status.code() == Some(FAILED));
            return Err(panic.map_or_else(
                || Error::Crashed {
                    status: status.to_string(),
                    output: last_lines(&output),
                },
                Error::Panicked,
            ));
        }
        Ok(())
    }

    /// Starts the test in a process group of its own, with its output in the file `log`.
    fn start(
        &self,
        instructions: &Instructions,
        test: Option<&str>,
        log: &Path,
    ) -> Result<Child, Error> {
        let file = File::create(log).map_err(Io::on("create", log))?;
        let copy = file.try_clone().map_err(Io::on("create", log))?;
        let instructions = serde_json::to_string(instructions).unwrap_or_default();
        let mut command = (self.command)(self.binary);
        command
            // Each simulation uses all cores.
            .arg("--test-threads=1")
            .args(test.into_iter().flat_map(|test| ["--exact", test]))
            .env(VARIABLE, instructions)
            // The message of a panic is shown without it.
            .env("RUST_BACKTRACE", "0")
            .env("CARGO_MANIFEST_DIR", self.root)
            .current_dir(self.root)
            .stdin(Stdio::null())
            .stdout(file)
            .stderr(copy)
            .process_group(0);
        Ok(command.spawn().map_err(Io::on("run", self.binary))?)
    }

    /// Returns the progress line of a campaign, which counts histories or seconds. `None` for a
    /// replay.
    fn progress_line(&self, instructions: &Instructions) -> Option<ProgressLine> {
        let total = match (instructions.histories, instructions.seconds) {
            _ if instructions.replay.is_some() => return None,
            (Some(histories), _) => Some(histories as u64),
            (None, seconds) => seconds,
        };
        Some(ProgressLine::new(self.terminal, "Simulating", total))
    }
}

impl Outcome {
    /// Updates the results with an event.
    fn add(&mut self, line: OutputLine) {
        let name = line.simulation.clone();
        let simulation = self.simulations.entry(line.simulation).or_default();
        match line.event {
            Event::Started(objects) => simulation.objects = objects,
            Event::Unknown => {}
            Event::Progress(progress) => simulation.progress = progress,
            Event::Suspect { finding } => simulation.findings.push(finding.with_id(&name)),
            Event::Finished { report } => {
                simulation.progress = report.progress;
                simulation.seconds = Some(report.seconds);
                let findings = report.findings.into_iter();
                simulation.findings = findings.map(|finding| finding.with_id(&name)).collect();
            }
            Event::Replayed { replay } => simulation.replay = Some(replay),
            Event::Failed { message } => simulation.failure = Some(message),
        }
    }

    /// Returns the error of the first simulation, by name, that has failed.
    fn check(&self) -> Result<(), Error> {
        let failed = |(name, it): (&String, &SimulationResult)| {
            Some(Error::CannotRun {
                simulation: name.clone(),
                message: it.failure.clone()?,
            })
        };
        self.simulations.iter().find_map(failed).map_or(Ok(()), Err)
    }

    /// Returns the simulation that has started and not ended, with its name.
    fn running(&self) -> Option<(&String, &SimulationResult)> {
        let mut all = self.simulations.iter();
        all.find(|(_, it)| it.seconds.is_none() && it.failure.is_none())
    }

    /// Returns true if each simulation that has started has also ended.
    fn has_ended(&self) -> bool {
        let mut all = self.simulations.values();
        all.all(|it| it.seconds.is_some() || it.replay.is_some())
    }

    fn show(
        &self,
        line: &mut Option<ProgressLine>,
        instructions: &Instructions,
        elapsed: Duration,
    ) {
        // With several simulations, the line shows the one that runs.
        let (Some(line), Some((_, running))) = (line, self.running()) else {
            return;
        };
        let CampaignProgress {
            histories,
            covered,
            pairs,
        } = running.progress;
        let done = match instructions.histories {
            Some(_) => histories as u64,
            None => elapsed.as_secs(),
        };
        line.set(done, || {
            let suspects = count(running.findings.len(), "suspect");
            #[expect(clippy::cast_precision_loss, reason = "a rate need not be exact")]
            let rate = histories as f64 / elapsed.as_secs_f64().max(0.1);
            format!(
                "{histories} histories ({rate:.0} per second), {covered} of {pairs} faults tried, {suspects}"
            )
        });
    }
}

/// Reads a file of JSON lines while another process appends to it.
struct Reader {
    file: File,
    /// The start of a line that is not complete yet.
    rest: Vec<u8>,
}

impl Reader {
    /// Returns the lines that were completed since the last call. Lines that cannot be parsed are
    /// skipped.
    fn read(&mut self) -> std::io::Result<Vec<OutputLine>> {
        self.file.read_to_end(&mut self.rest)?;
        let Some(end) = self.rest.iter().rposition(|byte| *byte == b'\n') else {
            return Ok(Vec::new());
        };
        let rest = self.rest.split_off(end + 1);
        let complete = std::mem::replace(&mut self.rest, rest);
        let lines = complete.split(|byte| *byte == b'\n');
        let lines = lines.filter_map(|line| serde_json::from_slice(line).ok());
        Ok(lines.collect())
    }
}

/// Returns the last lines of the output of a test.
fn last_lines(output: &str) -> Vec<String> {
    let lines: Vec<_> = output.lines().map(str::to_owned).collect();
    let first = lines.len().saturating_sub(LINES);
    lines[first..].to_vec()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use anstream::ColorChoice;
    use tempfile::TempDir;

    use super::*;
    use crate::error::Failure as _;
    use crate::simulation::finding::example;

    /// Runs a shell script as the test of a project. `$out` is the file with the events.
    fn run(script: &str, test: Option<&str>) -> (Result<Outcome, Error>, TempDir) {
        let dir = tempfile::tempdir().unwrap();
        let binary = dir.path().join("simulation");
        let start = format!(
            "#!/bin/sh\nout=$(printf %s \"${VARIABLE}\" | sed 's/.*\"output\":\"\\([^\"]*\\)\".*/\\1/')\n"
        );
        fs::write(&binary, format!("{start}{script}\n")).unwrap();
        fs::set_permissions(&binary, fs::Permissions::from_mode(0o755)).unwrap();
        let process = TestProcess {
            root: dir.path(),
            binary: &binary,
            command: |program| Command::new(program),
            terminal: Terminal::new(-1, ColorChoice::Never),
            interrupt: &Interrupt::default(),
            silence_limit: Duration::from_secs(2),
        };
        let instructions = Instructions {
            histories: Some(7),
            ..Instructions::default()
        };
        (process.run(instructions, test), dir)
    }

    fn finished(findings: &[Finding]) -> String {
        let event = serde_json::json!({
            "simulation": "a", "event": "finished",
            "report": {"histories": 7, "covered": 2, "pairs": 3, "seconds": 0.5, "findings": findings},
        });
        format!("echo '{event}' >> $out")
    }

    #[test]
    fn the_result_of_a_simulation_is_read() {
        let (outcome, _dir) = run(&finished(&[example()]), None);
        let result = &outcome.unwrap().simulations["a"];
        assert_eq!(result.progress.histories, 7);
        assert_eq!(result.findings[0].class, "missing");
    }

    #[test]
    fn one_test_is_run_by_its_name() {
        let script = format!("echo \"$@\" > arguments\n{}", finished(&[]));
        let (outcome, dir) = run(&script, Some("a"));
        outcome.unwrap();
        let arguments = fs::read_to_string(dir.path().join("arguments")).unwrap();
        assert_eq!(arguments.trim(), "--test-threads=1 --exact a");
    }

    #[test]
    fn a_test_that_panics_is_an_error_with_its_message() {
        let script = "echo \"thread 'main' (7) panicked at tests/simulation.rs:9:5:\"; echo \"no role; help: run X\"; \
            echo \"backtrace: $RUST_BACKTRACE\" > backtrace; exit 101";
        let (result, dir) = run(script, None);
        let error = result.unwrap_err();
        let message = "the test `simulation` panicked:\n  no role";
        assert_eq!(error.to_string(), message);
        assert_eq!(error.help().as_deref(), Some("run X"));
        let backtrace = fs::read_to_string(dir.path().join("backtrace")).unwrap();
        assert_eq!(backtrace.trim(), "backtrace: 0");
    }

    #[test]
    fn a_test_that_fails_without_a_panic_is_an_error_with_its_output() {
        let script = "echo no such manifest >&2; exit 101";
        let error = run(script, None).0.unwrap_err().to_string();
        assert!(error.contains("no such manifest"), "{error}");
        assert!(error.contains("101"), "{error}");
    }

    #[test]
    fn a_simulation_without_a_result_is_an_error() {
        let script = r#"echo '{"simulation": "a", "event": "started"}' >> $out"#;
        assert!(matches!(run(script, None).0, Err(Error::Crashed { .. })));
    }

    #[test]
    fn the_findings_of_others_remain_if_one_simulation_cannot_run() {
        let failed =
            r#"echo '{"simulation": "b", "event": "failed", "message": "no edit 7"}' >> $out"#;
        let script = format!("{}\n{failed}", finished(&[example()]));
        let outcome = run(&script, None).0.unwrap();
        assert_eq!(outcome.findings().count(), 1);
        let failure = outcome.failure.unwrap().to_string();
        assert_eq!(failure, "the simulation `b` cannot run: no edit 7");
    }

    #[test]
    fn a_simulation_that_blocks_is_ended() {
        let script = r#"echo '{"simulation": "a", "event": "started"}' >> $out; exec sleep 60"#;
        let begun = Instant::now();
        let error = run(script, None).0.unwrap_err().to_string();
        assert_eq!(error, "the simulation `a` made no progress for 2 seconds");
        assert!(begun.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn a_simulation_that_cannot_run_is_named() {
        let script =
            r#"echo '{"simulation": "a", "event": "failed", "message": "no edit 7"}' >> $out"#;
        let error = run(script, None).0.unwrap_err().to_string();
        assert_eq!(error, "the simulation `a` cannot run: no edit 7");
    }
}
