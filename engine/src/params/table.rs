//! All tunable parameters together: which groups of them there are, and access by name.
//!
//! A group is declared by `parameters!` beside the code that it is for.

use super::{unknown, ParamError, ParamInfo};

/// A group of parameters, made by `parameters!`.
pub(crate) trait Group {
    /// Its parameters in the order of declaration.
    const PARAMS: &'static [ParamInfo];

    /// The value of a parameter; switches are 0 or 1. `None` if it is in another group.
    fn get(&self, name: &str) -> Option<f64>;

    /// Sets a parameter to a value that has passed [`ParamInfo::check`]. `false` if it is in another group.
    fn set(&mut self, name: &str, value: f64) -> bool;
}

/// Makes one table of several groups.
macro_rules! groups {
    ($($(#[$doc:meta])+ $group:ident: $($type:ident)::+,)+) => {
        $(pub use $($type)::+;)+

        /// The values of all tunable parameters, grouped by their owner. Two engines in one process may have different
        /// ones.
        ///
        /// Fields can be assigned directly; [`Params::set`] checks values from outside.
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct Params {
            $($(#[$doc])+ pub $group: $($type)::+,)+
        }

        const GROUPS: &[&[ParamInfo]] = &[$(<$($type)::+ as Group>::PARAMS),+];

        impl Params {
            /// The value of a parameter; switches are 0 or 1. `None` if there is no such parameter.
            pub fn get(&self, name: &str) -> Option<f64> {
                None$(.or_else(|| self.$group.get(name)))+
            }

            /// Sets a parameter by name.
            ///
            /// # Errors
            /// [`ParamError`] when there is no such parameter or the value is not valid; nothing is changed then.
            pub fn set(&mut self, name: &str, value: f64) -> Result<(), ParamError> {
                ParamInfo::find(name).ok_or_else(|| unknown(name))?.check(value)?;
                if $(self.$group.set(name, value))||+ {
                    Ok(())
                } else {
                    Err(unknown(name))
                }
            }
        }
    };
}

groups! {
    /// Of alpha-beta.
    alpha_beta: crate::search::alpha_beta::AlphaBetaParams,
    /// Of the book of setups.
    book: crate::book::BookParams,
    /// Of the `CodeCup` protocol.
    codecup: crate::protocol::codecup::CodecupParams,
    /// Of the tree search.
    mcts: crate::mcts::MctsParams,
    /// Of time management.
    time: crate::time::TimeParams,
}

/// Every parameter: group by group, each in the order of declaration.
pub const PARAMS: &[ParamInfo] = &joined();

const COUNT: usize = {
    let (mut count, mut group) = (0, 0);
    while group < GROUPS.len() {
        count += GROUPS[group].len();
        group += 1;
    }
    count
};

const fn joined() -> [ParamInfo; COUNT] {
    let mut all = [GROUPS[0][0]; COUNT];
    let (mut at, mut group) = (0, 0);
    while group < GROUPS.len() {
        let mut index = 0;
        while index < GROUPS[group].len() {
            all[at] = GROUPS[group][index];
            at += 1;
            index += 1;
        }
        group += 1;
    }
    all
}
