//! Pages that do not belong to a run: rows of facts, tables and plots, in the same style as all pages.

use crate::diagrams::{self, Diagram};
use crate::figures::Figure;
use crate::html::{list, plain, table};
use crate::page::{drawn, head};
use crate::plots::{Plot, PlotError};
use maud::{DOCTYPE, html};

/// The content of such a page.
#[derive(Clone, Debug, Default)]
pub struct FactSheet {
    title: String,
    says: String,
    facts: Vec<Vec<String>>,
    tables: Vec<(String, Vec<String>, Vec<Vec<String>>)>,
    diagrams: Vec<(String, Vec<Diagram>)>,
    links: Option<Links>,
    figures: Vec<Figure>,
}

/// Links to other pages, under a title: rows that begin with their subject.
#[derive(Clone, Debug)]
struct Links {
    title: String,
    rows: Vec<(String, Vec<(String, String)>)>,
}

impl FactSheet {
    /// A page with this title and a sentence below it.
    pub fn new(title: impl Into<String>, says: impl Into<String>) -> Self {
        Self { title: title.into(), says: says.into(), ..Self::default() }
    }

    /// Adds a fact by its name and value.
    pub fn fact(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.facts.push(vec![name.into(), value.into()]);
    }

    /// Adds a table.
    pub fn table(&mut self, title: impl Into<String>, heads: &[&str], rows: Vec<Vec<String>>) {
        self.tables.push((title.into(), heads.iter().map(|head| (*head).to_owned()).collect(), rows));
    }

    /// Adds diagrams of positions.
    pub fn diagrams(&mut self, title: impl Into<String>, diagrams: Vec<Diagram>) {
        self.diagrams.push((title.into(), diagrams));
    }

    /// Adds rows of links to other pages: the subject, then the text and the address of each.
    pub fn links(&mut self, title: impl Into<String>, rows: Vec<(String, Vec<(String, String)>)>) {
        self.links = Some(Links { title: title.into(), rows });
    }

    /// Adds a plot; leaves it out if it has nothing to show.
    ///
    /// # Errors
    /// [`PlotError::Drawing`]
    pub fn plot(&mut self, id: &str, title: &str, plot: Result<Plot, PlotError>) -> Result<(), PlotError> {
        match plot {
            Ok(Plot { wide, narrow }) => {
                self.figures.push(Figure { id: id.to_owned(), title: title.to_owned(), svg: wide, narrow });
                Ok(())
            }
            Err(PlotError::NoSeries | PlotError::Empty(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// The page as one self-contained HTML file.
    pub fn html(&self) -> String {
        let links = self.figures.iter().map(|figure| (figure.id.as_str(), figure.title.as_str()));
        let page = html! {
            (DOCTYPE) "\n"
            html lang="en" {
                (head(&self.title)) "\n"
                body { "\n" main {
                    "\n" header {
                        h1 { (plain(&self.title)) }
                        p.says { (plain(&self.says)) }
                    }
                    "\n" nav { @for (id, title) in links { "\n" a href={ "#" (id) } { (plain(title)) } } }
                    "\n" section #numbers {
                        h2 { "Numbers" }
                        (list(&self.facts))
                        @for (title, heads, rows) in &self.tables {
                            h2 { (plain(title)) }
                            (table(&heads.iter().map(String::as_str).collect::<Vec<_>>(), rows))
                        }
                    }
                    @for figure in &self.figures { "\n" (drawn(figure)) }
                    @for (title, diagrams) in &self.diagrams {
                        "\n" section {
                            h2 { (plain(title)) }
                            (diagrams::drawn(diagrams))
                        }
                    }
                    @if let Some(Links { title, rows }) = &self.links {
                        "\n" section #pages {
                            h2 { (plain(title)) }
                            @for (of, links) in rows {
                                "\n" p {
                                    (plain(of)) ":"
                                    @for (text, address) in links { " " a href=(plain(address)) { (plain(text)) } }
                                }
                            }
                        }
                    }
                    "\n"
                } "\n" }
            }
            "\n"
        };
        page.into_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plots::{Bars, bars};

    #[test]
    fn a_page_has_its_facts_and_plots_and_nothing_that_is_markup_by_chance() {
        let mut sheet = FactSheet::new("<b>", "says");
        sheet.fact("positions", "12 & 3");
        sheet.table("Files", &["file"], vec![vec!["<i>".to_owned()]]);
        let panel =
            |counts| Bars { title: "t", x_label: "x", y_label: "y", low: -2.0, width: 0.5, counts, names: Vec::new() };
        sheet.plot("one", "One", bars("One", "", &[], &[panel(vec![vec![3], vec![0], vec![5]])])).unwrap();
        sheet.plot("none", "None", bars("None", "", &[], &[panel(vec![vec![0]])])).unwrap();
        let html = sheet.html();
        assert!(html.contains("12 &amp; 3") && html.contains("&lt;i&gt;") && !html.contains("<i>"), "{html}");
        assert!(html.contains("id=\"one\"") && !html.contains("id=\"none\""), "{html}");
        assert_eq!(html.matches("<svg").count(), 2, "for wide screens and for narrow ones");
    }
}
