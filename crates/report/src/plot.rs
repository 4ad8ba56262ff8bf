//! Plots as SVG or PNG: lines over a logarithmic axis, and bars cut by kind.

use crate::bitmap::Bitmap;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::path::Path;
use thiserror::Error;
use winset_model::visible;

/// Why there is no plot.
#[derive(Debug, Error)]
pub enum PlotError {
    /// It could not be drawn.
    #[error("the plot could not be drawn: {0}")]
    Drawing(String),
}

/// One line of a plot.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Its points, x ascending; only positive y can be shown on a logarithmic axis.
    pub points: Vec<(f64, f64)>,
}

/// One bar of a plot.
#[derive(Clone, Debug)]
pub struct Bar {
    /// What stands below it.
    pub label: String,
    /// The height of each part, in the order of the parts' names, or the whole alone where the parts are not known.
    pub parts: Vec<f64>,
}

/// Colours that the colour-blind can tell apart (Okabe and Ito).
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(213, 94, 0),
    RGBColor(0, 0, 0),
];

/// For a bar whose parts are not known.
const GREY: RGBColor = RGBColor(221, 221, 221);

/// For what nobody wins: it stands between the colours of the players.
const LEVEL: RGBColor = RGBColor(165, 165, 165);
const DRAWN: RGBColor = RGBColor(120, 120, 120);
/// For what is over.
const ENDED: RGBColor = RGBColor(212, 226, 214);

/// The width of a picture, the height of each of its parts, and of the title above them.
const WIDTH: u32 = 900;
const HEIGHT: u32 = 520;
const TITLE: u32 = 44;
/// The heights of a part's heading and of the names below it, and the room for the labels beside it.
const HEADING: u32 = 28;
const LEGEND: u32 = 30;
const LABELS: u32 = 86;
/// The middle of what is drawn, across.
const CENTRE: i32 = (14 + LABELS as i32 + WIDTH as i32 - 28) / 2;
/// The longest name in a legend.
const LONGEST_NAME: usize = 28;

/// Dark, but not black: what is written beside what is shown.
const INK: RGBColor = RGBColor(40, 40, 40);
const FAINT: RGBColor = RGBColor(226, 226, 226);

type Drawn = Result<(), Box<dyn std::error::Error>>;

/// How a picture is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Lines and letters, which can be made larger.
    Svg,
    /// Pixels.
    Png,
}

impl Format {
    /// The format that a file's name asks for by its ending, in capitals or not.
    ///
    /// ```
    /// use winset_report::plot::Format;
    /// assert_eq!(Format::of("layers.PNG".as_ref()), Some(Format::Png));
    /// assert_eq!(Format::of("layers.gif".as_ref()), None);
    /// ```
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "svg" => Some(Format::Svg),
            "png" => Some(Format::Png),
            _ => None,
        }
    }
}

/// A picture: one or more diagrams below each other.
pub struct Figure {
    /// What stands above all of them.
    pub title: String,
    /// The diagrams.
    pub panels: Vec<Panel>,
}

/// A diagram.
pub struct Panel {
    /// What it shows, in words; may be empty.
    pub heading: String,
    /// What the axis across counts.
    pub x: String,
    /// What the axis up counts.
    pub y: String,
    /// What is drawn.
    pub content: Content,
}

/// What a diagram shows.
pub enum Content {
    /// Lines over a logarithmic axis.
    Lines(Vec<Series>),
    /// Bars cut into parts, whose names these are.
    Bars(Vec<String>, Vec<Bar>),
}

impl Figure {
    /// The picture as the bytes of a file.
    pub fn draw(&self, format: Format) -> Result<Vec<u8>, PlotError> {
        match format {
            Format::Svg => Ok(self.svg()?.into_bytes()),
            Format::Png => {
                let mut bitmap = Bitmap::new(self.size());
                let drawn = self.draw_on((&mut bitmap).into_drawing_area());
                drawn.map_err(|error| PlotError::Drawing(error.to_string()))?;
                Ok(bitmap.png())
            }
        }
    }

    fn svg(&self) -> Result<String, PlotError> {
        let mut svg = String::new();
        let drawn = self.draw_on(SVGBackend::with_string(&mut svg, self.size()).into_drawing_area());
        drawn.map_err(|error| PlotError::Drawing(error.to_string()))?;
        Ok(svg)
    }

    fn size(&self) -> (u32, u32) {
        (WIDTH, TITLE + HEIGHT * self.panels.len().max(1) as u32)
    }

    fn draw_on<B: DrawingBackend>(&self, area: DrawingArea<B, Shift>) -> Drawn
    where
        B::ErrorType: 'static,
    {
        area.fill(&WHITE)?;
        let (above, below) = area.split_vertically(TITLE);
        let style = TextStyle::from(("sans-serif", 22).into_font())
            .color(&INK)
            .pos(Pos::new(HPos::Center, VPos::Center));
        above.draw_text(&visible(&self.title), &style, (CENTRE, TITLE as i32 / 2 + 4))?;
        for (panel, area) in self.panels.iter().zip(below.split_evenly((self.panels.len().max(1), 1))) {
            panel.draw_on(&area)?;
        }
        area.present()?;
        Ok(())
    }
}

/// A plot of the series with a logarithmic y axis, as SVG.
pub fn lines(title: &str, x: &str, y: &str, series: &[Series]) -> Result<String, PlotError> {
    alone(title, x, y, Content::Lines(series.to_vec()))
}

/// A plot with a bar for each place, cut into parts, as SVG.
pub fn bars(title: &str, x: &str, y: &str, parts: &[String], bars: &[Bar]) -> Result<String, PlotError> {
    alone(title, x, y, Content::Bars(parts.to_vec(), bars.to_vec()))
}

fn alone(title: &str, x: &str, y: &str, content: Content) -> Result<String, PlotError> {
    let panel = Panel { heading: String::new(), x: x.to_owned(), y: y.to_owned(), content };
    Figure { title: title.to_owned(), panels: vec![panel] }.svg()
}

/// Counts as people read them: in full as long as they are short, then in thousands, millions and so on.
fn count(n: &f64) -> String {
    let units = [(1e15, "e15"), (1e12, "e12"), (1e9, " bn"), (1e6, " m"), (1e4, " k")];
    if *n >= 1e18 {
        return format!("{n:.0e}");
    }
    let unit = units.iter().find(|(size, _)| *n >= *size);
    let (value, unit) = match unit {
        Some((1e4, unit)) => (n / 1e3, *unit),
        Some((size, unit)) => (n / size, *unit),
        None => (*n, ""),
    };
    let text = format!("{value:.1}");
    format!("{}{unit}", text.strip_suffix(".0").unwrap_or(&text))
}

/// The colours of parts or lines: grey for what nobody wins, light for what has ended, and one after the other for the rest.
fn colours<'a>(names: impl Iterator<Item = &'a String>) -> Vec<RGBColor> {
    let mut others = COLOURS.iter().cycle();
    let colour = |name: &String| match name.as_str() {
        "tied" | "level" => LEVEL,
        "drawn" => DRAWN,
        "ended" => ENDED,
        _ => others.next().copied().unwrap_or(INK),
    };
    names.map(colour).collect()
}

impl Panel {
    fn draw_on<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Drawn
    where
        B::ErrorType: 'static,
    {
        let names: Vec<&String> = match &self.content {
            Content::Lines(series) => series.iter().map(|line| &line.name).collect(),
            Content::Bars(parts, _) => parts.iter().collect(),
        };
        let above = i32::from(!self.heading.is_empty()) * HEADING as i32;
        let style = TextStyle::from(("sans-serif", 17).into_font())
            .color(&INK)
            .pos(Pos::new(HPos::Center, VPos::Center));
        area.draw_text(&visible(&self.heading), &style, (CENTRE, HEADING as i32 / 2))?;
        legend(area, above + LEGEND as i32 / 2, &names)?;
        let mut chart = ChartBuilder::on(area);
        chart.margin_left(14).margin_right(28).margin_top(above as u32 + LEGEND).margin_bottom(14);
        chart.x_label_area_size(50).y_label_area_size(LABELS);
        match &self.content {
            Content::Lines(series) => self.draw_lines(chart, series),
            Content::Bars(parts, bars) => self.draw_bars(chart, parts, bars),
        }
    }

    fn draw_lines<B: DrawingBackend>(&self, mut chart: ChartBuilder<'_, '_, B>, series: &[Series]) -> Drawn
    where
        B::ErrorType: 'static,
    {
        let points = || series.iter().flat_map(|s| &s.points).filter(|p| p.1 > 0.0);
        let left = points().map(|p| p.0).fold(0.0, f64::min);
        let right = points().map(|p| p.0).fold(left + 1.0, f64::max);
        let top = points().map(|p| p.1).fold(10.0, f64::max);
        let mut chart = chart.build_cartesian_2d(left..right, (1.0..top * 2.0).log_scale())?;
        let small = ("sans-serif", 14).into_font().color(&INK);
        let whole =
            |at: &f64| if (at - at.round()).abs() < 1e-9 { format!("{at:.0}") } else { String::new() };
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(FAINT)
            .axis_style(INK)
            .label_style(small)
            .axis_desc_style(("sans-serif", 15).into_font().color(&INK))
            .x_labels(20)
            .x_label_formatter(&whole)
            .y_label_formatter(&count)
            .x_desc(visible(&self.x))
            .y_desc(format!("{}, logarithmic", visible(&self.y)))
            .draw()?;
        let colours = colours(series.iter().map(|line| &line.name));
        for (line, colour) in series.iter().zip(colours) {
            let shown: Vec<(f64, f64)> = line.points.iter().copied().filter(|p| p.1 > 0.0).collect();
            chart.draw_series(LineSeries::new(shown.clone(), colour.stroke_width(2)))?;
            chart.draw_series(shown.into_iter().map(|p| Circle::new(p, 3, colour.filled())))?;
        }
        Ok(())
    }

    fn draw_bars<B: DrawingBackend>(
        &self,
        mut chart: ChartBuilder<'_, '_, B>,
        parts: &[String],
        bars: &[Bar],
    ) -> Drawn
    where
        B::ErrorType: 'static,
    {
        let height = |bar: &Bar| bar.parts.iter().sum::<f64>();
        let top = bars.iter().map(height).fold(1.0, f64::max);
        let places = -0.5..bars.len().max(1) as f64 - 0.5;
        let mut chart = chart.build_cartesian_2d(places, 0.0..top * 1.06)?;
        // A label for each bar, or for every fifth or more where they would not fit.
        let every = [1, 5, 10, 20, 50, 100].into_iter().find(|every| bars.len() / every <= 32).unwrap_or(200);
        let small = ("sans-serif", 14).into_font().color(&INK);
        chart
            .configure_mesh()
            .disable_x_mesh()
            .disable_x_axis()
            .light_line_style(TRANSPARENT)
            .bold_line_style(FAINT)
            .axis_style(INK)
            .label_style(small)
            .axis_desc_style(("sans-serif", 15).into_font().color(&INK))
            .y_labels(8)
            .y_label_formatter(&count)
            .y_desc(visible(&self.y))
            .draw()?;
        for (part, colour) in colours(parts.iter()).into_iter().enumerate() {
            let cut = |(at, bar): (usize, &Bar)| {
                (bar.parts.len() == parts.len()).then(|| rectangle(at, bar, part, colour))
            };
            chart.draw_series(bars.iter().enumerate().filter_map(cut))?;
        }
        let whole = bars.iter().enumerate().filter(|(_, bar)| bar.parts.len() != parts.len());
        chart.draw_series(whole.map(|(at, bar)| rectangle(at, bar, 0, GREY)))?;
        let ends = [(-0.5, 0.0), (bars.len().max(1) as f64 - 0.5, 0.0)];
        chart.plotting_area().draw(&PathElement::new(ends, INK.stroke_width(1)))?;
        // The numbers of the bars stand below their middles, which the chart would not promise.
        let label = TextStyle::from(("sans-serif", 14).into_font())
            .color(&INK)
            .pos(Pos::new(HPos::Center, VPos::Top));
        for (at, bar) in bars.iter().enumerate().filter(|(at, _)| at.is_multiple_of(every)) {
            let text = visible(&bar.label).into_owned();
            let below = EmptyElement::at((at as f64, 0.0)) + Text::new(text, (0, 7), label.clone());
            chart.plotting_area().draw(&below)?;
        }
        let middle = (bars.len().max(1) as f64 - 1.0) / 2.0;
        let name = TextStyle::from(("sans-serif", 15).into_font())
            .color(&INK)
            .pos(Pos::new(HPos::Center, VPos::Top));
        let across =
            EmptyElement::at((middle, 0.0)) + Text::new(visible(&self.x).into_owned(), (0, 29), name);
        chart.plotting_area().draw(&across)?;
        Ok(())
    }
}

/// What the colours mean, in one row.
fn legend<B: DrawingBackend>(area: &DrawingArea<B, Shift>, y: i32, names: &[&String]) -> Drawn
where
    B::ErrorType: 'static,
{
    const SQUARE: i32 = 13;
    let style =
        TextStyle::from(("sans-serif", 14).into_font()).color(&INK).pos(Pos::new(HPos::Left, VPos::Center));
    let mut entries = vec![];
    for (name, colour) in names.iter().zip(colours(names.iter().copied())) {
        let mut text: String = visible(name).chars().take(LONGEST_NAME).collect();
        if visible(name).chars().count() > LONGEST_NAME {
            text.push_str("...");
        }
        let width = area.estimate_text_size(&text, &style)?.0 as i32;
        entries.push((text, colour, SQUARE + 7 + width));
    }
    let gap = 24;
    let all: i32 = entries.iter().map(|(.., width)| width + gap).sum::<i32>() - gap;
    let mut x = (CENTRE - all / 2).max(14);
    for (text, colour, width) in entries {
        let square = [(x, y - SQUARE / 2), (x + SQUARE, y + SQUARE / 2 + 1)];
        area.draw(&Rectangle::new(square, colour.filled()))?;
        area.draw_text(&text, &style, (x + SQUARE + 7, y))?;
        x += width + gap;
    }
    Ok(())
}

/// A part of a bar, on top of the parts before it.
fn rectangle(at: usize, bar: &Bar, part: usize, colour: RGBColor) -> Rectangle<(f64, f64)> {
    let below: f64 = bar.parts[..part].iter().sum();
    let height = bar.parts.get(part).copied().unwrap_or(0.0);
    let middle = at as f64;
    Rectangle::new([(middle - 0.42, below), (middle + 0.42, below + height)], colour.filled())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_names_its_series_and_axes() {
        let series = [Series { name: "Alg 5".into(), points: vec![(0.0, 1.0), (1.0, 15656.0), (2.0, 0.0)] }];
        let svg = lines("Othello 4x4", "iteration", "nodes", &series).unwrap();
        for word in ["Alg 5", "Othello 4x4", "iteration", "nodes", "</svg>"] {
            assert!(svg.contains(word), "{word}");
        }
    }

    #[test]
    fn bars_have_a_rectangle_for_each_part_and_words_are_escaped() {
        let parts = ["won <first>".to_owned(), "lost".to_owned()];
        let known = |i: usize| Bar { label: format!("L{i}"), parts: vec![3.0, i as f64] };
        let mut all: Vec<Bar> = (1..4).map(known).collect();
        all.push(Bar { label: "L9".into(), parts: vec![2.0] });
        let svg = bars("A & B", "layer", "positions", &parts, &all).unwrap();
        for word in ["A &amp; B", "won &lt;first&gt;", "lost", "layer", "positions", "L1", "L3", "L9"] {
            assert!(svg.contains(word), "{word}: {svg}");
        }
        // Two parts of three bars and the legend's square for each; one bar whose parts are not known.
        let filled = |colour: &str| svg.matches(colour).count();
        assert_eq!(filled("fill=\"#0072B2\""), 4);
        assert_eq!(filled("fill=\"#E69F00\""), 4);
        assert_eq!(filled("fill=\"#DDDDDD\""), 1);
    }
}
