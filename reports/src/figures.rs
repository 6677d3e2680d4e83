//! The plots of a run's report, with their titles and captions.

use crate::fairness;
use crate::gather::Gathered;
use crate::ladder::RatedLadder;
use crate::numbers::{Numbers, RunFacts, sprt_config};
use crate::plots::{self, Along, LlrPath, Named, PairBars, Planning, Plot, PlotError, RatingRow, ScoreRow, TracePanel};
use crate::text::interval;
use crate::tuned;
use arena::run::Series;
use stats::plan::{Conditions, PlanError, Prospect};
use stats::{Estimate, PairCounts, SprtConfig, Summary, Wdl};

/// A plot of a report.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Names the plot's files and its place in the page.
    pub id: String,
    /// The title.
    pub title: String,
    /// The drawing.
    pub svg: String,
    /// The drawing for narrow screens.
    pub narrow: String,
}

/// The minimum number of pairs per opening for a plot that compares single openings.
const LEAST_PAIRS_AN_OPENING: u64 = 4;
/// The minimum number of pairs for plots of pairs: with fewer, the table suffices.
pub(crate) const LEAST_PAIRS: u64 = 10;
/// The number of points of a planning curve.
const PLAN_POINTS: u32 = 61;
/// Draws per game and opening bias for planning before anything is measured.
const UNMEASURED: (f64, f64) = (0.0, 0.0);

/// All data that the plots of a run are drawn from.
#[derive(Clone, Copy)]
pub(crate) struct Sources<'a> {
    pub(crate) facts: &'a RunFacts<'a>,
    pub(crate) numbers: &'a Numbers,
    pub(crate) gathered: &'a Gathered,
    pub(crate) series: &'a [Series],
    pub(crate) slices: &'a [Series],
}

type Drawing = Result<Plot, PlotError>;

/// Draws every plot for which the run has data.
pub(crate) fn figures(sources: &Sources<'_>) -> Result<Vec<Figure>, PlotError> {
    let mut figures = Vec::new();
    let mut add = |id: &str, title: &str, drawing: Drawing| match drawing {
        Ok(Plot { wide: svg, narrow }) => {
            figures.push(Figure { id: id.to_owned(), title: title.to_owned(), svg, narrow });
            Ok(())
        }
        Err(PlotError::NoSeries | PlotError::Empty(_)) => Ok(()),
        Err(error) => Err(error),
    };
    if let Some(config) = sprt_config(sources.facts.header) {
        add("llr", "Log-likelihood ratio", sources.llr(config))?;
    }
    if let Some(ladder) = &sources.numbers.ladder {
        let title = ladder_title(ladder);
        add("elo-curve", &title, ladder.drawing(&title, sources.facts.name))?;
    } else if sources.numbers.tune.is_some() {
        add("values", "Tuned values over the pairs", sources.values())?;
        add("slices", "Strength about the answer", sources.slices())?;
    } else if sources.numbers.measures_strength() {
        add("elo", &format!("Elo over the {}", sources.along()), sources.elo())?;
    }
    // Pairings chosen for their information have no common law of a pair.
    if sources.numbers.ladder.is_none() {
        add("pairs", "Pairs by points", sources.pentanomial())?;
    }
    if sources.numbers.entrants.len() > 2 {
        if sources.numbers.ladder.is_none() {
            add("ratings", "Ratings", sources.ratings())?;
        }
        add("crosstable", "Crosstable", sources.crosstable())?;
    }
    add("seats", "Score by seat", sources.seats())?;
    add("fairness", "Fairness of the openings", sources.fairness())?;
    add("openings", "Score by opening", sources.openings())?;
    add("games", "Lengths and endings of the games", sources.games())?;
    add("pace", "Time and depth by ply", plots::pace("Time and depth by ply", &sources.paces()))?;
    add("latency", "Latency", plots::delays("Latency", &sources.paces()))?;
    for (index, entrant) in sources.numbers.entrants.iter().enumerate() {
        let drawing =
            plots::calibration("Evaluations against results", &entrant.name, &sources.gathered.calibration[index]);
        let title = format!("Evaluations of {} against results", entrant.name);
        add(&format!("evaluations-{}", index + 1), &title, drawing)?;
    }
    if let Some(config) = sprt_config(sources.facts.header) {
        add("planning", "What the test finds and costs", sources.planning(config))?;
    }
    Ok(figures)
}

impl Sources<'_> {
    fn named(&self, name: &str) -> Result<&Series, PlotError> {
        self.series.iter().find(|series| series.name == name).ok_or(PlotError::NoSeries)
    }

    /// The pairs; an error if games are counted, which say nothing about a pair's law.
    fn pairs(&self) -> Result<&PairCounts, PlotError> {
        self.facts.standing.counts.pairs().ok_or_else(|| PlotError::Empty("pairs".to_owned()))
    }

    /// The unit on the axis of a course, in the plural.
    fn along(&self) -> String {
        format!("{}s", self.numbers.unit)
    }

    fn llr(&self, config: &SprtConfig) -> Drawing {
        let Some(sprt) = self.facts.standing.sprt() else { return Err(PlotError::NoSeries) };
        let (title, llr) = ("Log-likelihood ratio between its bounds", self.named("llr")?);
        let subtitle = format!("{}: H0 {}, H1 {} {}", self.facts.name, config.elo0, config.elo1, scale(config));
        let conditions = self.pairs().ok().and_then(|pairs| Conditions::observed(pairs).ok());
        let drift = conditions.map(|conditions| drift(config, &conditions));
        let drift = drift.filter(|drift| drift.is_finite() && *drift > 0.0);
        let along = &self.along();
        let path = LlrPath { title, subtitle: &subtitle, llr, along, lower: sprt.lower, upper: sprt.upper, drift };
        plots::llr(&path)
    }

    /// Refuses to draw a plot of only a few pairs.
    fn enough_pairs(&self) -> Result<(), PlotError> {
        let enough = self.numbers.units >= LEAST_PAIRS;
        if enough { Ok(()) } else { Err(PlotError::Empty("pairs".to_owned())) }
    }

    fn elo(&self) -> Drawing {
        self.enough_pairs()?;
        let [one, other] = &self.numbers.total.names;
        let elo = self.numbers.total.elo.map_or(String::new(), |elo| format!(": {}", interval(elo, 1)));
        let after = if self.numbers.sprt.is_some() { ", not corrected for the test's stopping" } else { "" };
        let model = self.facts.standing.counts.pairs().map_or(", trinomial model", |_| "");
        let subtitle = format!("{one} against {other}{elo}; band 95%{model}{after}");
        let elo = Series { name: "elo".to_owned(), points: self.gathered.elo_course() };
        let along = self.along();
        plots::elo_course(&format!("Elo over the {along}"), &subtitle, &elo, &along)
    }

    fn values(&self) -> Drawing {
        let subtitle = format!(
            "{}; bands ± 1 standard error, where the method has one; of a switch, the probability that on is better",
            self.facts.name
        );
        let panels: Vec<TracePanel<'_>> = self.series.iter().map(|series| self.course(series)).collect();
        plots::traces("Tuned values over the pairs", &subtitle, &panels, Along::Pairs)
    }

    /// The course of a tuned parameter, with its start and its value from the tables.
    fn course<'b>(&self, series: &'b Series) -> TracePanel<'b> {
        let parameters = self.facts.standing.tune().into_iter().flat_map(|tune| &tune.parameters);
        let tuned = parameters.into_iter().find(|tuned| tuned.name == series.name);
        TracePanel { series, start: tuned.map(|tuned| tuned.start), says: tuned.map(tuned::in_words) }
    }

    fn slices(&self) -> Drawing {
        let subtitle = "one parameter moved, all others at the answer; bands ± 1 standard error of the difference";
        let panels: Vec<TracePanel<'_>> = self.slices.iter().map(TracePanel::from).collect();
        plots::traces("Strength about the answer, as fitted", subtitle, &panels, Along::Values)
    }

    fn pentanomial(&self) -> Drawing {
        self.enough_pairs()?;
        let counts = self.pairs()?;
        let (expected, subtitle) = match expected_pairs(counts) {
            Some((shares, conditions)) => {
                let (draws, bias) = (100.0 * conditions.draw_ratio(), conditions.rms_bias().abs());
                let words =
                    format!("games of the measured score, {draws:.1}% draws and an opening bias of {bias:.0} Elo");
                (Some(shares), format!("expected of {words}"))
            }
            None => (
                None,
                "no expectation: so far from 50%, no law of pairs has these draws and this opening bias".to_owned(),
            ),
        };
        let title = "Pairs by points";
        plots::pentanomial(&PairBars { title, subtitle: &subtitle, observed: counts.pentanomial(), expected })
    }

    fn seats(&self) -> Drawing {
        self.enough_pairs()?;
        let mut rows = vec![score_row("first mover, all games".to_owned(), self.numbers.first_mover)];
        // The scores of an entrant against itself equal those of the seats.
        if self.numbers.entrants.len() > 1 {
            for entrant in &self.numbers.entrants {
                rows.push(score_row(format!("{} first", entrant.name), entrant.first));
                rows.push(score_row(format!("{} second", entrant.name), entrant.second));
            }
        }
        let rows: Vec<ScoreRow> = rows.into_iter().flatten().collect();
        plots::scores("Score by seat", "share of the points where one moved first or second, 95%", "score (%)", &rows)
    }

    fn fairness(&self) -> Drawing {
        self.enough_pairs()?;
        let fairness = self.gathered.fairness().ok_or_else(|| PlotError::Empty("pairs".to_owned()))?;
        plots::fairness("Fairness of the openings", &fairness::in_words(&fairness), &fairness)
    }

    fn games(&self) -> Drawing {
        self.enough_pairs()?;
        plots::lengths("Lengths and endings", &self.gathered.games)
    }

    fn openings(&self) -> Drawing {
        let openings = self.gathered.openings.repeated(LEAST_PAIRS_AN_OPENING);
        let row = |opening: &crate::gather::OpeningScore| {
            let name = format!("opening {}", opening.number + 1);
            let games = opening.games;
            Some(ScoreRow { name, score: Estimate::wilson(opening.score(), games as f64)?, games })
        };
        let rows: Vec<ScoreRow> = openings.iter().filter_map(row).collect();
        let subtitle = format!(
            "those that {LEAST_PAIRS_AN_OPENING} {} or more started with, 95%; the most one-sided",
            self.along()
        );
        plots::scores("Score of the first mover by opening", &subtitle, "score (%)", &rows)
    }

    fn paces(&self) -> Vec<Named<'_>> {
        let entrants = self.numbers.entrants.iter().zip(&self.gathered.pace);
        entrants.map(|(entrant, pace)| (entrant.name.as_str(), pace)).collect()
    }

    fn ratings(&self) -> Drawing {
        let rated = self.numbers.entrants.iter().filter_map(|entrant| Some((entrant, entrant.rating?)));
        let mut rows: Vec<RatingRow> =
            rated.map(|(entrant, elo)| RatingRow { name: entrant.name.clone(), elo }).collect();
        rows.sort_by(|a, b| b.elo.value.total_cmp(&a.elo.value));
        plots::ratings("Ratings", "Elo about the mean of all, 95%", &rows)
    }

    fn crosstable(&self) -> Drawing {
        let names: Vec<String> = self.numbers.entrants.iter().map(|entrant| entrant.name.clone()).collect();
        let score = |row: usize, column: usize| self.gathered.score_against(row, column);
        plots::crosstable(
            "Crosstable",
            "share of the points (%) of the row's entrant against the column's",
            &names,
            score,
        )
    }

    fn planning(&self, config: &SprtConfig) -> Drawing {
        let pairs = self.pairs()?;
        let measured = Conditions::observed(pairs);
        let conditions = measured.or_else(|_| Conditions::new(UNMEASURED.0, UNMEASURED.1));
        let conditions = conditions.map_err(|error| PlotError::Empty(error.to_string()))?;
        let points = prospects(config, &conditions).map_err(|error| PlotError::Empty(error.to_string()))?;
        let subtitle = format!(
            "H0 {}, H1 {} {}; {:.1}% draws, opening bias {:.0} Elo",
            config.elo0,
            config.elo1,
            scale(config),
            100.0 * conditions.draw_ratio(),
            conditions.rms_bias()
        );
        let measured = Summary::of_pairs(pairs).elo.filter(|elo| elo.value.is_finite());
        plots::planning(&Planning {
            title: "What the test finds and costs",
            subtitle: &subtitle,
            points: &points,
            measured,
        })
    }
}

fn ladder_title(ladder: &RatedLadder) -> String {
    ladder.levels.as_ref().map_or_else(|| "Elo curve".to_owned(), |levels| format!("Elo by {}", levels.label))
}

/// The unit of a test's bounds.
fn scale(config: &SprtConfig) -> &'static str {
    match config.model {
        stats::Model::Normalized => "nElo",
        stats::Model::Logistic => "Elo",
        stats::Model::Bayesian => "BayesElo",
    }
}

/// The mean growth of the ratio per pair if H1 holds exactly: for two normal laws with means m0 and m1 and one variance
/// v it is `(m1 - m0)^2 / 2v` (Wald, "Sequential Analysis", 1947). A pair's mean is twice the score and its variance
/// twice a game's.
fn drift(config: &SprtConfig, conditions: &Conditions) -> f64 {
    let [s0, s1] = [config.elo0, config.elo1].map(|elo| conditions.score(config.model, elo));
    (s1 - s0) * (s1 - s0) / conditions.variance_per_game()
}

/// Probabilities of the five outcomes of a pair under the measured score, draws and opening bias.
fn expected_pairs(counts: &PairCounts) -> Option<([f64; 5], Conditions)> {
    let conditions = Conditions::observed(counts).ok()?;
    let score = Summary::of_pairs(counts).score?.value;
    let [ll, ld, wl, dd, wd, ww] = conditions.pair_law(score).ok()?.probabilities();
    Some(([ll, ld, wl + dd, wd, ww], conditions))
}

/// The behaviour of a test for true differences from as far below H0 as H1 is above it, to as far above H1.
fn prospects(config: &SprtConfig, conditions: &Conditions) -> Result<Vec<(f64, Prospect)>, PlanError> {
    let width = config.elo1 - config.elo0;
    let at = |point: u32| config.elo0 + width * (3.0 * f64::from(point) / f64::from(PLAN_POINTS - 1) - 1.0);
    let rows = (0..PLAN_POINTS).map(|point| {
        let score = conditions.score(config.model, at(point));
        Ok((stats::elo::elo_of_score(score), Prospect::at_score(config, conditions, score)?))
    });
    rows.collect()
}

fn score_row(name: String, results: Wdl) -> Option<ScoreRow> {
    let score = Summary::of_games(&results).score?;
    Some(ScoreRow { name, score, games: results.total() })
}
