"""A bot that leaves with its match is rejected whenever it leaves, and one that stays is not."""

import shutil
from pathlib import Path

import pytest

from ladder.model.bots import SubmissionOutcome
from ladder.results import queries
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables.records import fault_of, unpack
from ladder.submission.submit import submit

LEAVER = Path(__file__).parents[2] / "bots" / "leaver"
PLAIN = Path(__file__).parents[3] / "sample_bots" / "plain" / "python"


def leaver(tmp_path: Path, how: str) -> Path:
    """Make a bot that leaves in this way after its first match."""
    folder = shutil.copytree(LEAVER, tmp_path / how)
    file = folder / "bot.toml"
    file.write_text(file.read_text().replace("never", how))
    return folder


@pytest.mark.parametrize("how", ["0", "20", "200", "crashes"])
def test_a_bot_that_ends_with_its_match_is_rejected(home: Home, tmp_path: Path, how: str) -> None:
    """The verdict names the rule of the protocol, and the match that shows it is kept."""
    with Ladder.open(home) as ladder:
        submission = submit(ladder, leaver(tmp_path, how), lambda _: None)
        validation = queries.validation(ladder, submission.version)

    assert submission.outcome is SubmissionOutcome.REJECTED
    told = str(submission.version.rejected)
    assert "after its first one: DISCONNECTED" in told
    assert "docs/protocol.md, rule match.next" in told
    assert "the next MUST be played on the same stream" in told
    assert validation is not None
    assert validation.record is not None
    assert fault_of(unpack(validation.record), 0) is not None


def test_a_bot_that_stays_is_entered(home: Home, tmp_path: Path) -> None:
    """A bot that plays match after match is entered."""
    with Ladder.open(home) as ladder:
        submission = submit(ladder, leaver(tmp_path, "never"), lambda _: None)

    assert submission.outcome is SubmissionOutcome.NEW


def test_a_plain_bot_for_all_games_is_entered(home: Home) -> None:
    """It plays its validation matches in the game of the ladder."""
    with Ladder.open(home) as ladder:
        submission = submit(ladder, PLAIN, lambda _: None)

    assert submission.outcome is SubmissionOutcome.NEW
