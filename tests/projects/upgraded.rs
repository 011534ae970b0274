//! A project of an earlier release comes up to date with one command, is built and runs.

use std::fs;
use std::path::Path;

use flate2::read::GzDecoder;

use crate::story::{alone, command, keeping_times, replayed, rustop};
use crate::support::{Sandbox, run};

/// What rustop 0.1.0 made of the story lolcow, with the edits of the operator lolcow of then, a dependency and a target
/// of make. Of the manager two files are enough: they go.
const PROJECT: &[u8] = include_bytes!("upgraded/lolcow-0.1.0.tar.gz");

#[test]
fn an_operator_of_the_first_release_comes_up_to_date_and_its_sample_is_ready() {
    let _alone = alone();
    let dir = replayed("lolcow-0.1.0");
    keeping_times(&dir, || {
        let _ = fs::remove_dir_all(&dir);
        let above = dir.parent().unwrap();
        tar::Archive::new(GzDecoder::new(PROJECT))
            .unpack(above)
            .unwrap();
        let ran = rustop(&dir, &["create", "api", "--kind", "Cow"]);
        assert_eq!(ran.code, Some(1), "{}", ran.stderr);
        let said = "the project is of rustop 0.1.0, and this is rustop";
        assert!(
            ran.stderr.contains(said) && ran.stderr.contains("rustop upgrade"),
            "{}",
            ran.stderr
        );
        let ran = rustop(&dir, &["upgrade", "--check"]);
        assert_eq!(ran.code, Some(1), "{}", ran.stderr);
        assert!(
            dir.join("manager/Cargo.toml").exists(),
            "nothing is written"
        );
        let ran = rustop(&dir, &["upgrade"]);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        // What the notes leave to the user.
        assert!(
            ran.stderr
                .contains("write `ctx.get::<Service>(name).ok()??`"),
            "{}",
            ran.stderr
        );
        let controller = dir.join("src/controllers/lolcow.rs");
        let text = fs::read_to_string(&controller).unwrap();
        fs::write(&controller, text.replace(">(name)?;", ">(name).ok()??;")).unwrap();
    });
    holds(&dir, "Makefile", "greet: ## Ours");
    holds(
        &dir,
        "Cargo.toml",
        "# To write greetings down.\nserde_json.workspace = true",
    );
    holds(&dir, "Cargo.toml", "rustop-manager.workspace = true");
    holds(&dir, "src/controllers/lolcow.rs", "fn tell_what_changes");
    assert!(!dir.join("manager/Cargo.toml").exists());
    let ran = rustop(&dir, &["upgrade", "--check"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);

    let sandbox = Sandbox::new();
    let ran = run(command(&dir, "rustop")
        .args(["dev", "--once", "--timeout", "300s"])
        .env("RUSTOP_STATE", sandbox.state()));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stderr.contains("Ready=True"), "{}", ran.stderr);
}

fn holds(dir: &Path, file: &str, part: &str) {
    let text = fs::read_to_string(dir.join(file)).unwrap();
    assert!(text.contains(part), "{file} has no `{part}`:\n{text}");
}
