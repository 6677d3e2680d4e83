//! The page of a training: its losses, what they are compared with, and the settings.
//!
//! What is trained, and how, is the caller's to word: rows of names and values.

use crate::figures::Figure;
use crate::html::{list, plain, table};
use crate::page::{drawn, head};
use crate::plots::{PlotError, Reference, losses};
use arena::run::{Point, Series};
use maud::{DOCTYPE, html};

/// A training, as its page tells it.
#[derive(Clone, Debug, PartialEq)]
pub struct Training {
    /// What it is called.
    pub title: String,
    /// What came of it, in a sentence.
    pub says: String,
    /// Positions learnt from, the loss on those since the last point, the held-out loss.
    pub course: Vec<(u64, f64, f64)>,
    /// What the losses are compared with.
    pub references: Vec<Reference>,
    /// Losses of several, with heads.
    pub losses: (Vec<String>, Vec<Vec<String>>),
    /// Names and values: figures, then settings.
    pub numbers: Vec<[String; 2]>,
    /// The same of the settings.
    pub settings: Vec<[String; 2]>,
    /// The configuration, as it was read.
    pub configuration: String,
}

impl Training {
    /// The page as HTML.
    ///
    /// # Errors
    /// [`PlotError`] if there is nothing to draw yet.
    pub fn page(&self) -> Result<String, PlotError> {
        let series = |name: &str, y: fn(&(u64, f64, f64)) -> f64| {
            let point = |at: &(u64, f64, f64)| Point { x: at.0 as f64, y: y(at), low: None, high: None };
            Series { name: name.to_owned(), points: self.course.iter().map(point).collect() }
        };
        let courses = [series("training", |at| at.1), series("held out", |at| at.2)];
        let subtitle = "Mean loss of the positions learnt from since the last point, and of those held out";
        let plot = losses(&self.title, subtitle, &courses, &self.references)?;
        let (id, title) = ("losses".to_owned(), "Losses".to_owned());
        let figure = Figure { id, title, svg: plot.wide, narrow: plot.narrow };
        let rows = |rows: &[[String; 2]]| rows.iter().map(|row| row.to_vec()).collect::<Vec<_>>();
        let heads: Vec<&str> = self.losses.0.iter().map(String::as_str).collect();
        let page = html! {
            (DOCTYPE) "\n"
            html lang="en" {
                (head(&self.title)) "\n"
                body {
                    "\n" header {
                        h1 { (plain(&self.title)) }
                        p.says { (plain(&self.says)) }
                    }
                    "\n" (drawn(&figure))
                    "\n" section #numbers {
                        h2 { "Numbers" }
                        (list(&rows(&self.numbers)))
                        (table(&heads, &self.losses.1))
                    }
                    "\n" section #settings {
                        h2 { "Settings" }
                        (list(&rows(&self.settings)))
                        details { summary { "Configuration" } pre { (self.configuration) } }
                    }
                    "\n"
                }
            }
            "\n"
        };
        Ok(page.into_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_losses_numbers_and_settings() {
        let pair = |name: &str, value: &str| [name.to_owned(), value.to_owned()];
        let training = Training {
            title: "network <one>".to_owned(),
            says: "Held-out loss 0.6171".to_owned(),
            course: vec![(100, 0.68, 0.67), (200, 0.63, 0.64)],
            references: vec![Reference { name: "constant".to_owned(), loss: 0.69 }],
            losses: (vec![String::new(), "target".to_owned()], vec![vec!["constant".to_owned(), "0.6900".to_owned()]]),
            numbers: vec![pair("positions", "200")],
            settings: vec![pair("lambda", "0.2")],
            configuration: "model = \"network\"\n".to_owned(),
        };
        let page = training.page().unwrap();
        for text in ["network &lt;one&gt;", "Held-out loss 0.6171", "constant", "lambda", "model = &quot;network&quot;"]
        {
            assert!(page.contains(text), "{text}");
        }
        assert!(Training { course: Vec::new(), ..training }.page().is_err());
    }
}
