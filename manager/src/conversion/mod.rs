//! Versions of a kind: how an object of one becomes an object of another, with nothing lost on the way.
//!
//! The API server stores each object in one version and serves it in all of them. Who asks for another
//! version than the stored one gets what the operator makes of the object: of [`Versions`], each of which
//! says with `From` or `TryFrom` what its spec and its status are in the next one, and the other way
//! round. Versions that are no neighbours are reached through those between them. Metadata is not
//! converted, it is the same in every version.
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
//! use manager::conversion::Versions;
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
//! let manager = manager::Manager::new("op", "0", manager::Options::default()).converter(versions);
//! ```
//!
//! # What a version cannot hold
//!
//! A volume of 7 is `loud`, and `loud` is a volume of 11. So that whoever reads the object as `v1alpha1` and
//! writes it back leaves the volume as it was, each conversion is tried backwards at once. A field that does
//! not come back as it was is kept in an annotation, `v1.webhook-conversion/spec.volume`, together with what
//! came back instead. On the real way back, a field which is still that becomes what it was again; whoever
//! changed it in the meantime has the last word. Where nothing is lost there is no annotation, and what the
//! type itself writes in another way, as a quantity of 2 that it writes as `"2"`, is not lost.
//!
//! On a way through several versions each step keeps what it loses. So each of them has all that it has a place
//! for, whichever is stored, and a change in one is a change in all. When a version goes, what is kept of it
//! goes: let it be the oldest.
//!
//! A field of an item of a list is kept by the item's key: the fields of `x-kubernetes-list-map-keys`, else
//! the `name` where each item has one of its own. Other lists are compared as a whole.
//!
//! What is kept is as safe as annotations are: a client that replaces the object without them loses it. What
//! has no place in the 256 KiB of all annotations is left out for who reads the object, with a warning in the
//! log; the conversion to the stored version fails instead. And whoever may write annotations may write there
//! whatever the types of the other version take: do not rely on its schema alone for what must never be. What
//! they do not take is ignored.
//!
//! # Server-side apply
//!
//! For an applier of each version, the API server asks for conversions of objects that it took parts from: a
//! required field, if this is what the applier owned. Such a field is filled in from the schema of the
//! version, in several ways, and what depends on it is taken out of the converted object again. So no value
//! is made up. A conversion that takes only some texts has to say which in the schema, with an enum or a
//! `pattern`: they are filled in from there. Objects that are stored are whole: where one lacks something, it
//! is refused.
//!
//! [`RoundTrip`] tests all of it with random objects.

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
pub(crate) use cows::cows;

pub(crate) use chain::Chain;
pub(crate) use review::Converters;
pub(crate) use shape::refuses;
