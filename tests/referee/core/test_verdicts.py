"""Who is to blame: a test for each row of the table, and what holds for all facts."""

import errno
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.clock import Measured
from referee.core.errors import NoMemoryError, PausedError, RefereeError
from referee.core.verdicts import (
    RECOVERY_NS,
    ROWS,
    Came,
    Facts,
    Memory,
    Pause,
    Verdict,
    charged_us,
    is_doubtful,
    is_last,
    judge,
    owed_us,
    patience_us,
    stays_stopped,
    unexplained_ns,
    unsure_ns,
    void,
)

ALLOWED = 200_000
SECOND = 1_000_000_000
Left = dict[str, Any]

LAST = Left(attempts_left=False)
NO_EXCUSE = Left(is_believed=False)
NOTHING_LEFT = Left(attempts_left=False, is_believed=False)
LEFT = [Left(), LAST, NO_EXCUSE, NOTHING_LEFT]
PAUSE = Pause(10 * SECOND, 2_000_000, 2_000_000, datetime(2026, 11, 26, tzinfo=UTC))
KILLED = Memory(
    over_limit=False,
    killed=True,
    failed_to_start=False,
    group_kills=None,
    other_kills=1,
    exhausted=False,
    most_held=0.1,
)
LATE = Facts(Came.MESSAGE, ALLOWED, Measured(300_000, cpu_us=10_000))
SILENT = replace(LATE, came=Came.NOTHING)
STARVED = replace(LATE, measured=Measured(300_000, cpu_us=10_000, delay_us=150_000), ran_us=10_000)
ENDED = Facts(Came.END, ALLOWED, Measured(100_000), seen_ns=8 * SECOND)
LOST = Facts(Came.LOSS, seen_ns=8 * SECOND)

CASES: dict[str, list[tuple[Facts, Left]]] = {
    "an answer in time is charged": [
        (Facts(Came.MESSAGE, ALLOWED, Measured(ALLOWED)), NOTHING_LEFT),
        (replace(STARVED, exact=True), NOTHING_LEFT),
        (Facts(Came.MESSAGE, ALLOWED, Measured(900_000, credited_us=700_000)), NOTHING_LEFT),
    ],
    "a machine that can start no process is to blame": [
        (Facts(Came.NO_PROCESS, errno=errno.ENOMEM), NOTHING_LEFT),
        (Facts(Came.NO_PROCESS, errno=errno.EMFILE), NOTHING_LEFT),
    ],
    "a machine without memory is to blame if the bot holds little": [
        (replace(ENDED, memory=KILLED), NOTHING_LEFT),
        (replace(ENDED, memory=KILLED, pause=PAUSE), NOTHING_LEFT),
    ],
    "and if it holds much, while attempts are left": [
        (replace(ENDED, memory=replace(KILLED, most_held=0.5)), NO_EXCUSE),
    ],
    "nothing else excuses a message that the protocol does not allow": [
        (replace(STARVED, came=Came.BREACH), Left()),
        (replace(LATE, came=Came.BREACH, pause=PAUSE), Left()),
    ],
    "a pause that may be the cause voids the attempt": [
        (replace(LATE, pause=PAUSE, began_ns=9 * SECOND), NOTHING_LEFT),
        (replace(SILENT, pause=PAUSE, began_ns=12 * SECOND - 1), NOTHING_LEFT),
        (replace(ENDED, pause=PAUSE), NOTHING_LEFT),
        (replace(LOST, pause=PAUSE), NOTHING_LEFT),
        (replace(ENDED, pause=PAUSE, seen_ns=30 * SECOND, gone_ns=19 * SECOND), NOTHING_LEFT),
    ],
    "a wait for a core excuses while attempts are left": [
        (STARVED, NO_EXCUSE),
        (replace(STARVED, came=Came.NOTHING), NO_EXCUSE),
        (replace(STARVED, came=Came.END), NO_EXCUSE),
        (replace(LATE, waited_us=150_000), NO_EXCUSE),
    ],
    "in the last attempt only the referee's own wait does, now and then": [
        (replace(LATE, waited_us=150_000), LAST),
    ],
    "a stream that is lost during a stop excuses now and then, while attempts are left": [
        (LOST, Left()),
    ],
    "all else is the bot's own fault": [
        (LATE, Left()),
        (SILENT, Left()),
        (ENDED, Left()),
        (STARVED, LAST),
        (replace(LATE, waited_us=150_000), NOTHING_LEFT),
        (LOST, LAST),
        (LOST, NO_EXCUSE),
        (Facts(Came.NO_PROCESS, errno=errno.ENOENT), Left()),
    ],
}


@pytest.mark.parametrize("case", CASES)
def test_each_case_has_its_verdict(case: str) -> None:
    """The row of this case decides what is listed under it."""
    for facts, left in CASES[case]:
        assert judge(replace(facts, **left)).case == case


def test_each_row_has_a_case() -> None:
    """In the order in which they count, and with the verdict of each."""
    assert [row.case for row in ROWS] == [*CASES]
    assert [row.verdict.name for row in ROWS] == [
        *("CHARGE", "VOID", "VOID", "VOID", "FORFEIT", "AGAIN", "VOID", "VOID", "VOID", "FORFEIT")
    ]


@pytest.mark.parametrize(
    ("fact", "facts"),
    [
        ("other processes of the bot ran", replace(STARVED, ran_us=100_000)),
        ("it ran for its allowed time", replace(STARVED, ran_us=250_000)),
        ("it ran, not the referee waited", replace(LATE, waited_us=150_000, ran_us=100_000)),
        (
            "it ran for that time beside a wait",
            replace(STARVED, measured=Measured(300_000, 100_000, 300_000), ran_us=250_000),
        ),
        ("it owes time of a stop", replace(STARVED, owed_us=190_000)),
        (
            "its time was up before the wait",
            replace(STARVED, measured=Measured(500_000, 0, 150_000)),
        ),
        ("the pause ended before", replace(ENDED, pause=PAUSE, seen_ns=11 * SECOND)),
        ("the pause ended long before", replace(SILENT, pause=PAUSE, began_ns=12 * SECOND)),
        ("it worked beside the pause", replace(SILENT, pause=PAUSE, ran_us=250_000)),
        (
            "it fills the memory that is short",
            replace(SILENT, pause=PAUSE, held=0.5, pressures=(("memory", 25.0),)),
        ),
        (
            "its own limit killed it",
            replace(ENDED, memory=replace(KILLED, over_limit=True)),
        ),
        (
            "there was memory to start with",
            replace(
                ENDED,
                memory=replace(KILLED, killed=False, failed_to_start=True, other_kills=0),
            ),
        ),
        ("the kernel killed nothing", replace(ENDED, memory=replace(KILLED, other_kills=0))),
        ("it ended by itself", replace(ENDED, memory=replace(KILLED, killed=False))),
        ("its group lost nothing", replace(ENDED, memory=replace(KILLED, group_kills=0))),
    ],
)
def test_what_speaks_against_a_bot_takes_its_excuse(fact: str, facts: Facts) -> None:
    """It forfeits, though attempts are left and it has voided nothing."""
    assert judge(facts).verdict is Verdict.FORFEIT, fact


def test_the_two_waits_add_up_where_work_is_charged() -> None:
    """The bot's wait is deducted already; then the referee may have read the answer late."""
    measured = Measured(wall_us=300_000, cpu_us=60_000, delay_us=56_000)
    read = Facts(Came.MESSAGE, ALLOWED, measured, exact=True, ran_us=60_000)

    assert judge(read).verdict is Verdict.FORFEIT
    assert judge(replace(read, waited_us=110_000, attempts_left=False)).verdict is Verdict.VOID
    assert judge(replace(read, waited_us=110_000, ran_us=100_000)).verdict is Verdict.FORFEIT


@pytest.mark.parametrize(
    "memory",
    [
        replace(KILLED, killed=False, failed_to_start=True),
        replace(KILLED, killed=False, group_kills=1, other_kills=0),
        replace(KILLED, killed=False, failed_to_start=True, other_kills=0, exhausted=True),
    ],
)
def test_a_lack_of_memory_shows_in_several_ways(memory: Memory) -> None:
    """A start that fails beside a kill, a kill in the bot's group, a start without any room."""
    assert judge(replace(ENDED, memory=memory)).error is NoMemoryError


def test_only_what_it_could_feign_uses_up_a_bots_excuse() -> None:
    """A pause, a lack of memory and an ordinary attempt do not."""
    assert [row.case.split(",")[0] for row in ROWS if row.is_feignable] == [
        "in the last attempt only the referee's own wait does",
        "a stream that is lost during a stop excuses now and then",
    ]


@pytest.mark.parametrize(
    ("facts", "kind", "said"),
    [
        (replace(ENDED, memory=KILLED), NoMemoryError, "seat 0, ada: why"),
        (
            replace(ENDED, pause=PAUSE),
            PausedError,
            "the referee was paused for 2.0 s until 00:00:00 UTC; seat 0, ada: why",
        ),
        (
            STARVED,
            RefereeError,
            (
                "seat 0, ada: it or the referee had to wait for a core for 150 of 300 ms: "
                "the machine is too busy"
            ),
        ),
        (LOST, RefereeError, "seat 0, ada: why"),
    ],
)
def test_a_void_match_says_why(facts: Facts, kind: type[RefereeError], said: str) -> None:
    """The error names the bot and the cause, and its type is the cause's."""
    error = void(judge(facts), facts, "seat 0, ada", "why")

    assert type(error) is kind
    assert str(error) == said


def test_a_verdict_says_how_the_machine_was() -> None:
    """It tells waits, and pressure if known."""
    facts = replace(STARVED, waited_us=7_000, pressures=(("cpu", 12.5), ("io", 0.0)))

    assert facts.machine == (
        "the referee waited for a core for 7 ms, the bot for 150 ms; pressure: cpu 12 %, io 0 %"
    )


def test_work_is_the_time_on_the_wall_without_the_wait() -> None:
    """Work is at least the CPU time, and at most the wall time less the pauses."""
    assert Measured(wall_us=100, cpu_us=10, delay_us=70).worked_us == 30
    assert Measured(wall_us=100, cpu_us=60, delay_us=70).worked_us == 60
    assert Measured(wall_us=100, cpu_us=300, delay_us=0).worked_us == 100
    assert Measured(wall_us=900, cpu_us=100, delay_us=50, credited_us=600).worked_us == 250


def test_patience_ends_with_the_work_and_in_any_case() -> None:
    """The referee awaits a sleeper to its limit, a starved bot four times as long."""
    starved = Measured(wall_us=250_000, cpu_us=20_000, delay_us=230_000)

    assert patience_us(Measured(wall_us=200_000), ALLOWED) == 50_000
    assert patience_us(Measured(wall_us=250_000), ALLOWED) == 0
    assert patience_us(Measured(wall_us=250_000), ALLOWED, waited_us=60_000) == 60_000
    assert patience_us(starved, ALLOWED) == 230_000
    assert patience_us(Measured(wall_us=850_000, delay_us=850_000), ALLOWED) == 0


TIMES = st.sampled_from([0, 9_000, 60_000, 99_000, 150_000, 199_000, 210_000, 400_000])


@st.composite
def timed(draw: Callable[[st.SearchStrategy[Any]], Any], *came: Came) -> Facts:
    """Facts of a request to which one of these came, with times that fit together."""
    cpu_us, idle_us, delay_us, credited_us = (draw(TIMES) for _ in range(4))
    wall_us = cpu_us + idle_us + delay_us + credited_us
    return Facts(
        draw(st.sampled_from(came or [Came.MESSAGE, Came.NOTHING, Came.END, Came.BREACH])),
        ALLOWED,
        Measured(wall_us, cpu_us, delay_us, credited_us),
        owed_us=draw(st.sampled_from([0, 0, 30_000])),
        exact=draw(st.booleans()),
        waited_us=min(wall_us, draw(TIMES)),
        ran_us=cpu_us + draw(st.sampled_from([0, 0, 50_000])),
        held=draw(st.sampled_from([0.0, 0.9])),
        pressures=draw(st.sampled_from([(), (("memory", 50.0),)])),
        pause=draw(st.sampled_from([None, None, PAUSE])),
        began_ns=draw(st.integers(5, 15)) * SECOND,
        seen_ns=draw(st.integers(5, 15)) * SECOND,
    )


def severity(facts: Facts, left: Left) -> int:
    """How bad the verdict is for the bot: its answer counts, the match is void, it forfeits."""
    row = judge(replace(facts, **left))
    return 1 if row.is_void else 2 * (row.verdict is Verdict.FORFEIT)


@given(timed(Came.MESSAGE), TIMES, st.sampled_from(LEFT))
def test_a_later_answer_never_gets_a_better_verdict(facts: Facts, more_us: int, left: Left) -> None:
    """All else being equal; and none at all never gets a better one than a late one."""
    measured = facts.measured._replace(wall_us=facts.measured.wall_us + more_us)
    later = replace(facts, measured=measured)

    assert severity(facts, left) <= severity(later, left)
    assert severity(later, left) <= severity(replace(later, came=Came.NOTHING), left)


@given(timed(), TIMES, TIMES, st.sampled_from(LEFT))
def test_more_delay_never_gets_a_worse_verdict(
    facts: Facts, delay_us: int, waited_us: int, left: Left
) -> None:
    """Neither the bot's wait for a core nor the referee's can count against the bot."""
    measured = facts.measured._replace(
        delay_us=min(facts.measured.wall_us, facts.measured.delay_us + delay_us)
    )
    waited_us = min(facts.measured.wall_us, facts.waited_us + waited_us)
    delayed = replace(facts, measured=measured, waited_us=waited_us)

    assert severity(delayed, left) <= severity(facts, left)


@given(timed(), TIMES, st.sampled_from(LEFT))
def test_a_pause_never_turns_into_a_forfeit_by_itself(
    facts: Facts, paused_us: int, left: Left
) -> None:
    """The same decision with a pause in it costs the bot nothing more."""
    facts = replace(facts, pause=None)
    wall_us, credited_us = facts.measured.wall_us, facts.measured.credited_us
    measured = facts.measured._replace(
        wall_us=wall_us + paused_us, credited_us=credited_us + paused_us
    )

    assert severity(replace(facts, measured=measured, pause=PAUSE), left) <= severity(facts, left)


@given(timed(), TIMES, st.sampled_from(LEFT))
def test_more_work_never_gets_a_better_verdict(facts: Facts, more_us: int, left: Left) -> None:
    """A bot that burns cores, in whichever process, excuses nothing."""
    assert severity(replace(facts, ran_us=facts.ran_us + more_us), left) >= severity(facts, left)


@given(timed(), st.sampled_from(LEFT))
def test_what_is_left_to_excuse_only_helps(facts: Facts, left: Left) -> None:
    """A bot never fares worse with attempts and excuses than without."""
    assert severity(facts, Left()) <= severity(facts, left) <= severity(facts, NOTHING_LEFT)


def test_the_charge_is_the_work_only_where_it_is_exact() -> None:
    """And what the bot did while it was stopped comes on top."""
    measured = Measured(300_000, cpu_us=10_000, delay_us=150_000)

    assert charged_us(measured) == 300_000
    assert charged_us(measured, 7, exact=True) == 150_007


def test_the_last_attempt_is_known_before_it_is_made() -> None:
    """A bot has fewer excuses in it, and no other attempt follows."""
    assert [is_last(void_so_far) for void_so_far in range(4)] == [False, False, True, True]


@pytest.mark.parametrize(
    ("forfeit", "remote", "doubtful"),
    [
        ("FAILED_TO_START", False, True),
        ("DISCONNECTED", False, True),
        ("DISCONNECTED", True, False),
        ("TIMEOUT", False, False),
        ("ILLEGAL_ACTION", False, False),
        ("PROTOCOL_ERROR", False, False),
        (None, False, False),
    ],
)
def test_only_the_end_of_a_local_process_is_doubtful(
    forfeit: str | None, *, remote: bool, doubtful: bool
) -> None:
    """A stop signal or damaged files cause nothing else."""
    assert is_doubtful(forfeit, remote=remote) is doubtful


def test_a_stop_may_cost_a_bot_a_little_time() -> None:
    """The kernel may finish what it was doing; more is charged, all of it."""
    assert [owed_us(used_us) for used_us in (0, 20_000, 20_001)] == [0, 0, 20_001]


def test_who_wakes_again_and_again_does_not_stay_stopped() -> None:
    """The third time is the last, and so is the second second of CPU time."""
    assert stays_stopped(wakes=2, used_ns=SECOND)
    assert not stays_stopped(wakes=3, used_ns=0)
    assert not stays_stopped(wakes=0, used_ns=SECOND + 1)


def test_wakes_are_forgiven_after_a_pause_of_the_referee() -> None:
    """A look that is a second late shows one; a look in time forgives nothing."""
    assert unsure_ns(late_s=1.0) == 0
    assert unsure_ns(late_s=1.1) == RECOVERY_NS


def test_only_what_nothing_explains_is_a_pause() -> None:
    """Work, a wait for a core and the start of a program are none; a start explains a second."""
    assert unexplained_ns(late_ns=5 * SECOND, busy_ns=2 * SECOND, starting_ns=SECOND // 2) == (
        5 * SECOND // 2
    )
    assert unexplained_ns(late_ns=5 * SECOND, busy_ns=0, starting_ns=9 * SECOND) == 4 * SECOND
    assert unexplained_ns(late_ns=SECOND, busy_ns=SECOND, starting_ns=0) == 0
