"""A director decides twenty times while the tournament is played and workers are killed."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from ladder.model.matches import MatchState
from ladder.model.tournaments import Kind
from ladder.results import queries
from ladder.scheduling.tournament.directing import plan_of
from ladder.scheduling.tournament.planner import (
    TournamentProgress,
    directives_of,
    progress_of,
    stored_rounds,
)
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import directives, match_lines
from referee.match.record import record_to_json
from tests.acceptance.test_recomputed import recomputed
from tests.support.ladders import Command
from tests.support.processes import children, is_python_child
from tests.support.waiting import until

LADDER = Path(sys.executable).with_name("ladder")
BOTS = ("ann", "bob", "cyd", "dan", "eve", "fay", "guy")
FEWEST = 3
"""How many bots are to stay in the tournament."""
OPTIONS: dict[Kind, Sequence[str]] = {
    Kind.ROUND_ROBIN: (),
    Kind.SWISS: ("--rounds", "6", "--forbid", "ann,bob", "--forbid", "cyd,dan"),
    Kind.GAUNTLET: ("--deals", "3"),
    Kind.KNOCKOUT: ("--deals", "2", "--sudden-death", "2"),
    Kind.DOUBLE_ELIMINATION: ("--sudden-death", "1"),
    Kind.GROUPS: ("--sudden-death", "1"),
}
STATUSES = (0, 1, 130)
"""Of a run that ends: at the end, for want of workers, and paused."""
BOT = """
from courtyard_kit.courtisans import run

run(lambda position: position.random_action(), name={name!r})
"""


class Event:
    """A tournament with its director, whose decisions are random."""

    EAGER, DEADLY, OF_SWISS = 0.7, 0.3, 0.3
    """How likely a decision is tried, and a worker killed, when a match has ended, and how likely a
    decision is of a kind that only a Swiss tournament has."""

    def __init__(self, command: Command, folder: Path, kind: Kind, seed: int) -> None:
        """Create the tournament in a process of its own."""
        self._command, self._folder, self._kind = command, folder, kind
        self._random = Random(seed)
        self._cup, self._output = folder / "cup", folder / "output"
        bots = [self._bot(name) for name in BOTS]
        self._run = self._start("tournament", kind.value, self._cup, *bots, *OPTIONS[kind])

    def _bot(self, name: str) -> Path:
        folder = self._folder / "bots" / name
        folder.mkdir(parents=True)
        (folder / "bot.toml").write_text(
            f'name = "{name}"\ngames = ["courtisans"]\ncommand = ["python3", "bot.py"]\n'
            'transport = "stdio"\n'
        )
        (folder / "bot.py").write_text(BOT.format(name=name))
        return folder

    def _start(self, *words: object) -> subprocess.Popen[bytes]:
        rules = ("--sandbox", "trusted", "--seats", "2") if "tournament" in words else ()
        with self._output.open("ab") as output:
            return subprocess.Popen(
                [LADDER, *map(str, words), *rules, "--workers", "2"], stdout=output, stderr=output
            )

    def direct(self, decisions: int) -> None:
        """Take decisions, one each time that a match has ended, until the tournament is over.

        If a round has no pairing, decisions follow until it has one.
        """
        played = 0
        try:
            while decisions > 0 or not self._is_over():
                if self._run.poll() is None:
                    self._await_more_than(played)
                elif not self._is_over():
                    self._go_on()
                played = self._matches()
                is_due = decisions > 0 or self._waits_for_a_decision()
                if is_due and self._random.random() < self.EAGER:
                    decisions -= self._decide()
                if self._random.random() < self.DEADLY:
                    self._kill_a_worker()
        finally:
            self._run.kill()
            self._run.wait()

    def _await_more_than(self, played: int) -> None:
        """Wait for another match, or for the end of the run."""
        until(lambda: self._run.poll() is not None or self._matches() > played)

    def _is_over(self) -> bool:
        return self._run.poll() is not None and self._now()[0].over

    def _waits_for_a_decision(self) -> bool:
        return self._run.poll() is not None and bool(self._now()[0].unpaired)

    def _go_on(self) -> None:
        """Start another run after one that has ended."""
        assert self._run.returncode in STATUSES, self._output.read_text()
        with Ladder.open(Home(self._cup)) as ladder, ladder.database.read() as tx:
            is_paused = directives.pause(tx) is not None
        if is_paused:
            assert self._command("resume", "--ladder", self._cup).status == 0
        self._run = self._start("run", "--ladder", self._cup)

    def _matches(self) -> int:
        """Return how many matches are done; 0 while the tournament is being created."""
        with suppress(Exception):
            return len(self._now()[1])
        return 0

    def _now(self) -> tuple[TournamentProgress, list[str], dict[int, str]]:
        """Return the tournament, the matches that are done, and the names of the bots."""
        with Ladder.open(Home(self._cup)) as ladder, ladder.database.read() as tx:
            known = {version.id: version for version in queries.all_versions(ladder)}
            lines = match_lines.from_round(tx, known, 0)
            rounds, given = stored_rounds(tx), directives_of(tx)
            now = progress_of(plan_of(ladder), ladder.settings.seats, rounds, given)
        done = [line.match_id for line in lines if line.state is MatchState.DONE]
        return now, done, {number: version.bot for number, version in known.items()}

    def _decide(self) -> bool:
        """Try one decision; return whether it was accepted. A refusal is one line."""
        now, done, names = self._now()
        random, why = self._random, ("--why", "a reason", "--ladder", self._cup)
        there = [names[e] for e in now.field.entrants if e not in now.gone]
        gone = [names[e] for e in now.gone]
        forbidden = [names[e] for pair in now.field.apart.forbidden for e in pair]
        retractable = [*gone, *now.annulled, *sorted(set(forbidden))]
        leaving = [("withdraw", there), ("disqualify", there)] if len(there) > FEWEST else []
        kinds = [*leaving, ("retract", retractable), ("annul", done), ("pause", [""])]
        verb, abouts = random.choice([(verb, some) for verb, some in kinds if some])
        about = random.choice(abouts)
        if self._kind is Kind.SWISS and random.random() < self.OF_SWISS:
            bye = ("bye", random.choice(there), "--round", now.number + 1)
            pair = ("forbid", *random.sample(there, 2))
            ended = self._command(*random.choice([bye, pair]), *why)
        else:
            ended = self._command(verb, *filter(None, [about]), *why)
        assert ended.status in (0, 1), ended.err
        assert ended.status == 0 or ended.err.count("\n") == 1, ended.err
        return ended.status == 0

    def _kill_a_worker(self) -> None:
        workers = [child for child in children(self._run.pid) if is_python_child(child)]
        if workers:
            with suppress(ProcessLookupError):
                os.kill(self._random.choice(workers), signal.SIGKILL)

    def case(self) -> str:
        """Return what the arbiter reads, in JSON."""
        document, report = self._folder / "cup.json", self._folder / "cup.trf"
        has_report = self._kind in (Kind.SWISS, Kind.ROUND_ROBIN)
        files = ("--json", document, *["--trf", report] * has_report)
        told = self._command("tournament", self._kind.value, self._cup, *files)
        assert told.status == 0, told.err
        with Ladder.open(Home(self._cup)) as ladder:
            records = [queries.record(ladder, queries.match(ladder, m)) for m in self._now()[1]]
        of_matches = [json.loads(record_to_json(record)) for record in records]
        trf = report.read_bytes().decode() if has_report else ""
        people = {by: told for by in ("author", "team") if (told := self._standings(by))}
        return json.dumps([json.loads(document.read_text()), of_matches, trf, people])

    def _standings(self, by: str) -> Any:
        """Return the standings of authors or teams; None if there are none."""
        told = self._command("standings", "--by", by, "--json", "--ladder", self._cup)
        return None if told.status else json.loads(told.out)

    def verified(self) -> bool:
        """Return whether `ladder verify` finds nothing."""
        return self._command("verify", "--ladder", self._cup).status == 0


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave every ladder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COURTYARD_LADDER", raising=False)


def check(command: Command, folder: Path, kind: Kind, seed: int, decisions: int) -> None:
    """Let a tournament be directed, and recompute it."""
    folder.mkdir()
    event = Event(command, folder, kind, seed)
    event.direct(decisions)
    case = event.case()

    assert len(json.loads(case)[0]["directives"]) >= decisions
    assert recomputed(folder, [case]) == [[]], f"seed {seed}"
    assert event.verified()


@pytest.mark.proof
@pytest.mark.long
def test_a_directed_tournament(command: Command, tmp_path: Path) -> None:
    """The table of a directed Swiss tournament is the one that the arbiter computes."""
    check(command, tmp_path / "one", Kind.SWISS, 1, decisions=8)


@pytest.mark.proof
@pytest.mark.parametrize("kind", Kind)
def test_twenty_decisions(
    command: Command, tmp_path: Path, kind: Kind, proof_cases: Callable[[int], int]
) -> None:
    """In all formats the final table is the arbiter's, whatever was decided at whatever moment."""
    for seed in range(proof_cases(5)):
        check(command, tmp_path / str(seed), kind, seed, decisions=20)


@pytest.mark.proof
def test_the_typed_tournament(tmp_path: Path) -> None:
    """Each command of the session in docs/directing.md works and prints what stands below it."""
    page = (Path(__file__).parents[2] / "docs" / "directing.md").read_text()
    _, _, session = page.partition("```console\n$ ")
    environment = {**os.environ, "PATH": f"{LADDER.parent}{os.pathsep}{os.environ['PATH']}"}
    for typed in session.partition("```")[0].split("\n$ "):
        command, *printed = typed.strip().split("\n")
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            cwd=tmp_path,
            env={**environment, "COLUMNS": "100"},
            capture_output=True,
            text=True,
            check=False,
        )
        killed = -signal.SIGKILL, 128 + signal.SIGKILL
        assert done.returncode == 0 or ("KILL" in command and done.returncode in killed), done
        assert [line for line in printed if line not in done.stdout.splitlines()] == []
