"""A bot that thinks long gets its share of the workers' time, and no quick bot is taken for one."""

from collections.abc import Sequence
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.model.bots import Version
from ladder.model.matches import PlannedMatch
from ladder.runner.pace import Pace
from ladder.runner.worker import ThinkingTime, ThinkingTimes

NUMBERS = count()


class Clock:
    """A clock that stands still until it is moved."""

    now = 1000.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


def bot(number: int, transport: str = "grpc") -> Version:
    """Return a version of this id."""
    return Version(number, f"b{number}", 1, str(number), ("x",), True, "", transport)  # noqa: FBT003


def match(*seats: int, transport: str = "grpc") -> PlannedMatch:
    """Return another match of these versions."""
    seated = tuple(bot(number, transport) for number in seats)
    return PlannedMatch(f"match {next(NUMBERS)}", 1, 0, seated)


@pytest.fixture
def clock() -> Clock:
    """Give a clock that stands still."""
    return Clock()


@pytest.fixture
def pace(clock: Clock) -> Pace:
    """Begin a run of two workers in which six bots have played a match each."""
    pace = Pace((), clock)
    pace.workers = 2
    for one in (1, 3, 5):
        play(pace, one, one + 1, thinking_s=(0.02, 0.02))
    return pace


def play(pace: Pace, *seats: int, thinking_s: Sequence[float]) -> None:
    """Let a match of these bots begin and end."""
    played = match(*seats)
    pace.begin(played)
    pace.end(played, thinking_s)


def test_who_thinks_long_is_slow_and_its_opponent_is_not(pace: Pace) -> None:
    """A second in one match is enough, where others take a fiftieth; it counts for one seat."""
    play(pace, 1, 2, thinking_s=(1.0, 0.02))

    assert pace.slow == {1}


def test_who_thinks_long_shows_before_its_match_is_over(pace: Pace) -> None:
    """What a worker tells of a match under way counts at once, and a match that is over no more."""
    under_way, over = match(1, 2), match(3, 4)
    for begun in (under_way, over):
        pace.begin(begun)
    pace.end(over, (0.02, 0.02))
    pace.think(over, ThinkingTime(over.match_id, 0, 5.0))
    pace.think(under_way, ThinkingTime(under_way.match_id, 0, 1.0))
    pace.look()

    assert pace.slow == {1}


@pytest.mark.parametrize("times", [1, 5, 30, 200])
def test_a_busy_machine_makes_no_bot_slow(pace: Pace, times: int) -> None:
    """Where all think longer, none is slow."""
    for _ in range(9):
        for one in (1, 3, 5):
            play(pace, one, one + 1, thinking_s=(0.02 * times, 0.03 * times))

    assert not pace.slow


def test_a_hiccup_makes_no_bot_slow(pace: Pace) -> None:
    """A bot that takes half a second once is as quick as before."""
    for late in (0.5, *[0.02] * 8):
        play(pace, 1, 2, thinking_s=(late, 0.02))

    assert not pace.slow


def test_who_is_slow_now_and_then_is_slow(pace: Pace) -> None:
    """A bot cannot hide behind quick matches between slow ones."""
    for seconds in (0.0, 0.0, 0.0, 5.0, 0.0, 0.0, 0.0):
        play(pace, 1, 2, thinking_s=(seconds, 0.02))

    assert pace.slow == {1}


def test_no_bot_is_slow_where_nothing_is_usual(clock: Clock) -> None:
    """The first bot of a run that ends a match may be slow or not."""
    pace = Pace((), clock)
    under_way = match(1, 2)
    pace.begin(under_way)
    pace.think(under_way, ThinkingTime(under_way.match_id, 0, 9.0))
    pace.look()

    assert not pace.slow


def test_who_has_become_quick_is_slow_no_more(pace: Pace) -> None:
    """Eight quick matches clear a bot, fewer do not, nor do such as are hardly quicker."""
    play(pace, 1, 2, thinking_s=(9.0, 0.02))
    for seconds in [0.01] * 7:
        play(pace, 1, 2, thinking_s=(seconds, 0.02))
    assert pace.slow == {1}

    play(pace, 1, 2, thinking_s=(0.02, 0.02))

    assert not pace.slow


def test_a_slow_bot_does_not_take_all_workers(pace: Pace) -> None:
    """While one of its matches is under way, another one waits, and quick ones begin."""
    pace.slow = {1}
    pace.begin(match(1, 2))

    assert not pace.may_begin(match(1, 3))
    assert pace.may_begin(match(2, 3))
    assert pace.lets_all_begin

    pace.begin(match(2, 3))
    assert not pace.lets_all_begin


def test_a_bot_that_comes_and_goes_does_not_take_all_workers(pace: Pace) -> None:
    """A match that it has left keeps one worker at most, until it is steady again."""
    pace.begin(match(1, 2))
    pace.look(frozenset({1}))

    assert not pace.may_begin(match(1, 3))
    assert pace.may_begin(match(2, 3))
    assert pace.lets_all_begin

    pace.look(frozenset())
    assert pace.may_begin(match(1, 3))


def test_more_workers_play_more_of_its_matches(pace: Pace) -> None:
    """Of twelve workers, six bots' slow one gets at most four."""
    pace.slow, pace.workers = {1}, 12
    for _ in range(4):
        assert pace.may_begin(match(1, 2))
        pace.begin(match(1, 2))

    assert not pace.may_begin(match(1, 2))


def test_where_no_worker_plays_nothing_is_kept_back(pace: Pace) -> None:
    """Matches of remote bots alone take no worker, however slow these are."""
    pace.slow = {1}
    for _ in range(5):
        far = match(1, 2, transport="remote")
        assert pace.may_begin(far)
        pace.begin(far)


def test_the_first_match_shows_how_long_a_bot_thinks(pace: Pace, clock: Clock) -> None:
    """Of an unknown bot one match begins at first; if it takes very long, others begin, too."""
    first = match(7, 1)
    assert pace.may_begin(first)
    pace.begin(first)
    assert not pace.may_begin(match(7, 2))
    assert pace.may_begin(match(1, 2))

    clock.now += 10
    assert pace.may_begin(match(7, 2))


def test_no_worker_waits_for_the_first_match_of_a_run(clock: Clock) -> None:
    """Until a match has ended, overlapping ones begin where no others are left."""
    pace = Pace((), clock)
    first = match(1, 2)
    pace.begin(first)
    assert not pace.may_begin(match(2, 3))
    assert pace.lets_all_begin

    pace.end(first, (0.02, 0.02))
    pace.begin(match(3, 1))
    assert not pace.lets_all_begin


def test_who_is_known_need_not_wait(pace: Pace) -> None:
    """Once an unknown bot has ended its first match, any number of its matches begin."""
    play(pace, 7, 1, thinking_s=(0.02, 0.02))
    pace.begin(match(7, 2))

    assert pace.may_begin(match(7, 3))


@given(
    bots=st.integers(3, 30),
    workers=st.integers(1, 8),
    lasts_s=st.floats(0.5, 40.0),
    gap_s=st.floats(0.0, 3.0),
    is_slow=st.booleans(),
)
def test_a_slow_bot_gets_at_most_twice_its_share(
    bots: int, workers: int, lasts_s: float, gap_s: float, *, is_slow: bool
) -> None:
    """In the long run it takes no more of the workers' time than that, and nearly as much.

    One that comes and goes gets its share once.
    """
    clock = Clock()
    pace = Pace({1} if is_slow else (), clock)
    play(pace, 1, thinking_s=(0.01,))
    pace.look(frozenset({1}))
    pace.workers = workers
    for other in range(2, bots + 1):
        play(pace, other, thinking_s=(0.01,))
    began, taken, under_way = clock.now, 0.0, list[tuple[float, PlannedMatch]]()
    step = lasts_s / 20
    while clock.now < began + 100 * (lasts_s + gap_s):
        for ends, ending in [*under_way]:
            if ends <= clock.now:
                pace.end(ending, (lasts_s if is_slow else 0.01,))
                under_way.remove((ends, ending))
        while len(under_way) < workers and pace.may_begin(another := match(1)):
            pace.begin(another)
            under_way.append((clock.now + lasts_s, another))
        clock.now += step
        taken += step * len(under_way)

    share = workers * min(1.0, (2 if is_slow else 1) / bots)
    had = taken / (clock.now - began)
    assert had <= share + 0.05
    assert had >= min(share, max(1, int(share))) * 0.8


def test_a_worker_tells_long_thinking_alone() -> None:
    """Decisions of half a second in one match are told, and again when they are twice as long."""
    told: list[ThinkingTime] = []
    times = ThinkingTimes(told.append)
    for seat, seconds in ((0, 0.1), (1, 0.4), (0, 0.1), (1, 0.2), (1, 0.1), (1, 0.9)):
        times.note("one", seat, int(seconds * 1e6))
    times.note("another", 1, 300_000)

    assert told == [ThinkingTime("one", 1, 0.6), ThinkingTime("one", 1, 1.6)]
