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
#[path = "tests/webhook.rs"]
mod tests;
