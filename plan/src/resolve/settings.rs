//! One entrant's settings, from its section and `[each]`.

use super::super::error::{PlanError, Source};
use super::super::given::{Given, Origin};
use super::super::keys::{EnginePlan, Key};
use super::super::names::{ENTRANT_NAME_FORM, names_an_entrant};
use super::read::parse;
use arena::config::{LIMIT_FORMS, read_limit};
use play::Limit;

/// One entrant's settings: its own, and those of `[each]` where it has none.
pub(super) struct Settings<'a> {
    pub(super) source: &'a Source,
    pub(super) each: &'a EnginePlan,
    pub(super) own: &'a EnginePlan,
    pub(super) place: &'a Origin,
    /// Whether the run is stored. Earlier versions took some settings without effect.
    pub(super) is_stored: bool,
}

impl<'a> Settings<'a> {
    /// Returns a setting: the entrant's own, or that of `[each]`.
    pub(super) fn get<T>(&self, field: fn(&EnginePlan) -> &Key<T>) -> Option<&'a Given<T>> {
        field(self.own).as_ref().or(field(self.each).as_ref())
    }

    /// Returns its name, which only the entrant itself can set.
    pub(super) fn name(&self) -> Result<&'a Given<String>, PlanError> {
        let Some(name) = &self.own.name else {
            return Err(self.source.error_at(self.place, "an entrant needs a name", "add `name = \"...\"`"));
        };
        let text = &name.value;
        if !names_an_entrant(text) {
            let message = format!("{text:?} cannot name an entrant");
            return Err(self.source.error_at(&name.origin, message, format!("expected {ENTRANT_NAME_FORM}")));
        }
        Ok(name)
    }

    /// Returns its limit.
    pub(super) fn limit(&self) -> Result<Limit, PlanError> {
        let Some(limit) = self.get(|raw| &raw.limit) else {
            let name = self.name()?;
            let message = format!("entrant \"{}\" has no limit", name.value);
            let error = self.source.error_at(&name.origin, message, "how much may it think?");
            return Err(error.with_help(format!("add `limit` here or in `[each]`: {LIMIT_FORMS}")));
        };
        parse(self.source, limit, read_limit, "limit", LIMIT_FORMS)
    }
}
