"""Which connections a server keeps when it is full."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from referee.transports.connections import Claim, Connections, network


@dataclass
class Server:
    """Places, with a manual clock, and the log."""

    most: int = 6
    most_unknown: int = 4
    now: float = 0.0
    ended: list[str] = field(default_factory=list)
    told: list[tuple[int, str]] = field(default_factory=list)
    places: Connections = field(init=False)

    def __post_init__(self) -> None:
        """Open it."""
        self.places = Connections(
            self.most,
            self.most_unknown,
            lambda level, line: self.told.append((level, line)),
            lambda: self.now,
        )

    def closing(self, name: str) -> Callable[[str], object]:
        """Return the closer of this connection."""

        def close(reason: str) -> None:
            self.ended.append(name)
            self.places.ended(reason)

        return close

    def come(self, host: str, name: str, *, known: bool = False) -> bool:
        """Connect; return whether there was room."""
        place = self.places.take(host, self.closing(name))
        if known and place is not None:
            self.places.know(place)
        return place is not None


def test_who_has_most_makes_room() -> None:
    """A flood from one address takes its own places, not those of others or known bots."""
    server = Server()
    assert server.come("10.0.0.1", "ann", known=True)
    assert server.come("10.0.0.2", "bob")
    assert all(server.come("10.6.6.6", f"flood {n}") for n in range(10))
    assert set(server.ended) <= {f"flood {n}" for n in range(9)}
    assert len(server.ended) == 7
    assert server.come("10.0.0.3", "cat", known=True)
    assert len([name for name in server.ended if name.startswith("flood")]) == 8


def test_a_crowd_has_time_to_be_known() -> None:
    """Of many from one address the older half stay, though ever more come, but not for ever."""
    server = Server()
    for second in range(11):
        server.now = float(second)
        server.come("10.0.0.1", f"at {second}")
        server.come("10.0.0.1", f"soon after {second}")
    older = {"at 0", "soon after 0"}
    assert not older & set(server.ended)
    server.now = 11.0
    server.come("10.0.0.1", "late")
    assert older & set(server.ended)


def test_who_is_being_answered_stays_a_while() -> None:
    """Others from the same address make room first, until the answer has taken too long."""
    server = Server()
    assert all(server.come("10.0.0.1", f"silent {n}") for n in range(3))
    assert server.places.take("10.0.0.1", server.closing("reader"), lambda: Claim.SERVED)
    for second in range(10):
        server.now = float(second)
        assert server.come("10.0.0.1", f"at {second}")
    assert "reader" not in server.ended
    server.now = 11.0
    assert all(server.come("10.0.0.1", f"late {n}") for n in range(4))
    assert "reader" in server.ended


def test_the_known_fill_a_server() -> None:
    """A server full of known bots admits no other."""
    server = Server()
    assert all(server.come("10.0.0.1", f"{n}", known=True) for n in range(6))
    assert not server.come("10.0.0.2", "late")
    assert server.ended == []


def test_who_stays_unknown_is_found() -> None:
    """Only a stranger that stays too long is found."""
    server = Server()
    for name in ("a", "b"):
        server.come("10.0.0.1", name, known=name == "a")
    left = server.places.take("10.0.0.1", server.closing("c"))
    assert left is not None
    server.places.leave(left)
    server.now = 31
    server.come("10.0.0.1", "d")
    for place in server.places.unknown(30):
        place.close("")
    assert (server.ended, server.told) == (["b"], [])


def test_a_flood_is_told_once_a_minute() -> None:
    """The log counts the ended connections, and says why."""
    server = Server()
    for second in range(100):
        server.now = float(second)
        server.come("10.6.6.6", "flood")
    assert server.told == [
        (logging.WARNING, "connections were ended: 1 had to make room for others"),
        (logging.WARNING, "connections were ended: 60 had to make room for others"),
    ]


@pytest.mark.parametrize(
    ("host", "counted"),
    [
        ("10.0.0.1", "10.0.0.1"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
    ],
)
def test_what_counts_as_one_address(host: str, counted: str) -> None:
    """An IPv6 network counts as one: a client with one address there has all."""
    assert network(host) == counted
