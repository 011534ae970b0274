//! Probable causes of a finding: the requests that failed and the errors that the operator logged
//! in the same step.

use anstream::adapter::strip_str;

use crate::torture::api::call::Verb;
use crate::torture::env::process::without_backtraces;
use crate::torture::journal::{self, RecordedRequest};
use crate::torture::run::result::RunResult;

/// The number of failed requests, and of lines of the log, that a finding names at most.
const MOST: usize = 2;

/// The length in characters at which a cause is cut.
const LONGEST: usize = 300;

/// Returns the probable causes of what a run shows in the step with this index, each as a text: at
/// most two failed requests and two lines of the log. Returns none if no request failed and the
/// operator logged no error.
pub fn probable_causes(run_result: &RunResult, step: usize) -> Vec<String> {
    let mut causes = Vec::new();
    let requests = journal::requests(&run_result.entries)
        .filter(|(at, request)| *at == step && is_failure(request))
        .map(|(_, request)| {
            let message = request.answer["message"].as_str().unwrap_or_default();
            // A request that creates an object has no name in its path.
            let name = match request.call.name {
                Some(_) => String::new(),
                None => request.name(),
            };
            let call = format!("{} {name}", request.call);
            let cause = format!(
                "the API server answered `{}` with {}: {message}",
                call.trim_end(),
                request.status
            );
            cause.replace(&run_result.namespace, "NAMESPACE")
        });
    add_distinct(&mut causes, requests);
    let lines = without_backtraces(run_result.log_of(step)).into_iter();
    let lines = lines
        .map(|line| strip_str(line).to_string())
        .filter(|line| line.to_lowercase().contains("error"))
        .map(|line| format!("the operator logged: {line}"));
    let mut logged = Vec::new();
    add_distinct(&mut logged, lines);
    causes.extend(logged);
    causes
}

/// Reports whether the API server failed a request for a reason that the operator does not expect:
/// objects that are missing or have changed are part of each operator's work.
fn is_failure(request: &RecordedRequest) -> bool {
    const EXPECTED: [u16; 4] = [404, 409, 410, 429];
    let is_expected = EXPECTED.contains(&request.status) && request.call.verb != Verb::List;
    request.status >= 400 && !request.injected && !is_expected
}

/// Adds the first [`MOST`] texts that differ in more than numbers.
fn add_distinct(causes: &mut Vec<String>, texts: impl Iterator<Item = String>) {
    let shape = |text: &str| -> String { text.chars().filter(|c| !c.is_ascii_digit()).collect() };
    for text in texts {
        let is_known = causes.iter().any(|known| shape(known) == shape(&text));
        if causes.len() < MOST && !is_known {
            causes.push(match text.char_indices().nth(LONGEST) {
                Some((end, _)) => format!("{}…", &text[..end]),
                None => text,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::torture::api::call::ApiCall;
    use crate::torture::journal::{JournalEntry, JournalEvent};

    fn failed(step: usize, method: &str, status: u16, injected: bool) -> JournalEntry {
        let path = "/apis/events.k8s.io/v1/namespaces/torture-1/events/moo";
        let request = RecordedRequest {
            status,
            injected,
            answer: json!({"message": "not in torture-1"}),
            ..RecordedRequest::new(ApiCall::parse(method, path).unwrap(), json!({}))
        };
        JournalEntry {
            at: Duration::ZERO,
            step,
            event: JournalEvent::Request(Box::new(request)),
        }
    }

    #[test]
    fn the_failures_of_the_step_are_its_causes() {
        let log = "starts\nERROR in step 0\nfine\n\u{1b}[31mERROR\u{1b}[0m try 1: forbidden\nERROR try 2: forbidden\n";
        let run_result = RunResult {
            namespace: "torture-1".into(),
            entries: vec![
                failed(0, "PATCH", 403, false),
                failed(1, "GET", 404, false),
                failed(1, "PATCH", 409, false),
                failed(1, "PATCH", 500, true),
                failed(1, "PATCH", 403, false),
                failed(1, "PATCH", 403, false),
            ],
            log: log.into(),
            log_marks: vec![0, log.find("fine").unwrap()],
            ..RunResult::of_states(Vec::new())
        };
        assert_eq!(
            probable_causes(&run_result, 1),
            [
                "the API server answered `patch events.events.k8s.io moo` with 403: not in NAMESPACE",
                "the operator logged: ERROR try 1: forbidden",
            ]
        );
        assert_eq!(probable_causes(&run_result, 0).len(), 2);
        assert_eq!(
            probable_causes(&run_result, 2).len(),
            0,
            "a step without entries"
        );
    }
}
