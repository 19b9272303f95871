"""The proof that nothing hidden reaches a seat, for any game.

Theory of operation. A random game is played through `Match`, and everything sent to each seat is
kept with the moment at which it was sent. Then, for each message to a seat, the game's `redraw`
draws another world: all that the seat may know by then is the same, all else is drawn anew. The
same match is played in that world up to the same message. The seat itself replies with the same
bytes; the others do what they did, with the cards that they have there. If any byte that the seat
is sent differs, something that it may not know has reached it: `LeakError`. A world is compared by
all messages to the seat up to its own; so in a long match some messages, chosen at random, do.

Held fixed is the commitment to the deal: it must depend on the deal, and its nonce hides how. Drawn
anew beside the game's own secrets are the master seed and, for the other seats, how long they
thought and the reasons of their faults. In the plain dialect a decision takes several requests, all
of which are compared. At each of its decisions the seat also tries illegal
actions of every kind, since the reasons that it would be told are bytes too.

A game joins with a `Secrets` and some planted leaks in `secrets_of_games.py`.
"""

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from courtyard.v1 import game_pb2, referee_pb2
from google.protobuf import text_format

from referee.core.faults import Fault, FaultKind
from referee.games import game_named
from referee.games.base import Course, IllegalAction, Seat, State
from referee.games.randomness import Stream
from referee.match.match import Decided, Match, MatchSetup
from referee.wire import codec_named, envelope

_COMMITMENT = bytes(range(32))
_CARE = (12, 40, 1000)
"""Decisions for each fault; a game has one of these rates."""


class LeakError(AssertionError):
    """A seat was sent different bytes in two worlds that it cannot tell apart."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back from a seat that was due."""

    answer: bytes | Fault
    elapsed_us: int


@dataclass(frozen=True, slots=True)
class Told:
    """A message to a seat."""

    seat: Seat
    body: Literal["request", "fault", "end"]
    payload: bytes
    decisions: int
    """How many decisions had been made."""
    state: State
    """The truth then."""


@dataclass(frozen=True, slots=True)
class Played:
    """A match that was played to its end, with what everybody was told and replied."""

    setup: MatchSetup
    deal: Any
    decisions: Sequence[Decided]
    replies: Mapping[tuple[int, int], Reply]
    """By the number of decisions made before, and the step; stand-ins are not asked."""
    told: Sequence[Told]
    plain: bool
    """Whether all bots speak the plain dialect."""


class Secrets(Protocol):
    """What the proof must know of a game."""

    game: str
    configs: Sequence[Mapping[str, Any]]
    """The configurations to play with."""
    worlds: int
    """For how many messages of a match, at most, a world is drawn."""
    hidden_kinds: frozenset[str]
    """All kinds of things that `hidden` can tell of."""
    illegal_kinds: frozenset[str]
    """All kinds of actions that `illegal` can make."""

    def hidden(self, told: Told) -> Mapping[str, Any]:
        """Return what is hidden from the seat when it is told this, by kind, fit to compare."""

    def illegal(self, state: State, stream: Stream) -> Mapping[str, game_pb2.GameAction]:
        """Return illegal actions of the seat to act, by kind; not every kind fits every state."""


def action_message(game: str, action: Any) -> game_pb2.GameAction:
    """The message of an action."""
    return game_pb2.GameAction.FromString(codec_named(game).encode_action(action))


def random_match(
    secrets: Secrets, seats: int, config: Mapping[str, Any], seed: str, *, plain: bool = False
) -> Played:
    """Play a random game; in most of them seats break rules now and then, or have no bot."""
    stream = Stream(seed, "what happens")
    setup = MatchSetup(
        match_id="a match",
        game=secrets.game,
        seats=seats,
        master_seed=seed,
        config=config,
        without_bot=frozenset(seat for seat in range(seats) if not stream.below(12)),
    )
    game = game_named(secrets.game)
    deal = game.deal(game.config(config), seats, Stream(seed, "deal"))
    match = Match(setup, deal=deal, commitment=_COMMITMENT)
    match.use_plain_dialect(range(seats) if plain else ())
    replies: dict[tuple[int, int], Reply] = {}
    care = stream.choice(_CARE)

    def reply(match: Match) -> Reply:
        came = _sound(match, stream) if stream.below(care) else _faulty(secrets, match, stream)
        replies[_place(match)] = came
        return came

    told = list(_conversation(match, reply))
    return Played(setup, deal, match.decisions, replies, told, plain)


def check(secrets: Secrets, played: Played) -> None:
    """Raise `LeakError` if any message of a match tells its seat what it may not know."""
    stream = Stream(played.setup.master_seed, "other worlds")
    for told in tried_of(secrets, played, stream):
        there = tell_elsewhere(secrets, played, told, stream)
        if told.body == "request":
            _compare_refusals(secrets, told, there, stream)


def tried_of(secrets: Secrets, played: Played, stream: Stream) -> Sequence[Told]:
    """The messages of a match for which worlds are drawn: all, or some at random."""
    if len(played.told) <= secrets.worlds:
        return played.told
    return stream.shuffled(played.told)[: secrets.worlds]


def redrawn(played: Played, told: Told, stream: Stream) -> Course:
    """Draw another world that the seat, when it is told this, cannot tell apart from this one."""
    game = game_named(played.setup.game)
    assert game.redraw is not None
    actions = [decided.action for decided in played.decisions[: told.decisions]]
    config = game.config(played.setup.config)
    return game.redraw(config, Course(played.deal, actions), told.seat).course(stream)


def tell_elsewhere(secrets: Secrets, played: Played, told: Told, stream: Stream) -> Told:
    """Play a match up to one message in another world; return the message there.

    Raises `LeakError` if the seat can tell the two worlds apart by this message or an earlier one.
    """
    world = redrawn(played, told, stream)
    script = [
        (decided.seat, action)
        for action, decided in zip(world.actions, played.decisions, strict=False)
        if decided.stand_in
    ]
    script.reverse()

    def stand_in(state: State, seat: Seat) -> Any:
        if not script:  # beyond the moment of the world nothing is compared any more
            return state.random_action(stream)
        due, action = script.pop()
        _check_course(state, action, is_due=seat == due)
        return action

    match = Match(
        replace(played.setup, master_seed=stream.bytes(8).hex()),
        deal=world.deal,
        commitment=_COMMITMENT,
        stand_in=stand_in,
    )
    match.use_plain_dialect(range(match.setup.seats) if played.plain else ())
    conversation = _conversation(match, _same_again(played, world, told.seat, stream))
    theirs = (there for there in conversation if there.seat == told.seat)
    for here in played.told:
        if here.seat == told.seat:
            there = next(theirs)  # at the latest the end
            _compare(here, there)
            if here is told:
                break
    return there


def _conversation(match: Match, reply: Callable[[Match], Reply]) -> Iterator[Told]:
    """Play a match; yield each message before anything follows from it."""
    while (due := match.due) is not None:
        made = len(match.decisions)
        yield Told(due.seat, "request", due.payload, made, match.state)
        came = reply(match)
        if isinstance(came.answer, Fault):
            fault: Fault | None = came.answer
            match.forfeit(came.answer, came.elapsed_us)
        else:
            fault = match.answer(came.answer, came.elapsed_us)
        if fault is not None:
            message = envelope.fault_notice(match.setup.match_id, fault)
            yield Told(due.seat, "fault", message, made + 1, match.state)
    for seat, ending in enumerate(match.endings()):
        yield Told(seat, "end", ending, len(match.decisions), match.state)


def _same_again(
    played: Played, world: Course, seat: Seat, stream: Stream
) -> Callable[[Match], Reply]:
    """Reply in another world as in this one: a seat byte for byte, the others in effect."""

    def reply(match: Match) -> Reply:
        made = len(match.decisions)
        assert match.due is not None
        decided = played.decisions[made] if (made, 0) in played.replies else None
        if decided is None or match.due.seat != decided.seat:
            raise LeakError(f"after {made} decisions another seat is due in another world")
        if decided.seat == seat:
            return played.replies[_place(match)]
        elapsed_us = stream.below(50_000)
        if decided.fault is not None:
            fault = Fault(decided.fault.kind, "some other reason", exit_code=stream.below(9))
            return Reply(fault, elapsed_us)
        _check_course(match.state, world.actions[made], is_due=True)
        action = world.actions[made]
        if match.step is not None:
            return Reply(_choice(match, match.step.path(action)[0]), elapsed_us)
        return Reply(_decision(match, action_message(match.setup.game, action)), elapsed_us)

    return reply


def _place(match: Match) -> tuple[int, int]:
    """Where a match is: the number of decisions made, and the step of the one to make."""
    assert match.due is not None
    request = referee_pb2.RefereeMessage.FromString(match.due.payload).request
    return len(match.decisions), request.plain.step


def _check_course(state: State, action: Any, *, is_due: bool) -> None:
    """Raise `LeakError` unless the game in another world takes the same course."""
    if not is_due:
        raise LeakError("a stand-in decides for another seat in another world")
    try:
        state.check(action)
    except IllegalAction as error:
        raise LeakError(f"what is legal in this world is refused in another: {error}") from None


def _decision(match: Match, action: game_pb2.GameAction) -> bytes:
    """The message by which the due seat decides so."""
    assert match.due is not None
    number = referee_pb2.RefereeMessage.FromString(match.due.payload).request.number
    message = referee_pb2.Decision(number=number, action=action)
    return referee_pb2.BotMessage(
        match_id=match.setup.match_id, decision=message
    ).SerializeToString()


def _choice(match: Match, choice: int) -> bytes:
    """The message by which the due seat chooses an option."""
    assert match.due is not None
    number = referee_pb2.RefereeMessage.FromString(match.due.payload).request.number
    return envelope.choice_answer(match.setup.match_id, number, choice)


def _sound(match: Match, stream: Stream) -> Reply:
    """A random legal action, or a random option, in time."""
    if match.step is not None:
        choice = stream.below(len(match.step.options))
        return Reply(_choice(match, choice), stream.below(50_000))
    action = action_message(match.setup.game, match.state.random_action(stream))
    return Reply(_decision(match, action), stream.below(50_000))


def _faulty(secrets: Secrets, match: Match, stream: Stream) -> Reply:
    """An illegal action, a message that is not due, an answer too late, or none at all."""
    assert match.due is not None
    illegal = (
        _decision(match, stream.choice([*secrets.illegal(match.state, stream).values()]))
        if match.step is None
        else _choice(match, len(match.step.options))
    )
    late = match.due.allowed_us + 1 + stream.below(10_000)
    return stream.choice(
        (
            Reply(illegal, 1),
            Reply(stream.choice((b"", b"\xff", bytes(envelope.LARGEST_BOT_MESSAGE + 1))), 1),
            Reply(_sound(match, stream).answer, late),
            Reply(Fault(FaultKind.DISCONNECTED, "its process ended", exit_code=1), 5),
        )
    )


def _compare(here: Told, there: Told) -> None:
    if here.payload != there.payload:
        one, other = (_readable(told.payload) for told in (here, there))
        lines = difflib.unified_diff(one, other, "here", "in another world", lineterm="", n=2)
        heading = f"seat {here.seat} can tell two worlds apart after {here.decisions} decisions:"
        raise LeakError("\n".join((heading, *lines)))


def _readable(payload: bytes) -> list[str]:
    message = referee_pb2.RefereeMessage.FromString(payload)
    return text_format.MessageToString(message, print_unknown_fields=True).splitlines()


def _compare_refusals(secrets: Secrets, here: Told, there: Told, stream: Stream) -> None:
    for kind, action in secrets.illegal(here.state, stream).items():
        one, other = (refusal(secrets.game, told.state, action) for told in (here, there))
        if one != other:
            raise LeakError(
                f"seat {here.seat} can tell two worlds apart after {here.decisions} decisions, by "
                f"trying {kind}:\n- {one}\n+ {other}"
            )


def refusal(game: str, state: State, action: game_pb2.GameAction) -> str | None:
    """The reason that the seat to act is told if it tries this; None if it is legal."""
    try:
        state.check(codec_named(game).decode_action(action))
    except IllegalAction as error:
        return str(error)
    return None
