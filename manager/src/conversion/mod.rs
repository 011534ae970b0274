//! Conversion of objects between the versions of a kind, without losing data.
//!
//! The API server stores each object in one version and serves it in all versions. For a request in
//! another version, it calls the operator's conversion webhook. [`Versions`] lists the versions of
//! a kind, from the oldest to the newest. The spec and the status of each version implement `From`
//! or `TryFrom` for those of the next and the previous version. A conversion between other versions
//! passes through those in between. Metadata is not converted, because it is the same in every
//! version.
//!
//! ```
//! # mod v1alpha1 {
//! #     #[derive(kube::CustomResource, serde::Serialize, serde::Deserialize, Clone, Debug)]
//! #     #[kube(group = "my.domain", version = "v1alpha1", kind = "Lolcow", status = "LolcowStatus", schema = "disabled")]
//! #     pub struct LolcowSpec { pub loud: bool }
//! #     #[derive(serde::Serialize, serde::Deserialize, Clone, Debug)]
//! #     pub struct LolcowStatus {}
//! # }
//! # mod v1 {
//! #     #[derive(kube::CustomResource, serde::Serialize, serde::Deserialize, Clone, Debug)]
//! #     #[kube(group = "my.domain", version = "v1", kind = "Lolcow", status = "LolcowStatus", schema = "disabled")]
//! #     pub struct LolcowSpec { pub volume: u8 }
//! #     #[derive(serde::Serialize, serde::Deserialize, Clone, Debug)]
//! #     pub struct LolcowStatus {}
//! # }
//! # impl From<v1alpha1::LolcowStatus> for v1::LolcowStatus {
//! #     fn from(_: v1alpha1::LolcowStatus) -> Self { Self {} }
//! # }
//! # impl From<v1::LolcowStatus> for v1alpha1::LolcowStatus {
//! #     fn from(_: v1::LolcowStatus) -> Self { Self {} }
//! # }
//! use rustop_manager::conversion::Versions;
//!
//! impl From<v1alpha1::LolcowSpec> for v1::LolcowSpec {
//!     fn from(old: v1alpha1::LolcowSpec) -> Self {
//!         Self { volume: if old.loud { 11 } else { 3 } }
//!     }
//! }
//!
//! impl From<v1::LolcowSpec> for v1alpha1::LolcowSpec {
//!     fn from(new: v1::LolcowSpec) -> Self {
//!         Self { loud: new.volume > 5 }
//!     }
//! }
//!
//! let versions = Versions::of::<v1alpha1::Lolcow>().then::<v1::Lolcow>();
//! let manager = rustop_manager::Manager::new("op", "0", rustop_manager::Options::default()).converter(versions);
//! ```
//!
//! # Fields that a version cannot hold
//!
//! In the example, a volume of 7 becomes `loud`, and `loud` becomes a volume of 11. A client that
//! reads the object as `v1alpha1` and writes it back must not change the volume. So every
//! conversion is immediately tried in reverse. A field whose value differs after the round trip is
//! preserved in an annotation, `v1.webhook-conversion/spec.volume`, with its original value and its
//! value after the round trip. The real conversion back restores the original value if the field
//! has not been changed in the meantime. If it has been changed, the change wins. If nothing is
//! lost, there is no annotation. A value that the type only serializes differently, such as a
//! quantity of 2 as `"2"`, is not lost.
//!
//! In a conversion through several versions, each step preserves the fields that it loses. So each
//! version shows everything that it can hold, whichever version is stored, and a change in one
//! version is a change in all of them. When a version is removed, its preserved fields are lost:
//! remove the oldest version first.
//!
//! A field of a list item is preserved under the key of the item: the fields of
//! `x-kubernetes-list-map-keys`, or the `name` if each item has a unique one. Other lists are
//! compared as a whole.
//!
//! Preserved fields are as safe as annotations: a client that replaces the object without them
//! loses them. The annotations of an object are limited to 256 KiB in total. If a field does not
//! fit, a read omits it and logs a warning, and a conversion to the stored version fails. A user
//! who may write annotations can write any value there that the types of the other version accept.
//! So do not rely on the schema of that version alone to exclude values. Values that the types do
//! not accept are ignored.
//!
//! # Server-side apply
//!
//! For appliers that use different versions, the API server requests conversions of objects from
//! which it has removed fields, including required ones. Such a field is filled in from the schema
//! of the version, with several different values, and everything that depends on it is removed from
//! the result. So no value is invented. If a conversion accepts only some texts, the schema must
//! describe them with an enum or a `pattern`, from which values are then chosen. Stored objects are
//! complete: if one lacks a required field, the conversion fails.
//!
//! [`RoundTrip`] tests all of this with random objects.

mod chain;
mod difference;
mod filler;
mod lossy_fields;
mod pattern;
mod random;
mod review;
mod round_trip;
mod schema;
mod shape;
mod versions;

pub use round_trip::RoundTrip;
pub use versions::{Versioned, Versions};

#[cfg(test)]
pub(crate) mod cows;
#[cfg(test)]
mod databases;
#[cfg(test)]
pub(crate) use cows::{cows, versions};

pub(crate) use chain::Chain;
pub(crate) use review::Converters;
pub(crate) use shape::refuses;
