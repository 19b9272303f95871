"""Visitors of tables, who play by HTTP."""

import http.client
import json
import re
from contextlib import closing
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode, urlsplit


@dataclass
class Visitor:
    """A browser without scripts: it has cookies by their paths, and follows nothing."""

    host: str
    cookies: dict[str, str] = field(default_factory=dict)

    def ask(self, path: str, form: Any = None, **headers: str) -> tuple[int, dict[str, str], str]:
        """Request a page, or send a form or a body."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        sent["Cookie"] = "; ".join(
            cookie for below, cookie in self.cookies.items() if path.startswith(below)
        )
        body = urlencode(form) if isinstance(form, dict) else form
        with closing(http.client.HTTPConnection(self.host)) as wire:
            wire.request("GET" if form is None else "POST", path, body, sent)
            answer = wire.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            if given := re.match(r"(\S+=\S+);.* Path=(/\S+/);", found.get("set-cookie", "")):
                self.cookies[given[2]] = given[1]
            return answer.status, found, answer.read().decode()

    def open(self, game: str, *seats: str, **fields: str) -> str:
        """Open a table; return its address."""
        form = {f"seat{seat}": who for seat, who in enumerate(seats)}
        form |= {"ladder": f"{game}-{len(seats)}", "name": "Ada", **fields}
        status, headers, text = self.ask("/play/", form)
        assert status == HTTPStatus.SEE_OTHER, text
        return headers["location"]

    def state(self, table: str, after: int = -1) -> Any:
        """What a script sees."""
        return json.loads(self.ask(f"{table}state?after={after}")[2])

    def question(self, table: str) -> Any:
        """The next question that the visitor is asked."""
        seen = self.state(table)
        while not seen["asked"]:
            seen = self.state(table, seen["version"])
        return seen["asked"]

    def answer(self, table: str, body: Any, **headers: str) -> int:
        """Answer as a script does; return the status."""
        sent = body if isinstance(body, str) else json.dumps(body)
        status, _, _ = self.ask(f"{table}answer", sent, content_type="application/json", **headers)
        return status

    def hint(self, table: str) -> Any:
        """Ask for a hint to the next question, and return it once there is one."""
        self.question(table)
        status, headers, text = self.ask(f"{table}hint", {})
        assert (status, headers.get("location")) == (HTTPStatus.SEE_OTHER, "./"), text
        seen = self.state(table)
        while not (found := seen["asked"]["hint"])["steps"] and not found["why"]:
            seen = self.state(table, seen["version"])
        return found

    def join(self, link: str, name: str = "") -> str:
        """Take a seat by a link, under a name; return the table's address."""
        path, _, _ = urlsplit(link).path.rpartition("join")
        status, headers, _ = self.ask(f"{path}join", {"invitation": link, "name": name})
        assert (status, headers["location"]) == (HTTPStatus.SEE_OTHER, path)
        return path

    def play(self, table: str) -> Any:
        """Take the last option of every question until nothing is asked; return the end."""
        seen = self.state(table)
        while seen["state"] in ("lobby", "playing"):
            if asked := seen["asked"]:
                option = len(asked["options"]) - 1
                self.answer(table, {"question": asked["question"], "option": option})
            seen = self.state(table, seen["version"])
        return seen
