//! Reports of a campaign, and replay files of its findings. `rustop simulate` writes its reports
//! with the same functions.

pub mod heading;
pub mod html;
mod json;
pub mod junit;
pub mod markdown;
pub mod text;

use std::path::Path;

use crate::disk::{private, regular};
use crate::error::Io;
use crate::torture::error::{Error, Result};
use crate::torture::journal::{JournalEntry, JournalEvent};
use crate::torture::oracle::finding::Finding;
use crate::torture::redaction;
use crate::torture::search::result::CampaignResult;
pub use json::report as document;
pub use text::{journal_and_log, text};

/// Writes the reports and the replay files, `ID.json` for each finding, into `dir`. `seed` is that
/// of the campaign.
pub fn write(dir: &Path, outcome: &CampaignResult, seed: u64) -> Result<()> {
    let json = serde_json::to_string_pretty(&json::report(outcome, seed)).unwrap_or_default();
    let mut files = vec![
        ("report.json".to_owned(), json),
        ("junit.xml".to_owned(), junit::report(outcome)),
        ("report.md".to_owned(), markdown::report(outcome, seed)),
        ("report.html".to_owned(), html::report(outcome, seed)),
    ];
    files.extend(outcome.findings.iter().map(|finding| {
        let mut finding = finding.clone();
        redact(&mut finding.entries);
        let text = serde_json::to_string(&finding).unwrap_or_default();
        (format!("{}.json", finding.id), text)
    }));
    Ok(private::write_all(dir, files)?)
}

/// Hides the data of Secrets in the requests and their answers. Replay files are kept by CI, and a
/// replay needs the scenario and the faults only.
fn redact(entries: &mut [JournalEntry]) {
    for entry in entries {
        if let JournalEvent::Request(request) = &mut entry.event {
            redaction::redact(request);
        }
    }
}

/// Reads the replay file of the finding `id` in `dir`, into which an earlier campaign
/// has written it.
pub fn load(dir: &Path, id: &str) -> Result<Finding> {
    let name = format!("{id}.json");
    let path = dir.join(&name);
    // The id is user input and must not be a path.
    let is_name = id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    if !is_name || !path.is_symlink() && !path.exists() {
        return Err(Error::NoFinding {
            id: id.to_owned(),
            dir: dir.to_owned(),
        });
    }
    let text = regular::text_in(dir, &name).map_err(Io::on("read", &path))?;
    let unreadable = |error: serde_json::Error| Error::Unreadable {
        path: path.clone(),
        message: error.to_string(),
    };
    serde_json::from_str(&text).map_err(unreadable)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::disk::private::assert_closed;
    use crate::torture::api::call::ApiCall;
    use crate::torture::journal::RecordedRequest;
    use crate::torture::oracle::finding::Class;
    use crate::torture::scenario::Scenario;

    fn outcome() -> CampaignResult {
        let subject = json!({"kind": "Cow", "apiVersion": "my.domain/v1", "metadata": {"name": "moo"}, "spec": {}});
        let finding = Finding {
            id: String::new(),
            class: Class::Leftover,
            object: "configmap/moo".into(),
            message: "</script><b>\u{1b}[31m & \"it\"".into(),
            differences: Vec::new(),
            scenario: Scenario::life(&subject, &[], &[]),
            step: 0,
            faults: Vec::new(),
            lasting: None,
            retry: None,
            causes: vec!["the operator logged: <error>\nof a cow".into()],
            remedy: Some("add to its role:\n- <rule>".into()),
            others: 0,
            examples: Vec::new(),
            entries: vec![JournalEntry {
                at: Duration::from_secs(1),
                step: 0,
                event: JournalEvent::Fault("</script>".into()),
            }],
            log: "<&>".into(),
        };
        CampaignResult {
            findings: vec![finding.named()],
            ..CampaignResult::default()
        }
    }

    #[test]
    fn texts_of_the_operator_are_escaped_in_every_report() {
        let outcome = outcome();
        let html = html::report(&outcome, 1);
        assert_eq!(html.matches("</script>").count(), 1);
        assert!(!html.contains("<b>"));
        let junit = junit::report(&outcome);
        assert!(
            junit.contains("&lt;/script&gt;&lt;b&gt;[31m &amp; &quot;it&quot;")
                && !junit.contains('\u{1b}')
        );
        assert!(
            markdown::report(&outcome, 1).contains("rustop torture --replay leftover-configmap-")
        );
    }

    #[test]
    fn probable_causes_are_in_every_report() {
        let outcome = outcome();
        let cause = "probable cause: the operator logged: <error> of a cow";
        assert!(text(&outcome.findings[0]).contains(&format!("  {cause}\n")));
        assert!(markdown::report(&outcome, 1).contains(&format!("! {cause}\n")));
        assert!(junit::report(&outcome).contains("logged: &lt;error&gt; of a cow"));
        assert!(
            html::report(&outcome, 1)
                .contains("<p>Probable cause: the operator logged: &lt;error&gt;\nof a cow</p>")
        );
        let causes = &json::report(&outcome, 1)["findings"][0]["causes"];
        assert_eq!(causes[0], outcome.findings[0].causes[0]);
    }

    #[test]
    fn remedies_are_in_every_report() {
        let outcome = outcome();
        assert!(text(&outcome.findings[0]).contains("  add to its role:\n  - <rule>\n"));
        assert!(html::report(&outcome, 1).contains("<pre>add to its role:\n- &lt;rule&gt;</pre>"));
        assert!(markdown::report(&outcome, 1).contains("```\nadd to its role:\n- <rule>\n```"));
        assert!(junit::report(&outcome).contains("- &lt;rule&gt;"));
        assert_eq!(
            json::report(&outcome, 1)["findings"][0]["remedy"],
            "add to its role:\n- <rule>"
        );
    }

    #[test]
    fn the_reason_of_a_class_is_in_every_report() {
        let mut outcome = outcome();
        let why = Class::Adopted.why().unwrap();
        assert!(!text(&outcome.findings[0]).contains("why:"), "a leftover");
        outcome.findings[0].class = Class::Adopted;
        assert!(text(&outcome.findings[0]).contains(&format!("  why: {why}\n")));
        assert!(
            html::report(&outcome, 1)
                .contains("<p>Why: Names and labels do not say whose an object is: ")
        );
        assert!(markdown::report(&outcome, 1).contains(&format!("\nWhy: {why}\n")));
        assert!(junit::report(&outcome).contains("why: Names and labels"));
        assert_eq!(json::report(&outcome, 1)["findings"][0]["why"], why);
    }

    #[test]
    fn a_link_in_place_of_a_report_is_replaced_and_the_report_is_private() {
        let dir = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::NamedTempFile::new().unwrap();
        let report = dir.path().join("report.json");
        std::os::unix::fs::symlink(elsewhere.path(), &report).unwrap();
        write(dir.path(), &outcome(), 7).unwrap();
        assert_eq!(fs::read(elsewhere.path()).unwrap(), b"");
        let report = fs::symlink_metadata(&report).unwrap();
        assert!(report.is_file());
        assert_closed(dir.path());
    }

    #[test]
    fn replay_files_hide_the_data_of_secrets() {
        let dir = tempfile::tempdir().unwrap();
        let mut outcome = outcome();
        let call = ApiCall::parse("PATCH", "/api/v1/namespaces/default/secrets/moo").unwrap();
        let mut request = RecordedRequest::new(call, json!({"stringData": {"key": "hunter2"}}));
        request.answer =
            json!({"apiVersion": "v1", "kind": "Secret", "data": {"key": "aHVudGVyMg=="}});
        outcome.findings[0].entries.push(JournalEntry {
            at: Duration::from_secs(2),
            step: 0,
            event: JournalEvent::Request(Box::new(request)),
        });
        write(dir.path(), &outcome, 7).unwrap();
        for file in fs::read_dir(dir.path()).unwrap() {
            let text = fs::read_to_string(file.unwrap().path()).unwrap();
            assert!(
                !text.contains("hunter2") && !text.contains("aHVudGVyMg"),
                "{text}"
            );
        }
        assert!(load(dir.path(), &outcome.findings[0].id).is_ok());
    }

    #[test]
    fn a_finding_is_found_again_by_its_name() {
        let dir = tempfile::tempdir().unwrap();
        let outcome = outcome();
        write(dir.path(), &outcome, 7).unwrap();
        let found = load(dir.path(), &outcome.findings[0].id).unwrap();
        assert_eq!(found.scenario, outcome.findings[0].scenario);
        assert!(load(dir.path(), "nothing").is_err());
        let report: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(dir.path().join("report.json")).unwrap())
                .unwrap();
        assert_eq!(report["findings"][0]["class"], "leftover");
    }

    #[test]
    fn replay_files_of_earlier_releases_are_read_and_written_unchanged() {
        let finding = include_str!("testdata/finding.json");
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("missing-configmap-020c.json");
        fs::write(path, finding).unwrap();
        let read = load(dir.path(), "missing-configmap-020c").unwrap();
        let stored: serde_json::Value = serde_json::from_str(finding).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), stored);
    }
}
