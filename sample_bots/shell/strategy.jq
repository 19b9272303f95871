# How this bot plays: the file to edit. Each function looks at a decision and makes an action of it.
#
# Its input has
#   .request  what happened, what can be seen (.observation), what is legal now, and the time;
#   .start    the number of seats, the own seat and the settings of the game;
#   .matchId  which match this is;
#   .random   a new number for each decision, from 1 to about two billion.
# What the messages hold is told field by field in courtyard/v1/*.proto; in JSON their names are written
# likeThis, and what is 0, false or empty is left out. The rules are in docs/rules. What you send through
# `debug` is kept for you.

include "legal";

# What this bot calls itself.
def name: "shell-random";

# What to do in Courtisans: a whole turn.
def choose_courtisans:
    .random as $random
    | courtisans_turns
    | turn_at($random % count);

# What to do in La Cour des Miracles: one of the small decisions of a turn.
def choose_miracles:
    .random as $random
    | miracles_actions
    | .[$random % length];
