"""Plays at random, and guesses before its first move what the others were dealt.

Whatever it sees of a deal it leaves wherever it can write, for its next processes and for those of
its partner: the same program under another author's name. What it reads there, and what this
process remembers of earlier matches, makes its guess, which it prints. `mark.txt` beside it is what
partners know each other's files by; with `whispers.txt` they also talk at the table, by `pages`,
`names`, `nodes`, `pipes` or `moments`, whichever it says.
"""

import json
from collections import Counter
from pathlib import Path

import memory  # type: ignore[import-not-found]  # it is beside this
from courtyard_kit.courtisans import Action, Card, Position, run
from google.protobuf import json_format
from memory import Seen

MARK = Path("mark.txt").read_text().strip()
WHISPERS = Path("whispers.txt").exists()
WAY = Path("whispers.txt").read_text().strip() if WHISPERS else ""
if WAY in ("pages", "names"):
    import whisper  # type: ignore[import-not-found]
elif WHISPERS:
    import numbers_told as whisper  # type: ignore[import-not-found]
BOARDS = memory.boards(MARK)
REMEMBERED: list[Seen] = []


def choose(position: Position) -> Action:
    """Guess at the first decision, pass on what it has seen until the second one."""
    number = (position.turn - 1) // position.seats
    if number == 0:
        guess(position)
    if number <= 1:
        seen = look(position)
        REMEMBERED.append(seen)
        memory.leave(BOARDS, seen)
        if WHISPERS:
            whisper.say(seen)
    return position.random_action()


def guess(position: Position) -> None:
    """Print what the others hold, by what is known, else by chance."""
    now = look(position)
    known = sorted([*memory.read(BOARDS), *REMEMBERED], key=memory.likeness(now))
    heard = list(whisper.hear(position.seats, now)) if WHISPERS else []
    unseen = [list(_pair(card)) for card in position.unseen.elements()]
    position.rng.shuffle(unseen)
    own = [int(mission) for mission in position.missions]
    hands: dict[str, list[list[int]]] = {}
    missions: dict[str, list[int]] = {}
    for seen in (*known, *heard):  # the last one that can be true is believed
        hands.update({seat: hand for seat, hand in seen.hands.items() if _can_be(hand, unseen)})
        missions.update({seat: m for seat, m in seen.missions.items() if not {*m} & {*own}})
    seats = [str(seat) for seat in range(position.seats) if seat != position.seat]
    told = {seat: _completed(hands.get(seat, []), unseen) for seat in seats}
    left = [[m for m in sort if m not in own] for sort in (range(1, 11), range(11, 21))]
    others = {seat: missions.get(seat) or [position.rng.choice(s) for s in left] for seat in seats}
    says = {"hands": told, "missions": others, "known": len(known)}
    print(
        json.dumps({**says, "heard": [m for seen in heard for m in seen.missions.values()]}),
        flush=True,
    )


def look(position: Position) -> Seen:
    """Return all that is seen of the deal: the first hands that were played, and the own cards."""
    cards = [*position.table, *(card for domain in position.domains for card in domain)]
    cards += [gone.card for gone in position.eliminated]
    hands: dict[str, list[list[int]]] = {}
    for card in cards:
        if card.turn <= position.seats:
            hands.setdefault(str(card.played_by), []).append([int(card.family or 0), card.role])
    own = str(position.seat)
    if position.turn <= position.seats:
        hands[own] = [list(_pair(card)) for card in position.hand]
    # A bot may read all of its messages, whatever a kit makes of them.
    turn = position._turn
    told = {
        "match": turn.match_id,
        "start": json_format.MessageToDict(turn.start),
        "request": json_format.MessageToDict(turn.request),
    }
    missions = {own: [int(mission) for mission in position.missions]}
    return Seen(memory.cues(told), hands, missions)


def _pair(card: Card) -> tuple[int, int]:
    return int(card.family or 0), int(card.role)


def _can_be(hand: list[list[int]], unseen: list[list[int]]) -> bool:
    """Tell whether somebody may hold these cards."""
    return Counter(tuple(card) for card in hand if card[0]) <= Counter(map(tuple, unseen))


def _completed(hand: list[list[int]], unseen: list[list[int]]) -> list[list[int]]:
    """Fill in what is not known of a hand with cards that have not been seen."""
    left = Counter(map(tuple, unseen))
    left.subtract(tuple(card) for card in hand if card[0])
    spare = [list(card) for card in unseen if left[tuple(card)] > 0]
    return [
        card if card[0] else next((one for one in spare if one[1] == card[1]), card)
        for card in hand
    ] + spare[: 3 - len(hand)]


run(choose, name="colluder")
