//! Files of rules. A file is read once: what is compiled, shown in messages and kept in a store is the same
//! text, also where it comes through a pipe.

use crate::catalogue::{CatalogueError, Rules};
use crate::excerpt::{Finding, render};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Rules as they were read.
pub struct RulesText {
    /// What the game is called.
    name: String,
    /// What messages call the file.
    shown: String,
    bytes: Vec<u8>,
}

impl RulesText {
    /// A file is meant where the word looks like a path, and standard input by `-`.
    pub fn is_meant(word: &str) -> bool {
        word == "-" || word.ends_with(".kif") || word.contains(['/', '\\'])
    }

    /// Reads a file, or standard input if the path is `-`. More than the largest file of either language is
    /// not read: the one byte too many makes the compiler say so.
    pub fn read(path: &str) -> Result<Self, CatalogueError> {
        let limits = [winset_gdl::Limits::default().source_bytes, winset_smv::Limits::default().source_bytes];
        let most = limits.into_iter().max().unwrap_or(0) as u64 + 1;
        let unreadable = |error| CatalogueError::Io(path.to_owned(), error);
        let mut bytes = vec![];
        if path == "-" {
            let named = |error| CatalogueError::Io("standard input".to_owned(), error);
            std::io::stdin().lock().take(most).read_to_end(&mut bytes).map_err(named)?;
            return Ok(RulesText { name: "stdin".to_owned(), shown: "standard input".to_owned(), bytes });
        }
        let file = File::open(path).map_err(unreadable)?;
        file.take(most).read_to_end(&mut bytes).map_err(unreadable)?;
        let stem = Path::new(path).file_stem();
        let name = stem.map_or_else(|| path.to_owned(), |stem| stem.to_string_lossy().into_owned());
        Ok(RulesText { name, shown: path.to_owned(), bytes })
    }

    /// Rules that are in no file.
    pub fn of(name: String, text: String) -> Self {
        RulesText { shown: name.clone(), name, bytes: text.into_bytes() }
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

    /// Checks and grounds a game in GDL.
    pub fn compile(&self) -> Result<Rules, CatalogueError> {
        let compiled = winset_gdl::compile(&self.name, &self.bytes, &Default::default());
        match compiled {
            Ok(compiled) => Ok(Rules::with(compiled.game, Some(self.text()), compiled.warnings)),
            Err(rejection) => {
                let shown: Vec<String> = rejection.diagnostics.iter().map(|d| self.render(d)).collect();
                Err(CatalogueError::Refused {
                    shown: self.shown.clone(),
                    findings: shown.join("\n"),
                    diagnostics: rejection.diagnostics,
                })
            }
        }
    }

    /// What was found in the text, beside its place.
    pub fn render(&self, diagnostic: &winset_gdl::Diagnostic) -> String {
        render(&self.shown, &self.bytes, &gdl_finding(diagnostic))
    }
}

fn gdl_finding(d: &winset_gdl::Diagnostic) -> Finding<'_> {
    Finding {
        severity: if d.severity == winset_gdl::Severity::Error { "error" } else { "warning" },
        code: d.code.as_str(),
        message: &d.message,
        help: d.help.as_deref(),
        span: d.span.start..d.span.end,
    }
}
