//! Plots of measurements: time and traces over the size, both on a logarithmic scale, a line for each program and algorithm.

use super::measurement::{Comparison, Measurement};
use crate::error::CliError;
use plotters::coord::Shift;
use plotters::prelude::*;
use std::collections::BTreeMap;

/// The measures of a plot in pixels.
const SIZE: (u32, u32) = (900, 900);

/// A figure of a measurement.
type Figure = fn(&Measurement) -> f64;

/// Both plots, one below the other, as SVG. Rows that hit the time limit are left out.
pub fn svg(measured: &[Measurement]) -> Result<String, CliError> {
    let series = series(measured);
    if series.is_empty() {
        return Err(CliError::Plot("no row came to its end".to_owned()));
    }
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        area.fill(&WHITE).map_err(undrawn)?;
        let (above, below) = area.split_vertically(SIZE.1 / 2);
        draw(&above, "seconds", &series, |row| row.seconds.max(1e-6))?;
        draw(&below, "traces", &series, |row| row.traces.max(1) as f64)?;
        area.present().map_err(undrawn)?;
    }
    Ok(text)
}

/// The rows by program and algorithm, each with its size: the value of the last constant.
fn series(measured: &[Measurement]) -> BTreeMap<String, Vec<(i64, &Measurement)>> {
    let mut series: BTreeMap<String, Vec<(i64, &Measurement)>> = BTreeMap::new();
    for row in measured.iter().filter(|row| row.comparison != Comparison::TimeLimit) {
        let size = row.constants.last().map_or(0, |constant| constant.value);
        let others: String =
            row.constants.iter().rev().skip(1).map(|c| format!(" {}={}", c.name, c.value)).collect();
        let name = format!("{}{others}, {}", row.program, row.algorithm);
        series.entry(name).or_default().push((size, row));
    }
    series
}

fn draw(
    area: &DrawingArea<SVGBackend, Shift>,
    what: &str,
    series: &BTreeMap<String, Vec<(i64, &Measurement)>>,
    figure: Figure,
) -> Result<(), CliError> {
    let points = || series.values().flatten();
    let (left, right) = points().fold((i64::MAX, i64::MIN), |(l, r), (size, _)| (l.min(*size), r.max(*size)));
    let figures = points().map(|(_, row)| figure(row));
    let (bottom, top) = figures.fold((f64::MAX, f64::MIN), |(b, t), figure| (b.min(figure), t.max(figure)));
    let mut chart = ChartBuilder::on(area)
        .margin(15)
        .x_label_area_size(40)
        .y_label_area_size(80)
        .build_cartesian_2d(
            left.saturating_sub(1)..right.saturating_add(1),
            (bottom / 2.0..top * 2.0).log_scale(),
        )
        .map_err(undrawn)?;
    let mut mesh = chart.configure_mesh();
    mesh.x_desc(axis(series)).y_desc(what).y_label_formatter(&|figure| format!("{figure:e}"));
    mesh.light_line_style(WHITE).draw().map_err(undrawn)?;
    for (number, (name, rows)) in series.iter().enumerate() {
        let colour = Palette99::pick(number).to_rgba();
        let points: Vec<(i64, f64)> = rows.iter().map(|(size, row)| (*size, figure(row))).collect();
        let line = LineSeries::new(points.clone(), colour.stroke_width(2)).point_size(3);
        chart
            .draw_series(line)
            .map_err(undrawn)?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
    }
    let mut legend = chart.configure_series_labels();
    legend.position(SeriesLabelPosition::UpperLeft).background_style(WHITE.mix(0.8)).border_style(BLACK);
    legend.draw().map_err(undrawn)
}

/// The name of the constant on the axis.
fn axis(series: &BTreeMap<String, Vec<(i64, &Measurement)>>) -> String {
    let constant = series.values().flatten().find_map(|(_, row)| row.constants.last());
    constant.map_or(String::new(), |constant| constant.name.clone())
}

fn undrawn(error: impl std::fmt::Display) -> CliError {
    CliError::Plot(error.to_string())
}
