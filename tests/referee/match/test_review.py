"""What a decision cost follows from what its seat knew, and is right in the mean."""

import json
import re
from collections.abc import Callable, Sequence
from itertools import takewhile
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from subprocess import CompletedProcess
from typing import Any

import pytest
from courtyard.v1 import record_pb2
from hypothesis import given
from hypothesis import strategies as st

from referee.conformance.testing import exits, play, random_record
from referee.core.errors import UsageError
from referee.games import game_named
from referee.games.base import Course, State
from referee.games.miracles.action import EndTurn
from referee.games.plain_data import to_json
from referee.games.randomness import Stream
from referee.match.match import Match, MatchSetup
from referee.match.record import SeatInfo, record_of, save_record
from referee.match.review import Judgment, review
from tests.support import high_card
from tests.support.sampling import examples

SEATS = 3
FEW = 8
"""Playouts."""


def record_with(game: str, deal: Any, actions: Sequence[Any], seed: str) -> record_pb2.Record:
    """A match of this deal that begins with these actions, and goes on at random."""
    match, stream = Match(MatchSetup("a match", game, SEATS, seed), deal=deal), Stream(seed, "on")
    while match.due is not None:
        made = len(match.decisions)
        ahead = made < len(actions)
        match.decide(actions[made] if ahead else match.state.random_action(stream), elapsed_us=0)
    return record_of(match, [SeatInfo("bot")] * SEATS)


class Exact:
    """A player to whom an action is worth the same in every world."""

    def choose(self, state: State, chances: str) -> Any:
        """Any action."""
        return state.random_action(Stream(chances))

    def worth(self, state: State, action: Any, chances: str) -> float:  # noqa: ARG002
        """A third of the actions are worth 1, the others nothing."""
        return float(_unit(str(action)) > 1 / 3)


class Sighted(Exact):
    """A player to whom an action is worth something else in every other world."""

    def worth(self, state: State, action: Any, chances: str) -> float:
        """A number that stands for all of it."""
        return _unit(f"{state} {action} {chances}")


def _unit(text: str) -> float:
    """A number from -1 to 1 that a text stands for."""
    return Stream(text).below(2**20) / 2**19 - 1


@examples(8)
@given(st.sampled_from(["courtisans", "miracles"]), st.integers(0, 2**32).map(str), st.data())
def test_nothing_that_was_hidden_changes_a_review(
    game: str, seed: str, data: st.DataObject
) -> None:
    """Where it is drawn anew, each decision until then is judged the same."""
    rules, seat = game_named(game), data.draw(st.integers(0, SEATS - 1), "seat")
    config = rules.config({})
    state = rules.initial_state(config, SEATS, rules.deal(config, SEATS, Stream(seed, "deal")))
    course = Course(rules.deal(config, SEATS, Stream(seed, "deal")), [])
    actions, stream = list[Any](), Stream(seed)
    made = data.draw(st.integers(4, 12), "decisions")
    while state.to_act is not None and (len(actions) < made or state.to_act != seat):
        actions.append(state.random_action(stream))
        state, _ = state.apply(actions[-1])
    assert rules.redraw is not None
    course = course._replace(actions=actions)
    other = rules.redraw(config, course, seat).course(Stream(seed, "other"))

    def judged(course: Course, own: str) -> list[Judgment]:
        record = record_with(game, course.deal, course.actions, own)
        rows = review(record, seat, Sighted(), FEW)
        return [*takewhile(lambda one: one.number < len(actions), rows)]

    assert judged(course, "one") == judged(other, "other")


def test_nothing_that_was_hidden_changes_a_review_of_a_game_that_others_bring(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the other cards and what the others did with them are drawn anew."""
    high_card.install(tmp_path, "2")
    monkeypatch.syspath_prepend(tmp_path)
    rules, changed = game_named("high-card"), 0
    for number in range(12):
        seat, stream = 1 + number % 2, Stream(f"others {number}")
        deal, actions = rules.deal(rules.config({}), SEATS, stream), list[Any]()
        state: Any = rules.initial_state(rules.config({}), SEATS, deal)
        while state.to_act != seat:
            actions.append(state.random_action(stream))
            state, _ = state.apply(actions[-1])
        drawn = state.redraw(seat, stream).plain
        others = [state.legal_actions()[took] for took in drawn.took]
        own = state.random_action(stream)
        one, other = (
            [*review(record_with("high-card", *course), seat, Sighted(), FEW)]
            for course in (
                (deal, [*actions, own], "one"),
                (to_json(drawn.deal), [*others, own], "other"),
            )
        )
        assert len(one) == 1
        assert one == other
        changed += (to_json(drawn.deal), others) != (deal, actions)
    assert changed > 6


def test_a_better_option_is_found_and_its_worth_told() -> None:
    """Without chance the loss is exact."""
    rows = [*review(random_record("courtisans", SEATS, "exact"), 0, Exact(), FEW)]

    assert {one.lost for one in rows} == {0.0, 1.0}
    for one in rows:
        assert one.lost == (one.better is not None)
        assert one.error == 0
        assert one.lost + (_unit(str(one.chosen)) > 1 / 3) == 1


@pytest.mark.costly
def test_what_only_looks_better_costs_nothing_in_the_mean() -> None:
    """Of options that are worth the same, the luckiest is not taken at its word."""
    records = [random_record("courtisans", SEATS, f"blur {number}") for number in range(6)]
    lost = [
        one.lost
        for record in records
        for seat in (0, 1)
        for one in review(record, seat, Sighted(), 24)
        if one.better is not None
    ]

    assert len(lost) > 50
    assert abs(fmean(lost)) < 4 * stdev(lost) / sqrt(len(lost))


def test_actions_of_different_kinds_are_not_mistaken_for_each_other() -> None:
    """As tuples they can be equal, as many are in La Cour des Miracles."""

    class OneKind(Exact):
        def worth(self, state: State, action: Any, chances: str) -> float:  # noqa: ARG002
            return float(isinstance(action, EndTurn))

    rows = [*review(random_record("miracles", 2, "kinds"), 0, OneKind(), FEW)]
    better = [one for one in rows if one.better is not None]

    assert better
    assert all(isinstance(one.better, EndTurn) for one in better)
    assert not any(isinstance(one.chosen, EndTurn) for one in better)


def test_what_a_stand_in_decides_is_nobodys_loss() -> None:
    """A seat that forfeits is judged until then."""
    match = Match(MatchSetup("a match", "courtisans", SEATS, "forfeit"))
    play(match, {1: {3: exits(1)}})
    record = record_of(match, [SeatInfo("bot")] * SEATS)
    numbers = [one.number for one in review(record, 1, Exact(), FEW)]

    assert numbers == [n for n, one in enumerate(record.decisions) if one.seat == 1][:2]


def test_there_is_no_review_of_a_seat_that_is_not_there() -> None:
    """It names the seats that are."""
    record = random_record("courtisans", 2, "no seat")
    with pytest.raises(UsageError, match="there is no seat 2: the match has seats 0 to 1"):
        next(review(record, 2, Exact(), FEW))


@pytest.mark.parametrize("options", [("--json",), ()])
def test_the_command_shows_every_decision(
    options: Sequence[str], tmp_path: Path, referee_here: Callable[..., CompletedProcess[str]]
) -> None:
    """A record gives the same bytes again, for people counted from 1; an edited one is refused."""
    path = tmp_path / "match.json"
    save_record(random_record("courtisans", 2, "command"), path)
    command = ("review", str(path), "--seat", "1", "--playouts", "8", *options)
    shown = referee_here(*command)

    assert shown.stdout == referee_here(*command).stdout
    if options:
        decisions = json.loads(shown.stdout)["decisions"]
        assert [one["number"] % 2 for one in decisions] == [decisions[0]["number"] % 2] * 10
    else:
        rows = re.findall(r"^[ 123] +(\d+) +\d+ +[-\d]", shown.stdout, re.MULTILINE)
        numbers = [int(number) for number in rows]
        assert numbers in ([*range(1, 21, 2)], [*range(2, 21, 2)])
    assert "searcher" in shown.stdout
    path.write_text(path.read_text().replace("command", "commands"))
    refused = referee_here(*command)
    assert refused.returncode == 1
    assert "match.json: a record that is not true cannot be reviewed" in refused.stderr


@pytest.mark.costly
def test_a_replay_shows_what_each_decision_cost(
    tmp_path: Path, referee_here: Callable[..., CompletedProcess[str]]
) -> None:
    """It stands before the decision, for one seat alone."""
    path = tmp_path / "match.json"
    save_record(random_record("courtisans", 5, "replay"), path)

    assert referee_here("replay", str(path), "--seat", "1", "--review").stdout.count("Review:") == 6
    assert "add --seat" in referee_here("replay", str(path), "--review").stderr


def test_a_bot_that_plays_no_playouts_is_named(
    tmp_path: Path, referee_here: Callable[..., CompletedProcess[str]]
) -> None:
    """The counter of La Cour des Miracles remembers a match, so it cannot begin amid one."""
    path = tmp_path / "match.json"
    save_record(random_record("miracles", 2, "no player"), path)
    refused = referee_here("review", str(path), "--seat", "1", "--player", "counter")

    assert "counter plays no playouts of miracles" in refused.stderr
