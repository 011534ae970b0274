//! A kind with three versions, for tests. Each conversion loses something: `loud` has fewer values
//! than `volume`, `v1` has no `herd`, and only `v1` has `moods`. Some messages make the first
//! conversion fail or panic.

use super::{Chain, Versions};

/// Defines a version: its spec, and a status that is the same in all versions.
macro_rules! version {
    ($version:ident, $name:literal, { $($field:ident: $type:ty),* }) => {
        pub(crate) mod $version {
            #[derive(kube::CustomResource, serde::Deserialize, serde::Serialize, Clone, Debug)]
            #[kube(group = "my.domain", version = $name, kind = "Cow", status = "CowStatus", schema = "disabled")]
            pub struct CowSpec {
                $(
                    #[serde(skip_serializing_if = "crate::conversion::cows::is_nothing")]
                    pub $field: $type,
                )*
            }

            #[derive(serde::Deserialize, serde::Serialize, Clone, Debug)]
            pub struct CowStatus {
                pub seen: i64,
            }
        }
    };
}

version!(v1alpha1, "v1alpha1", { message: Option<String>, loud: bool, herd: Option<String> });
version!(v1beta1, "v1beta1", { message: Option<String>, volume: u8, herd: Option<String> });
version!(v1, "v1", { text: Option<String>, volume: u8, moods: Option<Vec<String>> });

fn is_nothing(value: &impl serde::Serialize) -> bool {
    serde_json::to_value(value).is_ok_and(|value| value.is_null())
}

impl TryFrom<v1alpha1::CowSpec> for v1beta1::CowSpec {
    type Error = String;

    fn try_from(old: v1alpha1::CowSpec) -> Result<Self, String> {
        let v1alpha1::CowSpec {
            message,
            loud,
            herd,
        } = old;
        match message.as_deref() {
            Some("unspeakable") => return Err("`message` cannot be expressed".to_owned()),
            Some("unpathed") => return Err("spec.message: cannot be expressed".to_owned()),
            Some("panic") => panic!("as asked"),
            _ => {}
        }
        let volume = if loud { 11 } else { 3 };
        Ok(Self {
            message,
            volume,
            herd,
        })
    }
}

impl From<v1beta1::CowSpec> for v1alpha1::CowSpec {
    fn from(new: v1beta1::CowSpec) -> Self {
        let v1beta1::CowSpec {
            message,
            volume,
            herd,
        } = new;
        Self {
            message,
            loud: volume > 5,
            herd,
        }
    }
}

impl From<v1beta1::CowSpec> for v1::CowSpec {
    fn from(old: v1beta1::CowSpec) -> Self {
        let v1beta1::CowSpec {
            message,
            volume,
            herd: _,
        } = old;
        Self {
            text: message,
            volume,
            moods: None,
        }
    }
}

impl From<v1::CowSpec> for v1beta1::CowSpec {
    fn from(new: v1::CowSpec) -> Self {
        let v1::CowSpec {
            text,
            volume,
            moods: _,
        } = new;
        Self {
            message: text,
            volume,
            herd: None,
        }
    }
}

macro_rules! same_status {
    ($($from:ident => $to:ident),*) => {$(
        impl From<$from::CowStatus> for $to::CowStatus {
            fn from(status: $from::CowStatus) -> Self {
                Self { seen: status.seen }
            }
        }
    )*};
}

same_status!(v1alpha1 => v1beta1, v1beta1 => v1alpha1, v1beta1 => v1, v1 => v1beta1);

/// Returns the versions of the kind with their types.
pub(crate) fn versions() -> Versions<v1::Cow> {
    let versions = Versions::of::<v1alpha1::Cow>();
    versions.then::<v1beta1::Cow>().then::<v1::Cow>()
}

/// Returns the conversions of the kind, without CRD: no schemas and no storage version.
pub(crate) fn cows() -> Chain {
    versions().chain
}
