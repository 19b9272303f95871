package bot;

import courtyard.v1.Courtisans.*;
import courtyard.v1.Miracles.*;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * How this bot plays: the file to edit. Each method looks at a decision and returns an action.
 *
 * <p>The messages are described field by field in courtyard/v1/*.proto, and the rules are in
 * docs/rules. What you print is kept for you.
 */
final class Strategy {
    /** What this bot calls itself. */
    static final String NAME = "java-random";

    private static final Random RANDOM = new Random();

    private Strategy() {}

    /** Returns what to do in Courtisans: a whole turn. */
    static CourtisansAction chooseCourtisans(
            Turn turn, CourtisansObservation seen, CourtisansLegal legal) {
        List<CourtisansCard> cards = new ArrayList<>(seen.getHandList());
        Collections.shuffle(cards, RANDOM);
        int opponent = any(legal.getOpponentsList());
        return CourtisansAction.newBuilder()
                .setTable(place(cards.get(0), legal.getTableTargets()))
                .setSide(any(List.of(Side.SIDE_ABOVE, Side.SIDE_BELOW)))
                .setOwnDomain(place(cards.get(1), legal.getDomainTargets(seen.getSeat())))
                .setOpponentDomain(place(cards.get(2), legal.getDomainTargets(opponent)))
                .setOpponent(opponent)
                .build();
    }

    /** Puts a card into an area; an assassin eliminates any of the targets there. */
    private static CourtisansPlacement.Builder place(
            CourtisansCard card, CourtisansTargets targets) {
        var placement = CourtisansPlacement.newBuilder().setCard(card);
        if (card.getRole() == Role.ROLE_ASSASSIN && targets.getTurnsCount() > 0) {
            placement.setEliminates(any(targets.getTurnsList()));
        }
        return placement;
    }

    /** Returns what to do in La Cour des Miracles: one of the small decisions of a turn. */
    static MiraclesAction chooseMiracles(
            Turn turn, MiraclesObservation seen, MiraclesLegal legal) {
        var action = MiraclesAction.newBuilder();
        switch (legal.getDecision()) {
            case MIRACLES_DECISION_PLACE -> {
                MiraclesSpot target = any(legal.getTargetsList());
                if (legal.getRoguesCount() > 0) {
                    Rogue rogue = any(legal.getRoguesList());
                    action.getPlaceRogueBuilder().setRogue(rogue).setSpot(target);
                } else {
                    MiraclesSpot origin = any(legal.getOriginsList());
                    action.getMoveRogueBuilder().setOrigin(origin).setTarget(target);
                }
            }
            case MIRACLES_DECISION_ACT -> {
                if (legal.getPerform()) {
                    action.getPerformActionBuilder();
                } else if (legal.getLinesCount() > 0) {
                    action.getBuyRenownBuilder().setLine(any(legal.getLinesList()));
                } else if (legal.getOriginsCount() > 0) {
                    action.getMoveOtherBuilder()
                            .setOrigin(any(legal.getOriginsList()))
                            .setTarget(any(legal.getTargetsList()));
                } else {
                    action.getEndTurnBuilder();
                }
            }
            case MIRACLES_DECISION_EFFECT -> action.getTakeEffectBuilder();
            case MIRACLES_DECISION_SINK -> action.getSinkRogueBuilder(); // the one that was drawn
            case MIRACLES_DECISION_DISCARD ->
                action.getDiscardPlotBuilder().setCard(any(legal.getCardsList()));
            case MIRACLES_DECISION_WRATH ->
                action.getChooseWrathBuilder().setNeighbourhood(any(legal.getNeighbourhoodsList()));
            case MIRACLES_DECISION_ORDER ->
                action.getSettleNextBuilder().setNeighbourhood(any(legal.getNeighbourhoodsList()));
            case MIRACLES_DECISION_SWORDSMAN ->
                action.getPaySwordsmanBuilder().setPays(RANDOM.nextBoolean());
            case MIRACLES_DECISION_LONE ->
                action.getRevealLoneBuilder().setReveals(RANDOM.nextBoolean());
            case MIRACLES_DECISION_COURTESAN ->
                action.getUseCourtesanBuilder().setNeighbourhood(any(legal.getNeighbourhoodsList()));
            default -> throw new IllegalArgumentException("no decision: " + legal.getDecision());
        }
        return action.build();
    }

    /** Returns any of some values, each equally likely. */
    private static <T> T any(List<T> values) {
        return values.get(RANDOM.nextInt(values.size()));
    }
}
