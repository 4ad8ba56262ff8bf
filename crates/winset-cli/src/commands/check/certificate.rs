//! Certificates: written by `check --certificate`, checked again by `verify --certificate`.

use super::task::Task;
use super::{CheckArgs, deep};
use crate::failure::Failure;
use crate::memory;
use crate::output::{self, say};
use crate::source;
use anyhow::anyhow;
use clap::{Args, Parser};
use serde_json::json;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use winset_certify::{Certificate, CertifyError, Claims, Entry, Evidence, VERSION};
use winset_mu::Report;

/// What `check` is asked beside the model: whoever checks the certificate asks the same.
pub fn arguments(args: &CheckArgs) -> Vec<String> {
    let mut words: Vec<String> = args.game.size.iter().cloned().collect();
    for (option, value) in &args.game.chosen.0.0 {
        words.push(format!("--{option}={value}"));
    }
    words.extend(args.formula.iter().map(|formula| format!("--formula={formula}")));
    words.extend(args.constraint.iter().map(|formula| format!("--constraint={formula}")));
    match args.limit_pieces {
        Some(Some(most)) => words.push(format!("--limit-pieces={most}")),
        Some(None) => words.push("--limit-pieces".to_owned()),
        None => {}
    }
    words.extend(args.all_states.then(|| "--all-states".to_owned()));
    words
}

/// The certificate of a report that was made with evidence.
pub fn certificate(args: &CheckArgs, task: &Task, report: &Report) -> Certificate {
    let entry = |(spec, verdict): (&super::task::Specification, &winset_mu::Verdict)| Entry {
        specification: spec.text.clone(),
        holds: verdict.holds,
        evidence: verdict.evidence.clone().unwrap_or(Evidence::None),
    };
    Certificate {
        winset_certificate: VERSION,
        arguments: arguments(args),
        order: report.order.iter().map(|var| var.0).collect(),
        fair: report.fair.clone(),
        specifications: task.specs.iter().zip(&report.verdicts).map(entry).collect(),
    }
}

/// `check` as the certificate says it was asked.
#[derive(Parser, Debug)]
struct Asked {
    #[command(flatten)]
    check: CheckArgs,
}

/// Checks a certificate, which shares no code with whoever wrote it but the reading of models and formulas.
pub fn verify(model: &str, file: &Path, json: bool) -> Result<(), Failure> {
    deep(|| verified(model, file, json))
}

fn verified(model: &str, file: &Path, json: bool) -> Result<(), Failure> {
    let cannot = |error: &dyn std::fmt::Display| anyhow!("{} cannot be read: {error}", file.display());
    let opened = File::open(file).map_err(|error| cannot(&error))?;
    let certificate: Certificate =
        serde_json::from_reader(BufReader::new(opened)).map_err(|error| cannot(&error))?;
    let words = ["check".to_owned(), model.to_owned()].into_iter().chain(certificate.arguments.clone());
    let mut asked = Asked::try_parse_from(words).map_err(|error| {
        let what = error.to_string();
        anyhow!("{}: its arguments are wrong: {}", file.display(), what.lines().next().unwrap_or_default())
    })?;
    // Certificates are of all variables.
    asked.check.whole = true;
    let source = source::checkable(&asked.check.game)?;
    let options = crate::engines::options(&asked.check.diagram);
    let task = Task::new(&asked.check, &source, &options)?;
    let specifications: Vec<_> =
        task.specs.iter().map(|spec| (spec.text.clone(), spec.property.clone())).collect();
    let claims = Claims {
        system: &task.system,
        specifications: &specifications,
        fairness: task.fairness.as_ref(),
        constraint: task.scope.constraint,
    };
    let proved = winset_certify::verify(&claims, &certificate, memory::left()).map_err(|error| {
        let refused = anyhow!("the certificate is refused: {error}");
        match error {
            CertifyError::Memory(_) => Failure::Cannot(anyhow!("{error}; give it more with --memory")),
            CertifyError::Formula(_) => Failure::wrong_use(error),
            _ => Failure::Cannot(refused),
        }
    })?;
    if json {
        let claim = |claim: &winset_certify::Claim| json!({"specification": claim.specification, "proved": claim.holds.is_some(), "holds": claim.holds});
        let claims: Vec<_> = proved.iter().map(claim).collect();
        output::json(&json!({"model": model, "arguments": certificate.arguments, "specifications": claims}))?;
    } else {
        let asked = certificate.arguments.iter().map(|word| format!(" {word}")).collect::<String>();
        say!("{model}{asked}\n")?;
        for claim in &proved {
            let word = match claim.holds {
                Some(true) => "true, proved",
                Some(false) => "false, proved",
                None => "not proved: a number was computed",
            };
            say!("  {}: {word}\n", claim.specification)?;
        }
    }
    Ok(())
}

/// Where a certificate is read from.
#[derive(Args, Clone, Debug)]
pub struct CertificateArgs {
    /// Instead of a solution: check what proves the verdicts of `check MODEL --certificate FILE`, against the model
    #[arg(long, value_name = "FILE", conflicts_with_all = ["full", "by", "sample", "record"])]
    pub certificate: Option<PathBuf>,
}
