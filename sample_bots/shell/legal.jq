# All legal actions of a decision, from the short form that a request has. It needs no edits.

# The legal turns of Courtisans, each once, for `count` and `turn_at`.
#
# They are not listed: with three assassins there can be half a million. They fall into blocks that share
# which of the .cards goes where: to the table, the own domain and the opponent's. The side, each card to
# eliminate and the opponent are free .choices.
def courtisans_turns:
    .request.observation.courtisans as $seen
    | .request.legal.courtisans as $legal
    # What a card may eliminate in an area: turns of cards, and 0 for none.
    | def eliminated($card; $area):
          0, if $card.role == "ROLE_ASSASSIN" then $area.turns[]? else empty end;
      [
          (0, 1, 2) as $i | (0, 1, 2) as $j | select($i != $j)
          | [$seen.hand[$i, $j, 3 - $i - $j]]
      ]
    | unique # equal cards give equal orders
    | map(
          . as [$table, $own, $other]
          | {
                cards: .,
                choices: [
                    ["SIDE_ABOVE", "SIDE_BELOW"],
                    [eliminated($table; $legal.tableTargets)],
                    [eliminated($own; $legal.domainTargets[$seen.seat // 0])],
                    [
                        $legal.opponents[] as $opponent
                        | {$opponent, turn: eliminated($other; $legal.domainTargets[$opponent])}
                    ]
                ]
            }
          | .count = (reduce .choices[] as $choice (1; . * ($choice | length)))
      );

# How many turns there are.
def count: map(.count) | add;

# The turn of this number in a block: it is read like the digits of a number.
def in_block($number):
    .cards as [$table, $own, $other]
    | reduce .choices[] as $choice (
          {$number, chosen: []};
          .chosen += [$choice[.number % ($choice | length)]]
          | .number = (.number / ($choice | length) | floor)
      )
    | .chosen as [$side, $at_table, $in_own, $in_other]
    | {
          table: {card: $table, eliminates: $at_table},
          $side,
          ownDomain: {card: $own, eliminates: $in_own},
          opponentDomain: {card: $other, eliminates: $in_other.turn},
          opponent: $in_other.opponent
      };

# The turn of this number, from 0 to count - 1.
def turn_at($number):
    .[0] as $block
    | if $number < $block.count then
          $block | in_block($number)
      else
          .[1:] | turn_at($number - $block.count)
      end;

# The number of a neighbourhood.
def neighbourhood_number:
    {
        NEIGHBOURHOOD_TAVERNE: 1,
        NEIGHBOURHOOD_LES_HALLES: 2,
        NEIGHBOURHOOD_LE_CHATELET: 3,
        NEIGHBOURHOOD_RUE_DE_L_EGYPTIENNE: 4,
        NEIGHBOURHOOD_GRANDE_COUR: 5
    }[.];

# Several values in one object make an object of each combination, and none if one of them is missing.
def plot_plays:
    {
        playCard: { # the cards without a choice
            card: .cards[]? | select(IN(
                "PLOT_CARD_STRENGTH", "PLOT_CARD_JUDGMENT", "PLOT_CARD_THE_SUN",
                "PLOT_CARD_WHEEL_OF_FORTUNE", "PLOT_CARD_THE_EMPEROR"))
        }
    },
    {playEmpress: {token: .empressTokens[]?, target: .empressTargets[]?}},
    {playDevil: {opponent: .devilOpponents[]?}},
    {playHangedMan: {spot: .hangedManSpots[]?}},
    {playChariot: {origin: .chariotOrigins[]?, target: .targets[]?}},
    (
        {first: .towerSpots[]?, second: .towerSpots[]?}
        | select((.first.neighbourhood | neighbourhood_number)
            < (.second.neighbourhood | neighbourhood_number))
        | {playTower: .}
    ),
    {playHermit: {spot: .hermitSpots[]?}},
    {playFool: {spaces: range(1; 1 + (.foolSpaces // 0))}};

# An array of the legal actions of La Cour des Miracles, each once: a few hundred at most.
def miracles_actions:
    .request.legal.miracles
    | (.decision | tostring | ltrimstr("MIRACLES_DECISION_")) as $decision
    | [
          if $decision == "PLACE" then
              # Where the spot may wait for a Plot card, each of them is there with and without.
              ({plotFirst: (false, (.plotFirst | select(.)))} as $first
                  | {placeRogue: ({rogue: .rogues[]?, spot: .targets[]?} + $first)},
                    {moveRogue: ({origin: .origins[]?, target: .targets[]?} + $first)},
                    (select(.mayStay) | .origins[]? | {moveRogue: ({origin: ., target: .} + $first)})),
              plot_plays
          elif $decision == "EFFECT" then
              {takeEffect: {}},
              plot_plays
          elif $decision == "ACT" then
              (select(.perform) | {performAction: {}}),
              {buyRenown: {line: .lines[]?}},
              {moveOther: {origin: .origins[]?, target: .targets[]?}},
              (select(.endTurn) | {endTurn: {}}),
              plot_plays
          elif $decision == "SINK" then
              {sinkRogue: {}}, # the drawn one
              {sinkRogue: {rogue: .rogues[]?}},
              plot_plays
          elif $decision == "DISCARD" then
              {discardPlot: {card: .cards[]}},
              (.cards = .playable | plot_plays)
          elif $decision == "WRATH" then {chooseWrath: {neighbourhood: .neighbourhoods[]}}
          elif $decision == "ORDER" then {settleNext: {neighbourhood: .neighbourhoods[]}}
          elif $decision == "SWORDSMAN" then {paySwordsman: {pays: (false, true)}}
          elif $decision == "LONE" then {revealLone: {reveals: (false, true)}}
          elif $decision == "COURTESAN" then {useCourtesan: {neighbourhood: .neighbourhoods[]}}
          else error("there is nothing to decide: \(.decision)") end
      ];
