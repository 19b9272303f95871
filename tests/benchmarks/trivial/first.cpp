// The strategy of a bot that always takes the first legal action; the rest is the kit for C++.
#include "legal.h"
#include "strategy.h"

const char* const bot_name = "first";

pb::CourtisansAction choose_courtisans(const Turn& /*turn*/, const pb::CourtisansObservation& seen,
                                       const pb::CourtisansLegal& legal) {
  return CourtisansTurns{seen, legal}[0];
}

pb::MiraclesAction choose_miracles(const Turn& /*turn*/, const pb::MiraclesObservation& /*seen*/,
                                   const pb::MiraclesLegal& legal) {
  return miracles_actions(legal)[0];
}
