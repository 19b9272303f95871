package bot;

import courtyard.v1.Courtisans.*;
import courtyard.v1.Miracles.*;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.RandomAccess;
import java.util.Set;

/** All legal actions of a decision, from the short form that a request has. It needs no edits. */
final class Legal {
    private Legal() {}

    /**
     * Returns the legal turns of Courtisans, each once.
     *
     * <p>They are made when they are asked for: with three assassins there can be half a million.
     */
    static List<CourtisansAction> courtisansTurns(
            CourtisansObservation seen, CourtisansLegal legal) {
        List<CourtisansCard> hand = seen.getHandList();
        Set<List<CourtisansCard>> orders = new LinkedHashSet<>(); // equal cards give equal orders
        for (int[] order : new int[][] {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}) {
            orders.add(List.of(hand.get(order[0]), hand.get(order[1]), hand.get(order[2])));
        }
        return new Turns(orders.stream().map(cards -> block(cards, seen.getSeat(), legal)).toList());
    }

    private static Block block(List<CourtisansCard> cards, int seat, CourtisansLegal legal) {
        List<Target> inOthers = new ArrayList<>();
        for (int opponent : legal.getOpponentsList()) {
            for (int turn : eliminated(cards.get(2), legal.getDomainTargets(opponent))) {
                inOthers.add(new Target(opponent, turn));
            }
        }
        List<Integer> atTable = eliminated(cards.get(0), legal.getTableTargets());
        List<Integer> inOwn = eliminated(cards.get(1), legal.getDomainTargets(seat));
        return new Block(cards, atTable, inOwn, inOthers);
    }

    /** Returns what a card may eliminate in an area: turns of cards, and 0 for none. */
    private static List<Integer> eliminated(CourtisansCard card, CourtisansTargets targets) {
        List<Integer> turns = new ArrayList<>(List.of(0));
        if (card.getRole() == Role.ROLE_ASSASSIN) {
            turns.addAll(targets.getTurnsList());
        }
        return turns;
    }

    /** An opponent and what is eliminated there: the turn of a card, or 0 for none. */
    private record Target(int opponent, int turn) {}

    /**
     * The turns that share which card goes where: to the table, the own domain and the opponent's.
     * The side, each card to eliminate and the opponent are free, so that the number of a turn is
     * read like the digits of a number.
     */
    private record Block(
            List<CourtisansCard> cards,
            List<Integer> atTable,
            List<Integer> inOwn,
            List<Target> inOthers) {

        private static final List<Side> SIDES = List.of(Side.SIDE_ABOVE, Side.SIDE_BELOW);

        int size() {
            return SIDES.size() * atTable.size() * inOwn.size() * inOthers.size();
        }

        CourtisansAction get(int number) {
            Side side = SIDES.get(number % SIDES.size());
            number /= SIDES.size();
            int table = atTable.get(number % atTable.size());
            number /= atTable.size();
            int own = inOwn.get(number % inOwn.size());
            number /= inOwn.size();
            Target other = inOthers.get(number);
            return CourtisansAction.newBuilder()
                    .setTable(placement(cards.get(0), table))
                    .setSide(side)
                    .setOwnDomain(placement(cards.get(1), own))
                    .setOpponentDomain(placement(cards.get(2), other.turn))
                    .setOpponent(other.opponent)
                    .build();
        }

        private static CourtisansPlacement.Builder placement(CourtisansCard card, int eliminates) {
            return CourtisansPlacement.newBuilder().setCard(card).setEliminates(eliminates);
        }
    }

    /** The turns of several blocks, one block after the other. */
    private static final class Turns extends AbstractList<CourtisansAction>
            implements RandomAccess {
        private final List<Block> blocks;
        private final int size;

        Turns(List<Block> blocks) {
            this.blocks = blocks;
            this.size = blocks.stream().mapToInt(Block::size).sum();
        }

        @Override
        public int size() {
            return size;
        }

        @Override
        public CourtisansAction get(int number) {
            int left = number;
            for (Block block : blocks) {
                if (left < block.size()) {
                    return block.get(left);
                }
                left -= block.size();
            }
            throw new IndexOutOfBoundsException(number);
        }
    }

    /** Returns the legal actions of La Cour des Miracles, each once: a few hundred at most. */
    static List<MiraclesAction> miraclesActions(MiraclesLegal legal) {
        Actions actions = new Actions();
        switch (legal.getDecision()) {
            case MIRACLES_DECISION_PLACE -> {
                actions.placements(legal, false);
                if (legal.getPlotFirst()) {
                    actions.placements(legal, true);
                }
                actions.plotPlays(legal, legal.getCardsList());
            }
            case MIRACLES_DECISION_EFFECT -> {
                actions.next().setTakeEffect(MiraclesTakeEffect.newBuilder());
                actions.plotPlays(legal, legal.getCardsList());
            }
            case MIRACLES_DECISION_ACT -> {
                actions.acts(legal);
                actions.plotPlays(legal, legal.getCardsList());
            }
            case MIRACLES_DECISION_SINK -> {
                actions.next().setSinkRogue(MiraclesSinkRogue.newBuilder()); // the drawn one
                for (Rogue rogue : legal.getRoguesList()) {
                    actions.next().getSinkRogueBuilder().setRogue(rogue);
                }
                actions.plotPlays(legal, legal.getCardsList());
            }
            case MIRACLES_DECISION_DISCARD -> {
                for (PlotCard card : legal.getCardsList()) {
                    actions.next().getDiscardPlotBuilder().setCard(card);
                }
                actions.plotPlays(legal, legal.getPlayableList());
            }
            case MIRACLES_DECISION_WRATH -> {
                for (Neighbourhood place : legal.getNeighbourhoodsList()) {
                    actions.next().getChooseWrathBuilder().setNeighbourhood(place);
                }
            }
            case MIRACLES_DECISION_ORDER -> {
                for (Neighbourhood place : legal.getNeighbourhoodsList()) {
                    actions.next().getSettleNextBuilder().setNeighbourhood(place);
                }
            }
            case MIRACLES_DECISION_SWORDSMAN -> {
                actions.next().getPaySwordsmanBuilder().setPays(false);
                actions.next().getPaySwordsmanBuilder().setPays(true);
            }
            case MIRACLES_DECISION_LONE -> {
                actions.next().getRevealLoneBuilder().setReveals(false);
                actions.next().getRevealLoneBuilder().setReveals(true);
            }
            case MIRACLES_DECISION_COURTESAN -> {
                for (Neighbourhood place : legal.getNeighbourhoodsList()) {
                    actions.next().getUseCourtesanBuilder().setNeighbourhood(place);
                }
            }
            default -> throw new IllegalArgumentException("no decision: " + legal.getDecision());
        }
        return actions.all();
    }

    /** Collects actions. */
    private static final class Actions {
        private final List<MiraclesAction.Builder> builders = new ArrayList<>();

        /** Adds an action that is still to be filled in. */
        MiraclesAction.Builder next() {
            MiraclesAction.Builder builder = MiraclesAction.newBuilder();
            builders.add(builder);
            return builder;
        }

        List<MiraclesAction> all() {
            return builders.stream().map(MiraclesAction.Builder::build).toList();
        }

        /** Adds those after which the spot waits for a Plot card, or the others. */
        void placements(MiraclesLegal legal, boolean plotFirst) {
            for (Rogue rogue : legal.getRoguesList()) {
                for (MiraclesSpot spot : legal.getTargetsList()) {
                    next().getPlaceRogueBuilder()
                            .setRogue(rogue)
                            .setSpot(spot)
                            .setPlotFirst(plotFirst);
                }
            }
            for (MiraclesSpot origin : legal.getOriginsList()) {
                for (MiraclesSpot target : legal.getTargetsList()) {
                    move(origin, target, plotFirst);
                }
                if (legal.getMayStay()) {
                    move(origin, origin, plotFirst);
                }
            }
        }

        private void move(MiraclesSpot origin, MiraclesSpot target, boolean plotFirst) {
            next().getMoveRogueBuilder()
                    .setOrigin(origin)
                    .setTarget(target)
                    .setPlotFirst(plotFirst);
        }

        void acts(MiraclesLegal legal) {
            if (legal.getPerform()) {
                next().setPerformAction(MiraclesPerformAction.newBuilder());
            }
            for (int line : legal.getLinesList()) {
                next().getBuyRenownBuilder().setLine(line);
            }
            for (MiraclesSpot origin : legal.getOriginsList()) {
                for (MiraclesSpot target : legal.getTargetsList()) {
                    next().getMoveOtherBuilder().setOrigin(origin).setTarget(target);
                }
            }
            if (legal.getEndTurn()) {
                next().setEndTurn(MiraclesEndTurn.newBuilder());
            }
        }

        /** Adds the plays of these cards. */
        void plotPlays(MiraclesLegal legal, List<PlotCard> cards) {
            for (PlotCard card : cards) {
                if (asksForNothing(card)) {
                    next().getPlayCardBuilder().setCard(card);
                }
            }
            for (MiraclesRenownPlace token : legal.getEmpressTokensList()) {
                for (Neighbourhood target : legal.getEmpressTargetsList()) {
                    next().getPlayEmpressBuilder().setToken(token).setTarget(target);
                }
            }
            for (int opponent : legal.getDevilOpponentsList()) {
                next().getPlayDevilBuilder().setOpponent(opponent);
            }
            for (MiraclesSpot spot : legal.getHangedManSpotsList()) {
                next().getPlayHangedManBuilder().setSpot(spot);
            }
            for (MiraclesSpot origin : legal.getChariotOriginsList()) {
                for (MiraclesSpot target : legal.getTargetsList()) {
                    next().getPlayChariotBuilder().setOrigin(origin).setTarget(target);
                }
            }
            for (MiraclesSpot first : legal.getTowerSpotsList()) {
                for (MiraclesSpot second : legal.getTowerSpotsList()) {
                    if (first.getNeighbourhoodValue() < second.getNeighbourhoodValue()) {
                        next().getPlayTowerBuilder().setFirst(first).setSecond(second);
                    }
                }
            }
            for (MiraclesSpot spot : legal.getHermitSpotsList()) {
                next().getPlayHermitBuilder().setSpot(spot);
            }
            for (int spaces = 1; spaces <= legal.getFoolSpaces(); spaces++) {
                next().getPlayFoolBuilder().setSpaces(spaces);
            }
        }

        private static boolean asksForNothing(PlotCard card) {
            return switch (card) {
                case PLOT_CARD_STRENGTH,
                        PLOT_CARD_JUDGMENT,
                        PLOT_CARD_THE_SUN,
                        PLOT_CARD_WHEEL_OF_FORTUNE,
                        PLOT_CARD_THE_EMPEROR ->
                    true;
                default -> false;
            };
        }
    }
}
