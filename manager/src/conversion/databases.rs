//! A kind with two versions, for tests. The newer version renames, flattens and merges fields, and
//! turns a list into a map.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{CustomResourceExt as _, core::crd::merge_crds};

use super::Versions;

pub mod v1alpha1 {

    use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
    use kube::CustomResource;
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    #[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
    #[kube(
        group = "my.domain",
        version = "v1alpha1",
        kind = "Database",
        status = "DatabaseStatus",
        storage = false
    )]
    #[serde(rename_all = "camelCase")]
    pub struct DatabaseSpec {
        pub engine: Engine,
        pub storage: Storage,
        pub host: String,
        pub port: u16,
        #[serde(default = "one")]
        pub replicas: i32,
        #[serde(default)]
        pub users: Vec<User>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub backup: Option<Backup>,
    }
    fn one() -> i32 {
        1
    }
    #[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
    pub enum Engine {
        Postgres,
        Mysql,
        Valkey,
    }
    #[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
    pub struct Storage {
        pub size: Quantity,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub class: Option<String>,
    }
    #[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
    pub struct User {
        pub name: String,
        pub role: String,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        pub comment: String,
    }
    #[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
    pub struct Backup {
        pub schedule: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub targets: Vec<String>,
    }

    #[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
    pub struct DatabaseStatus {
        pub ready: bool,
    }
}

pub mod v1 {
    use std::collections::BTreeMap;

    use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
    use kube::CustomResource;
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    #[derive(CustomResource, JsonSchema, Serialize, Deserialize, Clone, Debug)]
    #[kube(
        group = "my.domain",
        version = "v1",
        kind = "Database",
        status = "DatabaseStatus",
        storage = true
    )]
    #[serde(rename_all = "camelCase")]
    pub struct DatabaseSpec {
        pub engine: Engine,
        pub storage_size: Quantity,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub storage_class: Option<String>,
        #[schemars(regex(pattern = r"^[a-z.]+:[0-9]{1,5}$"))]
        pub address: String,
        pub size: Size,
        pub roles: BTreeMap<String, String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub backup: Option<Backup>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub labels: Vec<String>,
    }
    #[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
    #[serde(rename_all = "camelCase")]
    pub enum Engine {
        Relational,
        KeyValue,
    }
    #[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
    pub enum Size {
        Small,
        Large,
    }
    #[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
    pub struct Backup {
        pub cron: String,
    }

    #[derive(JsonSchema, Serialize, Deserialize, Clone, Debug)]
    pub struct DatabaseStatus {
        pub ready: bool,
    }
}

impl TryFrom<v1alpha1::DatabaseSpec> for v1::DatabaseSpec {
    type Error = String;

    fn try_from(old: v1alpha1::DatabaseSpec) -> Result<Self, String> {
        let roles = old.users.into_iter().map(|user| (user.name, user.role));
        let relational = old.engine != v1alpha1::Engine::Valkey;
        Ok(Self {
            engine: if relational {
                v1::Engine::Relational
            } else {
                v1::Engine::KeyValue
            },
            storage_size: old.storage.size,
            storage_class: old.storage.class,
            address: format!("{}:{}", old.host, old.port),
            size: if old.replicas > 3 {
                v1::Size::Large
            } else {
                v1::Size::Small
            },
            roles: roles.collect(),
            backup: old.backup.map(|backup| v1::Backup {
                cron: backup.schedule,
            }),
            labels: Vec::new(),
        })
    }
}

impl TryFrom<v1::DatabaseSpec> for v1alpha1::DatabaseSpec {
    type Error = String;

    fn try_from(new: v1::DatabaseSpec) -> Result<Self, String> {
        let (host, port) = new
            .address
            .rsplit_once(':')
            .ok_or_else(|| format!("`{}` is not an address", new.address))?;
        let users = new.roles.into_iter().map(|(name, role)| v1alpha1::User {
            name,
            role,
            comment: String::new(),
        });
        Ok(Self {
            engine: match new.engine {
                v1::Engine::Relational => v1alpha1::Engine::Postgres,
                v1::Engine::KeyValue => v1alpha1::Engine::Valkey,
            },
            storage: v1alpha1::Storage {
                size: new.storage_size,
                class: new.storage_class,
            },
            host: host.to_owned(),
            port: port
                .parse()
                .map_err(|_| format!("`{port}` is not a port"))?,
            replicas: match new.size {
                v1::Size::Small => 1,
                v1::Size::Large => 5,
            },
            users: users.collect(),
            backup: new.backup.map(|backup| v1alpha1::Backup {
                schedule: backup.cron,
                targets: Vec::new(),
            }),
        })
    }
}

impl From<v1alpha1::DatabaseStatus> for v1::DatabaseStatus {
    fn from(v1alpha1::DatabaseStatus { ready }: v1alpha1::DatabaseStatus) -> Self {
        Self { ready }
    }
}

impl From<v1::DatabaseStatus> for v1alpha1::DatabaseStatus {
    fn from(v1::DatabaseStatus { ready }: v1::DatabaseStatus) -> Self {
        Self { ready }
    }
}

/// Returns the versions and the CRD with both of them.
pub(super) fn databases() -> (Versions<v1::Database>, CustomResourceDefinition) {
    let crds = vec![v1alpha1::Database::crd(), v1::Database::crd()];
    let versions = Versions::of::<v1alpha1::Database>().then::<v1::Database>();
    (versions, merge_crds(crds, "v1").unwrap())
}
