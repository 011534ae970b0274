//! `rustop manifests --against`: a project whose types change is held against what git has of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::story::{replay, rustop, turn};
use crate::support::Ran;

const TYPES: &str = "api/src/v1alpha1/lolcow.rs";

/// The directory of all stories as a repository, of which the project is a part.
struct Repository(PathBuf);

impl Repository {
    fn of(dir: &Path) -> Self {
        let repository = Self(dir.parent().unwrap().to_owned());
        repository.remove();
        repository.git("init --quiet");
        repository.git(&format!(
            "add --all {}",
            dir.file_name().unwrap().to_str().unwrap()
        ));
        repository.git("commit --quiet -m first");
        repository
    }

    fn git(&self, line: &str) {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@b.c"]);
        let ran = git.args(line.split(' ')).current_dir(&self.0).output();
        let ran = ran.unwrap();
        assert!(ran.status.success(), "git {line}: {ran:?}");
    }

    fn remove(&self) {
        let _ = fs::remove_dir_all(self.0.join(".git"));
    }
}

impl Drop for Repository {
    fn drop(&mut self) {
        self.remove();
    }
}

fn edit(dir: &Path, from: &str, to: &str) {
    let file = dir.join(TYPES);
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains(from), "no `{from}` in {text}");
    fs::write(file, text.replacen(from, to, 1)).unwrap();
}

fn against(dir: &Path, what: &str, more: &[&str]) -> Ran {
    rustop(
        dir,
        &[&["manifests", "--check", "--against", what], more].concat(),
    )
}

#[test]
fn a_field_that_is_gone_is_an_error_at_its_type_until_it_is_allowed_there() {
    let _turn = turn("types");
    let dir = replay("types");
    edit(
        &dir,
        "pub struct LolcowSpec {",
        "pub struct LolcowSpec {\n    /// How loud.\n    #[schemars(range(max = 5))]\n    pub volume: Option<i32>,\n    /// How long.\n    pub length: Option<i32>,",
    );
    let ran = rustop(&dir, &["manifests"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let _repository = Repository::of(&dir);
    let ran = against(&dir, "HEAD", &[]);
    assert_eq!((ran.code, &*ran.stdout), (Some(0), ""), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("with 1 CRD of HEAD: nothing breaks"),
        "{}",
        ran.stderr
    );

    edit(
        &dir,
        "    /// How long.\n    pub length: Option<i32>,\n",
        "",
    );
    edit(&dir, "max = 5", "max = 3");
    let before = fs::read_to_string(dir.join("config/crd/bases/my.domain_lolcows.yaml")).unwrap();
    let ran = rustop(&dir, &["manifests", "--against", "HEAD"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    for said in [
        "error[field-gone]: Lolcow v1alpha1 .spec.length: the field was removed, which breaks stored objects",
        "error[limit-tightened]: Lolcow v1alpha1 .spec.volume: `maximum` changed from 5 to 3, which breaks clients",
        "| pub struct LolcowSpec {",
        "|     pub volume: Option<i32>,",
    ] {
        assert!(ran.stderr.contains(said), "{said}\n{}", ran.stderr);
    }
    let now = fs::read_to_string(dir.join("config/crd/bases/my.domain_lolcows.yaml")).unwrap();
    assert_eq!(now, before, "nothing is written");

    let ran = against(&dir, "HEAD", &["--output", "json"]);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let rules = report["diagnostics"].as_array().unwrap().iter();
    let rules: Vec<_> = rules
        .map(|it| {
            (
                it["rule"].as_str(),
                it["severity"].as_str(),
                it["path"].as_str(),
            )
        })
        .collect();
    let error = |rule| (Some(rule), Some("error"), Some(TYPES));
    assert_eq!(rules, [error("field-gone"), error("limit-tightened")]);
    let ran = against(&dir, "HEAD", &["--output", "sarif"]);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let results = report
        .pointer("/runs/0/results")
        .unwrap()
        .as_array()
        .unwrap();
    assert!(
        results.iter().any(|it| it["ruleId"] == "field-gone"),
        "{report:#}"
    );

    edit(
        &dir,
        "    /// How loud.\n",
        "    // rustop:allow(limit-tightened): nobody sings louder than 3\n    /// How loud.\n",
    );
    edit(
        &dir,
        "#[derive(CustomResource",
        "// rustop:allow(field-gone): was in no release\n#[derive(CustomResource",
    );
    let ran = rustop(&dir, &["manifests", "--deny-warnings", "--against", "HEAD"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    // A suppression that matches no change is not reported, since it may be about another baseline.
    let ran = rustop(&dir, &["manifests", "--deny-warnings", "--against", "."]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);

    for (what, said) in [
        ("v9", "`v9` is neither a file, a directory nor a git commit"),
        ("-x", "`-x` is neither a file, a directory nor a git commit"),
        ("Cargo.toml", "is not valid YAML"),
    ] {
        let ran = rustop(
            &dir,
            &["manifests", "--check", &format!("--against={what}")],
        );
        assert_eq!(ran.code, Some(1), "{}", ran.stderr);
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
    }
}
