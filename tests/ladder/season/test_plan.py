"""Plans of seasons, good and bad, and the journal."""

from pathlib import Path

import pytest

from ladder.model.errors import StoreError
from ladder.season.folder import Entry, SeasonFolder, Session
from ladder.season.plan import read_plan
from referee.core.errors import UsageError

ROOT = Path(__file__).parents[3]
GOOD = 'game = "courtisans"\n[[entrant]]\nbot = "greedy"\n[[entrant]]\nbot = "counter"\n'


def test_a_short_plan_is_enough(tmp_path: Path) -> None:
    """A game and two sample bots make a plan."""
    (tmp_path / "plan.toml").write_text(GOOD)
    plan = read_plan(tmp_path / "plan.toml")

    assert (plan.rounds, plan.seats) == (10, 4)
    assert [manifest.name for manifest in plan.bots()] == ["greedy", "counter"]


def test_the_plans_that_authors_read_hold(tmp_path: Path) -> None:
    """The example and the plan in the docs can be read as they stand."""
    page = (ROOT / "docs" / "season.md").read_text()
    (tmp_path / "plan.toml").write_text(page.partition("```toml\n")[2].partition("```")[0])
    shown = read_plan(tmp_path / "plan.toml")
    example = read_plan(ROOT / "examples" / "season" / "plan.toml")

    assert [bool(planned.command) for planned in shown.entrants] == [True, False, True]
    assert [manifest.name for manifest in example.bots()] == ["tuner", "copycat", "breaker", "idle"]
    assert all(map(example.agent, example.entrants[:3]))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", 'the key "game" is missing'),
        ('game = "chess"', "chess"),
        ('game = "courtisans"', "at least two entrants"),
        (f"rounds = 0\n{GOOD}", '"rounds" must be a whole number from 1'),
        (f"round = 3\n{GOOD}", 'the plan: unknown key "round"'),
        (f"seats = 1\n{GOOD}", '"seats"'),
        (f"{GOOD}agents = 1", 'entrant 2: unknown key "agents"'),
        (f'{GOOD}command = "sh"', '"command" must be a list of texts'),
        (f"{GOOD}trusted = 1", '"trusted" must be true or false'),
        (f"{GOOD}[budget]\nhours = 1", 'budget: unknown key "hours"'),
        (f"entrant = 3\n{GOOD.partition('[')[0]}", '"entrant" must be a list'),
        (f"{GOOD}[[entrant]]\nbot = 'greedy'", "two entrants have the name greedy"),
        (f"{GOOD}[[entrant]]\nbot = 'nothing-there'", "nothing-there"),
    ],
)
def test_a_bad_plan_is_refused_in_one_line(tmp_path: Path, text: str, reason: str) -> None:
    """The error says where and what."""
    (tmp_path / "plan.toml").write_text(text)
    with pytest.raises(UsageError) as refused:
        read_plan(tmp_path / "plan.toml").bots()

    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_line_that_was_cut_off_does_not_count(tmp_path: Path) -> None:
    """A process that is killed while it writes the journal leaves it readable."""
    season, entry = SeasonFolder(tmp_path), Entry("ann", "0" * 64, None)
    season.begin(GOOD, [entry])
    ended = Session(1, "ann", "0" * 64, "", 1.5, 3, 0.25, 4, 5)
    season.write(ended)
    with (tmp_path / "journal.jsonl").open("a") as journal:
        journal.write('{"kind": "sess')

    assert season.lines() == [entry, ended]
    season.write(ended)
    assert season.lines() == [entry, ended, ended]


def test_a_damaged_journal_names_its_line(tmp_path: Path) -> None:
    """What is no line of the journal is refused in one line."""
    season = SeasonFolder(tmp_path)
    season.begin(GOOD, [Entry("ann", "0" * 64, None)])
    with (tmp_path / "journal.jsonl").open("a") as journal:
        journal.write('{"kind": "party"}\n')
    with pytest.raises(StoreError, match="line 2: damaged"):
        season.lines()
