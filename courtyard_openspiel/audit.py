"""Looks for what an OpenSpiel game tells a seat that it may not know.

Two ways to find a pair of worlds that a seat must not tell apart:

- `ResampleFromInfostate`, where a game implements it: another world that the rules call possible.
  What the seat is sent, texts, tensor and options, has to be the same there.
- Twins, for every game: one outcome of chance, or one decision of another seat, is changed, and
  both worlds go on with the same actions while they can. As long as everything shown to the seat
  has been the same in both, it has to be asked the same, in the same words. When a view first
  differs, rules may want that (a showdown) or not: no program can tell. So `Audit.reveals` counts
  by what it happened, for a person to read.
"""

import difflib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from courtyard_openspiel.game import OpenSpielGame, OpenSpielState
from referee.games.plain import Seat, Stream

_CHANCE = -1
_WORLDS = 3
"""Worlds drawn for each seat at each position looked at."""
_POSITIONS = 4
"""Positions of a game at which worlds are drawn, and those after what has been seen rarely."""
_MANY_WORLDS = 40
"""Worlds drawn where few have all been the same."""
_TRIES = 20
"""Changes tried to find another world."""
_ENOUGH = 40
"""A kind of action is rare until this number of positions after it have been looked at."""
_CURIOUS = 3
"""One decision in this number takes what has been taken most rarely."""
_MOST_WEIGHED = 30
"""Actions that are weighed for that."""
_TWINS = 4
"""Twins made for each seat of a game."""
_STRUCTS = ("gin_rummy", "hearts")
"""Games with OpenSpiel's observation struct, which no bot is sent."""
_LONGEST = 3_000
"""Steps of a game that are looked at."""


Path = list[tuple[Any, int | None]]
"""Each node of a game from its start, with the action taken there."""


class Finding(NamedTuple):
    """What is wrong, once for each kind of place."""

    what: str
    seat: Seat
    history: tuple[int, ...]
    """Actions of OpenSpiel's, chance included, that lead there."""
    other: tuple[int, ...] = ()
    """The same for the other world."""
    shown: str = ""
    """The first lines that differ."""


@dataclass
class Audit:
    """What was looked at, and what was found."""

    redraws: int = 0
    several: int = 0
    """Positions where redrawing gave more than one world."""
    proofs: int = 0
    """Positions where it did not at first, and another world was found."""
    twins: int = 0
    compared: int = 0
    """Positions that were compared in twins before the seat could tell them apart."""
    asked: int = 0
    """Of these, positions where the seat was asked."""
    findings: dict[tuple[str, str], Finding] = field(default_factory=dict)
    reveals: Counter[str] = field(default_factory=Counter)

    def add(self, finding: Finding) -> None:
        """Keep the first finding of its kind."""
        kind = (
            ""
            if finding.what.startswith("the tensor")
            else re.sub(r"\W*\d+\W*", "#", finding.shown)
        )
        self.findings.setdefault((finding.what, kind), finding)


class Seen(NamedTuple):
    """What a seat is shown."""

    text: tuple[str, ...]
    features: tuple[float, ...]


def audit(game: OpenSpielGame, seats: int, games: int) -> Audit:
    """Play random games; look at worlds that a seat must not tell apart."""
    found, explorer = Audit(), _Explorer(game)
    for number in range(games):
        stream = Stream(f"audit {number}")
        path = list(explorer.path(seats, stream))
        if game.redraws:
            for index in explorer.chosen(path, stream):
                _redraw(game, path, index, stream, found)
        for seat in range(seats):
            for _ in range(_TWINS):
                _try_twins(game, path, seat, stream, found)
    if found.proofs and not found.several:
        found.add(Finding("one world is resampled for ever, and another looks the same", 0, ()))
    return found


class _Explorer:
    """Plays at random, but takes often what it has rarely taken, so that rare phases are seen."""

    def __init__(self, game: OpenSpielGame) -> None:
        self._game = game
        self._taken = Counter[str]()
        self._looked = Counter[str]()

    def path(self, seats: int, stream: Stream) -> Iterator[tuple[Any, int | None]]:
        """Yield each node of a game, with the action taken."""
        node = self._game.game_for(seats, stream.below(1 << 31)).new_initial_state()
        for _ in range(_LONGEST):
            if node.is_terminal():
                yield node, None
                return
            action = self._action(node, stream)
            yield node, action
            node = node.child(action)

    def _action(self, node: Any, stream: Stream) -> int:
        legal = _legal(node)
        action = stream.choice(legal)
        if not node.is_chance_node() and not stream.below(_CURIOUS):
            some = stream.shuffled(legal)[:_MOST_WEIGHED]
            action = min(some, key=lambda each: self._taken[_what(node, each, 0)])
        self._taken[_what(node, action, 0)] += 1
        return action

    def chosen(self, path: Path, stream: Stream) -> list[int]:
        """Return the indices of some positions of a game, among them those after what is rare."""
        rare, before = [], ""
        decisions = [index for index, (node, _) in enumerate(path) if node.is_player_node()]
        for index, (node, action) in enumerate(path):
            if node.is_player_node() and self._looked[before] < _ENOUGH:
                self._looked[before] += 1
                rare.append(index)
            before = "" if action is None else _what(node, action, 0)
        return rare + [stream.choice(decisions) for _ in range(_POSITIONS if decisions else 0)]


def _legal(node: Any) -> list[int]:
    if node.is_chance_node():
        return [action for action, _ in node.chance_outcomes()]
    return list(node.legal_actions())


def _state(game: OpenSpielGame, node: Any) -> OpenSpielState:
    return OpenSpielState(game, node, "")


def _seen(game: OpenSpielGame, node: Any, seat: Seat) -> Seen:
    view = _state(game, node).view(seat)
    return Seen(tuple(view.text), tuple(view.features))


def _redraw(game: OpenSpielGame, path: Path, index: int, stream: Stream, found: Audit) -> None:
    node = path[index][0]
    for seat in range(node.num_players()):
        worlds = _worlds(game, node, seat, stream, _WORLDS)
        found.redraws += len(worlds)
        if len(set(map(str, worlds))) > 1:
            found.several += 1
        elif worlds:
            _prove_constant(game, path, index, seat, stream, found)
        for world in worlds:
            _compare_redrawn(game, node, world, seat, found)


def _worlds(game: OpenSpielGame, node: Any, seat: Seat, stream: Stream, number: int) -> list[Any]:
    drawn = [_state(game, node).redraw(seat, stream) for _ in range(number)]
    return [state.node for state in drawn if state is not None]


def _prove_constant(
    game: OpenSpielGame, path: Path, index: int, seat: Seat, stream: Stream, found: Audit
) -> None:
    """Find out whether there is another world where always the same is drawn."""
    node = path[index][0]
    other = _another(game, path, index, seat, stream)
    if other is None:
        return
    found.proofs += 1
    worlds = set(map(str, _worlds(game, node, seat, stream, _MANY_WORLDS)))
    found.several += len(worlds) > 1
    if worlds == {str(node)}:
        what = "always the true world is resampled, and another looks the same"
        shown = f"after {_before(path, index, seat)}"
        found.add(Finding(what, seat, tuple(node.history()), tuple(other.history()), shown))


def _before(path: Path, index: int, seat: Seat) -> str:
    node, action = path[index - 1]
    return "" if action is None else _what(node, action, seat)


def _another(game: OpenSpielGame, path: Path, index: int, seat: Seat, stream: Stream) -> Any | None:
    """Return a world that has looked to the seat like the true one at each step; None if unknown.

    One outcome of chance, or one decision of another seat, is changed; what comes later is the
    same, or as it is with the two actions exchanged.
    """
    for _ in range(_TRIES):
        start = stream.below(index)
        node, action = path[start]
        if node.current_player() == seat:
            continue
        changed = stream.choice(_legal(node))
        if changed == action:
            continue
        world = node.child(changed)
        exchanged = {changed: action, action: changed}
        for true, taken in path[start + 1 : index + 1]:
            if not _looks_like(game, world, true, seat):
                break
            if true is path[index][0]:
                return world if str(world) != str(true) else None
            choices = (taken,) if true.current_player() == seat else (taken, exchanged.get(taken))
            legal = _legal(world)
            following = next((each for each in choices if each in legal), None)
            if following is None:
                break
            world = world.child(following)
    return None


def _looks_like(game: OpenSpielGame, world: Any, true: Any, seat: Seat) -> bool:
    if world.is_terminal() or world.current_player() != true.current_player():
        return False
    return bool(true.is_chance_node()) or _seen(game, world, seat) == _seen(game, true, seat)


def _compare_redrawn(game: OpenSpielGame, node: Any, world: Any, seat: Seat, found: Audit) -> None:
    one, other = _seen(game, node, seat), _seen(game, world, seat)
    acting = node.current_player() == seat
    at = Finding("", seat, tuple(node.history()), tuple(world.history()))
    if one.text != other.text:
        shown = _difference(one.text, other.text)
        found.add(at._replace(what="the text differs in a resampled world", shown=shown))
    elif one.features != other.features:
        shown = _numbers(one.features, other.features)
        found.add(at._replace(what="the tensor differs in a resampled world", shown=shown))
    elif (world.current_player() == seat) != acting:
        found.add(at._replace(what="whose turn it is differs in a resampled world"))
    elif acting and _state(game, node).labels != _state(game, world).labels:
        shown = _difference(_labels(game, node), _labels(game, world))
        found.add(at._replace(what="the options differ in a resampled world", shown=shown))


def _labels(game: OpenSpielGame, node: Any) -> tuple[str, ...]:
    return tuple(_state(game, node).labels.values())


def _difference(one: tuple[str, ...], other: tuple[str, ...]) -> str:
    changed = [line for line in difflib.ndiff(one, other) if line.startswith(("- ", "+ "))]
    return "; ".join(changed[:4])[:300]


def _numbers(one: tuple[float, ...], other: tuple[float, ...]) -> str:
    differ = [
        (index, *pair)
        for index, pair in enumerate(zip(one, other, strict=True))
        if pair[0] != pair[1]
    ]
    return ", ".join(
        f"number {index} is {here:g}, not {there:g}" for index, here, there in differ[:3]
    )


@dataclass(frozen=True)
class _Twins:
    """Two worlds that a seat has not been able to tell apart."""

    one: Any
    other: Any
    swap: tuple[int, int]
    """The action taken in the one where they part, and that in the other."""
    last: str = ""
    """What happened last."""


def _try_twins(
    game: OpenSpielGame,
    path: Path,
    seat: Seat,
    stream: Stream,
    found: Audit,
) -> None:
    """Change one thing that the seat does not do itself, and go on in both worlds."""
    node, action = stream.choice(path)
    if action is None or node.current_player() == seat:
        return
    others = [each for each in _legal(node) if each != action]
    if not others:
        return
    changed = stream.choice(others)
    twins: _Twins | None = _Twins(
        node.child(action), node.child(changed), (action, changed), _what(node, action, seat)
    )
    found.twins += 1
    for _ in range(_LONGEST):
        if twins is None:
            return
        twins = _next(game, twins, seat, stream, found)


def _struct(node: Any, seat: Seat) -> str:
    return str(node.to_observation_struct(seat).to_json())


def _next(
    game: OpenSpielGame, twins: _Twins, seat: Seat, stream: Stream, found: Audit
) -> _Twins | None:
    """Return the twins one step further; None when the seat can tell them apart, or at the end."""
    one, other = twins.one, twins.other
    if one.is_terminal() or other.is_terminal():
        return None
    if one.is_player_node() and other.is_player_node() and not _are_alike(game, twins, seat, found):
        return None
    alone = _who_goes_alone(one, other, seat)
    if alone == "one":
        return replace(twins, one=one.child(stream.choice(_legal(one))))
    if alone == "other":
        return replace(twins, other=other.child(stream.choice(_legal(other))))
    action = stream.choice(_legal(one))
    legal = _legal(other)
    same = next((each for each in (action, *twins.swap) if each in legal), None)
    there = stream.choice(legal) if same is None else same
    last = _what(one, action, seat)
    return replace(twins, one=one.child(action), other=other.child(there), last=last)


def _who_goes_alone(one: Any, other: Any, seat: Seat) -> str:
    """Return which world goes on alone: that at chance, or that where the seat must wait."""
    for apart in (_CHANCE, seat):
        turns = one.current_player() == apart, other.current_player() == apart
        if turns[0] != turns[1]:
            return "one" if turns[0] == (apart == _CHANCE) else "other"
    return ""


def _are_alike(game: OpenSpielGame, twins: _Twins, seat: Seat, found: Audit) -> bool:
    """Whether the seat is shown the same in both; it then has to be asked the same."""
    one, other = _seen(game, twins.one, seat), _seen(game, twins.other, seat)
    at = Finding("", seat, tuple(twins.one.history()), tuple(twins.other.history()))
    if one != other:
        if one.text == other.text:
            shown = f"{_numbers(one.features, other.features)} after {twins.last}"
            found.add(at._replace(what="the tensor tells more than all texts", shown=shown))
        found.reveals[twins.last] += 1
        return False
    found.compared += 1
    if game.found.name in _STRUCTS:
        struct, another = _struct(twins.one, seat), _struct(twins.other, seat)
        if struct != another:
            what = "the observation struct tells more than text and tensor"
            found.add(at._replace(what=what, shown=f"after {twins.last}"))
    if seat == twins.one.current_player() == twins.other.current_player():
        found.asked += 1
        here, there = _labels(game, twins.one), _labels(game, twins.other)
        if here != there:
            shown = _difference(here, there)
            found.add(at._replace(what="the options tell more than all views", shown=shown))
            return False
    return True


def _what(node: Any, action: int, seat: Seat) -> str:
    """Return who did what, without numbers."""
    player = node.current_player()
    who = "chance" if player == _CHANCE else "the seat itself" if player == seat else "another seat"
    label = " ".join(node.action_to_string(player, action).split())
    return f"{who}: {re.sub(r'[0-9]+', '#', label)[:40]}"
