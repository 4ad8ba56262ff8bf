//! What is counted in a layer, and compared with what the manifest says.

use crate::VerifyError;
use crate::fault::{Fault, Wrong};
use crate::peers::{Peers, numbers};
use crate::report::Report;
use winset_model::{MOST_PLAYERS, Player, Rewards};
use winset_store::{LayerRecord, Manifest};

/// Counts of positions of a layer.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Those with a stored value that are not terminal, by code.
    pub by_code: Vec<u64>,
    /// Those that are not terminal, by who is to move.
    pub moving: [u64; MOST_PLAYERS],
    /// Terminal ones, by code.
    pub ended: Vec<u64>,
    /// The greatest stored distance, as it is stored: plies plus one.
    pub longest: u32,
}

impl Tally {
    /// Adds what was counted in another part of the layer.
    pub fn add(&mut self, other: &Tally) {
        add(&mut self.by_code, &other.by_code);
        add(&mut self.moving, &other.moving);
        add_resized(&mut self.ended, &other.ended);
        self.longest = self.longest.max(other.longest);
    }

    /// Adds the terminal positions that are not stored, by code.
    pub fn add_ends(&mut self, by_code: &[u64]) {
        add_resized(&mut self.ended, by_code);
    }

    /// With what the others have counted.
    pub fn of_all(self, peers: &dyn Peers) -> Result<Tally, VerifyError> {
        let codes = self.by_code.len();
        let mut mine = vec![codes as u64, self.longest.into()];
        mine.extend(self.by_code.iter().chain(&self.moving).chain(&self.ended));
        let mut all = Tally { by_code: vec![0; codes], ..Tally::default() };
        for theirs in numbers(peers, &mine)? {
            let [codes, longest, rest @ ..] = &theirs[..] else { continue };
            let (by_code, rest) = rest.split_at((*codes as usize).min(rest.len()));
            let (moving, ended) = rest.split_at(MOST_PLAYERS.min(rest.len()));
            let mut one = Tally { by_code: by_code.to_vec(), longest: *longest as u32, ..Tally::default() };
            add(&mut one.moving, moving);
            one.ended = ended.to_vec();
            all.add(&one);
        }
        Ok(all)
    }

    /// Compares with a layer's record.
    pub fn compare(&self, record: &LayerRecord, report: &mut Report) {
        let layer = record.layer;
        let mut count = |of: &'static str, stored: u64, expected: u64| {
            if stored != expected {
                report.push(about(layer, Wrong::Count { of, stored, expected }));
            }
        };
        let (playing, ended): (u64, u64) = (self.moving.iter().sum(), self.ended.iter().sum());
        count("positions", record.positions, playing + ended);
        count("terminal positions", record.terminal, ended);
        let codes = self.ended.len().max(record.terminal_by_code.len());
        for code in 0..codes {
            let of = |list: &[u64]| list.get(code).copied().unwrap_or(0);
            count("terminal positions of a code", of(&record.terminal_by_code), of(&self.ended));
        }
        if let Some(values) = &record.values {
            for (code, &expected) in self.by_code.iter().enumerate() {
                let stored = values.by_code.get(code).copied().unwrap_or(0);
                count("positions of a code", stored, expected);
            }
            if let Some(longest) = values.longest {
                count("the longest distance", longest.into(), self.longest.saturating_sub(1).into());
            }
        }
        let mut movers = Player::all(MOST_PLAYERS).filter(|player| self.moving[player.index()] > 0);
        let expected: Option<Player> = movers.next().filter(|_| movers.next().is_none());
        if record.mover != expected {
            report.push(about(layer, Wrong::Mover { expected }));
        }
    }
}

/// Every code of a complete solution stands for something: for the end of a play, or for a play without end.
pub fn unused_codes(manifest: &Manifest, report: &mut Report) {
    let header = &manifest.header;
    for (code, &rewards) in header.codes.iter().enumerate() {
        let used = manifest.layers.iter().any(|l| {
            let of = |list: &[u64]| list.get(code).is_some_and(|&n| n > 0);
            of(&l.terminal_by_code) || l.values.as_ref().is_some_and(|values| of(&values.by_code))
        });
        let plain = winset_store::WIN_DRAW_LOSS.iter().any(|known| rewards == *known)
            || rewards == Rewards::endless(rewards.len());
        if !used && !plain {
            report.push(about(0, Wrong::Unused { rewards }));
        }
    }
}

/// A fault of a layer as a whole.
pub fn about(layer: u32, what: Wrong) -> Fault {
    Fault { layer, rank: None, position: String::new(), what }
}

fn add(sums: &mut [u64], more: &[u64]) {
    sums.iter_mut().zip(more).for_each(|(sum, n)| *sum += n);
}

fn add_resized(sums: &mut Vec<u64>, more: &[u64]) {
    sums.resize(sums.len().max(more.len()), 0);
    add(sums, more);
}
