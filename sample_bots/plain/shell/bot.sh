# Plays every game: each request has some options, and the answer is the index of one of them.

exec jq --null-input --unbuffered --compact-output --argjson seed "$((RANDOM << 15 | RANDOM))" '
# The number after this one from a Lehmer generator, 1 to 2147483646: good enough for a game.
def next_random: . * 48271 % 2147483647;

# Returns the index of an option; .text and .facts hold the knowledge of the seat.
def choose($random): $random % (.options | length);

{hello: {protocolVersion: 1, name: "shell-plain", plain: true}},
foreach inputs as $message (
    $seed + 1 | next_random;
    next_random;
    if $message.request then
        . as $random
        | {number: $message.request.number, choice: ($message.request.plain | choose($random))}
        | {matchId: $message.matchId, decision: .}
    elif $message.fault then
        "forfeited: \($message.fault.reason)" | debug | empty
    else
        empty
    end
)
'
