// How this bot plays: the file to edit. Each function looks at a decision and returns an action.
//
// The messages are described field by field in courtyard/v1/*.proto, and the rules are in
// docs/rules. What you print is kept for you.
#include "strategy.h"

#include <algorithm>
#include <random>
#include <vector>

const char* const bot_name = "cpp-random";

static std::mt19937_64 generator{std::random_device{}()};

/// Returns any of some values, each equally likely.
template <typename Values>
static const auto& pick(const Values& values) {
  return values[std::uniform_int_distribution<int>(0, int(values.size()) - 1)(generator)];
}

/// Puts a card into an area; an assassin eliminates any of the targets there.
static void place(pb::CourtisansPlacement& placement, const pb::CourtisansCard& card,
                  const pb::CourtisansTargets& targets) {
  *placement.mutable_card() = card;
  if (card.role() == pb::ROLE_ASSASSIN && targets.turns_size() > 0)
    placement.set_eliminates(pick(targets.turns()));
}

pb::CourtisansAction choose_courtisans(const Turn& /*turn*/, const pb::CourtisansObservation& seen,
                                       const pb::CourtisansLegal& legal) {
  std::vector<pb::CourtisansCard> cards(seen.hand().begin(), seen.hand().end());
  std::shuffle(cards.begin(), cards.end(), generator);
  pb::CourtisansAction action;
  action.set_side(pick(std::vector{pb::SIDE_ABOVE, pb::SIDE_BELOW}));
  action.set_opponent(pick(legal.opponents()));
  place(*action.mutable_table(), cards[0], legal.table_targets());
  place(*action.mutable_own_domain(), cards[1], legal.domain_targets(seen.seat()));
  place(*action.mutable_opponent_domain(), cards[2], legal.domain_targets(action.opponent()));
  return action;
}

/// Moves a rogue to a free spot.
template <typename Move>
static void any_move(Move& move, const pb::MiraclesLegal& legal) {
  *move.mutable_origin() = pick(legal.origins());
  *move.mutable_target() = pick(legal.targets());
}

pb::MiraclesAction choose_miracles(const Turn& /*turn*/, const pb::MiraclesObservation& /*seen*/,
                                   const pb::MiraclesLegal& legal) {
  const auto neighbourhood = [&legal] { return pb::Neighbourhood(pick(legal.neighbourhoods())); };
  const bool yes = generator() % 2 == 1;
  pb::MiraclesAction action;
  switch (legal.decision()) {
    case pb::MIRACLES_DECISION_PLACE:
      if (legal.rogues().empty()) {
        any_move(*action.mutable_move_rogue(), legal);
      } else {
        action.mutable_place_rogue()->set_rogue(pb::Rogue(pick(legal.rogues())));
        *action.mutable_place_rogue()->mutable_spot() = pick(legal.targets());
      }
      break;
    case pb::MIRACLES_DECISION_ACT:
      if (legal.perform())
        action.mutable_perform_action();
      else if (!legal.lines().empty())
        action.mutable_buy_renown()->set_line(pick(legal.lines()));
      else if (!legal.origins().empty())
        any_move(*action.mutable_move_other(), legal);
      else
        action.mutable_end_turn();
      break;
    case pb::MIRACLES_DECISION_EFFECT:
      action.mutable_take_effect();
      break;
    case pb::MIRACLES_DECISION_SINK:
      action.mutable_sink_rogue();  // the one that was drawn
      break;
    case pb::MIRACLES_DECISION_DISCARD:
      action.mutable_discard_plot()->set_card(pb::PlotCard(pick(legal.cards())));
      break;
    case pb::MIRACLES_DECISION_WRATH:
      action.mutable_choose_wrath()->set_neighbourhood(neighbourhood());
      break;
    case pb::MIRACLES_DECISION_ORDER:
      action.mutable_settle_next()->set_neighbourhood(neighbourhood());
      break;
    case pb::MIRACLES_DECISION_SWORDSMAN:
      action.mutable_pay_swordsman()->set_pays(yes);
      break;
    case pb::MIRACLES_DECISION_LONE:
      action.mutable_reveal_lone()->set_reveals(yes);
      break;
    case pb::MIRACLES_DECISION_COURTESAN:
      action.mutable_use_courtesan()->set_neighbourhood(neighbourhood());
      break;
    default:
      break;  // the game is over
  }
  return action;
}
