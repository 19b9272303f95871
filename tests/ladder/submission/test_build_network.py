"""The network access of builds."""

import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ladder.model.bots import SubmissionOutcome, Version
from ladder.model.settings import BuildNetwork
from ladder.storage.files import builds
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots
from ladder.submission.submit import submit
from referee.core import folders
from referee.sandbox.program import Level
from tests.support.lacking import need_level

MakeBot = Callable[..., Path]
SWITCH = "ladder settings --build-network"
SETTINGS = [
    (BuildNetwork.OWNER, None, True),
    (BuildNetwork.OWNER, "ann", False),
    (BuildNetwork.EVERYONE, None, True),
    (BuildNetwork.EVERYONE, "ann", True),
    (BuildNetwork.NOBODY, None, False),
    (BuildNetwork.NOBODY, "ann", False),
]


@pytest.fixture
def downloader(make_bot: MakeBot) -> Iterator[Path]:
    """The folder of a bot whose build fetches something, here from localhost."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        script = (
            f"import socket; socket.create_connection(('127.0.0.1', {server.getsockname()[1]}))"
        )
        yield make_bot("eve", manifest=f'build = [["python3", "-c", "{script}"]]\n')


@pytest.fixture
def contained(ladder: Ladder) -> Ladder:
    """A ladder that contains its bots."""
    need_level(Level.STRICT)
    ladder.change({"sandbox": Level.STRICT})
    return ladder


@pytest.mark.parametrize(("setting", "author", "allowed"), SETTINGS)
def test_who_may_use_the_network(
    contained: Ladder,
    downloader: Path,
    fake_host: Any,
    monkeypatch: pytest.MonkeyPatch,
    setting: BuildNetwork,
    author: str | None,
    *,
    allowed: bool,
) -> None:
    """By default only the owner's builds have network access; a refusal names the setting."""
    monkeypatch.setattr("ladder.submission.submit.host_at", lambda _: fake_host)
    contained.change({"build_network": setting})
    said: list[str] = []
    with Ladder.open(contained.home) as ladder:
        submission = submit(ladder, downloader, said.append, author)

    assert (submission.outcome is SubmissionOutcome.NEW) == allowed
    assert (SWITCH in str(submission.version.rejected)) == (not allowed)
    assert said[0].startswith("Building eve with network access: " if allowed else "Building eve: ")


def test_an_ordinary_failure_does_not_blame_the_network(
    contained: Ladder, make_bot: MakeBot, enter: Callable[..., Any]
) -> None:
    """A build that fails with network access does not mention the setting."""
    folder = make_bot("eve", manifest='build = [["false"]]\n')

    assert SWITCH not in enter(contained, folder).version.rejected


@pytest.mark.parametrize("allowed", [True, False])
def test_a_lost_build_has_the_network_that_it_had(
    contained: Ladder, downloader: Path, enter: Callable[..., Any], *, allowed: bool
) -> None:
    """A lost build is rebuilt with the same access; if that is now forbidden, the error says so."""
    version = enter(contained, downloader).version
    folders.remove(contained.home.built(version.digest))
    contained.change({"build_network": BuildNetwork.OWNER if allowed else BuildNetwork.NOBODY})

    with Ladder.open(contained.home) as ladder, ladder.database.read() as tx:
        versions, author = bots.active(tx), bots.author(tx, version.bot)

    def may_use_network(_: Version) -> bool:
        return ladder.settings.may_use_network(author)

    failed = builds.mend(
        contained.home,
        versions,
        Level.STRICT,
        may_use_network=may_use_network,
        say=lambda _: None,
    )

    assert [bool(re.search(SWITCH, why)) for _, why in failed] == ([] if allowed else [True])
    assert contained.home.built(version.digest).is_dir() == allowed
