//! What is stored beside what the moves lead to, 64 states at a time.

use crate::batch::bits;
use crate::check::{Checker, Pass};
use crate::fault::Wrong;
use crate::layers::Layer;
use crate::offers::ENDLESS;
use winset_index::Planes;
use winset_model::{Code, MOST_PLAYERS, Player, Remoteness, Rewards, Standing};

impl Checker<'_, '_> {
    /// Compares what is stored with what the moves lead to, in the lanes where play goes on.
    pub(super) fn conclude(&mut self, layer: &Layer, codes: &Planes, rank: u64, playing: u64) {
        let plan = self.plan;
        // A batch begins at a multiple of 64.
        let word = (rank / 64) as usize;
        let mut meaningless = playing;
        for code in 0..plan.header.codes.len() {
            let stored = codes.lanes_with(word, code as u32) & playing;
            meaningless &= !stored;
            self.faults.tally.by_code[code] += u64::from(stored.count_ones());
        }
        for lane in bits(meaningless) {
            self.fault(layer, rank, lane, Wrong::Code);
        }
        if let Some(distances) = &layer.distances {
            let greatest = bits(playing).map(|lane| distances.get(rank + lane as u64)).max();
            self.faults.tally.longest = self.faults.tally.longest.max(greatest.unwrap_or(0));
        }
        let mut unseen = playing;
        for (player, &turn) in plan.game.turn().iter().enumerate() {
            let mut moving = unseen & self.state.word(turn);
            unseen &= !moving;
            for &code in plan.liked[player].iter().rev() {
                let best = moving & self.offers.of(code);
                if best != 0 {
                    moving &= !best;
                    self.conclude_code(layer, codes, rank, (Player::new(player), code), best);
                }
            }
        }
    }

    /// Compares where a code is the best that a player can reach.
    fn conclude_code(
        &mut self,
        layer: &Layer,
        codes: &Planes,
        rank: u64,
        (player, code): (Player, Code),
        best: u64,
    ) {
        let plan = self.plan;
        let expected = plan.header.codes[usize::from(code)];
        let standing = expected.standing(player);
        // A win is settled by one move that is; a draw by there being no win; all else by all moves.
        let by_one = if standing == Some(Standing::Ahead) { self.offers.sure_of(code) } else { !0 };
        let no_loss = standing >= Some(Standing::Level);
        let settled = best & (!self.offers.open | if self.wins_only && no_loss { by_one } else { 0 });
        self.shared.settled.insert(rank, settled);
        if self.pass == Pass::Last {
            for lane in bits(best & !settled) {
                self.fault(layer, rank, lane, Wrong::Cycle);
            }
        }
        let right = codes.lanes_with((rank / 64) as usize, u32::from(code)) & best;
        for lane in bits(best & !right) {
            let stored = codes.get(rank + lane as u64) as usize;
            let stored = plan.header.codes.get(stored).copied().unwrap_or([u8::MAX; MOST_PLAYERS].into());
            self.fault(layer, rank, lane, Wrong::Value { stored, expected });
        }
        let Some(distances) = &layer.distances else { return };
        let hurries = plan.header.opponent.hurries(player, expected);
        let can_be_endless = expected == Rewards::endless(expected.len());
        for lane in bits(right) {
            let (stored, span) = (distances.get(rank + lane as u64), self.offers.span(lane));
            let after = if hurries { span.least } else { span.greatest };
            // Stored numbers are plies plus one, so that a terminal position differs from endless play.
            let follows = if after == ENDLESS { 0 } else { after + 2 };
            let plies = |n: u32| if n == 0 { Remoteness::Endless } else { Remoteness::Plies(n - 1) };
            if stored != follows {
                let wrong = Wrong::Distance { stored: plies(stored), expected: plies(follows) };
                self.fault(layer, rank, lane, wrong);
            } else if !can_be_endless && follows == 0 {
                let wrong = Wrong::Distance { stored: plies(0), expected: plies(2) };
                self.fault(layer, rank, lane, wrong);
            }
        }
    }
}
