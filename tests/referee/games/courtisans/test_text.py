"""What people read."""

import re
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.style import Style
from rich.text import Text

from referee.games import game_named
from referee.games.courtisans.action import Action, Placement
from referee.games.courtisans.cards import Card, Family, Role, Side, card_name
from referee.games.courtisans.event import TurnPlayed
from referee.games.courtisans.missions import BLUE, FEWER
from referee.games.courtisans.state import CourtisansState
from referee.games.courtisans.words import STYLES
from referee.games.markup import Span

Tell = Callable[..., CourtisansState]
Step = tuple[CourtisansState, Action, TurnPlayed, CourtisansState]
RandomGame = Callable[..., Iterator[Step]]

TEXT = game_named("courtisans").text
NAMES = ("Ada", "Bob", "Cleo", "Dan", "Eve")


def plain(lines: Iterator[str]) -> list[str]:
    """The lines as a terminal without colours shows them."""
    return [Text.from_markup(line).plain for line in lines]


def everything(steps: list[Step], names: tuple[str, ...]) -> Iterator[str]:
    """All lines that a game can give, from all sides."""
    seats = len(names)
    yield from TEXT.deal_lines(steps[0][0].deal, names)
    for _, _, event, state in steps:
        yield from TEXT.event_lines(event, names)
        for seat in range(seats):
            yield from TEXT.event_lines(state.event_for(event, seat), names)
            yield from TEXT.observation_lines(state.observation(seat), names)
    yield from TEXT.result_lines(steps[-1][3].result(), names)


@pytest.mark.sweep
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_lines_are_rich_markup_of_known_styles(seats: int, random_game: RandomGame) -> None:
    """Every line is one line of at most 110 columns, and every style in it is declared."""
    for line in everything(list(random_game(seats, "s")), NAMES[:seats]):
        text = Text.from_markup(line)
        assert {str(span.style) for span in text.spans} <= set(STYLES)
        assert "[" not in text.plain
        assert "\n" not in line
        assert len(text.plain) <= 110


def test_what_was_chosen_can_be_told_even_if_it_is_illegal() -> None:
    """A seat that there is not, and no side of the mat, have words too."""
    carp = Placement(Card(Family.CARP, Role.PLAIN))
    toad = Placement(Card(Family.TOAD, Role.ASSASSIN), eliminates=3)

    told = [Action(carp, Side.BELOW, toad, carp, 1), Action(toad, None, carp, carp, 9)]
    first, second = plain(TEXT.action_line(action, NAMES) for action in told)

    kill = ", eliminating the card of turn 3"
    assert first == (
        f"put the plain carp below the mat · keep the toad assassin{kill} · give Bob the plain carp"
    )
    assert second == (
        f"put the toad assassin on no side{kill} · keep the plain carp · give seat 9 the plain carp"
    )


def test_styles_are_styles() -> None:
    """Rich understands every style."""
    for style in STYLES.values():
        Style.parse(style)


def test_a_turn_is_told_in_four_lines(tell: Tell, turn: Callable[[str], Action]) -> None:
    """What went where, what it eliminated, and what was drawn."""
    story = "carp noble above | plain hare | toad noble to 1"
    state = tell(2, story, hand="stag assassin, plain carp, stag spy")
    _, (event,) = state.apply(turn("stag assassin below kills 1 | plain carp | stag spy to 0"))
    drawn = [card_name(*card) for card in event.drawn]

    assert plain(TEXT.event_lines(event, NAMES[:2])) == [
        "  2 Bob  puts a stag assassin below the mat and eliminates the card of turn 1",
        "         keeps a plain carp",
        "         gives Ada a stag spy, face down",
        f"         draws {', '.join(drawn)}",
    ]


def test_the_table_is_a_column_a_family(tell: Tell) -> None:
    """Families in mat order, the Queen's column in the middle for what lies face down."""
    state = tell(
        2,
        "carp noble above | plain hare | toad noble to 1",
        "hare spy above | plain carp | stag spy to 0",
        "carp guard above | plain hare | toad noble to 1",
        "toad guard below | plain carp | stag spy to 0",
    )
    own, other = (plain(TEXT.observation_lines(state.observation(s), NAMES[:2])) for s in (1, 0))
    mat = own.index("") + 1

    assert own[mat : mat + 7] == [
        "                                                            guard 3",
        "                                    hare spy 2              noble 1",
        "▲ ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━",
        "   butterfly    toad   nightingale   ♛ Queen    hare  stag    carp",
        "       0         -1         0                    +1    0       +3",
        "▼ ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━",
        "              guard 4",
    ]
    assert other[mat + 1] == "                                     spy 2               noble 1"
    assert other[mat + 4] == "       0         -1         0                 0     0       +3"


def test_a_seats_view_names_its_hand_missions_and_domains(tell: Tell) -> None:
    """And who is to play, and what was eliminated."""
    state = tell(
        2,
        "carp noble above | plain hare | toad noble to 1",
        "stag assassin below kills 1 | plain carp | stag spy to 0",
        hand="stag noble, plain toad, carp spy",
    )
    lines = plain(TEXT.observation_lines(state.observation(0), NAMES[:2]))

    assert lines[0] == "Turn 3 of Ada, seen by Ada · 48 courtiers in the deck"
    assert lines[1] == "Hand        plain toad, stag noble, carp spy"
    assert (
        lines[2]
        == "Missions    at least 3 spies in the own domain · at least 2 families are fallen"
    )
    assert lines[-3:] == [
        "Ada   9 turns left  hare plain 1 · spy 2",
        "Bob   9 turns left  toad noble 1 · carp plain 2",
        "Eliminated  carp noble of turn 1 at the table",
    ]


def test_missions_name_the_left_neighbour(tell: Tell) -> None:
    """The next seat clockwise; for the last seat the first."""
    state = tell(3)
    fewer = tuple(zip(list(FEWER)[:3], BLUE[:3], strict=True))
    lines = "\n".join(plain(TEXT.deal_lines(state.deal._replace(missions=fewer), NAMES[:3])))

    assert "fewer butterflies than Bob · butterflies are fallen" in lines
    assert "fewer toads than Cleo · toads are fallen" in lines
    assert "fewer nightingales than Ada · nightingales are fallen" in lines


def test_the_end_is_told_with_all_its_parts(random_game: RandomGame) -> None:
    """Families, spies, and every seat's points, the best first."""
    *_, (_, _, _, state) = random_game(4, "s")
    result = state.result()
    lines = plain(TEXT.result_lines(result, NAMES[:4]))
    heads = [line for line in lines if line.endswith(" points")]
    order = sorted(range(4), key=lambda seat: -result.seats[seat].points)

    assert heads == [f"{NAMES[seat]}  {result.seats[seat].points} points" for seat in order]
    assert sum(line.startswith(("  ✓", "  ✗")) for line in lines) == 8
    assert sum(line.startswith("  ✓") for line in lines) == sum(
        mission.fulfilled for seat in result.seats for mission in seat.missions
    )
    for family in result.families:
        name, above, below = family.family.name.lower(), family.above, family.below
        assert f"{name:<12}{above:>7}{below:>7}  {family.status.name.lower()}" in lines


@given(st.text(st.sampled_from("[]/\\ab #@=.:"), min_size=1))
def test_names_are_never_markup(name: str) -> None:
    """A seat's name is shown letter by letter, whatever it looks like."""
    shown = Text.from_markup(Span(name, "seat").markup() + "!", emoji=False)
    assert shown.plain == f"{name}!"


def test_a_hostile_name_stays_a_name(random_game: RandomGame) -> None:
    """Names with brackets change neither styles nor text."""
    names = ("[bold red]Eve[/]", "back\\slash\\")
    lines = list(everything(list(random_game(2, "s")), names))

    for line in lines:
        assert {str(span.style) for span in Text.from_markup(line).spans} <= set(STYLES)
    assert re.search(r"gives back\\slash\\ a ", "\n".join(plain(iter(lines))))
    assert "gives [bold red]Eve[/] a " in "\n".join(plain(iter(lines)))
