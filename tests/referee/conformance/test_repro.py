"""Replaying a recorded match with one bot: its requests, and its answers compared."""

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from courtyard.v1 import miracles_pb2, record_pb2, referee_pb2
from rich.console import Console

from referee.cli.app import app
from referee.conformance.repro import LocalBot, reproduce
from referee.conformance.testing import Behaviour, SeatRequest, SentMessage, exits, play, sends
from referee.core.errors import UsageError
from referee.games.base import Seat
from referee.games.randomness import Stream
from referee.match.match import Match, MatchSetup
from referee.match.record import SeatInfo, record_of, save_record
from referee.match.verify import verify
from referee.view.transcript import Transcript, transcript_of
from referee.wire import envelope
from referee.wire.encoding import field, text, uint

RANDOM = Path(__file__).parents[3] / "sample_bots" / "python" / "courtisans" / "random" / "bot.py"

PARROT = '''
"""Says what it was given, a hexadecimal BotMessage a line, whatever it is asked."""
import os, sys

def read_varint():
    value = shift = 0
    while byte := sys.stdin.buffer.read(1):
        value |= (byte[0] & 127) << shift
        shift += 7
        if byte[0] < 128:
            return value
    raise SystemExit("the stream ended")

def write(message):
    size, head = len(message), b""
    while size > 127:
        head, size = head + bytes([size & 127 | 128]), size >> 7
    os.write(1, head + bytes([size]) + message)

hello, *answers = open(sys.argv[1])
write(bytes.fromhex(hello))
sys.stdin.buffer.read(read_varint())
for answer in answers:
    sys.stdin.buffer.read(read_varint())
    write(bytes.fromhex(answer))
print("my last words", file=sys.stderr)
'''


@dataclass(frozen=True)
class Played:
    """A match played in process."""

    record: record_pb2.Record
    sent: list[SentMessage]
    answers: dict[tuple[Seat, int], bytes]
    """The seats' answers, by seat and request."""


def played(game: str = "courtisans", **scripts: Behaviour) -> Played:
    """Play a match of three seats; `request_2=...` is seat 1's answer to its second request."""
    match = Match(MatchSetup("a match", game, seats=3, master_seed="7"))
    answers: dict[tuple[Seat, int], bytes] = {}

    def remembered(asked: SeatRequest) -> bytes:
        answer = answers[asked.due.seat, asked.number] = asked.legal_answer()
        return answer

    usual = dict[int, Behaviour].fromkeys(range(1, 500), remembered)
    unusual = {int(name.removeprefix("request_")): do for name, do in scripts.items()}
    sent = play(match, {0: usual, 1: {**usual, **unusual}, 2: usual})
    return Played(record_of(match, [SeatInfo("bot")] * 3), sent, answers)


@pytest.mark.parametrize("game", ["courtisans", "miracles"])
@pytest.mark.parametrize("seat", range(3))
def test_requests_are_those_of_the_match(game: str, seat: Seat) -> None:
    """A transcript holds, byte for byte, a seat's requests and answers."""
    match = played(game)

    transcript = transcript_of(match.record, seat)

    sent = [one.payload for one in match.sent if one.seat == seat]
    assert [*(turn.payload for turn in transcript.turns), transcript.ending] == sent
    for turn in transcript.turns:
        answer = envelope.read_decision(
            match.answers[seat, turn.number], "a match", turn.number, game
        )
        assert Match(MatchSetup("", game, 3, "")).codec.decode_action(answer.action) == turn.answer


def test_a_transcript_ends_with_the_fault() -> None:
    """After a forfeit the seat gets no request, and the last turn gives the fault."""
    transcript = transcript_of(played(request_3=exits(1)).record, 1)

    assert [turn.number for turn in transcript.turns] == [1, 2, 3]
    assert transcript.turns[2].answer is None
    assert transcript.turns[2].fault is not None
    assert transcript.turns[2].fault.exit_code == 1


@pytest.mark.parametrize("card", [0, 77])
def test_a_transcript_names_a_decision_that_is_none(
    card: miracles_pb2.PlotCard,
) -> None:
    """A recorded action without its card, or with an unknown one, is refused by its place."""
    record = played("miracles").record
    plays = ((i, each) for i, each in enumerate(record.decisions))
    i, odd = next(p for p in plays if p[1].action.miracles.HasField("play_card"))
    odd.action.miracles.play_card.card = card
    with pytest.raises(UsageError, match=rf"decisions\[{i}\]\.action: "):
        transcript_of(record, odd.seat)


def test_a_transcript_needs_a_seat() -> None:
    """An unknown seat is refused in one line."""
    with pytest.raises(UsageError, match="there is no seat 3: the match has seats 0 to 2"):
        transcript_of(played().record, 3)


Parrot = Callable[..., tuple[bool, str]]


@pytest.fixture
def parrot(tmp_path: Path) -> Parrot:
    """Replay seat 1's part with a bot that answers so; return verdict and report."""
    script = tmp_path / "parrot.py"
    script.write_text(PARROT)

    def run(transcript: Transcript, answers: list[bytes]) -> tuple[bool, str]:
        hello = field(2, uint(1, envelope.PROTOCOL_VERSION) + text(2, "parrot"))
        lines = tmp_path / "answers"
        lines.write_text("".join(f"{answer.hex()}\n" for answer in [hello, *answers]))
        report = io.StringIO()
        command = [sys.executable, str(script), str(lines)]
        fine = reproduce(Console(file=report, width=200), transcript, LocalBot(command, "stdio"))
        return fine, report.getvalue()

    return run


def answers_of(match: Played) -> list[bytes]:
    """Seat 1's answers, in order."""
    return [answer for (seat, _), answer in sorted(match.answers.items()) if seat == 1]


def test_the_same_bot_answers_the_same(parrot: Parrot, capfd: pytest.CaptureFixture[str]) -> None:
    """A bot that still does what it did passes, and its stderr is the terminal's."""
    match = played()

    fine, report = parrot(transcript_of(match.record, 1), answers_of(match))

    assert fine
    assert report == "\n8 of 8 requests: 8 answered as recorded, 0 differently, 0 wrongly\n"
    assert capfd.readouterr().err == "my last words\n"


def test_another_answer_is_shown(parrot: Parrot) -> None:
    """The report shows a changed answer with what the seat knew and answered then."""
    match = played()
    transcript = transcript_of(match.record, 1)
    answers = answers_of(match)
    turn = transcript.turns[2]
    asked = Match(MatchSetup("a match", "courtisans", 3, "7"))
    action = next(
        action
        for i in range(99)
        if (action := turn.state.random_action(Stream("another", str(i)))) != turn.answer
    )
    encoded = uint(1, 3) + field(2, asked.codec.encode_action(action))
    answers[2] = text(1, "a match") + field(3, encoded)

    fine, report = parrot(transcript, answers)

    assert fine
    assert "request 3 of 8: it answers differently" in report
    assert f"recorded  {turn.answer_text}" in report
    assert report.count("now  ") == 1
    assert "Hand" in report
    assert "8 of 8 requests: 7 answered as recorded, 1 differently, 0 wrongly" in report


def test_an_illegal_answer_is_wrong(parrot: Parrot) -> None:
    """The report names an illegal answer's rule; the other requests follow."""
    match = played()
    answers = answers_of(match)
    answers[1] = text(1, "a match") + field(3, uint(1, 2) + field(2, field(1, b"")))

    fine, report = parrot(transcript_of(match.record, 1), answers)

    assert not fine
    assert "request 2 of 8: it fails" in report
    assert "(illegal: " in report
    assert "8 of 8 requests: 7 answered as recorded, 0 differently, 1 wrongly" in report


def test_an_answer_to_another_request_ends_it(parrot: Parrot) -> None:
    """After an invalid message no request follows, as in a match."""
    match = played()
    answers = answers_of(match)

    fine, report = parrot(transcript_of(match.record, 1), [answers[0], answers[0], *answers[2:]])

    assert not fine
    assert "the answer to request 2 is due: this one is to request 1" in report
    assert "2 of 8 requests" in report


def test_a_recorded_crash_is_there_again(parrot: Parrot) -> None:
    """The report shows a repeated crash beside the recorded one."""
    match = played(request_3=exits(3))

    fine, report = parrot(transcript_of(match.record, 1), answers_of(match))

    assert not fine
    assert "recorded  DISCONNECTED: its process exited" in report
    assert "now       the bot ended its stream instead of answering; " in report
    assert "its process exited with status 0" in report


def test_a_mended_bot_answers_where_it_forfeited(parrot: Parrot) -> None:
    """Where the seat forfeited, any legal answer is different, not wrong."""
    whole = played()
    broken = played(request_8=sends(b"nonsense"))

    fine, report = parrot(transcript_of(broken.record, 1), answers_of(whole))

    assert fine
    assert "recorded  PROTOCOL_ERROR: " in report
    assert "8 of 8 requests: 7 answered as recorded, 1 differently, 0 wrongly" in report


def test_a_grpc_bot_is_asked_too(tmp_path: Path) -> None:
    """The command takes a record, a seat and a command line; the bot may use gRPC."""
    record = tmp_path / "match.json"
    save_record(played().record, record)

    app(["repro", str(record), "--seat", "1", "--", "python3", str(RANDOM)], standalone_mode=False)


@pytest.mark.sweep
@pytest.mark.parametrize("transport", ["grpc", "stdio", "stdio-json"])
@pytest.mark.parametrize("named", ["folder", "bot.toml"])
def test_a_folder_is_enough(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    transport: str,
    named: str,
) -> None:
    """The folder's bot.toml says how the bot starts and speaks, from anywhere."""
    folder = tmp_path / "my bot"
    folder.mkdir()
    told = f'import os\nassert os.environ["COURTYARD_TRANSPORT"] == "{transport}"\n'
    (folder / "strategy.py").write_text(told + RANDOM.read_text())
    (folder / "bot.toml").write_text(
        'name = "other"\ngames = ["courtisans"]\ncommand = ["python3", "strategy.py"]\n'
        f'transport = "{transport}"\n'
    )
    save_record(played().record, tmp_path / "match.json")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    bot = Path("../my bot") / ("bot.toml" if named == "bot.toml" else "")

    app(["repro", "../match.json", "--seat", "1", str(bot)], standalone_mode=False)

    assert capsys.readouterr().out.startswith(
        "Seat 1 of match a match was bot (courtisans, 3 seats); now asking other.\n"
    )


UNBUILT = 'name = "b"\ngames = ["courtisans"]\ncommand = ["./b"]\nbuild = [["make"]]\n'


def test_a_folder_that_is_not_built_is_told_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error has the command."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my bot").mkdir()
    (tmp_path / "my bot" / "bot.toml").write_text(UNBUILT)
    save_record(played().record, tmp_path / "match.json")

    with pytest.raises(UsageError, match=r"'\./b' cannot be started: .*: referee build 'my bot'"):
        app(["repro", "match.json", "--seat", "1", "my bot"], standalone_mode=False)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--", "no-such-bot"], "'no-such-bot' cannot be started"),
        (["."], r"\.: no bot\.toml in this folder"),
        (["--", "x" * 300], "x' cannot be started: File name too long"),
        (["mine", "more"], "mine is a bot's folder, which takes no arguments: 'more'"),
        (["--", "python3", "-c", ""], "sent no Hello: its process exited with status 0"),
        (["--transport", "pigeon", "--", "true"], "unknown transport 'pigeon'"),
        ([], "no bot.toml here has one"),
    ],
)
def test_what_cannot_be_asked_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    """A bot that cannot play is refused in one line."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "bot.toml").touch()
    save_record(played().record, tmp_path / "match.json")

    with pytest.raises(UsageError, match=said):
        app(["repro", "match.json", "--seat", "1", *arguments], standalone_mode=False)


PLAIN_FIRST = """
import json, sys
print(json.dumps({"hello": {"protocolVersion": 1, "plain": True}}), flush=True)
for line in sys.stdin:
    told = json.loads(line)
    if "request" in told:
        number, options = told["request"]["number"], told["request"]["plain"]["options"]
        choice = len(options) if number == int(sys.argv[1]) else 0
        decision = {"number": number, "choice": choice}
        print(json.dumps({"matchId": told["matchId"], "decision": decision}), flush=True)
"""


@pytest.mark.costly
@pytest.mark.parametrize("game", ["courtisans", "miracles"])
def test_a_plain_bot_is_asked_step_by_step(tmp_path: Path, game: str) -> None:
    """A match of first options is answered as recorded; an option that is not there is wrong."""
    match = Match(MatchSetup("a match", game, seats=2, master_seed="7"))
    match.use_plain_dialect([1])
    first: Behaviour = lambda asked: envelope.choice_answer("a match", asked.number, 0)  # noqa: E731
    told = play(match, {1: dict.fromkeys(range(1, 500), first)})
    asked = [one.payload for one in told if one.seat == 1]
    transcript = transcript_of(record_of(match, [SeatInfo("bot")] * 2), 1)

    assert len(transcript.turns) == [decided.seat for decided in match.decisions].count(1)
    assert [
        *(_timeless(turn.payload) for turn in transcript.in_plain_dialect().turns),
        transcript.ending,
    ] == [*map(_timeless, asked[:-1]), asked[-1]]
    script = tmp_path / "bot.py"
    script.write_text(PLAIN_FIRST)
    for wrong, count in ((0, len(asked) - 1), (2, len(asked) - 2)):
        report = io.StringIO()
        command = [sys.executable, str(script), str(wrong)]
        bot = LocalBot(command, "stdio-json")
        fine = reproduce(Console(file=report, width=200), transcript, bot)
        assert f"{count} answered as recorded, 0 differently" in report.getvalue()
        assert fine == (not wrong)
        assert ("illegal: an option has an index from 0 to" in report.getvalue()) == bool(wrong)


def test_a_failed_plain_decision_shows_all_its_steps() -> None:
    """The record says which seats spoke the plain dialect, and which steps preceded a fault."""
    match = Match(MatchSetup("a match", "courtisans", seats=2, master_seed="7"))
    match.use_plain_dialect([1])
    first: Behaviour = lambda asked: envelope.choice_answer("a match", asked.number, 0)  # noqa: E731
    wrong: Behaviour = lambda asked: envelope.choice_answer("a match", asked.number, 999)  # noqa: E731
    told = play(match, {1: {1: first, 2: wrong}})
    record = record_of(match, [SeatInfo("bot")] * 2)

    assert [seat.plain for seat in record.seats] == [False, True]
    assert [list(d.steps) for d in record.decisions if d.HasField("fault")] == [[0]]
    assert verify(record) == []
    turns = transcript_of(record, 1).in_plain_dialect().turns
    asked = [one.payload for one in told if one.seat == 1]
    assert [_timeless(turn.payload) for turn in turns] == [*map(_timeless, asked[:2])]
    assert [turn.answer for turn in turns] == [0, None]
    assert [turn.fault is not None for turn in turns] == [False, True]
    record.decisions[-1].steps.append(1)
    assert verify(record) != []
    for decision in record.decisions:
        del decision.steps[:]
    assert verify(record) != []


def test_steps_that_no_decision_has_are_told() -> None:
    """A record that claims impossible steps ends in one line."""
    match = Match(MatchSetup("a match", "courtisans", seats=2, master_seed="7"))
    match.use_plain_dialect([1])
    play(match, {1: {1: lambda asked: envelope.choice_answer("a match", asked.number, 999)}})
    record = record_of(match, [SeatInfo("bot")] * 2)
    for decision in record.decisions:
        if decision.HasField("fault"):
            decision.steps.append(500)

    with pytest.raises(UsageError, match=r"steps: no step follows option 500"):
        transcript_of(record, 1).in_plain_dialect()


def _timeless(payload: bytes) -> bytes:
    """A request without what the record does not tell: the time left at each step."""
    message = referee_pb2.RefereeMessage.FromString(payload)
    message.request.ClearField("time_ms")
    message.request.ClearField("bank_ms")
    return message.SerializeToString(deterministic=True)


def test_a_stand_in_was_asked_nothing(parrot: Parrot) -> None:
    """A seat without a bot cannot be replayed."""
    match = Match(MatchSetup("a match", "courtisans", 3, "7", without_bot=frozenset({1})))
    play(match)
    transcript = transcript_of(record_of(match, [None] * 3), 1)

    with pytest.raises(UsageError, match="this seat got no request in this match"):
        parrot(transcript, [])
