"""The faults of bots, and the error that carries one."""

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

from referee.core.errors import CourtyardError
from referee.core.rules import Rule

if TYPE_CHECKING:
    from referee.core.verdicts import Facts


class FaultKind(IntEnum):
    """How a seat forfeits; the numbers are those of the protocol's FaultKind."""

    FAILED_TO_START = 1
    TIMEOUT = 2
    DISCONNECTED = 3
    PROTOCOL_ERROR = 4
    ILLEGAL_ACTION = 5


ENDED_STREAM = "the bot ended its stream instead of answering"
"""The reason of most DISCONNECTED faults begins like this."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault with its reason, for the bot, its author, and the record."""

    kind: FaultKind
    reason: str
    """The broken rule and what the referee received; nothing that the seat may not know."""
    overrun_ms: int = 0
    """How late the answer was, rounded up; 0 if it was not late."""
    exit_code: int | None = None
    """Exit status of the process, if it exited."""
    signal: int | None = None
    """Signal that killed the process, if one did."""
    received: bytes = b""
    """First 512 bytes of the bot's message, if the message was the fault."""
    rule: Rule | None = field(default=None, compare=False)
    """The broken rule, if the kind does not imply it; records hold none."""


class BotFault(CourtyardError):  # noqa: N818 -- it is no error of ours
    """The bot broke a rule and forfeits."""

    def __init__(self, fault: Fault, printed: str = "", facts: "Facts | None" = None) -> None:
        """Carry the fault, whose reason is the message, and the end of the bot's output.

        `facts` are those that may excuse the bot.
        """
        super().__init__(fault.reason)
        self.fault = fault
        self.printed = printed
        self.facts = facts


def protocol_error(rule: Rule, reason: str) -> BotFault:
    """Return the error for a message that this rule of the protocol does not allow here."""
    return BotFault(Fault(FaultKind.PROTOCOL_ERROR, reason, rule=rule))


def timeout(
    allowed_us: int, elapsed_us: int | None = None, uncharged: str = "", machine: str = ""
) -> Fault:
    """Return the fault of a seat whose answer came late, or never (`elapsed_us` None).

    `uncharged` compares charged and wall time, empty if about equal; `machine` describes the
    machine's load meanwhile, empty if unknown.
    """
    allowed = f"{allowed_us / 1000:.0f} ms"
    details = f" ({uncharged})" if uncharged else ""
    details += f"; {machine}" if machine else ""
    if elapsed_us is None:
        return Fault(FaultKind.TIMEOUT, f"no answer within the {allowed} that were left{details}")
    overrun_ms = -(-(elapsed_us - allowed_us) // 1000)
    return Fault(
        FaultKind.TIMEOUT,
        f"the answer came {overrun_ms} ms after the {allowed} that were left{details}",
        overrun_ms=overrun_ms,
    )


STAND_IN_NAME = "stand-in"
"""The name of what plays empty seats and takes over where a bot forfeits; no bot may have it."""
