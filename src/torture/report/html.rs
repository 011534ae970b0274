//! The HTML report: a single file with the findings and their timelines.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value, json};

use crate::page::TIMELINE;
use crate::torture::journal::{JournalEntry, JournalEvent};
use crate::torture::oracle::finding::Finding;
use crate::torture::report::heading::Heading;
pub use crate::torture::report::text::escape;
use crate::torture::search::result::CampaignResult;

/// Draws the data of [`timeline`] with the timeline of `rustop dev`.
const SHOW: &str = include_str!("show.js");
const STYLE: &str = include_str!("page.css");

/// Renders the HTML report of a campaign, with one timeline per finding. `seed` is that of the
/// campaign.
pub fn report(outcome: &CampaignResult, seed: u64) -> String {
    let mut text = begin("rustop torture", &outcome.summary(seed));
    if outcome.is_inconclusive() {
        text.push_str("<p>Inconclusive: nothing was found, but too little was tested.</p>\n");
    } else if outcome.findings.is_empty() {
        text.push_str("<p class=\"good\">Nothing was found.</p>\n");
    }
    for finding in &outcome.findings {
        section(&mut text, finding);
    }
    // Escaped, so that no text in the data can end the script.
    let timelines: Vec<Value> = outcome.findings.iter().map(timeline).collect();
    let data = Value::from(timelines).to_string().replace('<', "\\u003c");
    let _ = write!(
        text,
        "<script type=\"module\">\n{TIMELINE}\nconst timelines = {data};\n{SHOW}</script>\n</html>\n"
    );
    text
}

/// Returns the beginning of a page, through its summary. Escapes `summary`, but not `title`.
pub fn begin(title: &str, summary: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n<h1>{title}</h1>\n<p>{}</p>\n",
        escape(summary)
    )
}

/// Returns a cell of a table, which is empty for `None`.
pub fn cell(value: Option<&str>) -> String {
    format!("<td>{}", value.map(escape).unwrap_or_default())
}

/// Adds the beginning of a finding's section to `text`, through its steps. The caller closes the
/// section.
pub fn heading(text: &mut String, heading: &Heading<'_>) {
    let [id, class, object, headline] = [
        heading.id,
        &heading.class,
        heading.object,
        &heading.headline,
    ]
    .map(escape);
    let _ = writeln!(
        text,
        "<section id=\"{id}\">\n<h2><span class=\"class\">{class}</span> {object}</h2>"
    );
    let message = heading.message.map(|message| format!(": {message}"));
    let message = escape(&message.unwrap_or_default());
    let _ = writeln!(text, "<p>{headline}{message}</p>");
    if let Some(why) = &heading.why {
        let _ = writeln!(text, "<p>Why: {}</p>", escape(why));
    }
    text.push_str("<ol>\n");
    for step in &heading.steps {
        let _ = write!(text, "<li>{}", escape(step.description));
        for fault in &step.faults {
            let _ = write!(text, "<br><strong>{}</strong>", escape(fault));
        }
        text.push_str("</li>\n");
    }
    text.push_str("</ol>\n");
}

fn section(text: &mut String, finding: &Finding) {
    heading(text, &Heading::of(finding));
    if !finding.differences.is_empty() {
        text.push_str("<table><tr><th>object<th>field<th>expected<th>found</tr>\n");
        for difference in &finding.differences {
            let _ = writeln!(
                text,
                "<tr>{}{}{}{}</tr>",
                cell(Some(&difference.id.to_string())),
                cell(Some(&difference.field)),
                cell(difference.expected.as_deref()),
                cell(difference.found.as_deref())
            );
        }
        text.push_str("</table>\n");
    }
    for cause in &finding.causes {
        let _ = writeln!(text, "<p>Probable cause: {}</p>", escape(cause));
    }
    if let Some(remedy) = &finding.remedy {
        let _ = writeln!(text, "<pre>{}</pre>", escape(remedy));
    }
    let _ = writeln!(
        text,
        "<div class=\"timeline\"></div>\n<pre>{}</pre>",
        escape(&finding.replay())
    );
    let _ = writeln!(
        text,
        "<details><summary>The operator's log</summary><pre>{}</pre></details>\n</section>",
        escape(&finding.log)
    );
}

/// Returns the data of a timeline: marks in rows, and the steps as columns.
fn timeline(finding: &Finding) -> Value {
    let marks: Vec<Value> = finding.entries.iter().filter_map(mark).collect();
    let end = finding
        .entries
        .last()
        .map_or(Duration::ZERO, |entry| entry.at);
    json!({ "seconds": end.as_secs_f32(), "marks": marks })
}

fn mark(entry: &JournalEntry) -> Option<Value> {
    let (row, kind, text) = match &entry.event {
        JournalEvent::Step(description) => (String::new(), "step", description.clone()),
        JournalEvent::Fault(description) => ("faults".to_owned(), "fault", description.clone()),
        JournalEvent::Operator(description) => ("operator".to_owned(), "life", description.clone()),
        JournalEvent::WatchEvent {
            resource,
            change,
            name,
        } => (resource.clone(), "watch", format!("{change} {name}")),
        JournalEvent::Request(request) => {
            let writes = request.call.is_work();
            let failed = !request.succeeded();
            let kind = match (writes, failed) {
                (true, true) => "failed",
                (true, false) => "write",
                // Writes of events and Leases would hide the others.
                (false, _) if request.call.verb.writes() => return None,
                (false, _) => "read",
            };
            let text = format!("{} {} {}", request.call, request.name(), request.status);
            (request.call.resource.to_string(), kind, text)
        }
    };
    Some(json!({ "at": entry.at.as_secs_f32(), "row": row, "kind": kind, "text": text }))
}
