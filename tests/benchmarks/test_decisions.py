"""How many decisions a second full matches make, beside a bare grpcio echo loop in the same run.

The echo loop is grpcio at its plainest and quickest: grpc.aio on uvloop on both sides, raw bytes of
the sizes that a match has, one message under way at a time, on whatever core the system likes, and
once more with all its processes on one core, where it is quickest. Full matches are what a ladder
plays: the real referee with the real rules, warm sample bots in processes of their own, one message
a decision, a complete record at the end, a table on every core.

Rounds of all kinds take turns, so that whatever else the machine does meets all of them; the median
of the rounds' ratios is what counts.
"""

import statistics
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

import pytest

from referee.games.randomness import Stream
from referee.match.match import Match, MatchSetup
from referee.sandbox.kernel import kernel

pytestmark = pytest.mark.bench

SEATS = 4
ROUNDS = 9
SECONDS = 1.0
CORES = sorted(kernel.affinity())


class Tables:
    """Some tables of one kind, each in a process of its own."""

    def __init__(self, processes: Sequence["subprocess.Popen[str]"]) -> None:
        """Take tables that wait for their first line."""
        self._pipes = [(p.stdin, p.stdout) for p in processes if p.stdin and p.stdout]

    def round_trips_a_second(self, seconds: float) -> float:
        """Let all tables play at once; return what they do together."""
        for orders, _ in self._pipes:
            print(seconds, file=orders, flush=True)
        counts = [answers.readline().split() for _, answers in self._pipes]
        return sum(int(trips) / float(taken) for trips, taken in counts)


def tables(kind: str, places: Iterable[int | str], *sizes: int) -> AbstractContextManager[Tables]:
    """Start a table on each of these places (a core, or several with commas), and end them."""
    program = Path(__file__).with_name("table.py")
    return started([program, kind, place, SEATS, *sizes] for place in places)


@contextmanager
def started(programs: Iterable[Sequence[object]]) -> Iterator[Tables]:
    """Start Python programs with their arguments, a table each, and end them."""
    with ExitStack() as stack:
        processes = [
            subprocess.Popen(
                [sys.executable, *map(str, program)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for program in programs
        ]
        for process in processes:
            stack.enter_context(process)
        yield Tables(processes)


def message_sizes() -> tuple[int, int]:
    """Return the mean sizes in bytes of a request and of its answer over one random match."""
    match = Match(MatchSetup("a" * 32, "courtisans", SEATS, "sizes"))
    stream = Stream("sizes", "actions")
    requests, answers = [], []
    while match.due is not None:
        requests.append(len(match.due.payload))
        action = match.state.random_action(stream)
        answers.append(len(match.codec.encode_action(action)) + len("a" * 32) + 8)
        match.decide(action, 0)
    return round(statistics.mean(requests)), round(statistics.mean(answers))


def test_decisions_beside_a_bare_echo_loop() -> None:
    """Print how full matches compare with the echo loop."""
    sizes = message_sizes()
    everywhere = ",".join(map(str, CORES))
    with (
        tables("echo", [everywhere], *sizes) as echo,
        tables("echo", [CORES[0]], *sizes) as pinned_echo,
        tables("match", [CORES[0]], *sizes) as one,
        tables("match", CORES, *sizes) as ladder,
    ):
        kinds = {"echo": echo, "pinned echo": pinned_echo, "one": one, "ladder": ladder}
        for kind in kinds.values():
            kind.round_trips_a_second(SECONDS / 2)
        rounds = [
            {name: kind.round_trips_a_second(SECONDS) for name, kind in kinds.items()}
            for _ in range(ROUNDS)
        ]
    print(f"\nrequests of {sizes[0]} bytes, answers of {sizes[1]}; medians of {ROUNDS} rounds")
    for name, words in (
        ("echo", "bare grpcio echo loop"),
        ("pinned echo", "the same, server and clients on one core"),
        ("one", "full matches, one table on one core"),
        ("ladder", f"full matches as a ladder plays them, a table on each of {len(CORES)} cores"),
    ):
        print(f"{statistics.median(r[name] for r in rounds):8.0f} a second  {words}")
    for over, under in (("ladder", "echo"), ("ladder", "pinned echo"), ("one", "pinned echo")):
        ratios = sorted(r[over] / r[under] for r in rounds)
        spread = f"from {ratios[0]:.2f} to {ratios[-1]:.2f}"
        print(f"{statistics.median(ratios):8.2f} = {over} / {under} ({spread})")
