//! The wording of jobs of several runs: the names of their runs, and a sentence on the outcome of all of them.

use super::series::{Rule, Series};
use arena::run::{Finish, Verdict};
use reports::text::counted;

/// The words for the runs of a kind of job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wording {
    /// The word for one of them, as a header above their names.
    pub head: &'static str,
    /// The key of their names in JSON.
    pub key: &'static str,
    /// The word for an accepted H1.
    pub passed: &'static str,
    /// The word for an accepted H0.
    pub failed: &'static str,
}

impl Wording {
    /// Describes the outcome of a run.
    pub fn says(&self, finish: Finish) -> &'static str {
        match finish {
            Finish::Verdict(Verdict::AcceptedH1 | Verdict::Complete) => self.passed,
            Finish::Verdict(Verdict::AcceptedH0) => self.failed,
            Finish::Verdict(Verdict::Undecided) => "undecided",
            Finish::Stopped => "interrupted",
            Finish::Faulty(_) => "too faulty",
        }
    }
}

impl Rule {
    /// Returns the words for the runs of a job of this kind: tests against releases, or stages.
    pub fn wording(self) -> Wording {
        match self {
            Self::All => Wording { head: "against", key: "release", passed: "no regression", failed: "regression" },
            Self::WhilePassed => Wording { head: "stage", key: "stage", passed: "passed", failed: "not passed" },
        }
    }
}

/// A summary of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobSummary {
    /// Its verdict, if there is one.
    pub verdict: Option<Verdict>,
    /// The verdict, or the state of a job without one, in a word or two.
    pub words: &'static str,
    /// The index of the run that decided, or of the last played run.
    pub by: usize,
}

impl Series {
    /// Returns a summary of the job, from the outcomes of the runs that have ended, in order.
    pub fn summary(&self, ended: &[Finish]) -> JobSummary {
        let wording = self.rule().wording();
        let last = ended.len().saturating_sub(1);
        let first = |verdict| ended.iter().position(|finish| finish.verdict() == verdict);
        let by = first(Some(Verdict::AcceptedH0))
            .or_else(|| first(None))
            .or_else(|| (!self.is_over(ended)).then_some(last))
            .or_else(|| first(Some(Verdict::Undecided)))
            .unwrap_or(last);
        let (verdict, words) = match ended.get(by) {
            Some(Finish::Verdict(Verdict::AcceptedH0)) => (Some(Verdict::AcceptedH0), wording.failed),
            Some(finish @ Finish::Faulty(_)) => (None, wording.says(*finish)),
            _ if !self.is_over(ended) => (None, "unfinished"),
            Some(finish) => (finish.verdict(), wording.says(*finish)),
            None => (None, "unfinished"),
        };
        JobSummary { verdict, words, by }
    }

    /// Describes the outcome of the job in a sentence, from the outcomes of the runs that have ended, in order.
    pub fn says(&self, ended: &[Finish]) -> String {
        match self.rule() {
            Rule::All => self.tests_in_words(ended),
            Rule::WhilePassed => self.stages_in_words(ended),
        }
    }

    /// Describes a run that has not begun, from the outcomes of the runs before it.
    pub fn state_unplayed(&self, ended: &[Finish]) -> &'static str {
        let fails = |finish: &Finish| matches!(finish, Finish::Verdict(Verdict::AcceptedH0 | Verdict::Undecided));
        if self.rule() == Rule::WhilePassed && ended.iter().any(fails) { "not played" } else { "to come" }
    }

    /// Whether nothing is left to play, from the outcomes of the runs that have ended, in order.
    pub fn is_over(&self, ended: &[Finish]) -> bool {
        let is_passed = |finish: &Finish| *finish == Finish::Verdict(Verdict::AcceptedH1);
        ended.iter().all(|finish| finish.verdict().is_some())
            && (ended.len() == self.parts().len()
                || self.rule() == Rule::WhilePassed && ended.last().is_some_and(|last| !is_passed(last)))
    }

    fn tests_in_words(&self, ended: &[Finish]) -> String {
        let all = counted(self.parts().len() as u64, "release");
        let count = |verdict| ended.iter().filter(|finish| **finish == Finish::Verdict(verdict)).count();
        let open = self.parts().len()
            - [Verdict::AcceptedH1, Verdict::Complete, Verdict::AcceptedH0, Verdict::Undecided]
                .map(count)
                .iter()
                .sum::<usize>();
        let kinds = [
            ("a regression against", count(Verdict::AcceptedH0)),
            ("none against", count(Verdict::AcceptedH1) + count(Verdict::Complete)),
            ("undecided against", count(Verdict::Undecided)),
            ("unfinished against", open),
        ];
        let parts: Vec<String> =
            kinds.iter().filter(|(_, number)| *number > 0).map(|(what, number)| format!("{what} {number}")).collect();
        format!("{}: of {all}, {}.", self.title(), parts.join(", "))
    }

    fn stages_in_words(&self, ended: &[Finish]) -> String {
        let (title, of) = (self.title(), self.parts().len());
        let (number, last) = (ended.len(), ended.last());
        let name = number.checked_sub(1).and_then(|last| self.parts().get(last)).map_or("", |part| part.name.as_str());
        match last {
            Some(Finish::Verdict(Verdict::AcceptedH1 | Verdict::Complete)) if number == of => match of {
                1 => format!("{title}: passed, H1 was accepted at its only stage."),
                _ => format!("{title}: passed, H1 was accepted at each of {of} stages."),
            },
            Some(Finish::Verdict(Verdict::AcceptedH0)) => {
                format!("{title}: not passed, H0 was accepted at stage {number} of {of}, {name}.")
            }
            Some(Finish::Verdict(Verdict::Undecided)) => {
                format!("{title}: undecided at stage {number} of {of}, {name}.")
            }
            _ => format!("{title}: unfinished at stage {} of {of}.", number.max(1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::Part;
    use arena::config::Job;
    use plan::{Disk, load};

    const H1: Finish = Finish::Verdict(Verdict::AcceptedH1);
    const H0: Finish = Finish::Verdict(Verdict::AcceptedH0);

    fn series(rule: Rule, folder: &std::path::Path) -> Series {
        let text = "[sprt]\npreset = \"gain\"\n[each]\nplayer = \"random\"\n[[entrant]]\nname = \
            \"a\"\n[[entrant]]\nname = \"b\"\n";
        let run = load(text, "test", "test", &[], Job::Sprt, Disk).expect("a test");
        Series::create(folder, "job", "a job", rule, ["one", "two", "three"].map(|name| Part::new(name, &run)).to_vec())
            .expect("a job")
    }

    #[test]
    fn stages_are_summed_up_by_the_last_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let series = series(Rule::WhilePassed, folder.path());
        assert_eq!(series.says(&[]), "a job: unfinished at stage 1 of 3.");
        assert_eq!(series.says(&[H1, Finish::Stopped]), "a job: unfinished at stage 2 of 3.");
        assert_eq!(series.says(&[H1, H0]), "a job: not passed, H0 was accepted at stage 2 of 3, two.");
        assert_eq!(series.says(&[H1; 3]), "a job: passed, H1 was accepted at each of 3 stages.");
        assert_eq!([&[H1, H0][..], &[H1]].map(|ended| series.state_unplayed(ended)), ["not played", "to come"]);
    }

    #[test]
    fn a_job_has_a_verdict() {
        const UNDECIDED: Finish = Finish::Verdict(Verdict::Undecided);
        let folder = tempfile::tempdir().expect("a folder");
        let (h1, h0) = (Some(Verdict::AcceptedH1), Some(Verdict::AcceptedH0));
        let faulty = Finish::Faulty(arena::run::TooFaulty { entrant: 0, faults: 9, games: 20 });
        let cases: [(Rule, &[Finish], JobSummary); 12] = [
            (Rule::WhilePassed, &[], JobSummary { verdict: None, words: "unfinished", by: 0 }),
            (Rule::WhilePassed, &[H1], JobSummary { verdict: None, words: "unfinished", by: 0 }),
            (Rule::WhilePassed, &[H1, Finish::Stopped], JobSummary { verdict: None, words: "unfinished", by: 1 }),
            (Rule::WhilePassed, &[H1, H0], JobSummary { verdict: h0, words: "not passed", by: 1 }),
            (Rule::WhilePassed, &[UNDECIDED], JobSummary { verdict: UNDECIDED.verdict(), words: "undecided", by: 0 }),
            (Rule::WhilePassed, &[H1, faulty], JobSummary { verdict: None, words: "too faulty", by: 1 }),
            (Rule::WhilePassed, &[H1; 3], JobSummary { verdict: h1, words: "passed", by: 2 }),
            (Rule::All, &[H1; 2], JobSummary { verdict: None, words: "unfinished", by: 1 }),
            (Rule::All, &[H1, H0], JobSummary { verdict: h0, words: "regression", by: 1 }),
            (Rule::All, &[H1, UNDECIDED, H1], JobSummary { verdict: UNDECIDED.verdict(), words: "undecided", by: 1 }),
            (Rule::All, &[H1, faulty, H1], JobSummary { verdict: None, words: "too faulty", by: 1 }),
            (Rule::All, &[H1; 3], JobSummary { verdict: h1, words: "no regression", by: 2 }),
        ];
        for (rule, ended, expected) in cases {
            assert_eq!(series(rule, folder.path()).summary(ended), expected, "{rule:?} {ended:?}");
        }
    }

    #[test]
    fn tests_against_releases_are_counted() {
        let folder = tempfile::tempdir().expect("a folder");
        let series = series(Rule::All, folder.path());
        assert_eq!(series.says(&[]), "a job: of 3 releases, unfinished against 3.");
        assert_eq!(
            series.says(&[H1, H0]),
            "a job: of 3 releases, a regression against 1, none against 1, unfinished against 1."
        );
        assert_eq!(series.state_unplayed(&[H0]), "to come", "all are played");
    }
}
