//! Line plots with a logarithmic axis, as SVG.

use anyhow::{Context, Result, anyhow};
use plotters::prelude::*;
use std::path::Path;

/// One line of a plot.
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Its points, x ascending; only positive y can be shown on a logarithmic axis.
    pub points: Vec<(f64, f64)>,
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

/// Writes a plot of the series with a logarithmic y axis.
pub fn write_svg(path: &Path, title: &str, x: &str, y: &str, series: &[Series]) -> Result<()> {
    let svg = svg(title, x, y, series).map_err(|e| anyhow!("the plot could not be drawn: {e}"))?;
    std::fs::write(path, svg).with_context(|| format!("cannot write {}", path.display()))
}

fn svg(title: &str, x: &str, y: &str, series: &[Series]) -> Result<String, Box<dyn std::error::Error>> {
    let points = || series.iter().flat_map(|s| &s.points).filter(|p| p.1 > 0.0);
    let right = points().map(|p| p.0).fold(1.0, f64::max);
    let top = points().map(|p| p.1).fold(10.0, f64::max);
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (900, 560)).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(title, ("sans-serif", 20))
            .margin(14)
            .x_label_area_size(44)
            .y_label_area_size(84)
            .build_cartesian_2d(0.0..right, (1.0..top * 2.0).log_scale())?;
        let exact = |v: &f64| if *v < 1e6 { format!("{v:.0}") } else { format!("{v:.0e}") };
        chart.configure_mesh().x_desc(x).y_desc(y).y_label_formatter(&exact).draw()?;
        for (i, line) in series.iter().enumerate() {
            let colour = COLOURS[i % COLOURS.len()];
            let shown: Vec<(f64, f64)> = line.points.iter().copied().filter(|p| p.1 > 0.0).collect();
            chart
                .draw_series(LineSeries::new(shown.clone(), colour.stroke_width(2)))?
                .label(line.name.clone())
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
            chart.draw_series(shown.into_iter().map(|p| Circle::new(p, 3, colour.filled())))?;
        }
        chart.configure_series_labels().background_style(WHITE.mix(0.85)).border_style(BLACK).draw()?;
        area.present()?;
    }
    Ok(svg)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_names_its_series_and_axes() {
        let series = [Series { name: "Alg 5".into(), points: vec![(0.0, 1.0), (1.0, 15656.0), (2.0, 0.0)] }];
        let svg = svg("Othello 4x4", "iteration", "nodes", &series).unwrap();
        for word in ["Alg 5", "Othello 4x4", "iteration", "nodes", "</svg>"] {
            assert!(svg.contains(word), "{word}");
        }
    }
}
