//! What was found, for people and for programs.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::campaign::Outcome;
use super::error::{Error, Result};
use super::finding::Finding;
use super::journal::What;

/// Writes all of it into `dir`.
pub fn write(dir: &Path, outcome: &Outcome, seed: u64) -> Result<()> {
    let _ = seed;
    fs::create_dir_all(dir).map_err(Error::io("create", dir))?;
    for finding in &outcome.findings {
        let path = dir.join(format!("{}.json", finding.id));
        let text = serde_json::to_string(finding).unwrap_or_default();
        fs::write(&path, text).map_err(Error::io("write", &path))?;
    }
    Ok(())
}

/// The finding called `id`.
pub fn load(dir: &Path, id: &str) -> Result<Finding> {
    let path = dir.join(format!("{id}.json"));
    let Ok(text) = fs::read_to_string(&path) else {
        return Err(Error::NoFinding { id: id.to_owned(), dir: dir.to_owned() });
    };
    let unreadable = |error: serde_json::Error| Error::Unreadable { path: path.clone(), message: error.to_string() };
    serde_json::from_str(&text).map_err(unreadable)
}

/// A finding in a few lines.
pub fn text(finding: &Finding) -> String {
    let mut text = format!("{}: {}: {}\n", finding.class, finding.class.says(), finding.says);
    for (number, step) in finding.steps().enumerate() {
        let _ = writeln!(text, "  {}. {step}", number + 1);
        for fault in finding.faults.iter().filter(|fault| fault.step() == number) {
            let _ = writeln!(text, "     fault: {fault}");
        }
    }
    for difference in finding.differences.iter().take(6) {
        let _ = writeln!(text, "  {difference}");
    }
    if finding.differences.len() > 6 {
        let _ = writeln!(text, "  and {} more differences", finding.differences.len() - 6);
    }
    let _ = writeln!(text, "  rustop torture --replay {}\n", finding.id);
    text
}

/// All that happened, in the order of time, and the operator's log.
pub fn story(finding: &Finding) -> String {
    let mut text = String::new();
    for entry in &finding.entries {
        let line = match &entry.what {
            What::Step(says) => format!("== {says}"),
            What::Fault(says) => format!("!! {says}"),
            What::Operator(says) => format!("-- the operator: {says}"),
            What::News { resource, change, name } => format!("   <- {change} {resource} {name}"),
            What::Request(request) if request.call.verb.writes() => {
                format!("   -> {} {} {}", request.call, request.name(), request.status)
            }
            What::Request(request) => format!("   .. {} {}", request.call, request.status),
        };
        let _ = writeln!(text, "{:8.3} {line}", entry.at.as_secs_f32());
    }
    let _ = writeln!(text, "\nThe operator's log:\n{}", finding.log);
    text
}
