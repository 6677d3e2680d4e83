//! What all plots share: the sheet with its title, subtitle and key, panels with axes, and the marks drawn in them.
//!
//! Marks are placed in the units of the axes; what lies beyond an axis is drawn at its end. Values that are not finite are to be
//! left out before.

use super::axis::Axis;
use super::{PlotError, palette};
use plotters::chart::{ChartBuilder, ChartContext, LabelAreaPosition};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Width of every plot, in pixels.
pub(super) const WIDTH: u32 = 1200;
/// Height of most.
pub(super) const HEIGHT: u32 = 675;
/// Height of the title and the subtitle, and of the key below them.
const HEADER: u32 = 66;
const KEY: u32 = 24;
/// Free around panels.
pub(super) const GAP: u32 = 10;
const BAND_ALPHA: f64 = 0.30;
const LINE_WIDTH: u32 = 2;
/// Radius of a dot.
const DOT: u32 = 4;
/// Half the length of the bar that ends an error bar.
const CAP: i32 = 5;
/// The SVG backend divides the size of a font by this, so that sizes in pixels are to be multiplied by it.
const FONT_SCALE: f64 = 1.24;
/// Pixels of an average character of the small font, to place keys side by side.
const CHARACTER: i32 = 8;
const TITLE: u32 = 22;
const SMALL: u32 = 14;
const LONGEST_TITLE: usize = 90;
const LONGEST_SUBTITLE: usize = 150;
const LONGEST_KEY: usize = 40;

pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(super) type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>;
pub(super) type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// What stands above the panels.
pub(super) struct Sheet<'t> {
    pub(super) title: &'t str,
    pub(super) subtitle: &'t str,
    /// Colours and what they mean; none if there is nothing to tell apart.
    pub(super) key: Vec<(RGBColor, String)>,
    /// Height of the whole, in pixels.
    pub(super) height: u32,
}

impl Sheet<'_> {
    /// Draws the sheet, then what `body` draws below its header, and returns the SVG's text.
    pub(super) fn draw(&self, body: impl FnOnce(&Area<'_>) -> Drawn) -> Result<String, PlotError> {
        let mut text = String::new();
        {
            let root = SVGBackend::with_string(&mut text, (WIDTH, self.height)).into_drawing_area();
            self.fill(&root, body).map_err(|error| PlotError::Drawing(error.to_string()))?;
        }
        Ok(text)
    }

    fn fill(&self, root: &Area<'_>, body: impl FnOnce(&Area<'_>) -> Drawn) -> Drawn {
        root.fill(&WHITE)?;
        let left = 2 * GAP as i32;
        root.draw(&Text::new(shortened(self.title, LONGEST_TITLE), (left, 12), title_font()))?;
        root.draw(&Text::new(shortened(self.subtitle, LONGEST_SUBTITLE), (left, 43), font().color(&palette::FAINT)))?;
        let mut x = left;
        for (colour, name) in &self.key {
            let name = shortened(name, LONGEST_KEY);
            let width = 30 + CHARACTER * name.chars().count() as i32;
            let y = HEADER as i32 + 8;
            root.draw(&Rectangle::new([(x, y - 6), (x + 12, y + 6)], colour.filled()))?;
            root.draw(&Text::new(name, (x + 18, y), anchored(HPos::Left, VPos::Center)))?;
            x += width;
        }
        let header = if self.key.is_empty() { HEADER } else { HEADER + KEY };
        body(&root.split_vertically(header).1)?;
        root.present()
    }
}

/// A panel: a chart with its own axes.
pub(super) struct Panel<'t> {
    /// Empty if the sheet's title says it all.
    pub(super) title: &'t str,
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) x_label: &'t str,
    pub(super) y_label: &'t str,
    /// Room for the labels of the y axis, in pixels.
    pub(super) left: u32,
}

impl Panel<'_> {
    /// Draws axes, grid and labels.
    pub(super) fn chart<'a, 'b>(
        &self,
        area: &'a Area<'b>,
    ) -> Result<Chart<'a, 'b>, DrawingAreaErrorKind<std::io::Error>> {
        let mut builder = ChartBuilder::on(area);
        builder.margin(GAP).margin_right(3 * GAP);
        if !self.title.is_empty() {
            builder.caption(self.title, sized(16));
        }
        let mut chart = builder
            .set_label_area_size(LabelAreaPosition::Bottom, 50)
            .set_label_area_size(LabelAreaPosition::Left, self.left)
            .build_cartesian_2d(self.x.clone(), self.y.clone())?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(palette::GRID)
            .axis_style(palette::AXIS)
            .label_style(font())
            .axis_desc_style(font())
            .x_desc(self.x_label)
            .y_desc(self.y_label)
            .draw()?;
        Ok(chart)
    }
}

/// A line through points; a dot if there is only one.
pub(super) fn line(chart: &mut Chart<'_, '_>, points: Vec<(f64, f64)>, colour: RGBColor) -> Drawn {
    match points[..] {
        [] => Ok(()),
        [only] => dot(chart, only, colour),
        _ => chart.draw_series([PathElement::new(points, colour.stroke_width(LINE_WIDTH))]).map(drop),
    }
}

/// A dashed line from one point to another.
pub(super) fn dashed(chart: &mut Chart<'_, '_>, from: (f64, f64), to: (f64, f64), colour: RGBColor) -> Drawn {
    let style = ShapeStyle { stroke_width: LINE_WIDTH, ..colour.stroke_width(LINE_WIDTH) };
    chart.draw_series(DashedLineSeries::new([from, to], 7, 5, style)).map(drop)
}

/// A closed outline, filled so that what is below shows through.
pub(super) fn band(chart: &mut Chart<'_, '_>, outline: Vec<(f64, f64)>, colour: RGBColor) -> Drawn {
    chart.draw_series([Polygon::new(outline, colour.mix(BAND_ALPHA))]).map(drop)
}

/// A filled rectangle between two corners.
pub(super) fn bar(chart: &mut Chart<'_, '_>, low: (f64, f64), high: (f64, f64), colour: RGBColor) -> Drawn {
    chart.draw_series([Rectangle::new([low, high], colour.filled())]).map(drop)
}

/// The same, lightly.
pub(super) fn zone(chart: &mut Chart<'_, '_>, low: (f64, f64), high: (f64, f64), colour: RGBColor) -> Drawn {
    chart.draw_series([Rectangle::new([low, high], colour.mix(0.12).filled())]).map(drop)
}

/// A dot.
pub(super) fn dot(chart: &mut Chart<'_, '_>, at: (f64, f64), colour: RGBColor) -> Drawn {
    chart.draw_series([Circle::new(at, DOT, colour.filled())]).map(drop)
}

/// A dot with an upright error bar. An end that is not finite is drawn at the end of the axis.
pub(super) fn upright(chart: &mut Chart<'_, '_>, (x, y): (f64, f64), ends: (f64, f64), colour: RGBColor) -> Drawn {
    let axis = chart.y_range();
    let [low, high] = [ends.0, ends.1].map(|end| end.clamp(axis.start, axis.end));
    whisker(chart, [(x, low), (x, high)], [(CAP, 0), (CAP, 0)], colour)?;
    dot(chart, (x, y.clamp(axis.start, axis.end)), colour)
}

/// A dot with a level error bar. An end that is not finite is drawn at the end of the axis.
pub(super) fn level(chart: &mut Chart<'_, '_>, (x, y): (f64, f64), ends: (f64, f64), colour: RGBColor) -> Drawn {
    let axis = chart.x_range();
    let [low, high] = [ends.0, ends.1].map(|end| end.clamp(axis.start, axis.end));
    whisker(chart, [(low, y), (high, y)], [(0, CAP), (0, CAP)], colour)?;
    dot(chart, (x.clamp(axis.start, axis.end), y), colour)
}

fn whisker(chart: &mut Chart<'_, '_>, ends: [(f64, f64); 2], caps: [(i32, i32); 2], colour: RGBColor) -> Drawn {
    let style = colour.stroke_width(LINE_WIDTH);
    chart.draw_series([PathElement::new(ends.to_vec(), style)])?;
    let cap =
        |(at, (x, y)): ((f64, f64), (i32, i32))| EmptyElement::at(at) + PathElement::new(vec![(-x, -y), (x, y)], style);
    chart.draw_series(ends.into_iter().zip(caps).map(cap)).map(drop)
}

/// Where a note stands about its point.
#[derive(Clone, Copy)]
pub(super) enum Place {
    /// Above its middle.
    Above,
    /// To its right, centred upright.
    Right,
    /// Centred on it.
    On,
}

/// A short text at a point.
pub(super) fn note(
    chart: &mut Chart<'_, '_>,
    text: impl Into<String>,
    at: (f64, f64),
    place: Place,
    colour: RGBColor,
) -> Drawn {
    let (shift, style) = match place {
        Place::Above => ((0, -6), anchored(HPos::Center, VPos::Bottom)),
        Place::Right => ((8, 0), anchored(HPos::Left, VPos::Center)),
        Place::On => ((0, 0), anchored(HPos::Center, VPos::Center)),
    };
    let style = style.color(&colour);
    chart.draw_series([EmptyElement::at(at) + Text::new(text.into(), shift, style)]).map(drop)
}

/// The one font, small.
pub(super) fn font() -> TextStyle<'static> {
    sized(SMALL)
}

fn anchored(h: HPos, v: VPos) -> TextStyle<'static> {
    font().pos(Pos::new(h, v))
}

fn sized(pixels: u32) -> TextStyle<'static> {
    ("sans-serif", f64::from(pixels) * FONT_SCALE).into_font().color(&palette::TEXT)
}

fn title_font() -> TextStyle<'static> {
    ("sans-serif", f64::from(TITLE) * FONT_SCALE, FontStyle::Bold).into_font().color(&palette::TEXT)
}

/// A name fit to be drawn: control characters, which XML forbids, become spaces, and a long one is cut.
pub(super) fn shortened(name: &str, longest: usize) -> String {
    let allowed = |c: char| if c.is_control() || matches!(c, '\u{FFFE}' | '\u{FFFF}') { ' ' } else { c };
    let mut text: String = name.chars().map(allowed).take(longest).collect();
    if name.chars().nth(longest).is_some() {
        let _last = text.pop();
        text.push('…');
    }
    text
}
