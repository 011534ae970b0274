//! The project of imported kinds proves by itself that its CRDs are those that came in, and notices where they are not.

use std::fs;

use crate::build::cargo;
use crate::story::{alone, command, replay};
use crate::support::{Ran, run};

#[test]
fn the_types_say_what_the_crds_say_and_lose_nothing() {
    let _alone = alone();
    let dir = replay("imported");
    let tested = || -> Ran {
        run(command(&dir, "cargo").args(["test", "-p", "herd-operator-api", "--test", "imported"]))
    };
    let ran = tested();
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("6 passed"), "{}", ran.stdout);

    cargo(
        &dir,
        "clippy --locked --quiet -p herd-operator-api --all-targets -- -D warnings",
    );

    let file = dir.join("api/src/farm/v1/herd.rs");
    let text = fs::read_to_string(&file).unwrap();
    let edited = text.replace("range(min = 0, max = 5000)", "range(min = 0, max = 4000)");
    let edited = edited.replace(
        "    pub secret: Option<String>,",
        "    #[serde(skip)]\n    pub secret: Option<String>,",
    );
    assert_ne!(text, edited);
    fs::write(&file, edited).unwrap();
    let ran = tested();
    fs::write(&file, text).unwrap();
    assert_eq!(ran.code, Some(101), "{}{}", ran.stdout, ran.stderr);
    for line in [
        "size.maximum: imported 5000, here 4000",
        "properties.secret: imported {",
        "is lost",
    ] {
        assert!(ran.stdout.contains(line), "{line}\n{}", ran.stdout);
    }
}
