package bot;

import courtyard.v1.Courtisans.*;
import courtyard.v1.Miracles.*;
import java.util.List;
import java.util.Random;

/**
 * How this bot plays: the file to edit. Each method looks at a decision and returns an action.
 *
 * <p>What the messages hold is told field by field in courtyard/v1/*.proto, and the rules are in
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
        return any(Legal.courtisansTurns(seen, legal));
    }

    /** Returns what to do in La Cour des Miracles: one of the small decisions of a turn. */
    static MiraclesAction chooseMiracles(
            Turn turn, MiraclesObservation seen, MiraclesLegal legal) {
        return any(Legal.miraclesActions(legal));
    }

    /** Returns any of the actions, each equally likely. */
    private static <T> T any(List<T> actions) {
        return actions.get(RANDOM.nextInt(actions.size()));
    }
}
