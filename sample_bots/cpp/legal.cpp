#include "legal.h"

#include <algorithm>

namespace pb = courtyard::v1;

namespace {

using Targets = std::vector<std::uint32_t>;

bool is_assassin(const pb::CourtisansCard& card) { return card.role() == pb::ROLE_ASSASSIN; }

/// Returns what a card may eliminate in an area with these targets: 0 is none.
Targets eliminates(const pb::CourtisansCard& card, const pb::CourtisansTargets& targets) {
  Targets turns{0};
  if (is_assassin(card)) turns.insert(turns.end(), targets.turns().begin(), targets.turns().end());
  return turns;
}

/// Returns what may be eliminated in a seat's domain; lists are left out where they are empty.
const pb::CourtisansTargets& targets_of(const pb::CourtisansLegal& legal, std::uint32_t seat) {
  const bool listed = seat < static_cast<std::uint32_t>(legal.domain_targets_size());
  return listed ? legal.domain_targets(seat) : pb::CourtisansTargets::default_instance();
}

bool before(const pb::CourtisansCard& one, const pb::CourtisansCard& other) {
  return std::pair(one.family(), one.role()) < std::pair(other.family(), other.role());
}

void place(pb::CourtisansPlacement* placement, const pb::CourtisansCard& card,
           std::uint32_t eliminates) {
  *placement->mutable_card() = card;
  placement->set_eliminates(eliminates);
}

}  // namespace

CourtisansTurns::CourtisansTurns(const pb::CourtisansObservation& seen,
                                 const pb::CourtisansLegal& legal) {
  std::vector<pb::CourtisansCard> cards(seen.hand().begin(), seen.hand().end());
  if (cards.size() != 3) return;
  std::sort(cards.begin(), cards.end(), before);
  do {  // once for each different order: swapping equal cards makes no new turn
    Block block{{cards[0], cards[1], cards[2]},
                eliminates(cards[0], legal.table_targets()),
                eliminates(cards[1], targets_of(legal, seen.seat())),
                {}};
    for (const std::uint32_t opponent : legal.opponents()) {
      for (const std::uint32_t turn : eliminates(cards[2], targets_of(legal, opponent)))
        block.in_others.emplace_back(opponent, turn);
    }
    blocks_.push_back(std::move(block));
  } while (std::next_permutation(cards.begin(), cards.end(), before));
}

std::size_t CourtisansTurns::size() const {
  std::size_t size = 0;
  for (const Block& block : blocks_) size += block.size();
  return size;
}

pb::CourtisansAction CourtisansTurns::operator[](std::size_t number) const {
  auto block = blocks_.begin();
  for (; number >= block->size(); ++block) number -= block->size();
  const auto digit = [&number](std::size_t base) {
    const std::size_t value = number % base;
    number /= base;
    return value;
  };
  pb::CourtisansAction turn;
  turn.set_side(digit(2) == 0 ? pb::SIDE_ABOVE : pb::SIDE_BELOW);
  place(turn.mutable_table(), block->cards[0], block->at_table[digit(block->at_table.size())]);
  place(turn.mutable_own_domain(), block->cards[1], block->in_own[digit(block->in_own.size())]);
  const auto [opponent, eliminated] = block->in_others[number];
  place(turn.mutable_opponent_domain(), block->cards[2], eliminated);
  turn.set_opponent(opponent);
  return turn;
}

namespace {

/// Collects actions; each function adds those of one kind.
class Actions {
 public:
  explicit Actions(const pb::MiraclesLegal& legal) : legal_(legal) {}

  std::vector<pb::MiraclesAction> all() {
    switch (legal_.decision()) {
      case pb::MIRACLES_DECISION_PLACE:
        placements(false);
        moves(false);
        if (legal_.plot_first()) {
          placements(true);
          moves(true);
        }
        plot_plays(legal_.cards());
        break;
      case pb::MIRACLES_DECISION_EFFECT:
        add().mutable_take_effect();
        plot_plays(legal_.cards());
        break;
      case pb::MIRACLES_DECISION_ACT:
        acts();
        plot_plays(legal_.cards());
        if (legal_.end_turn()) add().mutable_end_turn();
        break;
      case pb::MIRACLES_DECISION_SINK:
        add().mutable_sink_rogue();  // the drawn one
        for (const int rogue : legal_.rogues())
          add().mutable_sink_rogue()->set_rogue(pb::Rogue(rogue));
        plot_plays(legal_.cards());
        break;
      case pb::MIRACLES_DECISION_DISCARD:
        for (const int card : legal_.cards())
          add().mutable_discard_plot()->set_card(pb::PlotCard(card));
        plot_plays(legal_.playable());
        break;
      case pb::MIRACLES_DECISION_WRATH:
        for (const pb::Neighbourhood place : neighbourhoods())
          add().mutable_choose_wrath()->set_neighbourhood(place);
        break;
      case pb::MIRACLES_DECISION_ORDER:
        for (const pb::Neighbourhood place : neighbourhoods())
          add().mutable_settle_next()->set_neighbourhood(place);
        break;
      case pb::MIRACLES_DECISION_SWORDSMAN:
        for (const bool pays : {false, true}) add().mutable_pay_swordsman()->set_pays(pays);
        break;
      case pb::MIRACLES_DECISION_LONE:
        for (const bool reveals : {false, true}) add().mutable_reveal_lone()->set_reveals(reveals);
        break;
      case pb::MIRACLES_DECISION_COURTESAN:
        for (const pb::Neighbourhood place : neighbourhoods())
          add().mutable_use_courtesan()->set_neighbourhood(place);
        break;
      default:
        break;  // the game is over
    }
    return std::move(actions_);
  }

 private:
  /// Adds those after which the spot waits for a Plot card, or the others.
  void placements(bool plot_first) {
    for (const int rogue : legal_.rogues()) {
      for (const pb::MiraclesSpot& spot : legal_.targets()) {
        pb::MiraclesPlaceRogue& action = *add().mutable_place_rogue();
        action.set_rogue(pb::Rogue(rogue));
        *action.mutable_spot() = spot;
        action.set_plot_first(plot_first);
      }
    }
  }

  /// Adds those after which the spot waits for a Plot card, or the others.
  void moves(bool plot_first) {
    for (const pb::MiraclesSpot& origin : legal_.origins()) {
      for (const pb::MiraclesSpot& target : legal_.targets()) move(origin, target, plot_first);
      if (legal_.may_stay()) move(origin, origin, plot_first);
    }
  }

  void move(const pb::MiraclesSpot& origin, const pb::MiraclesSpot& target, bool plot_first) {
    pb::MiraclesMoveRogue& action = *add().mutable_move_rogue();
    route(&action, origin, target);
    action.set_plot_first(plot_first);
  }

  void acts() {
    if (legal_.perform()) add().mutable_perform_action();
    for (const std::uint32_t line : legal_.lines()) add().mutable_buy_renown()->set_line(line);
    for (const pb::MiraclesSpot& origin : legal_.origins()) {
      for (const pb::MiraclesSpot& target : legal_.targets())
        route(add().mutable_move_other(), origin, target);
    }
  }

  /// Adds the plays of these cards.
  void plot_plays(const google::protobuf::RepeatedField<int>& cards) {
    for (const int card : cards)
      if (is_plain(card)) add().mutable_play_card()->set_card(pb::PlotCard(card));
    for (const pb::MiraclesRenownPlace& token : legal_.empress_tokens()) {
      for (const int target : legal_.empress_targets()) {
        pb::MiraclesPlayEmpress& action = *add().mutable_play_empress();
        *action.mutable_token() = token;
        action.set_target(pb::Neighbourhood(target));
      }
    }
    for (const std::uint32_t opponent : legal_.devil_opponents())
      add().mutable_play_devil()->set_opponent(opponent);
    for (const pb::MiraclesSpot& spot : legal_.hanged_man_spots())
      *add().mutable_play_hanged_man()->mutable_spot() = spot;
    for (const pb::MiraclesSpot& origin : legal_.chariot_origins()) {
      for (const pb::MiraclesSpot& target : legal_.targets())
        route(add().mutable_play_chariot(), origin, target);
    }
    towers();
    for (const pb::MiraclesSpot& spot : legal_.hermit_spots())
      *add().mutable_play_hermit()->mutable_spot() = spot;
    for (std::uint32_t spaces = 1; spaces <= legal_.fool_spaces(); ++spaces)
      add().mutable_play_fool()->set_spaces(spaces);
  }

  void towers() {
    for (const pb::MiraclesSpot& first : legal_.tower_spots()) {
      for (const pb::MiraclesSpot& second : legal_.tower_spots()) {
        if (first.neighbourhood() >= second.neighbourhood()) continue;
        pb::MiraclesPlayTower& action = *add().mutable_play_tower();
        *action.mutable_first() = first;
        *action.mutable_second() = second;
      }
    }
  }

  /// Tells whether a Plot card is played without a choice.
  static bool is_plain(int card) {
    return card == pb::PLOT_CARD_STRENGTH || card == pb::PLOT_CARD_JUDGMENT ||
           card == pb::PLOT_CARD_THE_SUN || card == pb::PLOT_CARD_WHEEL_OF_FORTUNE ||
           card == pb::PLOT_CARD_THE_EMPEROR;
  }

  template <typename Move>
  static void route(Move* move, const pb::MiraclesSpot& origin, const pb::MiraclesSpot& target) {
    *move->mutable_origin() = origin;
    *move->mutable_target() = target;
  }

  std::vector<pb::Neighbourhood> neighbourhoods() const {
    std::vector<pb::Neighbourhood> places;
    for (const int place : legal_.neighbourhoods()) places.push_back(pb::Neighbourhood(place));
    return places;
  }

  pb::MiraclesAction& add() { return actions_.emplace_back(); }

  const pb::MiraclesLegal& legal_;
  std::vector<pb::MiraclesAction> actions_;
};

}  // namespace

std::vector<pb::MiraclesAction> miracles_actions(const pb::MiraclesLegal& legal) {
  return Actions(legal).all();
}
