//! `spar book`: inspects and makes opening books.

mod engines;
mod info;
mod make;
mod pick;
mod prepare;
mod setups;

use crate::args::books::Book;
use crate::failure::{Exit, Failure};
use play::book::Skipped;

/// Reports on standard error which lines or games of a file were skipped.
fn complain(skipped: &Skipped, file: &str) {
    if let Some(what) = session::openings::skipped(skipped, file) {
        say!("warning: {file} has openings that cannot be used: {what}");
    }
}

pub(crate) fn book(book: &Book) -> Result<Exit, Failure> {
    match book {
        Book::Info(info) => info::info(info),
        Book::Make(make) => make::make(make),
        Book::Pick(pick) => pick::pick(pick),
        Book::Setups(setups) => setups::setups(setups),
        Book::Prepare(arguments) => prepare::prepare(arguments),
    }
}
