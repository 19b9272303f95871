# The bot's side of the protocol (docs/protocol.md): a line of JSON a message, on stdin and stdout, match
# after match until stdin ends. It needs no edits.
#
# One jq reads all messages, so that nothing has to be started for a decision.

if [ "${COURTYARD_TRANSPORT-}" != stdio-json ]; then
    echo 'COURTYARD_TRANSPORT is not stdio-json: try `referee play` with the folder of this bot' >&2
    exit 1
elif ! command -v jq > /dev/null; then
    echo 'jq is not installed: on Debian, apt-get install jq' >&2
    exit 1
fi

exec jq --null-input --unbuffered --compact-output -L . --argjson seed "$((RANDOM << 15 | RANDOM))" '
include "strategy";

# The number after this one from a Lehmer generator, 1 to 2147483646: good enough for a game.
def next_random: . * 48271 % 2147483647;

# The state between messages: a random number, and the start of each match.
def after($message):
    .random |= next_random
    | if $message.request.start then .starts[$message.matchId] = $message.request.start
      elif $message.end then del(.starts[$message.matchId])
      else . end;

# Has the strategy for the game decide.
def choose:
    .request.legal as $legal
    | if $legal.courtisans then {courtisans: choose_courtisans}
      elif $legal.miracles then {miracles: choose_miracles}
      else error("a request is of a game that this bot does not know") end;

# The answer to a message, if it is a request.
def answer($message):
    if $message.request then
        {matchId: $message.matchId, request: $message.request, random, start: .starts[$message.matchId]}
        | {matchId, decision: {number: .request.number, action: choose}}
    elif $message.fault then
        "forfeited match \($message.matchId): \($message.fault.reason)" | debug | empty
    else
        empty
    end;

{hello: {protocolVersion: 1, name: name}},
foreach inputs as $message (
    {random: ($seed + 1 | next_random), starts: {}};
    after($message);
    answer($message)
)
'
