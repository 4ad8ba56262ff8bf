//! The readable part of a store: what was solved, how, and which files belong to it.

use crate::chunks::{FORMAT, publish, temporary};
use crate::disk::Disk;
use crate::error::StoreError;
use crate::form::{self, OpponentForm};
use crate::rules::rules_digest;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use winset_model::{Game, Opponent, Player, Rewards, State, Valuation, VarId};

/// The manifest's file name.
pub const MANIFEST: &str = "manifest.json";

/// Everything about a solution but the sets and values themselves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The digest of this file's text, with this field's hexadecimal digits replaced by zeros.
    pub digest: String,
    /// The version of the file formats.
    pub format: u32,
    /// What never changes while the solution grows.
    #[serde(flatten)]
    pub header: Header,
    /// The file with the digits' meaning, once there are any.
    pub digits: Option<DigitsRecord>,
    /// The file that says which states belong together, once there are values as leaves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaves: Option<FileRecord>,
    /// The layers whose sets are known, in ascending order.
    pub layers: Vec<LayerRecord>,
    /// Every reachable state is in one of the layers or terminal.
    pub forward_complete: bool,
    /// The value of the start, once everything is solved.
    #[serde(with = "form::value")]
    pub value: Option<Valuation>,
    /// The last check of the values against the rules.
    pub verified: Option<Verdict>,
}

/// What is known about a solution before the first layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The program that solves, with its version.
    pub tool: String,
    /// Which of its engines.
    pub engine: String,
    /// The game and how to build it again.
    pub game: GameRecord,
    /// [`rules_digest`] of the game.
    pub rules: String,
    /// The state variables with the names of their values.
    pub variables: Vec<VariableRecord>,
    /// The blocks into which a state is cut, by variable number, topmost level first.
    pub blocks: Vec<Vec<u32>>,
    /// How the states are distributed over the layers.
    pub layering: Layering,
    /// What a value's code means: a reward for each player. May grow until the first values are written.
    #[serde(with = "form::codes")]
    pub codes: Vec<Rewards>,
    /// What players want.
    #[serde(with = "OpponentForm")]
    pub opponent: Opponent,
    /// Whether distances to the end are stored too.
    pub remoteness: bool,
}

/// Which game, and how to build it again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameRecord {
    /// The game's name.
    pub name: String,
    /// The board's size as the user wrote it; may be empty.
    pub size: String,
    /// The players' names.
    pub players: Vec<String>,
    /// Choices that only some games have.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// The text of the rules if the game comes from a file.
    #[serde(default)]
    pub source: Option<Source>,
}

/// The rules' text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Its language: `gdl`.
    pub language: String,
    /// The text itself, so that the solution can be read without the file.
    pub text: String,
}

/// A variable's names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariableRecord {
    /// Its name.
    pub name: String,
    /// The names of its values.
    pub values: Vec<String>,
}

/// How states are distributed over layers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Layering {
    /// The layer of a state is the sum of the weights of its values, minus `base`. No move lowers it.
    Measure {
        /// A weight for every value of every variable.
        weights: Vec<Vec<i64>>,
        /// The sum in layer 0.
        base: i64,
    },
    /// Layer l holds what l moves from the start can reach. A state can be in several layers, always with
    /// the same value.
    Bfs,
    /// All states are in layer 0.
    Single,
}

/// A file of the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    /// Its name in the directory.
    pub file: String,
    /// Its length.
    pub bytes: u64,
    /// The digest of the whole file.
    pub blake3: String,
    /// The digest that its footer repeats, so that a wrong file is noticed without reading all of it.
    pub seal: String,
}

/// The digits' file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DigitsRecord {
    /// The number of digits of each block.
    pub counts: Vec<u64>,
    /// The file.
    #[serde(flatten)]
    pub file: FileRecord,
}

/// One layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerRecord {
    /// Its number.
    pub layer: u32,
    /// The number of positions, terminal ones included.
    pub positions: u64,
    /// The number of terminal positions.
    pub terminal: u64,
    /// Who is to move in every position of the layer, if it is always the same player.
    pub mover: Option<Player>,
    /// The number of terminal positions of each code (missing ones: none).
    pub terminal_by_code: Vec<u64>,
    /// Terminal positions that are not in the set may have ended under conditions that do not show their rewards: what an
    /// engine that goes on has to know.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unclear: bool,
    /// The number of positions in the set: all that are not terminal, and those terminal ones that the engine
    /// wanted to keep.
    pub stored: u64,
    /// The set.
    pub set: FileRecord,
    /// Their values, once solved.
    pub values: Option<ValuesRecord>,
}

/// The values of a layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValuesRecord {
    /// How the file keeps them.
    pub encoding: Encoding,
    /// The number of positions of each code, terminal ones left out.
    pub by_code: Vec<u64>,
    /// The greatest distance to the end in the layer, if distances are stored.
    pub longest: Option<u32>,
    /// The file.
    #[serde(flatten)]
    pub file: FileRecord,
}

/// How a layer's values are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Encoding {
    /// Bit planes in rank order.
    Packed,
    /// A reduced decision diagram over the digits; what it says about other states has no meaning.
    Diagram,
    /// A diagram over leaves of bits, in which the best value for who moves takes no room.
    Leaves,
}

/// What a check of the values against the rules found. It is only what a file says: who has not made the check
/// has to make it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// The program that checked, with its version.
    pub tool: String,
    /// The number of positions looked at.
    pub checked: u64,
    /// The number of positions stored.
    pub of: u64,
    /// The seed of the sample; none if everything was checked.
    pub seed: Option<u64>,
    /// The number of faults found.
    pub faults: u64,
    /// Every position was solved.
    #[serde(default)]
    pub complete: bool,
    /// Everything that the solution says was shown to follow from the rules.
    #[serde(default)]
    pub proved: bool,
}

impl Header {
    /// The header of a solution of this game, with values win, draw and loss.
    pub fn new(game: &Game, engine: &str, blocks: &[Vec<VarId>], layering: Layering) -> Self {
        let variables = game.variables().iter();
        Header {
            tool: concat!("winset ", env!("CARGO_PKG_VERSION")).to_owned(),
            engine: engine.to_owned(),
            game: GameRecord {
                name: game.name().to_owned(),
                size: game.size().to_owned(),
                players: game.players().to_vec(),
                options: game.choices().0.clone(),
                source: None,
            },
            rules: rules_digest(game),
            variables: variables
                .map(|v| VariableRecord { name: v.name.clone(), values: v.values.clone() })
                .collect(),
            blocks: blocks.iter().map(|block| block.iter().map(|var| var.0).collect()).collect(),
            layering,
            codes: WIN_DRAW_LOSS.map(Rewards::from).to_vec(),
            opponent: Opponent::usual(game.players().len()),
            remoteness: false,
        }
    }

    /// The values are nothing but wins, draws and losses.
    pub fn is_win_draw_loss(&self) -> bool {
        self.codes.iter().all(|code| WIN_DRAW_LOSS.iter().any(|plain| code == plain))
    }

    /// The number of bits of a code.
    pub fn code_bits(&self) -> usize {
        self.codes.len().next_power_of_two().trailing_zeros() as usize
    }

    /// What differs between two headers that should be the same, whatever program wrote them.
    fn difference(&self, other: &Header) -> Option<&'static str> {
        let pairs = [
            ("the game", self.game == other.game),
            ("the rules", self.rules == other.rules && self.variables == other.variables),
            ("the engine", self.engine == other.engine),
            ("the block structure", self.blocks == other.blocks),
            ("the layering", self.layering == other.layering),
            ("the values' meaning", self.codes.starts_with(&other.codes)),
            ("the opponent model", self.opponent == other.opponent),
            ("whether distances are kept", self.remoteness == other.remoteness),
            ("the program's version", self.tool == other.tool),
        ];
        pairs.into_iter().find(|(_, same)| !same).map(|(what, _)| what)
    }
}

/// The codes of games that are won, drawn or lost, as player 0 sees it: 0 lost, 1 drawn, 2 won.
pub const WIN_DRAW_LOSS: [[u8; 2]; 3] = [[0, 100], [50, 50], [100, 0]];

impl Layering {
    /// The only layer in which a state can be, if the state alone says so.
    pub fn layer(&self, state: &State) -> Option<i64> {
        match self {
            Layering::Measure { weights, base } => {
                let sum = weights.iter().zip(&state.0).map(|(w, &value)| w[value as usize]);
                Some(sum.fold(0i64, i64::wrapping_add).wrapping_sub(*base))
            }
            Layering::Bfs => None,
            Layering::Single => Some(0),
        }
    }

    /// How much higher than at the start the measure is in a layer, if layers are those of a measure.
    pub fn measure(&self, record: &LayerRecord) -> Option<u32> {
        matches!(self, Layering::Measure { .. }).then_some(record.layer)
    }
}

impl Manifest {
    /// A manifest without layers.
    pub fn new(header: Header) -> Self {
        Manifest {
            digest: String::new(),
            format: FORMAT,
            header,
            digits: None,
            leaves: None,
            layers: vec![],
            forward_complete: false,
            value: None,
            verified: None,
        }
    }

    /// The record of a layer.
    pub fn layer(&self, layer: u32) -> Option<&LayerRecord> {
        let at = self.layers.binary_search_by_key(&layer, |record| record.layer).ok()?;
        Some(&self.layers[at])
    }

    /// The names of all files that belong to the solution.
    pub fn files(&self) -> impl Iterator<Item = &FileRecord> {
        let layers = self.layers.iter();
        let of_layers =
            layers.flat_map(|l| std::iter::once(&l.set).chain(l.values.as_ref().map(|v| &v.file)));
        self.digits.iter().map(|d| &d.file).chain(&self.leaves).chain(of_layers)
    }

    /// Reads and checks a directory's manifest.
    pub fn read(disk: &dyn Disk, directory: &Path) -> Result<Self, StoreError> {
        let path = directory.join(MANIFEST);
        let file = match disk.open(&path) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                return Err(StoreError::NoStore(directory.to_owned()));
            }
            other => other.map_err(|e| StoreError::io("opening", &path, e))?,
        };
        let reading = |e| StoreError::io("reading", &path, e);
        let length = file.length().map_err(reading)?;
        if length > MOST_BYTES {
            return Err(StoreError::damaged(&path, "it is larger than a manifest can be"));
        }
        let mut bytes = vec![0; length as usize];
        file.read_at(&mut bytes, 0).map_err(reading)?;
        let text = String::from_utf8(bytes).map_err(|_| StoreError::damaged(&path, "it is not text"))?;
        if is_too_large(&text) {
            return Err(StoreError::damaged(&path, "it is larger than a manifest can be"));
        }
        Self::parse(&path, &text)
    }

    fn parse(path: &Path, text: &str) -> Result<Self, StoreError> {
        #[derive(Deserialize)]
        struct Version {
            format: u32,
        }
        let not_json = |e: serde_json::Error| StoreError::damaged(path, e.to_string());
        let Version { format } = serde_json::from_str(text).map_err(not_json)?;
        if format != FORMAT {
            return Err(StoreError::Version { path: path.to_owned(), found: format, known: FORMAT });
        }
        let manifest: Manifest = serde_json::from_str(text).map_err(not_json)?;
        if !text.starts_with(&opening(&manifest.digest)) || manifest.digest != text_digest(text) {
            return Err(StoreError::damaged(path, "its digest is wrong"));
        }
        match manifest.inconsistency() {
            None => Ok(manifest),
            Some(what) => Err(StoreError::damaged(path, what)),
        }
    }

    /// Refuses to go on with a solution of something else.
    pub(crate) fn check_same(&self, path: &Path, header: &Header) -> Result<(), StoreError> {
        match self.header.difference(header) {
            None => Ok(()),
            Some(what) => Err(StoreError::Mismatch { path: path.to_owned(), what }),
        }
    }

    /// Writes the manifest: under a temporary name, synced, renamed, directory synced.
    pub(crate) fn write(&mut self, disk: &dyn Disk, directory: &Path) -> Result<(), StoreError> {
        let refused = |what: String| StoreError::Unreadable { path: directory.join(MANIFEST), what };
        if let Some(what) = self.inconsistency() {
            return Err(refused(what));
        }
        self.digest = "0".repeat(64);
        let mut text = self.text();
        if is_too_large(&text) {
            return Err(refused("it is too large".to_owned()));
        }
        self.digest = text_digest(&text);
        text.replace_range(BEFORE_DIGEST..BEFORE_DIGEST + 64, &self.digest);
        let path = temporary(directory, MANIFEST);
        let mut sink = disk.create(&path).map_err(|e| StoreError::io("creating", &path, e))?;
        sink.append(text.as_bytes()).map_err(|e| StoreError::io("writing", &path, e))?;
        sink.sync().map_err(|e| StoreError::io("syncing", &path, e))?;
        drop(sink);
        publish(disk, directory, &path, MANIFEST)
    }

    fn text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("plain data");
        text.push('\n');
        text
    }
}

/// A manifest is a few kilobytes for each layer and the text of the rules.
const MOST_BYTES: u64 = 1 << 24;
/// It has no more lists, objects and elements than this, each of which takes some memory however short its text is.
const MOST_PARTS: usize = 1 << 20;

/// Whether a text would take much memory if it were read as a manifest.
fn is_too_large(text: &str) -> bool {
    let part = |byte: &&u8| matches!(byte, b'[' | b'{' | b',');
    text.len() as u64 > MOST_BYTES || text.as_bytes().iter().filter(part).count() > MOST_PARTS
}

/// Where the digest stands in the text.
const BEFORE_DIGEST: usize = "{\n  \"digest\": \"".len();

/// How a manifest begins.
fn opening(digest: &str) -> String {
    format!("{{\n  \"digest\": \"{digest}\",\n")
}

/// The digest of a manifest's text with zeros where its own digest stands.
fn text_digest(text: &str) -> String {
    let (before, zeros) = (BEFORE_DIGEST, "0".repeat(64));
    let mut hasher = blake3::Hasher::new();
    let after = text.as_bytes().get(before + 64..).unwrap_or_default();
    hasher.update(&text.as_bytes()[..before.min(text.len())]).update(zeros.as_bytes()).update(after);
    hasher.finalize().to_hex().to_string()
}
