// How this bot plays: the file to edit. Each function looks at a decision and returns an action.
//
// What the messages hold is told field by field in courtyard/v1/*.proto, and the rules are in
// docs/rules. What you print is kept for you.
#include "strategy.h"

#include <cstddef>
#include <random>

#include "legal.h"

const char* const bot_name = "cpp-random";

/// Returns a number from 0 to count - 1, each equally likely.
static std::size_t any_below(std::size_t count) {
  static std::mt19937_64 generator{std::random_device{}()};
  return std::uniform_int_distribution<std::size_t>{0, count - 1}(generator);
}

pb::CourtisansAction choose_courtisans(const Turn& /*turn*/, const pb::CourtisansObservation& seen,
                                       const pb::CourtisansLegal& legal) {
  const CourtisansTurns turns{seen, legal};
  return turns[any_below(turns.size())];
}

pb::MiraclesAction choose_miracles(const Turn& /*turn*/, const pb::MiraclesObservation& /*seen*/,
                                   const pb::MiraclesLegal& legal) {
  const std::vector<pb::MiraclesAction> actions = miracles_actions(legal);
  return actions[any_below(actions.size())];
}
