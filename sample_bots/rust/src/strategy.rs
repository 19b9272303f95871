//! How this bot plays: the file to edit. Each function looks at a decision and returns an action.
//!
//! The messages are described field by field in courtyard/v1/*.proto, and the rules are in
//! docs/rules. What you print is kept for you.

use crate::Turn;
use crate::pb::miracles_action::Action;
use crate::pb::*;

/// The name of this bot.
pub const NAME: &str = "rust-random";

/// Returns what to do in Courtisans: a whole turn.
pub fn choose_courtisans(
    _turn: &Turn,
    seen: &CourtisansObservation,
    legal: &CourtisansLegal,
) -> CourtisansAction {
    let mut cards = seen.hand.clone();
    fastrand::shuffle(&mut cards);
    let opponent = pick(&legal.opponents);
    CourtisansAction {
        table: place(cards[0], legal.table_targets.as_ref()),
        side: pick(&[Side::Above, Side::Below]).into(),
        own_domain: place(cards[1], legal.domain_targets.get(seen.seat as usize)),
        opponent_domain: place(cards[2], legal.domain_targets.get(opponent as usize)),
        opponent,
    }
}

/// Puts a card into an area; an assassin eliminates any of the targets there.
fn place(card: CourtisansCard, targets: Option<&CourtisansTargets>) -> Option<CourtisansPlacement> {
    let turns = targets
        .map(|targets| &targets.turns)
        .filter(|turns| card.role() == Role::Assassin && !turns.is_empty());
    Some(CourtisansPlacement {
        card: Some(card),
        eliminates: turns.map_or(0, |turns| pick(turns)),
    })
}

/// Returns what to do in La Cour des Miracles: one of the small decisions of a turn.
pub fn choose_miracles(
    _turn: &Turn,
    _seen: &MiraclesObservation,
    legal: &MiraclesLegal,
) -> MiraclesAction {
    let origin = || Some(pick(&legal.origins));
    let target = || Some(pick(&legal.targets));
    let neighbourhood = || pick(&legal.neighbourhoods);
    let action = match legal.decision() {
        MiraclesDecision::Place if legal.rogues.is_empty() => {
            Action::MoveRogue(MiraclesMoveRogue {
                origin: origin(),
                target: target(),
                plot_first: false,
            })
        }
        MiraclesDecision::Place => Action::PlaceRogue(MiraclesPlaceRogue {
            rogue: pick(&legal.rogues),
            spot: target(),
            plot_first: false,
        }),
        MiraclesDecision::Act if legal.perform => Action::PerformAction(MiraclesPerformAction {}),
        MiraclesDecision::Act if !legal.lines.is_empty() => Action::BuyRenown(MiraclesBuyRenown {
            line: pick(&legal.lines),
        }),
        MiraclesDecision::Act if !legal.origins.is_empty() => {
            Action::MoveOther(MiraclesMoveOther {
                origin: origin(),
                target: target(),
            })
        }
        MiraclesDecision::Act => Action::EndTurn(MiraclesEndTurn {}),
        MiraclesDecision::Effect => Action::TakeEffect(MiraclesTakeEffect {}),
        MiraclesDecision::Sink => Action::SinkRogue(MiraclesSinkRogue {
            rogue: Rogue::Unspecified.into(), // the one that was drawn
        }),
        MiraclesDecision::Discard => Action::DiscardPlot(MiraclesDiscardPlot {
            card: pick(&legal.cards),
        }),
        MiraclesDecision::Wrath => Action::ChooseWrath(MiraclesChooseWrath {
            neighbourhood: neighbourhood(),
        }),
        MiraclesDecision::Order => Action::SettleNext(MiraclesSettleNext {
            neighbourhood: neighbourhood(),
        }),
        MiraclesDecision::Swordsman => Action::PaySwordsman(MiraclesPaySwordsman {
            pays: fastrand::bool(),
        }),
        MiraclesDecision::Lone => Action::RevealLone(MiraclesRevealLone {
            reveals: fastrand::bool(),
        }),
        MiraclesDecision::Courtesan => Action::UseCourtesan(MiraclesUseCourtesan {
            neighbourhood: neighbourhood(),
        }),
        MiraclesDecision::Unspecified => panic!("the game is over"),
    };
    MiraclesAction {
        action: Some(action),
    }
}

/// Returns any of some values, each equally likely.
fn pick<T: Copy>(values: &[T]) -> T {
    values[fastrand::usize(..values.len())]
}
