//! Files to write at the end of the work: whether they can be written is found out before it.

use crate::failure::Failure;
use anyhow::{Context, bail};
use std::fs::{File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::path::{Path, PathBuf};
use winset_report::plot::{Figure, Format};

/// A file that will be written.
#[derive(Debug)]
pub struct Target {
    path: PathBuf,
    /// Where it is written before it gets its name; none for a device or pipe, which is written as it is.
    beside: Option<PathBuf>,
}

impl Target {
    /// Makes sure that the file can be written, without touching one that is there.
    pub fn new(path: &Path) -> Result<Self, Failure> {
        Self::tested(path).with_context(|| format!("cannot write {}", path.display())).map_err(Failure::from)
    }

    fn tested(path: &Path) -> anyhow::Result<Self> {
        // A link stays one: what it leads to is written.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        match std::fs::metadata(&path) {
            Ok(found) if found.is_dir() => bail!("it is a directory"),
            Ok(found) if !found.is_file() => return Ok(Target { path, beside: None }),
            Ok(_) => drop(OpenOptions::new().append(true).open(&path)?),
            Err(_) => {}
        }
        let Some(name) = path.file_name() else { bail!("it has no name") };
        let beside = path.with_file_name(passing_name(&name.to_string_lossy()));
        probe(path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")))?;
        Ok(Target { path, beside: Some(beside) })
    }

    /// Writes the file; another of this name is replaced only when all is written.
    pub fn write(&self, bytes: &[u8]) -> Result<(), Failure> {
        let result = match &self.beside {
            None => {
                OpenOptions::new().write(true).open(&self.path).and_then(|mut file| file.write_all(bytes))
            }
            Some(beside) => {
                let written = File::create_new(beside)
                    .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
                    .and_then(|()| std::fs::rename(beside, &self.path));
                if written.is_err() {
                    let _ = std::fs::remove_file(beside);
                }
                written
            }
        };
        Ok(result.with_context(|| format!("cannot write {}", self.path.display()))?)
    }
}

/// Makes sure that a directory can be made or written to, without making it.
pub fn directory(path: &Path) -> Result<(), Failure> {
    let tested = || -> anyhow::Result<()> {
        let mut at = path;
        while at.symlink_metadata().is_err() {
            match at.parent() {
                Some(parent) if !parent.as_os_str().is_empty() => at = parent,
                _ => {
                    at = Path::new(".");
                    break;
                }
            }
        }
        if !at.is_dir() {
            bail!("{} is not a directory", at.display());
        }
        Ok(probe(at)?)
    };
    tested().with_context(|| format!("cannot write to {}", path.display())).map_err(Failure::from)
}

/// The name of a file that is there for a moment. Others may write to the directory too: nobody can put a link under a name
/// that cannot be guessed, and if there is one it is not followed.
fn passing_name(name: &str) -> String {
    let secret = RandomState::new().hash_one(std::process::id());
    format!(".{name}.{secret:016x}.part")
}

/// Makes a file without a name in a directory, so that nothing is left there whenever this program is ended.
fn probe(directory: &Path) -> std::io::Result<()> {
    tempfile::tempfile_in(directory).map(drop)
}

/// What is written beside the table, or instead of it.
#[derive(Debug)]
pub enum Csv {
    None,
    File(Target),
    /// To standard output, and nothing else.
    Output,
}

/// Where a result goes, tested before the work.
#[derive(Debug)]
pub struct Outputs {
    pub json: bool,
    pub csv: Csv,
    pub plot: Option<Plot>,
}

impl Outputs {
    /// Tests every path that was given.
    pub fn of(args: &crate::args::OutputArgs) -> Result<Self, Failure> {
        Outputs::new(args.json, args.csv.as_deref(), args.plot.as_deref())
    }

    /// The same for a command that has no progress to tell.
    pub fn new(json: bool, csv: Option<&Path>, plot: Option<&Path>) -> Result<Self, Failure> {
        let csv = match csv {
            None => Csv::None,
            Some(path) if is_dash(path) && json => {
                return Err(Failure::wrong_use("--csv - and --json both want standard output: choose one"));
            }
            Some(path) if is_dash(path) => Csv::Output,
            Some(path) => Csv::File(Target::new(path)?),
        };
        let plot = plot.map(Plot::new).transpose()?;
        Ok(Outputs { json, csv, plot })
    }
}

/// A picture that will be drawn.
#[derive(Debug)]
pub struct Plot {
    file: Target,
    format: Format,
}

impl Plot {
    /// The file's ending says which format; what no format has is refused before the work.
    pub fn new(path: &Path) -> Result<Self, Failure> {
        if is_dash(path) {
            return Err(Failure::wrong_use("--plot takes a file that ends in .svg or .png"));
        }
        let format = Format::of(path).ok_or_else(|| {
            let file = path.display();
            Failure::wrong_use(format!("--plot {file}: a picture is a file that ends in .svg or .png"))
        })?;
        Ok(Plot { file: Target::new(path)?, format })
    }

    /// Draws it.
    pub fn write(&self, figure: &Figure) -> Result<(), Failure> {
        self.file.write(&figure.draw(self.format)?)
    }
}

/// A flag's file, which cannot be standard output.
pub fn file(flag: &str, path: &Path) -> Result<Target, Failure> {
    if is_dash(path) {
        return Err(Failure::wrong_use(format!("{flag} takes a file; for one that is called - write ./-")));
    }
    Target::new(path)
}

fn is_dash(path: &Path) -> bool {
    path == Path::new("-")
}
