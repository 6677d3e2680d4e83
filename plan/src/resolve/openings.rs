//! `[openings]`: passes the given keys and their origins to a source of openings, which checks them. A book is read
//! here, so that its errors are reported before a run begins.

use super::super::error::{PlanError, Source};
use super::super::given::Origin;
use super::super::keys::OpeningsPlan;
use play::Conventions;
use play::games::GameKind;
use play::openings::{KeyError, OpeningSource, Openings, OpeningsRequest};

/// Returns the source of the openings, and the openings.
pub(super) fn resolve(
    source: &Source,
    raw: Option<&OpeningsPlan>,
    game: GameKind,
    conventions: Conventions,
) -> Result<(OpeningSource, Openings), PlanError> {
    let given = raw.map_or_else(Vec::new, OpeningsPlan::given);
    let origin = |key: &str| given.iter().find(|(known, ..)| *known == key).map(|(_, origin, _)| *origin);
    let values = given.iter().map(|(key, _, value)| (*key, value.clone())).collect();
    let resolved = source.files.openings(&OpeningsRequest { game, conventions, given: values });
    resolved.map_err(|KeyError { key, message, expected }| {
        source.error_at(origin(key).unwrap_or(&Origin::Usual), message, expected)
    })
}
