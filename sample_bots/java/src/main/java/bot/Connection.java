package bot;

import courtyard.v1.Game.GameAction;
import courtyard.v1.RefereeOuterClass.BotMessage;
import courtyard.v1.RefereeOuterClass.Decision;
import courtyard.v1.RefereeOuterClass.DecisionRequest;
import courtyard.v1.RefereeOuterClass.Hello;
import courtyard.v1.RefereeOuterClass.MatchStart;
import courtyard.v1.RefereeOuterClass.RefereeMessage;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.HashMap;
import java.util.Map;

/**
 * The bot's side of the protocol (docs/protocol.md): protobuf on stdin and stdout, each message after
 * its length, match after match until stdin ends. It needs no edits.
 */
final class Connection {
    private static final int PROTOCOL_VERSION = 1;

    private final OutputStream out;
    private final Map<String, MatchStart> starts = new HashMap<>();

    private Connection(OutputStream out) {
        this.out = out;
    }

    /** Plays all matches that the referee has. */
    public static void main(String[] arguments) {
        if (!"stdio".equals(System.getenv("COURTYARD_TRANSPORT"))) {
            fail("COURTYARD_TRANSPORT is not stdio: try `referee play` with the folder of this bot");
        }
        OutputStream out = new BufferedOutputStream(new FileOutputStream(FileDescriptor.out));
        System.setOut(System.err); // what a strategy prints is no message
        try {
            new Connection(out).play();
        } catch (IOException error) {
            fail("the connection to the referee broke: " + error.getMessage());
        }
    }

    private void play() throws IOException {
        Hello.Builder hello = Hello.newBuilder().setName(Strategy.NAME);
        send(BotMessage.newBuilder().setHello(hello.setProtocolVersion(PROTOCOL_VERSION)));
        RefereeMessage message;
        while ((message = RefereeMessage.parseDelimitedFrom(System.in)) != null) {
            String id = message.getMatchId();
            switch (message.getBodyCase()) {
                case REQUEST -> answer(id, message.getRequest());
                case FAULT -> {
                    String reason = message.getFault().getReason();
                    System.err.println("forfeited match " + id + ": " + reason);
                }
                case END -> starts.remove(id);
                default -> {} // Welcome, and what a later version may add
            }
        }
    }

    private void answer(String id, DecisionRequest request) throws IOException {
        if (request.hasStart()) {
            starts.put(id, request.getStart());
        }
        MatchStart start = starts.getOrDefault(id, MatchStart.getDefaultInstance());
        Decision.Builder decision = Decision.newBuilder().setNumber(request.getNumber());
        decision.setAction(choose(new Turn(id, start, request)));
        send(BotMessage.newBuilder().setMatchId(id).setDecision(decision));
    }

    /** Has the strategy for the game decide. */
    private static GameAction.Builder choose(Turn turn) {
        GameAction.Builder action = GameAction.newBuilder();
        var seen = turn.request().getObservation();
        var legal = turn.request().getLegal();
        switch (seen.getGameCase()) {
            case COURTISANS ->
                action.setCourtisans(
                        Strategy.chooseCourtisans(turn, seen.getCourtisans(), legal.getCourtisans()));
            case MIRACLES ->
                action.setMiracles(
                        Strategy.chooseMiracles(turn, seen.getMiracles(), legal.getMiracles()));
            default -> fail("a request is of a game that this bot does not know");
        }
        return action;
    }

    private void send(BotMessage.Builder message) throws IOException {
        message.build().writeDelimitedTo(out);
        out.flush();
    }

    /** Ends the bot with one line that gives the reason. */
    private static void fail(String reason) {
        System.err.println(reason);
        System.exit(1);
    }
}
