//! How this bot plays: the file to edit. Each function looks at a decision and returns an action.
//!
//! What the messages hold is told field by field in courtyard/v1/*.proto, and the rules are in
//! docs/rules. What you print is kept for you.

use crate::Turn;
use crate::legal::{self, CourtisansTurns};
use crate::pb::{CourtisansAction, CourtisansLegal, CourtisansObservation};
use crate::pb::{MiraclesAction, MiraclesLegal, MiraclesObservation};

/// What this bot calls itself.
pub const NAME: &str = "rust-random";

/// Returns what to do in Courtisans: a whole turn.
pub fn choose_courtisans(
    _turn: &Turn,
    seen: &CourtisansObservation,
    legal: &CourtisansLegal,
) -> CourtisansAction {
    let turns = CourtisansTurns::new(seen, legal);
    turns.at(fastrand::usize(..turns.count()))
}

/// Returns what to do in La Cour des Miracles: one of the small decisions of a turn.
pub fn choose_miracles(
    _turn: &Turn,
    _seen: &MiraclesObservation,
    legal: &MiraclesLegal,
) -> MiraclesAction {
    let mut actions = legal::miracles_actions(legal);
    actions.swap_remove(fastrand::usize(..actions.len()))
}
