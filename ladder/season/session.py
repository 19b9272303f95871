"""A session: an entrant's command edits its bot, which is then sealed.

The command is contained like a build: it writes in its workspace, sees nothing else of this
machine but the system's programs, and all its processes end with it.
"""

import os
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from ladder.model.cores import cores
from ladder.model.errors import BundleError, LadderError
from ladder.season import workspace
from ladder.season.folder import SeasonFolder, Session
from ladder.season.plan import Budget, Planned
from ladder.storage.containment import level_of
from ladder.storage.files.bundles import is_folder, nothing, store_bundle
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from referee.core.errors import CourtyardError, UsageError
from referee.hosting.bot_files import LeftOut
from referee.hosting.build import Bounds, Built, Say, build
from referee.hosting.manifest import FILE_NAME, load_manifest
from referee.sandbox.levels import Sandbox, open_sandbox
from referee.sandbox.program import Level

_MIB = 1024 * 1024
SPARE_S = 120.0
"""The time to prepare a workspace and to seal a bot."""


@dataclass(frozen=True, slots=True)
class Turn:
    """An entrant's turn to edit its bot before a round. Can be pickled."""

    season: SeasonFolder
    planned: Planned
    budget: Budget
    """`seconds` and `tokens` are those that are left."""
    before: Session
    """How the last session ended; of the first round, how the entrant began."""
    agent: str | None
    """The digest of its agent's folder."""
    after: int
    """It sees the matches of the ladder's rounds after this one."""
    about: str
    """What became of the bot's last version, for the command."""


def session(ladder: Ladder, say: Say, *, turn: Turn) -> Session:
    """Run an entrant's command and seal its bot.

    Raise `LadderError` if the command cannot be contained here.
    """
    before, sealed = turn.before, turn.season.sealed
    place, old = turn.season.workspace(before.bot), sealed.bundle(before.digest)
    number = before.round + 1
    sandbox = sandbox_of(ladder, turn.planned, before.bot)
    workspace.prepare(place, old, None if turn.agent is None else sealed.bundle(turn.agent))
    about = {
        "round": number,
        "bot": before.bot,
        "game": ladder.settings.game,
        "seats": ladder.settings.seats,
        "last_session": before.problem,
        "rejected": turn.about,
        "seconds": turn.budget.seconds,
        "tokens_left": turn.budget.tokens,
        "disk_mib": turn.budget.disk_mib,
    }
    workspace.show(ladder, place, before.bot, turn.after, about)
    say(f"Round {number}: {before.bot} is edited.")
    running = turn.season.begin_session(number, before.bot)
    began = time.monotonic()
    built = _edit(turn, sandbox, place, running)
    seconds = time.monotonic() - began
    spent, problem = workspace.Spent(), built.failure
    try:
        spent = workspace.spent(place)
    except BundleError as error:
        problem = problem or str(error)
    turn.season.log(number, before.bot).write_text(built.log, "utf-8")
    digest = before.digest
    try:
        digest = seal(place / workspace.BOT, sealed)
    except CourtyardError as error:
        reason = str(error).replace(f"{place}/", "")  # the command sees other paths
        problem = problem or f"the bot cannot be sealed: {reason}"
    added, removed = workspace.changed_lines(old, sealed.bundle(digest))
    return replace(
        before,
        round=number,
        digest=digest,
        problem=problem,
        seconds=round(seconds, 3),
        tokens=spent.tokens,
        cost=spent.cost,
        added=added,
        removed=removed,
    )


def sandbox_of(ladder: Ladder, planned: Planned, bot: str) -> Sandbox:
    """Return where an entrant's command runs; raise `LadderError` if it cannot be contained."""
    level = Level.TRUSTED if planned.trusted else level_of(ladder)
    if level is Level.TRUSTED and not planned.trusted:
        raise LadderError(
            f"the command that edits {bot} cannot be contained on this machine, as `ladder doctor` "
            "says: it could read and change the other entrants' bots; write `trusted = true` in "
            "the plan only if it will not"
        )
    return open_sandbox(level)


def _edit(turn: Turn, sandbox: Sandbox, place: Path, running: Path) -> Built:
    own = {name: value for name, value in os.environ.items() if name != "PATH"}
    if not turn.planned.trusted:
        own = {name: own[name] for name in turn.planned.environment if name in own}
    bounds = Bounds(
        kind="session",
        seconds=turn.budget.seconds,
        cpu_seconds=turn.budget.seconds * cores(),
        bytes=turn.budget.disk_mib * _MIB,
        stop=_tokens_spent(place, turn.budget.tokens, running),
    )
    return build(
        [turn.planned.command],
        place,
        sandbox,
        network=turn.planned.network,
        on_command=lambda _: None,
        environment=own,
        bounds=bounds,
    )


def _tokens_spent(place: Path, left: int | None, running: Path) -> Callable[[], str]:
    """Return what says why to stop a command by the tokens that it reports; touch `running`."""

    def stop() -> str:
        running.touch()
        if left is None or workspace.spent(place).tokens <= left:
            return ""
        return f"it may use {left} more tokens in this season"

    def unless_unreadable() -> str:
        try:
            return stop()
        except BundleError as error:
            return str(error)

    return unless_unreadable


def seal(bot: Path, sealed: Home) -> str:
    """Store a bot's folder, which nothing changes any more, and return its digest.

    Files that its .gitignore leaves out are left out here, too. Raise `BundleError`.
    """
    if not is_folder(bot):
        raise BundleError(f"{workspace.BOT} must be a folder of its own")
    for name in (FILE_NAME, ".gitignore"):  # they are read before links are checked
        if os.path.lexists(bot / name) and not stat.S_ISREG((bot / name).lstat().st_mode):
            raise BundleError(f"{name} must be a file of its own")
    try:
        left_out = LeftOut(load_manifest(bot))
    except UsageError:  # it may not play, but it is kept as it is
        return store_bundle(bot, sealed, nothing)
    return store_bundle(bot, sealed, left_out)
