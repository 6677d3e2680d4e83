//! The ratings of a ladder as a curve: entrants in their order, each one's gain over the one before, and the parabola
//! through the ratings if the entrants are levels of one number. The page and the terminal take their drawings and
//! words from here.

use crate::levels::Levels;
use crate::plots::{self, EloCurve, EloCurvePoint, Plot, PlotError, Scaling, ScalingCurve, ScalingPoint};
use crate::text::{interval, plus_minus, signed};
use arena::config::{ExperimentConfig, RunConfig};
use arena::run::{Standing, ladder_ratings};
use serde::Serialize;
use stats::Estimate;
use stats::rating::{Parabola, Ratings, Standing as Bounds};

/// The number of points of a drawn parabola.
const CURVE_POINTS: u32 = 81;

/// The gain of an entrant over the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Gain {
    /// The gain in Elo.
    pub elo: Estimate,
    /// The probability that the entrant is the stronger one, 0 to 1.
    pub los: f64,
}

/// One entrant's place on the curve.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Place {
    /// The entrant's name.
    pub name: String,
    /// The entrant's rating.
    pub elo: Estimate,
    /// The number of pairs that the entrant played.
    pub pairs: f64,
    /// Whether the rating is given, and all others are relative to it.
    pub anchor: bool,
    /// Whether the entrant is still in the configuration.
    pub current: bool,
    /// The group, counted from 1; entrants of the same group can be compared by their results.
    pub group: usize,
    /// The gain over the entrant before.
    pub gain: Option<Gain>,
}

impl Place {
    /// Whether the entrant has played.
    pub fn played(&self) -> bool {
        self.pairs > 0.0
    }
}

/// All entrants of a ladder, rated.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RatedLadder {
    /// The entrants in the order of the configuration; those no longer in it at the end.
    pub places: Vec<Place>,
    /// The number of groups that no two-sided results join.
    pub groups: usize,
    /// The number in which the entrants differ, if it is only one.
    pub levels: Option<Levels>,
    /// The parabola through the ratings over that number, if there are enough of them.
    #[serde(skip)]
    pub parabola: Option<Parabola>,
}

impl RatedLadder {
    /// The ladder of entrants with these names, of which the first `current` are in the configuration. `levels` belong
    /// to the first entrants.
    pub fn new(names: &[&str], current: usize, anchor: usize, ratings: &Ratings, levels: Option<Levels>) -> Self {
        let gain = |number: usize| {
            let before = number.checked_sub(1).filter(|_| number < current)?;
            Some(Gain { elo: ratings.difference(number, before)?, los: ratings.superiority(number, before)? })
        };
        let place = |(number, (name, rating)): (usize, (&&str, &stats::rating::Rating))| Place {
            name: (**name).to_owned(),
            elo: rating.elo,
            pairs: if rating.standing == Bounds::NoGames { 0.0 } else { rating.games / 2.0 },
            anchor: number == anchor,
            current: number < current,
            group: rating.group + 1,
            gain: gain(number),
        };
        let places: Vec<Place> = names.iter().zip(&ratings.entrants).enumerate().map(place).collect();
        let all_played =
            levels.as_ref().is_some_and(|levels| places.iter().take(levels.values.len()).all(Place::played));
        let parabola = levels.as_ref().filter(|_| all_played).and_then(|levels| Parabola::fit(ratings, &levels.axis()));
        Self { places, groups: ratings.groups, levels, parabola }
    }

    /// The rated ladder of a run, from its own pairs and the earlier results that it was given; `None` for other runs.
    pub fn of_run(config: &RunConfig, standing: &Standing) -> Option<Self> {
        let ExperimentConfig::Ladder(ladder) = &config.experiment else { return None };
        let ratings = ladder_ratings(ladder, standing.pairings()).ok()?;
        let names: Vec<&str> = config.entrants.iter().map(|entrant| entrant.name.as_str()).collect();
        Some(Self::new(&names, names.len(), ladder.anchor as usize, &ratings, Levels::of(&config.entrants)))
    }

    /// The drawing of the curve: over the levels, if there are any, otherwise with the entrants side by side.
    ///
    /// # Errors
    /// [`PlotError::Empty`] if no pair has been played yet.
    pub fn drawing(&self, title: &str, subtitle: &str) -> Result<Plot, PlotError> {
        match &self.levels {
            Some(levels) => self.over_levels(levels, title, subtitle),
            None => self.side_by_side(title, subtitle),
        }
    }

    fn shown(&self) -> impl Iterator<Item = (usize, &Place)> {
        self.places.iter().enumerate().filter(|(_, place)| place.current && place.played())
    }

    fn side_by_side(&self, title: &str, subtitle: &str) -> Result<Plot, PlotError> {
        let point = |(number, place): (usize, &Place)| EloCurvePoint {
            name: place.name.clone(),
            x: number as f64,
            elo: place.elo.value,
            low: place.elo.low,
            high: place.elo.high,
            anchor: place.anchor,
        };
        let points = self.shown().map(point).collect();
        plots::elo_curve(&EloCurve { title: title.to_owned(), subtitle: subtitle.to_owned(), points })
    }

    fn over_levels(&self, levels: &Levels, title: &str, subtitle: &str) -> Result<Plot, PlotError> {
        let shown = self.shown().filter_map(|(number, place)| Some((*levels.values.get(number)?, place)));
        let point =
            |(x, Place { elo, .. }): (f64, &Place)| ScalingPoint { x, elo: elo.value, low: elo.low, high: elo.high };
        plots::scaling(&Scaling {
            title: title.to_owned(),
            subtitle: subtitle.to_owned(),
            x_label: levels.label.clone(),
            doublings: levels.doublings,
            points: shown.map(point).collect(),
            curve: self.curve(levels),
        })
    }

    /// The parabola, shifted to the height that suits the ratings.
    fn curve(&self, levels: &Levels) -> Option<ScalingCurve> {
        let (fit, axis) = (self.parabola.as_ref()?, levels.axis());
        let (first, last) = (*axis.first()?, *axis.last()?);
        let above = |x: f64| fit.gain(x, first).value;
        let height = self.places.iter().zip(&axis).map(|(place, &x)| place.elo.value - above(x)).sum::<f64>()
            / axis.len() as f64;
        let at = |point: u32| first + (last - first) * f64::from(point) / f64::from(CURVE_POINTS - 1);
        let points = (0..CURVE_POINTS).map(at).map(|x| (x, height + above(x))).collect();
        let name = format!("parabola, misfit {:.1} on {} d.f.", fit.misfit, fit.freedom);
        Some(ScalingCurve { name, points })
    }

    /// The parabola in words, a few lines; none without one.
    pub fn parabola_in_words(&self) -> Vec<String> {
        let (Some(fit), Some(levels)) = (&self.parabola, &self.levels) else { return Vec::new() };
        let axis = levels.axis();
        let mut lines = vec![format!(
            "A parabola over {}, misfit {:.1} on {} degrees of freedom:",
            levels.what(),
            fit.misfit,
            fit.freedom
        )];
        let (first, last) = (axis[0], axis[axis.len() - 1]);
        if levels.doublings {
            let [start, end] =
                [(first + 1.0, first), (last, last - 1.0)].map(|(to, from)| plus_minus(fit.gain(to, from), 1));
            lines.push(format!("  the first doubling gains {start} Elo, the last one {end}"));
        } else {
            lines.extend(summit_in_words(fit, &levels.label, first, last));
        }
        lines
    }

    /// The ratings in a line: few entrants in their order, or the strongest of many.
    pub fn in_short(&self, most: usize) -> String {
        let mut played: Vec<&Place> = self.places.iter().filter(|place| place.played()).collect();
        let others = played.len().saturating_sub(most);
        if others > 0 {
            played.sort_by(|a, b| b.elo.value.total_cmp(&a.elo.value));
            played.truncate(most);
        }
        let rating = |place: &&Place| match place {
            Place { anchor: true, .. } => format!("{} {:.0}", place.name, place.elo.value),
            _ => format!("{} {}", place.name, plus_minus(place.elo, 0)),
        };
        let shown: Vec<String> = played.iter().map(rating).collect();
        let more = if others > 0 { format!(", {others} below") } else { String::new() };
        if shown.is_empty() { "no ratings yet".to_owned() } else { format!("Elo {}{more}", shown.join(", ")) }
    }

    /// Rows of a table: name, rating, pairs, gain over the entrant before, likelihood of superiority over it.
    pub(crate) fn rows(&self) -> Vec<Vec<String>> {
        let row = |place: &Place| {
            let elo = match place {
                Place { anchor: true, .. } => format!("{} (given)", signed(place.elo.value, 1)),
                _ if place.played() => interval(place.elo, 1),
                _ => "–".to_owned(),
            };
            let gain = place.gain.filter(|_| place.played());
            let (gain, los) = gain
                .map_or_else(Default::default, |Gain { elo, los }| (interval(elo, 1), format!("{:.1}%", 100.0 * los)));
            vec![place.name.clone(), elo, crate::text::grouped(place.pairs.round() as u64), gain, los]
        };
        self.places.iter().map(row).collect()
    }
}

/// The value with the highest strength, and how far it is above the first and the last value, in words.
fn summit_in_words(fit: &Parabola, label: &str, first: f64, last: f64) -> Vec<String> {
    let Some(summit) = fit.summit() else {
        return vec!["  no summit: the curvature is not certain to be downwards".to_owned()];
    };
    let half = (summit.high - summit.low) / 2.0;
    let beyond = if (first..=last).contains(&summit.value) { "" } else { ", beyond what was played" };
    let best = format!("  best at {label} = {:.4} ± {half:.4} (95%){beyond}", summit.value);
    let above = |value: f64| format!("  there {} Elo above {value}", plus_minus(fit.gain(summit.value, value), 1));
    vec![best, above(first), above(last)]
}

/// The heads of [`RatedLadder::rows`].
pub(crate) const HEADS: [&str; 5] = ["", "Elo (95%)", "pairs", "gain over the one before (95%)", "LOS"];
