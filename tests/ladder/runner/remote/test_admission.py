"""Admission of remote bots to the gateway."""

from datetime import timedelta

import pytest

from ladder.runner.remote.gateway_process import Admission
from ladder.storage import tokens
from ladder.storage.ladder import Ladder
from referee.transports.gateway import NotAdmittedError
from tests.support.ladders import Enter, MakeBot


@pytest.fixture
def admission(ladder: Ladder, make_remote_bot: MakeBot, enter: Enter) -> Admission:
    """The admission of a ladder on which Eve has two versions of a remote bot."""
    for release in "12":
        enter(ladder, make_remote_bot("far", release), author="eve")
    return Admission(ladder)


def test_an_author_joins_as_the_version_that_plays(ladder: Ladder, admission: Admission) -> None:
    """An author joins as the active version, or as a named one, which may have matches left."""
    token = tokens.create(ladder, "eve")

    assert admission(token, "far") == admission(token, "far@2") == "far@2"
    assert admission(token, "far@1") == "far@1"


@pytest.mark.parametrize(
    ("author", "name", "reason", "known"),
    [
        (None, "far", "the token is wrong, expired or revoked", False),
        ("bob", "far", "you have no remote bot 'far' in this ladder", True),
        ("bob", "far@2", "you have no remote bot 'far' in this ladder", True),
        ("eve", "ann", "you have no remote bot 'ann' in this ladder", True),
        ("eve", "none", "you have no remote bot 'none' in this ladder", True),
        ("eve", "", "you have no remote bot '' in this ladder", True),
        ("eve", "far@3", "far has no remote version 3", True),
        ("eve", "far@", "far has no remote version ", True),
    ],
)
def test_no_other_bot_joins(
    ladder: Ladder, admission: Admission, author: str | None, name: str, reason: str, *, known: bool
) -> None:
    """Another author's bot is refused with the same message as an unknown one."""
    token = tokens.create(ladder, author) if author else "courtyard_1_nonsense"

    with pytest.raises(NotAdmittedError, match=f"^{reason}$") as caught:
        admission(token, name)
    assert caught.value.known is known


def test_what_was_taken_back_opens_nothing(ladder: Ladder, admission: Admission) -> None:
    """Revoked and expired tokens are refused, and so are retired bots."""
    revoked, over, valid = (
        tokens.create(ladder, "eve", lifetime) for lifetime in (None, timedelta(), None)
    )
    tokens.revoke(ladder, 1)
    ladder.retire("far")

    for token in (revoked, over):
        with pytest.raises(NotAdmittedError, match="wrong, expired or revoked"):
            admission(token, "far")
    with pytest.raises(NotAdmittedError, match="far is retired"):
        admission(valid, "far")
