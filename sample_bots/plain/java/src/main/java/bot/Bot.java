package bot;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;

/** Plays every game: each request has some options, and the answer is the index of one of them. */
final class Bot {
    /** Returns the index of an option; "text" and "facts" hold the seat's knowledge. */
    static int choose(JsonObject position) {
        return ThreadLocalRandom.current().nextInt(position.getAsJsonArray("options").size());
    }

    public static void main(String[] arguments) throws IOException {
        System.out.println("{\"hello\": {\"protocolVersion\": 1, \"name\": \"java-plain\", \"plain\": true}}");
        var referee = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (var line = referee.readLine(); line != null; line = referee.readLine()) {
            var message = JsonParser.parseString(line).getAsJsonObject();
            if (message.has("request")) {
                var request = message.getAsJsonObject("request");
                var decision = new JsonObject();
                decision.add("number", request.get("number"));
                decision.addProperty("choice", choose(request.getAsJsonObject("plain")));
                var answer = new JsonObject();
                answer.add("matchId", message.get("matchId"));
                answer.add("decision", decision);
                System.out.println(answer);
            } else if (message.has("fault")) {
                System.err.println("forfeited: " + message.getAsJsonObject("fault").get("reason"));
            }
        }
    }
}
