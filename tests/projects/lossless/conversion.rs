//! Grams are a thousand to the kilogram, and a list of friends is a map of distances.

use crate::v1alpha1::lolcow as old;

use crate::v1::lolcow as new;

impl From<old::LolcowSpec> for new::LolcowSpec {
    fn from(old: old::LolcowSpec) -> Self {
        let friends = old.friends.into_iter();
        Self {
            kind: match old.breed {
                old::Breed::Highland => new::Breed::Highland,
                old::Breed::Jersey => new::Breed::Jersey,
            },
            grams: u32::from(old.weight) * 1000,
            friends: friends
                .map(|friend| (friend.name, friend.distance))
                .collect(),
            text: old.message,
            moods: Vec::new(),
        }
    }
}

impl TryFrom<new::LolcowSpec> for old::LolcowSpec {
    type Error = String;

    fn try_from(new: new::LolcowSpec) -> Result<Self, String> {
        let friends = new.friends.into_iter();
        let weight = new.grams / 1000;
        Ok(Self {
            breed: match new.kind {
                new::Breed::Highland => old::Breed::Highland,
                new::Breed::Jersey => old::Breed::Jersey,
            },
            weight: weight
                .try_into()
                .map_err(|_| format!("{weight} kg are too much"))?,
            friends: friends
                .map(|(name, distance)| old::Friend { name, distance })
                .collect(),
            message: new.text,
            herd: None,
        })
    }
}

impl From<old::LolcowStatus> for new::LolcowStatus {
    fn from(old: old::LolcowStatus) -> Self {
        Self {
            observed_generation: old.observed_generation,
            conditions: old.conditions,
        }
    }
}

impl From<new::LolcowStatus> for old::LolcowStatus {
    fn from(new: new::LolcowStatus) -> Self {
        Self {
            observed_generation: new.observed_generation,
            conditions: new.conditions,
        }
    }
}
