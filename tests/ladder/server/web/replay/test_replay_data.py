"""What each viewer's replay data hold."""

import json
import re
from itertools import accumulate, count
from typing import Any

import pytest

from ladder.server.web.replay import AUDIENCE, pack, page
from ladder.server.web.replay.bundle import bundles, drawing_of
from referee.conformance.testing import play
from referee.core.errors import UsageError
from referee.games import game_named
from referee.games.randomness import Stream
from referee.match.match import Match, MatchSetup
from referee.match.record import Record, SeatInfo, record_of
from referee.view.frames import film_of_record, view
from tests.security.leaks.elsewhere import rebuilt
from tests.security.leaks.harness import Played, random_match, redrawn
from tests.security.leaks.secrets_of_games import TRIED
from tests.support.games import GAMES
from tests.support.replay_data import unpacked

in_every_game = pytest.mark.parametrize("game", GAMES)

SEATS = 3


def record(game: str, names: tuple[str, ...] = ("ada", "bob", "carp")) -> Any:
    """A random match's record."""
    match = Match(MatchSetup("a match", game, seats=len(names), master_seed="3"))
    play(match, {})
    return record_of(match, [SeatInfo(name, "1") for name in names])


@in_every_game
def test_a_page_for_every_viewer(game: str) -> None:
    """The audience and each seat have their own data."""
    found = [page(record(game), viewer) for viewer in (AUDIENCE, 0, 1, 2)]
    assert [json.loads(data)["viewer"] for data in found] == [None, 0, 1, 2]


@in_every_game
def test_hidden_things_are_in_no_byte(game: str) -> None:
    """The data hold no other seat's hand or private events, and no deal."""
    everything = json.loads(page(record(game)))
    for viewer in range(SEATS):
        data = page(record(game), viewer).decode()
        for other in {*range(SEATS)} - {viewer}:
            own = everything["own"][str(other)]
            assert all(
                f'"{key}"' not in data for key in own["changes"] if key.endswith(f"/{other}")
            )
            assert all(
                json.dumps(words, ensure_ascii=False) not in data for _, words in own["words"]
            )
        assert '"deal"' not in data


@in_every_game
def test_bytes_do_not_depend_on_what_is_hidden(game: str) -> None:
    """Records that differ only in what a seat cannot know give that seat the same bytes."""
    occupants = [SeatInfo(f"bot {seat}", "1") for seat in range(SEATS)]
    here = next(found for number in count() if not stood_in(found := match_of(game, number)))
    actions = [decided.action for decided in here.decisions]
    for told in [told for told in here.told if told.body == "end"]:
        world = redrawn(here, told, Stream(str(told.seat)))
        one, other = (
            record_of(rebuilt(here, deal, done, len(actions), "seed"), occupants)
            for deal, done in ((here.deal, actions), (world.deal, [*world.actions]))
        )
        assert page(one, told.seat) == page(other, told.seat)
        assert page(one) != page(other)


def match_of(game: str, number: int) -> Played:
    """One of many random matches."""
    return random_match(TRIED[game].secrets, SEATS, {}, f"pages {number}")


def stood_in(played: Played) -> bool:
    """Whether a stand-in decided; its seed makes it decide otherwise in another world."""
    return any(decided.stand_in for decided in played.decisions)


@in_every_game
def test_a_name_cannot_leave_its_element(game: str) -> None:
    """The data keep strangers' names unchanged, and no byte of them is markup."""
    names = ("</script><b>", "[bold]x[/]", "@1 & \\[co")
    data = page(record(game, names))
    assert b"<" not in data
    assert [name for name, _ in json.loads(data)["seats"]] == [*names]


@in_every_game
def test_columns_hold_what_the_frames_did(game: str) -> None:
    """A page's columns are the referee's frames, one for one."""
    shown = view(film_of_record(record(game)), None)
    data = json.loads(page(record(game)))
    frames = data["frames"]
    changes = changes_of(frames["changes"])
    assert [
        [turn, seat, words, changes.get(number, {})]
        for number, (turn, seat, words) in enumerate(
            zip(accumulate(frames["turns"]), frames["seats"], frames["words"], strict=True)
        )
    ] == shown["frames"]
    for seat, own in data["own"].items():
        changes, words = changes_of(own["changes"]), dict(own["words"])
        assert shown["own"][seat] == {
            str(number): [changes.get(number, {}), words.get(number, "")]
            for number in changes.keys() | words.keys()
        }


def changes_of(columns: dict[str, Any]) -> dict[int, dict[str, Any]]:
    """Return the changes by the number of their frame."""
    found: dict[int, dict[str, Any]] = {}
    for key, (steps, values) in columns.items():
        for number, value in zip(accumulate(steps), values, strict=True):
            found.setdefault(number, {})[key] = value
    return found


@in_every_game
def test_data_are_packed(game: str) -> None:
    """Packed data unpack unchanged, are far smaller, and need no escaping."""
    data = page(record(game))
    packed = pack(data, game)
    assert unpacked(packed, game) == data
    assert re.fullmatch(r"[A-Za-z0-9+/=]+", packed)
    assert len(packed) < len(data) / 5


def test_a_damaged_record_has_no_pages() -> None:
    """A record that cannot be replayed is refused."""
    damaged = record("courtisans")
    del damaged.decisions[-1]
    with pytest.raises(UsageError):
        page(damaged)


@in_every_game
def test_a_game_is_drawn_by_its_own_files(game: str) -> None:
    """A page loads its own game's drawing and no other."""
    script = bundles()[f"{game}.js"].decode()
    assert [name for name in GAMES if re.search(rf"games\.{name} = ", script)] == [game]


def test_a_game_without_a_drawing_is_drawn_as_text() -> None:
    """Each of our games has a drawing of its own; all others share one, whatever their names."""
    for game in GAMES:
        rules = game_named(game).rules_version
        assert drawing_of(Record(game=game, rules_version=rules)) == game
        assert drawing_of(Record(game=game, rules_version="other")) == "plain"
    for name in ("leduc", "openspiel:hearts(players=4)", "player", "../core", ""):
        assert drawing_of(Record(game=name)) == "plain"
    assert "plain.js" in bundles()
