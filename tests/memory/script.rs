//! A script of requests, and what a server answers to it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use rustop_manager::testing::Cluster;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::support::until;

#[path = "answers.rs"]
mod answers;

/// The time limit for background work of the API server.
const SOON: Duration = Duration::from_secs(60);

/// One request, and what of its answer is compared.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Method and path. `$name` stands for what an earlier step kept.
    #[serde(rename = "do")]
    pub request: String,
    /// The field manager of the request.
    #[serde(default)]
    by: Option<String>,
    /// The type of a patch: `apply`, `merge`, `json` or `strategic`.
    #[serde(default)]
    patch: Option<String>,
    /// The representation of what is read: `PartialObjectMetadata` or `PartialObjectMetadataList`.
    #[serde(default, rename = "as")]
    representation: Option<String>,
    #[serde(default)]
    body: Option<Value>,
    /// The parts of the response to remember, by the name of the variable.
    #[serde(default)]
    keep: BTreeMap<String, String>,
    /// Only these places of the answer are compared.
    #[serde(default)]
    look: Vec<String>,
    /// Asks again until it is answered with this code.
    #[serde(default)]
    until: Option<u16>,
}

/// The server that receives requests: a method, a path with its query, the media type of the body
/// (of the answer, if the method is GET), and a body.
pub type Server<'a> = dyn Fn(&str, &str, &str, Option<&Value>) -> (u16, Value) + 'a;

/// The steps of `script.yaml`.
pub fn script() -> Vec<Step> {
    serde_yaml::from_str(include_str!("script.yaml")).unwrap()
}

/// The answers of an in-memory API server with this seed.
pub fn in_memory(script: &[Step], seed: u64) -> Vec<Value> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().build().unwrap();
    let client = {
        let _inside = runtime.enter();
        Cluster::seeded(seed).client()
    };
    run(script, &|method, path, kind, body| {
        let header = if method == "GET" {
            "accept"
        } else {
            "content-type"
        };
        let request = http::Request::builder()
            .method(method)
            .uri(path)
            .header(header, kind)
            .body(
                body.map(Value::to_string)
                    .unwrap_or_default()
                    .into_bytes()
                    .into(),
            )
            .unwrap();
        runtime.block_on(async {
            let response = client.send(request).await.unwrap();
            let code = response.status().as_u16();
            let body = http_body_util::BodyExt::collect(response.into_body());
            let text = body.await.unwrap().to_bytes();
            let text = String::from_utf8(text.to_vec()).unwrap();
            (
                code,
                serde_json::from_str(&text).unwrap_or(Value::String(text)),
            )
        })
    })
}

/// The answers to all steps, without what is generated.
pub fn run(script: &[Step], server: &Server<'_>) -> Vec<Value> {
    let mut kept = BTreeMap::new();
    script
        .iter()
        .map(|step| step.run(server, &mut kept))
        .collect()
}

impl Step {
    fn run(&self, server: &Server<'_>, kept: &mut BTreeMap<String, String>) -> Value {
        let (method, path) = self.request.split_once(' ').unwrap();
        let mut path = filled(path, kept);
        let writes = method != "GET" && method != "DELETE";
        if writes {
            let joint = if path.contains('?') { '&' } else { '?' };
            let by = self.by.as_deref().unwrap_or("script");
            write!(path, "{joint}fieldManager={by}").unwrap();
        }
        let body = self.body.as_ref().map(|body| {
            let text = filled(&body.to_string(), kept);
            serde_json::from_str(&text).unwrap()
        });
        let representation = self.representation.as_deref();
        let representation =
            representation.map(|it| format!("application/json;as={it};g=meta.k8s.io;v=v1"));
        let kind = match self.patch.as_deref() {
            None => representation.as_deref().unwrap_or("application/json"),
            Some("apply") => "application/apply-patch+yaml",
            Some("merge") => "application/merge-patch+json",
            Some("json") => "application/json-patch+json",
            Some("strategic") => "application/strategic-merge-patch+json",
            Some(other) => panic!("{other} is no format of a patch"),
        };
        let ask = || server(method, &path, kind, body.as_ref());
        let mut last = ask();
        if let Some(code) = self.until {
            until(&format!("{} {code}", self.request), SOON, || {
                last = ask();
                last.0 == code
            });
        }
        let (code, answer) = last;
        let answer = if path.contains("watch=true") {
            events(answer)
        } else {
            answer
        };
        for (name, place) in &self.keep {
            let value = answer
                .pointer(place)
                .unwrap_or_else(|| panic!("{}: no {place} in {answer}", self.request));
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            kept.insert(name.clone(), text);
        }
        let mut told = Map::from_iter([("code".to_owned(), code.into())]);
        if self.look.is_empty() {
            told.insert("answer".to_owned(), answer);
        } else {
            let place = |place: &String| {
                (
                    place.clone(),
                    answer.pointer(place).cloned().unwrap_or_default(),
                )
            };
            told.extend(self.look.iter().map(place));
        }
        answers::without_what_is_generated(told.into(), kept)
    }
}

fn filled(text: &str, kept: &BTreeMap<String, String>) -> String {
    let mut text = text.to_owned();
    for (name, value) in kept.iter().rev() {
        text = text.replace(&format!("${name}"), value);
    }
    text
}

/// Returns the events of a watch, one per line, without bookmarks, whose times vary.
fn events(answer: Value) -> Value {
    let Value::String(text) = answer else {
        return Value::Array(vec![answer]);
    };
    let lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|event| event["type"] != "BOOKMARK").collect()
}
