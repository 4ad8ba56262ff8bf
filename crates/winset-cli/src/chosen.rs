//! The options of games as flags: one for each option that some game declares.
//!
//! A flag is there for every game, because the command line is read before the game is known; the game
//! refuses what it does not declare.

use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches};
use std::collections::BTreeMap;
use winset::Catalogue;
use winset_model::{Choice, Choices};

/// The options that were given.
#[derive(Clone, Debug, Default)]
pub struct Chosen(pub Choices);

/// Every option with the games that have it.
fn all() -> BTreeMap<&'static str, Vec<(&'static str, &'static Choice)>> {
    let mut all: BTreeMap<&'static str, Vec<_>> = BTreeMap::new();
    for family in Catalogue::families() {
        for choice in family.choices {
            all.entry(choice.name).or_default().push((family.name, choice));
        }
    }
    all
}

impl FromArgMatches for Chosen {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut chosen = Chosen::default();
        chosen.update_from_arg_matches(matches)?;
        Ok(chosen)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        for name in all().keys() {
            if let Some(value) = matches.get_one::<String>(name) {
                self.0.0.insert((*name).to_owned(), value.clone());
            }
        }
        Ok(())
    }
}

impl Args for Chosen {
    fn augment_args(mut command: Command) -> Command {
        for (name, games) in all() {
            let about = |(game, choice): &(&str, &Choice)| {
                let default = match choice.default {
                    "" => String::new(),
                    default => format!(" [default: {default}]"),
                };
                format!("{game}: {} [possible: {}]{default}", choice.about, choice.values.join(", "))
            };
            let help = games.iter().map(about).collect::<Vec<_>>().join("; ");
            command = command.arg(Arg::new(name).long(name).value_name("VALUE").help(help));
        }
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}
