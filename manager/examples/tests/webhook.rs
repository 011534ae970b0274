//! Tests of the webhooks.

use rustop_manager::webhook::Operation;

use super::*;

fn backup(every: &str) -> Backup {
    let mut spec = BackupSpec::default();
    every.clone_into(&mut spec.every);
    Backup::new("nightly", spec)
}

#[tokio::test]
async fn a_week_of_backups_is_kept() {
    let request = Request::test(Operation::Create);
    let mut new = backup("12h");
    Defaults.default(&mut new, &request).await.unwrap();
    assert_eq!(new.spec.keep, Some(14));
    // The API server may call the webhook twice.
    Defaults.default(&mut new, &request).await.unwrap();
    assert_eq!(new.spec.keep, Some(14));
}

#[tokio::test]
async fn intervals_below_a_minute_are_rejected() {
    for every in ["soon", "30s", "-1h"] {
        let request = Request::test(Operation::Create);
        let rejected = Rules.create(&backup(every), &request).await;
        let error = rejected.unwrap_err().to_string();
        assert!(error.contains("spec.every"), "{every}: {error}");
    }
}

#[tokio::test]
async fn short_intervals_are_accepted_with_a_warning() {
    for (every, warnings) in [("5m", 1), ("1h 30m", 0)] {
        let request = Request::test(Operation::Create);
        Rules.create(&backup(every), &request).await.unwrap();
        assert_eq!(request.warnings().len(), warnings, "{every}");
    }
}
