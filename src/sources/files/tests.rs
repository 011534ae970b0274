//! Tests of which files are read, and of the diagnostics about unreadable ones.

use std::fs;

use super::*;

const MARKER: &str = "// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get\n";

struct Project(tempfile::TempDir);

impl Project {
    fn new(files: &[&str]) -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        for file in files {
            project.write(file, MARKER.as_bytes());
        }
        project
    }

    fn write(&self, file: &str, content: &[u8]) {
        let path = self.0.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Returns the files with markers below `src`, and the diagnostics.
    fn scan(&self) -> (Vec<String>, Vec<String>) {
        self.scan_at(&["src"])
    }

    fn scan_at(&self, places: &[&str]) -> (Vec<String>, Vec<String>) {
        let places: Vec<_> = places.iter().map(PathBuf::from).collect();
        let scan = read(self.0.path(), &places).scan;
        let files = scan
            .markers
            .iter()
            .map(|marker| marker.line.path.display().to_string());
        let lines = scan
            .diagnostics
            .iter()
            .map(|diagnostic| format!("{}: {}", diagnostic.path.display(), diagnostic.message));
        (files.collect(), lines.collect())
    }
}

#[test]
fn reads_each_requested_file_once_in_order() {
    let project = Project::new(&[
        "src/main.rs",
        "src/bin/tool.rs",
        "src/controllers/lolcow.rs",
        "src/target/mod.rs",
        "src/tests/mod.rs",
        "api/src/lib.rs",
        "build.rs",
        // Skipped.
        "tests/lolcow.rs",
        "xtask/src/main.rs",
        "src/.#main.rs",
    ]);
    let expected = [
        "api/src/lib.rs",
        "build.rs",
        "src/bin/tool.rs",
        "src/controllers/lolcow.rs",
        "src/main.rs",
        "src/target/mod.rs",
        "src/tests/mod.rs",
    ];
    for _ in 0..5 {
        let (files, diagnostics) = project.scan_at(&["src", "src/bin", "build.rs", "api/src"]);
        assert_eq!(diagnostics, [] as [&str; 0]);
        assert_eq!(files, expected);
    }
}

#[test]
fn sources_next_to_a_manifest_exclude_other_packages() {
    let project = Project::new(&[
        "main.rs",
        "controllers/lolcow.rs",
        // Skipped.
        "Cargo.toml",
        "README.md",
        "api/Cargo.toml",
        "api/src/lib.rs",
        "tests/lolcow.rs",
        "benches/speed.rs",
        "examples/moo.rs",
        "target/debug/build/out.rs",
        ".git/x.rs",
        "elsewhere/target/CACHEDIR.TAG",
        "elsewhere/target/x.rs",
    ]);
    let (files, diagnostics) = project.scan_at(&[""]);
    assert_eq!(diagnostics, [] as [&str; 0]);
    assert_eq!(files, ["controllers/lolcow.rs", "main.rs"]);
}

#[test]
fn a_hidden_project_directory_is_read() {
    let project = Project::new(&[".hidden/src/main.rs"]);
    let root = project.0.path().join(".hidden");
    assert_eq!(read(&root, &["src".into()]).scan.markers.len(), 1);
}

#[test]
fn says_which_file_cannot_be_read_and_why() {
    let project = Project::new(&["src/good.rs"]);
    project.write("src/latin.rs", b"fn f() {}\n// caf\xe9\n");
    project.write("src/empty.rs", b"");
    let large = fs::File::create(project.0.path().join("src/large.rs")).unwrap();
    large.set_len(100 << 20).unwrap();
    let (files, diagnostics) = project.scan();
    assert_eq!(files, ["src/good.rs"]);
    assert_eq!(
        diagnostics,
        [
            "src/large.rs: the file is larger than 32 MiB, too large for a source",
            "src/latin.rs: the file is not UTF-8 (line 2)",
        ]
    );
}

#[test]
fn a_missing_project_is_an_error() {
    let scan = read(Path::new("/no/such/project"), &["src".into()]).scan;
    assert_eq!(scan.diagnostics[0].path, Path::new("src"));
}

#[cfg(unix)]
#[test]
fn links_lead_to_files_and_into_no_loop() {
    use std::os::unix::fs::symlink;

    let project = Project::new(&["src/real.rs"]);
    let root = project.0.path();
    symlink("real.rs", root.join("src/link.rs")).unwrap();
    symlink("..", root.join("src/up")).unwrap();
    symlink("/", root.join("src/everything")).unwrap();
    symlink("..", root.join("src/directory.rs")).unwrap();
    symlink("loop_b.rs", root.join("src/loop_a.rs")).unwrap();
    symlink("loop_a.rs", root.join("src/loop_b.rs")).unwrap();
    symlink("nowhere.rs", root.join("src/dangling.rs")).unwrap();
    let (files, diagnostics) = project.scan();
    assert_eq!(files, ["src/link.rs", "src/real.rs"]);
    assert_eq!(diagnostics.len(), 2, "{diagnostics:#?}");
    assert!(diagnostics[0].starts_with("src/loop_a.rs: this cannot be read: "));
    assert!(diagnostics[1].starts_with("src/loop_b.rs: this cannot be read: "));
}

/// Some files cannot be read even by root; files without read permission, by anyone else.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_cannot_be_read_is_named_and_no_pipe_is_waited_for() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let project = Project::new(&["src/good.rs", "src/secret.rs"]);
    let root = project.0.path();
    symlink("/proc/self/mem", root.join("src/memory.rs")).unwrap();
    let pipe = root.join("src/pipe.rs");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let secret = root.join("src/secret.rs");
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o000)).unwrap();
    let (files, diagnostics) = project.scan();
    assert!(diagnostics[0].starts_with("src/memory.rs: this cannot be read: "));
    assert_eq!(diagnostics[1], "src/pipe.rs: this is not a regular file");
    if rustix::process::geteuid().is_root() {
        assert_eq!(files, ["src/good.rs", "src/secret.rs"]);
    } else {
        assert_eq!(files, ["src/good.rs"]);
        assert!(diagnostics[2].starts_with("src/secret.rs: this cannot be read: "));
    }
}

#[test]
fn in_a_crate_only_code_with_the_manager_has_another_clock() {
    let project = Project::new(&[]);
    let code = "fn now() -> SystemTime { std::time::SystemTime::now() }\n";
    project.write("src/controllers/plain.rs", code.as_bytes());
    let managed = format!("use rustop_manager::prelude::*;\n{code}");
    project.write("src/controllers/managed.rs", managed.as_bytes());
    let sources = read_crates(
        project.0.path(),
        &[Crate {
            name: "cows".to_owned(),
            dir: "src".into(),
        }],
    );
    let found = sources.scan.hidden_inputs.iter();
    let files: Vec<_> = found
        .map(|found| found.place.line.path.display().to_string())
        .collect();
    assert_eq!(files, ["src/controllers/managed.rs"]);
}

/// A macro may be defined in another package than the types, or in a file that imports nothing.
#[test]
fn types_that_macros_of_other_files_declare_are_found() {
    let project = Project::new(&[]);
    let kind = "#[kube(group = \"g\", version = \"v1\", kind = \"Cow\")] pub struct CowSpec {}";
    let define = format!("#[macro_export]\nmacro_rules! cow {{ () => {{ {kind} }}; }}\n");
    let call = "parts::cow!();\n";
    project.write("parts/src/lib.rs", define.as_bytes());
    project.write("api/src/cow.rs", call.as_bytes());
    let of = |name: &str| Crate {
        name: name.to_owned(),
        dir: format!("{name}/src").into(),
    };
    let places = ["api/src", "parts/src"].map(PathBuf::from);
    let cow = kube::core::GroupVersionKind::gvk("g", "v1", "Cow");
    for sources in [
        read(project.0.path(), &places),
        read_crates(project.0.path(), &[of("api"), of("parts")]),
    ] {
        let spec = sources.types.roots(&cow).next().unwrap();
        let line = &spec.name.place.line;
        assert_eq!((line.number, &*line.text), (1, "parts::cow!();"));
        assert_eq!(line.path, Path::new("api/src/cow.rs"));
    }
}
