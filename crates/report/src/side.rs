use crate::{
    Cell, Report,
    format::{absent, number},
    grid::{Column, Part},
};

/// A table beside the main one.
pub(crate) struct Titled {
    pub(crate) title: &'static str,
    pub(crate) columns: Vec<Column>,
}

impl Report {
    /// The tables that are there only if a cell has something to put into them.
    pub(crate) fn side_tables(&self) -> Vec<Titled> {
        self.admission_table()
            .into_iter()
            .chain(self.off_cpu_tables())
            .collect()
    }

    /// The keys of the main table but for the era, which the kernel stands for: so that the table fits a terminal.
    pub(crate) fn names_of_cells(&self) -> impl Iterator<Item = Column> {
        self.keys().into_iter().filter(|key| key.title != "era")
    }
}

/// A column of numbers, some of which may be missing.
pub(crate) fn of_number(
    title: &str,
    unit: &'static str,
    value: impl Fn(&Cell) -> Option<f64> + 'static,
) -> Column {
    Column::plain(Part::Cost, title, unit, move |cell| {
        value(cell).map_or_else(absent, number)
    })
}
