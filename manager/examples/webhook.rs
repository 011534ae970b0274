//! A defaulting and a validating webhook. The rules need Rust: CEL cannot parse this format of
//! durations.

use jiff::SignedDuration;
use kube::CustomResource;
use rustop_manager::prelude::*;
use rustop_manager::webhook::{Defaulter, FieldErrors, Request, Validator};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug, Default)]
#[kube(group = "example.com", version = "v1", kind = "Backup", namespaced)]
struct BackupSpec {
    /// The interval, such as `1h 30m`.
    every: String,
    /// The number of backups to keep. By default, those of one week.
    keep: Option<i64>,
}

impl BackupSpec {
    fn interval(&self) -> Result<SignedDuration, jiff::Error> {
        self.every.parse()
    }
}

struct Defaults;

impl Defaulter<Backup> for Defaults {
    async fn default(&self, new: &mut Backup, _: &Request) -> Result<()> {
        if let Ok(interval) = new.spec.interval()
            && interval.is_positive()
        {
            let week = SignedDuration::from_hours(7 * 24);
            let keep = week.as_secs() / interval.as_secs().max(1);
            new.spec.keep.get_or_insert(keep.max(1));
        }
        Ok(())
    }
}

struct Rules;

impl Validator<Backup> for Rules {
    async fn create(&self, new: &Backup, request: &Request) -> Result<()> {
        let every = &new.spec.every;
        let mut errors = FieldErrors::new();
        match new.spec.interval() {
            Err(error) => errors.invalid("spec.every", every, error.to_string()),
            Ok(interval) if interval < SignedDuration::from_mins(1) => {
                errors.invalid("spec.every", every, "must be at least 1m");
            }
            Ok(interval) if interval < SignedDuration::from_mins(10) => {
                request.warn("spec.every: a backup may take longer than the interval");
            }
            Ok(_) => {}
        }
        errors.into_result()
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let manager = Manager::from_args("backup-operator", "0.1.0");
    manager.defaulter(Defaults).validator(Rules).run().await
}

#[cfg(test)]
mod tests {
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
}
