// How this bot plays: the file to edit. Each function looks at a decision and returns an action.
//
// The messages are described field by field in courtyard/v1/*.proto, and so by an editor once the
// build has made their types. What you return has the same fields, but none must be set: these types
// begin with New. The rules are in docs/rules. What you print is kept for you.

import type { NewCourtisansAction } from "./messages/courtyard/v1/CourtisansAction";
import type { CourtisansCard } from "./messages/courtyard/v1/CourtisansCard";
import type { CourtisansLegal } from "./messages/courtyard/v1/CourtisansLegal";
import type { CourtisansObservation } from "./messages/courtyard/v1/CourtisansObservation";
import type { NewCourtisansPlacement } from "./messages/courtyard/v1/CourtisansPlacement";
import type { CourtisansTargets } from "./messages/courtyard/v1/CourtisansTargets";
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
  const own = pick(seen.hand);
  const [table, other] = seen.hand.filter((card) => card !== own);
  const opponent = pick(legal.opponents);
  return {
    table: place(table!, legal.tableTargets),
    side: pick(["SIDE_ABOVE", "SIDE_BELOW"]),
    ownDomain: place(own, legal.domainTargets[seen.seat]),
    opponentDomain: place(other!, legal.domainTargets[opponent]),
    opponent,
  };
}

/** Puts a card into an area; an assassin eliminates any of the targets there. */
function place(card: CourtisansCard, targets?: CourtisansTargets | null): NewCourtisansPlacement {
  const turns = targets?.turns ?? [];
  return { card, eliminates: card.role === "ROLE_ASSASSIN" && turns.length ? pick(turns) : 0 };
}

/** Returns what to do in La Cour des Miracles: one of the small decisions of a turn. */
export function chooseMiracles(
  turn: Turn,
  seen: MiraclesObservation,
  legal: MiraclesLegal,
): NewMiraclesAction {
  const { rogues, origins, targets, lines, cards, neighbourhoods } = legal;
  switch (legal.decision) {
    case "MIRACLES_DECISION_PLACE":
      if (rogues.length) return { placeRogue: { rogue: pick(rogues), spot: pick(targets) } };
      return { moveRogue: { origin: pick(origins), target: pick(targets) } };
    case "MIRACLES_DECISION_ACT":
      if (legal.perform) return { performAction: {} };
      if (lines.length) return { buyRenown: { line: pick(lines) } };
      if (origins.length) return { moveOther: { origin: pick(origins), target: pick(targets) } };
      return { endTurn: {} };
    case "MIRACLES_DECISION_EFFECT":
      return { takeEffect: {} };
    case "MIRACLES_DECISION_SINK": // the rogue that was drawn
      return { sinkRogue: {} };
    case "MIRACLES_DECISION_DISCARD":
      return { discardPlot: { card: pick(cards) } };
    case "MIRACLES_DECISION_WRATH":
      return { chooseWrath: { neighbourhood: pick(neighbourhoods) } };
    case "MIRACLES_DECISION_ORDER":
      return { settleNext: { neighbourhood: pick(neighbourhoods) } };
    case "MIRACLES_DECISION_SWORDSMAN":
      return { paySwordsman: { pays: pick([true, false]) } };
    case "MIRACLES_DECISION_LONE":
      return { revealLone: { reveals: pick([true, false]) } };
    case "MIRACLES_DECISION_COURTESAN":
      return { useCourtesan: { neighbourhood: pick(neighbourhoods) } };
    default:
      throw new RangeError(`there is nothing to decide: ${legal.decision}`);
  }
}

/** Returns any of some values, each equally likely. */
function pick<T>(values: readonly T[]): T {
  return values[Math.floor(Math.random() * values.length)]!;
}
