"""A class: its list of names, and the invitations with which its members submit bots.

The list is a CSV file in the ladder's folder, a line a member: the name, which only the owner sees,
and the author under which the ladder knows the member. Names may be edited there.
"""

import csv
import os
import re
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import timedelta
from io import StringIO
from pathlib import Path

from ladder.model.errors import LadderError
from ladder.model.members import Member
from ladder.model.settings import LONGEST_AUTHOR
from ladder.model.tokens import TokenState
from ladder.storage import tokens
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder

_FILE = "class.csv"
_HEADING = ["name", "author"]
_NAME_HEADINGS = {"name", "names", "student", "students", "pupil", "pupils"}
_MOST_BYTES = 1 << 20
_DELIMITERS = ",;\t"
_NO_LETTER = "member"
"""The author's name of someone whose name has no letter that ASCII has."""
_SUFFIX = 4
"""Characters kept free for the suffix of equal names."""


def names_in(file: Path) -> list[str]:
    """Return the names in a file: a line each, or a CSV file's column `name`, else its first one.

    Raise `LadderError` if it cannot be read, has no name, or has one twice.
    """
    rows = _rows(file)
    headings = [cell.casefold() for cell in rows[0]] if rows else []
    column = next((i for i, cell in enumerate(headings) if cell in _NAME_HEADINGS), None)
    below = rows if column is None else rows[1:]
    names = [row[column or 0] for row in below if len(row) > (column or 0) and row[column or 0]]
    if not names:
        raise LadderError(f"{file}: no name: write one on each line")
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise LadderError(f"{file}: twice in the list: {', '.join(twice)}; tell them apart")
    return names


def members(home: Home) -> list[Member]:
    """Return the members of a ladder's class; raise `LadderError` if it has none."""
    if found := known_members(home):
        return found
    raise LadderError(f"{home.path}: no class: make one with `ladder class create`")


def known_members(home: Home) -> list[Member]:
    """Return the members that a ladder's class has; raise `LadderError` if the list is damaged."""
    if not (file := home.path / _FILE).exists():
        return []
    _, *rows = _rows(file) or [[]]
    if any(len(row) != len(_HEADING) or not all(row) for row in rows):
        raise LadderError(f"{file}: each line has a name and an author, below the headings")
    return [Member(*row) for row in rows]


def invite(
    ladder: Ladder, names: Iterable[str], lifetime: timedelta | None
) -> list[tuple[Member, str]]:
    """Put names on the class list, if they are new; return each member with a new token.

    A member's tokens of before are revoked: an invitation that was lost opens nothing.
    """
    known = known_members(ladder.home)
    by_name = {member.name: member for member in known}
    issued = tokens.every(ladder)
    taken = {member.author for member in known} | {token.author for token in issued}
    found = []
    for name in names:
        member = by_name.get(name) or Member(name, _author(name, taken))
        by_name[name] = member
        taken.add(member.author)
        for token in issued:
            if token.author == member.author and tokens.state(token) is TokenState.VALID:
                tokens.revoke(ladder, token.number)
        found.append((member, tokens.create(ladder, member.author, lifetime)))
    _write(ladder.home, list(by_name.values()))
    return found


def _author(name: str, taken: set[str]) -> str:
    """Return a name in ASCII as an author's name that is not taken."""
    letters = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    plain = re.sub(r"[^a-z0-9]+", "-", letters).strip("-") or _NO_LETTER
    base = plain[: LONGEST_AUTHOR - _SUFFIX]
    found, number = base, 1
    while found in taken:
        number += 1
        found = f"{base}-{number}"
    return found


def _rows(file: Path) -> list[list[str]]:
    """Return the rows of a CSV file that are not empty; cells are on one line."""
    try:
        with file.open("rb") as opened:
            content = opened.read(_MOST_BYTES + 1)
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise LadderError(f"{file}: {error.strerror}") from error
    except UnicodeDecodeError:
        raise LadderError(f'{file}: not in UTF-8: save it as "CSV UTF-8"') from None
    if len(content) > _MOST_BYTES:
        raise LadderError(f"{file}: more than 1 MiB: this is no list of names")
    first = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=first.count)
    try:
        cells = [*csv.reader(StringIO(text, ""), delimiter=delimiter)]
    except csv.Error as error:
        raise LadderError(f"{file}: not a list of names: {error}") from error
    rows = ([" ".join(cell.split()) for cell in row] for row in cells)
    return [row for row in rows if any(row)]


def _write(home: Home, every: Sequence[Member]) -> None:
    """Write the list, for the owner's eyes alone; an interrupted write leaves the one of before."""
    text = StringIO()
    rows = [_HEADING, *([member.name, member.author] for member in every)]
    csv.writer(text, lineterminator="\n").writerows(rows)
    draft = home.path / f"{_FILE}.new"
    with os.fdopen(os.open(draft, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "w") as file:
        file.write(text.getvalue())
    draft.replace(home.path / _FILE)
