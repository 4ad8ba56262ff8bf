//! How values are written in a manifest.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use winset_model::{Opponent, Remoteness, Rewards, Valuation};

/// What players want, in a word.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Opponent", rename_all = "lowercase")]
pub enum OpponentForm {
    Difference,
    Own,
}

/// Lists of rewards, one for each player.
pub mod codes {
    use super::*;

    pub fn serialize<S: Serializer>(codes: &[Rewards], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(codes.iter().map(|rewards| &**rewards))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Rewards>, D::Error> {
        Vec::<Vec<u8>>::deserialize(deserializer)?.iter().map(|list| rewards(list)).collect()
    }
}

fn rewards<E: Error>(list: &[u8]) -> Result<Rewards, E> {
    Rewards::try_from(list).map_err(E::custom)
}

/// A value, or null.
pub mod value {
    use super::*;

    #[derive(Serialize, Deserialize)]
    struct Form {
        rewards: Vec<u8>,
        remoteness: Option<Known>,
    }

    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Known {
        Plies(u32),
        Endless,
    }

    pub fn serialize<S: Serializer>(value: &Option<Valuation>, serializer: S) -> Result<S::Ok, S::Error> {
        let form = |value: &Valuation| Form {
            rewards: value.rewards.to_vec(),
            remoteness: match value.remoteness {
                Remoteness::Unknown => None,
                Remoteness::Plies(plies) => Some(Known::Plies(plies)),
                Remoteness::Endless => Some(Known::Endless),
            },
        };
        value.as_ref().map(form).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Valuation>, D::Error> {
        let Some(form) = Option::<Form>::deserialize(deserializer)? else { return Ok(None) };
        let remoteness = match form.remoteness {
            None => Remoteness::Unknown,
            Some(Known::Plies(plies)) => Remoteness::Plies(plies),
            Some(Known::Endless) => Remoteness::Endless,
        };
        Ok(Some(Valuation { rewards: rewards(&form.rewards)?, remoteness }))
    }
}
