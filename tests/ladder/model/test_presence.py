"""Who is at the gateway."""

from ladder.model.presence import Presence


def test_coming_and_going_is_news() -> None:
    """A bot that tells again how many matches it can play has neither come nor left."""
    presence = Presence()
    told = [presence.update("ada@2", most) for most in (0, 2, 2, 1, 0, 0, 1)]
    assert told == [False, True, False, False, True, False, True]
