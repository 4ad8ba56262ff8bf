//! Texts of rules. A text is read once: what is compiled, shown in messages and kept in a store is the same, also
//! where it comes through a pipe.

use crate::catalogue::CatalogueError;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use winset_diagnostic::{Cause, Diagnostic, Located, render};
use winset_gdl::GdlGame;
use winset_model::visible;

/// Rules as they were read.
#[derive(Clone, Debug)]
pub struct RulesText {
    /// What the game is called.
    name: String,
    /// What messages call the file.
    shown: String,
    bytes: Vec<u8>,
}

/// Something that does not stop the work: as data, for machines, and as people read it.
#[derive(Clone, Debug)]
pub struct Suspicion {
    /// What was found.
    pub diagnostic: Diagnostic,
    /// The same with line and column.
    pub warning: Located,
    /// The same with the line of the text that is meant.
    pub shown: String,
}

/// Rules that are refused: the text, and everything that is wrong with it. Shown with the lines that are meant.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// What the text is called.
    pub name: String,
    /// The text.
    pub source: Vec<u8>,
    /// What was found in it.
    pub diagnostics: Vec<Diagnostic>,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = self.diagnostics.iter().map(|found| render(&self.name, &self.source, found));
        write!(f, "{} is refused\n{}", self.name, shown.collect::<Vec<_>>().join("\n"))
    }
}

impl RulesText {
    /// A file is meant where the word looks like a path, and standard input by `-`.
    pub fn is_meant(word: &str) -> bool {
        word == "-" || Self::is_file_of_rules(word) || word.contains(['/', '\\'])
    }

    /// The word ends as files of rules in GDL do.
    pub fn is_file_of_rules(word: &str) -> bool {
        let ending = Path::new(word).extension().map(|ending| ending.to_ascii_lowercase());
        ending.is_some_and(|ending| ending == "kif" || ending == "gdl")
    }

    /// Reads a file, or standard input if the path is `-`. More than the largest file of either language is
    /// not read: the one byte too many makes the compiler say so.
    pub fn read(path: &str) -> Result<Self, CatalogueError> {
        let limits = [winset_gdl::Limits::default().source_bytes, winset_smv::Limits::default().source_bytes];
        let most = limits.into_iter().max().unwrap_or(0) as u64 + 1;
        let mut bytes = vec![];
        if path == "-" {
            let unreadable = |error| CatalogueError::Io("standard input".to_owned(), error);
            std::io::stdin().lock().take(most).read_to_end(&mut bytes).map_err(unreadable)?;
            return Ok(RulesText { name: "stdin".to_owned(), shown: "standard input".to_owned(), bytes });
        }
        let unreadable = |error| CatalogueError::Io(path.to_owned(), error);
        let file = File::open(path).map_err(unreadable)?;
        file.take(most).read_to_end(&mut bytes).map_err(unreadable)?;
        let stem = Path::new(path).file_stem();
        let name = stem.map_or_else(|| path.to_owned(), |stem| stem.to_string_lossy().into_owned());
        // A file may be called anything.
        let (name, shown) = (visible(&name).into_owned(), visible(path).into_owned());
        Ok(RulesText { name, shown, bytes })
    }

    /// Rules that are in no file.
    pub fn of(name: String, text: String) -> Self {
        RulesText { shown: name.clone(), name, bytes: text.into_bytes() }
    }

    /// What the text is called.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// The text to keep. Only comments can be anything but UTF-8, so that it compiles to the same game.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// What comes through a pipe has no ending: GDL begins with a parenthesis or a comment of its kind.
    pub fn looks_like_gdl(&self) -> bool {
        let bytes = self.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.bytes);
        matches!(bytes.trim_ascii_start().first(), Some(b'(' | b';'))
    }

    /// Checks and grounds a game in GDL, and says what is suspicious about it.
    pub fn ground(&self, options: &winset_gdl::Options) -> Result<(GdlGame, Vec<Suspicion>), CatalogueError> {
        let compiled = winset_gdl::compile(&self.name, &self.bytes, options);
        let game = compiled.map_err(|rejection| self.refused(&rejection.diagnostics))?;
        let suspicions = self.suspicions(&game.warnings);
        Ok((game, suspicions))
    }

    /// Reads an SMV model, and says what is suspicious about it.
    pub fn model(&self) -> Result<(winset_smv::Model, Vec<Suspicion>), CatalogueError> {
        let read = winset_smv::read_bytes(&self.bytes, &Default::default());
        let model = read.map_err(|diagnostics| self.refused(&diagnostics))?;
        let suspicions = self.suspicions(&model.warnings);
        Ok((model, suspicions))
    }

    /// The text with everything that was found in it.
    fn refused<C: Cause>(&self, found: &[Diagnostic<C>]) -> CatalogueError {
        let diagnostics = found.iter().map(Diagnostic::named).collect();
        let (name, source) = (self.shown.clone(), self.bytes.clone());
        CatalogueError::Refused(Box::new(Refusal { name, source, diagnostics }))
    }

    fn suspicions<C: Cause>(&self, found: &[Diagnostic<C>]) -> Vec<Suspicion> {
        let one = |found: &Diagnostic<C>| Suspicion {
            diagnostic: found.named(),
            warning: found.located(&self.bytes),
            shown: render(&self.shown, &self.bytes, found),
        };
        found.iter().map(one).collect()
    }
}
