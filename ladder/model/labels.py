"""Short labels for versions."""

from collections.abc import Mapping

from ladder.model.bots import Version


def labels(versions: Mapping[int, Version]) -> dict[int, str]:
    """Return a label for each version: `bot`, or `bot@number` if several are of the same bot."""
    several = [version.bot for version in versions.values()]
    return {
        number: f"{v.bot}@{v.number}" if several.count(v.bot) > 1 else v.bot
        for number, v in versions.items()
    }
