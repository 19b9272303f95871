// All legal actions of a decision, from the short form that a request has. It needs no edits.

import type { NewCourtisansAction } from "./messages/courtyard/v1/CourtisansAction";
import type { CourtisansCard } from "./messages/courtyard/v1/CourtisansCard";
import type { CourtisansLegal } from "./messages/courtyard/v1/CourtisansLegal";
import type { CourtisansObservation } from "./messages/courtyard/v1/CourtisansObservation";
import type { CourtisansTargets } from "./messages/courtyard/v1/CourtisansTargets";
import type { NewMiraclesAction } from "./messages/courtyard/v1/MiraclesAction";
import type { MiraclesLegal } from "./messages/courtyard/v1/MiraclesLegal";
import type { Neighbourhood } from "./messages/courtyard/v1/Neighbourhood";
import type { PlotCard } from "./messages/courtyard/v1/PlotCard";

const SIDES = ["SIDE_ABOVE", "SIDE_BELOW"] as const;
const ORDERS = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] as const;

/**
 * The turns that share which card goes where: to the table, the own domain and the opponent's. The
 * side, each card to eliminate and the opponent are free, so that the number of a turn is read like
 * the digits of a number.
 */
class Block {
  readonly length: number;

  constructor(
    private readonly cards: readonly [CourtisansCard, CourtisansCard, CourtisansCard],
    private readonly atTable: readonly number[],
    private readonly inOwn: readonly number[],
    private readonly inOthers: readonly { opponent: number; turn: number }[],
  ) {
    this.length = SIDES.length * atTable.length * inOwn.length * inOthers.length;
  }

  at(number: number): NewCourtisansAction {
    const digit = <T>(choices: readonly T[]): T => {
      const choice = choices[number % choices.length]!;
      number = Math.floor(number / choices.length);
      return choice;
    };
    const [table, own, other] = this.cards;
    const side = digit(SIDES);
    const atTable = digit(this.atTable);
    const inOwn = digit(this.inOwn);
    const { opponent, turn } = digit(this.inOthers);
    return {
      table: { card: table, eliminates: atTable },
      side,
      ownDomain: { card: own, eliminates: inOwn },
      opponentDomain: { card: other, eliminates: turn },
      opponent,
    };
  }
}

/**
 * The legal turns of Courtisans, each once.
 *
 * They are made when they are asked for: with three assassins there can be half a million.
 */
export class CourtisansTurns {
  readonly length: number;

  constructor(private readonly blocks: readonly Block[]) {
    this.length = blocks.reduce((sum, block) => sum + block.length, 0);
  }

  /** Returns the turn of this number, from 0 to length - 1. */
  at(number: number): NewCourtisansAction {
    for (const block of this.blocks) {
      if (number < block.length) return block.at(number);
      number -= block.length;
    }
    throw new RangeError("there is no such turn");
  }

  *[Symbol.iterator](): Generator<NewCourtisansAction> {
    for (let number = 0; number < this.length; number++) yield this.at(number);
  }
}

/** Returns the legal turns of Courtisans. */
export function courtisansTurns(
  seen: CourtisansObservation,
  legal: CourtisansLegal,
): CourtisansTurns {
  const blocks = new Map<string, Block>(); // equal cards give equal orders
  for (const order of ORDERS) {
    const [table, own, other] = order.map((index) => seen.hand[index]!) as [Card, Card, Card];
    const inOthers = legal.opponents.flatMap((opponent) =>
      eliminated(other, legal.domainTargets[opponent]).map((turn) => ({ opponent, turn })),
    );
    const atTable = eliminated(table, legal.tableTargets);
    const inOwn = eliminated(own, legal.domainTargets[seen.seat]);
    const block = new Block([table, own, other], atTable, inOwn, inOthers);
    blocks.set([table, own, other].map(({ family, role }) => `${family} ${role}`).join(), block);
  }
  return new CourtisansTurns([...blocks.values()]);
}

type Card = CourtisansCard;

/** Returns what a card may eliminate in an area: turns of cards, and 0 for none. */
function eliminated(card: Card, targets: CourtisansTargets | null | undefined): number[] {
  return card.role === "ROLE_ASSASSIN" ? [0, ...(targets?.turns ?? [])] : [0];
}

/** Returns the legal actions of La Cour des Miracles, each once: a few hundred at most. */
export function miraclesActions(legal: MiraclesLegal): NewMiraclesAction[] {
  switch (legal.decision) {
    case "MIRACLES_DECISION_PLACE":
      return [...placements(legal), ...plotPlays(legal, legal.cards)];
    case "MIRACLES_DECISION_EFFECT":
      return [{ takeEffect: {} }, ...plotPlays(legal, legal.cards)];
    case "MIRACLES_DECISION_ACT":
      return [...acts(legal), ...plotPlays(legal, legal.cards)];
    case "MIRACLES_DECISION_SINK": // the drawn one, or one at hand
      return [
        { sinkRogue: {} },
        ...legal.rogues.map((rogue) => ({ sinkRogue: { rogue } })),
        ...plotPlays(legal, legal.cards),
      ];
    case "MIRACLES_DECISION_DISCARD":
      return [
        ...legal.cards.map((card) => ({ discardPlot: { card } })),
        ...plotPlays(legal, legal.playable),
      ];
    case "MIRACLES_DECISION_WRATH":
      return legal.neighbourhoods.map((neighbourhood) => ({ chooseWrath: { neighbourhood } }));
    case "MIRACLES_DECISION_ORDER":
      return legal.neighbourhoods.map((neighbourhood) => ({ settleNext: { neighbourhood } }));
    case "MIRACLES_DECISION_SWORDSMAN":
      return [false, true].map((pays) => ({ paySwordsman: { pays } }));
    case "MIRACLES_DECISION_LONE":
      return [false, true].map((reveals) => ({ revealLone: { reveals } }));
    case "MIRACLES_DECISION_COURTESAN":
      return legal.neighbourhoods.map((neighbourhood) => ({ useCourtesan: { neighbourhood } }));
    default:
      throw new RangeError(`there is nothing to decide: ${legal.decision}`);
  }
}

function* placements(legal: MiraclesLegal): Generator<NewMiraclesAction> {
  for (const plotFirst of legal.plotFirst ? [false, true] : [false]) {
    for (const rogue of legal.rogues) {
      for (const spot of legal.targets) yield { placeRogue: { rogue, spot, plotFirst } };
    }
    for (const origin of legal.origins) {
      for (const target of legal.targets) yield { moveRogue: { origin, target, plotFirst } };
      if (legal.mayStay) yield { moveRogue: { origin, target: origin, plotFirst } };
    }
  }
}

function* acts(legal: MiraclesLegal): Generator<NewMiraclesAction> {
  if (legal.perform) yield { performAction: {} };
  for (const line of legal.lines) yield { buyRenown: { line } };
  for (const origin of legal.origins) {
    for (const target of legal.targets) yield { moveOther: { origin, target } };
  }
  if (legal.endTurn) yield { endTurn: {} };
}

/** The Plot cards without a choice. */
const PLAIN_CARDS: readonly PlotCard[] = [
  "PLOT_CARD_STRENGTH",
  "PLOT_CARD_JUDGMENT",
  "PLOT_CARD_THE_SUN",
  "PLOT_CARD_WHEEL_OF_FORTUNE",
  "PLOT_CARD_THE_EMPEROR",
];

/** The neighbourhoods by their numbers. */
const NEIGHBOURHOODS: readonly Neighbourhood[] = [
  "NEIGHBOURHOOD_TAVERNE",
  "NEIGHBOURHOOD_LES_HALLES",
  "NEIGHBOURHOOD_LE_CHATELET",
  "NEIGHBOURHOOD_RUE_DE_L_EGYPTIENNE",
  "NEIGHBOURHOOD_GRANDE_COUR",
];

/** The plays of these cards. */
function* plotPlays(
  legal: MiraclesLegal,
  cards: readonly PlotCard[],
): Generator<NewMiraclesAction> {
  for (const card of cards) if (PLAIN_CARDS.includes(card)) yield { playCard: { card } };
  for (const token of legal.empressTokens) {
    for (const target of legal.empressTargets) yield { playEmpress: { token, target } };
  }
  for (const opponent of legal.devilOpponents) yield { playDevil: { opponent } };
  for (const spot of legal.hangedManSpots) yield { playHangedMan: { spot } };
  for (const origin of legal.chariotOrigins) {
    for (const target of legal.targets) yield { playChariot: { origin, target } };
  }
  for (const first of legal.towerSpots) {
    const number = NEIGHBOURHOODS.indexOf(first.neighbourhood);
    for (const second of legal.towerSpots) {
      if (number < NEIGHBOURHOODS.indexOf(second.neighbourhood)) yield { playTower: { first, second } };
    }
  }
  for (const spot of legal.hermitSpots) yield { playHermit: { spot } };
  for (let spaces = 1; spaces <= legal.foolSpaces; spaces++) yield { playFool: { spaces } };
}
