//! Conversion between option values on the command line and types of other modules.

use std::time::Duration;

use clap::ValueEnum;
use clap::builder::PossibleValue;

use super::Output;
use crate::project::{KubernetesVersion, License, ManagerFeature, ManagerSource};
use crate::reference::Format;

impl ValueEnum for KubernetesVersion {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.as_str()))
    }
}

impl ValueEnum for License {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self {
            Self::Apache2 => ("apache2", "Apache License 2.0"),
            Self::Mit => ("mit", "MIT License"),
            Self::None => ("none", "No licence file"),
        };
        Some(PossibleValue::new(name).help(help))
    }
}

impl ValueEnum for ManagerSource {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self {
            Self::Vendored => ("vendored", "Copy the crate to vendor/"),
            Self::Registry => (
                "registry",
                "Add the published crate as a dependency in Cargo.toml",
            ),
        };
        Some(PossibleValue::new(name).help(help))
    }
}

impl ValueEnum for ManagerFeature {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            Self::Console => "support for tokio-console, which shows tasks and what they wait for",
            Self::Dynamic => "kinds that are known only at run time: `Controller::of_kind`",
            Self::Inspect => "the contents of the caches, for tests: `Manager::inspector`",
            Self::Otel => "traces, sent to an OpenTelemetry collector",
            Self::Shards => "no effect: every operator has `--shards`",
        };
        let value = PossibleValue::new(self.name()).help(help);
        Some(value.hide(*self == Self::Shards))
    }
}

impl ValueEnum for Format {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            Self::Markdown => "GitHub-flavored Markdown",
            Self::Html => "One static page",
        };
        Some(PossibleValue::new(self.name()).help(help))
    }
}

impl ValueEnum for Output {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Text, Self::Json, Self::Sarif]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self {
            Self::Text => (
                "text",
                "Text for people: a diff with `--check`, otherwise nothing",
            ),
            Self::Json => ("json", "JSON for programs: all changes and diagnostics"),
            Self::Sarif => ("sarif", "SARIF 2.1.0 for code scanning"),
        };
        Some(PossibleValue::new(name).help(help))
    }
}

/// Parses a duration: `90s`, `2m` or a number of seconds.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let (number, unit) = match text.strip_suffix('m') {
        Some(number) => (number, 60),
        None => (text.strip_suffix('s').unwrap_or(text), 1),
    };
    let number: u64 = number
        .parse()
        .map_err(|_| "expected a duration such as `90s` or `2m`".to_owned())?;
    number
        .checked_mul(unit)
        .map(Duration::from_secs)
        .ok_or_else(|| "is too long".to_owned())
}
