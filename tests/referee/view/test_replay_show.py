"""Records played again, and shown to the audience or as one seat saw them."""

import io
import re
from collections.abc import Callable

import pytest
from courtyard.v1 import record_pb2
from rich.console import Console

from referee.conformance.testing import exits, late_by, play, random_record, sends
from referee.core.clock import Measured
from referee.core.errors import UsageError
from referee.games.courtisans.cards import Family, Role, card_name
from referee.games.courtisans.deal import Deal
from referee.games.courtisans.missions import Mission
from referee.games.courtisans.words import mission_spans
from referee.games.randomness import Stream
from referee.match.match import Match
from referee.match.record import SeatInfo, record_of
from referee.match.replay import replay
from referee.view.show import show_record

NewMatch = Callable[..., Match]
FAMILIES = "|".join(family.name.lower() for family in Family)


def shown(record: record_pb2.Record, seat: int | None = None) -> str:
    """What is printed of a record."""
    console = Console(file=io.StringIO(), width=200, color_system=None)
    show_record(console, record, seat)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def before_the_end(text: str) -> str:
    """What is printed before the game is over and its spies are turned up."""
    playing, heading, _ = text.partition("\nFamily ")
    assert heading
    return playing


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("recorded_deal", [True, False])
def test_a_replay_comes_to_the_same_end(
    new_match: NewMatch, seats: int, *, recorded_deal: bool
) -> None:
    """From the recorded deal or from the seed: the same decisions lead to the same outcome."""
    match = new_match(seats, without_bot=frozenset({0}))
    play(match, {1: {3: late_by(7)}})
    again = replay(
        record_of(match, [None, *[SeatInfo("bot")] * (seats - 1)]), recorded_deal=recorded_deal
    )

    assert again.decisions == match.decisions
    assert again.events == match.events
    assert again.outcomes == match.outcomes
    assert again.encoded_result == match.encoded_result


def test_a_replay_can_be_watched_at_every_decision_of_a_bot() -> None:
    """The match is shown before each of them."""
    record = random_record("courtisans", 3, "watched")
    seen: list[int] = []
    replay(record, recorded_deal=True, watch=lambda match: seen.append(len(match.decisions)))

    assert seen == [*range(24)]


def test_the_audience_sees_the_deal_every_turn_and_the_scores() -> None:
    """Seed, hands, cards that take no part, all turns with what was drawn, parts and places."""
    record = random_record("courtisans", 4, "the audience")
    text = shown(record)

    assert "4 seats · seed the audience" in text
    assert f"match {record.match_id}" in text
    assert "Out of the game" in text
    assert [int(turn) for turn in re.findall(r"^ {0,2}(\d+) random \(", text, re.MULTILINE)] == [
        *range(1, 29)
    ]
    assert text.count("draws ") == 24
    for seat, outcome in enumerate(record.outcomes):
        assert re.search(
            rf"^ +{outcome.rank} +random \(seat {seat}\) +{outcome.points} ", text, re.MULTILINE
        )


@pytest.mark.parametrize("starting_seat", [0, 1])
def test_the_deal_is_shown_though_a_stand_in_starts(
    new_match: NewMatch, starting_seat: int
) -> None:
    """The deal comes first, whichever seat starts, and even without a bot."""
    for without_bot in ({starting_seat}, {0, 1}):
        match = new_match(2, without_bot=frozenset(without_bot))
        play(match)
        names = [None if seat in without_bot else SeatInfo("bot") for seat in range(2)]
        lines = shown(record_of(match, names)).splitlines()
        assert "54 courtiers are in the deck" in lines[2]


@pytest.mark.sweep
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_a_seats_replay_never_names_what_the_seat_did_not_know(
    new_match: NewMatch, seats: int
) -> None:
    """Before the end: no spy but its own is named, no card that others draw, no other mission."""
    for seed in ("one", "two", "three"):
        match = new_match(seats, seed, config={"reveal_eliminated_spies": True})
        play(match)
        record = record_of(match, [SeatInfo("bot")] * seats)
        for seat in range(seats):
            text = before_the_end(shown(record, seat))
            known = own_spies(match, seat)
            assert set(re.findall(rf"(?:{FAMILIES}) spy", text)) <= known
            own_turns = {event.turn for event in match.events if event.seat == seat}
            named = re.findall(rf"(?:{FAMILIES})[^·\n]*?\bspy(?: of turn)? (\d+)", text)
            assert set(map(int, named)) <= own_turns
            assert text.count("draws ") == sum(
                1 for turn in match.events if turn.turn in own_turns and turn.drawn
            )
            shown_missions = {
                words for line in re.findall("Missions +(.*)", text) for words in line.split(" · ")
            }
            assert shown_missions == {
                wish(mission, seat, seats) for mission in match.deal.missions[seat]
            }


def wish(mission: Mission, seat: int, seats: int) -> str:
    """A mission as a replay words it."""
    names = [f"bot (seat {one})" for one in range(seats)]
    return "".join(span.text for span in mission_spans(mission, seat, names))


def own_spies(match: Match, seat: int) -> set[str]:
    """What people call the spies that a seat has ever held."""
    assert isinstance(match.deal, Deal)
    drawn = [card for event in match.events if event.seat == seat for card in event.drawn]
    held = [*match.deal.hands[seat], *drawn]
    return {card_name(*card) for card in held if card.role is Role.SPY}


def test_a_seats_replay_tells_neither_the_seed_nor_the_deal() -> None:
    """The seed would tell all; and no seat sees what lies out of the game."""
    text = shown(random_record("courtisans", 3, "a secret seed"), seat=1)

    assert "As random (seat 1) saw it." in text
    assert "a secret seed" not in text
    assert "Out of the game" not in text


def test_a_seat_without_a_bot_saw_what_was_public(new_match: NewMatch) -> None:
    """It was never asked, but its replay shows the turns and the end."""
    match = new_match(2, without_bot=frozenset({0}))
    play(match)
    text = shown(record_of(match, [None, SeatInfo("bot")]), seat=0)

    assert "Hand" not in text
    assert " 20 " in text
    assert "place  bot" in text


@pytest.mark.parametrize(("seat", "told"), [(None, True), (1, True), (0, False), (2, False)])
def test_why_a_seat_forfeits_is_shown_to_those_who_were_told(
    new_match: NewMatch, seat: int | None, *, told: bool
) -> None:
    """All see that it forfeits and by what; audience and offender see the reason."""
    match = new_match(3)
    play(match, {1: {2: sends(b"\xff")}})
    text = shown(record_of(match, [SeatInfo("bot")] * 3), seat)

    assert "bot (seat 1) forfeits: protocol error" in text
    assert ("cannot be parsed" in text) == told


def test_the_places_say_who_forfeited_and_how_long_bots_thought(new_match: NewMatch) -> None:
    """The last table has place, points, time and kind of fault."""
    match = new_match(2)
    play(match, {0: {3: late_by(0)}, 1: {1: exits(1)}})
    last = shown(record_of(match, [SeatInfo("a", "2"), SeatInfo("b")])).splitlines()[-3:]

    assert " ".join(last[0].split()) == "place bot points charged on the wall forfeited by"
    assert re.fullmatch(r" +1  a v2 \(seat 0\) +-?\d+  +5\.\d\d s +5\.\d\d s +", last[1])
    assert re.fullmatch(r" +2  b \(seat 1\) +-?\d+ +0\.0 ms +0\.0 ms  disconnected *", last[2])


def test_what_was_charged_and_what_passed_on_the_wall_stand_apart(new_match: NewMatch) -> None:
    """A bot that waited long for a core is charged less than passed, and both are shown."""
    match = new_match(2)
    match.decide(match.state.random_action(Stream("any")), 2_000_000, Measured(wall_us=9_000_000))
    play(match)
    text = shown(record_of(match, [SeatInfo("a"), SeatInfo("b")]))

    assert re.search(r"2\.\d\d s +9\.\d\d s", text)


def test_what_a_stranger_wrote_does_nothing_to_a_terminal(new_match: NewMatch) -> None:
    """Names, seeds and ids are shown as they are, without markup, emoji or control characters."""
    match = new_match(2, "\x1b[2J [red]seed[/] :skull:")
    play(match)
    name = "\x1b]0;title\x07 [blink]bot[/] :heart:"
    text = shown(record_of(match, [SeatInfo(name), SeatInfo("b\nc")]))

    assert "\x1b" not in text
    assert "\x07" not in text
    assert "seed ·[2J [red]seed[/] :skull:" in text
    assert "·]0;title· [blink]bot[/] :heart: (seat 0)" in text
    assert "b·c (seat 1)" in text


@pytest.mark.parametrize("seat", [-1, 3])
def test_there_is_no_other_seat(seat: int) -> None:
    """A seat that the match does not have is refused."""
    with pytest.raises(UsageError, match=f"no seat {seat}: the match has seats 0 to 2"):
        shown(random_record("courtisans", 3, "seats"), seat)


EDITS: dict[str, tuple[Callable[[record_pb2.Record], object], str]] = {
    "an empty record": (lambda r: r.Clear(), "game: there is no game ''"),
    "another game": (lambda r: setattr(r, "game", "chess"), "game: there is no game 'chess'"),
    "no deal": (lambda r: r.ClearField("deal"), "a deal for 2 seats has 30 removed cards"),
    "no such card": (
        lambda r: setattr(r.deal.courtisans.deck[0], "family", 9),
        "the deal: there is no family 9",
    ),
    "a card too much": (
        lambda r: r.deal.courtisans.deck.add(family=1, role=1),
        "has 54 cards in the deck, this one has 55",
    ),
    "no decisions": (lambda r: r.ClearField("decisions"), "decisions: there are 0, and the game"),
    "no action": (
        lambda r: r.decisions[4].ClearField("action"),
        "decisions[4].action: a turn plays one card to each area",
    ),
    "an illegal action": (
        lambda r: setattr(r.decisions[0].action.courtisans, "opponent", 9),
        "decisions[0].action: one card must go to an opponent's domain: received seat 9",
    ),
    "no clock": (lambda r: r.ClearField("clock"), "the clock's startup is 0 s"),
}


@pytest.mark.parametrize(("edit", "problem"), EDITS.values(), ids=EDITS.keys())
def test_a_record_that_cannot_be_played_says_where(
    edit: Callable[[record_pb2.Record], object], problem: str
) -> None:
    """Whatever was done to a record, showing it ends in one line."""
    record = random_record("courtisans", 2, "edited")
    edit(record)

    with pytest.raises(UsageError) as caught:
        shown(record)
    assert problem in str(caught.value)


def test_outcomes_are_shown_as_they_follow_from_the_game() -> None:
    """What a record says of them can be nonsense and is not shown."""
    record = random_record("courtisans", 2, "outcomes")
    honest = shown(record)
    record.outcomes[0].forfeit = 77  # type: ignore[assignment]
    record.outcomes.add(rank=1, points=1_000)

    assert shown(record) == honest
