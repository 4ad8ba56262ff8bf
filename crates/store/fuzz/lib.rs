//! A small store in which a fuzzer's bytes take the place of one file's contents. Checksums, seals and digests are
//! computed anew for every input, as anybody could: nothing may panic, and what is proved is what was written.

use std::path::PathBuf;
use std::sync::OnceLock;
use winset_reference::forge::{Container, Forged};
use winset_reference::{Cut, build, open, scratch, solve, write};
use winset_store::Store;

/// A store on trial: one file of it is replaced again and again.
pub struct Trial {
    directory: PathBuf,
    /// The right one.
    pub right: Forged,
}

/// The trial of this process.
pub fn trial() -> &'static Trial {
    static TRIAL: OnceLock<Trial> = OnceLock::new();
    TRIAL.get_or_init(|| {
        let directory = scratch().keep();
        write(&directory, &solve(&build("tictactoe", "3x2x2"), Cut::Stones, true));
        let right = Forged::read(&directory);
        right.write(&directory);
        Trial { directory, right }
    })
}

impl Trial {
    /// The first file of a kind: its name ends so, and its head or manifest entry is of this encoding.
    pub fn file(&self, ending: &str, encoding: Option<&str>) -> String {
        let of_encoding = |name: &str| {
            let layers = self.right.manifest["layers"].as_array().expect("layers");
            let values = layers.iter().map(|layer| &layer["values"]).find(|values| values["file"] == name);
            values.and_then(|values| values["encoding"].as_str()) == encoding
        };
        let mut names = self.right.files.keys();
        names.find(|name| name.ends_with(ending) && of_encoding(name)).expect("such a file").clone()
    }

    /// Replaces a file's head or one of its chunks by a fuzzer's bytes. The first byte says which.
    pub fn replace(&self, name: &str, data: &[u8]) {
        let Some((&which, bytes)) = data.split_first() else { return };
        let mut forged = self.right.clone();
        let file: &mut Container = forged.files.get_mut(name).expect("a file of the store");
        match usize::from(which) % (file.chunks.len() + 1) {
            0 => file.head = bytes.to_vec(),
            chunk => file.chunks[chunk - 1] = bytes.to_vec(),
        }
        forged.write_changed(&self.directory, |changed| changed == name);
        self.ask();
    }

    /// Writes a manifest.
    pub fn replace_manifest(&self, text: &str) {
        std::fs::write(self.directory.join("manifest.json"), text).expect("it can be written");
        self.ask();
    }

    /// Asks everything that can be asked.
    fn ask(&self) {
        let Ok(store) = open(&self.directory) else { return };
        everything(&store);
    }
}

fn everything(store: &Store) {
    let _ = winset_explore::stats::stats(store);
    let _ = store.session().line(store.game().initial());
    let mut exported = vec![];
    let layers: Vec<u32> = store.manifest().layers.iter().map(|l| l.layer).take(3).collect();
    if store.manifest().layers.iter().all(|l| l.stored < 10_000) {
        let _ = winset_explore::export::write_csv(&mut exported, store, &layers);
    }
    let _ = winset_verify::verify_sample(store, 20, 1, winset_verify::MEMORY, &|_, _| ());
    let _ = winset_verify::verify_full(store, winset_verify::MEMORY, &|_, _| ());
}
