"""The steps of a check: each plays random games and holds them to one promise."""

import os
import random
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

from referee.conformance.game_check import secrecy
from referee.conformance.game_check.promises import GameFault, GamePosition, Promise
from referee.conformance.game_check.subject import CheckedGame, Moment, digests, following, running
from referee.conformance.testing import random_record
from referee.core.spawning import spawning
from referee.games.base import IllegalAction, RulesError, plain_names
from referee.games.choice import Choice
from referee.games.plain.adapter import AdaptedGame, AdaptedState
from referee.games.randomness import Stream
from referee.match.verify import verify
from referee.wire import codec_named
from referee.wire.envelope import LARGEST_REFEREE_MESSAGE
from referee.wire.round_trip import action_back, config_back, deal_back

_MOST_TRIED = 12
"""Legal actions applied per position."""
_MOST_LISTED = 3_000
"""Positions with more legal actions skip the test that all others are refused."""
_MOST_OPTIONS = 250
_STRANGE = 60
_HASH_SEEDS = "1", "2"
_LONGEST_GAME = 100_000
"""Decisions of a game that is still worth waiting for."""


class GameStep(NamedTuple):
    """One step: it returns a note, and raises `GameFault`, or `SkippedStep`."""

    promise: Promise
    title: str
    attempt: Callable[[CheckedGame], str]


class SkippedStep(Exception):  # noqa: N818 no error
    """There is nothing to test."""


def ends(subject: CheckedGame) -> str:
    """Require that every game ends in time, and that nothing is legal afterwards."""
    longest = 0
    for seats, seed in subject.tables():
        longest = max(longest, _length(subject, seats, seed, subject.random_game))
    for seats in subject.game.seats:
        longest = max(longest, _length(subject, seats, "check 0", subject.stubborn_game))
    return f"at most {longest} decisions"


def _length(
    subject: CheckedGame, seats: int, seed: str, play: Callable[[int, str], Iterator[Moment]]
) -> int:
    """Return how many decisions a game takes."""
    position = subject.first(seats, subject.deal(seats, seed))
    with running(position):
        most = subject.game.most_decisions(subject.config(), seats)
    for moment in play(seats, seed):
        position = following(moment)
        if len(position.played) > min(most, _LONGEST_GAME):
            raise GameFault(Promise.ENDS, f"the game goes on after {most} decisions", position)
    with running(position):
        if list(islice(position.state.legal_actions(), 1)):
            raise GameFault(Promise.ENDS, "a finished game has options", position)
    return len(position.played)


def same(subject: CheckedGame) -> str:
    """Require the same game from the same seed, without Python's own chance."""
    config, games = subject.config(), 0
    for seats, seed in subject.tables():
        before = random.getstate()
        if subject.deal(seats, seed) != subject.deal(seats, seed):
            raise GameFault(Promise.SEED, f"one seed gives two deals with {seats} seats")
        once, again = _play(subject, seats, seed), _play(subject, seats, seed)
        _compare(subject, Promise.SEED, seats, seed, once, again, "played a second time")
        if random.getstate() != before:
            raise GameFault(Promise.SEED, "the game uses Python's `random`, not the stream")
        games += 1
    if subject.config() != config:
        raise GameFault(Promise.FROZEN, "the configuration has changed")
    return f"{games} games twice"


def _play(subject: CheckedGame, seats: int, seed: str) -> list[str]:
    return digests(subject.name, subject.settings, seats, seed)


def _compare(
    subject: CheckedGame,
    promise: Promise,
    seats: int,
    seed: str,
    once: Sequence[str],
    again: Sequence[str],
    when: str,
) -> None:
    """Raise `GameFault` at the first position where two plays of a game differ."""
    if once == again:
        return
    pairs = zip(once, again, strict=False)
    number = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(once), len(again)))
    if number == 0:
        raise GameFault(promise, f"{when}, one seed gives another deal with {seats} seats")
    position = subject.first(seats, subject.deal(seats, seed))
    for moment in islice(subject.random_game(seats, seed), number - 1):
        position = following(moment)
    raise GameFault(promise, f"{when}, the same actions lead to another position", position)


def every_process(subject: CheckedGame) -> str:
    """Require that new processes with other hash seeds play the same."""
    seed = "check 0"
    for hash_seed in _HASH_SEEDS:
        with (
            _hash_seed(hash_seed),
            ProcessPoolExecutor(1, mp_context=spawning()) as pool,
        ):
            for seats in subject.game.seats:
                here = _play(subject, seats, seed)
                try:
                    there = pool.submit(_play_there, subject, seats, seed).result()
                except (RulesError, BrokenProcessPool) as error:
                    what = f"in another process, the game fails: {error}"
                    raise GameFault(Promise.PROCESS, what) from error
                when = "in another process"
                _compare(subject, Promise.PROCESS, seats, seed, here, there, when)
    return f"{len(_HASH_SEEDS)} processes"


def _play_there(subject: CheckedGame, seats: int, seed: str) -> list[str]:
    """Play in a child process, which cannot send a fault with its position."""
    try:
        return _play(subject, seats, seed)
    except GameFault as fault:
        raise RulesError(str(fault)) from None


@contextmanager
def _hash_seed(seed: str) -> Iterator[None]:
    """Start children with this seed of `hash` in this block."""
    before = os.environ.get("PYTHONHASHSEED")
    os.environ["PYTHONHASHSEED"] = seed
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONHASHSEED"]
        else:
            os.environ["PYTHONHASHSEED"] = before


def options(subject: CheckedGame) -> str:
    """Require that just the legal actions apply, and that options lead to them."""
    tried, most = 0, 0
    for seats, seed in subject.tables():
        stream, strange = Stream(seed, "options"), list[Any]()
        for moment in subject.random_game(seats, seed):
            with running(moment.position):
                legal = moment.position.state.legal_actions()
                if not legal:
                    raise GameFault(
                        Promise.OPTIONS, "the seat to act has no option", moment.position
                    )
                some = _some(legal, stream)
                for action in some:
                    _applies(moment.position, action)
                    most = max(most, _steps_to(moment.position, action))
                if len(legal) <= _MOST_LISTED:
                    _refuses(moment.position, list(legal), strange)
            strange = [*strange, *some[:2], moment.action][-_STRANGE:]
            tried += len(some)
    note = f"{tried} actions, at most {most} options at once"
    return f"{note}: ask in steps, with a Choice" if most > _MOST_OPTIONS else note


def _some(legal: Any, stream: Stream) -> list[Any]:
    if len(legal) <= _MOST_TRIED:
        return list(legal)
    return [legal[stream.below(len(legal))] for _ in range(_MOST_TRIED)]


def _applies(position: GamePosition, action: Any) -> None:
    try:
        position.state.check(action)
    except IllegalAction as error:
        raise GameFault(Promise.OPTIONS, f"an option is refused: {error}", position) from error
    position.state.apply(action)


def _steps_to(position: GamePosition, action: Any) -> int:
    """Walk the options that lead to an action; return the most options of a step."""
    state, names = position.state, plain_names(position.seats)
    step: Any = position.game.choice(state.observation(state.to_act or 0), state.legal(), names)
    most = 0
    try:
        for index in step.path(action):
            most = max(most, len(step.options))
            labels = {option.label for option in step.options}
            if len(labels) < len(step.options):
                raise GameFault(Promise.OPTIONS, "two options have one label", position)
            step = step.take(index)
    except ValueError as error:
        raise GameFault(
            Promise.OPTIONS, f"no option leads to an action: {error}", position
        ) from error
    if isinstance(step, Choice):
        raise GameFault(Promise.OPTIONS, "the options lead to no action", position)
    return most


def _refuses(position: GamePosition, legal: Sequence[Any], strange: Sequence[Any]) -> None:
    for action in strange:
        if action not in legal:
            try:
                position.state.check(action)
            except IllegalAction as error:
                if str(error):
                    continue
                raise GameFault(
                    Promise.OPTIONS, f"{action} is refused without a reason", position
                ) from error
            raise GameFault(Promise.OPTIONS, f"what is no option is taken: {action}", position)


def frozen(subject: CheckedGame) -> str:
    """Require that states, deal and configuration stay as they are."""
    positions = 0
    for seats, seed in subject.tables():
        config, deal = subject.config(), subject.deal(seats, seed)
        copies = deepcopy((config, deal))
        kept = [*_unchanged(subject, subject.first(seats, deal), Stream(seed, "frozen"))]
        for position, before in kept:
            _same_still(subject, position, before, "later decisions change an earlier state")
        if (config, deal) != copies:
            raise GameFault(Promise.FROZEN, f"deal or configuration change with {seats} seats")
        positions += len(kept)
    return f"{positions} positions"


def _unchanged(
    subject: CheckedGame, position: GamePosition, stream: Stream
) -> Iterator[tuple[GamePosition, str]]:
    """Yield the positions of a random game, each as it was before anything is applied."""
    with running(position):
        pieces = position.state.pieces()
    while position.state.to_act is not None:
        before = _whole(subject, position)
        try:
            with running(position):
                for action in _some(position.state.legal_actions(), stream):
                    after, _ = position.state.apply(action)
        finally:
            _same_still(subject, position, before, "`apply` changes the state")
        yield position, before
        position = position._replace(state=after, played=(*position.played, action))
        if position.state.pieces() != pieces:
            raise GameFault(Promise.FROZEN, "a piece is lost or added", position)


def _whole(subject: CheckedGame, position: GamePosition) -> str:
    """Return all that a state shows of itself."""
    return subject.digest(position) + repr(position.state)


def _same_still(subject: CheckedGame, position: GamePosition, before: str, otherwise: str) -> None:
    if isinstance(position.state, AdaptedState):  # what it has asked once it must ask again
        position = position._replace(state=replace(position.state))
    try:
        same = _whole(subject, position) == before
    except GameFault:
        same = False
    if not same:
        raise GameFault(Promise.FROZEN, otherwise, position)


def results(subject: CheckedGame) -> str:
    """Require points and a rank of each seat."""
    ties = games = 0
    for seats, seed in subject.tables():
        position = subject.first(seats, subject.deal(seats, seed))
        for moment in subject.random_game(seats, seed):
            position = following(moment)
        with running(position):
            state = position.state
            points, ranks = state.scores(), state.ranks()
            codec_named(subject.name).encode_result(state.result())
            if (points, ranks) != (state.scores(), state.ranks()):
                raise GameFault(Promise.RANKS, "points or ranks differ the second time", position)
        if len(points) != seats or list(ranks) != _shared(ranks):
            what = f"the points are {points} and the ranks {ranks} with {seats} seats"
            raise GameFault(Promise.RANKS, what, position)
        ties += len(set(ranks)) < seats
        games += 1
    return f"{games} games, {ties} with ties"


def _shared(ranks: Sequence[int]) -> list[int]:
    return [1 + sum(other < own for other in ranks) for own in ranks]


def messages(subject: CheckedGame) -> str:
    """Require that all values travel and come back."""
    codec, config, largest = codec_named(subject.name), subject.config(), 0
    sent = config_back(codec, config)
    if subject.game.config(sent) != config:
        raise GameFault(Promise.MESSAGES, f"the configuration comes back as {sent}")
    for seats, seed in subject.tables():
        deal, lengths = subject.deal(seats, seed), set[int]()
        if deal_back(codec, deal) != deal:
            raise GameFault(Promise.MESSAGES, f"the deal with {seats} seats comes back as another")
        for moment in subject.random_game(seats, seed):
            before = moment.position
            if action_back(codec, moment.action) != moment.action:
                raise GameFault(Promise.MESSAGES, "an action comes back as another", before)
            largest = max(largest, _largest(subject, before, lengths))
            for seat in range(seats):
                subject.events_for(moment, seat)
    return f"at most {largest:,} bytes"


def _largest(subject: CheckedGame, position: GamePosition, lengths: set[int]) -> int:
    """Return the size of the largest message at a position; `lengths` are those of features."""
    legal, largest = subject.legal(position), 0
    for seat in range(position.seats):
        seen = subject.seen(position, seat)
        largest = max(largest, len(seen) + len(legal))
        with running(position):
            lengths.add(len(position.game.features(position.state.observation(seat))))
    if len(lengths) > 1:
        what = f"features have once {min(lengths)} and once {max(lengths)} numbers"
        raise GameFault(Promise.MESSAGES, what, position)
    if largest > LARGEST_REFEREE_MESSAGE // 2:
        raise GameFault(Promise.MESSAGES, f"a request has {largest:,} bytes", position)
    return largest


def views(subject: CheckedGame) -> str:
    """Require the same views, options and events in worlds that a seat cannot tell apart."""
    tally = secrecy.check(subject)
    game = subject.game
    if isinstance(game, AdaptedGame):
        for leak in game.plain.leaks(game.seats[0]):
            raise GameFault(Promise.VIEW, leak)
    if not tally.worlds:
        raise SkippedStep("the game has no redraw, so its secrecy is unknown")
    if not tally.other:
        return f"{tally.worlds} worlds: redraw changes nothing that another seat sees"
    return f"{tally.worlds} worlds"


def record(subject: CheckedGame) -> str:
    """Require that records of random games verify."""
    numbers = subject.game.seats
    for seats in numbers:
        with running():
            played = random_record(subject.name, seats, "check", subject.settings)
            problems = verify(played)
        if problems:
            raise GameFault(Promise.RECORD, f"with {seats} seats: {problems[0]}")
    return f"with {', '.join(map(str, numbers))} seats"


def speed(subject: CheckedGame) -> str:
    """Measure decisions a second, each with a view and the options."""
    decisions, began = 0, time.process_time()
    for seats, seed in subject.tables():
        for moment in subject.random_game(seats, seed):
            subject.seen(moment.position, 0)
            subject.legal(moment.position)
            decisions += 1
    taken = time.process_time() - began
    return f"{decisions / max(taken, 1e-6):,.0f} decisions/s"


STEPS = (
    GameStep(Promise.ENDS, "random games end", ends),
    GameStep(Promise.SEED, "plays the same again", same),
    GameStep(Promise.PROCESS, "plays the same in other processes", every_process),
    GameStep(Promise.FROZEN, "changes no state", frozen),
    GameStep(Promise.OPTIONS, "takes its options", options),
    GameStep(Promise.RANKS, "gives points and ranks", results),
    GameStep(Promise.MESSAGES, "sends and takes back", messages),
    GameStep(Promise.VIEW, "keeps secrets", views),
    GameStep(Promise.RECORD, "records matches", record),
    GameStep(Promise.SPEED, "takes its time", speed),
)
