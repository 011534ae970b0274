//! Conversions of Lolcow between `v1alpha1` and `v1`.
//!
//! Each field is named on both sides, so the compiler reports a new field that is not converted. If a
//! value cannot be converted, implement `TryFrom` instead of `From`, with an error that names the field. Fields
//! that the other version lacks are not lost: see `rustop_manager::conversion`.

use crate::v1alpha1::lolcow::LolcowSpec as OldSpec;
use crate::v1alpha1::lolcow::LolcowStatus as OldStatus;

use crate::v1::lolcow::LolcowSpec as NewSpec;
use crate::v1::lolcow::LolcowStatus as NewStatus;

impl From<OldSpec> for NewSpec {
    fn from(old: OldSpec) -> Self {
        let OldSpec { message } = old;
        Self { message }
    }
}

impl From<NewSpec> for OldSpec {
    fn from(new: NewSpec) -> Self {
        let NewSpec { message } = new;
        Self { message }
    }
}

impl From<OldStatus> for NewStatus {
    fn from(old: OldStatus) -> Self {
        let OldStatus {
            observed_generation,
            conditions,
        } = old;
        Self {
            observed_generation,
            conditions,
        }
    }
}

impl From<NewStatus> for OldStatus {
    fn from(new: NewStatus) -> Self {
        let NewStatus {
            observed_generation,
            conditions,
        } = new;
        Self {
            observed_generation,
            conditions,
        }
    }
}
