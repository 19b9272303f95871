"""The API tells an author whose disk quota is full before anything is sent."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ladder.storage import tokens
from ladder.storage.ladder import Ladder
from tests.ladder.server.api.conftest import Visit, opened
from tests.ladder.server.api.test_submit import archive_of, opening, refused


def test_the_api_refuses_early(
    ladder: Ladder,
    make_bot: Callable[..., Path],
    enter: Callable[..., Any],
    visit: Visit,
    command: Callable[..., Any],
) -> None:
    """Other authors may submit, and `token list` shows each one's usage."""
    enter(ladder, make_bot("eve", os.urandom(1 << 20).hex()), author="ann")
    ladder.change({"author_disk_mib": 1})
    content = archive_of(make_bot("fay"))

    with opened([ladder]) as api:
        found = refused(visit(api.address, tokens.create(ladder, "ann")), opening(content))
        call = visit(api.address, tokens.create(ladder, "bob")).call(
            "Submit", iter([opening(content)])
        )
        assert next(call).offset_bytes == 0
        call.cancel()

    assert (found.reason, found.code.name) == ("DISK_QUOTA", "RESOURCE_EXHAUSTED")
    assert "ann may use 1 MiB in 64 files of the ladder's disk, and already uses 2." in (
        found.message
    )
    listed = command("token", "list", "--ladder", ladder.home.path).out
    assert "2.0 MiB in 3 files" in listed
