//! The common parts of all plots: the sheet with its title, subtitle and key, panels with axes, and the marks drawn in
//! them.
//!
//! Marks are placed in the units of the axes; marks beyond an axis are drawn at its end. Callers must leave out values
//! that are not finite.

use super::axis::Axis;
use super::palette;
use super::plot::{Plot, PlotError};
use crate::text::grouped;
use plotters::chart::{ChartBuilder, ChartContext, LabelAreaPosition};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Width of every plot, in pixels, and of its version for narrow screens.
pub(super) const WIDTH: u32 = 1200;
const NARROW: u32 = 420;
/// The height of a panel of the narrow version.
const NARROW_PANEL: u32 = 340;
/// The height of most plots.
pub(super) const HEIGHT: u32 = 675;
/// The height of a line of the title, of the subtitle and of the key, and the space above and below the title.
const TITLE_LINE: u32 = 28;
const SUBTITLE_LINE: u32 = 23;
const KEY: u32 = 24;
const TOP: u32 = 15;
/// The free space around panels.
pub(super) const GAP: u32 = 10;
const BAND_ALPHA: f64 = 0.30;
const LINE_WIDTH: u32 = 2;
/// Radius of a dot.
const DOT: u32 = 4;
/// Half the length of the bar that ends an error bar.
const CAP: i32 = 5;
/// The SVG backend divides the size of a font by this, so sizes in pixels must be multiplied by it.
const FONT_SCALE: f64 = 1.24;
/// The width in pixels of an average character of the small font, for placing keys side by side and breaking lines, and
/// of the title's font.
const CHARACTER: u32 = 8;
const TITLE_CHARACTER: u32 = 12;
const TITLE: u32 = 22;
const SMALL: u32 = 14;
const LONGEST_TITLE: usize = 90;
const LONGEST_SUBTITLE: usize = 300;
const LONGEST_KEY: usize = 40;
/// The longest names of rows, in narrow charts and in others.
const SHORT_ROW_NAME: usize = 22;
const LONG_ROW_NAME: usize = 44;
/// The space between a name and its row.
const NAME_GAP: u32 = 14;
/// The minimum width of charts with long notes; narrower ones have shorter notes.
const ROOMY: u32 = 600;

pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(super) type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>;
pub(super) type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// The part above the panels.
pub(super) struct Sheet<'t> {
    pub(super) title: &'t str,
    pub(super) subtitle: &'t str,
    /// Colours and their meanings; none if there is nothing to tell apart.
    pub(super) key: Vec<(RGBColor, String)>,
    /// The total height, in pixels.
    pub(super) height: u32,
}

impl Sheet<'_> {
    /// Draws the sheet with one panel: `body` draws the part below the header.
    pub(super) fn draw(&self, body: impl Fn(&Area<'_>) -> Drawn) -> Result<Plot, PlotError> {
        let wide = self.on((WIDTH, self.height), &body)?;
        Ok(Plot { wide, narrow: self.on((NARROW, self.header(NARROW) + NARROW_PANEL), &body)? })
    }

    /// Draws the sheet with two panels: side by side, the second one starting at `at`, or one below the other.
    pub(super) fn draw_two(&self, at: u32, body: impl Fn(&Area<'_>, &Area<'_>) -> Drawn) -> Result<Plot, PlotError> {
        let beside = |area: &Area<'_>| {
            let (left, right) = area.split_horizontally(at);
            body(&left, &right)
        };
        let below = |area: &Area<'_>| {
            let (upper, lower) = area.split_vertically(NARROW_PANEL);
            body(&upper, &lower)
        };
        let narrow = (NARROW, self.header(NARROW) + 2 * NARROW_PANEL);
        Ok(Plot { wide: self.on((WIDTH, self.height), &beside)?, narrow: self.on(narrow, &below)? })
    }

    /// Draws the sheet with this many panels in this many columns, or in one column.
    pub(super) fn draw_grid(
        &self,
        panels: usize,
        columns: usize,
        body: impl Fn(usize, &Area<'_>) -> Drawn,
    ) -> Result<Plot, PlotError> {
        let grid = |area: &Area<'_>, columns: usize| {
            let areas = area.split_evenly((panels.div_ceil(columns), columns));
            areas.iter().take(panels).enumerate().try_for_each(|(index, area)| body(index, area))
        };
        let narrow = (NARROW, self.header(NARROW) + NARROW_PANEL * panels as u32);
        let wide = self.on((WIDTH, self.height), &|area| grid(area, columns))?;
        Ok(Plot { wide, narrow: self.on(narrow, &|area| grid(area, 1))? })
    }

    fn on(&self, size: (u32, u32), body: &dyn Fn(&Area<'_>) -> Drawn) -> Result<String, PlotError> {
        let mut text = String::new();
        {
            let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
            self.fill(&root, size.0, body).map_err(|error| PlotError::Drawing(error.to_string()))?;
        }
        Ok(text)
    }

    fn fill(&self, root: &Area<'_>, width: u32, body: &dyn Fn(&Area<'_>) -> Drawn) -> Drawn {
        root.fill(&WHITE)?;
        let left = 2 * GAP as i32;
        let mut y = TOP as i32;
        for line in self.title_lines(width) {
            root.draw(&Text::new(line, (left, y - 3), title_font()))?;
            y += TITLE_LINE as i32;
        }
        for line in self.subtitle_lines(width) {
            root.draw(&Text::new(line, (left, y), font().color(&palette::FAINT)))?;
            y += SUBTITLE_LINE as i32;
        }
        for (row, x, colour, name) in self.keys(width) {
            let (x, y) = (x as i32, y + 8 + (row * KEY) as i32);
            root.draw(&Rectangle::new([(x, y - 6), (x + 12, y + 6)], colour.filled()))?;
            root.draw(&Text::new(name, (x + 18, y), anchored(HPos::Left, VPos::Center)))?;
        }
        body(&root.split_vertically(self.header(width)).1)?;
        root.present()
    }

    /// The height of the part above the panels.
    fn header(&self, width: u32) -> u32 {
        let keys = self.keys(width).last().map_or(0, |(row, ..)| KEY * (row + 1));
        let subtitle = SUBTITLE_LINE * self.subtitle_lines(width).len() as u32;
        TOP + TITLE_LINE * self.title_lines(width).len() as u32 + subtitle + keys
    }

    fn title_lines(&self, width: u32) -> Vec<String> {
        broken(&shortened(self.title, LONGEST_TITLE), (width - 4 * GAP) / TITLE_CHARACTER)
    }

    fn subtitle_lines(&self, width: u32) -> Vec<String> {
        broken(&shortened(self.subtitle, LONGEST_SUBTITLE), (width - 4 * GAP) * 10 / (9 * CHARACTER))
    }

    /// The key's entries, each with its row and its start.
    fn keys(&self, width: u32) -> Vec<(u32, u32, RGBColor, String)> {
        let (mut row, mut x) = (0, 2 * GAP);
        let place = |(colour, name): &(RGBColor, String)| {
            let name = shortened(name, LONGEST_KEY);
            let wide = 30 + CHARACTER * name.chars().count() as u32;
            if x > 2 * GAP && x + wide > width {
                (row, x) = (row + 1, 2 * GAP);
            }
            let at = x;
            x += wide;
            (row, at, *colour, name)
        };
        self.key.iter().map(place).collect()
    }
}

/// A text in lines of at most this many characters, broken between words; a longer word gets a line of its own. An
/// empty text gives one line.
fn broken(text: &str, longest: u32) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines
            .last_mut()
            .filter(|line| line.is_empty() || line.chars().count() + 1 + word.chars().count() <= longest as usize);
        match line {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Whether a chart has room for long notes.
pub(super) fn is_roomy(chart: &Chart<'_, '_>) -> bool {
    chart.plotting_area().dim_in_pixel().0 >= ROOMY
}

/// Notes a count and its share of a total above a bar, in two lines if there is little space.
pub(super) fn tally(chart: &mut Chart<'_, '_>, count: u64, total: u64, at: (f64, f64)) -> Drawn {
    let (count, share) = (grouped(count), format!("{:.1}%", 100.0 * count as f64 / total as f64));
    if is_roomy(chart) {
        return note(chart, format!("{count} ({share})"), at, Place::Above, palette::TEXT);
    }
    let style = anchored(HPos::Center, VPos::Bottom).color(&palette::FAINT);
    chart.draw_series([EmptyElement::at(at) + Text::new(share, (0, -20), style)])?;
    note(chart, count, at, Place::Above, palette::TEXT)
}

/// A panel: a chart with its own axes.
pub(super) struct Panel<'t> {
    /// Empty if the sheet's title suffices.
    pub(super) title: &'t str,
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) x_label: &'t str,
    pub(super) y_label: &'t str,
    /// The space for the labels of the y axis, in pixels.
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

/// The y axis of a chart with a named row for each mark, the first one at the top, and the space for the names. A wide
/// chart has room for longer names.
pub(super) fn named_rows<'n>(area: &Area<'_>, names: impl DoubleEndedIterator<Item = &'n str>) -> (Axis, u32) {
    let longest = if area.dim_in_pixel().0 < ROOMY { SHORT_ROW_NAME } else { LONG_ROW_NAME };
    let names: Vec<String> = names.rev().map(|name| shortened(name, longest)).collect();
    let most = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(SHORT_ROW_NAME);
    (Axis::of_names(names), CHARACTER * most as u32 + NAME_GAP)
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

/// A closed outline with a transparent filling.
pub(super) fn band(chart: &mut Chart<'_, '_>, outline: Vec<(f64, f64)>, colour: RGBColor) -> Drawn {
    chart.draw_series([Polygon::new(outline, colour.mix(BAND_ALPHA))]).map(drop)
}

/// A filled rectangle between two corners.
pub(super) fn bar(chart: &mut Chart<'_, '_>, low: (f64, f64), high: (f64, f64), colour: RGBColor) -> Drawn {
    chart.draw_series([Rectangle::new([low, high], colour.filled())]).map(drop)
}

/// A lightly filled rectangle between two corners.
pub(super) fn zone(chart: &mut Chart<'_, '_>, low: (f64, f64), high: (f64, f64), colour: RGBColor) -> Drawn {
    chart.draw_series([Rectangle::new([low, high], colour.mix(0.12).filled())]).map(drop)
}

/// A dot.
pub(super) fn dot(chart: &mut Chart<'_, '_>, at: (f64, f64), colour: RGBColor) -> Drawn {
    chart.draw_series([Circle::new(at, DOT, colour.filled())]).map(drop)
}

/// A dot with a vertical error bar. An end that is not finite is drawn at the end of the axis.
pub(super) fn upright(chart: &mut Chart<'_, '_>, (x, y): (f64, f64), ends: (f64, f64), colour: RGBColor) -> Drawn {
    let axis = chart.y_range();
    let [low, high] = [ends.0, ends.1].map(|end| end.clamp(axis.start, axis.end));
    whisker(chart, [(x, low), (x, high)], [(CAP, 0), (CAP, 0)], colour)?;
    dot(chart, (x, y.clamp(axis.start, axis.end)), colour)
}

/// A dot with a horizontal error bar. An end that is not finite is drawn at the end of the axis.
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

/// The place of a note relative to its point.
#[derive(Clone, Copy)]
pub(super) enum Place {
    /// Above the point.
    Above,
    /// Below the point.
    Below,
    /// To the right of the point, centred vertically.
    Right,
    /// Centred on the point.
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
        Place::Below => ((0, 6), anchored(HPos::Center, VPos::Top)),
        Place::Right => ((8, 0), anchored(HPos::Left, VPos::Center)),
        Place::On => ((0, 0), anchored(HPos::Center, VPos::Center)),
    };
    let style = style.color(&colour);
    chart.draw_series([EmptyElement::at(at) + Text::new(text.into(), shift, style)]).map(drop)
}

/// A short text to the right of a point, with a background of its own that hides earlier marks behind it.
pub(super) fn label(chart: &mut Chart<'_, '_>, text: impl Into<String>, at: (f64, f64)) -> Drawn {
    let text = text.into();
    let (wide, high) = (CHARACTER as i32 * text.chars().count() as i32, SMALL as i32 / 2 + 2);
    let ground = Rectangle::new([(6, -high), (10 + wide, high)], WHITE.filled());
    chart.draw_series([EmptyElement::at(at) + ground])?;
    note(chart, text, at, Place::Right, palette::TEXT)
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

/// A name made fit for drawing: control characters, which XML forbids, become spaces, and a long name is cut.
pub(super) fn shortened(name: &str, longest: usize) -> String {
    let allowed = |c: char| if c.is_control() || matches!(c, '\u{FFFE}' | '\u{FFFF}') { ' ' } else { c };
    let mut text: String = name.chars().map(allowed).take(longest).collect();
    if name.chars().nth(longest).is_some() {
        let _last = text.pop();
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words() {
        assert_eq!(broken("one two three", 7), ["one two", "three"]);
        assert_eq!(broken("one incomprehensibly two", 7), ["one", "incomprehensibly", "two"]);
        assert_eq!(broken("", 7), [""]);
        assert_eq!(broken("one two", 100), ["one two"]);
    }
}
