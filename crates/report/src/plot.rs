//! Plots as SVG: lines over a logarithmic axis, and bars cut by kind.

use plotters::prelude::*;
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
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Its points, x ascending; only positive y can be shown on a logarithmic axis.
    pub points: Vec<(f64, f64)>,
}

/// One bar of a plot.
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

const SIZE: (u32, u32) = (900, 560);

type Drawn = Result<(), Box<dyn std::error::Error>>;

/// A plot of the series with a logarithmic y axis, as SVG.
pub fn lines(title: &str, x: &str, y: &str, series: &[Series]) -> Result<String, PlotError> {
    drawn(|svg| draw_lines(svg, title, [x, y], series))
}

/// A plot with a bar for each place, cut into parts, as SVG.
pub fn bars(title: &str, x: &str, y: &str, parts: &[String], bars: &[Bar]) -> Result<String, PlotError> {
    drawn(|svg| draw_bars(svg, title, [x, y], parts, bars))
}

fn drawn(draw: impl FnOnce(&mut String) -> Drawn) -> Result<String, PlotError> {
    let mut svg = String::new();
    draw(&mut svg).map_err(|error| PlotError::Drawing(error.to_string()))?;
    Ok(svg)
}

/// Counts in full as long as they are short.
fn count(n: &f64) -> String {
    if *n < 1e6 { format!("{n:.0}") } else { format!("{n:.0e}") }
}

fn draw_lines(svg: &mut String, title: &str, [x, y]: [&str; 2], series: &[Series]) -> Drawn {
    let points = || series.iter().flat_map(|s| &s.points).filter(|p| p.1 > 0.0);
    let right = points().map(|p| p.0).fold(1.0, f64::max);
    let top = points().map(|p| p.1).fold(10.0, f64::max);
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(visible(title), ("sans-serif", 20))
        .margin(14)
        .x_label_area_size(44)
        .y_label_area_size(84)
        .build_cartesian_2d(0.0..right, (1.0..top * 2.0).log_scale())?;
    chart.configure_mesh().x_desc(x).y_desc(y).y_label_formatter(&count).draw()?;
    for (i, line) in series.iter().enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
        let shown: Vec<(f64, f64)> = line.points.iter().copied().filter(|p| p.1 > 0.0).collect();
        chart
            .draw_series(LineSeries::new(shown.clone(), colour.stroke_width(2)))?
            .label(visible(&line.name))
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
        chart.draw_series(shown.into_iter().map(|p| Circle::new(p, 3, colour.filled())))?;
    }
    chart.configure_series_labels().background_style(WHITE.mix(0.85)).border_style(BLACK).draw()?;
    area.present()?;
    Ok(())
}

fn draw_bars(svg: &mut String, title: &str, [x, y]: [&str; 2], parts: &[String], bars: &[Bar]) -> Drawn {
    let top = bars.iter().map(|bar| bar.parts.iter().sum::<f64>()).fold(1.0, f64::max);
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(visible(title), ("sans-serif", 20))
        .margin(14)
        .x_label_area_size(44)
        .y_label_area_size(84)
        .build_cartesian_2d(-0.5..bars.len().max(1) as f64 - 0.5, 0.0..top * 1.05)?;
    // A label for each bar, or for every fifth where they would not fit.
    let every = if bars.len() <= 50 { 1 } else { 5 };
    let label = |at: &f64| {
        let near = at.round();
        let bar = (near >= 0.0 && (at - near).abs() < 0.01).then(|| bars.get(near as usize)).flatten();
        bar.filter(|_| (near as usize).is_multiple_of(every)).map_or(String::new(), |bar| bar.label.clone())
    };
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(bars.len() + 1)
        .x_label_formatter(&label)
        .y_label_formatter(&count)
        .x_desc(x)
        .y_desc(y)
        .draw()?;
    for (part, name) in parts.iter().enumerate() {
        let colour = COLOURS[part % COLOURS.len()];
        let cut = |(at, bar): (usize, &Bar)| {
            (bar.parts.len() == parts.len()).then(|| rectangle(at, bar, part, colour))
        };
        chart
            .draw_series(bars.iter().enumerate().filter_map(cut))?
            .label(visible(name))
            .legend(move |(x, y)| Rectangle::new([(x, y - 6), (x + 12, y + 6)], colour.filled()));
    }
    let whole = bars.iter().enumerate().filter(|(_, bar)| bar.parts.len() != parts.len());
    chart.draw_series(whole.map(|(at, bar)| rectangle(at, bar, 0, GREY)))?;
    chart.configure_series_labels().background_style(WHITE.mix(0.85)).border_style(BLACK).draw()?;
    area.present()?;
    Ok(())
}

/// A part of a bar, on top of the parts before it.
fn rectangle(at: usize, bar: &Bar, part: usize, colour: RGBColor) -> Rectangle<(f64, f64)> {
    let below: f64 = bar.parts[..part].iter().sum();
    let height = bar.parts.get(part).copied().unwrap_or(0.0);
    let middle = at as f64;
    Rectangle::new([(middle - 0.45, below), (middle + 0.45, below + height)], colour.filled())
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
