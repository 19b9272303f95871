"""The workspace of an entrant's command: its bot, and what it may know, and nothing else.

bot/           the bot's folder, to be edited
agent/         the command's own files
notes/         what the command wants to keep from session to session
spent.jsonl    what the command reports: lines such as {"tokens": 1200, "cost": 0.03}
seen/          what the season shows: round.json, standings.json, validation.json,
               matches/ID/log.json and seat.json, docs/, sample_bots/NAME/

Its own matches are shown as the author API shows them to a bot's author. All is made anew before
each session but for notes/, whatever the last session left there.
"""

import json
import os
import shutil
import stat
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ladder.model.errors import BundleError
from ladder.model.matches import MatchLine
from ladder.results import author_log, incidents, queries
from ladder.results.standings import to_json
from ladder.results.visibility import Visible, visible
from ladder.server.api import encode
from ladder.storage.files.builds import make_writable
from ladder.storage.files.docs import packaged_docs
from ladder.storage.ladder import Ladder
from ladder.storage.tables import matches
from referee.core import folders
from referee.hosting.sample_bots import ready_bots
from referee.view.frames import film_of_record, view

BOT, AGENT, NOTES, SPENT, SEEN = "bot", "agent", "notes", "spent.jsonl", "seen"
_LARGEST_REPORT = 1 << 20
_MOST_MATCHES = 100_000


@dataclass(frozen=True, slots=True)
class Spent:
    """What a command reports to have spent in a session."""

    tokens: int = 0
    cost: float = 0.0


def prepare(workspace: Path, bot: Path, agent: Path | None) -> None:
    """Make a workspace anew from sealed folders; what is in its notes stays."""
    workspace.mkdir(parents=True, exist_ok=True)
    for item in workspace.iterdir():
        if item.is_symlink() or not item.is_dir():
            item.unlink()
        elif item.name != NOTES:
            folders.remove(item)
    (workspace / NOTES).mkdir(exist_ok=True)
    (workspace / SEEN / "matches").mkdir(parents=True)
    for name, folder in ((BOT, bot), (AGENT, agent)):
        if folder is not None:
            shutil.copytree(folder, workspace / name, symlinks=True)
            make_writable(workspace / name)


def show(ladder: Ladder, workspace: Path, bot: str, after: int, about: Mapping[str, Any]) -> None:
    """Show a bot's author what may be known: matches of ladder rounds `after` this one.

    `about` is what the season tells of the round.
    """
    seen = workspace / SEEN
    (seen / "round.json").write_text(json.dumps(about, indent=2))
    rows = queries.standings(ladder)
    rules = queries.rules_played(ladder).counted
    (seen / "standings.json").write_text(to_json(rows, rules))
    _show_validation(ladder, seen, bot)
    with ladder.database.read() as tx:
        in_play = matches.deals_in_play(tx)
    for line in queries.latest(ladder, _MOST_MATCHES, bot):
        if line.round > after and line.state.has_result:
            may = visible(line, in_play, [bot])
            _show_match(ladder, seen / "matches" / line.match_id, line, may, bot)
    docs = packaged_docs()
    for name in ("rules", "facts"):
        shutil.copytree(docs / name, seen / "docs" / name)
    shutil.copy(docs / "protocol.md", seen / "docs")
    for name, folder in ready_bots(ladder.settings.game).items():
        shutil.copytree(folder, seen / "sample_bots" / name)


def _show_validation(ladder: Ladder, seen: Path, bot: str) -> None:
    version = queries.versions(ladder, bot)[-1]
    tried = queries.validation(ladder, version)
    shown = {
        "version": version.number,
        "rejected": version.rejected,
        "build_log": tried.build_log if tried else None,
        "printed": tried.printed if tried else None,
    }
    (seen / "validation.json").write_text(json.dumps(shown, indent=2))


def _show_match(ladder: Ladder, folder: Path, line: MatchLine, may: Visible, bot: str) -> None:
    folder.mkdir()
    own = author_log.seat_log(ladder, line, bot)
    happened = incidents.for_author(ladder, line)
    log = encode.log(encode.match(line, may), own, happened, whole=True)
    (folder / "log.json").write_text(log.model_dump_json(indent=2))
    for seat in may.own_seats:
        seat_view = view(film_of_record(queries.record(ladder, line)), seat)
        (folder / "seat.json").write_text(json.dumps(seat_view))


def spent(workspace: Path) -> Spent:
    """Return what a command has reported; raise `BundleError` if that cannot be read."""
    try:
        # The command may still run: it may put a link or a pipe here at any moment.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
        with os.fdopen(os.open(workspace / SPENT, flags), "rb") as opened:
            if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
                raise BundleError(f"{SPENT} is no file")
            text = opened.read(_LARGEST_REPORT + 1)
    except FileNotFoundError:
        return Spent()
    except OSError as error:
        raise BundleError(f"{SPENT}: {error.strerror}") from None
    if len(text) > _LARGEST_REPORT:
        raise BundleError(f"{SPENT} is larger than {_LARGEST_REPORT} bytes")
    reports = [_report(line, n) for n, line in enumerate(text.splitlines(), start=1) if line]
    return Spent(sum(one.tokens for one in reports), sum(one.cost for one in reports))


def _report(line: bytes, number: int) -> Spent:
    try:
        fields = json.loads(line)
        tokens, cost = fields.get("tokens", 0), fields.get("cost", 0.0)
    except (ValueError, AttributeError, RecursionError):
        tokens = cost = None
    if type(tokens) is not int or type(cost) not in (int, float):
        raise BundleError(f'{SPENT}, line {number}: write {{"tokens": 1200, "cost": 0.03}}')
    if not 0 <= tokens < 10**12 or not 0 <= cost < 10**9:
        raise BundleError(f"{SPENT}, line {number}: neither may be negative or so large")
    return Spent(tokens, float(cost))


def changed_lines(before: Path, after: Path) -> tuple[int, int]:
    """Return how many lines of a folder's files were added and removed; moved ones do not count."""
    old, new = _lines(before), _lines(after)
    added = sum((new - old).values())
    return added, sum((old - new).values())


def _lines(folder: Path) -> Counter[tuple[str, bytes]]:
    return Counter(
        (str(path.relative_to(folder)), line)
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
        for line in path.read_bytes().splitlines()
    )
