"""How many cores the ladder may use, and which.

The module that counts them needs a Unix. It is imported when asked, as clients of remote ladders
import this module on Windows too.
"""


def cores() -> int:
    """Return how many cores this process may use."""
    from referee.sandbox.kernel import usable_cores  # noqa: PLC0415 -- see above

    return usable_cores()


def own_cores(workers: int) -> list[int | None]:
    """Return a core for each worker; None for each if there are not enough to give.

    A worker and its bots take turns, so sharing a core costs nothing, whereas passing messages
    between cores costs as much as playing.
    """
    from referee.sandbox.kernel import kernel  # noqa: PLC0415 -- see above

    found = sorted(kernel.affinity())
    return list(found[:workers]) if workers <= len(found) else [None] * workers
