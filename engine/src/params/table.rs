//! The table of all tunable parameters: its groups, and access by name.
//!
//! `parameters!` declares a group beside the code that uses it.

use super::{unknown, ParamError, ParamInfo};

/// A group of parameters, made by `parameters!`.
pub(crate) trait Group {
    /// The group's parameters in the order of declaration.
    const PARAMS: &'static [ParamInfo];

    /// The value of a parameter; switches are 0 or 1. `None` if the parameter is in another group.
    fn get(&self, name: &str) -> Option<f64>;

    /// Sets a parameter to a value that has passed [`ParamInfo::check`]. `false` if the parameter is in another group.
    fn set(&mut self, name: &str, value: f64) -> bool;
}

/// Makes one table from several groups.
macro_rules! groups {
    ($($(#[$doc:meta])+ $group:ident: $($type:ident)::+,)+) => {
        $(pub use $($type)::+;)+

        /// The values of all tunable parameters, grouped by their owner. Engines in one process may have different
        /// values.
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
            /// [`ParamError`] if there is no such parameter or the value is not valid; nothing is changed then.
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
    /// Alpha-beta.
    alpha_beta: crate::search::alpha_beta::AlphaBetaParams,
    /// The book of setups.
    book: crate::book::BookParams,
    /// The `CodeCup` protocol.
    codecup: crate::protocol::codecup::CodecupParams,
    /// The tree search.
    mcts: crate::mcts::MctsParams,
    /// Time management.
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
