"""The verdict on a fault: the one table that decides whether a bot pays, or the match is void.

Theory of operation. The others measure and report facts: what arrived, when, and how busy the
machine was. The first row of `ROWS` that applies decides, and the others carry out its verdict.
Nothing else charges or excuses a bot. Four things can speak for one:

Cores. A decision lasts from just before the request is sent to the arrival of the answer. On a
crowded machine that is longer than the bot worked: its process waited for a core, and so did the
referee, which hardly uses one. Its work is max(CPU time, wall time - waiting): threads that wait
for each other cannot stretch the wait, as their CPU time is then as long as the wall time. Where no
bot can evade the count of CPU time, the work is charged; elsewhere the wall time, and the work
tells who made the bot late: the machine, if the bot would have been in time without the longer of
the two waits, or without both where the work is charged. A bot that burns all cores causes both. So
the CPU time of its other processes is deducted from the waits, one that ran for its allowed time
has no excuse, and what it did while it was stopped is charged in any case.

Pauses. While the referee did not run, an answer may have come at any time. So pauses are deducted
from the wall time, but not the work that the bot is known to have done. If the bot is late
nevertheless, or its stream has ended, it may have been stopped too, or a clock of its own went on:
then no bot is blamed, unless it worked for too long, or fills the memory that is short, which may
pause a referee.

Streams. A stopped bot cannot end its stream. So if that ends long after the stop began, or as soon
as the bot continues, something counted the stopped time: the keep-alive of its gRPC library, or
something on the machine. The referee sees an end from before the stop soon after the stop, and
gives the bot a moment to wake up before it sends a request.

Memory. The kernel kills processes when none is left. A bot that holds much is partly to blame.

A bot can cause some of this in more ways than anyone can list. So these excuses end with the
attempts at a match, and what it could feign voids one in `MATCHES_PER_VOID` matches, which shows in
no rating.
"""

import errno
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum, auto
from typing import NamedTuple

from referee.core.clock import NOT_MEASURED, Measured
from referee.core.errors import NoMemoryError, PausedError, RefereeError
from referee.core.faults import Fault, FaultKind

GRACE_US = 50_000
"""How much longer than allowed the referee waits, so that a late answer can be reported as late."""
MOST_TIMES_ALLOWED = 4
"""The referee waits at most this many times the allowed time for a bot that gets no core."""
RECOVERY_NS = 2_000_000_000
"""The machine may still be slow this long after a pause."""
PINGS_FAIL_NS = 10_000_000_000
"""A pause may end a remote bot's stream until this long afterwards: the gateway pings every 4 s."""
MOST_OF_A_START_NS = 1_000_000_000
"""The start of a program explains at most this much of a timer's lateness."""
LATE_S = 1.0
"""If a look at a stopped bot is so much later than due, the referee was stopped, or had no core."""
FREE_US = 20_000
"""CPU time that a stop may cost without being charged: the kernel finishes what it was doing."""
MOST_WAKES = 3
MOST_STOPPED_NS = 1_000_000_000
"""A bot that wakes so often while it is stopped, or uses so much CPU time, is killed."""
SECONDS_UNTIL_LOST = 10.0
"""No library's default keep-alive is this short, and the referee sees a bot's own acts sooner."""
MUCH_MEMORY = 0.5
"""A bot that holds this share of its limit is partly to blame if memory is short."""
SHORT_OF_MEMORY = 1.0
"""Percentage of time in which something waited for memory."""
MATCHES_PER_VOID = 100
"""A bot may void one match by what it could feign, and another after it has finished this many."""
MOST_ATTEMPTS = 3
"""The attempts at a match before it is given up."""
MOST_PAUSES = 10
"""How many pauses of the referee may spoil a match: then the machine cannot play."""
MOST_VOID_IN_A_ROW = 10
"""After this number of void attempts in a row the matches are not to blame: the run stops."""
BY_ENDING = {FaultKind.FAILED_TO_START.name, FaultKind.DISCONNECTED.name}
"""The forfeits of a bot whose process is gone."""
OF_THE_MACHINE = (errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC)
"""Errors of starting a command for which the machine is to blame."""
NO_MEMORY = (
    "the machine has no memory left: give it more, or play fewer matches at once (--workers)"
)


class Came(Enum):
    """The outcome of a request, or of a start."""

    MESSAGE = auto()
    """The message that was due, in time or late."""
    NOTHING = auto()
    """Nothing before the time was up."""
    BREACH = auto()
    """A message that the protocol does not allow."""
    END = auto()
    """The end of the bot's stream or process."""
    LOSS = auto()
    """The end of its stream while it was stopped; it then got no request."""
    NO_PROCESS = auto()
    """An error of the system that was to run its command."""


class Verdict(Enum):
    """The consequence."""

    CHARGE = auto()
    """Charge the time of the answer, which counts."""
    FORFEIT = auto()
    """Let the bot forfeit."""
    VOID = auto()
    """Void the match, which uses up an attempt at it."""
    AGAIN = auto()
    """Void the match and play it again, as if this had been no attempt."""


@dataclass(frozen=True, slots=True)
class Pause:
    """One period in which the referee did not run."""

    seen_ns: int
    """When it was noticed, on the monotonic clock."""
    counted_us: int
    """Its length on the monotonic clock."""
    lasted_us: int
    """Its full length, suspension of the machine included."""
    ended: datetime
    """When it was noticed, as UTC time."""

    def __str__(self) -> str:
        """Return its length and end as text."""
        return f"the referee was paused for {self.lasted_us / 1e6:.1f} s until {self.ended:%X} UTC"


@dataclass(frozen=True, slots=True)
class Memory:
    """The state of memory when a process has ended or failed."""

    over_limit: bool
    """Whether a limit of its own killed it."""
    killed: bool
    """Whether SIGKILL ended it, or the shell it ran in reports that of its command."""
    failed_to_start: bool
    """Whether it ended without a Hello, and not with status 0."""
    group_kills: int | None
    """How many of its processes the kernel has killed for lack of memory; None if unknown."""
    other_kills: int
    """How many the kernel has killed anywhere since the bot was well."""
    exhausted: bool
    """Whether hardly any is left."""
    most_held: float
    """The most that the bot was seen to hold, as a share of its limit."""

    @property
    def lacked(self) -> bool:
        """Whether the machine's memory had an end, rather than a limit of the bot's own.

        A control group of its own shows that for certain. Without one, a SIGKILL that no process of
        ours sent may be the bot's own, so the kernel must have counted one of its own. A start that
        fails in another way may have lost a child, or got no memory for one.
        """
        counted = self.group_kills is None and self.other_kills > 0
        killed = bool(self.group_kills) or (counted and (self.killed or self.failed_to_start))
        return not self.over_limit and (killed or (self.failed_to_start and self.exhausted))


@dataclass(frozen=True, slots=True)
class Facts:
    """The outcome of a request or a start, and the state of the machine meanwhile."""

    came: Came
    allowed_us: int = 0
    measured: Measured = NOT_MEASURED
    """The bot's own times."""
    owed_us: int = 0
    """CPU time that it used while it was stopped, charged with this answer."""
    exact: bool = False
    """Whether it cannot evade the count of CPU time, so that its work is charged."""
    cores: int = 1
    """How many cores it can keep busy at once."""
    waited_us: int = 0
    """How long the referee's own thread waited for a core."""
    ran_us: int = 0
    """CPU time of all the bot's processes, as far as measured."""
    pressures: tuple[tuple[str, float], ...] = ()
    """Percentage of the last 10 s by resource; empty if the kernel has no figures."""
    held: float = 0.0
    """The memory that the bot holds, as a share of its limit."""
    memory: Memory | None = None
    """None unless its process ended or failed."""
    pause: Pause | None = None
    """The referee's last pause."""
    began_ns: int = 0
    """When the request was sent."""
    seen_ns: int = 0
    """When the bot was last known to be well."""
    gone_ns: float = math.inf
    """When the last stream of a remote bot ended."""
    errno: int | None = None
    """The system's error, if there is no process."""
    attempts_left: bool = True
    """Whether there is another attempt at the match if this one is void."""
    is_believed: bool = True
    """Whether the bot may void a match by what it could feign."""

    @property
    def in_time(self) -> bool:
        """Whether the message that was due came in time."""
        charged = charged_us(self.measured, self.owed_us, exact=self.exact)
        return self.came is Came.MESSAGE and charged <= self.allowed_us

    @property
    def lacked_memory(self) -> bool:
        """Whether the machine had no memory left for the bot."""
        return self.memory is not None and self.memory.lacked

    @property
    def hoards(self) -> bool:
        """Whether the bot fills the memory that is short."""
        if self.memory is not None and self.memory.lacked:
            return self.memory.most_held >= MUCH_MEMORY
        short = dict(self.pressures).get("memory", 0.0) >= SHORT_OF_MEMORY
        return short and self.held >= MUCH_MEMORY

    @property
    def paused(self) -> bool:
        """Whether a pause of the referee may be why."""
        if self.pause is None or self.hoards or self.ran_us // self.cores > self._left_us:
            return False
        if self.came in (Came.MESSAGE, Came.NOTHING):
            return self.pause.seen_ns > self.began_ns - RECOVERY_NS
        return self.pause.seen_ns > min(self.seen_ns, self.gone_ns - PINGS_FAIL_NS)

    @property
    def held_up(self) -> Measured | None:
        """The measurements that blame the machine, with its delay; None if they do not."""
        others_us = max(0, self.ran_us - self.measured.cpu_us)
        return self._without(max(self.measured.delay_us - others_us, self._referees_us))

    @property
    def unfit(self) -> bool:
        """Whether the referee's own wait for a core suffices to blame the machine."""
        return self._without(self._referees_us) is not None

    @property
    def machine(self) -> str:
        """The machine's load as text for a verdict."""
        waits = (
            f"the referee waited for a core for {self.waited_us // 1000} ms, "
            f"the bot for {self.measured.delay_us // 1000} ms"
        )
        pressures = ", ".join(f"{name} {percent:.0f} %" for name, percent in self.pressures)
        return f"{waits}; pressure: {pressures}" if pressures else waits

    @property
    def _left_us(self) -> int:
        return self.allowed_us - self.owed_us

    @property
    def _referees_us(self) -> int:
        """How long the referee waited, after the bot where that wait is deducted already."""
        is_deducted = self.exact and self.came is Came.MESSAGE
        before_us = self.measured.delay_us if is_deducted else 0
        return before_us + max(0, self.waited_us - self.ran_us)

    def _without(self, delay_us: int) -> Measured | None:
        """Return the measurements with this delay if the bot was in time without it, else None."""
        without = self.measured._replace(delay_us=min(delay_us, self.measured.wall_us))
        is_starved = without.worked_us <= self._left_us < without.running_us
        return without if is_starved and self.ran_us <= self._left_us else None


class Row(NamedTuple):
    """One case, and its verdict."""

    case: str
    verdict: Verdict
    applies: Callable[[Facts], bool]
    error: type[RefereeError] = RefereeError
    """The error of a void match."""
    is_feignable: bool = False
    """Whether the bot could feign it."""

    @property
    def is_void(self) -> bool:
        """Whether the match is void."""
        return self.verdict in (Verdict.VOID, Verdict.AGAIN)


_CHARGE, _FORFEIT, _VOID, _AGAIN = Verdict
# fmt: off
ROWS = (
    Row("an answer in time is charged",
        _CHARGE, lambda f: f.in_time),
    Row("a machine that can start no process is to blame",
        _VOID, lambda f: f.errno in OF_THE_MACHINE),
    Row("a machine without memory is to blame if the bot holds little",
        _VOID, lambda f: f.lacked_memory and not f.hoards, NoMemoryError),
    Row("and if it holds much, while attempts are left",
        _VOID, lambda f: f.lacked_memory and f.attempts_left, NoMemoryError),
    Row("nothing else excuses a message that the protocol does not allow",
        _FORFEIT, lambda f: f.came is Came.BREACH),
    Row("a pause that may be the cause voids the attempt",
        _AGAIN, lambda f: f.paused, PausedError),
    Row("a wait for a core excuses while attempts are left",
        _VOID, lambda f: f.attempts_left and f.held_up is not None),
    Row("in the last attempt only the referee's own wait does, now and then",
        _VOID, lambda f: f.is_believed and f.unfit, is_feignable=True),
    Row("a stream that is lost during a stop excuses now and then, while attempts are left",
        _VOID, lambda f: f.attempts_left and f.is_believed and f.came is Came.LOSS,
        is_feignable=True),
    Row("all else is the bot's own fault",
        _FORFEIT, lambda _: True),
)
# fmt: on
"""The first row that applies decides."""


def judge(facts: Facts) -> Row:
    """Return the row that decides."""
    return next(row for row in ROWS if row.applies(facts))


def is_last(attempts: int) -> bool:
    """Return whether the next attempt at a match is the last, after that many void ones."""
    return attempts + 1 >= MOST_ATTEMPTS


def is_doubtful(forfeit: str | None, *, remote: bool = False) -> bool:
    """Return whether a stop signal, or damage to its files, may have ended a bot that forfeits so.

    Neither reaches a remote bot.
    """
    return forfeit in BY_ENDING and not remote


def with_memory(fault: Fault, facts: Facts, memory: Memory | None) -> tuple[Fault, Facts]:
    """Add what is known of memory to a fault and its facts."""
    if memory is not None and memory.lacked:
        fault = replace(fault, reason=f"{fault.reason}: {NO_MEMORY}")
    return fault, replace(facts, memory=memory)


def void(row: Row, facts: Facts, whose: str, reason: str) -> RefereeError:
    """Return the error for a match that this row voids; `whose` names the bot."""
    if row.error is PausedError:
        whose = f"{facts.pause}; {whose}"
    elif row.error is RefereeError and (held_up := facts.held_up) is not None:
        waited_ms, wall_ms = held_up.delay_us // 1000, held_up.wall_us // 1000
        reason = f"it or the referee had to wait for a core for {waited_ms} of {wall_ms} ms"
        reason += ": the machine is too busy"
    return row.error(f"{whose}: {reason}")


def unexplained_ns(late_ns: int, busy_ns: int, starting_ns: int) -> int:
    """Return how much of a timer's lateness may be a pause: nothing in the process ran or could.

    CPU time and a wait for a core, `busy_ns`, and the start of a program are no pause, as a bot can
    cause or lengthen them. May be negative.
    """
    return late_ns - busy_ns - min(starting_ns, MOST_OF_A_START_NS)


def owed_us(used_us: int) -> int:
    """Return the part of the CPU time used during a stop that is charged with the next answer."""
    return used_us if used_us > FREE_US else 0


def unsure_ns(late_s: float) -> int:
    """Return how long wakes are forgiven after a look at a stopped bot that was so late.

    What stopped and continued the referee may have continued its bots as well.
    """
    return RECOVERY_NS if late_s > LATE_S else 0


def stays_stopped(wakes: int, used_ns: int) -> bool:
    """Return whether a bot that woke so often, and used so much, is only stopped again."""
    return wakes < MOST_WAKES and used_ns <= MOST_STOPPED_NS


def charged_us(measured: Measured, owed_us: int = 0, *, exact: bool = False) -> int:
    """Return the time to charge for an answer: the bot's work where its count is exact."""
    return owed_us + (measured.worked_us if exact else measured.running_us)


def patience_us(measured: Measured, allowed_us: int, waited_us: int = 0) -> int:
    """Return how many microseconds longer to wait for an answer; 0 means the time is over.

    On a crowded machine a bot that spins uses up its work slowly; one that sleeps is out of time
    when its wall time is over. `waited_us`: how long the referee has waited for a core.
    """
    delay_us = min(max(measured.delay_us, waited_us), measured.wall_us)
    if measured.running_us >= MOST_TIMES_ALLOWED * allowed_us + GRACE_US:
        return 0
    return max(0, allowed_us + GRACE_US - measured._replace(delay_us=delay_us).worked_us)
