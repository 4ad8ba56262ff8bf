//! Tables of the paper, kept as tab-separated text.

/// A published table: the header's names and the rows' cells.
pub struct Published {
    names: Vec<&'static str>,
    rows: Vec<Vec<&'static str>>,
}

/// Reachable states per layer of five boards: Table 1.
pub fn states() -> Published {
    read(include_str!("../../data/connect4-states.tsv"))
}

/// What symbolic retrograde analysis found of 7x6: Table 2.
pub fn symbolic_7x6() -> Published {
    read(include_str!("../../data/connect4-7x6-symbolic.tsv"))
}

/// Nodes and sizes per layer of 6x5: Table 5.
pub fn space_6x5() -> Published {
    read(include_str!("../../data/connect4-6x5-space.tsv"))
}

/// Won, drawn and lost per layer of 6x6: Table 6.
pub fn values_6x6() -> Published {
    read(include_str!("../../data/connect4-6x6-values.tsv"))
}

fn read(text: &'static str) -> Published {
    let mut lines = text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect());
    let names = lines.next().unwrap_or_default();
    Published { names, rows: lines.collect() }
}

impl Published {
    /// The cells of a column that are not empty.
    pub fn cells(&self, name: &str) -> Vec<&'static str> {
        let at = self.names.iter().position(|n| *n == name).expect("a column of the table");
        let cells = self.rows.iter().filter_map(|row| row.get(at).copied());
        cells.filter(|cell| !cell.is_empty()).collect()
    }

    /// A column of numbers.
    pub fn column(&self, name: &str) -> Vec<u128> {
        self.cells(name).iter().map(|cell| cell.parse().expect("a number")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_tables_add_up() {
        let table = states();
        let sum = |name: &str| table.column(name).iter().sum::<u128>();
        assert_eq!(sum("7x6"), 4_531_985_219_092);
        assert_eq!(sum("6x6"), 69_173_028_785);
        assert_eq!(sum("6x5"), 2_818_972_642);
        assert_eq!(sum("5x6"), 1_044_334_437);
        assert_eq!(sum("5x5"), 69_763_700);
        let values = values_6x6();
        let all: u128 =
            ["black", "draw", "white"].iter().map(|who| values.column(who).iter().sum::<u128>()).sum();
        assert_eq!(all, 69_173_028_785);
        let layers = states().column("6x5");
        assert_eq!(space_6x5().column("states"), layers);
        assert_eq!(symbolic_7x6().column("layer"), (31..=42).collect::<Vec<u128>>());
    }
}
