//! `winset completions` and `winset man`: what the command line knows of itself, for shells and readers.

use crate::args::Arguments;
use crate::failure::Failure;
use crate::output::say;
use crate::target::{self, Target};
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use std::path::PathBuf;

#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

#[derive(Args, Debug)]
pub struct ManArgs {
    /// Where winset.1, winset-solve.1 and so on are written
    pub directory: PathBuf,
}

/// Prints the completions of a shell.
pub fn completions(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut script = vec![];
    clap_complete::generate(args.shell, &mut Arguments::command(), "winset", &mut script);
    Ok(say!("{}", String::from_utf8_lossy(&script))?)
}

/// Writes the manual pages.
pub fn man(args: &ManArgs) -> Result<(), Failure> {
    target::directory(&args.directory)?;
    std::fs::create_dir_all(&args.directory)?;
    let mut command = Arguments::command();
    command.build();
    let mut pages = vec![("winset".to_owned(), command.clone())];
    for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
        pages.push((format!("winset-{}", verb.get_name()), verb.clone()));
    }
    for (name, page) in &pages {
        let mut text = vec![];
        clap_mangen::Man::new(page.clone()).title(name.as_str()).render(&mut text)?;
        Target::new(&args.directory.join(format!("{name}.1")))?.write(&text)?;
    }
    say!("{} pages in {}\n", pages.len(), args.directory.display())?;
    Ok(())
}
