"""The bots that sit down with people: sample bots, and the ladder's whose authors let others spar.

No remote bots: their authors would see the matches. A contest's bots play in the contest alone.
"""

from collections.abc import Mapping
from contextlib import suppress
from functools import cache

from ladder.model.errors import StoreError
from ladder.runner.match_spec import bot_spec
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, spars
from referee.hosting.manifest import FILE_NAME, load_manifest
from referee.hosting.running_bot import BotSpec, bot_spec_of
from referee.hosting.sample_bots import ready_bots


@cache
def samples(game: str) -> Mapping[str, BotSpec]:
    """Return the sample bots of a game by name, in order."""
    found = [load_manifest(folder / FILE_NAME) for _, folder in sorted(ready_bots(game).items())]
    return {one.name: bot_spec_of(one) for one in found if not one.is_remote}


def of_ladder(ladder: Ladder) -> dict[str, BotSpec]:
    """Return a ladder's bots by name, in order; those whose files are missing are left out."""
    if ladder.settings.contest is not None:
        return {}
    with ladder.database.read() as tx:
        is_open, active = spars.open_bots(tx), bots.active(tx)
    found = {}
    for version in sorted(active, key=lambda one: one.bot):
        if version.bot in is_open and not version.is_remote:
            with suppress(StoreError):
                found[version.bot] = bot_spec(ladder.home, version, str(version.number))
    return found
