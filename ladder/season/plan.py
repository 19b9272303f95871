"""The plan of a season: a TOML file with the game, the rounds, the entrants and their budget."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ladder.model.settings import title_of
from referee.core.errors import CourtyardError, UsageError
from referee.core.text_files import read_toml
from referee.games import game_named
from referee.games.base import ConfigError, seats_in_words, usual_seats
from referee.hosting.manifest import Manifest, load_manifest
from referee.hosting.sample_bots import bot_folder

_KEYS = {"game", "title", "seats", "rounds", "deals", "config", "budget", "entrant"}
_BUDGET_KEYS = {"seconds", "tokens", "disk_mib"}
_ENTRANT_KEYS = {"bot", "command", "agent", "trusted", "network", "environment"}


@dataclass(frozen=True, slots=True)
class Budget:
    """What each entrant's command may use."""

    seconds: float = 600.0
    """In one session."""
    tokens: int | None = None
    """In the whole season, as the command reports them; None if they are unlimited."""
    disk_mib: int = 256
    """The size of its workspace."""


@dataclass(frozen=True, slots=True)
class Planned:
    """An entrant: a bot and the command that edits it."""

    bot: str
    """The bot with which it begins: its folder, or a sample bot's name."""
    command: tuple[str, ...] = ()
    """Run in the workspace between rounds; empty if the bot stays as it is."""
    agent: str = ""
    """A folder that the workspace shows as `agent`; empty if there is none."""
    trusted: bool = False
    """Whether the command runs uncontained, with this user's environment."""
    network: bool = False
    environment: tuple[str, ...] = ()
    """The variables of this process that the command gets."""


@dataclass(frozen=True, slots=True)
class SeasonPlan:
    """A checked plan."""

    text: str
    """The file."""
    folder: Path
    """Where it is: its paths are relative to this."""
    title: str | None
    game: str
    seats: int
    rounds: int
    deals: int
    """About how many deals each bot plays in a round."""
    config: Mapping[str, Any]
    """The settings of the game that differ from its defaults."""
    budget: Budget
    entrants: tuple[Planned, ...]

    def bots(self) -> list[Manifest]:
        """Return the bots with which the entrants begin, in order; raise `UsageError`."""
        found = [self._bot(planned.bot) for planned in self.entrants]
        names = [manifest.name for manifest in found]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise UsageError(f"two entrants have the name {twice}: give each bot.toml its own")
        return found

    def agent(self, planned: Planned) -> Path | None:
        """Return an entrant's folder of an agent, if it has one; raise `UsageError`."""
        folder = self.folder / planned.agent
        if planned.agent and not folder.is_dir():
            raise UsageError(f"{folder}: no such folder")
        return folder if planned.agent else None

    def _bot(self, word: str) -> Manifest:
        here = self.folder / word
        manifest = load_manifest(here if here.exists() else bot_folder(word, self.game))
        if manifest.is_remote or not manifest.plays(self.game):
            why = "is a remote bot" if manifest.is_remote else f"does not play {self.game}"
            raise UsageError(f"{here}: the bot {manifest.name} {why}")
        return manifest


def read_plan(file: Path) -> SeasonPlan:
    """Read a plan; raise `UsageError` with one line."""
    text, table = read_toml(file)
    try:
        return _plan(text, table, file.parent)
    except (CourtyardError, ConfigError) as error:
        raise UsageError(f"{file}: {error}") from None


def _plan(text: str, table: Mapping[str, Any], folder: Path) -> SeasonPlan:
    _known(table, _KEYS, "the plan")
    game = _value(table, "game", str)
    found = game_named(game)
    seats = _number(table, "seats", usual_seats(found.seats))
    if seats not in found.seats:
        raise UsageError(f'"seats": {game} has {seats_in_words(found.seats)}, not {seats}')
    config = _value(table, "config", dict, {})
    found.config(config)
    entrants = tuple(
        _entrant(entry, f"entrant {number}")
        for number, entry in enumerate(_value(table, "entrant", list, []), start=1)
    )
    if len(entrants) < 2:  # noqa: PLR2004 -- a comparison needs two
        raise UsageError("a season needs at least two entrants: [[entrant]] with a bot")
    return SeasonPlan(
        text=text,
        folder=folder,
        title=title_of(_value(table, "title", str, "")),
        game=game,
        seats=seats,
        rounds=_number(table, "rounds", 10),
        deals=_number(table, "deals", 20),
        config=config,
        budget=_budget(_value(table, "budget", dict, {})),
        entrants=entrants,
    )


def _budget(table: Mapping[str, Any]) -> Budget:
    _known(table, _BUDGET_KEYS, "budget")
    usual = Budget()
    return Budget(
        seconds=_number(table, "seconds", int(usual.seconds)),
        tokens=_number(table, "tokens", 0, least=0) if "tokens" in table else None,
        disk_mib=_number(table, "disk_mib", usual.disk_mib),
    )


def _entrant(table: object, where: str) -> Planned:
    if not isinstance(table, dict):
        raise UsageError(f"{where}: write it as a table, [[entrant]]")
    _known(table, _ENTRANT_KEYS, where)
    return Planned(
        bot=_value(table, "bot", str),
        command=_texts(table, "command", where),
        agent=_value(table, "agent", str, ""),
        trusted=_value(table, "trusted", bool, default=False),
        network=_value(table, "network", bool, default=False),
        environment=_texts(table, "environment", where),
    )


def _known(table: Mapping[str, Any], keys: set[str], where: str) -> None:
    for key in table:
        if key not in keys:
            known = ", ".join(sorted(keys))
            raise UsageError(f'{where}: unknown key "{key}"; known keys: {known}')


def _value(table: Mapping[str, Any], key: str, kind: type, default: Any = None) -> Any:
    value = table.get(key, default)
    if value is None:
        raise UsageError(f'the key "{key}" is missing')
    if type(value) is not kind:
        words = {str: "a text", dict: "a table", list: "a list", bool: "true or false"}
        raise UsageError(f'"{key}" must be {words[kind]}')
    return value


def _number(
    table: Mapping[str, Any], key: str, default: int, *, least: int = 1, most: int = 10**12
) -> int:
    value = table.get(key, default)
    if type(value) is not int or not least <= value <= most:
        raise UsageError(f'"{key}" must be a whole number from {least} to {most}')
    return value


def _texts(table: Mapping[str, Any], key: str, where: str) -> tuple[str, ...]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(
        isinstance(item, str) and item and "\0" not in item for item in value
    ):
        raise UsageError(f'{where}: "{key}" must be a list of texts, none of them empty')
    return tuple(value)
