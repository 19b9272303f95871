"""Where a ladder's database is: in a file of SQLite, or on a PostgreSQL server."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from ladder.model.errors import SettingsError

_FORM = re.compile(
    r"(?P<scheme>postgres(?:ql)?://)((?P<user>[^@/:]*)(:[^@/]*)?@)?(?P<rest>[^@/?]*([/?].*)?)"
)
"""A URL as libpq splits it."""
_PASSWORD = re.compile(r"([?&](?:ssl)?password=)[^&]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True, repr=False)
class Server:
    """A database on a PostgreSQL server, by its URL as libpq reads it.

    As a text it is the URL without passwords.
    """

    url: str

    def __post_init__(self) -> None:
        """Raise `SettingsError` for anything but such a URL, without repeating it."""
        if not self.url.isprintable() or not _FORM.fullmatch(self.url):
            raise SettingsError(
                "the URL of a PostgreSQL database has the form postgresql://USER@HOST/NAME; "
                "write @, : and / in a user's name or password as %40, %3A and %2F"
            )

    def __str__(self) -> str:
        """Return the URL without passwords."""
        found = _FORM.fullmatch(self.url)
        if found is None:
            return ""
        user = "" if found["user"] is None else f"{found['user']}@"
        rest = _PASSWORD.sub(r"\g<1>...", found["rest"])
        return f"{found['scheme']}{user}{rest}"

    def __repr__(self) -> str:
        """Return no password either."""
        return f"Server({str(self)!r})"


Place: TypeAlias = Path | Server
"""The database of a ladder."""
