"""What the rules page says of the rulebook, held by a short game where it can be."""

from collections.abc import Callable
from pathlib import Path

from referee.games.courtisans.action import Action
from referee.games.courtisans.cards import Family
from referee.games.courtisans.state import CourtisansState

Tell = Callable[..., CourtisansState]


def page() -> str:
    """The text of the rules page, in one line."""
    path = Path(__file__).parents[4] / "docs/rules/courtisans.md"
    return " ".join(path.read_text(encoding="utf-8").split())


def test_the_page_marks_no_reading() -> None:
    """The rulebook settles all that the page says."""
    assert "**our reading**" not in page()


def test_the_page_says_where_the_missions_come_from() -> None:
    """Not from a sheet of the rules."""
    assert "no sheet of the rules that we have gives them" in page()


def test_the_page_says_what_the_rulebook_forbids() -> None:
    """To look at a spy again is no reading of ours."""
    assert "look at it again, its player included: the rulebook forbids it" in page()


def test_no_seat_looks_at_a_played_spy_again(tell: Tell) -> None:
    """All that can be done is to place cards; its player is told the family without a look."""
    state = tell(
        2,
        "carp spy above | plain hare | toad guard to 1",
        "plain stag above | plain carp | plain toad to 0",
    )
    assert {type(action) for action in state.legal_actions()} == {Action}
    own, other = (state.observation(seat).table[0].family for seat in (0, 1))
    assert (own, other) == (Family.CARP, None)
