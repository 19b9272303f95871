"""The API refuses an author who may not submit before anything is stored."""

import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from ladder.model import moments
from ladder.storage import tokens
from ladder.storage.ladder import Ladder
from tests.ladder.server.api.test_submit import archive_of, put
from tests.support.api_server import Visitor, serving


def test_the_api_refuses_early(
    ladder: Ladder,
    make_bot: Callable[..., Path],
    enter: Callable[..., Any],
    command: Callable[..., Any],
) -> None:
    """Other authors may submit, and `token list` shows each one's usage."""
    enter(ladder, make_bot("eve", os.urandom(1 << 20).hex()), author="ann")
    ladder.change({"author_disk_mib": 1})
    content = archive_of(make_bot("fay"))

    with serving([ladder]) as address:
        found = put(Visitor(address, tokens.create(ladder, "ann")), content)
        assert put(Visitor(address, tokens.create(ladder, "bob")), content, 0, 10).status == 200

    assert (found.status, found.reason) == (403, "DISK_QUOTA")
    assert (
        "ann may use 1 MiB in 64 files of the ladder's disk, and already uses 2."
        in (found.json["detail"])
    )
    listed = command("token", "list", "--ladder", ladder.home.path).out
    assert "2.0 MiB in 3 files" in listed


@pytest.mark.parametrize(
    ("option", "hours", "words"),
    [
        ("--opens", 1, "submissions open on "),
        ("--closes", -1, "submissions closed on "),
        ("--opens", -1, ""),
        ("--closes", 1, ""),
    ],
)
def test_submissions_have_their_time(
    ladder: Ladder,
    make_bot: Callable[..., Path],
    enter: Callable[..., Any],
    command: Callable[..., Any],
    option: str,
    hours: int,
    words: str,
) -> None:
    """Authors submit between the times that the owner sets; the owner always may."""
    at = (moments.now() + timedelta(hours=hours)).isoformat()
    assert command("settings", option, at, "--ladder", ladder.home.path).status == 0

    with serving([ladder]) as address:
        found = put(
            Visitor(address, tokens.create(ladder, "ann")), archive_of(make_bot("fay")), 0, 9
        )

    assert found.status == (403 if words else 200)
    if words:
        assert found.reason == "SUBMISSIONS_CLOSED"
        assert found.json["detail"].startswith(words)
    enter(ladder, make_bot("gil"))
