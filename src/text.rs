//! How numbers look: as in reports.

pub(crate) use reports::text::{grouped, grouped_list, signed, spoken};
