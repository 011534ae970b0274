//! Compares the API server's responses to the table of schemas with the results that the unit test
//! of `rustop`'s own check expects, and with the schemas as they are stored.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use serde_json::Value;

use crate::support::{Sandbox, crds};

#[path = "../../src/crd/testdata/schemas.rs"]
mod table;

#[test]
fn the_api_server_takes_and_refuses_what_the_table_says_and_keeps_what_it_takes() {
    let sandbox = Sandbox::new();
    sandbox.ok("cluster start --no-controllers");
    let table = table::table();
    let crds: Vec<_> = table
        .iter()
        .enumerate()
        .map(|(n, case)| table::crd(n, case).to_string())
        .collect();
    let file = sandbox.path().join("crds.yaml");
    fs::write(&file, crds.join("\n---\n")).unwrap();
    let line = format!(
        "create --dry-run=server --validate=strict -o name -f {}",
        file.display()
    );
    let ran = sandbox.kubectl("default", &line);
    let taken: BTreeSet<_> = ran
        .stdout
        .lines()
        .filter_map(|line| line.split('/').nth(1))
        .collect();
    let mut wrong = String::new();
    for (n, case) in table.iter().enumerate() {
        let crd = table::crd(n, case);
        let name = crds::name(&crd);
        let is_taken = taken.contains(name);
        if is_taken == is_refused(case) {
            let said: Vec<_> = ran
                .stderr
                .lines()
                .filter(|line| line.contains(name))
                .collect();
            writeln!(
                wrong,
                "{}: {} {said:?}",
                case["name"],
                if is_taken { "taken" } else { "refused" }
            )
            .unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");

    // A schema that is accepted but stored with losses would be worse than a rejected one.
    let written: Vec<_> = table
        .iter()
        .enumerate()
        .filter(|(_, case)| case.get("refused").is_none())
        .map(|(n, case)| table::crd(n, case))
        .collect();
    let texts: Vec<_> = written.iter().map(Value::to_string).collect();
    fs::write(&file, texts.join("\n---\n")).unwrap();
    let line = format!("apply --server-side -f {}", file.display());
    let ran = sandbox.kubectl("default", &line);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let read = sandbox.kubectl("default", "get crd -o json").stdout;
    let read: Value = serde_json::from_str(&read).unwrap();
    let read = read["items"].as_array().unwrap();
    for crd in &written {
        let back = read.iter().find(|back| crds::name(back) == crds::name(crd));
        crds::assert_came_back(crd, back.unwrap());
    }
}

/// Returns true if the API server refuses a case.
fn is_refused(case: &Value) -> bool {
    case.get("refused").is_some()
}
