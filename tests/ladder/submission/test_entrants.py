"""What the words of a tournament or duel mean."""

from pathlib import Path

import pytest

from ladder.model.errors import LadderError, NoLadderError
from ladder.storage.ladder import Ladder
from ladder.submission.entrants import find
from tests.support.ladders import Enter, MakeBot


def test_a_name_means_the_ladders_bot_before_a_sample_bot(
    ladder: Ladder, make_bot: MakeBot, enter: Enter
) -> None:
    """Which sample bot is asked for follows from the game, by default the ladder's."""
    enter(ladder, make_bot("greedy"))
    found = find(["greedy", "counter", "ann"], ladder.home.path).each
    other = find(["counter"], ladder.home.path, "miracles").each

    assert [bool(each.version) for each in found] == [True, False, True]
    assert found[1].folder.parts[-2:] == ("courtisans", "counter")
    assert other[0].folder.parts[-2:] == ("miracles", "counter")


def test_sample_bots_need_no_ladder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any folder will do; what is neither folder nor sample bot is refused by name."""
    monkeypatch.chdir(tmp_path)
    assert [each.bot for each in find(["random", "greedy"], None).each] == ["random", "greedy"]
    with pytest.raises(LadderError, match="nobody: this is not a folder"):
        find(["greedy", "nobody"], None)
    with pytest.raises(NoLadderError):
        find(["greedy"], tmp_path)
    with pytest.raises(NoLadderError):
        find([], None)
