//! Tests against the output of Go's writer, and of reading each scalar back.

use serde_json::{Value, json};

use super::write;

#[test]
fn writes_yaml_like_go() {
    let value: Value = serde_json::from_str(include_str!("testdata/yaml.json")).unwrap();
    let ours = write(&value);
    let theirs = include_str!("testdata/yaml.yaml");
    let different: Vec<_> = ours
        .lines()
        .zip(theirs.lines())
        .filter(|(a, b)| a != b)
        .take(20)
        .collect();
    assert!(different.is_empty(), "ours, theirs: {different:#?}");
    assert!(ours == theirs, "one is longer");
}

/// Strings that Go's writer leaves plain, and that other parsers read as another type.
#[test]
fn quotes_strings_that_other_parsers_read_as_another_type() {
    for s in [
        "=",
        "<<",
        "2001-12-14T21:59:43",
        "2001-02-30",
        "1e999",
        "0xfffffffffffffffffffff",
        "0o17",
        "-_1",
        "yEs",
        "nULL",
    ] {
        assert_eq!(write(&json!({ "a": s })), format!("a: \"{s}\"\n"));
        assert_eq!(write(&json!({ s: 1 })), format!("\"{s}\": 1\n"));
    }
}

#[test]
fn whole_floats_are_integers() {
    for (number, expected) in [
        (json!(30000.0), "30000"),
        (json!(1_000_000.0), "1000000"),
        (json!(-0.0), "0"),
        (json!(2_147_483_647.0), "2147483647"),
        (json!(0.5), "0.5"),
        (json!(1e300), "1e+300"),
        (json!(u64::MAX), "18446744073709551615"),
    ] {
        assert_eq!(write(&json!({ "a": number })), format!("a: {expected}\n"));
    }
}

/// rustop's own parser reads every scalar, key and structure back unchanged.
#[test]
fn written_yaml_reads_back() {
    let value: Value = serde_json::from_str(include_str!("testdata/yaml.json")).unwrap();
    for list in ["values", "objects", "awkwardKeys"] {
        for item in value[list].as_array().unwrap() {
            let text = write(&json!({ "a": item }));
            let read: Value = serde_yaml::from_str(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(read["a"], *item, "{text}");
        }
    }
}

#[test]
fn odd_keys_do_not_panic() {
    let keys = [
        "9",
        "10",
        "1a",
        "a10",
        "a9",
        "a1a",
        "é",
        "-",
        "_",
        "0",
        "00",
        "99999999999999999999999",
    ];
    let map = keys
        .iter()
        .map(|key| ((*key).to_owned(), json!(1)))
        .collect();
    let text = write(&Value::Object(map));
    assert_eq!(text.lines().count(), keys.len());
}
