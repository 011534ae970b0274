//! A cow is loud from a volume of 6 on. Nothing at all can be made of what cannot be said.

use crate::v1alpha1::lolcow::LolcowSpec as OldSpec;
use crate::v1alpha1::lolcow::LolcowStatus as OldStatus;

use crate::v1::lolcow::LolcowSpec as NewSpec;
use crate::v1::lolcow::LolcowStatus as NewStatus;

impl TryFrom<OldSpec> for NewSpec {
    type Error = &'static str;

    fn try_from(old: OldSpec) -> Result<Self, Self::Error> {
        let OldSpec {
            message,
            loud,
            herd: _,
        } = old;
        if message.as_deref() == Some("unspeakable") {
            return Err("`message` cannot be expressed");
        }
        Ok(Self {
            text: message,
            volume: if loud { 11 } else { 3 },
            moods: Vec::new(),
        })
    }
}

impl From<NewSpec> for OldSpec {
    fn from(new: NewSpec) -> Self {
        let NewSpec {
            text,
            volume,
            moods: _,
        } = new;
        Self {
            message: text,
            loud: volume > 5,
            herd: None,
        }
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
