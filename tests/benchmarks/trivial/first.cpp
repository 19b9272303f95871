// The strategy of a bot that always takes the first legal turn; the rest is the kit for C++.
#include "strategy.h"

const char* const bot_name = "first";

pb::CourtisansAction choose_courtisans(const Turn& /*turn*/, const pb::CourtisansObservation& seen,
                                       const pb::CourtisansLegal& legal) {
  pb::CourtisansAction action;
  *action.mutable_table()->mutable_card() = seen.hand(0);
  action.set_side(pb::SIDE_ABOVE);
  *action.mutable_own_domain()->mutable_card() = seen.hand(1);
  *action.mutable_opponent_domain()->mutable_card() = seen.hand(2);
  action.set_opponent(legal.opponents(0));
  return action;
}

pb::MiraclesAction choose_miracles(const Turn& /*turn*/, const pb::MiraclesObservation& /*seen*/,
                                   const pb::MiraclesLegal& /*legal*/) {
  return {};  // it is measured in Courtisans alone
}
