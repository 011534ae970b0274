//! The report of a run, as text for the terminal, as JSON, and as files.

use std::fmt::Write as _;
use std::path::{self, Path, PathBuf};

use serde_json::{Value, json};

use super::error::Error;
use super::finding::{Finding, StoredFinding};
use super::formats;
use super::process::{Outcome, SimulationResult};
use super::protocol::UserObjects;
use crate::disk::private;
use crate::terminal::escaped_line;
use crate::text::{count, shell_word};

/// The share of faults, in percent, that a run without findings must have tried for a verdict.
const ENOUGH: usize = 80;

impl Outcome {
    /// Returns the findings of all simulations, each with the name of the simulation.
    pub fn findings(&self) -> impl Iterator<Item = (&str, &Finding)> {
        let all = self.simulations.iter();
        all.flat_map(|(name, result)| result.findings.iter().map(|it| (name.as_str(), it)))
    }

    /// Returns the findings to change them, each with the objects of its simulation.
    pub fn findings_mut(&mut self) -> impl Iterator<Item = (&UserObjects, &mut Finding)> {
        self.simulations.values_mut().flat_map(|result| {
            let objects = &result.objects;
            result.findings.iter_mut().map(move |it| (objects, it))
        })
    }

    /// Returns true if the run has found nothing, and has tried too few faults for a verdict: less
    /// than [`ENOUGH`] percent in one of its simulations.
    pub fn is_inconclusive(&self) -> bool {
        let tried_enough = |it: &SimulationResult| {
            let progress = it.progress;
            progress.histories > 0 && progress.covered * 100 >= progress.pairs * ENOUGH
        };
        self.findings().next().is_none() && !self.simulations.values().all(tried_enough)
    }

    /// Returns the time in seconds that the histories of all simulations took. Those that have not
    /// ended do not count.
    pub fn seconds(&self) -> f64 {
        self.simulations.values().filter_map(|it| it.seconds).sum()
    }

    /// Returns the numbers of the run in one line. `seed` is that of the run.
    pub fn summary(&self, seed: u64) -> String {
        let sum = |number: fn(&SimulationResult) -> usize| -> usize {
            self.simulations.values().map(number).sum()
        };
        let histories = sum(|it| it.progress.histories);
        let seconds = self.seconds();
        #[expect(clippy::cast_precision_loss, reason = "a rate need not be exact")]
        let rate = histories as f64 / seconds.max(0.001);
        let digits = usize::from(seconds < 10.0);
        format!(
            "{}: {histories} histories in {seconds:.digits$} s ({rate:.0} per second), {} of {} faults tried, seed {seed}",
            count(self.findings().count(), "finding"),
            sum(|it| it.progress.covered),
            sum(|it| it.progress.pairs),
        )
    }
}

/// Returns the report for programs, without the timelines: `report.json`, and the output of
/// `--output json`. `out` is the directory of the findings' files.
pub fn document(outcome: &Outcome, seed: u64, out: &Path) -> Value {
    let simulations = outcome.simulations.iter().map(|(name, result)| {
        let findings = result.findings.iter().map(|finding| {
            json!({
                "id": finding.id,
                "class": finding.class,
                "object": finding.object,
                "message": finding.message,
                "steps": finding.steps,
                "faults": finding.faults,
                "confirmation": finding.confirmation,
                "file": file(finding, out),
            })
        });
        json!({
            "name": name,
            "histories": result.progress.histories,
            "seconds": result.seconds,
            "faults": {"tried": result.progress.covered, "of": result.progress.pairs},
            "findings": findings.collect::<Vec<_>>(),
        })
    });
    json!({
        "inconclusive": outcome.is_inconclusive(),
        "interrupted": outcome.interrupted,
        "seed": seed,
        "simulations": simulations.collect::<Vec<_>>(),
    })
}

/// Writes the reports and the replay file of each finding into `out`. `operator` is the name of the
/// project, and `here` the directory given by `-C`, or `.`.
///
/// # Errors
/// Returns an error if a file cannot be written.
pub fn write(
    outcome: &Outcome,
    seed: u64,
    operator: &str,
    out: &Path,
    here: &Path,
) -> Result<(), Error> {
    let mut files: Vec<_> = outcome
        .findings()
        .map(|(simulation, finding)| {
            let stored = StoredFinding {
                operator: operator.to_owned(),
                simulation: simulation.to_owned(),
                finding: finding.clone(),
            };
            let text = serde_json::to_string_pretty(&stored).unwrap_or_default();
            (format!("{}.json", finding.id), text)
        })
        .collect();
    let report = format!("{:#}\n", document(outcome, seed, out));
    let replay = |finding: &Finding| replay(finding, out, here);
    let body = |finding: &Finding| text(finding, out, here);
    for (name, text) in [
        ("report.json", report),
        ("report.md", formats::markdown(outcome, seed, &replay)),
        ("report.html", formats::html(outcome, seed, &replay)),
        ("junit.xml", formats::junit(outcome, seed, &body)),
    ] {
        files.push((name.to_owned(), text));
    }
    Ok(private::write_all(out, files)?)
}

/// Renders a finding in a few lines. `out` is the directory of its file, and `here` the one given
/// by `-C`, or `.`.
pub fn text(finding: &Finding, out: &Path, here: &Path) -> String {
    // A message may contain texts of the operator or of its test.
    let message = escaped_line(&finding.message);
    let mut text = format!("{}: {message}\n", finding.class);
    for (number, step) in finding.steps.iter().enumerate() {
        let _ = writeln!(text, "  {}. {step}", number + 1);
    }
    for fault in &finding.faults {
        let _ = writeln!(text, "  fault at {fault}");
    }
    if let Some(confirmation) = &finding.confirmation {
        let _ = writeln!(text, "  {confirmation}");
    }
    let _ = writeln!(text, "  {}\n", replay(finding, out, here));
    text
}

/// Returns the command that replays a finding.
fn replay(finding: &Finding, out: &Path, here: &Path) -> String {
    let (file, mut directory) = (file(finding, out), String::new());
    let mut path = PathBuf::from(&file);
    if here != Path::new(".") {
        directory = format!(" -C {}", shell_word(&here.display().to_string()));
        // `--replay` is relative to the directory of `-C`.
        path = path::absolute(&path).unwrap_or(path);
    }
    let path = shell_word(&path.display().to_string());
    format!("rustop{directory} simulate --replay {path}")
}

/// Returns the path of a finding's replay file, as it is printed.
fn file(finding: &Finding, out: &Path) -> String {
    let path = out.join(format!("{}.json", finding.id));
    let path = path.strip_prefix(".").unwrap_or(&path);
    path.display().to_string()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::disk::private::assert_closed;
    use crate::simulation::finding::{example, load};
    use crate::simulation::protocol::CampaignProgress;

    fn outcome(covered: usize, findings: Vec<Finding>) -> Outcome {
        let progress = CampaignProgress {
            histories: 100,
            covered,
            pairs: 10,
        };
        let result = SimulationResult {
            progress,
            seconds: Some(0.5),
            findings,
            ..SimulationResult::default()
        };
        Outcome {
            simulations: [("histories".to_owned(), result)].into(),
            interrupted: false,
            failure: None,
        }
    }

    #[test]
    fn a_run_that_tried_few_faults_has_no_verdict() {
        assert!(outcome(7, Vec::new()).is_inconclusive());
        assert!(!outcome(8, Vec::new()).is_inconclusive());
        assert!(!outcome(7, vec![example()]).is_inconclusive());
    }

    #[test]
    fn a_finding_names_the_file_that_replays_it() {
        let dir = tempfile::tempdir().unwrap();
        let outcome = outcome(10, vec![example()]);
        write(&outcome, 3, "cows", dir.path(), Path::new(".")).unwrap();
        assert_closed(dir.path());
        let text = text(&example(), dir.path(), Path::new("."));
        let (_, path) = text.split_once("--replay ").unwrap();
        let stored = load(Path::new(path.trim()), "cows").unwrap();
        assert_eq!(stored.simulation, "histories");
        assert_eq!(stored.finding.schedule, example().schedule);
        let report = fs::read_to_string(dir.path().join("report.json")).unwrap();
        let report: Value = serde_json::from_str(&report).unwrap();
        let found = &report["simulations"][0]["findings"][0];
        assert_eq!(found["file"], path.trim());
    }

    #[test]
    fn the_command_to_replay_repeats_the_directory() {
        let text = text(
            &example(),
            Path::new("op/target/simulation"),
            Path::new("op"),
        );
        let (_, path) = text
            .split_once("  rustop -C op simulate --replay ")
            .unwrap();
        assert!(Path::new(path.trim()).is_absolute(), "{text}");
        assert!(path.contains("op/target/simulation/"), "{text}");
    }

    #[test]
    fn the_summary_has_the_rate_and_the_coverage() {
        let summary = outcome(8, Vec::new()).summary(3);
        assert_eq!(
            summary,
            "0 findings: 100 histories in 0.5 s (200 per second), 8 of 10 faults tried, seed 3"
        );
    }

    #[test]
    fn a_finding_is_in_every_report() {
        let dir = tempfile::tempdir().unwrap();
        let mut finding = example();
        finding.message = "</pre><b>\u{1b}[31m is missing".to_owned();
        let id = finding.id.clone();
        let found = outcome(10, vec![finding]);
        write(&found, 3, "cows", dir.path(), Path::new(".")).unwrap();
        let read = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap();
        for name in ["report.md", "report.html", "junit.xml"] {
            let text = read(name);
            let parts = [
                &*id,
                "simulate --replay",
                "number 1: lost",
                "create the samples",
            ];
            for part in parts {
                assert!(text.contains(part), "{name} lacks {part}: {text}");
            }
        }
        assert!(read("report.md").contains("## missing: deployments.apps default/web"));
        let (html, junit) = (read("report.html"), read("junit.xml"));
        assert!(
            html.contains("&lt;b&gt;[31m") && !html.contains("<b>"),
            "{html}"
        );
        assert!(
            junit.contains("classname=\"simulation.missing\""),
            "{junit}"
        );
        assert!(junit.contains("failures=\"1\" errors=\"0\""), "{junit}");
    }

    #[test]
    fn a_run_without_a_finding_has_a_report() {
        for (covered, errors) in [(10, 0), (7, 1)] {
            let dir = tempfile::tempdir().unwrap();
            let passed = outcome(covered, Vec::new());
            write(&passed, 3, "cows", dir.path(), Path::new(".")).unwrap();
            let junit = fs::read_to_string(dir.path().join("junit.xml")).unwrap();
            let numbers = format!("tests=\"1\" failures=\"0\" errors=\"{errors}\"");
            assert!(junit.contains(&numbers), "{junit}");
            let html = fs::read_to_string(dir.path().join("report.html")).unwrap();
            assert_eq!(html.contains("Nothing was found."), errors == 0, "{html}");
        }
    }
}
