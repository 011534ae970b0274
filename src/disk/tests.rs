//! Tests of writing a plan to the disk: interruption, undo, journals that do not belong to the
//! project, and paths outside of it.

use std::os::unix::fs::PermissionsExt as _;

use super::journal::{Side, do_step, undo_step};
use super::record;
use super::*;
use crate::error::Failure as _;
use crate::tree::Change;

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

/// Returns records outside of the project, which a clone of the project does not contain.
fn records(root: &Path) -> Records {
    Records::in_dir(root.with_extension("records"))
}

fn claim(root: &Path) -> Result<Site> {
    Site::claim_with(root, &records(root), &|| {
        panic!("another process holds {}", root.display())
    })
}

/// An empty project in a temporary directory.
struct EmptyProject {
    _dir: tempfile::TempDir,
    root: PathBuf,
}

fn home() -> EmptyProject {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("project");
    fs::create_dir(&root).unwrap();
    EmptyProject { _dir: dir, root }
}

/// Claims a directory below an existing one, which may not exist itself.
fn claim_below(base: &Path, path: &str) -> Result<Site> {
    Site::claim_with(&base.join(path), &records(base), &|| {})
}

/// Writes a journal in the state that an interrupted run leaves behind.
fn interrupted(root: &Path, name: &str, changes: &[Change]) -> Journal {
    let dir = root.join(name);
    fs::create_dir(&dir).unwrap();
    Journal::write(root, &dir, changes, &records(root)).unwrap()
}

/// Carries out the first `count` steps of a journal, as an interrupted run does.
fn begin(root: &Path, journal: &Journal, count: usize) {
    for (n, step) in journal.steps.iter().enumerate().take(count) {
        do_step(&root.join(&step.path), step, &journal.file(Side::New, n)).unwrap();
    }
}

#[test]
fn a_plan_is_written_and_leaves_nothing_else() {
    let home = home();
    let root = home.root.join("a/b");
    claim_below(&home.root, "a/b")
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
fn a_directory_is_removed_if_nothing_is_written_to_it() {
    let home = home();
    drop(claim_below(&home.root, "a/b").unwrap());
    assert_eq!(names(&home.root), [""; 0]);
}

/// A run that is killed leaves the prepared directory only, whose name shows that it is not a
/// project.
#[test]
fn a_new_directory_appears_with_all_of_its_files() {
    let home = home();
    let base = &home.root;
    let root = base.join("a/b");
    let staged = base.join(".rustop-new-a");
    fs::create_dir_all(staged.join("b/deep")).unwrap();
    fs::write(staged.join("half"), "of a killed run").unwrap();
    let error = claim_below(base, "a/b").unwrap_err();
    assert!(matches!(error, Error::UnknownStaged { .. }), "{error}");
    assert!(staged.join("half").exists());
    let prepared = ["b/deep/x", "b/y", "half"].map(PathBuf::from);
    records(base).add(&record::of_dir(&staged).unwrap(), base, prepared);
    // Files that the user has added there are kept.
    for path in ["b/deep/mine", "mine"] {
        let mine = staged.join(path);
        fs::write(&mine, "of the user").unwrap();
        let error = claim_below(base, "a/b").unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with(&format!(": `{}`", mine.display())),
            "{error}"
        );
        let help = error.help().unwrap();
        let command = format!("`mv -i {} {}`", mine.display(), base.display());
        assert!(help.ends_with(&command), "{help}");
        assert!(mine.exists() && staged.join("half").exists());
        fs::remove_file(&mine).unwrap();
    }
    fs::create_dir_all(staged.join("own/deep")).unwrap();
    let error = claim_below(base, "a/b").unwrap_err();
    assert!(error.to_string().ends_with("/own`"), "{error}");
    fs::remove_dir_all(staged.join("own")).unwrap();
    let mut site = claim_below(base, "a/b").unwrap();
    assert_eq!(site.recovery, Some(Recovery::Discarded));
    assert!(staged.exists() && !base.join("a").exists());
    site.write(&plan(vec![create("x", "1")])).unwrap();
    assert_eq!(names(base), ["a", "a/b", "a/b/x"]);
    site.write(&plan(vec![create("y", "2")])).unwrap();
    assert_eq!(names(&root), ["x", "y"]);
}

/// A process that waits for the prepared directory finds it renamed when it gets the lock.
#[test]
fn processes_that_create_one_directory_at_once_take_turns() {
    let home = home();
    let root = home.root.join("a");
    let begin = std::sync::Barrier::new(4);
    let run = |n: usize| {
        begin.wait();
        let mut site = claim_below(&home.root, "a").unwrap();
        let is_first = !root.join("x").exists();
        if is_first {
            site.write(&plan(vec![create("x", &n.to_string())]))
                .unwrap();
        }
        usize::from(is_first)
    };
    let run = &run;
    let firsts = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..4).map(|n| scope.spawn(move || run(n))).collect();
        runs.into_iter().map(|it| it.join().unwrap()).sum::<usize>()
    });
    assert_eq!(firsts, 1);
    assert_eq!(names(&root), ["x"]);
}

#[test]
fn a_failed_run_leaves_no_new_directory() {
    let home = home();
    let base = &home.root;
    let mut site = claim_below(base, "a").unwrap();
    let changes = vec![create("x", "1"), create("../outside", "2")];
    site.write(&plan(changes)).unwrap_err();
    drop(site);
    assert_eq!(names(base), [""; 0]);
    let missing = claim_below(base, "missing/../a").unwrap_err();
    assert!(
        missing.to_string().starts_with("cannot create"),
        "{missing}"
    );
    assert_eq!(names(base), [""; 0]);
}

#[test]
fn a_directory_that_only_looks_prepared_is_kept() {
    let home = home();
    let base = &home.root;
    let mine = base.join("mine");
    fs::create_dir(&mine).unwrap();
    fs::write(mine.join("x"), "1").unwrap();
    std::os::unix::fs::symlink(&mine, base.join(".rustop-new-a")).unwrap();
    let error = claim_below(base, "a").unwrap_err();
    assert!(matches!(error, Error::UnknownStaged { .. }), "{error}");
    assert_eq!(names(&mine), ["x"]);
}

#[test]
fn a_directory_that_replaced_a_prepared_one_is_kept() {
    let home = home();
    let base = &home.root;
    let staged = base.join(".rustop-new-a");
    fs::create_dir(&staged).unwrap();
    let prepared = [PathBuf::from("mine")];
    records(base).add(&record::of_dir(&staged).unwrap(), base, prepared);
    fs::remove_dir(&staged).unwrap();
    fs::create_dir(&staged).unwrap();
    fs::write(staged.join("mine"), "1").unwrap();
    let error = claim_below(base, "a").unwrap_err();
    assert!(matches!(error, Error::UnknownStaged { .. }), "{error}");
    fs::remove_dir_all(&staged).unwrap();
    fs::write(&staged, "a file").unwrap();
    let error = claim_below(base, "a").unwrap_err();
    assert!(matches!(error, Error::UnknownStaged { .. }), "{error}");
}

#[test]
fn an_interrupted_run_is_noticed_until_it_is_finished() {
    let home = home();
    let root = &home.root;
    assert!(!is_interrupted_with(root, &records(root)));
    for (name, changes) in [(JOURNAL, [create("a", "1")]), (UNDO, [create("b", "1")])] {
        interrupted(root, name, &changes);
        assert!(is_interrupted_with(root, &records(root)));
        let lock = File::open(root).unwrap();
        lock.lock().unwrap();
        assert!(
            !is_interrupted_with(root, &records(root)),
            "its process still runs"
        );
        drop(lock);
        claim(root).unwrap();
        assert!(!is_interrupted_with(root, &records(root)));
    }
}

#[test]
fn the_next_process_finishes_an_interrupted_run() {
    for done in 0..=3 {
        let home = home();
        let root = &home.root;
        fs::write(root.join("gone"), "0").unwrap();
        let gone = Change {
            after: None,
            ..replace("gone", "0", "")
        };
        let changes = [create("a/x", "1"), create("y", "2"), gone];
        let journal = interrupted(root, JOURNAL, &changes);
        begin(root, &journal, done);
        assert_eq!(claim(root).unwrap().recovery, Some(Recovery::Finished));
        assert_eq!(names(root), ["a", "a/x", "y"], "after {done} steps");
        assert_eq!(claim(root).unwrap().recovery, None);
        assert_eq!(names(&root.with_extension("records")), [""; 0]);
    }
}

#[test]
fn the_next_process_undoes_a_failed_run() {
    for undone in 0..=3 {
        let home = home();
        let root = &home.root;
        fs::write(root.join("old"), "1").unwrap();
        let changes = [
            create("a/x", "2"),
            replace("old", "1", "3"),
            create("never", "4"),
        ];
        let journal = interrupted(root, UNDO, &changes);
        begin(root, &journal, 2);
        for (n, step) in journal.steps.iter().enumerate().take(undone) {
            undo_step(
                &root.join(&step.path),
                step,
                &journal.file(Side::Old, n),
                root,
            );
        }
        assert_eq!(claim(root).unwrap().recovery, Some(Recovery::Undone));
        assert_eq!(names(root), ["old"], "after {undone} steps");
        assert_eq!(fs::read_to_string(root.join("old")).unwrap(), "1");
    }
}

#[test]
fn a_journal_that_came_with_a_clone_is_refused() {
    for name in [JOURNAL, UNDO] {
        let home = home();
        let root = &home.root;
        fs::write(root.join("mine"), "1").unwrap();
        interrupted(root, name, &[replace("mine", "1", "2")]);
        fs::remove_dir_all(root.with_extension("records")).unwrap();
        let error = claim(root).unwrap_err();
        assert!(matches!(error, Error::UnknownJournal { .. }), "{error}");
        assert_eq!(fs::read_to_string(root.join("mine")).unwrap(), "1");
        fs::remove_dir_all(root.join(name)).unwrap();
        assert_eq!(claim(root).unwrap().recovery, None);
    }
}

#[test]
fn a_journal_with_other_steps_than_recorded_is_refused() {
    let home = home();
    let root = &home.root;
    interrupted(root, JOURNAL, &[create("a", "1")]);
    let steps = root.join(JOURNAL).join(journal::STEPS);
    let text = fs::read_to_string(&steps).unwrap();
    fs::write(&steps, text.replace("\"a\"", "\"b\"")).unwrap();
    let error = claim(root).unwrap_err();
    assert!(matches!(error, Error::UnknownJournal { .. }), "{error}");
    assert_eq!(
        names(root),
        [
            ".rustop-journal",
            ".rustop-journal/.gitignore",
            ".rustop-journal/new-0",
            ".rustop-journal/steps.json"
        ]
    );
}

#[test]
fn a_journal_whose_texts_are_others_than_recorded_is_refused() {
    for name in [JOURNAL, UNDO] {
        let tampered: [fn(&Path); 3] = [
            |text| fs::write(text, "pwn").unwrap(),
            |text| {
                fs::remove_file(text).unwrap();
                std::os::unix::fs::symlink("/etc/hostname", text).unwrap();
            },
            |text| {
                fs::remove_file(text).unwrap();
                fs::create_dir(text).unwrap();
            },
        ];
        for tamper in tampered {
            let home = home();
            let root = &home.root;
            let side = if name == UNDO { Side::Old } else { Side::New };
            // `UNDO` restores the old text only if the step was carried out.
            fs::write(root.join("a"), if name == UNDO { "new" } else { "old" }).unwrap();
            let journal = interrupted(root, name, &[replace("a", "old", "new")]);
            tamper(&journal.file(side, 0));
            let before = fs::read_to_string(root.join("a")).unwrap();
            let error = claim(root).unwrap_err();
            assert!(matches!(error, Error::UnknownJournal { .. }), "{error}");
            assert_eq!(fs::read_to_string(root.join("a")).unwrap(), before);
        }
    }
}

/// A text that the journal lacks was moved to its file. If the file has the other text, the user
/// has restored it.
#[test]
fn a_journal_without_the_text_of_a_restored_file_is_refused() {
    for (name, side, text) in [(JOURNAL, Side::New, "old"), (UNDO, Side::Old, "new")] {
        let home = home();
        let root = &home.root;
        fs::write(root.join("a"), text).unwrap();
        let journal = interrupted(root, name, &[replace("a", "old", "new")]);
        fs::remove_file(journal.file(side, 0)).unwrap();
        let error = claim(root).unwrap_err();
        assert!(
            matches!(&error, Error::ChangedSince { paths, .. } if paths == &["a"]),
            "{error}"
        );
        assert_eq!(fs::read_to_string(root.join("a")).unwrap(), text);
    }
}

#[test]
fn an_interrupted_run_makes_nothing_executable() {
    let home = home();
    let root = &home.root;
    let journal = interrupted(root, JOURNAL, &[create("a", "text")]);
    let mode = fs::Permissions::from_mode(0o4777);
    fs::set_permissions(journal.file(Side::New, 0), mode).unwrap();
    claim(root).unwrap();
    let mode = root.join("a").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o7111, 0, "{mode:o}");
}

#[test]
fn the_journal_of_another_directory_is_refused() {
    let home = home();
    let root = &home.root;
    interrupted(root, JOURNAL, &[create("a", "text")]);
    let copy = root.with_file_name("copy");
    fs::create_dir(&copy).unwrap();
    fs::create_dir(copy.join(JOURNAL)).unwrap();
    for name in ["steps.json", "new-0"] {
        fs::copy(root.join(JOURNAL).join(name), copy.join(JOURNAL).join(name)).unwrap();
    }
    let error = Site::claim_with(&copy, &records(root), &|| {}).unwrap_err();
    assert!(matches!(error, Error::UnknownJournal { .. }), "{error}");
    assert!(!copy.join("a").exists());
    claim(root).unwrap();
    assert!(root.join("a").exists());
}

#[test]
fn a_journal_that_is_a_link_is_refused() {
    let home = home();
    let root = &home.root;
    for target in ["/dev/zero", "/", "nowhere"] {
        let link = root.join(JOURNAL);
        std::os::unix::fs::symlink(target, &link).unwrap();
        let error = claim(root).unwrap_err();
        assert!(matches!(error, Error::UnknownJournal { .. }), "{error}");
        fs::remove_file(link).unwrap();
    }
}

#[test]
fn a_journal_of_any_size_is_refused_at_once() {
    let home = home();
    let root = &home.root;
    let journal = interrupted(root, JOURNAL, &[create("a", "1")]);
    let sizes = [journal::STEPS, "new-0"].map(|name| (name, root.join(JOURNAL).join(name)));
    for (name, path) in sizes {
        let text = fs::read(&path).unwrap();
        File::create(&path).unwrap().set_len(3 << 30).unwrap();
        assert!(claim(root).is_err(), "{name}");
        fs::write(&path, text).unwrap();
    }
    drop(journal);
    assert_eq!(claim(root).unwrap().recovery, Some(Recovery::Finished));
}

#[test]
fn files_edited_after_an_interrupted_run_are_kept_and_named() {
    for name in [JOURNAL, UNDO] {
        let home = home();
        let root = &home.root;
        for file in ["a", "b", "c", "d"] {
            fs::write(root.join(file), "old").unwrap();
        }
        let changes = ["a", "b", "c", "d"].map(|file| replace(file, "old", "new"));
        let journal = interrupted(root, name, &changes);
        let step = &journal.steps[0];
        do_step(&root.join("a"), step, &journal.file(Side::New, 0)).unwrap();
        fs::write(root.join("b"), "mine").unwrap();
        fs::remove_file(root.join("c")).unwrap();
        let Error::ChangedSince { paths, .. } = claim(root).unwrap_err() else {
            panic!("the edits are not noticed");
        };
        assert_eq!(paths, ["b", "c"]);
        let texts = ["a", "b", "d"].map(|file| fs::read_to_string(root.join(file)).unwrap());
        assert_eq!(texts, ["new", "mine", "old"]);
        // Files that the user restored match the journal again.
        for file in ["b", "c"] {
            fs::write(root.join(file), "old").unwrap();
        }
        assert!(claim(root).unwrap().recovery.is_some());
    }
}

/// The user saves a file after rustop has read it, for example while rustop is suspended.
#[test]
fn files_edited_while_rustop_writes_are_kept() {
    let remove = |path: &str, before: &str| Change {
        after: None,
        ..replace(path, before, "")
    };
    for edited in [replace("b", "old", "new"), remove("b", "old")] {
        let home = home();
        let root = &home.root;
        for (file, text) in [("a", "old"), ("b", "mine"), ("c", "old")] {
            fs::write(root.join(file), text).unwrap();
        }
        let changes = vec![
            replace("a", "old", "new"),
            create("d", "new"),
            remove("c", "old"),
            edited,
        ];
        let error = claim(root).unwrap().write(&plan(changes)).unwrap_err();
        let Error::ChangedMeanwhile { path } = error else {
            panic!("the edit is not noticed: {error}");
        };
        assert_eq!(path, "b");
        let texts = ["a", "b", "c"].map(|file| fs::read_to_string(root.join(file)).unwrap());
        assert_eq!(texts, ["old", "mine", "old"]);
        assert_eq!(names(root), ["a", "b", "c"]);
    }
}

#[test]
fn files_that_cannot_be_undone_are_named_and_their_texts_kept() {
    for is_edited in [true, false] {
        let home = home();
        let root = &home.root;
        for file in ["a", "b"] {
            fs::write(root.join(file), "old").unwrap();
        }
        let changes = ["a", "b"].map(|file| replace(file, "old", "new"));
        let journal = interrupted(root, UNDO, &changes);
        begin(root, &journal, 2);
        let text = if is_edited {
            fs::write(root.join("a"), "mine").unwrap();
            "mine"
        } else {
            // The restoring fails.
            fs::rename(
                journal.file(Side::Old, 0),
                root.join(UNDO).join("elsewhere"),
            )
            .unwrap();
            "new"
        };
        let Error::NotUndone { paths, .. } = journal.take_back(&records(root)).unwrap_err() else {
            panic!("the file is not named");
        };
        assert_eq!(paths, ["a"]);
        let texts = ["a", "b"].map(|file| fs::read_to_string(root.join(file)).unwrap());
        assert_eq!(texts, [text, "old"]);
        assert!(root.join(UNDO).is_dir());
        // The next run does not take the project for whole.
        assert!(matches!(claim(root), Err(Error::ChangedSince { .. })));
    }
}

#[test]
fn a_directory_that_became_a_link_is_not_followed() {
    let home = home();
    let root = &home.root;
    let outside = home.root.with_extension("outside");
    fs::create_dir(&outside).unwrap();
    let journal = interrupted(root, JOURNAL, &[create("a/x", "new")]);
    std::os::unix::fs::symlink(&outside, root.join("a")).unwrap();
    let error = journal.carry_out(&records(root)).unwrap_err();
    assert!(matches!(error, Error::Symlink { .. }), "{error}");
    assert_eq!(names(&outside), [""; 0]);
}

#[test]
fn an_undo_does_not_follow_a_directory_that_became_a_link() {
    let home = home();
    let root = &home.root;
    let outside = home.root.with_extension("outside");
    fs::create_dir(&outside).unwrap();
    fs::create_dir(root.join("a")).unwrap();
    fs::write(root.join("a/gone"), "old").unwrap();
    let gone = Change {
        after: None,
        ..replace("a/gone", "old", "")
    };
    let journal = interrupted(root, UNDO, &[create("a/x", "new"), gone]);
    begin(root, &journal, 2);
    fs::rename(root.join("a"), root.join("moved")).unwrap();
    fs::write(outside.join("x"), "new").unwrap();
    std::os::unix::fs::symlink(&outside, root.join("a")).unwrap();
    let Error::NotUndone { paths, .. } = journal.take_back(&records(root)).unwrap_err() else {
        panic!("the files are not named");
    };
    assert_eq!(paths, ["a/x", "a/gone"]);
    assert_eq!(names(&outside), ["x"]);
}

#[test]
fn a_project_may_have_a_path_that_is_not_utf8() {
    use std::os::unix::ffi::OsStrExt as _;
    let home = home();
    let root = home.root.join(std::ffi::OsStr::from_bytes(b"p\xff"));
    fs::create_dir(&root).unwrap();
    let changes = vec![create("x", "1")];
    claim(&root).unwrap().write(&plan(changes)).unwrap();
    assert_eq!(names(&root), ["x"]);
    interrupted(&root, JOURNAL, &[replace("x", "1", "2")]);
    assert_eq!(claim(&root).unwrap().recovery, Some(Recovery::Finished));
}

#[test]
fn paths_out_of_the_project_are_refused() {
    let home = home();
    let root = &home.root;
    let outside = root.with_file_name("outside");
    for path in [
        "../outside",
        "/etc/outside",
        "a/../../outside",
        ".git/hooks/x",
        "a/.git/x",
        "",
        ".",
    ] {
        for change in [
            create(path, "1"),
            Change {
                after: None,
                ..replace(path, "1", "")
            },
        ] {
            let error = claim(root).unwrap().write(&plan(vec![change])).unwrap_err();
            assert!(matches!(error, Error::Outside { .. }), "{path}: {error}");
        }
    }
    assert!(!outside.exists());
    assert_eq!(names(root), [""; 0]);
}

#[test]
fn nothing_is_written_through_a_symbolic_link() {
    let home = home();
    let root = &home.root;
    let outside = root.with_file_name("outside");
    fs::create_dir_all(outside.join("deep")).unwrap();
    fs::write(outside.join("deep/x"), "1").unwrap();
    std::os::unix::fs::symlink(&outside, root.join("link")).unwrap();
    std::os::unix::fs::symlink(outside.join("deep/x"), root.join("x")).unwrap();
    std::os::unix::fs::symlink("nowhere", root.join("dangling")).unwrap();
    for path in ["link/deep/x", "link/new", "x", "dangling", "dangling/new"] {
        for change in [
            create(path, "2"),
            Change {
                after: None,
                ..replace(path, "1", "")
            },
        ] {
            let changes = vec![create("first", "1"), change];
            let error = claim(root).unwrap().write(&plan(changes)).unwrap_err();
            assert!(matches!(error, Error::Symlink { .. }), "{path}: {error}");
        }
    }
    assert_eq!(names(root), ["dangling", "link", "x"]);
    assert_eq!(fs::read_to_string(outside.join("deep/x")).unwrap(), "1");
}

#[test]
fn a_link_made_meanwhile_in_a_new_project_is_not_followed() {
    let home = home();
    let base = &home.root;
    let outside = base.with_file_name("outside");
    fs::create_dir(&outside).unwrap();
    let mut site = claim_below(base, "a").unwrap();
    std::os::unix::fs::symlink(&outside, site.root.join("link")).unwrap();
    let changes = vec![create("first", "1"), create("link/x", "2")];
    let error = site.write(&plan(changes)).unwrap_err();
    assert!(matches!(error, Error::Symlink { .. }), "{error}");
    assert_eq!(names(&outside), [""; 0]);
}

#[test]
fn a_draft_of_a_dead_process_is_thrown_away() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join(DRAFT)).unwrap();
    fs::write(dir.path().join(DRAFT).join("new-0"), "half").unwrap();
    assert_eq!(claim(dir.path()).unwrap().recovery, None);
    assert_eq!(names(dir.path()), [""; 0]);
}

#[test]
fn a_file_with_the_name_of_a_draft_is_named_and_kept() {
    for name in [DRAFT, DONE] {
        let home = home();
        let file = home.root.join(name);
        fs::write(&file, "mine").unwrap();
        let error = claim(&home.root).unwrap_err();
        assert!(
            matches!(&error, Error::UnknownJournal { journal } if *journal == file),
            "{error}"
        );
        assert!(
            crate::error::Failure::help(&error)
                .unwrap()
                .contains("rm -r")
        );
        assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    }
}
