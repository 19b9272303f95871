"""Values come out of another process as they went in."""

from dataclasses import FrozenInstanceError, dataclass, field
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import TypeVar

import pytest

from referee.core.by_value import by_value
from referee.core.clock import ClockConfig
from referee.core.errors import UsageError
from referee.hosting.match_runner import MatchSpec
from referee.hosting.running_bot import BotSpec

T = TypeVar("T")


def received(sent: T) -> T:
    """Return a value as it comes out of a pipe between processes."""
    value: T = ForkingPickler.loads(ForkingPickler.dumps(sent))
    return value


@by_value
@dataclass(frozen=True, slots=True)
class Point:
    """A value with a field that follows from others."""

    x: int
    y: int = 0
    sum: int = field(init=False)

    def __post_init__(self) -> None:
        """Add up."""
        object.__setattr__(self, "sum", self.x + self.y)


def test_a_value_is_pickled_by_its_fields() -> None:
    """It is equal to what was sent, and as frozen."""
    point = received(Point(1, y=2))
    assert point == Point(1, 2)
    assert point.sum == 3
    with pytest.raises(FrozenInstanceError):
        point.x = 3  # type: ignore[misc]


def test_a_received_value_is_checked_as_any_other() -> None:
    """Its class is called, so what it forbids does not come in."""
    clock = ClockConfig(bank_ms=77)
    assert received(clock) == clock
    object.__setattr__(clock, "bank_ms", 0)
    with pytest.raises(UsageError, match="bank"):
        received(clock)


def test_equal_bots_are_one_where_they_arrive() -> None:
    """A worker gets four with each match, and compares them with those that it keeps warm."""
    seats = tuple(BotSpec(name, Path("/a"), ("./bot",), "1", made=3) for name in ("x", "y"))
    specs = [MatchSpec(match_id, "courtisans", seats, match_id) for match_id in ("m", "n")]
    first, second = [received(spec) for spec in specs]
    assert [first, second] == specs
    assert all(one is other for one, other in zip(first.seats, second.seats, strict=True))
