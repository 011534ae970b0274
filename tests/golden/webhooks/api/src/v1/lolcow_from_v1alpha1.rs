//! What a Lolcow of `v1alpha1` is in `v1`, and the other way round.
//!
//! Each field is named on both sides, so that the compiler finds one that is added and not converted. Where a
//! value cannot be converted, write `TryFrom` for `From`, with an error that names the field. What the other
//! version has no place for is not lost: see `manager::conversion`.

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
