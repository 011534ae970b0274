//! The image of a project. The tests have no container engine: they read the Dockerfile, and run
//! its steps on this machine, in a directory that represents the file system of the image.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use regex::{Captures, Regex};

use crate::story::{command, replay, turn};
use crate::support::run;

/// An instruction of a Dockerfile: its keyword and its arguments, with continued lines joined.
type Step = (String, String);

fn steps(dockerfile: &str) -> Vec<Step> {
    let lines = dockerfile.lines().filter(|line| !line.starts_with('#'));
    let joined = lines.collect::<Vec<_>>().join("\n").replace("\\\n", " ");
    let steps = joined.lines().filter_map(|line| line.split_once(' '));
    steps
        .map(|(word, rest)| (word.to_owned(), rest.trim().to_owned()))
        .collect()
}

/// The steps of the stage `name`, after those of the stages that it begins from.
fn stage(all: &[Step], name: &str) -> Vec<Step> {
    let end = format!(" AS {name}");
    let begins = |step: &Step| step.0 == "FROM" && step.1.ends_with(&end);
    let Some(at) = all.iter().position(begins) else {
        // It is an image.
        return Vec::new();
    };
    let from = all[at].1.trim_end_matches(&end).rsplit(' ').next().unwrap();
    let own = all[at + 1..].iter().take_while(|step| step.0 != "FROM");
    stage(all, from).into_iter().chain(own.cloned()).collect()
}

/// `$NAME` and `${NAME}` as a Dockerfile fills them in.
fn fill(text: &str, values: &BTreeMap<String, String>) -> String {
    let name = Regex::new(r"\$\{?([A-Z_]+)\}?").unwrap();
    let value = |found: &Captures<'_>| values.get(&found[1]).cloned().unwrap_or_default();
    name.replace_all(text, value).into_owned()
}

/// The directories of a build, in the place of those of the image.
struct Build {
    dir: PathBuf,
    places: Vec<(&'static str, PathBuf)>,
}

impl Build {
    /// Creates the build of a copy of the project, as `COPY . .` does.
    fn of(project: &Path, dir: PathBuf) -> Self {
        if dir.exists() {
            fs::remove_dir_all(&dir).unwrap();
        }
        fs::create_dir_all(dir.join("tmp")).unwrap();
        let copied = run(Command::new("cp")
            .arg("-r")
            .arg(project)
            .arg(dir.join("src")));
        assert_eq!(copied.code, Some(0), "{}", copied.stderr);
        let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from);
        let cargo = cargo.unwrap_or_else(|| std::env::home_dir().unwrap().join(".cargo"));
        let places = vec![
            ("/src", dir.join("src")),
            ("/usr/local/cargo", cargo),
            ("/manager", dir.join("manager")),
            ("/tmp/", dir.join("tmp/")),
        ];
        fs::create_dir_all(dir.join("src/target")).unwrap();
        Self { dir, places }
    }

    fn here(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (there, here) in &self.places {
            let path = Regex::new(&format!(r"(^|[ =])({there})")).unwrap();
            let here = format!("${{1}}{}", here.display());
            text = path.replace_all(&text, here.as_str()).into_owned();
        }
        text
    }

    /// Runs the steps of the image's build for an architecture, and returns the program.
    fn run(&self, architecture: &str) -> Vec<u8> {
        let all = steps(&fs::read_to_string(self.dir.join("src/Dockerfile")).unwrap());
        let all: Vec<Step> = all
            .into_iter()
            .map(|(word, rest)| (word, rest.replace("$TARGETARCH", architecture)))
            .collect();
        let pairs = Regex::new(r#"([A-Z0-9_]+)=("[^"]*"|\S+)"#).unwrap();
        let mut environment = BTreeMap::new();
        for (word, rest) in stage(&all, "build") {
            match word.as_str() {
                "ENV" => {
                    for pair in pairs.captures_iter(&rest) {
                        let value = fill(pair[2].trim_matches('"'), &environment);
                        environment.insert(pair[1].to_owned(), self.here(&value));
                    }
                }
                "RUN" if rest.contains("apt-get") => {
                    let name = fill("$CPU-linux-gnu-gcc", &environment);
                    let there = run(Command::new("which").arg(&name)).code == Some(0);
                    assert!(
                        there,
                        "{name} is missing: apt-get install {}",
                        environment["COMPILER"]
                    );
                }
                "RUN" => self.step(&rest, &environment),
                "WORKDIR" => assert_eq!(rest, "/src"),
                "COPY" => assert_eq!(rest, ". ."),
                other => panic!("{other} {rest}"),
            }
        }
        fs::read(self.dir.join("manager")).unwrap()
    }

    fn step(&self, step: &str, environment: &BTreeMap<String, String>) {
        let mounts = Regex::new(r"^(--mount=\S+\s+)*").unwrap();
        let line = self.here(&mounts.replace(step, ""));
        let mut shell = command(&self.dir.join("src"), "sh");
        shell.args(["-c", &line]);
        let own = [
            "CARGO_TARGET_DIR",
            "CARGO_BUILD_BUILD_DIR",
            "CARGO_INCREMENTAL",
        ];
        for name in own {
            shell.env_remove(name);
        }
        shell.envs(environment);
        let ran = run(&mut shell);
        assert_eq!(ran.code, Some(0), "{line}\n{}", ran.stderr);
    }
}

#[test]
fn it_is_restricted_and_nothing_is_emulated() {
    let _turn = turn("lolcow");
    let all = steps(&fs::read_to_string(replay("lolcow").join("Dockerfile")).unwrap());
    let froms: Vec<_> = all.iter().filter(|step| step.0 == "FROM").collect();
    let (last, builds) = froms.split_last().unwrap();
    for from in builds {
        let is_on_builder = from.1.starts_with("--platform=$BUILDPLATFORM ");
        assert!(
            is_on_builder || from.1.starts_with("build-$TARGETARCH "),
            "{}",
            from.1
        );
    }
    assert_eq!(last.1, "gcr.io/distroless/static-debian13:nonroot");
    assert!(all.contains(&("USER".into(), "65532:65532".into())));
    let caches = all
        .iter()
        .filter(|step| step.1.contains("--mount=type=cache"));
    assert_eq!(caches.count(), 1, "one step compiles");
}

/// In two places, for both architectures; what the image has runs alone, and is small.
#[test]
#[ignore = "builds the operator for release four times: .ci/nightly"]
fn two_builds_give_the_same_program_for_each_architecture() {
    let _turn = turn("lolcow");
    let project = replay("lolcow");
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("image");
    for architecture in ["amd64", "arm64"] {
        let builds = ["one", "another/deeper"].map(|place| Build::of(&project, home.join(place)));
        let [one, another] = builds.each_ref().map(|build| build.run(architecture));
        assert!(one == another, "{architecture}: two builds differ");
        eprintln!("{architecture}: {} bytes", one.len());
        // The rest of the image has about 2 MB of certificates and time zones.
        assert!(one.len() < 20 << 20, "{} bytes", one.len());
        let ran = run(Command::new("readelf")
            .args(["--program-headers"])
            .arg(builds[0].dir.join("manager")));
        assert!(
            !ran.stdout.contains("INTERP"),
            "{architecture}: it loads libraries"
        );
        again(&builds[0], architecture);
    }
}

/// An edit of the controller shows in the next build, which compiles nothing else; taken back, so
/// does that.
fn again(build: &Build, architecture: &str) {
    let before = fs::read(build.dir.join("manager")).unwrap();
    let controller = build.dir.join("src/src/controllers/lolcow.rs");
    let source = fs::read_to_string(&controller).unwrap();
    assert!(source.contains("\"Reconciled\""));
    fs::write(&controller, source.replace("\"Reconciled\"", "\"Rebuilt\"")).unwrap();
    // As the copy of an old checkout.
    let old = std::time::SystemTime::UNIX_EPOCH;
    let file = fs::File::options().write(true).open(&controller).unwrap();
    file.set_modified(old).unwrap();
    let start = Instant::now();
    let edited = build.run(architecture);
    eprintln!("{architecture}: {:?} after an edit", start.elapsed());
    assert!(edited.windows(7).any(|part| part == b"Rebuilt"));
    fs::write(&controller, source).unwrap();
    assert!(
        build.run(architecture) == before,
        "{architecture}: not as before the edit"
    );
}
