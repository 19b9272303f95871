"""Times as a director writes and reads them: in the machine's time zone, stored in UTC."""

import re
from datetime import UTC, datetime, time, timedelta

from ladder.model.errors import SettingsError

NOW = "now"
_TIME_OF_DAY = re.compile(r"\d{1,2}:\d{2}(:\d{2})?")
_DURATION = re.compile(r"(?:(\d{1,4})h)?(?:(\d{1,6})m(?:in)?)?(?:(\d{1,6})s)?")


def now() -> datetime:
    """Return the time, UTC, to the second."""
    return datetime.now(UTC).replace(microsecond=0)


def moment_of(text: str, after: datetime) -> datetime:
    """Return the time, UTC, that a text means; raise `SettingsError` if it is none.

    A text such as 18:30 is the next such time of the local day from the minute of `after` on. Any
    other is a date and time in ISO 8601, local without a zone.
    """
    try:
        if _TIME_OF_DAY.fullmatch(text):
            wanted = time.fromisoformat(text.zfill(len("18:30")))
            here = after.astimezone().replace(second=0, microsecond=0, tzinfo=None)
            day = here.date() + timedelta(days=wanted < here.time())
            return datetime.combine(day, wanted).astimezone(UTC)
        return datetime.fromisoformat(text).astimezone(UTC).replace(microsecond=0)
    except (ValueError, OverflowError, OSError):
        raise SettingsError(
            f"{text!r} is not a time: give one such as 18:30, 2026-11-27T18:30 or "
            "2026-11-27T18:30+01:00"
        ) from None


def seconds_of(text: str) -> int:
    """Return the length of a duration such as 1h30m, in seconds; raise `SettingsError`."""
    match = _DURATION.fullmatch(text)
    hours, minutes, seconds = (int(part or 0) for part in match.groups()) if match else (0, 0, 0)
    if not (found := 3600 * hours + 60 * minutes + seconds):
        raise SettingsError(
            f"{text!r} is not a duration above 0: give one such as 30m, 1h30m or 90s"
        )
    return found


def when(moment: str) -> str:
    """Format a stored time in UTC, to the minute."""
    return f"{datetime.fromisoformat(moment).astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def local(moment: datetime) -> str:
    """Return a time in the machine's time zone in words."""
    return in_words(moment.astimezone())


def in_words(moment: datetime) -> str:
    """Return a time in its own time zone in words, to the minute if it is a whole one."""
    return f"{moment:%Y-%m-%d %H:%M:%S %Z}" if moment.second else f"{moment:%Y-%m-%d %H:%M %Z}"


def duration(seconds: int) -> str:
    """Return a duration in words, as `seconds_of` reads it."""
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    parts = {f"{hours}h": hours, f"{minutes}m": minutes, f"{rest}s": rest}
    return "".join(part for part, number in parts.items() if number)
