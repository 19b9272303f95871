"""Compares the memory that the bots of a run may use with what there is."""

from referee.sandbox.freeze.watchdog import size
from referee.sandbox.memory_usage import available
from referee.sandbox.program import Limits


def shortage(workers: int, seats: int) -> str:
    """Return what is short, and the way out, if all bots use what they may; empty if nothing is.

    A control group around this process may have less than the machine, as in a container.
    """
    found = available()
    a_match = seats * Limits().memory_bytes
    if found is None or workers * a_match <= found[0]:
        return ""
    fitting = found[0] // a_match
    at_once = f"{workers} matches at once" if workers > 1 else "a match"
    way_out = f"--workers {fitting} fits" if fitting else "only more memory helps"
    return (
        f"the bots of {at_once} may use {size(workers * a_match)} of memory, and "
        f"{size(found[0])} is available here: if it runs out, matches are void; {way_out}"
    )
