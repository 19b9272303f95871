//! All legal actions of a decision, from the short form that a request has. It needs no edits.

use crate::pb::miracles_action::Action;
use crate::pb::*;

/// The legal turns of Courtisans, numbered from 0, each once.
///
/// They are not kept in a list: with three assassins there can be half a million. They fall into
/// blocks that share which card goes where; inside a block the side, each card to eliminate and the
/// opponent are free, so that the number of a turn is read like the digits of a number.
pub struct CourtisansTurns {
    blocks: Vec<Block>,
}

/// The cards for the table, the own domain and the opponent's, and what is free with them.
struct Block {
    cards: [CourtisansCard; 3],
    at_table: Vec<u32>,
    in_own: Vec<u32>,
    /// Opponents, each with what is eliminated there.
    in_others: Vec<(u32, u32)>,
}

const SIDES: [Side; 2] = [Side::Above, Side::Below];

impl CourtisansTurns {
    /// Returns all that a seat may do.
    pub fn new(seen: &CourtisansObservation, legal: &CourtisansLegal) -> Self {
        let targets = |card: &CourtisansCard, list: Option<&CourtisansTargets>| -> Vec<u32> {
            let turns = list
                .filter(|_| card.role() == Role::Assassin)
                .map(|list| &list.turns);
            [0].iter()
                .chain(turns.into_iter().flatten())
                .copied()
                .collect()
        };
        let in_domain = |seat: u32| legal.domain_targets.get(seat as usize);
        let blocks = orders(&seen.hand).into_iter().map(|cards| Block {
            at_table: targets(&cards[0], legal.table_targets.as_ref()),
            in_own: targets(&cards[1], in_domain(seen.seat)),
            in_others: (legal.opponents.iter())
                .flat_map(|&seat| {
                    targets(&cards[2], in_domain(seat))
                        .into_iter()
                        .map(move |turn| (seat, turn))
                })
                .collect(),
            cards,
        });
        Self {
            blocks: blocks.collect(),
        }
    }

    /// Returns how many turns there are.
    pub fn count(&self) -> usize {
        self.blocks.iter().map(Block::count).sum()
    }

    /// Returns the turn of this number, which must be below the count.
    pub fn at(&self, mut number: usize) -> CourtisansAction {
        for block in &self.blocks {
            if number < block.count() {
                return block.at(number);
            }
            number -= block.count();
        }
        panic!("there are not so many legal turns")
    }
}

impl Block {
    fn count(&self) -> usize {
        SIDES.len() * self.at_table.len() * self.in_own.len() * self.in_others.len()
    }

    fn at(&self, mut number: usize) -> CourtisansAction {
        let mut digit = |base: usize| {
            let value = number % base;
            number /= base;
            value
        };
        let side = SIDES[digit(SIDES.len())];
        let at_table = self.at_table[digit(self.at_table.len())];
        let in_own = self.in_own[digit(self.in_own.len())];
        let (opponent, in_others) = self.in_others[digit(self.in_others.len())];
        let place = |card, eliminates| {
            Some(CourtisansPlacement {
                card: Some(card),
                eliminates,
            })
        };
        CourtisansAction {
            table: place(self.cards[0], at_table),
            side: side.into(),
            own_domain: place(self.cards[1], in_own),
            opponent_domain: place(self.cards[2], in_others),
            opponent,
        }
    }
}

/// Returns the different orders of three cards: swapping two equal ones makes no new one.
fn orders(hand: &[CourtisansCard]) -> Vec<[CourtisansCard; 3]> {
    let mut orders = Vec::new();
    if let &[a, b, c] = hand {
        for order in [
            [a, b, c],
            [a, c, b],
            [b, a, c],
            [b, c, a],
            [c, a, b],
            [c, b, a],
        ] {
            if !orders.contains(&order) {
                orders.push(order);
            }
        }
    }
    orders
}

/// Returns the legal actions of La Cour des Miracles, each once: a few hundred at most.
pub fn miracles_actions(legal: &MiraclesLegal) -> Vec<MiraclesAction> {
    let neighbourhoods = || legal.neighbourhoods.iter().copied();
    let mut actions = Vec::new();
    match legal.decision() {
        MiraclesDecision::Place => {
            placements(legal, false, &mut actions);
            if legal.plot_first {
                placements(legal, true, &mut actions);
            }
            plot_plays(legal, &legal.cards, &mut actions);
        }
        MiraclesDecision::Effect => {
            actions.push(Action::TakeEffect(MiraclesTakeEffect {}));
            plot_plays(legal, &legal.cards, &mut actions);
        }
        MiraclesDecision::Act => {
            acts(legal, &mut actions);
            plot_plays(legal, &legal.cards, &mut actions);
        }
        MiraclesDecision::Sink => {
            let drawn = Rogue::Unspecified.into();
            let rogues = [drawn].into_iter().chain(legal.rogues.iter().copied());
            actions.extend(rogues.map(|rogue| Action::SinkRogue(MiraclesSinkRogue { rogue })));
            plot_plays(legal, &legal.cards, &mut actions);
        }
        MiraclesDecision::Discard => {
            let cards = legal.cards.iter().copied();
            actions.extend(cards.map(|card| Action::DiscardPlot(MiraclesDiscardPlot { card })));
            plot_plays(legal, &legal.playable, &mut actions);
        }
        MiraclesDecision::Wrath => actions.extend(
            neighbourhoods()
                .map(|neighbourhood| Action::ChooseWrath(MiraclesChooseWrath { neighbourhood })),
        ),
        MiraclesDecision::Order => actions.extend(
            neighbourhoods()
                .map(|neighbourhood| Action::SettleNext(MiraclesSettleNext { neighbourhood })),
        ),
        MiraclesDecision::Swordsman => actions
            .extend([false, true].map(|pays| Action::PaySwordsman(MiraclesPaySwordsman { pays }))),
        MiraclesDecision::Lone => actions.extend(
            [false, true].map(|reveals| Action::RevealLone(MiraclesRevealLone { reveals })),
        ),
        MiraclesDecision::Courtesan => actions.extend(
            neighbourhoods()
                .map(|neighbourhood| Action::UseCourtesan(MiraclesUseCourtesan { neighbourhood })),
        ),
        MiraclesDecision::Unspecified => {} // the game is over
    }
    actions
        .into_iter()
        .map(|action| MiraclesAction {
            action: Some(action),
        })
        .collect()
}

/// Adds those after which the spot waits for a Plot card, or the others.
fn placements(legal: &MiraclesLegal, plot_first: bool, actions: &mut Vec<Action>) {
    for &rogue in &legal.rogues {
        for &spot in &legal.targets {
            actions.push(Action::PlaceRogue(MiraclesPlaceRogue {
                rogue,
                spot: Some(spot),
                plot_first,
            }));
        }
    }
    for &origin in &legal.origins {
        let stay = legal.may_stay.then_some(origin);
        for target in legal.targets.iter().copied().chain(stay) {
            let (origin, target) = (Some(origin), Some(target));
            actions.push(Action::MoveRogue(MiraclesMoveRogue {
                origin,
                target,
                plot_first,
            }));
        }
    }
}

fn acts(legal: &MiraclesLegal, actions: &mut Vec<Action>) {
    if legal.perform {
        actions.push(Action::PerformAction(MiraclesPerformAction {}));
    }
    for &line in &legal.lines {
        actions.push(Action::BuyRenown(MiraclesBuyRenown { line }));
    }
    for (origin, target) in pairs(&legal.origins, &legal.targets) {
        actions.push(Action::MoveOther(MiraclesMoveOther { origin, target }));
    }
    if legal.end_turn {
        actions.push(Action::EndTurn(MiraclesEndTurn {}));
    }
}

/// Adds the plays of these cards.
fn plot_plays(legal: &MiraclesLegal, cards: &[i32], actions: &mut Vec<Action>) {
    for card in cards.iter().copied().filter(|&card| is_plain(card)) {
        actions.push(Action::PlayCard(MiraclesPlayCard { card }));
    }
    for token in &legal.empress_tokens {
        for &target in &legal.empress_targets {
            let token = Some(*token);
            actions.push(Action::PlayEmpress(MiraclesPlayEmpress { token, target }));
        }
    }
    for &opponent in &legal.devil_opponents {
        actions.push(Action::PlayDevil(MiraclesPlayDevil { opponent }));
    }
    for &spot in &legal.hanged_man_spots {
        actions.push(Action::PlayHangedMan(MiraclesPlayHangedMan {
            spot: Some(spot),
        }));
    }
    for (origin, target) in pairs(&legal.chariot_origins, &legal.targets) {
        actions.push(Action::PlayChariot(MiraclesPlayChariot { origin, target }));
    }
    for (first, second) in pairs(&legal.tower_spots, &legal.tower_spots) {
        let place = |spot: Option<MiraclesSpot>| spot.map(|spot| spot.neighbourhood);
        if place(first) < place(second) {
            actions.push(Action::PlayTower(MiraclesPlayTower { first, second }));
        }
    }
    for &spot in &legal.hermit_spots {
        actions.push(Action::PlayHermit(MiraclesPlayHermit { spot: Some(spot) }));
    }
    for spaces in 1..=legal.fool_spaces {
        actions.push(Action::PlayFool(MiraclesPlayFool { spaces }));
    }
}

/// Tells whether a Plot card is played without a choice.
fn is_plain(card: i32) -> bool {
    use PlotCard::*;
    [Strength, Judgment, TheSun, WheelOfFortune, TheEmperor]
        .contains(&PlotCard::try_from(card).unwrap_or_default())
}

/// Returns each of the first with each of the others.
fn pairs<'a>(
    first: &'a [MiraclesSpot],
    others: &'a [MiraclesSpot],
) -> impl Iterator<Item = (Option<MiraclesSpot>, Option<MiraclesSpot>)> + 'a {
    first
        .iter()
        .flat_map(|&one| others.iter().map(move |&other| (Some(one), Some(other))))
}
