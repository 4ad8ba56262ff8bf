//! `winset games`: what there is to solve, and what can be said about one of them.

use crate::failure::Failure;
use crate::output::{self, say};
use crate::report::table::{Table, grouped};
use clap::Args;
use serde::Serialize;
use std::collections::BTreeMap;
use winset::Catalogue;
use winset_games::{CATALOGUE, Effort, Entry, Known, entry};
use winset_gdl::LibraryGame;
use winset_model::{Family, Outcome};

#[derive(Args, Debug)]
pub struct GamesArgs {
    /// A game: its sizes and options; none: all games
    pub name: Option<String>,
    /// Print the game's rules in GDL
    #[arg(long, requires = "name", conflicts_with = "json")]
    pub rules: bool,
    /// Print JSON instead of a table
    #[arg(long)]
    pub json: bool,
}

/// What is declared about a game.
#[derive(Serialize)]
struct Row {
    /// What the user types; a game in GDL has its size in its name.
    game: String,
    size: &'static str,
    default: &'static str,
    about: &'static str,
    /// "gdl" for rules that are in that language.
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    numbers: Vec<NumberRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    options: Vec<OptionRow>,
    /// Other names.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    aliases: &'static [&'static str],
    /// In two sentences.
    #[serde(skip_serializing_if = "str::is_empty")]
    rules: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    known: Vec<KnownRow>,
}

/// What somebody else has found out.
#[derive(Serialize)]
struct KnownRow {
    size: &'static str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    options: BTreeMap<&'static str, &'static str>,
    /// "win", "loss", "tie" or "draw" for the first player.
    value: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    positions: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    longest_win: Option<u32>,
    /// What it takes to find it here: "seconds", "minutes", or "beyond" for more than that.
    effort: &'static str,
    source: &'static str,
}

impl KnownRow {
    /// What a test of this project finds again.
    fn solved_here(size: &'static str, value: Outcome) -> Self {
        KnownRow {
            size,
            options: BTreeMap::new(),
            value: value.word(),
            positions: None,
            longest_win: None,
            effort: "seconds",
            source: "solved here",
        }
    }

    fn of(known: &Known) -> Self {
        KnownRow {
            size: known.size,
            options: known.options.iter().copied().collect(),
            value: known.value.word(),
            positions: known.positions,
            longest_win: known.longest,
            effort: match known.effort {
                Effort::Seconds => "seconds",
                Effort::Minutes => "minutes",
                Effort::Beyond => "beyond",
            },
            source: known.source,
        }
    }
}

#[derive(Serialize)]
struct NumberRow {
    what: &'static str,
    min: usize,
    max: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    preset: Option<usize>,
}

#[derive(Serialize)]
struct OptionRow {
    name: &'static str,
    values: &'static [&'static str],
    default: &'static str,
    about: &'static str,
}

impl Row {
    fn of(family: &Family, language: Option<&'static str>) -> Self {
        let numbers = family.numbers.iter().map(|n| NumberRow {
            what: n.what,
            min: n.min,
            max: n.max,
            preset: n.preset,
        });
        let options = family.choices.iter().map(|choice| OptionRow {
            name: choice.name,
            values: choice.values,
            default: choice.default,
            about: choice.about,
        });
        let in_name = language.is_some() && !family.numbers.is_empty();
        Row {
            game: if in_name { format!("{}-{}", family.name, family.size) } else { family.name.to_owned() },
            size: if in_name { "in the name" } else { family.size },
            default: family.default,
            about: family.about,
            language,
            numbers: numbers.collect(),
            options: options.collect(),
            aliases: &[],
            rules: "",
            known: vec![],
        }
    }

    fn of_entry(entry: &'static Entry) -> Self {
        let known = entry.known.iter().map(KnownRow::of).collect();
        Row { aliases: entry.aliases, rules: entry.rules, known, ..Row::of(&entry.family, None) }
    }

    fn of_library(game: &'static LibraryGame) -> Self {
        let known = game.value.map(|value| KnownRow::solved_here(game.family.default, value));
        Row { known: known.into_iter().collect(), ..Row::of(&game.family, Some("gdl")) }
    }

    /// The value of the default size, as the list shows it.
    fn value(&self) -> &'static str {
        let known = self.known.iter().find(|known| known.size == self.default && known.options.is_empty());
        known.map_or("", |known| known.value)
    }
}

/// Lists the games, or shows what is declared about one.
pub fn run(args: &GamesArgs) -> Result<(), Failure> {
    if let (Some(name), true) = (&args.name, args.rules) {
        let text = winset_gdl::game(name).ok_or_else(|| {
            Failure::wrong_use(format!(
                "there are no rules of {name:?} in GDL; there are, with their sizes in their names, those of the games \
                 that `winset games` calls so, and tic-tac-toe, connect-four-COLUMNSxROWS and breakthrough-COLUMNSxROWS"
            ))
        })?;
        say!("{text}")?;
        return Ok(());
    }
    if let Some(name) = &args.name {
        return one(name, args.json);
    }
    let built_in = CATALOGUE.iter().map(Row::of_entry);
    let rows = built_in.chain(Catalogue::library().map(Row::of_library));
    if args.json {
        output::json(&rows.collect::<Vec<_>>())?;
        return Ok(());
    }
    let mut table = Table::new(["game", "size", "default", "value", ""]);
    for row in rows {
        let options: Vec<String> = row.options.iter().map(|option| format!("--{}", option.name)).collect();
        let mut about = row.about.to_owned();
        if !options.is_empty() {
            about.push_str(&format!(" [{}]", options.join(", ")));
        }
        if row.language.is_some() {
            about.push_str(" (rules in GDL)");
        }
        table.row([row.game.as_str(), row.size, row.default, row.value(), &about]);
    }
    say!("{}", table.text())?;
    Ok(())
}

/// What can be said about one game.
fn one(name: &str, json: bool) -> Result<(), Failure> {
    let family = Catalogue::family(name).map_err(Failure::of_rules)?;
    let built_in = entry(name);
    let in_gdl = Catalogue::library().find(|game| std::ptr::eq(&game.family, family));
    let row = match (built_in, in_gdl) {
        (Some(entry), _) => Row::of_entry(entry),
        (None, Some(game)) => Row::of_library(game),
        (None, None) => Row::of(family, Some("gdl")),
    };
    if json {
        output::json(&row)?;
        return Ok(());
    }
    let written = if built_in.is_some() { [family.name, family.size].join(" ") } else { row.game.clone() };
    say!("{}\n{}\n", written.trim_end(), row.about)?;
    if !row.rules.is_empty() {
        say!("\n{}\n", row.rules)?;
    }
    if !row.aliases.is_empty() {
        say!("also called: {}\n", row.aliases.join(", "))?;
    }
    let mut table = Table::new(["", "possible", "default", ""]);
    for (number, default) in row.numbers.iter().zip(defaults(family)) {
        table.row([
            number.what.to_owned(),
            format!("{} to {}", number.min, number.max),
            default,
            String::new(),
        ]);
    }
    for option in &row.options {
        let flag = format!("--{}", option.name);
        table.row([flag, option.values.join(", "), option.default.to_owned(), option.about.to_owned()]);
    }
    if row.numbers.is_empty() && row.options.is_empty() {
        say!("it has one size and no options\n")?;
    } else {
        say!("\n{}", table.text())?;
    }
    if !row.known.is_empty() {
        say!("\n{}", known_table(&row.known).text())?;
    }
    Ok(())
}

/// Known values, with who says so.
fn known_table(known: &[KnownRow]) -> Table {
    let mut table = Table::new(["known", "first player", "positions", "longest win", "takes", "source"]);
    for known in known {
        let options = known.options.iter().map(|(name, value)| match *value {
            "yes" => format!(" --{name}"),
            value => format!(" --{name} {value}"),
        });
        let written = [known.size.to_owned()].into_iter().chain(options).collect::<String>();
        let positions = known.positions.map_or(String::new(), grouped);
        let longest = known.longest_win.map_or(String::new(), |plies| format!("{plies} plies"));
        let takes = if known.effort == "beyond" { "too much here" } else { known.effort };
        table.row([
            written.trim().to_owned(),
            known.value.to_owned(),
            positions,
            longest,
            takes.to_owned(),
            known.source.to_owned(),
        ]);
    }
    table
}

/// Each number of the size that is meant when none is given.
fn defaults(family: &Family) -> Vec<String> {
    let member = family.member(None, &Default::default());
    member.map_or_else(|_| vec![], |member| member.numbers.iter().map(usize::to_string).collect())
}
