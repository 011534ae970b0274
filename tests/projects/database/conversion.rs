//! What a Database of `v1beta1` is in `v1`, and the other way round: `instances` is called
//! `replicas`, the storage is flat, engine and version are one, users are a map. `legacyPort` is
//! gone, and `owner` is new.

use crate::v1beta1::database as old;
use crate::v1beta1::database::DatabaseSpec as OldSpec;
use crate::v1beta1::database::DatabaseStatus as OldStatus;

use crate::v1::database as new;
use crate::v1::database::DatabaseSpec as NewSpec;
use crate::v1::database::DatabaseStatus as NewStatus;

/// Who pays for what was made before somebody had to say so.
const NOBODY: &str = "nobody";

impl From<OldSpec> for NewSpec {
    fn from(old: OldSpec) -> Self {
        let OldSpec {
            engine,
            version,
            instances,
            storage: old::Storage { size, class },
            users,
            backup,
            tls,
            template,
            legacy_port: _,
        } = old;
        let engine = match engine {
            old::Engine::Postgres => "Postgres",
            old::Engine::MySql => "MySql",
        };
        let grant = |old::User { name, privileges }| (name, new::Grant { privileges });
        Self {
            engine: format!("{engine}/{version}"),
            replicas: instances,
            storage_size: size,
            storage_class: class,
            users: users.into_iter().map(grant).collect(),
            backup: backup.map(Into::into),
            tls: tls.map(Into::into),
            template,
            owner: NOBODY.to_owned(),
        }
    }
}

impl TryFrom<NewSpec> for OldSpec {
    type Error = String;

    fn try_from(new: NewSpec) -> Result<Self, String> {
        let NewSpec {
            engine,
            replicas,
            storage_size: size,
            storage_class: class,
            users,
            backup,
            tls,
            template,
            owner: _,
        } = new;
        let (name, version) = engine.split_once('/').unwrap_or((&engine, ""));
        let engine = match name {
            "" | "Postgres" => old::Engine::Postgres,
            "MySql" => old::Engine::MySql,
            _ => return Err(format!("`engine` cannot be {name}")),
        };
        let user = |(name, new::Grant { privileges })| old::User { name, privileges };
        Ok(Self {
            engine,
            version: version.to_owned(),
            instances: replicas,
            storage: old::Storage { size, class },
            users: users.into_iter().map(user).collect(),
            backup: backup.map(Into::into),
            tls: tls.map(Into::into),
            template,
            legacy_port: None,
        })
    }
}

/// Types that are the same in both.
macro_rules! same {
    ($($name:ident { $($field:ident),* })*) => {$(
        impl From<old::$name> for new::$name {
            fn from(old: old::$name) -> Self {
                let old::$name { $($field),* } = old;
                Self { $($field),* }
            }
        }

        impl From<new::$name> for old::$name {
            fn from(new: new::$name) -> Self {
                let new::$name { $($field),* } = new;
                Self { $($field),* }
            }
        }
    )*};
}

same! {
    Backup { schedule, keep }
    Reference { name }
    Endpoint { name, host, port }
}

impl From<old::Tls> for new::Tls {
    fn from(old: old::Tls) -> Self {
        match old {
            old::Tls::Secret(reference) => Self::Secret(reference.into()),
            old::Tls::Issuer(reference) => Self::Issuer(reference.into()),
        }
    }
}

impl From<new::Tls> for old::Tls {
    fn from(new: new::Tls) -> Self {
        match new {
            new::Tls::Secret(reference) => Self::Secret(reference.into()),
            new::Tls::Issuer(reference) => Self::Issuer(reference.into()),
        }
    }
}

impl From<OldStatus> for NewStatus {
    fn from(old: OldStatus) -> Self {
        let OldStatus {
            observed_generation,
            instances,
            conditions,
            endpoints,
        } = old;
        Self {
            observed_generation,
            instances,
            conditions,
            endpoints: endpoints.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<NewStatus> for OldStatus {
    fn from(new: NewStatus) -> Self {
        let NewStatus {
            observed_generation,
            instances,
            conditions,
            endpoints,
        } = new;
        Self {
            observed_generation,
            instances,
            conditions,
            endpoints: endpoints.into_iter().map(Into::into).collect(),
        }
    }
}
