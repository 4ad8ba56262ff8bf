//! Part by part, with a number for every state inside its part.
//!
//! What of a state never comes back without progress, such as the squares of the men in checkers, makes parts of tiers, and
//! moves inside a tier never leave their part. The states of a part are numbered without gaps that matter
//! ([`index`]), so that those that are found are bits, and what they are worth a few bits each. So nothing is ever sorted or
//! searched for, and what must fit into memory is some bits of a tier's states and of those that they lead to. Whoever wants
//! to keep positions with their values in a store is served by the other way.

mod backward;
mod blocks;
mod checkpoint;
mod closing;
mod forward;
mod index;
mod piece;
mod settling;

use crate::error::ExplicitError;
use crate::expand::Expander;
use crate::pack::Key;
use crate::scratch::Scratch;
use crate::solve::{Observer, Options, Solution, Solved};
use backward::Backward;
use checkpoint::Checkpoint;
use forward::Forward;
use index::Index;
use piece::Shop;
use winset_model::Game;

/// Solves a game part by part; none if its parts are too large to be numbered.
pub fn solve<K: Key>(
    game: &Game,
    options: &Options,
    observer: &mut dyn Observer<K>,
) -> Result<Option<Solution>, ExplicitError> {
    let expander = Expander::<K>::new(game, &options.blocks);
    let no_classes = || game.variables().iter().map(|variable| vec![0; variable.size()]).collect();
    let classes =
        options.weights.as_ref().map_or_else(no_classes, |weights| winset_progress::parts(game, weights));
    let kept = options.weights.as_ref().map(|weights| winset_progress::kept(game, weights, &classes));
    let index = Index::new(expander.packing(), options.weights.as_ref(), &classes, &kept.unwrap_or_default());
    let Some(index) = index else { return Ok(None) };
    let checkpoint = options.checkpoint.as_ref().map(|keep| Checkpoint::new(keep, game, options));
    let checkpoint = checkpoint.transpose()?;
    let shop = match &options.checkpoint {
        Some(keep) => Shop::Named(keep.directory.clone()),
        None => Shop::Scratch(Scratch::new(options.scratch.clone())),
    };
    let mut forward = Forward::new(game, options, expander, index, shop, checkpoint);
    match forward.run(observer) {
        Err(ExplicitError::TooManyStates) => return Ok(None),
        ran => ran?,
    }
    let every_move_leaves = forward.tiers.iter().all(|tier| tier.inside == 0);
    let counts: Vec<_> = forward.tiers.iter().map(|tier| tier.count.clone()).collect();
    let mut solved = vec![];
    let mut value = None;
    if options.solve {
        let (worths, known) = forward.take_solved();
        let mut backward = Backward::new(&mut forward, worths, known);
        backward.run(observer)?;
        value = Some(backward.value()?);
        solved = std::mem::take(&mut backward.solved);
    }
    solved.resize_with(counts.len(), Default::default);
    let sums = if options.solve { solved.into_iter().rev().collect() } else { solved };
    let tiers = counts.into_iter().zip(sums).map(|(count, sums)| Solved {
        count,
        by_mover: sums.by_mover,
        endless: sums.endless,
        longest_win: sums.longest_win,
    });
    let (tiers, on_disk) = (tiers.collect(), forward.shop.written());
    Ok(Some(Solution { tiers, outcomes: forward.outcomes, value, every_move_leaves, on_disk }))
}
