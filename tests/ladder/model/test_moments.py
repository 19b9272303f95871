"""Times and durations are read as a director types them, and stored in UTC."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from ladder.model.errors import SettingsError
from ladder.model.moments import duration, local, moment_of, seconds_of

EVENING = datetime(2026, 3, 28, 17, 30, 20, tzinfo=UTC)
"""18:30:20 in Paris, on the eve of summer time."""


@pytest.fixture(autouse=True)
def paris() -> Iterator[None]:
    """Put the machine there for a test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "Europe/Paris")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("18:30", "2026-03-28T17:30:00+00:00"),
        ("18:30:30", "2026-03-28T17:30:30+00:00"),
        ("18:31", "2026-03-28T17:31:00+00:00"),
        ("18:29", "2026-03-29T16:29:00+00:00"),
        ("9:05", "2026-03-29T07:05:00+00:00"),
        ("2026-03-28T18:00", "2026-03-28T17:00:00+00:00"),
        ("2026-07-01 18:00", "2026-07-01T16:00:00+00:00"),
        ("2026-03-28T18:00+05:00", "2026-03-28T13:00:00+00:00"),
        ("2026-03-28T18:00:00.5Z", "2026-03-28T18:00:00+00:00"),
    ],
)
def test_a_time_is_local_without_a_zone(text: str, meant: str) -> None:
    """A time of day is the next one, from this minute on, also over a change of the clocks."""
    assert moment_of(text, EVENING).isoformat() == meant


@pytest.mark.parametrize(
    "text",
    [
        "",
        "18",
        "25:00",
        "18:60",
        "tomorrow",
        "\u0663:\u0663\u0660x",
        "0001-01-01T00:00",
        "9" * 5000,
    ],
)
def test_what_is_no_time(text: str) -> None:
    """Anything else is refused with examples."""
    with pytest.raises(SettingsError, match="give one such as 18:30"):
        moment_of(text, EVENING)


def test_durations() -> None:
    """A duration is read as it is told; zero, a bare number and other units are refused."""
    assert [seconds_of(text) for text in ("30m", "1h30m", "90s", "5min")] == [1800, 5400, 90, 300]
    assert [duration(seconds) for seconds in (1800, 5400, 90)] == ["30m", "1h30m", "1m30s"]
    for text in ("", "0m", "30", "-5m", "1d", "m", "9" * 5000 + "h"):
        with pytest.raises(SettingsError, match="give one such as 30m"):
            seconds_of(text)


def test_a_time_is_told_with_its_zone() -> None:
    """A time is shown in the machine's zone, with seconds only if there are some."""
    assert local(EVENING.replace(second=0)) == "2026-03-28 18:30 CET"
    assert local(EVENING) == "2026-03-28 18:30:20 CET"
