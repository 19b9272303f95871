"""Asks a language model for each decision, and plays only what the model states.

README.md says how to start it. `prompt` makes the question, `chat` asks it, `answer` reads what the
model stated.
"""

import json
import random
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import dataclass, field
from os import environ
from pathlib import Path
from typing import Any

import prompt
from answer import IllegalError, UnreadableError, stated
from chat import Chat, FailedError, Reply
from courtyard.v1 import referee_pb2
from courtyard_kit import connection
from courtyard_kit.connection import Turn

AGAIN = 2
"""How often a model is asked again after an illegal answer, and after an unreadable one."""
NO_OPTION = 2**32 - 1
"""The choice of a bot whose model stated no move: the rules make it forfeit."""
MARGIN_S = 0.5
"""Time kept for the answer's way to the referee, at most a tenth of what there is."""
_MILLION = 1_000_000


class NoMoveError(Exception):
    """The model stated no move that can be played."""


@dataclass
class Spent:
    """What calls have cost, in tokens."""

    prompt: int = 0
    answer: int = 0

    @property
    def tokens(self) -> int:
        """All tokens."""
        return self.prompt + self.answer

    def add(self, reply: Reply) -> None:
        """Count a call."""
        self.prompt += reply.prompt_tokens
        self.answer += reply.answer_tokens


@dataclass(frozen=True)
class Model:
    """A model, how it is asked, and what it has cost."""

    chat: Chat
    listed: bool
    """The options are listed in the prompt."""
    forfeits: bool
    """Without a stated move the bot forfeits; else a stand-in decides, which the record marks."""
    match_budget: int | None
    """Tokens of one match; None is no limit."""
    budget: int | None
    """Tokens of all matches together."""
    prices: tuple[float, float]
    """US dollars of a million tokens, in prompts and in answers."""
    spent: Spent = field(default_factory=Spent)

    def dollars(self, spent: Spent) -> float:
        """Return the price of tokens."""
        return (spent.prompt * self.prices[0] + spent.answer * self.prices[1]) / _MILLION


class Player:
    """One seat in one match."""

    def __init__(self, model: Model) -> None:
        """Begin with an empty history."""
        self._model = model
        self._history: list[str] = []
        self._spent = Spent()

    def decide(self, turn: Turn, decision: referee_pb2.Decision) -> None:
        """Choose what the model states; else forfeit, or mark what a stand-in chooses."""
        allowed = turn.request.time_ms / 1000
        deadline = time.monotonic() + allowed - min(MARGIN_S, allowed / 10)
        self._history += prompt.told(turn.request)
        try:
            decision.choice = self._stated(turn, deadline)
        except NoMoveError as error:
            _log(turn, event="no move", why=str(error))
            if self._model.forfeits:
                decision.choice = NO_OPTION
                return
            decision.choice = random.randrange(len(turn.request.plain.options))
            decision.stand_in = True
        label = turn.request.plain.options[decision.choice]
        who = "Chance chose for you" if decision.stand_in else "You chose"
        self._history.append(f"You were asked: {turn.request.plain.prompt} {who}: {label}")
        _log(turn, event="move", choice=decision.choice, label=label, stand_in=decision.stand_in)

    def _stated(self, turn: Turn, deadline: float) -> int:
        """Return the option that the model states; raise `NoMoveError`."""
        options, listed = turn.request.plain.options, self._model.listed
        messages = [
            prompt.system(turn.start, listed=listed),
            prompt.question(turn, self._history, listed=listed),
        ]
        left = {UnreadableError: AGAIN, IllegalError: AGAIN}
        while True:
            reply = self._ask(turn, messages, deadline)
            try:
                if reply.flaw:
                    raise UnreadableError(reply.flaw)  # noqa: TRY301 -- as where it is read
                return stated(reply.text, options, listed=listed)
            except (UnreadableError, IllegalError) as error:
                kind = type(error)
                _log(turn, event=kind.__name__.removesuffix("Error").lower(), why=str(error))
                if not left[kind]:
                    raise NoMoveError(f"asked {AGAIN} times again: {error}") from None
                left[kind] -= 1
                messages += prompt.again(reply.text, str(error))

    def _ask(self, turn: Turn, messages: Sequence[prompt.Message], deadline: float) -> Reply:
        """Ask the model once, within the budgets; raise `NoMoveError`."""
        model, began = self._model, time.monotonic()
        for spent, budget, what in (
            (self._spent, model.match_budget, "this match"),
            (model.spent, model.budget, "all matches"),
        ):
            if budget is not None and spent.tokens >= budget:
                raise NoMoveError(f"the {budget} tokens of {what} are spent")
        try:
            reply = model.chat.ask(messages, deadline)
        except FailedError as error:
            for spent in (self._spent, model.spent):
                spent.prompt += error.prompt_tokens
            _log(turn, event="failed", prompt=messages, why=str(error))
            raise NoMoveError(str(error)) from None
        self._spent.add(reply)
        model.spent.add(reply)
        _log(
            turn,
            event="answer",
            prompt=messages,
            **vars(reply),
            seconds=round(time.monotonic() - began, 3),
            match_tokens=self._spent.tokens,
            match_usd=model.dollars(self._spent),
            all_tokens=model.spent.tokens,
            all_usd=model.dollars(model.spent),
        )
        return reply


def _log(turn: Turn, **what: Any) -> None:
    """Write a line of JSON to the author's log."""
    at = {"match": turn.match_id, "seat": turn.start.seat, "request": turn.request.number}
    print(json.dumps({**at, **what}, ensure_ascii=False), file=sys.stderr, flush=True)  # noqa: T201


def parser() -> ArgumentParser:
    """Return the parser of the bot's own options."""
    made = ArgumentParser(
        description="Play by asking a language model.",
        epilog="--connect and --token-file lead to the ladder, as of every bot in Python.",
        allow_abbrev=False,
    )
    add = made.add_argument
    add("--name", default="llm", help="the bot's name on the ladder")
    add(
        "--base-url",
        default=environ.get("LLM_BASE_URL"),
        help="of the endpoint, such as https://host/v1 [LLM_BASE_URL]",
    )
    add("--model", default=environ.get("LLM_MODEL"), help="the model's name [LLM_MODEL]")
    add(
        "--api-key-file",
        type=Path,
        default=environ.get("LLM_API_KEY_FILE"),
        help="the file with the endpoint's key [LLM_API_KEY_FILE]",
    )
    add(
        "--options",
        choices=("listed", "left-out"),
        default="listed",
        help="whether the prompt lists the legal options",
    )
    add(
        "--on-failure",
        choices=("forfeit", "stand-in"),
        default="forfeit",
        help="without a stated move: forfeit, or let chance decide, marked in the record",
    )
    add(
        "--parameters",
        type=json.loads,
        default={},
        metavar="JSON",
        help='more of the request, such as {"temperature": 0, "stream": true}',
    )
    add("--match-budget", type=int, metavar="TOKENS", help="the most for one match")
    add("--budget", type=int, metavar="TOKENS", help="the most for all matches of this run")
    add(
        "--prices",
        type=float,
        nargs=2,
        default=(0.0, 0.0),
        metavar=("PROMPT", "ANSWER"),
        help="US dollars of a million tokens, for the log",
    )
    return made


def model_of(given: Namespace) -> Model:
    """Return the model that options describe; exit with one line if they do not."""
    if not given.base_url or not given.model:
        sys.exit("name the endpoint and the model: --base-url URL --model NAME")
    if not given.base_url.startswith(("https://", "http://")):
        sys.exit(f"--base-url {given.base_url}: it must begin with https:// or http://")
    try:
        key = given.api_key_file and given.api_key_file.read_text("utf-8").strip()
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")
    if not isinstance(given.parameters, dict):
        sys.exit("--parameters: write a JSON object")
    return Model(
        Chat(given.base_url, key, {"model": given.model, **given.parameters}),
        listed=given.options == "listed",
        forfeits=given.on_failure == "forfeit",
        match_budget=given.match_budget,
        budget=given.budget,
        prices=tuple(given.prices),
    )


if __name__ == "__main__":
    options, _ = parser().parse_known_args()
    model = model_of(options)
    connection.play(lambda: Player(model).decide, options.name, plain=True)
