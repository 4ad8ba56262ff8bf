//! Modules and their sections. After a mistake, reading goes on at the next `;` or section.

use crate::diagnostic::{Checked, Code, Diagnostic, Diagnostics, Limits};
use crate::lex::{Token, tokens};
use crate::syntax::{Constraint, Expr, File, Item, Module, Name, SpecKind, Storage, Type, TypeKind, When};
use winset_diagnostic::Span;

/// Words that begin a section.
pub(crate) const SECTIONS: [&str; 21] = [
    "MODULE",
    "VAR",
    "IVAR",
    "FROZENVAR",
    "DEFINE",
    "MDEFINE",
    "CONSTANTS",
    "ASSIGN",
    "INIT",
    "TRANS",
    "INVAR",
    "SPEC",
    "CTLSPEC",
    "INVARSPEC",
    "MUSPEC",
    "LTLSPEC",
    "COMPUTE",
    "FAIRNESS",
    "JUSTICE",
    "COMPASSION",
    "ISA",
];
/// Words that begin a section outside the subset.
pub(crate) const UNSUPPORTED: [&str; 5] = ["PSLSPEC", "PRED", "MIRROR", "FUN", "PARSYNTH"];

pub(crate) struct Parser<'t, 'd> {
    tokens: Vec<(Token<'t>, Span)>,
    at: usize,
    pub depth: usize,
    pub nesting: usize,
    /// Inside `LTLSPEC`, where `X`, `F`, `U` and others are operators.
    pub linear: bool,
    found: &'d mut Diagnostics,
}

pub(crate) fn parse(text: &str, limits: &Limits, found: &mut Diagnostics) -> File {
    if text.len() > limits.source_bytes {
        let message = format!("the file has {} bytes, more than {}", text.len(), limits.source_bytes);
        let error = Diagnostic::error(Code::FileTooLarge, Span::new(0, 0), message);
        found.add(error.help("say what repeats once, as a module with parameters"));
        return File::default();
    }
    let tokens = tokens(text, found);
    let mut parser = Parser { tokens, at: 0, depth: 0, nesting: limits.nesting, linear: false, found };
    parser.file()
}

impl<'t> Parser<'t, '_> {
    pub fn token(&self) -> Token<'t> {
        self.tokens[self.at].0
    }

    pub fn token_after(&self) -> Token<'t> {
        self.tokens.get(self.at + 1).map_or(Token::End, |t| t.0)
    }

    pub fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    /// The span of the symbol before.
    pub fn before(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].1
    }

    pub fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    pub fn take(&mut self, symbol: &'static str) -> bool {
        let found = self.token() == Token::Symbol(symbol);
        if found {
            self.advance();
        }
        found
    }

    pub fn take_word(&mut self, word: &str) -> bool {
        let found = matches!(self.token(), Token::Word(w) if w == word);
        if found {
            self.advance();
        }
        found
    }

    pub fn need(&mut self, symbol: &'static str) -> Checked<()> {
        if self.take(symbol) { Ok(()) } else { Err(self.expected(&format!("`{symbol}`"))) }
    }

    pub fn expected(&self, what: &str) -> Diagnostic {
        let found = match self.token() {
            Token::Word(text) | Token::Number(text) => format!("`{text}`"),
            Token::Symbol(text) => format!("`{text}`"),
            Token::End => "the end of the file".to_owned(),
        };
        Diagnostic::error(Code::Syntax, self.span(), format!("expected {what}, found {found}"))
    }

    pub fn unsupported(&self, span: Span, what: &str) -> Diagnostic {
        Diagnostic::error(Code::Unsupported, span, format!("{what} is not supported"))
    }

    fn is_section(&self) -> bool {
        matches!(self.token(), Token::Word(w) if SECTIONS.contains(&w) || UNSUPPORTED.contains(&w))
    }

    fn file(&mut self) -> File {
        let mut file = File::default();
        while self.token() != Token::End {
            if self.take_word("MODULE") {
                match self.module() {
                    Ok(module) => file.modules.push(module),
                    Err(error) => {
                        self.found.add(error);
                        self.skip_to_module();
                    }
                }
            } else {
                let error = self.expected("`MODULE`");
                self.found.add(error);
                self.advance();
                self.skip_to_module();
            }
        }
        file
    }

    fn skip_to_module(&mut self) {
        while !matches!(self.token(), Token::End | Token::Word("MODULE")) {
            self.advance();
        }
    }

    pub fn name(&mut self, what: &str) -> Checked<Name> {
        match self.token() {
            Token::Word(text) if !self.is_section() => {
                let name = Name { text: text.to_owned(), span: self.span() };
                self.advance();
                Ok(name)
            }
            _ => Err(self.expected(what)),
        }
    }

    fn module(&mut self) -> Checked<Module> {
        let name = self.name("the module's name")?;
        let mut parameters = vec![];
        if self.take("(") && !self.take(")") {
            loop {
                parameters.push(self.name("a parameter's name")?);
                if !self.take(",") {
                    break;
                }
            }
            self.need(")")?;
        }
        let mut items = vec![];
        while !matches!(self.token(), Token::End | Token::Word("MODULE")) {
            self.section(&mut items);
        }
        Ok(Module { name, parameters, items })
    }

    /// One section; what cannot be read of it is reported and skipped.
    fn section(&mut self, items: &mut Vec<Item>) {
        let (token, span) = (self.token(), self.span());
        let Token::Word(word) = token else {
            let error = self.expected("a section such as `VAR` or `ASSIGN`");
            self.found.add(error);
            self.advance();
            return self.recover(true);
        };
        self.advance();
        let one = |constraint| move |p: &mut Self| p.constraint(constraint);
        match word {
            "VAR" => self.entries(items, |p| p.variable(Storage::State)),
            "IVAR" => self.entries(items, |p| p.variable(Storage::Input)),
            "FROZENVAR" => self.entries(items, |p| p.variable(Storage::Frozen)),
            "DEFINE" | "MDEFINE" => self.entries(items, Self::define),
            "ASSIGN" => self.entries(items, Self::assign),
            "CONSTANTS" => self.single(items, Self::constants),
            "ISA" => self.single(items, |p| Ok(Item::Isa(p.name("a module's name")?))),
            "INIT" => self.single(items, one(Constraint::Init)),
            "TRANS" => self.single(items, one(Constraint::Trans)),
            "INVAR" => self.single(items, one(Constraint::Invar)),
            "SPEC" | "CTLSPEC" | "MUSPEC" => self.single(items, |p| p.spec(SpecKind::Temporal)),
            "LTLSPEC" => self.single(items, |p| p.spec(SpecKind::Linear)),
            "INVARSPEC" => self.single(items, |p| p.spec(SpecKind::Invariant)),
            "COMPUTE" => self.single(items, Self::compute),
            "FAIRNESS" | "JUSTICE" => {
                self.single(items, |p| Ok(Item::Fair { first: p.expr()?, second: None }))
            }
            "COMPASSION" => self.single(items, Self::compassion),
            _ if UNSUPPORTED.contains(&word) => {
                let error = self.unsupported(span, &format!("`{word}`"));
                let error = match word {
                    "PSLSPEC" => {
                        error.help("most of what PSL says of a model can be said by LTLSPEC or SPEC")
                    }
                    _ => error,
                };
                self.found.add(error);
                self.recover(true);
            }
            _ => {
                let message = format!("expected a section such as `VAR` or `ASSIGN`, found `{word}`");
                self.found.add(Diagnostic::error(Code::Syntax, span, message));
                self.recover(true);
            }
        }
    }

    /// Skips to the next section, or just past the next `;`.
    fn recover(&mut self, whole_section: bool) {
        self.depth = 0;
        while self.token() != Token::End && !self.is_section() {
            let end = self.token() == Token::Symbol(";");
            self.advance();
            if end && !whole_section {
                return;
            }
        }
    }

    fn entries(&mut self, items: &mut Vec<Item>, mut entry: impl FnMut(&mut Self) -> Checked<Item>) {
        while self.token() != Token::End && !self.is_section() {
            if self.take(";") {
                continue;
            }
            match entry(self).and_then(|item| self.need(";").map(|()| item)) {
                Ok(item) => items.push(item),
                Err(error) => {
                    self.found.add(error);
                    self.recover(false);
                }
            }
        }
    }

    fn single(&mut self, items: &mut Vec<Item>, entry: impl FnOnce(&mut Self) -> Checked<Item>) {
        match entry(self) {
            Ok(item) => {
                items.push(item);
                while self.take(";") {}
            }
            Err(error) => {
                self.found.add(error);
                self.recover(true);
            }
        }
    }

    /// A name that may have members and numbers in it, as models that a tool has flattened do: `p.line`, `bit[0]`.
    fn declared(&mut self, what: &str) -> Checked<Name> {
        let mut name = self.name(what)?;
        loop {
            if self.take(".") {
                name.text.push('.');
                match self.token() {
                    Token::Number(number) => {
                        name.text.push_str(number);
                        self.advance();
                    }
                    _ => name.text.push_str(&self.name(what)?.text),
                }
            } else if self.take("[") {
                let minus = if self.take("-") { "-" } else { "" };
                let Token::Number(number) = self.token() else { return Err(self.expected("a number")) };
                name.text += &format!("[{minus}{number}]");
                self.advance();
                self.need("]")?;
            } else {
                name.span = name.span.to(self.before());
                return Ok(name);
            }
        }
    }

    fn variable(&mut self, storage: Storage) -> Checked<Item> {
        let name = self.declared("a variable's name")?;
        self.need(":")?;
        Ok(Item::Variable { storage, name, kind: self.kind()? })
    }

    fn kind(&mut self) -> Checked<Type> {
        if self.depth == self.nesting {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let start = self.span();
        let kind = self.kind_at(start);
        self.depth -= 1;
        Ok(Type { kind: kind?, span: start.to(self.before()) })
    }

    fn kind_at(&mut self, start: Span) -> Checked<TypeKind> {
        match self.token() {
            Token::Word("boolean") => {
                self.advance();
                Ok(TypeKind::Boolean)
            }
            Token::Word("array") => {
                self.advance();
                let low = self.sum()?;
                self.need("..")?;
                let high = self.sum()?;
                if !self.take_word("of") {
                    return Err(self.expected("`of`"));
                }
                Ok(TypeKind::Array(low.into(), high.into(), self.kind()?.into()))
            }
            Token::Word("word" | "Word") => {
                self.advance();
                self.word(false)
            }
            Token::Word(sign @ ("signed" | "unsigned"))
                if matches!(self.token_after(), Token::Word("word" | "Word")) =>
            {
                self.advance();
                self.advance();
                self.word(sign == "signed")
            }
            Token::Word("process") => {
                self.advance();
                self.instance(true)
            }
            Token::Word("real" | "Real" | "clock" | "integer" | "Integer") => {
                let Token::Word(word) = self.token() else { unreachable!("just matched") };
                let error = self.unsupported(start, &format!("the type `{word}`"));
                Err(error.help("only finite types are: a range such as 0..100, word[8], an enumeration"))
            }
            Token::Symbol("{") => {
                self.advance();
                let mut values = vec![self.sum()?];
                while self.take(",") {
                    values.push(self.sum()?);
                }
                self.need("}")?;
                Ok(TypeKind::Enumeration(values))
            }
            Token::Word(_) if !self.is_range() => self.instance(false),
            Token::Number(_) | Token::Word(_) | Token::Symbol("-" | "+" | "(") => {
                let low = self.sum()?;
                self.need("..")?;
                Ok(TypeKind::Range(low.into(), self.sum()?.into()))
            }
            _ => Err(self.expected("a type")),
        }
    }

    /// The width of a word.
    fn word(&mut self, signed: bool) -> Checked<TypeKind> {
        self.need("[")?;
        let width = self.sum()?;
        self.need("]")?;
        Ok(TypeKind::Word(signed, width.into()))
    }

    fn instance(&mut self, process: bool) -> Checked<TypeKind> {
        let name = self.name("a module's name")?;
        let mut arguments = vec![];
        if self.take("(") && !self.take(")") {
            arguments = self.arguments()?;
            self.need(")")?;
        }
        Ok(TypeKind::Instance(process, name, arguments))
    }

    /// Whether a range such as `n - 1..m` begins here, and no module's name.
    fn is_range(&self) -> bool {
        let mut depth = 0;
        for (token, _) in &self.tokens[self.at..] {
            match token {
                Token::Symbol("(" | "[") => depth += 1,
                Token::Symbol(")" | "]") => depth -= 1,
                Token::Symbol("..") if depth == 0 => return true,
                Token::Symbol(";" | "{" | "}" | ":" | ":=" | ",") if depth == 0 => return false,
                Token::End => return false,
                _ => {}
            }
            if depth < 0 {
                return false;
            }
        }
        false
    }

    pub fn arguments(&mut self) -> Checked<Vec<Expr>> {
        let mut list = vec![self.expr()?];
        while self.take(",") {
            list.push(self.expr()?);
        }
        Ok(list)
    }

    fn define(&mut self) -> Checked<Item> {
        let name = self.declared("a definition's name")?;
        self.need(":=")?;
        Ok(Item::Define { name, body: self.expr()? })
    }

    fn constants(&mut self) -> Checked<Item> {
        let mut names = vec![self.constant_name()?];
        while self.take(",") {
            names.push(self.constant_name()?);
        }
        self.need(";")?;
        Ok(Item::Constants(names))
    }

    /// Numbers need not be declared, but may.
    fn constant_name(&mut self) -> Checked<Name> {
        if let Token::Number(text) = self.token() {
            let name = Name { text: text.to_owned(), span: self.span() };
            self.advance();
            return Ok(name);
        }
        self.declared("a constant")
    }

    fn assign(&mut self) -> Checked<Item> {
        let when = match self.token() {
            Token::Word("init") => When::Init,
            Token::Word("next") => When::Next,
            _ => When::Always,
        };
        let target = if when == When::Always {
            self.postfix()?
        } else {
            self.advance();
            self.need("(")?;
            let target = self.postfix()?;
            self.need(")")?;
            target
        };
        self.need(":=")?;
        Ok(Item::Assign { when, target, value: self.expr()? })
    }

    fn constraint(&mut self, kind: Constraint) -> Checked<Item> {
        Ok(Item::Constraint { kind, body: self.expr()? })
    }

    fn spec(&mut self, kind: SpecKind) -> Checked<Item> {
        let name = self.spec_name()?;
        self.linear = kind == SpecKind::Linear;
        let body = self.expr();
        self.linear = false;
        Ok(Item::Spec { kind, name, body: body?, within: self.within()? })
    }

    /// `IN left.channel`: the instance whose names a specification uses.
    fn within(&mut self) -> Checked<Option<Name>> {
        match self.take_word("IN") {
            true => self.declared("an instance's name").map(Some),
            false => Ok(None),
        }
    }

    /// `NAME x :=`, or just `x :=`.
    fn spec_name(&mut self) -> Checked<Option<Name>> {
        let plain = matches!(self.token(), Token::Word(_)) && self.token_after() == Token::Symbol(":=");
        if !plain && !self.take_word("NAME") {
            return Ok(None);
        }
        let name = self.name("the specification's name")?;
        self.need(":=")?;
        Ok(Some(name))
    }

    fn compute(&mut self) -> Checked<Item> {
        let name = self.spec_name()?;
        let longest = self.take_word("MAX");
        if !longest && !self.take_word("MIN") {
            return Err(self.expected("`MIN` or `MAX`"));
        }
        self.need("[")?;
        let from = self.expr()?;
        self.need(",")?;
        let to = self.expr()?;
        self.need("]")?;
        Ok(Item::Compute { longest, name, from, to, within: self.within()? })
    }

    fn compassion(&mut self) -> Checked<Item> {
        self.need("(")?;
        let first = self.expr()?;
        self.need(",")?;
        let second = self.expr()?;
        self.need(")")?;
        Ok(Item::Fair { first, second: Some(second) })
    }

    pub fn too_deep(&self) -> Diagnostic {
        let message = format!("nested more than {} levels deep", self.nesting);
        let help = "name what is inside with `DEFINE`";
        Diagnostic::error(Code::NestingTooDeep, self.span(), message).help(help)
    }
}
