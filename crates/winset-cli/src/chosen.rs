//! The options of games as flags: one for each option that some game declares.
//!
//! A flag is there for every game, because the command line is read before the game is known; the game
//! refuses what it does not declare.

use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches};
use std::collections::BTreeMap;
use winset::{Catalogue, START};
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

/// The option is yes or no in every game that has it: its flag takes no value.
fn is_switch(games: &[(&str, &Choice)]) -> bool {
    games.iter().all(|(_, choice)| choice.values == ["no", "yes"])
}

/// What the option means, once where it means the same in several games.
fn help(games: &[(&'static str, &'static Choice)]) -> String {
    let mut meanings: Vec<(String, Vec<&str>)> = vec![];
    for (game, choice) in games {
        let default = match choice.default {
            "" => String::new(),
            default => format!(" [default: {default}]"),
        };
        let about = format!("{} [possible: {}]{default}", choice.about, choice.values.join(", "));
        match meanings.iter_mut().find(|(known, _)| *known == about) {
            Some((_, names)) => names.push(game),
            None => meanings.push((about, vec![game])),
        }
    }
    let one = |(about, names): &(String, Vec<&str>)| match names.len() {
        0..4 => format!("{}: {about}", names.join(", ")),
        many => format!("{many} games (`winset games NAME` says whether it is one): {about}"),
    };
    meanings.iter().map(one).collect::<Vec<_>>().join("; ")
}

impl FromArgMatches for Chosen {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut chosen = Chosen::default();
        chosen.update_from_arg_matches(matches)?;
        Ok(chosen)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        for name in all().into_keys().chain([START]) {
            if let Some(value) = matches.get_one::<String>(name) {
                self.0.0.insert(name.to_owned(), value.clone());
            }
        }
        Ok(())
    }
}

impl Args for Chosen {
    fn augment_args(mut command: Command) -> Command {
        for (name, games) in all() {
            let mut arg = Arg::new(name).long(name).help(help(&games));
            arg = match is_switch(&games) {
                // A value could not be told from the size that may follow.
                true => arg
                    .num_args(0..=1)
                    .require_equals(true)
                    .default_missing_value("yes")
                    .hide_possible_values(true),
                false => arg.value_name("VALUE"),
            };
            command = command.arg(arg);
        }
        command = command.arg(
            Arg::new(START)
                .long(START)
                .value_name("POSITION")
                .help("Start from this position, written as the game writes it, instead of the usual one"),
        );
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}
