//! Files without an end that a clone may contain: devices, named pipes, large
//! files. They are refused at once, by name. What is in the others reaches the terminal escaped.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::dsl::{Place, rustop};

const WITHIN: Duration = Duration::from_secs(30);
const CRD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: cows.b.org}
spec:
  group: b.org
  scope: Namespaced
  names: {kind: Cow, plural: cows}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
";

/// A function that creates an unreadable file, and a part of the expected message.
type Special = (Box<dyn Fn()>, &'static str);

fn special(path: &Path) -> [Special; 3] {
    let paths = [path.to_owned(), path.to_owned(), path.to_owned()];
    let [device, pipe, large] = paths;
    let made = Box::new(move || symlink("/dev/zero", &device).unwrap());
    let piped = Box::new(move || {
        let status = Command::new("mkfifo").arg(&pipe).status();
        assert!(status.unwrap().success());
    });
    let grown = Box::new(move || File::create(&large).unwrap().set_len(17 << 20).unwrap());
    [
        (made, "it is a device, not a regular file"),
        (piped, "it is a named pipe, not a regular file"),
        (grown, "it has 17825792 bytes, and at most 16 MiB are read"),
    ]
}

/// Runs a line that must fail soon; what it says.
fn fails(dir: &Path, line: &str) -> String {
    fails_with(dir, line, &[])
}

/// Runs a line with environment variables that must fail soon; what it says.
fn fails_with(dir: &Path, line: &str, variables: &[(&str, &str)]) -> String {
    let mut command = rustop(dir);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let log = tempfile::NamedTempFile::new().unwrap();
    command
        .args(line.split(' '))
        .env("PATH", path)
        .env("HOME", dir)
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log.reopen().unwrap());
    let mut child = command.spawn().unwrap();
    let begin = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begin.elapsed() > WITHIN {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{line} does not end");
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let said = fs::read_to_string(log.path()).unwrap();
    assert!(!status.success(), "{line}: {said}");
    said
}

#[test]
fn files_without_an_end_are_refused_at_once_by_name() {
    for (line, file) in [
        ("create api --kind Cow", "PROJECT"),
        ("create api --from-crd crd.yaml", "crd.yaml"),
        ("create api --kind Cow", "api/src/lib.rs"),
        ("import ../go ../new", "../go/PROJECT"),
        (
            "torture --crds ../go/config/crd --samples ../go/s -- ./op",
            "../go/config/crd/bases/crd.yaml",
        ),
        (
            "torture --crds ../go/config/crd --samples ../go/s -- ./op",
            "../go/s/cow.yaml",
        ),
        (
            "manifests --against ../go/config/crd/bases",
            "../go/config/crd/bases/crd.yaml",
        ),
        // Without a CRD, the directory may be a project without kinds.
        ("manifests --against ../empty", "../empty/PROJECT"),
    ] {
        for n in 0..3 {
            let place = Place::project();
            let dir = place.dir();
            for (path, text) in [
                ("op", ""),
                ("../empty/README.md", ""),
                ("../go/config/crd/bases/crd.yaml", CRD),
                (
                    "../go/s/cow.yaml",
                    "apiVersion: b.org/v1\nkind: Cow\nmetadata: {name: a}\n",
                ),
            ] {
                place.write(path, text);
            }
            let path = dir.join(file);
            let _ = fs::remove_file(&path);
            let (make, says) = &special(&path)[n];
            make();
            let said = fails(dir, line);
            let name = Path::new(file).file_name().unwrap().to_str().unwrap();
            assert!(said.contains(name), "{line}, {file}: {said}");
            assert!(said.contains(says), "{line}, {file}: {said}");
            assert!(said.contains("help: "), "{line}, {file}: {said}");
        }
    }
}

#[test]
fn a_kubeconfig_without_an_end_is_refused_at_once_by_name() {
    for (file, line, variable) in [
        ("kc", "migrate --kubeconfig kc", ""),
        ("kc", "migrate", "kc"),
        ("kc", "migrate", ":first:kc"),
        (".kube/config", "migrate", ""),
        (".kube/config", "migrate", ":"),
    ] {
        for n in 0..3 {
            let place = Place::project();
            place.write("first", "apiVersion: v1\nkind: Config\n");
            place.write(".kube/cache/none", "");
            let (make, says) = &special(&place.path(file))[n];
            make();
            let said = fails_with(place.dir(), line, &[("KUBECONFIG", variable)]);
            let named = format!("{file}`\n  caused by: {says}");
            assert!(
                said.contains(&named),
                "{line}, KUBECONFIG={variable}: {said}"
            );
        }
    }
}

#[test]
fn no_escape_sequence_of_a_file_reaches_the_terminal() {
    let place = Place::project();
    let hostile = "\\e]0;title\\a\\e[2J";
    let crd = CRD.replace("cows.b.org", &format!("\"{hostile}\""));
    place.write("crd.yaml", crd);
    place.write("\u{1b}[31m.yaml", "");
    let project = place.read("PROJECT");
    place.write(
        "sub/PROJECT",
        project.replace("cliVersion: ", &format!("cliVersion: \"{hostile}\" # ")),
    );
    for (dir, line) in [
        (place.dir().to_owned(), "create api --from-crd crd.yaml"),
        (
            place.dir().to_owned(),
            "create api --from-crd \u{1b}[31m.yaml",
        ),
        (place.path("sub"), "create api --kind Cow"),
    ] {
        let said = fails(&dir, &format!("{line} --color always"));
        let own = [
            "\u{1b}[1m",
            "\u{1b}[0m",
            "\u{1b}[31m",
            "\u{1b}[32m",
            "\u{1b}[33m",
            "\u{1b}[36m",
        ];
        let rest = own
            .iter()
            .fold(said.clone(), |rest, color| rest.replace(color, ""));
        assert!(said.contains("\\u{1b}"), "{said:?}");
        assert!(
            !rest.contains('\u{1b}') && !rest.contains('\u{7}'),
            "{said:?}"
        );
    }
}
