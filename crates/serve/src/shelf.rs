//! The solutions that are served: found in directories, opened when somebody asks.

use crate::desk::Desk;
use crate::layout::Layout;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};
use winset::Solved;
use winset_explore::census::Histogram;
use winset_explore::stats::Stats;
use winset_model::{Board, visible};
use winset_store::{GameRecord, MANIFEST, Manifest, OsDisk};

/// How deep solutions may lie in a directory that is served.
const DEPTH: usize = 3;
/// No more solutions than this are served from directories.
const MOST: usize = 10_000;
/// A solution that is not finished is looked at again after this.
const FRESH: Duration = Duration::from_secs(2);

/// A solution that can be asked, with what is prepared for it.
pub struct Room {
    /// Its name in addresses.
    pub id: String,
    /// Whoever asks sits here.
    pub desk: Desk,
    /// How positions look.
    pub layout: Layout,
    /// Positions by value and distance, once somebody wanted to know.
    pub histogram: Mutex<Count>,
    opened: Instant,
}

/// A histogram that may still be counted.
#[derive(Clone, Default)]
pub enum Count {
    /// Nobody has asked.
    #[default]
    No,
    /// It is being counted.
    Counting,
    /// Here it is.
    Done(Arc<Histogram>),
    /// It cannot be had, and this is why.
    Refused(String),
}

impl Room {
    fn new(id: String, solved: Solved) -> Self {
        let layout = Layout::of(solved.game());
        Room { id, desk: Desk::new(solved), layout, histogram: Mutex::default(), opened: Instant::now() }
    }

    /// The solution.
    pub fn solved(&self) -> &Solved {
        self.desk.solved()
    }

    /// What was solved and how.
    pub fn manifest(&self) -> &Manifest {
        self.solved().store().manifest()
    }

    /// The counts of every layer, with names as they are shown: they go into pages, tables and pictures.
    pub fn stats(&self) -> Stats {
        let mut stats = self.solved().stats();
        let names = stats.values.iter_mut().map(|column| &mut column.name);
        names.chain([&mut stats.game, &mut stats.size]).for_each(|name| *name = visible(name).into_owned());
        stats
    }

    /// What the game is called, with its size and options.
    pub fn title(&self) -> String {
        title(&self.manifest().header.game, self.solved().game().board())
    }
}

/// Names that are written in another way than by their words.
const NAMES: [(&str, &str); 16] = [
    ("connect4", "Connect Four"),
    ("tictactoe", "Tic-tac-toe"),
    ("wild-tictactoe", "Wild tic-tac-toe"),
    ("six-mens-morris", "Six men’s morris"),
    ("nine-mens-morris", "Nine men’s morris"),
    ("three-mens-morris", "Three men’s morris"),
    ("dawsons-kayles", "Dawson’s kayles"),
    ("pong-hau-ki", "Pong hau k’i"),
    ("mu-torere", "Mū tōrere"),
    ("konane", "Kōnane"),
    ("bridg-it", "Bridg-it"),
    ("tac-tix", "Tac Tix"),
    ("krk", "King and rook against king"),
    ("kqk", "King and queen against king"),
    ("kpk", "King and pawn against king"),
    ("kbnk", "King, bishop and knight against king"),
];

/// What a game is called, with its size and options.
pub fn title(record: &GameRecord, board: Option<&Board>) -> String {
    let named = NAMES.iter().find(|(name, _)| record.source.is_none() && *name == record.name);
    let name = named.map_or_else(
        || {
            let spaced = visible(&record.name).replace(['_', '-'], " ");
            let mut letters = spaced.chars();
            letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
        },
        |(_, name)| (*name).to_owned(),
    );
    // One number is the side of a square board, where there is such a board.
    let side = record.size.parse::<usize>().ok();
    let size = match side.filter(|&side| board.is_some_and(|b| (b.rows, b.columns) == (side, side))) {
        Some(side) => format!("{side}×{side}"),
        _ => visible(&record.size).replace('x', "×"),
    };
    let mut title = format!("{name} {size}").trim_end().to_owned();
    for (name, value) in &record.options {
        title.push_str(&format!(", {} {}", visible(name), visible(value)));
    }
    title
}

/// Where a solution is.
enum Place {
    Directory(PathBuf),
    /// Always open.
    Here(Arc<Room>),
}

/// All solutions, in the order of their names.
pub struct Shelf {
    roots: Vec<PathBuf>,
    places: RwLock<BTreeMap<String, Place>>,
    /// Open rooms, the one asked last at the end.
    open: Mutex<Vec<Arc<Room>>>,
    /// How many may be open.
    most_open: usize,
    looked: Mutex<Option<Instant>>,
    /// What was found and cannot be served.
    skipped: RwLock<Vec<(PathBuf, String)>>,
}

impl Shelf {
    /// Serves the solutions in these directories, with this many open at a time.
    pub fn new(roots: Vec<PathBuf>, most_open: usize) -> Self {
        let shelf = Shelf {
            roots,
            places: RwLock::default(),
            open: Mutex::default(),
            most_open: most_open.max(1),
            looked: Mutex::default(),
            skipped: RwLock::default(),
        };
        shelf.look();
        shelf
    }

    /// Serves a solution that is already open too. Gives its id.
    pub fn add(&self, solved: Solved) -> String {
        let mut places = self.places.write().unwrap_or_else(PoisonError::into_inner);
        let id = free_id(&places, &solved.store().manifest().header.game);
        let room = Arc::new(Room::new(id.clone(), solved));
        places.insert(id.clone(), Place::Here(room));
        id
    }

    /// Serves the solution in a directory. Gives its id.
    pub fn add_directory(&self, directory: &Path) -> Option<String> {
        let mut places = self.places.write().unwrap_or_else(PoisonError::into_inner);
        self.insert(&mut places, directory)
    }

    /// What was found and cannot be served.
    pub fn skipped(&self) -> Vec<(PathBuf, String)> {
        self.skipped.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The ids of all solutions. Looks for new ones now and then.
    pub fn ids(&self) -> Vec<String> {
        let old = {
            let looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
            looked.is_none_or(|at| at.elapsed() > FRESH)
        };
        if old {
            self.look();
        }
        self.places.read().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }

    /// The solution with this id, opened if it is not. None if there is none of this name.
    pub fn room(&self, id: &str) -> Option<Result<Arc<Room>, winset::Error>> {
        let directory = match self.places.read().unwrap_or_else(PoisonError::into_inner).get(id)? {
            Place::Here(room) => return Some(Ok(room.clone())),
            Place::Directory(directory) => directory.clone(),
        };
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = open.iter().position(|room| room.id == id) {
            let room = open.remove(at);
            let finished = room.solved().store().is_complete();
            if finished || room.opened.elapsed() < FRESH || !changed(&room, &directory) {
                open.push(room.clone());
                return Some(Ok(room));
            }
        }
        if open.len() >= self.most_open {
            open.remove(0);
        }
        Some(winset::open(&directory).map(|solved| {
            let room = Arc::new(Room::new(id.to_owned(), solved));
            open.push(room.clone());
            room
        }))
    }

    fn look(&self) {
        let mut places = self.places.write().unwrap_or_else(PoisonError::into_inner);
        places.retain(|_, place| match place {
            Place::Directory(directory) => directory.join(MANIFEST).is_file(),
            Place::Here(_) => true,
        });
        self.skipped.write().unwrap_or_else(PoisonError::into_inner).clear();
        for root in &self.roots {
            self.look_in(&mut places, root, DEPTH);
        }
        *self.looked.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    fn look_in(&self, places: &mut BTreeMap<String, Place>, directory: &Path, depth: usize) {
        if directory.join(MANIFEST).is_file() {
            self.insert(places, directory);
            return;
        }
        let Some(depth) = depth.checked_sub(1) else { return };
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
        let mut below: Vec<PathBuf> =
            entries.map(|entry| entry.path()).filter(|path| path.is_dir()).take(MOST).collect();
        below.sort();
        below.iter().for_each(|path| self.look_in(places, path, depth));
    }

    fn insert(&self, places: &mut BTreeMap<String, Place>, directory: &Path) -> Option<String> {
        let same = |(id, place): (&String, &Place)| match place {
            Place::Directory(known) if known == directory => Some(id.clone()),
            _ => None,
        };
        if let Some(id) = places.iter().find_map(same) {
            return Some(id);
        }
        if places.len() >= MOST {
            return None;
        }
        match Manifest::read(&OsDisk, directory) {
            Ok(manifest) => {
                let id = free_id(places, &manifest.header.game);
                places.insert(id.clone(), Place::Directory(directory.to_owned()));
                Some(id)
            }
            Err(error) => {
                let mut skipped = self.skipped.write().unwrap_or_else(PoisonError::into_inner);
                skipped.push((directory.to_owned(), error.to_string()));
                None
            }
        }
    }
}

/// Whether the solver has come further since the room was opened.
fn changed(room: &Room, directory: &Path) -> bool {
    Manifest::read(&OsDisk, directory).map_or(true, |manifest| manifest.digest != room.manifest().digest)
}

/// A name for addresses: letters, digits and dashes.
fn free_id(places: &BTreeMap<String, Place>, record: &GameRecord) -> String {
    let mut words = vec![record.name.clone(), record.size.clone()];
    words.extend(record.options.iter().flat_map(|(name, value)| [name.clone(), value.clone()]));
    let mut id = String::new();
    for c in words.join("-").chars().take(80) {
        match c {
            'a'..='z' | '0'..='9' => id.push(c),
            'A'..='Z' => id.push(c.to_ascii_lowercase()),
            _ if !id.ends_with('-') => id.push('-'),
            _ => {}
        }
    }
    let id = match id.trim_matches('-') {
        "" => "game".to_owned(),
        id => id.to_owned(),
    };
    let free = |id: &String| !places.contains_key(id);
    std::iter::once(id.clone()).chain((2..).map(|n| format!("{id}-{n}"))).find(free).unwrap_or(id)
}
