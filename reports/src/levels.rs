//! The number in which the entrants of a ladder differ, if it is only one: the size of a limit, or the value of a
//! parameter. Nothing is rated here.

use crate::text::short;
use arena::config::limit_amount;
use play::Limit;
use play::entrant::{Entrant, PlayerSpec};
use serde::Serialize;
use std::collections::BTreeMap;

/// The number in which entrants differ, for each of them; it increases from one to the next.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Levels {
    /// The name of the number, with its unit.
    pub label: String,
    /// The number of each entrant.
    pub values: Vec<f64>,
    /// Whether the number is measured in doublings.
    pub doublings: bool,
}

impl Levels {
    /// The levels of these entrants; `None` if they differ in more than one number, or if it does not increase.
    pub fn of(entrants: &[Entrant]) -> Option<Self> {
        let players: Vec<&PlayerSpec> = entrants.iter().map(|entrant| &entrant.player).collect();
        let levels = of_limits(&players).or_else(|| of_parameters(&players))?;
        let rises = levels.values.len() > 1 && levels.values.windows(2).all(|two| two[0] < two[1]);
        rises.then_some(levels)
    }

    /// The places of the levels on the axis on which curves are fitted: doublings, or the values themselves.
    pub fn axis(&self) -> Vec<f64> {
        self.values.iter().map(|&value| self.place(value)).collect()
    }

    /// The place of a value on that axis.
    pub fn place(&self, value: f64) -> f64 {
        if self.doublings { libm::log2(value) } else { value }
    }

    /// The label of the axis.
    pub fn what(&self) -> String {
        if self.doublings { format!("doublings of {}", self.label) } else { self.label.clone() }
    }

    /// A value in the usual notation.
    pub fn written(value: f64) -> String {
        let (value, suffix) = match value.abs() {
            1e9.. => (value / 1e9, "G"),
            1e6.. => (value / 1e6, "M"),
            1e3.. => (value / 1e3, "k"),
            _ => (value, ""),
        };
        format!("{}{suffix}", short(value))
    }
}

fn of_limits(players: &[&PlayerSpec]) -> Option<Levels> {
    let limits: Vec<Limit> = players.iter().map(|player| limit(player)).collect::<Option<_>>()?;
    let alike = |player: &&PlayerSpec| with_limit(player, limits[0]) == with_limit(players[0], limits[0]);
    let (_, label) = limit_amount(*limits.first()?);
    let same = players.iter().all(alike) && limits.iter().all(|&limit| limit_amount(limit).1 == label);
    let values = limits.iter().map(|&limit| limit_amount(limit).0).collect();
    same.then(|| Levels { label: label.to_owned(), values, doublings: true })
}

fn limit(player: &PlayerSpec) -> Option<Limit> {
    match player {
        PlayerSpec::Native(native) => Some(native.limit),
        PlayerSpec::Process(process) => Some(process.limit),
        PlayerSpec::Custom(custom) => Some(custom.limit),
        PlayerSpec::Random => None,
    }
}

fn with_limit(player: &PlayerSpec, limit: Limit) -> PlayerSpec {
    let mut player = player.clone();
    match &mut player {
        PlayerSpec::Native(native) => native.limit = limit,
        PlayerSpec::Process(process) => process.limit = limit,
        PlayerSpec::Custom(custom) => custom.limit = limit,
        PlayerSpec::Random => {}
    }
    player
}

fn of_parameters(players: &[&PlayerSpec]) -> Option<Levels> {
    let named: Vec<BTreeMap<&str, String>> = players.iter().map(|player| settings(player)).collect();
    let first = named.first()?;
    let differs = |name: &str| named.iter().any(|settings| settings.get(name) != first.get(name));
    let mut varied = first.keys().filter(|name| differs(name));
    let (Some(name), None) = (varied.next(), varied.next()) else { return None };
    let same = players.iter().all(|player| alike_but_for_settings(player, players[0]));
    let values = named.iter().map(|settings| number(settings.get(name)?)).collect::<Option<Vec<f64>>>()?;
    let known =
        same && named.iter().all(|settings| settings.len() == first.len()) && values.iter().all(|v| v.is_finite());
    known.then(|| Levels { label: (*name).to_owned(), values, doublings: false })
}

/// A setting as a number; a switch counts as 0 or 1.
fn number(setting: &str) -> Option<f64> {
    match setting {
        "false" => Some(0.0),
        "true" => Some(1.0),
        number => number.parse().ok(),
    }
}

fn settings(player: &PlayerSpec) -> BTreeMap<&str, String> {
    match player {
        PlayerSpec::Native(native) => {
            native.params.iter().map(|(info, value)| (info.name, value.to_string())).collect()
        }
        PlayerSpec::Process(process) => process.options.iter().map(|(name, value)| (name, value.to_owned())).collect(),
        PlayerSpec::Custom(custom) => {
            custom.settings.iter().map(|(name, value)| (name.as_str(), value.to_owned())).collect()
        }
        PlayerSpec::Random => BTreeMap::new(),
    }
}

fn alike_but_for_settings(one: &PlayerSpec, other: &PlayerSpec) -> bool {
    let mut one = one.clone();
    match (&mut one, other) {
        (PlayerSpec::Native(one), PlayerSpec::Native(other)) => one.params = other.params,
        (PlayerSpec::Process(one), PlayerSpec::Process(other)) => one.options.clone_from(&other.options),
        (PlayerSpec::Native(_) | PlayerSpec::Process(_) | PlayerSpec::Random | PlayerSpec::Custom(_), _) => {}
    }
    one == *other
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena::config::Job;
    use plan::{Disk, load};

    fn levels(entrants: [&str; 3]) -> Option<Levels> {
        let entrants = entrants.into_iter().enumerate();
        let entrants = entrants.map(|(k, settings)| format!("[[entrant]]\nname = \"{k}\"\n{settings}\n"));
        let text = format!(
            "[ladder]\npairs = 5\n[each]\ntable = \"64 KiB\"\nlimit = \"50 nodes\"\n{}",
            entrants.collect::<String>()
        );
        Levels::of(&load(&text, "test", "test", &[], Job::Ladder, Disk).unwrap().run.entrants)
    }

    #[test]
    fn limits_and_parameters_are_named_by_what_differs() {
        let nodes = levels(["", "limit = \"100 nodes\"", "limit = \"400 nodes\""]).unwrap();
        assert_eq!((nodes.label.as_str(), nodes.doublings), ("nodes a move", true));
        assert_eq!(nodes.axis(), [50.0, 100.0, 400.0].map(libm::log2));
        let optimism =
            levels(["params = { optimism = 0.1 }", "params = { optimism = 0.2 }", "params = { optimism = 0.4 }"]);
        let expected = Levels { label: "optimism".into(), values: vec![0.1, 0.2, 0.4], doublings: false };
        assert_eq!(optimism, Some(expected));
    }

    #[test]
    fn what_is_no_scale_is_none() {
        assert_eq!(levels(["", "limit = \"40 nodes\"", "limit = \"400 nodes\""]), None, "it falls");
        assert_eq!(levels(["", "limit = \"100 nodes\"", "limit = \"depth 3\""]), None, "two kinds");
        assert_eq!(levels(["", "limit = \"100 nodes\"", "limit = \"200 nodes\"\nevaluation = \"material\""]), None);
        assert_eq!(levels(["", "params = { optimism = 0.9 }", "params = { futility = false }"]), None);
        assert_eq!(levels(["", "", ""]), None, "they do not differ");
    }
}
