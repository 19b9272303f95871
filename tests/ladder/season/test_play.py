"""Rounds of a season, with validation matches without bots, and no others."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from ladder.model.errors import LadderError
from ladder.season import play
from ladder.season.folder import Interrupted, SeasonFolder, Session, Submitted
from ladder.season.plan import read_plan
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.submission import submit as submission
from referee.core.errors import CourtyardError
from tests.support.fake_host import FakeHost

MakeBot = Callable[..., Path]
Run = Callable[..., list[Any]]
RENAME = "sed -i s/ann/eve/ bot/bot.toml"
BUDGET = "[budget]\ntokens = 100\n"


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch, fake_host: FakeHost) -> None:
    """Run sessions and submissions here, and play no validation match."""

    def submit_each(
        ladder: Ladder, paths: Sequence[Path], say: Any, authors: Sequence[str]
    ) -> Iterator[tuple[Path, object]]:
        for path, author in zip(paths, authors, strict=True):
            try:
                yield path, submission.submit(ladder, path, say, author=author)
            except CourtyardError as error:
                yield path, error

    def do_each(home: Home, jobs: Sequence[Any], __: float, say: Any) -> Iterator[Any]:
        for job in jobs:
            with Ladder.open(home) as ladder:
                yield job(ladder, say)

    monkeypatch.setattr(submission, "host_at", lambda _: fake_host)
    monkeypatch.setattr(play, "submit_each", submit_each)
    monkeypatch.setattr(play, "do_each", do_each)


@pytest.fixture
def run(tmp_path: Path, make_bot: MakeBot) -> Run:
    """Play a season in which a trusted shell command edits ann's bot; return the journal."""

    def played(script: str, rounds: int, budget: str = "") -> list[Any]:
        season = SeasonFolder(tmp_path / "season")
        if not season.has_begun:
            bots = "".join(
                f'[[entrant]]\nbot = "{make_bot(name)}"\n{more}\n'
                for name, more in (
                    ("ann", f"command = ['sh', '-c', '{script}']\ntrusted = true"),
                    ("bob", ""),
                )
            )
            plan = f'game = "courtisans"\nseats = 2\nrounds = {rounds}\n{budget}{bots}'
            (tmp_path / "plan.toml").write_text(plan)
            play.begin(season, read_plan(tmp_path / "plan.toml"), "a secret")
        with Ladder.open(season.ladder) as ladder:
            play.run(season, ladder, lambda *_: None, lambda _: None, rounds)
        return [line for line in season.lines() if getattr(line, "bot", "") == "ann"]

    return played


def killed(home: Home, jobs: Sequence[Any], *_: object) -> Iterator[Any]:
    """Run sessions, and kill the season before it hears of their end."""
    with Ladder.open(home) as ladder:
        for job in jobs:
            job(ladder, lambda _: None)
    yield from killed_at_once(home, jobs)


def killed_at_once(_: Home, jobs: Sequence[Any], *__: object) -> Iterator[Any]:
    """Kill the season before the first session begins."""
    if jobs:
        raise KeyboardInterrupt
    yield from ()


@pytest.mark.costly
def test_a_bot_keeps_its_name(run: Run) -> None:
    """A renamed bot is rejected, round after round; the version before plays on."""
    own = [line for line in run(RENAME, 3) if isinstance(line, Submitted)]

    assert [(line.round, line.version) for line in own] == [(1, 1), (2, 1), (3, 1)]
    assert own[0].rejected == ""
    assert own[1].rejected == own[2].rejected == "its bot.toml names it eve: it must stay ann"


@pytest.mark.costly
def test_each_edit_is_a_version(run: Run) -> None:
    """An edited bot is submitted as a new version by the author of its name."""
    own = [line for line in run("echo >> bot/bot.py", 3) if isinstance(line, Submitted)]

    assert [(line.version, line.rejected) for line in own] == [(1, ""), (2, ""), (3, "")]


@pytest.mark.costly
def test_no_session_begins_without_tokens(run: Run) -> None:
    """Once the season's tokens are used up the bot stays as it is."""
    report = 'echo "{\\"tokens\\": 60}" > spent.jsonl; echo >> bot/bot.py'
    own = [line for line in run(report, 4, BUDGET) if isinstance(line, Session)]

    assert [line.tokens for line in own] == [0, 60, 60, 0]
    assert own[3].digest == own[2].digest
    assert own[3].seconds == 0


@pytest.mark.costly
def test_what_a_killed_session_used_counts(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Time and reported tokens of a killed session count in the budget of the next, and are told.

    However often the season is killed before the next session begins, they count once.
    """
    report = (
        'echo "{\\"tokens\\": 40, \\"cost\\": 1}" > spent.jsonl; cat seen/round.json > notes/told'
    )

    for interrupted in (killed, killed_at_once):
        with monkeypatch.context() as patch:
            patch.setattr(play, "do_each", interrupted)
            with pytest.raises(KeyboardInterrupt):
                run(report, 2, BUDGET)
    own = run(report, 2, BUDGET)
    (used,) = (line for line in own if isinstance(line, Interrupted))
    ended = own[-2]

    assert (used.round, used.tokens, used.cost) == (2, 40, 1.0)
    assert used.seconds > 0
    assert (ended.tokens, ended.cost) == (80, 2.0)
    assert ended.seconds > used.seconds


def test_a_killed_session_may_use_up_the_budget(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then no session begins in its place: the bot stays as it is, and what was used is told."""
    report = 'echo "{\\"tokens\\": 100}" > spent.jsonl; echo >> bot/bot.py'

    with monkeypatch.context() as patch:
        patch.setattr(play, "do_each", killed)
        with pytest.raises(KeyboardInterrupt):
            run(report, 2, BUDGET)
    own = [line for line in run(report, 2, BUDGET) if isinstance(line, Session)]

    assert [line.tokens for line in own] == [0, 100]
    assert own[1].digest == own[0].digest


def test_a_fault_of_the_machine_rejects_no_bot(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends the command; repeated, the season goes on, and no session runs again."""

    def fails(_: Ladder, paths: Sequence[Path], *__: object) -> Iterator[tuple[Path, object]]:
        return ((path, LadderError("the machine was busy")) for path in paths)

    with monkeypatch.context() as patch:
        patch.setattr(play, "submit_each", fails)
        with pytest.raises(LadderError, match="the machine was busy"):
            run("echo >> bot/bot.py", 2)
    own = run("echo >> bot/bot.py", 2)

    assert [type(line).__name__ for line in own] == [
        *("Entry", "Session", "Submitted", "Session", "Submitted"),
    ]
