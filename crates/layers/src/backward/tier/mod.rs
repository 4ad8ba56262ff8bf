//! One layer solved: what has ended, what only leads to later layers, and then what can also stay inside the layer, which
//! makes it a tier.
//!
//! | file | does |
//! |---|---|
//! | `part.rs` | one pass over a part, with values in memory or in files |
//! | `rounds.rs` | passes over the parts that stay, until nothing changes |
//! | `graph.rs` | the same at once, where all moves of the tier fit into memory |
//! | `settled.rs` | whether the tier has values at all, where players may want the same |

mod graph;
mod part;
mod rounds;
mod settled;

use crate::backward::layer_by_layer::{Backward, Current};
use crate::backward::room::Fit;
use crate::backward::stream::{Remoteness, Stored, each_rank};
use crate::error::LayersError;
use crate::sets::layer::{Kind, Layer, Part};
use winset_model::{CodeTable, Player};

/// How many states of a part have each outcome.
pub type Tally = Vec<u64>;

/// Values begin as zeros, which must mean that play never ends.
const _: () = assert!(CodeTable::ENDLESS == 0);

impl Backward<'_> {
    /// Tallies, values and distances of a layer.
    pub fn solve_layer(
        &self,
        current: Current,
        fit: &Fit,
    ) -> Result<(Vec<Tally>, Stored, Remoteness), LayersError> {
        let failure = |error| fit.failure(error);
        let (layer, outcomes) = (current.layer, &self.forward.rules.outcomes);
        let mut values =
            Stored::new(fit.file("values").as_deref(), layer.len, outcomes.bits()).map_err(failure)?;
        for &(code, root) in &layer.ended {
            let part = Part { player: Player(0), kind: Kind::All, root, len: 0 };
            self.solve_part(&self.ending(current, &part, code), fit, &values)?;
        }
        let (staying, leaving) = self.staying_and_leaving(layer);
        let mut tallies = vec![vec![]; layer.parts.len()];
        for &i in &leaving {
            tallies[i] = self.solve_part(&self.task(current, &layer.parts[i], None), fit, &values)?;
        }
        let mut distances = match self.distance {
            true => self.ended(current, fit).map_err(failure)?,
            false => Remoteness::default(),
        };
        for &i in leaving.iter().filter(|_| self.distance) {
            let task = self.measuring(current, &layer.parts[i], None);
            self.measure_part(&task, &values, &mut distances).map_err(failure)?;
        }
        if !staying.is_empty() {
            self.check_settled(current, &staying, fit)?;
            let found = match self.solve_graph(current, &staying, fit, &values, &mut distances)? {
                Some(found) => found,
                None => {
                    let found = self.repeat(current, &staying, fit, &mut values)?;
                    self.repeat_distances(current, &staying, fit, &values, &mut distances)?;
                    found
                }
            };
            found.into_iter().zip(&staying).for_each(|(tally, &i)| tallies[i] = tally);
        }
        Ok((tallies, values, distances))
    }

    /// The distances of a layer of which only the terminal states' are known.
    fn ended(&self, current: Current, fit: &Fit) -> std::io::Result<Remoteness> {
        let Current { layer, target, .. } = current;
        let mut distances = Remoteness::unknown(fit.file("distances").as_deref(), layer.len)?;
        for &(_, root) in &layer.ended {
            let mut ends = distances.ends();
            each_rank(layer, target, root, &mut |rank| ends.add(rank));
            ends.finish()?;
        }
        Ok(distances)
    }

    /// The parts with moves that stay inside the layer, and the others.
    fn staying_and_leaving(&self, layer: &Layer) -> (Vec<usize>, Vec<usize>) {
        (0..layer.parts.len()).partition(|&i| self.stays(layer, &layer.parts[i]))
    }
}
