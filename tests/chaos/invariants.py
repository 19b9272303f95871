"""What must be so after whatever has happened: a line for everything that is not."""

from collections import Counter
from collections.abc import Iterator, Sequence

from ladder.model.matches import MatchLine, MatchState
from ladder.results import queries
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, match_lines, matches
from tests.chaos.victim import CommandError, Victim

_OF_A_LADDER = ("ladder.db", "bots", "uploads")
_HALF_MADE = (".new-", ".old-", ".build-")


def broken(victim: Victim) -> Iterator[str]:
    """Yield what is wrong with a ladder all of whose bots are honest and quick."""
    with Ladder.open(victim.home) as ladder:
        lines = _all_matches(ladder)
        yield from unjust(ladder, lines)
        yield from lost(lines)
        yield from doubled(ladder, lines)
    yield from _refused(victim, "verify", "No problem found in")
    yield from _refused(victim, "rerate", "No rating differed")


def _all_matches(ladder: Ladder) -> Sequence[MatchLine]:
    with ladder.database.read() as tx:
        return match_lines.from_round(tx, bots.all_versions(tx), first=1)


def unjust(ladder: Ladder, lines: Sequence[MatchLine]) -> Iterator[str]:
    """Yield the seats that forfeited: no bot here has earned it."""
    for line in lines:
        for seat, seated in enumerate(line.seats):
            if seated.result and seated.result.forfeit:
                where = f"match {line.match_id[:12]}: {seated.version} on seat {seat}"
                why = f"{seated.result.forfeit}: {_reason(ladder, line, seat)}"
                yield f"unjust forfeit in {where}: {why}"


def _reason(ladder: Ladder, line: MatchLine, seat: int) -> str:
    faults = (
        decision.fault.reason
        for decision in queries.record(ladder, line).decisions
        if decision.seat == seat and decision.HasField("fault")
    )
    return next(faults, "the record does not say why")


def lost(lines: Sequence[MatchLine]) -> Iterator[str]:
    """Yield what was planned and has no result."""
    for line in lines:
        if line.state is not MatchState.DONE:
            why = f": {line.reason}" if line.reason else ""
            yield f"lost: match {line.match_id[:12]} of round {line.round} is {line.state}{why}"


def doubled(ladder: Ladder, lines: Sequence[MatchLine]) -> Iterator[str]:
    """Yield what is there twice, or has not exactly one record."""
    with ladder.database.read() as tx:
        recorded = {match_id for match_id, _ in matches.each_record(tx)}
    done = {line.match_id for line in lines if line.state is MatchState.DONE}
    for match_id in sorted(done ^ recorded):
        which = "has no record" if match_id in done else "is not done and has a record"
        yield f"match {match_id[:12]} {which}"
    places = Counter((line.round, line.index) for line in lines)
    for (number, index), times in places.items():
        if times > 1:
            yield f"doubled: {times} matches are number {index} of round {number}"


def _refused(victim: Victim, command: str, content: str) -> Iterator[str]:
    """Yield what a command says that finds something wrong."""
    try:
        said = victim.order(command, "--ladder", victim.home.path)
    except CommandError as error:
        yield f"ladder {command}: {error}"
        return
    if content not in said:
        yield f"ladder {command}: {said.strip()}"


def left_behind(victim: Victim) -> Iterator[str]:
    """Yield the files that runs have left, though the last one ended in good order."""
    for path in sorted(victim.scratch.iterdir()):
        yield f"left behind: {path}"
    for path in sorted(victim.home.path.iterdir()):
        if path.name not in _OF_A_LADDER and path.suffix != ".lock":
            yield f"left behind: {path}"
    for path in sorted(victim.home.bots.iterdir()):
        if path.name.startswith(_HALF_MADE):
            yield f"left behind: {path}"
