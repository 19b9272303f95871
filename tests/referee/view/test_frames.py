"""Frames of a match agree with what the referee told, and hide from a seat what it hid."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from referee.conformance.testing import play, sends
from referee.core.errors import UsageError
from referee.core.faults import FaultKind
from referee.games import game_named
from referee.games.base import Seat, State
from referee.games.courtisans.scene import code
from referee.games.randomness import Stream
from referee.match.luck import match_luck
from referee.match.match import Match, MatchSetup
from referee.match.record import SeatInfo, record_from_json, record_of, record_to_json
from referee.view.frames import Film, film, film_of_record, view
from tests.security.leaks.elsewhere import rebuilt
from tests.security.leaks.harness import Played, Secrets, Told, random_match, redrawn
from tests.security.leaks.secrets_of_games import TRIED
from tests.support.games import GAMES

Scene = dict[str, Any]
SEATS = [SeatInfo("ada", "2"), SeatInfo("bob", "1")]

in_every_game = pytest.mark.parametrize("game", GAMES)
of_every_size = pytest.mark.parametrize(
    ("game", "seats"), [(name, seats) for name in GAMES for seats in game_named(name).seats]
)


def played(game: str, seats: int, seed: str = "7", **script: Any) -> Match:
    """A match to its end in which all play at random."""
    match = Match(MatchSetup("a match", game, seats=seats, master_seed=seed))
    play(match, script.get("script", {}))
    return match


def names(seats: int) -> list[tuple[str, str]]:
    """Who sat there."""
    return [(f"bot {seat}", "1") for seat in range(seats)]


def layers(shown: Mapping[str, Any]) -> Iterator[tuple[Scene, dict[str, Scene]]]:
    """After each frame: what everybody knows, and what each seat of the view knows besides."""
    public: Scene = {}
    own: dict[str, Scene] = {seat: {} for seat in shown["own"]}
    for number, (_, _, _, changes) in enumerate(shown["frames"]):
        changed(public, changes)
        for seat, layer in own.items():
            changed(layer, shown["own"][seat].get(str(number), [{}, ""])[0])
        yield dict(public), {seat: dict(layer) for seat, layer in own.items()}


def changed(layer: Scene, changes: Mapping[str, Any]) -> None:
    """Apply changes to a layer."""
    for key, value in changes.items():
        if value is None:
            layer.pop(key, None)
        else:
            layer[key] = value


def courtisans_seen(state: Any, seat: Seat) -> dict[str, Any]:
    """What an observation holds, in terms of a page."""
    seen = state.observation(seat)
    cards = {("t", card) for card in seen.table}
    cards |= {(str(owner), card) for owner, domain in enumerate(seen.domains) for card in domain}
    return {
        "turn": seen.turn,
        "act": seen.to_act,
        "deck": seen.deck_size,
        "left": list(seen.turns_left),
        "hand": Counter(code(*card) for card in seen.hand),
        "in play": {
            (area, card.turn, code(card.family, card.role), card.played_by) for area, card in cards
        },
        "gone": {
            ("t" if domain is None else str(domain), card.turn, code(card.family, card.role))
            for card, domain in seen.eliminated
        },
    }


def courtisans_shown(public: Scene, own: Scene, seat: Seat) -> dict[str, Any]:
    """The same of what a page shows."""
    in_play, gone = set(), set()
    for key, value in public.items():
        area, _, turn = key.partition("/")
        if turn:
            face, played_by, _, eliminated = value
            face = own.get(f"face/{key}", face[0]) + face[1]
            if eliminated:
                gone.add((area, int(turn), face))
            else:
                in_play.add((area, int(turn), face, played_by))
    return {
        **{key: public.get(key) for key in ("turn", "act", "deck", "left")},
        "hand": Counter(own[f"hand/{seat}"]),
        "in play": in_play,
        "gone": gone,
    }


def miracles_seen(state: Any, seat: Seat) -> dict[str, Any]:
    """What an observation holds, in terms of a page."""
    seen = state.observation(seat)
    standoff = seen.standoff
    return {
        "act": seen.to_act,
        "ask": seen.decision.name.lower() if seen.decision else None,
        "king": seen.king,
        "coins": [player.coins for player in seen.players],
        "rogues": [player.rogues_at_hand for player in seen.players],
        "plots": [player.plot_cards for player in seen.players],
        "renown": [player.renown for player in seen.players],
        "lines": [list(player.lines) for player in seen.players],
        "right": [player.right_hand_taken for player in seen.players],
        "control": [[one.seat, one.tokens] if one else 0 for one in seen.controls],
        "sizes": [seen.pile_size, seen.bag_size, seen.seine_size],
        "discards": [*seen.discards],
        "playing": seen.playing or 0,
        "emperor": seen.emperor,
        "pending": [place - 1 for place in seen.pending],
        "hand": [*seen.rogues],
        "cards": [*seen.plots],
        "drawn": seen.drawn or 0,
        "sunk": [*seen.sunk],
        "standoff": standoff
        and [standoff.neighbourhood - 1, -1 if standoff.winner is None else standoff.winner],
        "in play": {
            (one.owner, one.spot.neighbourhood - 1, one.spot.rank, one.rogue or 0, one.revealed)
            for one in seen.in_play
        },
    }


def miracles_shown(public: Scene, own: Scene, seat: Seat) -> dict[str, Any]:
    """The same of what a page shows."""
    keys = ("act", "ask", "king", "coins", "rogues", "plots", "renown", "lines", "right")
    more = ("control", "discards", "playing", "emperor", "pending")
    rogues = {key: value for key, value in public.items() if key[0] == "r" and key[1:].isdigit()}
    return {
        **{key: public.get(key) for key in (*keys, *more)},
        "sizes": [public["pile"], public["bag"], public["seine"]],
        **{key: own[f"{key}/{seat}"] for key in ("hand", "cards", "drawn", "sunk")},
        "standoff": public["standoff"][:2] if public["standoff"] else None,
        "in play": {
            (owner, place, rank, own.get(f"face/{key}", face), bool(face))
            for key, (owner, place, rank, face) in rogues.items()
        },
    }


AGREEMENT: Mapping[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "courtisans": (courtisans_seen, courtisans_shown),
    "miracles": (miracles_seen, miracles_shown),
}


def states(match: Match) -> Iterator[State]:
    """The state before each decision that anybody is told of."""
    state = match.game.initial_state(match.config, match.setup.seats, match.deal)
    for decided in match.decisions:
        after, events = state.apply(decided.action)
        if events:
            yield state
        state = after


@pytest.mark.sweep
@of_every_size
@pytest.mark.parametrize("seed", ["a", "b"])
def test_frames_are_what_every_seat_observes(game: str, seats: int, seed: str) -> None:
    """After each decision the view of every seat holds just what that seat's observation holds."""
    seen, shown = AGREEMENT[game]
    match = played(game, seats, seed)
    for seat in range(seats):
        expected = [seen(state, seat) for state in states(match)]
        found = [
            shown(public, own[str(seat)], seat)
            for public, own in layers(view(film(match, names(seats)), seat))
        ]
        at = 0
        for moment in expected:
            at = found.index(moment, at)
        assert at > len(expected) / 2


@of_every_size
def test_no_key_is_public_and_own(game: str, seats: int) -> None:
    """The two layers never meet, so a view is their union whatever their order."""
    for public, own in layers(view(film(played(game, seats), names(seats)), None)):
        assert [seat for seat, layer in own.items() if layer.keys() & public.keys()] == []


@of_every_size
def test_the_words_are_those_of_the_events(game: str, seats: int) -> None:
    """All that happened is told in its order, to a seat in the words of its own form.

    That a turn starts is not told, and a card that is killed is named.
    """
    match = played(game, seats)
    called = [f"@{seat}" for seat in range(seats)]
    for viewer in range(seats):
        shown = view(film(match, names(seats)), viewer)
        own = shown["own"][str(viewer)]
        told = [
            (own.get(str(number), [{}, ""])[1] or words)
            for number, (_, _, words, _) in enumerate(shown["frames"])
        ]
        text = " ".join(" ".join(told).split())
        at = 0
        for event in match.events:
            form = match.state.event_for(event, viewer)
            for line in game_named(game).text.event_lines(form, called):
                told_of = line.split(" and [eliminated]", maxsplit=1)[0]
                piece = " ".join(told_of.split()).split("[/] ", 1)[-1]
                if line.startswith("[title]Turn"):
                    continue
                at = text.find(piece, at)
                assert at >= 0, piece


# What a seat may not know


def page(match: Match, viewer: Seat, decisions: int) -> bytes:
    """The view of a seat, as bytes, of the first `decisions` decisions."""
    shown = film(match, names(match.setup.seats))
    assert len(match.decisions) >= decisions
    return json.dumps(view(shown, viewer), sort_keys=True).encode()


def same_reasons(match: Match, viewer: Seat, bytes_: bytes, seed: str) -> bytes:
    """A view in which the seat's own reasons, which it knows, are alike."""
    return bytes_.replace(f"a reason of {seed}".encode(), b"a reason")


def is_told_all(match: Match, told: Told) -> bool:
    """Whether the match stands where the seat is told this."""
    return len(match.decisions) == told.decisions


@pytest.mark.sweep
@in_every_game
@pytest.mark.parametrize("seats", [2, 4])
def test_a_seat_gets_the_same_bytes_in_worlds_that_it_cannot_tell_apart(
    game: str, seats: int
) -> None:
    """Up to each request and at the end, a seat's view does not depend on what it may not know."""
    assert differing(game, seats, range(2), 8) == []


@pytest.mark.proof
@of_every_size
def test_a_seat_gets_the_same_bytes_in_many_matches(
    game: str, seats: int, proof_cases: Callable[[int], int]
) -> None:
    """The same in 60 matches of every size."""
    assert differing(game, seats, range(proof_cases(60)), 24) == []


def differing(game: str, seats: int, seeds: range, messages: int) -> list[Told]:
    """The messages to seats at which their view differs in another world."""
    found = []
    secrets = TRIED[game].secrets
    for number in seeds:
        here = random_match(secrets, seats, {}, f"frames {number}")
        stream = Stream("frames", str(number))
        told_ = [told for told in here.told if told.body != "fault"]
        ends = [told for told in told_ if told.body == "end"]
        found += [
            told
            for told in [*ends, *stream.shuffled(told_)[:messages]]
            if not alike(secrets, here, told, stream)
        ]
    return found


def alike(secrets: Secrets, here: Played, told: Told, stream: Stream) -> bool:
    """Whether a seat's view is the same in another world that it cannot tell apart."""
    decided = [*here.decisions[: told.decisions]]
    world = redrawn(here, told, stream)
    worlds = (
        ("here", here.deal, [one.action for one in decided]),
        ("elsewhere", world.deal, [*world.actions]),
    )
    pages = []
    for name, deal, actions in worlds:
        match = rebuilt(here, deal, actions, told.decisions, name)
        if not is_told_all(match, told):
            raise LookupError("stand-ins went beyond the message")
        shown = page(match, told.seat, told.decisions)
        pages.append(same_reasons(match, told.seat, shown, name))
    return pages[0] == pages[1]


@in_every_game
def test_worlds_differ_for_the_audience(game: str) -> None:
    """The comparison compares something: the audience's views of those worlds do differ."""
    secrets = TRIED[game].secrets
    here = random_match(secrets, 3, {}, "frames 1")
    told = [told for told in here.told if told.body == "request"][4]
    decided = [*here.decisions[: told.decisions]]
    world = redrawn(here, told, Stream("another"))
    one = rebuilt(here, here.deal, [d.action for d in decided], told.decisions, "one")
    other = rebuilt(here, world.deal, [*world.actions], told.decisions, "other")
    assert view(film(one, names(3)), None) != view(film(other, names(3)), None)


@in_every_game
def test_a_view_holds_one_seat(game: str) -> None:
    """A seat's view has its own layer and no other, and no deal; the audience's has all."""
    shown = film(played(game, 3), names(3))
    assert [[*view(shown, seat)["own"]] for seat in range(3)] == [["0"], ["1"], ["2"]]
    assert "deal" not in view(shown, 1)
    assert [*view(shown, None)["own"]] == ["0", "1", "2"]


@in_every_game
def test_a_reason_is_for_the_seat_that_forfeited(game: str) -> None:
    """Others are told that a seat forfeits and by what kind of fault, and no more."""
    match = played(game, 3, script={1: {2: sends(b"a secret message")}})
    shown = film(match, names(3))
    reason = next(one.fault.reason for one in match.decisions if one.fault)
    texts = [json.dumps(view(shown, seat)) for seat in range(3)]
    kind = FaultKind.PROTOCOL_ERROR.name.lower().replace("_", " ")
    assert [json.dumps(reason)[1:-1] in text for text in texts] == [False, True, False]
    assert [f"forfeits: {kind}" in text for text in texts] == [True] * 3


@in_every_game
def test_a_record_gives_the_film_of_its_match(game: str) -> None:
    """The frames of a record are those of the match that it is of."""
    match = played(game, 2)
    record = record_of(match, SEATS)
    from_record: Film = film_of_record(record_from_json(record_to_json(record)))
    of_seats = [(seat.name, seat.version) for seat in record.seats]
    assert view(from_record, None) == view(film(match, of_seats), None)


@in_every_game
def test_a_note_is_for_the_seat_that_decided(game: str) -> None:
    """It is a frame after the decision, whose words others do not read."""
    record = record_of(played(game, 2), SEATS)
    seat = record.decisions[3].seat
    shown = film_of_record(record, {3: "a secret note"})

    assert len(shown.steps) == len(film_of_record(record).steps) + 1
    for viewer in (0, 1):
        assert ("a secret note" in json.dumps(view(shown, viewer))) == (viewer == seat)


def test_luck_is_for_the_audience() -> None:
    """It is measured with all cards open, so no seat's own view tells it."""
    record = record_of(played("courtisans", 2), SEATS)
    shown, luck = film_of_record(record), match_luck(record)
    said, seats = view(shown, None, luck)["luck"]

    assert "[seat]@" in said
    assert len(seats) == 2
    assert "luck" not in view(shown, 0, luck)


def test_a_damaged_record_has_no_film() -> None:
    """A record that cannot be played again is refused in one line."""
    record = record_of(played("courtisans", 2), SEATS)
    del record.decisions[-1]
    with pytest.raises(UsageError, match="the game is not over"):
        film_of_record(record)


def test_every_score_is_the_sum_of_its_explained_parts() -> None:
    """In Courtisans the cards and missions of a seat add up to its points."""
    for seed in range(20):
        match = played("courtisans", 2 + seed % 4, str(seed))
        explained = film(match, names(match.setup.seats)).explained
        sums = [
            sum(value for _, _, value in seat["cards"])
            + sum(points for _, _, points, _ in seat["missions"])
            for seat in explained["seats"]
        ]
        assert sums == [outcome.points for outcome in match.outcomes]


def test_a_kill_names_its_victim() -> None:
    """By what everybody knows of it: a face-down spy keeps its family."""
    told = [
        step.words
        for seed in range(12)
        for step in film(played("courtisans", 3, str(seed)), names(3)).steps
        if "kills" in step.words
    ]
    assert all("the card of turn" not in words for words in told)
    victims = {re.sub(r"\[[a-z/]*\]", "", words.split(" the ")[-1]) for words in told}
    assert "face-down spy" in victims
    assert not any(victim.endswith(" spy") for victim in victims - {"face-down spy"})


def test_what_only_announces_has_no_step() -> None:
    """No step of La Cour des Miracles says only whose turn it is, or which action follows."""
    steps = film(played("miracles", 4), names(4)).steps
    assert [step.words for step in steps if step.words.startswith("[title]Turn")] == []
    assert [
        step.words
        for step in steps
        if "performs the action" in step.words and ":" not in step.words
    ] == []


def test_a_tied_standoff_says_why_it_has_its_winner() -> None:
    """It names the spot of the winner's rogue that is closest to the crown."""
    told = [
        step.words
        for seed in range(4)
        for step in film(played("miracles", 4, str(seed)), names(4)).steps
        if "is closest to the crown" in step.words
    ]
    assert told
    assert all(re.search(r"tied, and the rogue on spot [123] is", words) for words in told)


@in_every_game
def test_clocks_are_shown_to_the_seat_itself_and_the_audience(game: str) -> None:
    """What a decision took, and what the clock held afterwards; no seat is told others' times."""
    match = played(game, 3)
    record = record_of(match, [*SEATS, SeatInfo("carp", "1")])
    for decision in record.decisions:
        decision.elapsed_us, decision.bank_left_us = 1_234_567, 58_900_000
    for viewer in (0, 1, 2, None):
        shown = view(film_of_record(record), viewer)
        found = {
            key: change
            for frames in shown["own"].values()
            for changes, _ in frames.values()
            for key, change in changes.items()
            if key.startswith("clock/")
        }
        seats = range(3) if viewer is None else [viewer]
        assert found == {f"clock/{seat}": [1200, 58] for seat in seats}
