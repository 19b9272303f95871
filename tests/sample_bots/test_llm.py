"""The bot that asks a language model plays what the model states, and nothing else."""

import asyncio
import json
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from courtyard.v1 import referee_pb2
from courtyard_kit.connection import Conversation, Turn

from referee.conformance.check.report import StepStatus
from referee.conformance.check.run import check
from referee.core.clock import ClockConfig
from referee.core.faults import FaultKind
from referee.hosting.manifest import load_manifest
from referee.hosting.match_runner import MatchRunner, MatchSpec
from referee.hosting.running_bot import BotSpec, bot_spec_of
from referee.hosting.sample_bots import bot_folder
from referee.match.match import Match, MatchSetup
from referee.match.record import SeatInfo, record_of
from referee.match.verify import verify
from referee.sandbox.levels import open_sandbox
from referee.sandbox.program import Level
from referee.transports.gateway import BotGateway
from tests.sample_bots.conftest import POSITIONS
from tests.support.chat_endpoint import MOODS, Endpoint, always, honest
from tests.support.games import GAMES
from tests.support.installed import EXAMPLES, install
from tests.support.remote_bots import HERE, Keys, Registry, quiet

LLM = Path(__file__).parents[2] / "sample_bots" / "python" / "llm"
sys.path.insert(0, str(LLM))

import bot  # noqa: E402 -- of the folder just named
from answer import IllegalError, UnreadableError, stated  # noqa: E402

PATIENT = ClockConfig(1000, 60_000, 60_000_000)
HURRIED = ClockConfig(1000, 700, 60_000_000)
"""Some models never answer."""
MATCHES = 100
OPTIONS = ["the King", "the Queen", "take 2"]
Begin = Callable[[], Callable[[Any], Any]]


@contextmanager
def model_at(endpoint: Endpoint, *words: str) -> Iterator[bot.Model]:
    """Make the model that the bot's options describe."""
    given = ["--base-url", endpoint.url, "--model", "any", *words]
    model = bot.model_of(bot.parser().parse_args(given))
    try:
        yield model
    finally:
        model.chat.close()


class Table:
    """A match of the bot with others, decision by decision."""

    def __init__(
        self, game: str, seed: str, model: bot.Model, clock: ClockConfig, other: Begin | None
    ) -> None:
        """Deal; without another bot, all seats are the model's."""
        self.match = Match(MatchSetup(f"llm {seed}", game, 2, seed, clock=clock))
        self.seats = {0, 1} if other is None else {len(seed) % 2}
        self.match.use_plain_dialect(self.seats)
        self._game = game
        self._other = other and other()
        self._answers = [Conversation(lambda: bot.Player(model).decide).answer for _ in range(2)]
        self._start = referee_pb2.MatchStart()

    def decisions(self) -> Iterator[tuple[int, FaultKind | None]]:
        """Play; yield each choice of the bot, and the fault that it was."""
        while (due := self.match.due) is not None:
            message = referee_pb2.RefereeMessage.FromString(due.payload)
            if due.seat not in self.seats:
                self._decide(message)
                continue
            reply = self._answers[due.seat](message)
            assert reply is not None
            fault = self.match.answer(reply.SerializeToString(), 0)
            yield reply.decision.choice, fault.kind if fault else None

    def _decide(self, message: referee_pb2.RefereeMessage) -> None:
        if message.request.HasField("start"):
            self._start = message.request.start
        assert self._other is not None
        turn = Turn(message.match_id, self._start, message.request)
        self.match.decide(self._other(POSITIONS[self._game](turn)), elapsed_us=0)

    def flaws(self) -> list[Any]:
        """Return what verification finds in the record."""
        return verify(record_of(self.match, [SeatInfo("one"), SeatInfo("other")]))


def play(table: Table, endpoint: Endpoint) -> int:
    """Play a match to its end; return how many moves the bot made, each of which was stated."""
    moves = 0
    endpoint.said.clear()
    for choice, fault in table.decisions():
        said, endpoint.said = endpoint.said, []
        if choice == bot.NO_OPTION:
            assert fault is FaultKind.ILLEGAL_ACTION
            assert not [one for one in said if isinstance(one, int)]
            assert 3 in (said.count("illegal"), said.count("unreadable")) or said[-1] == "failed"
        else:
            assert (choice, None) == (said[-1], fault)
            assert max(said.count("illegal"), said.count("unreadable")) <= 2
            moves += 1
    assert table.flaws() == []
    return moves


def play_in_mood(mood: str, matches: int, strategies: Any, capfd: Any) -> None:
    """Play with `counter`, in both games."""
    clock = HURRIED if mood == "slow" else PATIENT
    endpoint = Endpoint(MOODS[mood], mood)
    with endpoint.serving(), model_at(endpoint) as model:
        moves = 0
        for number in range(matches):
            game = [*POSITIONS][number % 2]
            other = strategies[game]["counter"]
            seed = f"{mood} {'I' * number}"
            moves += play(Table(game, seed, model, clock, other), endpoint)
            capfd.readouterr()  # the log
    assert moves


@pytest.mark.sweep
@pytest.mark.parametrize("mood", MOODS)
def test_a_move_that_the_model_did_not_state_is_never_played(
    mood: str, strategies: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    """Whatever an endpoint answers, a move is what it stated last, or the bot forfeits."""
    play_in_mood(mood, 2, strategies, capfd)


@pytest.mark.proof
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("mood", MOODS)
def test_no_move_in_a_hundred_matches_is_unstated(
    mood: str, strategies: Any, capfd: pytest.CaptureFixture[str], proof_cases: Callable[[int], int]
) -> None:
    """The same over a hundred matches in each mood."""
    play_in_mood(mood, proof_cases(MATCHES), strategies, capfd)


def test_it_plays_the_games_that_others_bring(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A whole match, with all seats its own, by the rules that the game brings."""
    install(EXAMPLES / "leduc", tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    endpoint = Endpoint(honest)
    with endpoint.serving(), model_at(endpoint) as model:
        assert play(Table("leduc", "a seed", model, PATIENT, None), endpoint) > 1
    system, question = (one["content"] for one in endpoint.asked[-1]["messages"])

    assert "Leduc poker" in system
    assert "@" not in question
    capfd.readouterr()


@pytest.mark.proof
def test_it_keeps_every_rule_of_the_protocol(tmp_path: Path) -> None:
    """As `referee check` tries them, on a bot that the referee starts."""
    endpoint = Endpoint(honest)
    command = ["python3", "bot.py", "--base-url", endpoint.url, "--model", "any"]
    shutil.copytree(LLM, tmp_path / "llm", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "llm" / "bot.toml").write_text(
        f'name = "llm"\ngames = ["*"]\ntransport = "stdio-json"\ncommand = {json.dumps(command)}\n'
    )
    manifest, sandbox = load_manifest(tmp_path / "llm"), open_sandbox(Level.TRUSTED)
    with endpoint.serving():
        told = check(manifest, GAMES, sandbox, on_result=lambda _: None, clock=PATIENT)

    assert [f"{one.title}: {one.violation} {one.printed}" for one in told if one.violation] == []
    assert {one.verdict for one in told} <= {StepStatus.PASSED, StepStatus.SKIPPED}


@pytest.mark.costly
def test_it_joins_a_ladder_and_plays_with_counter(tmp_path: Path) -> None:
    """As its author starts it: no match is void, and its log says what it did."""
    played, log = asyncio.run(matches_at_gateway(tmp_path, 2))

    assert [verify(record) for record in played] == [[]] * len(played)
    faults = [one.fault.kind for record in played for one in record.decisions if one.fault.kind]
    assert {*faults} <= {referee_pb2.FAULT_KIND_ILLEGAL_ACTION}
    assert [line["event"] for line in log].count("no move") == len(faults)
    assert {"answer", "move"} <= {line["event"] for line in log}


async def matches_at_gateway(folder: Path, count: int) -> tuple[list[Any], list[Mapping[str, Any]]]:
    """Play matches of the bot's own process with `counter`; return the records and its log."""
    keys, registry = Keys.made(folder), Registry(ann="llm")
    gateway = BotGateway(registry.admit, registry.notice, "9.9")
    address = await gateway.open(f"{HERE}:0", keys.of_gate.credentials(quiet))
    runner = MatchRunner(open_sandbox(Level.TRUSTED), folder, warm_bots=0, gateway=gateway)
    here = BotSpec("llm", Path(), (), version="1", transport="remote")
    endpoint = Endpoint(MOODS["lying"])
    (folder / "token").write_text("ann")
    options = ("--connect", address, "--token-file", folder / "token", "--ca-file", keys.roots)
    model = ("--base-url", endpoint.url, "--model", "any")
    records = []
    with endpoint.serving(), (folder / "log").open("wb") as log:
        command = (sys.executable, LLM / "bot.py", *options, *model)
        process = await asyncio.create_subprocess_exec(*command, stderr=log)
        try:
            while not registry.there.get("llm@1"):  # noqa: ASYNC110 -- no event tells
                await asyncio.sleep(0.01)
            for number in range(count):
                game = [*POSITIONS][number % 2]
                counter = bot_spec_of(load_manifest(bot_folder("counter", game)))
                spec = MatchSpec(f"m{number}", game, (here, counter), f"{number}", clock=PATIENT)
                records.append((await runner.play(spec)).record)
        finally:
            process.kill()
            await process.wait()
    await gateway.close()
    lines = (folder / "log").read_text().splitlines()
    return records, [json.loads(line) for line in lines if line.startswith("{")]


@pytest.mark.parametrize(
    ("text", "index"),
    [
        ('{"choice": 3}', 2),
        ('First {"choice": 1}. No:\n```json\n{"why": {"choice": 2}, "choice": 3}\n```', 2),
        ('<think>{"choice": 1}</think>{"choice": 3} {', 2),
    ],
)
def test_the_last_object_counts(text: str, index: int) -> None:
    """Whatever comes before, around or within it."""
    assert stated(text, OPTIONS, listed=True) == index


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('{"choice": 4}', IllegalError),
        ('{"choice": 0}', IllegalError),
        ('{"choice": "3"}', UnreadableError),
        ('{"choice": 1.0}', UnreadableError),
        ('{"choice": true}', UnreadableError),
        ('{"choice": 1, "choice": 2}', UnreadableError),
        ('{"choice": 1} {"thanks": 2}', UnreadableError),
        ('{"choice": 1', UnreadableError),
        ('<think>{"choice": 1}', UnreadableError),
        ("I take option 3, take 2.", UnreadableError),
        ('{"choice": 1}' + " " * 100_000, UnreadableError),
    ],
)
def test_what_states_no_option_is_told_apart(text: str, error: type[Exception]) -> None:
    """An answer that names no option is illegal, one that says nothing clear is unreadable."""
    with pytest.raises(error):
        stated(text, OPTIONS, listed=True)


@pytest.mark.parametrize(
    ("move", "found"),
    [("the Queen", 1), (" THE  queen.", 1), ("Queen", IllegalError), (2, UnreadableError)],
)
def test_without_a_list_a_move_is_named(move: object, found: int | type[Exception]) -> None:
    """By its whole text, whatever its case and spaces; a part of it names nothing."""
    answer = json.dumps({"move": move})
    if isinstance(found, int):
        assert stated(answer, OPTIONS, listed=False) == found
    else:
        with pytest.raises(found):
            stated(answer, OPTIONS, listed=False)


def asked_in(
    capfd: pytest.CaptureFixture[str], endpoint: Endpoint, *words: str
) -> tuple[list[int], list[Mapping[str, Any]]]:
    """Play a match of both seats in Courtisans; return the choices and the log."""
    with endpoint.serving(), model_at(endpoint, *words) as model:
        table = Table("courtisans", "a seed", model, PATIENT, None)
        choices = [choice for choice, _ in table.decisions()]
    return choices, [json.loads(line) for line in capfd.readouterr().err.splitlines()]


def test_the_prompt_holds_rules_position_and_history(capfd: pytest.CaptureFixture[str]) -> None:
    """And the options, numbered from 1."""
    endpoint = Endpoint(honest)
    asked_in(capfd, endpoint)
    first, last = (endpoint.asked[i]["messages"] for i in (0, -1))

    assert "# Courtisans" in first[0]["content"]
    assert '{"choice": 1}' in first[0]["content"]
    assert first[0]["content"].count("You play a game on seat 0 of seats 0 to 1") == 1
    assert "What has happened in this match:\nnothing" in first[1]["content"]
    assert "turn_played" in last[1]["content"]
    assert "You were asked: " in last[1]["content"]
    assert "\n\n1. " in first[1]["content"]


def test_the_options_can_be_left_out(capfd: pytest.CaptureFixture[str]) -> None:
    """Then the prompt names none, and asks for the move's text."""
    endpoint = Endpoint(always(lambda asked: asked.completion({"content": "?"})))
    asked_in(capfd, endpoint, "--options", "left-out")
    system, question = (one["content"] for one in endpoint.asked[0]["messages"][:2])

    assert '{"move": "..."}' in system
    assert "\n1. " not in question


def test_a_stand_in_is_marked_in_the_record(capfd: pytest.CaptureFixture[str]) -> None:
    """What chance decides for a model is no move of the model; a match goes on with both."""
    silent = always(lambda asked: asked.completion({"content": "no"}))
    endpoint = Endpoint(lambda asked: (silent if len(asked.options) > 2 else honest)(asked))
    with endpoint.serving(), model_at(endpoint, "--on-failure", "stand-in") as model:
        table = Table("courtisans", "a seed", model, PATIENT, None)
        assert {fault for _, fault in table.decisions()} == {None}
    log = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    unstated = {(line["seat"], line["request"]) for line in log if line["event"] == "no move"}
    record = record_of(table.match, [SeatInfo("one"), SeatInfo("other")])
    marked = [one.own_stand_in for one in record.decisions]

    assert verify(record) == []
    assert sum(marked) == len(record.decisions)  # a card is chosen among more than two
    assert 0 < len(unstated) < len({(line["seat"], line["request"]) for line in log})
    record.decisions[marked.index(True)].own_stand_in = False
    assert verify(record) != []


def test_illegal_and_unreadable_answers_are_asked_again_twice_each(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """The model is told what was wrong; then the bot says so and forfeits."""
    answers = ["none", '{"choice": 0}', "none", '{"choice": 0}', '{"choice": 0}', "never asked"]
    contents = iter(answers)
    endpoint = Endpoint(always(lambda asked: asked.completion({"content": next(contents)})))
    with endpoint.serving(), model_at(endpoint) as model:
        table = Table("courtisans", "a seed", model, PATIENT, None)
        assert next(table.decisions()) == (bot.NO_OPTION, FaultKind.ILLEGAL_ACTION)

    assert next(contents) == "never asked"
    last = endpoint.asked[-1]["messages"]
    assert [one["content"] for one in last[2::2]] == answers[:4]
    assert "no JSON object" in last[3]["content"]
    assert "is no option" in last[5]["content"]
    assert [json.loads(line)["event"] for line in capfd.readouterr().err.splitlines()][::2] == [
        *("answer", "answer", "answer", "answer", "answer", "no move"),
    ]


def test_the_log_holds_prompt_answer_tokens_and_price(capfd: pytest.CaptureFixture[str]) -> None:
    """A line of JSON for each call, with the sums of match and run."""
    _, log = asked_in(capfd, Endpoint(honest), "--prices", "2", "50")
    calls = [line for line in log if line["event"] == "answer"]

    assert {(one["prompt_tokens"], one["answer_tokens"]) for one in calls} == {(100, 10)}
    assert not any(one["estimated"] for one in calls)
    assert calls[-1]["all_tokens"] == 110 * len(calls)
    assert calls[-1]["all_usd"] == pytest.approx(len(calls) * (100 * 2 + 10 * 50) / 1e6)
    assert calls[0]["prompt"][1]["role"] == "user"
    assert "choice" in calls[0]["text"]


@pytest.mark.parametrize("option", ["--match-budget", "--budget"])
def test_a_budget_ends_the_calls(option: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Once it is spent, the model is asked no more, and the bot forfeits."""
    endpoint = Endpoint(honest)
    choices, log = asked_in(capfd, endpoint, option, "250")

    assert choices.count(bot.NO_OPTION) == 2  # one a seat
    spent = {"--match-budget": 6, "--budget": 3}[option]
    assert len(endpoint.asked) == spent
    assert "250 tokens" in log[-1]["why"]


def test_what_an_endpoint_does_not_count_is_estimated(capfd: pytest.CaptureFixture[str]) -> None:
    """So that a budget ends there, too."""
    body = b'{"choices": [{"message": {"content": "{}"}}]}'
    endpoint = Endpoint(always(lambda asked: asked.reply(body)))
    _, log = asked_in(capfd, endpoint, "--budget", "1")

    assert len(endpoint.asked) == 1
    assert log[0]["estimated"]
    assert log[0]["prompt_tokens"] > 1000  # the rules


def test_a_refused_key_is_not_tried_again(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The log says what the endpoint said; the key itself is in no log."""
    (tmp_path / "key").write_text("sk-secret\n")
    endpoint = Endpoint(always(lambda asked: asked.reply(b"no such key", 401)))
    choices, log = asked_in(capfd, endpoint, "--api-key-file", str(tmp_path / "key"))

    assert choices == [bot.NO_OPTION] * 2
    assert len(endpoint.asked) == 2
    assert endpoint.keys == {"Bearer sk-secret"}
    assert "status 401: no such key" in log[0]["why"]
    assert "sk-secret" not in json.dumps(log)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "name the endpoint and the model"),
        (["--base-url", "host/v1", "--model", "any"], "must begin with https:// or http://"),
        (["--base-url", "http://h", "--model", "m", "--parameters", "[]"], "write a JSON object"),
        (["--base-url", "http://h", "--model", "m", "--api-key-file", "/no"], "No such file"),
    ],
)
def test_bad_options_are_named_in_one_line(words: list[str], said: str) -> None:
    """Before the bot joins anything."""
    with pytest.raises(SystemExit, match=said):
        bot.model_of(bot.parser().parse_args(words))
