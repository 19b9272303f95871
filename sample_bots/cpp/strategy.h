// The requests of connection.cpp and the answers of strategy.cpp. It needs no edits.
#pragma once

#include "courtyard/v1/referee.pb.h"

namespace pb = courtyard::v1;

/// One decision: what this seat may know, what it may do, and how long it may think.
struct Turn {
  /// Which match this is.
  const std::string& match_id;
  /// From its start: the number of seats, the own seat, the settings of the game.
  const pb::MatchStart& start;
  /// Events, the view of the seat, legal actions, and the time.
  const pb::DecisionRequest& request;
};

/// The name of this bot.
extern const char* const bot_name;

/// Returns what to do in Courtisans: a whole turn.
pb::CourtisansAction choose_courtisans(const Turn& turn, const pb::CourtisansObservation& seen,
                                       const pb::CourtisansLegal& legal);

/// Returns what to do in La Cour des Miracles: one of the small decisions that make up a turn.
pb::MiraclesAction choose_miracles(const Turn& turn, const pb::MiraclesObservation& seen,
                                   const pb::MiraclesLegal& legal);
