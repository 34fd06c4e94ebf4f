use crate::{Cell, unique::unique};

/// Colours in the style sheet, `s0` to `s7`.
const COLOURS: usize = 8;
/// Lines of a second kernel and on are dashed.
const DASHES: [&str; 4] = ["none", "7 3", "2 3", "9 3 2 3"];

/// How the line of a cell looks: its variant decides colour and marker, its kernel the dashes. Markers tell the
/// lines apart without colour.
#[derive(Clone, Copy, Debug)]
pub(super) struct Series {
    variant: usize,
    kernel: usize,
}

impl Series {
    /// The series of each of `cells`. A variant looks the same on every plot of the page.
    pub(super) fn of_cells(cells: &[Cell]) -> Vec<Self> {
        let variants = unique(cells.iter().map(|cell| cell.id().variant));
        let kernels = unique(cells.iter().map(|cell| cell.id().place()));
        cells
            .iter()
            .map(|cell| Self {
                variant: variants
                    .iter()
                    .position(|variant| *variant == cell.id().variant)
                    .unwrap_or(0),
                kernel: kernels
                    .iter()
                    .position(|kernel| *kernel == cell.id().place())
                    .unwrap_or(0),
            })
            .collect()
    }

    /// The class that sets the colour.
    pub(super) fn class(self) -> String {
        format!("s{}", self.variant % COLOURS)
    }

    pub(super) fn dashes(self) -> &'static str {
        DASHES.get(self.kernel % DASHES.len()).copied().unwrap_or("none")
    }

    /// The marker, centred at a point.
    pub(super) fn marker(self, x: f64, y: f64) -> String {
        let outline = match self.variant % 5 {
            0 => return format!("<circle class=\"marker\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>"),
            1 => "m-4 -4h8v8h-8z",
            2 => "m0 -5l5 9h-10z",
            3 => "m0 -5.5l5.5 5.5l-5.5 5.5l-5.5 -5.5z",
            _ => "m0 5l5 -9h-10z",
        };
        format!("<path class=\"marker\" d=\"M{x:.1} {y:.1}{outline}\"/>")
    }

    /// A piece of the line, for a legend. The name stands beside it, so it is hidden from screen readers.
    pub(super) fn swatch(self) -> String {
        format!(
            "<svg class=\"swatch {}\" viewBox=\"0 0 36 14\" aria-hidden=\"true\">\
             <path class=\"line\" stroke-dasharray=\"{}\" d=\"M1 7H35\"/>{}</svg>",
            self.class(),
            self.dashes(),
            self.marker(18.0, 7.0)
        )
    }
}
