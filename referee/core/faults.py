"""What a bot can do wrong, and the errors that say so."""

from dataclasses import dataclass
from enum import IntEnum

from referee.core.errors import CourtyardError


class FaultKind(IntEnum):
    """How a seat forfeits; the numbers are those of the protocol's FaultKind."""

    FAILED_TO_START = 1
    TIMEOUT = 2
    DISCONNECTED = 3
    PROTOCOL_ERROR = 4
    ILLEGAL_ACTION = 5


ENDED_STREAM = "the bot ended its stream instead of answering"
"""How the reason of most faults of the kind DISCONNECTED begins."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault with its reason, for the seat that made it, its author, and the record."""

    kind: FaultKind
    reason: str
    """The rule that was broken and what was received; nothing that the seat may not know."""
    overrun_ms: int = 0
    """For a late answer: by how much, rounded up."""
    exit_code: int | None = None
    """The exit status of the process, if it ended by itself."""
    signal: int | None = None
    """The signal that ended the process, if one did."""
    received: bytes = b""
    """What the bot sent, if that was the fault; its first 512 bytes."""


class BotFault(CourtyardError):  # noqa: N818 -- it is no error of ours
    """The bot broke a rule and forfeits."""

    def __init__(
        self, fault: Fault, printed: str = "", *, machine: str = "", excuse: str = ""
    ) -> None:
        """Carry the fault, whose reason is the message, and the end of what the bot printed.

        `machine` says how the machine was, `excuse` why it may be to blame; empty if it is not.
        """
        super().__init__(fault.reason)
        self.fault = fault
        self.printed = printed
        self.machine = machine
        self.excuse = excuse


def protocol_error(reason: str) -> BotFault:
    """Return the error for a message that is not what the protocol allows now."""
    return BotFault(Fault(FaultKind.PROTOCOL_ERROR, reason))


def timeout(
    allowed_us: int, elapsed_us: int | None = None, uncharged: str = "", machine: str = ""
) -> Fault:
    """Return the fault of a seat that took too long: with a late answer, or with none.

    `uncharged` says how much longer it took by the clock on the wall; empty if no longer.
    `machine` says how the machine was meanwhile; empty if nobody has looked.
    """
    allowed = f"{allowed_us / 1000:.0f} ms"
    told = f" ({uncharged})" if uncharged else ""
    told += f"; {machine}" if machine else ""
    if elapsed_us is None:
        return Fault(FaultKind.TIMEOUT, f"no answer within the {allowed} that were left{told}")
    overrun_ms = -(-(elapsed_us - allowed_us) // 1000)
    return Fault(
        FaultKind.TIMEOUT,
        f"the answer came {overrun_ms} ms after the {allowed} that were left{told}",
        overrun_ms=overrun_ms,
    )
