// The requests to a strategy. It needs no edits.

import type { DecisionRequest } from "./messages/courtyard/v1/DecisionRequest";
import type { MatchStart } from "./messages/courtyard/v1/MatchStart";

/** One request with the start of its match. */
export interface Turn {
  /** Which match this is. */
  matchId: string;
  /** The number of seats, the own seat and the settings of the game. */
  start: MatchStart;
  /** What happened, what can be seen, what is legal now, and the time. */
  request: DecisionRequest;
}
