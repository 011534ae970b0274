//! Tests rustop's findings for a table of schemas. `tests/cluster/schemas.rs` checks the table
//! against a real API server.

use serde_json::json;

use super::super::read;
use crate::project::naming::Naming;
use crate::project::{KubernetesVersion, Project};

#[path = "../testdata/schemas.rs"]
mod schemas;

#[test]
fn the_verdict_on_every_schema_of_the_table_is_the_one_given() {
    let mut wrong = Vec::new();
    let project = Project::new("my.domain".parse().unwrap(), "cow".parse().unwrap());
    for (number, case) in schemas::table().iter().enumerate() {
        let crds = read(
            &json!([schemas::crd(number, case)]).to_string(),
            &std::collections::BTreeSet::new(),
            &Naming::default_for(&project),
        )
        .unwrap();
        let mut crd = crds.into_iter().next().unwrap();
        // The tables contain the results of this release.
        crd.kubernetes = KubernetesVersion::V1_37;
        let found: Vec<_> = crd
            .findings()
            .into_iter()
            .filter(|found| found.lint.is_none())
            .map(|found| found.message)
            .collect();
        let expected = case["refused"].as_str();
        let right = match expected {
            None => found.is_empty(),
            Some(part) => found.iter().any(|message| message.contains(part)),
        };
        if !right {
            wrong.push(format!(
                "{}: expected {expected:?}, found {found:#?}",
                case["name"]
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
