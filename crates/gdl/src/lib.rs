//! GDL
mod check;
mod components;
mod condense;
mod core;
mod diagnostic;
mod evaluate;
mod ground;
mod join;
mod limits;
mod lower;
mod nnf;
mod parse;
mod read;
mod relation;
mod symbols;
mod syntax;
mod terms;

pub use diagnostic::*;
pub use limits::Limits;

pub fn try_ground(source: &[u8]) -> Result<(usize, usize, usize), Vec<Diagnostic>> {
    let mut findings = diagnostic::Findings::default();
    let limits = Limits::default();
    let reading = read::read(source, limits.nesting, &mut findings);
    let program = parse::parse(reading, &mut findings);
    let mut rules: Vec<_> = program.rules.iter().enumerate().map(|(i, r)| nnf::normalize(r, i)).collect();
    check::check(&mut rules, &program.symbols, false, &mut findings);
    if findings.has_errors() {
        return Err(findings.list);
    }
    let mut lowered = lower::lower(&rules, &mut findings);
    condense::condense(&mut lowered);
    let mut meter = limits::Meter::new(&limits, program.rules.len());
    let spans: Vec<Span> = program.rules.iter().map(|r| r.span).collect();
    let mut ev = evaluate::evaluate(lowered, &mut meter).map_err(|e| vec![meter.blame(e, &spans)])?;
    let g = ground::ground(&mut ev, &mut meter).map_err(|e| vec![meter.blame(e, &spans)])?;
    Ok((g.fluents.len(), g.actions.len(), g.rules()))
}
