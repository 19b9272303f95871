"""A service that plays for months: it rests when settled and wakes when bots change."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ladder.model.matches import MatchState
from ladder.model.settings import SameAuthor
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bot_results, matches

COMMAND = Path(sys.executable).with_name("ladder")
Service = subprocess.Popen[str]
MakeBot = Callable[..., Path]
Enter = Callable[..., object]


@pytest.fixture
def service(start: Callable[..., Service]) -> Service:
    """Play the ladder for ever."""
    return start("forever")


def heard(service: Service, beginning: str) -> str:
    """Read the service's output up to a line with this beginning, and return that line."""
    assert service.stdout is not None
    for line in service.stdout:
        if line.startswith(beginning):
            return line.strip()
    assert service.stderr is not None
    raise AssertionError(f"it ended: {service.stderr.read()}")


def stop(service: Service) -> None:
    """Ask the service to stop, and wait until it has."""
    service.send_signal(signal.SIGTERM)
    _, err = service.communicate()
    assert (service.returncode, err) == (0, "")


def done(home: Home) -> int:
    """How many matches are done."""
    with Ladder.open(home) as ladder, ladder.database.read() as tx:
        return matches.count(tx, MatchState.DONE)


def done_by(bot: str, ladder: Ladder) -> int:
    """How many matches of a bot are done."""
    with ladder.database.read() as tx:
        return bot_results.matches_of(tx, bot, (), matches.last_place(tx))


@pytest.mark.costly
def test_it_rests_and_wakes(home: Home, service: Service, make_bot: MakeBot, enter: Enter) -> None:
    """It rests without bots and when settled, says so, wakes when bots change, and counts anew."""
    heard(service, "say Nothing to play")
    with Ladder.open(home) as ladder:
        enter(ladder, make_bot("first"))
        enter(ladder, make_bot("second"))
        enter(ladder, make_bot("third"))
        while not done_by("third", ladder):  # the first two may be settled before it enters
            assert heard(service, "say Settled: ").startswith("say Settled: the order is right")
            heard(service, "say Nothing to play")
        ladder.retire("third")
        heard(service, "begin")
        heard(service, "say Settled: ")
        heard(service, "say Nothing to play")

    stop(service)
    assert done(home) > 0


@pytest.mark.costly
def test_one_bot_alone_rests_until_another_enters(
    home: Home, service: Service, make_bot: MakeBot, enter: Enter
) -> None:
    """Without an opponent it says so and plays nothing, first or after a retirement."""
    with Ladder.open(home) as ladder:
        enter(ladder, make_bot("first"))
        heard(service, "say first has no opponent")
        heard(service, "say Nothing to play")
        assert done(home) == 0
        enter(ladder, make_bot("second"))
        heard(service, "say Settled: ")
        ladder.retire("second")
        heard(service, "say first has no opponent")

    stop(service)


@pytest.mark.costly
def test_it_wakes_when_bots_may_meet(
    home: Home, service: Service, make_bot: MakeBot, enter: Enter
) -> None:
    """Bots of one author play as soon as the owner lets them, as the log advises."""
    heard(service, "say Nothing to play")
    with Ladder.open(home) as ladder:
        ladder.change({"same_author": SameAuthor.APART})
        enter(ladder, make_bot("first"), author="eve")
        enter(ladder, make_bot("second"), author="eve")
        heard(service, "say all 2 bots that could play are of one author, eve")
        ladder.change({"same_author": SameAuthor.TOGETHER})
    heard(service, "say Settled: ")

    stop(service)


@pytest.mark.costly
def test_it_stops_after_the_matches_under_way(
    home: Home, service: Service, make_bot: MakeBot, enter: Enter
) -> None:
    """SIGTERM during a match leaves nothing half done."""
    with Ladder.open(home) as ladder:
        enter(ladder, make_bot("first"))
        enter(ladder, make_bot("second"))
    heard(service, "advance")

    stop(service)
    with Ladder.open(home) as ladder, ladder.database.read() as tx:
        assert matches.count(tx, MatchState.RUNNING) == 0


@pytest.mark.costly
def test_what_stops_a_run_is_told_and_tried_again(
    home: Home, service: Service, make_bot: MakeBot, enter: Enter
) -> None:
    """A failed run is reported with the time of the retry, and stops at once when asked."""
    with Ladder.open(home) as ladder:
        enter(ladder, make_bot("voider"))
        enter(ladder, make_bot("ann"))

    assert heard(service, "warn 10 attempts in a row").endswith("Trying again in 10 s")
    stop(service)


@pytest.mark.costly
def test_the_command_tells_events_as_json(home: Home) -> None:
    """Every line on stderr is an object with time, level, message and ladder."""
    command = [str(COMMAND), "run", "--forever", "--log", "json", "--ladder", str(home.path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        lines = [json.loads(process.stderr.readline()) for _ in range(2)]
        process.send_signal(signal.SIGINT)
        lines.append(json.loads(process.stderr.readline()))
    assert process.returncode == 0
    messages = [line["message"] for line in lines]
    assert messages[1:] == [
        "Nothing to play; waiting for a bot to be submitted or retired.",
        "Stopped.",
    ]
    assert {(line["level"], line["ladder"]) for line in lines} == {("INFO", home.path.name)}
    assert all(line["time"].endswith("+00:00") for line in lines)
