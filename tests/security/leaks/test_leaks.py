"""Nothing that a seat may not know reaches it: random matches, told again in other worlds."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from courtyard.v1 import referee_pb2
from hypothesis import given
from hypothesis import strategies as st

from referee.core.faults import FaultKind
from referee.games import game_named
from referee.games.randomness import Stream
from referee.match.match import Match
from referee.wire.encoding import field
from tests.security.leaks.harness import (
    LeakError,
    Played,
    Secrets,
    check,
    random_match,
    refusal,
    tell_elsewhere,
    tried_of,
)
from tests.security.leaks.secrets_of_games import TRIED
from tests.support.games import GAMES
from tests.support.sampling import examples

ALL_SECRETS = [tried.secrets for tried in TRIED.values()]

in_every_setting = pytest.mark.parametrize(
    ("secrets", "seats", "config"),
    [
        pytest.param(secrets, seats, config, id=f"{secrets.game}, {seats} seats, {config or '{}'}")
        for secrets in ALL_SECRETS
        for seats in game_named(secrets.game).seats
        for config in secrets.configs
    ],
)
in_every_game = pytest.mark.parametrize("secrets", ALL_SECRETS, ids=[s.game for s in ALL_SECRETS])


def some_matches(secrets: Secrets, each: int) -> Iterator[Played]:
    """Random matches, `each` of each size and configuration."""
    for number in range(each):
        for seats in game_named(secrets.game).seats:
            for config in secrets.configs:
                yield random_match(secrets, seats, config, f"match {number}")


def leaky_match(secrets: Secrets) -> Played | None:
    """A match in which a leak shows."""
    for played in some_matches(secrets, 6):
        try:
            check(secrets, played)
        except LeakError:
            return played
    return None


def test_every_game_is_tried() -> None:
    """Every registered game has its secrets, and at least ten leaks to plant."""
    assert {name for name, tried in TRIED.items() if len(tried.leaks) >= 10} == set(GAMES)


@in_every_setting
@examples(4, derandomize=True)
@given(seed=st.text())
def test_nothing_hidden_reaches_a_seat(
    secrets: Secrets, seats: int, config: Mapping[str, Any], seed: str
) -> None:
    """Every message to every seat is the same in another world that it cannot tell apart."""
    check(secrets, random_match(secrets, seats, config, seed))


@pytest.mark.sweep
@in_every_setting
@examples(2, derandomize=True)
@given(seed=st.text())
def test_nothing_hidden_reaches_a_seat_in_the_plain_dialect(
    secrets: Secrets, seats: int, config: Mapping[str, Any], seed: str
) -> None:
    """Text, facts, question and options are the same, too, at every step of every decision."""
    check(secrets, random_match(secrets, seats, config, seed, plain=True))


@in_every_game
@pytest.mark.parametrize("step", [0, 1])
def test_a_leak_in_the_plain_dialect_is_caught(secrets: Secrets, step: int) -> None:
    """A text that depends on the deal shows, be it in a later step alone."""

    def leaky(match: Match, seat: int) -> bytes:
        encoded = position(match, seat)
        shown = referee_pb2.DecisionRequest.FromString(field(8, encoded)).plain
        return encoded + field(1, match.encoded_deal[-4:]) if shown.step == step else encoded

    position = Match._position
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Match, "_position", leaky)
        played = random_match(secrets, 2, {}, "leak", plain=True)
        with pytest.raises(LeakError, match="can tell two worlds apart"):
            check(secrets, played)


@pytest.mark.proof
@in_every_setting
def test_nothing_hidden_reaches_a_seat_in_many_matches(
    secrets: Secrets, seats: int, config: Mapping[str, Any], proof_cases: Callable[[int], int]
) -> None:
    """The same in 500 matches of every size and configuration, a tenth of them plain."""
    for number in range(proof_cases(500)):
        plain = number % 10 == 0
        check(secrets, random_match(secrets, seats, config, f"proof {number}", plain=plain))


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("secrets", "plant"),
    [
        pytest.param(tried.secrets, plant, id=f"{game}: {what}")
        for game, tried in TRIED.items()
        for what, plant in tried.leaks.items()
    ],
)
def test_a_planted_leak_is_caught(
    secrets: Secrets, plant: Callable[[pytest.MonkeyPatch], None]
) -> None:
    """Some match shows the leak; without the leak the same match shows nothing."""
    with pytest.MonkeyPatch.context() as patch:
        plant(patch)
        leaky = leaky_match(secrets)
    assert leaky is not None
    setup = leaky.setup
    check(secrets, random_match(secrets, setup.seats, setup.config, setup.master_seed))


@pytest.mark.sweep
@in_every_game
def test_other_worlds_are_other(secrets: Secrets) -> None:
    """Each kind of hidden thing mostly differs; before the end, nearly always some kind does."""
    stream, there, differs, before_end = Stream("pairs"), Counter[str](), Counter[str](), []
    for played in some_matches(secrets, 2):
        for here in tried_of(secrets, played, stream):
            one = secrets.hidden(here)
            other = secrets.hidden(tell_elsewhere(secrets, played, here, stream))
            changed = [kind for kind in one if one[kind] != other[kind]]
            there.update(kind for kind in one if one[kind])
            differs.update(changed)
            before_end += [bool(changed)] if here.body == "request" else []
    assert set(there) == secrets.hidden_kinds
    assert [kind for kind in there if differs[kind] <= there[kind] / 2] == []
    assert sum(before_end) > 0.95 * len(before_end)


@pytest.mark.costly
@in_every_game
def test_messages_of_all_kinds_are_compared(secrets: Secrets) -> None:
    """Requests, every kind of fault as its seat is told it, and ends occur in the matches."""
    matches = [*some_matches(secrets, 4)]
    faults = {decided.fault.kind for m in matches for decided in m.decisions if decided.fault}
    assert {told.body for played in matches for told in played.told} == {"request", "fault", "end"}
    assert faults == {*FaultKind} - {FaultKind.FAILED_TO_START}  # that one comes before a request


@pytest.mark.costly
@in_every_game
def test_every_illegal_action_is_refused(secrets: Secrets) -> None:
    """Each kind of illegal action that is tried occurs, and is refused whenever it occurs."""
    stream, occurred = Stream("illegal"), set()
    for played in some_matches(secrets, 1):
        for told in played.told:
            if told.body == "request":
                tries = secrets.illegal(told.state, stream)
                occurred |= set(tries)
                refused = {k for k, a in tries.items() if refusal(secrets.game, told.state, a)}
                assert refused == set(tries)
    assert occurred == secrets.illegal_kinds
