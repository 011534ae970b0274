use super::journal::{STEPS, Step, do_step, read_steps, undo_step};
use super::*;

fn create(path: &str, text: &str) -> Change {
    Change {
        path: path.into(),
        before: None,
        after: Some(text.into()),
        edited: false,
    }
}

fn replace(path: &str, before: &str, text: &str) -> Change {
    Change {
        path: path.into(),
        before: Some(before.into()),
        after: Some(text.into()),
        edited: false,
    }
}

fn plan(changes: Vec<Change>) -> Plan {
    Plan {
        changes,
        conflicts: Vec::new(),
    }
}

fn names(root: &Path) -> Vec<String> {
    let mut names: Vec<_> = walkdir::WalkDir::new(root)
        .min_depth(1)
        .into_iter()
        .map(|e| {
            e.unwrap()
                .path()
                .strip_prefix(root)
                .unwrap()
                .display()
                .to_string()
        })
        .collect();
    names.sort();
    names
}

fn claim(root: &Path) -> Result<Site, Io> {
    Site::claim(root, &|| panic!("somebody else has {}", root.display()))
}

#[test]
fn a_plan_is_written_and_leaves_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("a/b");
    claim(&root)
        .unwrap()
        .write(&plan(vec![create("x", "1"), create("y/z", "2")]))
        .unwrap();
    assert_eq!(names(&root), ["x", "y", "y/z"]);
}

#[test]
fn a_file_keeps_its_permissions_written_or_taken_back() {
    use std::os::unix::fs::PermissionsExt as _;
    let modes = [0o444, 0o640, 0o755];
    let name = |mode: u32| format!("{mode:o}");
    for in_the_way in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        let mut steps = Vec::new();
        for mode in modes {
            let path = root.join(name(mode));
            fs::write(&path, "1").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            steps.push(replace(&name(mode), "1", "2"));
        }
        if in_the_way {
            fs::write(root.join("file"), "").unwrap();
            steps.push(create("file/below", "3"));
        }
        let written = claim(root).unwrap().write(&plan(steps));
        assert_eq!(written.is_err(), in_the_way);
        for mode in modes {
            let path = root.join(name(mode));
            let found = path.metadata().unwrap().permissions().mode() & 0o7777;
            assert_eq!(name(found), name(mode));
            let text = if in_the_way { "1" } else { "2" };
            assert_eq!(fs::read_to_string(path).unwrap(), text);
        }
    }
}

#[test]
fn an_error_undoes_every_step() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    fs::write(root.join("file"), "in the way").unwrap();
    fs::write(root.join("old"), "1").unwrap();
    let steps = vec![
        create("deep/new", "2"),
        replace("old", "1", "3"),
        create("file/below", "4"),
    ];
    claim(root).unwrap().write(&plan(steps)).unwrap_err();
    assert_eq!(names(root), ["file", "old"]);
    assert_eq!(fs::read_to_string(root.join("old")).unwrap(), "1");
}

#[test]
fn a_directory_made_for_nothing_goes_again() {
    let dir = tempfile::tempdir().unwrap();
    drop(claim(&dir.path().join("a/b")).unwrap());
    assert_eq!(names(dir.path()), [""; 0]);
}

#[test]
fn the_next_process_carries_out_what_was_begun() {
    for done in 0..=3 {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        fs::write(root.join("gone"), "0").unwrap();
        let journal = root.join(JOURNAL);
        fs::create_dir(&journal).unwrap();
        let gone = Change {
            after: None,
            ..replace("gone", "0", "")
        };
        write_draft(
            &journal,
            root,
            &[create("a/x", "1"), create("y", "2"), gone],
        )
        .unwrap();
        let steps: Vec<Step> =
            serde_json::from_str(&fs::read_to_string(journal.join(STEPS)).unwrap()).unwrap();
        for (n, step) in steps.iter().enumerate().take(done) {
            do_step(
                &root.join(&step.path),
                step,
                &journal.join(format!("new-{n}")),
            )
            .unwrap();
        }
        assert!(claim(root).unwrap().recovered);
        assert_eq!(names(root), ["a", "a/x", "y"], "after {done} steps");
        assert!(!claim(root).unwrap().recovered);
    }
}

#[test]
fn the_next_process_takes_back_what_failed() {
    for undone in 0..=3 {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        fs::write(root.join("old"), "1").unwrap();
        let undo = root.join(UNDO);
        fs::create_dir(&undo).unwrap();
        let all = [
            create("a/x", "2"),
            replace("old", "1", "3"),
            create("never", "4"),
        ];
        write_draft(&undo, root, &all).unwrap();
        let steps = read_steps(&undo).unwrap();
        for (n, step) in steps.iter().enumerate().take(2) {
            do_step(&root.join(&step.path), step, &undo.join(format!("new-{n}"))).unwrap();
        }
        for (n, step) in steps.iter().enumerate().take(undone) {
            undo_step(
                &root.join(&step.path),
                step,
                &undo.join(format!("old-{n}")),
                root,
            );
        }
        assert!(!claim(root).unwrap().recovered);
        assert_eq!(names(root), ["old"], "after {undone} steps");
        assert_eq!(fs::read_to_string(root.join("old")).unwrap(), "1");
    }
}

#[test]
fn a_draft_of_a_dead_process_is_thrown_away() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join(DRAFT)).unwrap();
    fs::write(dir.path().join(DRAFT).join("new-0"), "half").unwrap();
    assert!(!claim(dir.path()).unwrap().recovered);
    assert_eq!(names(dir.path()), [""; 0]);
}
