"""The presence of remote bots."""

from ladder.model.presence import Presence


def test_coming_and_going_is_news() -> None:
    """A bot that changes its capacity has neither connected nor disconnected."""
    presence = Presence()
    told = [presence.update("ada@2", most) for most in (0, 2, 2, 1, 0, 0, 1)]
    assert told == [False, True, False, False, True, False, True]
