//! Which files are read, and what is said about those that cannot be.

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

    /// The files with markers, and the diagnostics.
    fn scan(&self) -> (Vec<String>, Vec<String>) {
        let scan = scan(self.0.path());
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
fn reads_every_member_in_order() {
    let project = Project::new(&[
        "src/main.rs",
        "src/controllers/lolcow.rs",
        "src/target/mod.rs",
        "src/manager/mod.rs",
        "api/src/lib.rs",
        "tests/lolcow.rs",
        "build.rs",
        // Left out.
        "Cargo.toml",
        "README.md",
        "target/debug/build/out.rs",
        "vendor/rustop-manager/src/lib.rs",
        ".git/x.rs",
        "src/.#main.rs",
        "fuzz/Cargo.toml",
        "fuzz/target/x.rs",
        "elsewhere/target/CACHEDIR.TAG",
        "elsewhere/target/x.rs",
    ]);
    let expected = [
        "api/src/lib.rs",
        "build.rs",
        "src/controllers/lolcow.rs",
        "src/main.rs",
        "src/manager/mod.rs",
        "src/target/mod.rs",
        "tests/lolcow.rs",
    ];
    for _ in 0..5 {
        let (files, diagnostics) = project.scan();
        assert_eq!(diagnostics, [] as [&str; 0]);
        assert_eq!(files, expected);
    }
}

#[test]
fn a_hidden_project_directory_is_read() {
    let project = Project::new(&[".hidden/src/main.rs"]);
    assert_eq!(scan(&project.0.path().join(".hidden")).markers.len(), 1);
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
fn a_project_that_is_not_there_is_no_empty_one() {
    let scan = scan(Path::new("/no/such/project"));
    assert_eq!(scan.diagnostics[0].path, Path::new("/no/such/project"));
}

#[cfg(unix)]
#[test]
fn links_lead_to_files_and_into_no_loop() {
    use std::os::unix::fs::symlink;

    let project = Project::new(&["src/real.rs"]);
    let root = project.0.path();
    symlink("real.rs", root.join("src/link.rs")).unwrap();
    symlink("..", root.join("src/up")).unwrap();
    symlink("/", root.join("everything")).unwrap();
    symlink("..", root.join("src/directory.rs")).unwrap();
    symlink("loop_b.rs", root.join("src/loop_a.rs")).unwrap();
    symlink("loop_a.rs", root.join("src/loop_b.rs")).unwrap();
    symlink("nowhere.rs", root.join("src/dangling.rs")).unwrap();
    let (files, diagnostics) = project.scan();
    assert_eq!(files, ["src/link.rs", "src/real.rs"]);
    assert_eq!(diagnostics.len(), 3, "{diagnostics:#?}");
    assert!(diagnostics[0].starts_with("src/dangling.rs: this cannot be read: "));
    assert!(diagnostics[1].starts_with("src/loop_a.rs: this cannot be read: "));
}

/// Reading some files fails for everybody, and for anybody but root where the permission is missing.
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
    assert_eq!(diagnostics[1], "src/pipe.rs: this is no regular file");
    if rustix::process::geteuid().is_root() {
        assert_eq!(files, ["src/good.rs", "src/secret.rs"]);
    } else {
        assert_eq!(files, ["src/good.rs"]);
        assert!(diagnostics[2].starts_with("src/secret.rs: this cannot be read: "));
    }
}
