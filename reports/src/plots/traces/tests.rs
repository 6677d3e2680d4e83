//! Tests of the drawing, on its text.

use super::*;
use arena::run::Point;

fn traces(title: &str, series: &[Series]) -> Result<String, PlotError> {
    let panels: Vec<TracePanel<'_>> = series.iter().map(TracePanel::from).collect();
    super::traces(title, "bands 95%", &panels, Along::Pairs).map(|plot| plot.wide)
}

fn series(name: &str, points: &[(f64, f64)]) -> Series {
    let point = |&(x, y)| Point { x, y, low: None, high: None };
    Series { name: name.to_owned(), points: points.iter().map(point).collect() }
}

fn banded(name: &str) -> Series {
    let point = |x: u32| {
        let y = f64::from(x % 3);
        Point { x: f64::from(x), y, low: Some(y - 0.5), high: Some(y + 0.5) }
    };
    Series { name: name.to_owned(), points: (1..=20).map(point).collect() }
}

/// The number of lines drawn in a given colour and with the width of a trace.
fn lines(svg: &str, colour: &str) -> usize {
    let is_trace = |line: &&str| line.contains("<polyline") && line.contains(colour) && line.contains("width=\"2\"");
    svg.lines().filter(is_trace).count()
}

#[test]
fn every_series_has_a_panel_with_its_name_its_axes_and_its_line() {
    let svg = traces("a run", &[banded("alpha"), banded("beta"), banded("gamma")]).unwrap();
    assert!(svg.starts_with("<svg width=\"1200\" height=\"670\""), "{}", &svg[..80]);
    assert!(svg.trim_end().ends_with("</svg>"));
    assert!(svg.contains("a run") && svg.contains("bands 95%"));
    assert_eq!(svg.lines().filter(|line| *line == "pairs").count(), 3);
    for (name, colour) in [("alpha", "#0072B2"), ("beta", "#D55E00"), ("gamma", "#009E73")] {
        assert!(svg.lines().any(|line| line == name), "label of the y axis {name}");
        assert!(svg.lines().any(|line| line == format!("{name}: 2.00 (1.50 to 2.50) after 20 pairs")), "title {name}");
        assert_eq!(lines(&svg, colour), 1, "line of {name}");
        let band = format!("<polygon opacity=\"0.3\" fill=\"{colour}\"");
        assert_eq!(svg.matches(&band).count(), 1, "band of {name}");
    }
    assert_eq!(svg, traces("a run", &[banded("alpha"), banded("beta"), banded("gamma")]).unwrap());
}

#[test]
fn without_a_band_none_is_drawn() {
    let svg = traces("t", &[series("llr", &[(1.0, 0.1), (2.0, -0.3), (3.0, 2.9)])]).unwrap();
    assert_eq!(lines(&svg, "#0072B2"), 1);
    assert!(!svg.contains("<polygon"));
    assert!(svg.lines().any(|line| line == "llr: 2.90 after 3 pairs"), "{svg}");
}

#[test]
fn a_line_runs_from_left_to_right_and_up_with_its_values() {
    let svg = traces("t", &[series("s", &[(0.0, 0.0), (10.0, 1.0)])]).unwrap();
    let line = svg.lines().find(|line| line.contains("<polyline") && line.contains("width=\"2\"")).unwrap();
    let points = line.split("points=\"").nth(1).unwrap().split('"').next().unwrap();
    let pixels: Vec<i32> = points.split([' ', ',']).filter_map(|number| number.parse().ok()).collect();
    let [x0, y0, x1, y1] = pixels[..] else { panic!("{points}") };
    assert!(x1 > x0 + 900, "it fills the width: {points}");
    assert!(y0 > y1 + 140, "y grows upwards: {points}");
}

#[test]
fn what_is_not_finite_is_skipped() {
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX];
    let mut broken = banded("b");
    for (index, &value) in odd.iter().enumerate() {
        broken.points[index].low = Some(value);
        broken.points[index + 6].high = Some(value);
        broken.points[index + 10].y = value;
        broken.points[index + 15].x = value;
    }
    let svg = traces("t", &[broken]).unwrap();
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    assert_eq!(lines(&svg, "#0072B2"), 1);
    assert_eq!(svg.matches("<polygon").count(), 2, "bands stop where an end is missing");
}

#[test]
fn extreme_ranges_are_drawn() {
    let flat = series("flat", &[(1.0, 3.0), (2.0, 3.0)]);
    let tiny = series("tiny", &[(1.0, 1e-300), (2.0, 2e-300)]);
    let huge = series("huge", &[(1.0, -1e100), (1e100, 1e100)]);
    let single = series("single", &[(1.0, 0.5)]);
    let svg = traces("t", &[flat, tiny, huge, single]).unwrap();
    assert!(!svg.contains("NaN"));
    assert_eq!(svg.matches("<circle").count(), 1, "a single point is a dot");
}

#[test]
fn nothing_to_draw_is_an_error() {
    assert_eq!(traces("t", &[]), Err(PlotError::NoSeries));
    let error = traces("t", &[banded("full"), series("bare", &[(f64::NAN, 1.0)])]).unwrap_err();
    assert_eq!(error, PlotError::Empty("bare".to_owned()));
    assert!(error.to_string().contains("`bare`"));
}

#[test]
fn any_name_stays_valid_and_short() {
    let svg = traces("<a & \"b\">\u{1}\n", &[series(&"é<".repeat(100), &[(1.0, 1.0), (2.0, 2.0)])]).unwrap();
    assert!(svg.contains("&lt;a &amp; &quot;b&quot;&gt;"), "{svg}");
    assert!(!svg.contains('\u{1}'));
    assert!(svg.contains(&format!("{}é…", "é&lt;".repeat(11))), "{svg}");
}

/// The distance of a text from the top, in pixels.
fn height(svg: &str, text: &str) -> i32 {
    let (before, _) = svg.split_once(&format!("\n{text}\n")).expect("the text is there");
    let (_, y) = before.rsplit_once(" y=\"").expect("a text has a place");
    y.split('"').next().and_then(|y| y.parse().ok()).expect("a number of pixels")
}

#[test]
fn slices_are_drawn_over_values() {
    let svg =
        super::traces("t", "s", &[(&series("margin", &[(0.1, -4.0), (0.2, 0.0), (0.3, -4.0)])).into()], Along::Values)
            .unwrap()
            .wide;
    for text in ["margin", "Elo over the answer", "0.10", "0.30"] {
        assert!(svg.lines().any(|line| line == text), "{text}: {svg}");
    }
    assert_eq!(lines(&svg, "#0072B2"), 1);
}

#[test]
fn a_parameter_s_start_is_a_dashed_line_within_the_panel() {
    let series = series("margin", &[(64.0, 3.0), (128.0, 4.0), (192.0, 4.2)]);
    let panel = TracePanel { series: &series, start: Some(-2.0), says: Some("4.2 ± 0.3".to_owned()) };
    let svg = super::traces("t", "s", &[panel], Along::Pairs).unwrap().wide;
    assert!(svg.lines().any(|line| line == "start"), "{svg}");
    assert!(svg.lines().any(|line| line == "-2"), "the axis reaches down to the start: {svg}");
    assert!(svg.lines().any(|line| line == "margin: 4.2 ± 0.3 after 192 pairs"), "{svg}");
    let dashes = svg.lines().filter(|line| line.contains("<polyline") && line.contains("#666666")).count();
    assert!(dashes > 10, "{svg}");
    let bare = traces("t", std::slice::from_ref(&series)).unwrap();
    assert!(!bare.lines().any(|line| line == "start"));
    // The title stands right above the panel.
    let above = TracePanel { series: &series, start: Some(20.0), says: None };
    let svg = super::traces("t", "s", &[above], Along::Pairs).unwrap().wide;
    assert!(height(&svg, "start") > height(&svg, "20"), "{svg}");
}
