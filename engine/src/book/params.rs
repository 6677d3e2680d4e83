//! The parameters of the book of setups, all declared here.

use crate::params::parameters;

parameters! {
    /// How the book of setups is used.
    BookParams {
        setup_book: switch = true; "Book of setups: as red play one of its best setups, as blue its reply, or search \
            its replies if it does not know red's setup.";
        book_margin: real = 0.02, 0.0, 2.0, step 0.01; "Book of setups: red draws among those whose value is at most \
            this far below the best (logit).";
    }
}
