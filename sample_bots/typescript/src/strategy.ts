// How this bot plays: the file to edit. Each function looks at a decision and returns an action.
//
// What the messages hold is told field by field in courtyard/v1/*.proto, and so by an editor once the
// build has made their types. What you return has the same fields, but none must be set: these types
// begin with New. The rules are in docs/rules. What you print is kept for you.

import { courtisansTurns, miraclesActions } from "./legal";
import type { NewCourtisansAction } from "./messages/courtyard/v1/CourtisansAction";
import type { CourtisansLegal } from "./messages/courtyard/v1/CourtisansLegal";
import type { CourtisansObservation } from "./messages/courtyard/v1/CourtisansObservation";
import type { NewMiraclesAction } from "./messages/courtyard/v1/MiraclesAction";
import type { MiraclesLegal } from "./messages/courtyard/v1/MiraclesLegal";
import type { MiraclesObservation } from "./messages/courtyard/v1/MiraclesObservation";
import type { Turn } from "./turn";

/** What this bot calls itself. */
export const NAME = "typescript-random";

/** Returns what to do in Courtisans: a whole turn. */
export function chooseCourtisans(
  turn: Turn,
  seen: CourtisansObservation,
  legal: CourtisansLegal,
): NewCourtisansAction {
  const turns = courtisansTurns(seen, legal);
  return turns.at(below(turns.length));
}

/** Returns what to do in La Cour des Miracles: one of the small decisions of a turn. */
export function chooseMiracles(
  turn: Turn,
  seen: MiraclesObservation,
  legal: MiraclesLegal,
): NewMiraclesAction {
  const actions = miraclesActions(legal);
  return actions[below(actions.length)]!;
}

/** Returns any whole number from 0 to count - 1. */
function below(count: number): number {
  return Math.floor(Math.random() * count);
}
