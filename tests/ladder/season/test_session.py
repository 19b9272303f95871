"""Sessions: commands that edit a bot in a workspace, honest and hostile."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ladder.model.errors import BundleError, LadderError
from ladder.season import workspace
from ladder.season.folder import SeasonFolder, Session
from ladder.season.plan import Budget, Planned
from ladder.season.session import Turn, seal, session
from ladder.storage.ladder import Ladder
from referee.sandbox.program import Level
from tests.support.lacking import need_level

MakeBot = Callable[..., Path]
Edit = Callable[..., Session]


@pytest.fixture
def season(tmp_path: Path) -> SeasonFolder:
    """The folder of a season, in which nothing is sealed."""
    found = SeasonFolder(tmp_path / "season")
    found.sealed.bots.mkdir(parents=True)
    return found


@pytest.fixture
def edit(ladder: Ladder, season: SeasonFolder, make_bot: MakeBot) -> Edit:
    """Let a shell command edit ann's bot before round 2; it is trusted unless told otherwise."""
    digest = seal(make_bot("ann"), season.sealed)

    def run(script: str, *, trusted: bool = True, **budget: float) -> Session:
        turn = Turn(
            season=season,
            planned=Planned("ann", ("sh", "-c", script), trusted=trusted),
            budget=Budget(**budget),  # type: ignore[arg-type]
            before=Session(1, "ann", digest, "", 0, 0, 0, 0, 0),
            agent=None,
            after=0,
            about="it broke",
        )
        return session(ladder, lambda _: None, turn=turn)

    return run


def test_what_a_command_edits_is_sealed(edit: Edit, season: SeasonFolder) -> None:
    """The sealed folder holds the edit, and the session counts the lines that it changed."""
    ended = edit("echo '# better' >> bot/bot.py; echo 'made of' > bot/README")

    assert (ended.round, ended.problem) == (2, "")
    assert (ended.added, ended.removed) == (2, 0)
    assert "# better" in (season.sealed.bundle(ended.digest) / "bot.py").read_text()


def test_what_a_command_is_told(edit: Edit, season: SeasonFolder) -> None:
    """It is told the round and its budget, why its bot was rejected, the standings and the docs."""
    edit("ls seen seen/docs seen/sample_bots; cat seen/round.json", tokens=70)
    printed = season.log(2, "ann").read_text()

    for word in ("standings.json", "validation.json", "protocol.md", "greedy"):
        assert word in printed
    assert '"tokens_left": 70' in printed
    assert '"rejected": "it broke"' in printed


def test_notes_stay_and_nothing_else(edit: Edit) -> None:
    """The next session finds the notes, the sealed bot, and nothing else that the last one left."""
    left = "echo 1 > notes/n; echo x > other; mkdir -p deep/er; ln -s /etc deep/link; chmod 0 deep"
    edit(f"{left}; rm -r seen; ln -s /etc seen")
    ended = edit("cat notes/n && test ! -e other && test ! -e deep && test -d seen/docs")

    assert ended.problem == ""


def test_a_command_that_fails_is_a_problem_and_its_edit_counts(edit: Edit) -> None:
    """How it ended is told; what it had written by then is sealed."""
    ended = edit("echo '# half' >> bot/bot.py; exit 3")

    assert ended.problem.endswith("failed: its process exited with status 3")
    assert ended.added == 1


@pytest.mark.costly
def test_a_session_ends_with_its_time(edit: Edit) -> None:
    """A command that takes longer than its budget is stopped."""
    assert edit("sleep 600", seconds=1).problem.endswith("a session may take 1 s")


def test_a_session_ends_with_its_disk(edit: Edit) -> None:
    """A command that fills its workspace is stopped."""
    ended = edit("head -c 3000000 /dev/zero > notes/large", disk_mib=2)

    assert ended.problem.endswith("the folder may hold 2 MiB")


@pytest.mark.costly
def test_a_session_ends_with_its_tokens(edit: Edit) -> None:
    """What the command reports is added up, and a command beyond its budget is stopped."""
    report = """echo '{"tokens": 40, "cost": 0.5}' >> spent.jsonl"""
    within = edit(f"{report}; {report}", tokens=80)
    beyond = edit(f"{report}; {report}; {report}; sleep 600", tokens=80)

    assert (within.problem, within.tokens, within.cost) == ("", 80, 1.0)
    assert beyond.problem.endswith("it may use 80 more tokens in this season")
    assert beyond.tokens == 120


@pytest.mark.sweep
@pytest.mark.parametrize(
    "script",
    [
        "echo nonsense > spent.jsonl",
        "echo '{\"tokens\": -5}' > spent.jsonl",
        "echo '{\"tokens\": 1.5}' > spent.jsonl",
        "echo '{\"cost\": NaN}' > spent.jsonl",
        "echo '[1]' > spent.jsonl",
        "mkfifo spent.jsonl",
        "ln -s /etc/hostname spent.jsonl",
        "head -c 2000000 /dev/zero > spent.jsonl",
    ],
)
def test_a_report_that_cannot_be_read_is_a_problem(edit: Edit, script: str) -> None:
    """Whatever a command reports, nothing but the session fails."""
    ended = edit(script)

    assert workspace.SPENT in ended.problem
    assert ended.tokens == 0


@pytest.mark.sweep
@pytest.mark.parametrize(
    "script",
    [
        "rm -r bot",
        "rm -r bot; ln -s ../.. bot",
        "rm bot/bot.toml; ln -s /etc/hostname bot/bot.toml",
        "mkfifo bot/.gitignore",
        "ln -s /etc/hostname bot/stolen",
        "mkfifo bot/pipe",
    ],
)
def test_a_bot_that_cannot_be_sealed_stays_as_it_was(edit: Edit, script: str) -> None:
    """Links out of the bot's folder, pipes and a missing bot bring nothing in, and stop nothing."""
    ended = edit(script)

    assert ended.problem.startswith("the bot cannot be sealed: ")
    assert "workspaces" not in ended.problem
    assert ended.digest == edit("true").digest


def test_a_command_gets_the_variables_of_the_plan_alone(
    ladder: Ladder, season: SeasonFolder, make_bot: MakeBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A contained command gets the variables that the plan names, and no others."""
    need_level(Level.STRICT)
    ladder.change({"sandbox": Level.STRICT})
    monkeypatch.setenv("KEY_OF_ANN", "abc")
    monkeypatch.setenv("KEY_OF_BOB", "xyz")
    turn = Turn(
        season=season,
        planned=Planned("ann", ("env",), environment=("KEY_OF_ANN",)),
        budget=Budget(),
        before=Session(1, "ann", seal(make_bot("ann"), season.sealed), "", 0, 0, 0, 0, 0),
        agent=None,
        after=0,
        about="",
    )
    session(ladder, lambda _: None, turn=turn)
    printed = season.log(2, "ann").read_text()

    assert "KEY_OF_ANN=abc" in printed
    assert "KEY_OF_BOB" not in printed


def test_a_contained_command_sees_no_other_workspace(
    ladder: Ladder, season: SeasonFolder, edit: Edit
) -> None:
    """It finds neither the season nor the ladder by their paths, and writes in its own alone."""
    need_level(Level.STRICT)
    ladder.change({"sandbox": Level.STRICT})
    other = season.workspace("bob")
    other.mkdir(parents=True)
    (other / "secret").write_text("of bob")
    paths = f"{other} {season.sealed.bots} {ladder.home.path} {Path.cwd()}/pyproject.toml"
    edit(
        f"ls -a .. / > notes/around; cat {paths} >> notes/around; ls {paths} >> notes/around; true",
        trusted=False,
    )
    found = (season.workspace("ann") / "notes" / "around").read_text()

    assert "of bob" not in found
    for name in ("secret", "ladder.db", "pyproject", "workspaces", "sealed"):
        assert name not in found


def test_an_uncontained_machine_needs_trust(edit: Edit) -> None:
    """Without a sandbox a command that the plan does not trust is refused in one line."""
    with pytest.raises(LadderError, match=r"`trusted = true` in the plan only if it will not"):
        edit("true", trusted=False)


@pytest.mark.costly
def test_a_session_shows_that_it_runs(edit: Edit) -> None:
    """The file by which a killed session's time is known is touched while the command runs."""
    file = "../../running/ann"
    ended = edit(f"touch -d 2000-01-01 {file}; until [ {file} -nt notes ]; do sleep 0.1; done")

    assert ended.problem == ""


def test_spent_reads_what_is_there(tmp_path: Path) -> None:
    """A session without a report has spent nothing; lines are added up."""
    assert workspace.spent(tmp_path) == workspace.Spent()
    (tmp_path / workspace.SPENT).write_text('{"tokens": 1}\n\n{"cost": 2}\n')
    assert workspace.spent(tmp_path) == workspace.Spent(1, 2.0)
    (tmp_path / workspace.SPENT).write_text("{")
    with pytest.raises(BundleError, match="line 1: write"):
        workspace.spent(tmp_path)


def test_moved_lines_are_no_change(tmp_path: Path) -> None:
    """Only lines that are new or gone count, in text and in other files."""
    for name, lines in (("before", "a\nb\nc\n"), ("after", "c\na\nd\ne\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.py").write_text(lines)
    (tmp_path / "after" / "table").write_bytes(b"\xff\x00")

    assert workspace.changed_lines(tmp_path / "before", tmp_path / "after") == (3, 1)
