"""Tokens identify authors, and authors own bots."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from ladder.model.bots import SubmissionOutcome
from ladder.model.errors import NotOwnerError, TokenError
from ladder.model.tokens import TokenState
from ladder.results import queries
from ladder.storage import tokens
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots
from tests.support.ladders import Command, Enter, MakeBot

pytestmark = pytest.mark.both_engines

DAY = timedelta(days=1)


def known_bots(ladder: Ladder) -> dict[str, str | None]:
    """Return the authors of all bots."""
    with ladder.database.read() as tx:
        return {name: bots.author(tx, name) for name in bots.names(tx)}


def test_an_author_is_known_by_each_token(ladder: Ladder) -> None:
    """An author may have several tokens, each different."""
    made = [tokens.create(ladder, name, days) for name in ("ann", "bob") for days in (None, DAY)]

    assert len(set(made)) == 4
    assert [tokens.author_of(ladder, token) for token in made] == ["ann", "ann", "bob", "bob"]


def test_other_texts_open_nothing(ladder: Ladder) -> None:
    """A token with a wrong secret, number or form identifies no author."""
    ann, bob = tokens.create(ladder, "ann"), tokens.create(ladder, "bob")
    last = "A" if ann[-1] != "A" else "B"
    wrong = [
        "",
        ann[:-1],
        ann[:-1] + last,
        ann + "A",
        f"{ann}\n",
        ann.replace("_1_", "_2_"),
        bob.replace("_2_", "_3_"),
        ann.replace("_1_", f"_{'9' * 18}_"),
        ann.replace("_1_", "_\u0661_"),
        "courtyard_\ud800",
    ]

    assert {tokens.author_of(ladder, token) for token in wrong} == {None}


def test_an_expired_token_opens_nothing(ladder: Ladder) -> None:
    """A token expires exactly at its time."""
    token = tokens.create(ladder, "ann", timedelta(0))

    assert tokens.author_of(ladder, token) is None
    assert [tokens.state(each) for each in tokens.every(ladder)] == [TokenState.EXPIRED]


def test_a_revoked_token_opens_nothing(ladder: Ladder) -> None:
    """Revoking ends that token at once, and no other."""
    first, second = tokens.create(ladder, "ann"), tokens.create(ladder, "ann")

    assert tokens.revoke(ladder, 1)
    assert not tokens.revoke(ladder, 1)
    assert [tokens.author_of(ladder, token) for token in (first, second)] == [None, "ann"]
    with pytest.raises(TokenError, match="there is no token 7"):
        tokens.revoke(ladder, 7)


def test_the_token_is_stored_nowhere(ladder: Ladder) -> None:
    """No file of the ladder holds a token or its secret part."""
    secret = tokens.create(ladder, "ann").split("_", 2)[2].encode()

    files = [path for path in ladder.home.path.rglob("*") if path.is_file()]
    assert [path for path in files if secret in path.read_bytes()] == []


@pytest.mark.parametrize("name", ["", "-ann", "ann bob", "a" * 65, "änn", "ann\n"])
def test_a_name_that_is_none_has_no_token(ladder: Ladder, name: str) -> None:
    """Authors' names use few characters, safe to show anywhere."""
    with pytest.raises(TokenError, match="author "):
        tokens.create(ladder, name)
    assert tokens.every(ladder) == []


def test_a_number_is_never_given_again(ladder: Ladder) -> None:
    """Even deleting a token's row never frees its number."""
    tokens.create(ladder, "ann")
    with ladder.database.write() as tx:
        tx.execute(text("delete from tokens"))

    assert tokens.create(ladder, "bob").startswith("courtyard_2_")


def test_a_bot_is_its_first_authors(ladder: Ladder, make_bot: MakeBot, enter: Enter) -> None:
    """Another author cannot submit a version of a bot, and none of it is kept."""
    enter(ladder, make_bot("eve"), author="ann")
    before = sorted(ladder.home.bots.iterdir())

    with pytest.raises(NotOwnerError, match="'eve' is another author's"):
        enter(ladder, make_bot("eve", "changed"), author="bob")

    assert sorted(ladder.home.bots.iterdir()) == before
    assert len(queries.versions(ladder, "eve")) == 1
    assert enter(ladder, make_bot("eve", "better"), author="ann").outcome is SubmissionOutcome.NEW
    assert known_bots(ladder)["eve"] == "ann"


def test_a_bot_of_the_owner_belongs_to_no_author(
    ladder: Ladder, make_bot: MakeBot, enter: Enter
) -> None:
    """A bot submitted at the ladder's machine belongs to no author, even with its own files."""
    with pytest.raises(NotOwnerError):
        enter(ladder, make_bot("bob"), author="bob")

    assert known_bots(ladder)["bob"] is None


def test_the_owner_may_submit_every_bot(ladder: Ladder, make_bot: MakeBot, enter: Enter) -> None:
    """Authors keep the bot."""
    enter(ladder, make_bot("eve"), author="ann")

    assert enter(ladder, make_bot("eve", "mended")).outcome is SubmissionOutcome.NEW
    assert known_bots(ladder)["eve"] == "ann"


def test_a_bot_that_became_anothers_meanwhile_is_refused(
    ladder: Ladder, make_bot: MakeBot, enter: Enter, fake_host: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two authors who submit a new bot at once, the first gets the name."""
    play = fake_host.play

    def play_slowly(spec: Any) -> Any:
        if not spec.goes_on:
            with ladder.database.write() as tx:
                tx.execute(text("insert into bots (id, name, author) values (9, 'eve', 'ann')"))
        return play(spec)

    monkeypatch.setattr(fake_host, "play", play_slowly)
    with pytest.raises(NotOwnerError):
        enter(ladder, make_bot("eve"), author="bob")

    assert known_bots(ladder)["eve"] == "ann"


def test_the_commands(ladder: Ladder, command: Command) -> None:
    """`token` prints a token alone, lists it without secret, revokes it by number."""
    folder = Path(ladder.home.path)
    made = command("token", "create", "ann", "--days", 3, "--ladder", folder)
    assert tokens.author_of(ladder, made.out.strip()) == "ann"

    invited = ("token", "create", "ann", "--ladder", folder, "--link")
    address, _, token = command(*invited, "https://club.org/").out.strip().partition("#")
    assert (address, tokens.author_of(ladder, token)) == ("https://club.org/me/", "ann")
    assert "give the address of the pages" in command(*invited, "club.org").err

    listed = command("token", "list", "--ladder", folder)
    assert " ann " in listed.out
    assert " valid " in listed.out
    assert made.out.strip().split("_", 2)[2] not in listed.out

    assert command("token", "revoke", 1, "--ladder", folder).out == "Token 1 is revoked.\n"
    again = command("token", "revoke", 1, "--ladder", folder)
    assert again.out == "Token 1 was already revoked.\n"
    assert " revoked " in command("token", "list", "--ladder", folder).out
    wrong = command("token", "create", "no body", "--ladder", folder)
    assert (wrong.status, wrong.out) == (1, "")
    assert wrong.err.startswith("error: author 'no body': use 1 to 64")
