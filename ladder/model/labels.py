"""What versions are called where people read of them."""

from collections.abc import Mapping

from ladder.model.bots import Version


def labels(versions: Mapping[int, Version]) -> dict[int, str]:
    """Return what versions are called: `bot`, or `bot@number` if there are several of the bot."""
    several = [version.bot for version in versions.values()]
    return {
        number: f"{v.bot}@{v.number}" if several.count(v.bot) > 1 else v.bot
        for number, v in versions.items()
    }
