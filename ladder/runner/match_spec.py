"""What a host is told of a planned match: whose bots to start, which deal to deal, which clock."""

from ladder.model import ids
from ladder.model.bots import Version
from ladder.model.errors import StoreError
from ladder.model.matches import PlannedMatch
from ladder.model.settings import Settings
from ladder.storage import builds
from ladder.storage.folder import Home
from referee.hosting.host import MatchSpec
from referee.hosting.running_bot import BotSpec


def match_spec(home: Home, settings: Settings, match: PlannedMatch, *, patient: bool) -> MatchSpec:
    """Return what is to be played; raise `StoreError` if a bot's files are missing.

    `patient`: a bot that is late because the machine is busy makes the match void.
    """
    return MatchSpec(
        match_id=match.match_id,
        game=settings.game,
        seats=tuple(None if v is None else _entrant(home, v) for v in match.seats),
        master_seed=ids.master_seed(settings.secret, _deal(match)),
        config=settings.config,
        clock=settings.clock,
        patient=patient,
    )


def _entrant(home: Home, version: Version) -> BotSpec:
    folder = builds.directory(home, version.digest, version.build).resolve()
    try:
        made = folder.stat().st_ctime_ns  # a bot of an earlier build may still be kept warm
    except OSError:
        raise StoreError(f"{folder}: the files of {version} are missing") from None
    return BotSpec(
        name=version.bot,
        directory=folder,
        command=version.command,
        transport=version.transport,
        version=str(version.number),
        digest=version.digest,
        made=made,
    )


def _deal(match: PlannedMatch) -> str:
    """Return the name of a match's deal.

    Played again with a remote bot, which may remember what it saw, the match has another one.
    """
    return ids.deal_again(match.deal, match.attempts) if match.remote else match.deal
