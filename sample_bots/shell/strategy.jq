# How this bot plays: the file to edit. Each function looks at a decision and makes an action of it.
#
# Its input has
#   .request  what happened, what can be seen (.observation), what is legal now, and the time;
#   .start    the number of seats, the own seat and the settings of the game;
#   .matchId  which match this is;
#   .random   a new number for each decision, from 1 to about two billion.
# The messages are described field by field in courtyard/v1/*.proto; in JSON their names are written
# likeThis, and what is 0, false or empty is left out. The rules are in docs/rules. What you send through
# `debug` is kept for you.

# What this bot calls itself.
def name: "shell-random";

# Any of some values.
def pick($random): .[$random % length];

# What to do in Courtisans: a whole turn.
def choose_courtisans:
    .random as $random
    | .request.observation.courtisans as $seen
    | .request.legal.courtisans as $legal
    # A card in an area; an assassin eliminates any of the targets there.
    | def place($card; $area):
          {$card} + if $card.role == "ROLE_ASSASSIN" and $area.turns then
              {eliminates: ($area.turns | pick($random))} else {} end;
      ($random % 3) as $i
    | ($legal.opponents | pick($random)) as $opponent
    | {
          table: place($seen.hand[($i + 1) % 3]; $legal.tableTargets),
          side: (["SIDE_ABOVE", "SIDE_BELOW"] | pick($random / 3)),
          ownDomain: place($seen.hand[$i]; $legal.domainTargets[$seen.seat // 0]),
          opponentDomain: place($seen.hand[($i + 2) % 3]; $legal.domainTargets[$opponent]),
          $opponent
      };

# What to do in La Cour des Miracles: one of the small decisions of a turn.
def choose_miracles:
    .random as $random
    | .request.legal.miracles
    | def any: pick($random);
      def move: {origin: (.origins | any), target: (.targets | pick($random / 31))};
      (.decision | ltrimstr("MIRACLES_DECISION_")) as $decision
    | if $decision == "PLACE" then
          if .rogues then {placeRogue: {rogue: (.rogues | any), spot: (.targets | pick($random / 31))}}
          else {moveRogue: move} end
      elif $decision == "ACT" then
          if .perform then {performAction: {}}
          elif .lines then {buyRenown: {line: (.lines | any)}}
          elif .origins then {moveOther: move}
          else {endTurn: {}} end
      elif $decision == "EFFECT" then {takeEffect: {}}
      elif $decision == "SINK" then {sinkRogue: {}} # the one that was drawn
      elif $decision == "DISCARD" then {discardPlot: {card: (.cards | any)}}
      elif $decision == "WRATH" then {chooseWrath: {neighbourhood: (.neighbourhoods | any)}}
      elif $decision == "ORDER" then {settleNext: {neighbourhood: (.neighbourhoods | any)}}
      elif $decision == "SWORDSMAN" then {paySwordsman: {pays: ($random % 2 == 1)}}
      elif $decision == "LONE" then {revealLone: {reveals: ($random % 2 == 1)}}
      elif $decision == "COURTESAN" then {useCourtesan: {neighbourhood: (.neighbourhoods | any)}}
      else error("there is nothing to decide: \(.decision)") end;
