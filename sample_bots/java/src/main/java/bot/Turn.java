package bot;

import courtyard.v1.RefereeOuterClass.DecisionRequest;
import courtyard.v1.RefereeOuterClass.MatchStart;

/**
 * One request with the start of its match.
 *
 * @param matchId which match this is
 * @param start the number of seats, the own seat and the settings of the game
 * @param request what happened, what can be seen, what is legal now, and the time
 */
record Turn(String matchId, MatchStart start, DecisionRequest request) {}
