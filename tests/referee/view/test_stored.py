"""A match whose rules are not installed is shown from what its record stores."""

import io
import json

import pytest
from courtyard.v1 import record_pb2
from rich.console import Console

from referee.conformance.testing import random_record
from referee.core.errors import UsageError
from referee.core.faults import FaultKind
from referee.view.frames import film_of_record, view
from referee.view.show import show_record

TOLD = "Shown as it was stored: played by rules '0' of"


def shown(record: record_pb2.Record, seat: int | None = None) -> str:
    """What is printed of a record."""
    console = Console(file=io.StringIO(), width=300, color_system=None)
    show_record(console, record, seat)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.fixture
def typed() -> record_pb2.Record:
    """A match of Courtisans by other rules."""
    record = random_record("courtisans", 3, "stored")
    record.rules_version = "0"
    return record


@pytest.fixture
def plain(typed: record_pb2.Record) -> record_pb2.Record:
    """A match of a game that is not installed; seat 1 was told more than the others."""
    typed.game, typed.game_distribution, typed.game_version = "gone", "gone-games", "0.3"
    del typed.events[:]
    event = typed.events.add().game.plain
    event.text = "@1 takes \x1b[2J[bold]a card"
    event.told.add(seat=1, text="@1 takes the king")
    typed.events.add().forfeit.seat = 2
    typed.events[-1].forfeit.kind = FaultKind.TIMEOUT  # type: ignore[assignment]
    typed.result.plain.text.append("The king won")
    typed.deal.plain.json = '["king"]'
    return typed


def test_typed_events_are_shown_as_they_were_stored(typed: record_pb2.Record) -> None:
    """Also if the installed rules would not allow what was played; with the stored places."""
    typed.decisions[0].action.ClearField("game")
    text = shown(typed)

    assert TOLD in text
    assert '{"turn_played": {"turn": 1' in text
    assert "forfeited by" in text


def test_what_a_seat_knew_of_typed_events_is_not_guessed(typed: record_pb2.Record) -> None:
    """A seat's form of them follows from the rules: neither text nor page shows the whole."""
    for act in (lambda: shown(typed, 1), lambda: view(film_of_record(typed), 1)):
        with pytest.raises(UsageError, match="The view of seat 1 follows from the rules alone"):
            act()


def test_a_game_that_is_not_installed_is_shown(plain: record_pb2.Record) -> None:
    """With everything that was told, and no character that controls a terminal."""
    text = shown(plain)

    assert "gone · 3 seats" in text
    assert "gone-games 0.3 brought it" in text
    assert 'Deal: ["king"]' in text
    assert "random (seat 1) takes ·[2J[bold]a card" in text
    assert "random (seat 1) takes the king" in text
    assert "random (seat 2) forfeits: timeout" in text
    assert "The king won" in text


def test_a_seat_is_shown_what_it_was_told(plain: record_pb2.Record) -> None:
    """The others, as text and as a page, do not learn it, nor the deal."""
    secret, own = "the king", "takes the king"

    assert own in shown(plain, 1)
    assert own in json.dumps(view(film_of_record(plain), 1))
    for seat in (0, 2):
        assert secret not in shown(plain, seat)
        told = json.dumps(view(film_of_record(plain), seat))
        assert secret not in told
        assert '["king"]' not in told


@pytest.mark.parametrize("lost", ["events", "outcomes"])
def test_a_record_without_events_is_refused(plain: record_pb2.Record, lost: str) -> None:
    """In one line that says what to install."""
    plain.ClearField(lost)

    with pytest.raises(UsageError, match=r"gone-games 0\.3 brought it: install that"):
        shown(plain)
