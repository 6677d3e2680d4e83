//! How numbers look: as in reports, and how things are counted.

pub(crate) use reports::text::{grouped, grouped_list, signed, spoken};

/// A number of things: `1 game`, `2,000 games`. `thing` is a noun whose plural ends in s.
pub(crate) fn counted(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", grouped(number), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn one_is_singular() {
        let texts = [0, 1, 2, 1000].map(|number| counted(number, "fault"));
        assert_eq!(texts, ["0 faults", "1 fault", "2 faults", "1,000 faults"]);
    }
}
