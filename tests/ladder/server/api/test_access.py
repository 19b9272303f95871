"""Each route of the author API admits whom it should, and no one else."""

import json
import re
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import generate_latest

from ladder.model import ids
from ladder.server.api import routes
from ladder.server.api.context import ApiSettings
from ladder.server.api.rate_limits import RateLimits
from ladder.storage import tokens
from ladder.storage.ladder import Ladder
from ladder.submission import class_list
from ladder.submission.spars import ask
from tests.ladder.server.api.matches import BLOCK, finish, finish_spar, planned_block, some_record
from tests.support.api_server import Answer, Visitor, serving

SHA = "0" * 64
SEATS = 2


@dataclass(frozen=True)
class Case:
    """A call, and what comes of it for the bot's owner, and for another author or class member."""

    method: str
    path: str
    owner: int | str
    """A status, or the reason of a refusal."""
    another: int | str
    body: Any = None

    @property
    def route(self) -> str:
        """The route as OpenAPI names it."""
        path = self.path.partition("?")[0]
        path = re.sub(r"/bots/ann", "/bots/{bot}", path)
        path = re.sub(r"/tournaments/cup", "/tournaments/{tournament}", path)
        path = re.sub(r"/spars/\d", "/spars/{spar}", path)
        path = re.sub(r"/versions/\d", "/versions/{number}", path)
        path = re.sub(rf"(logs|matches)/({BLOCK[0]}|{SPARRED})", r"\1/{match}", path)
        return f"{self.method} {path.replace(SHA, '{sha256}')}"


RETIRE = json.dumps({"active": False}).encode()
SPAR = json.dumps({"bot": "ann", "opponents": ["bob"], "matches": 2}).encode()
SPARRED = ids.spar_match_id("a seed for the door", 1, 0)
CASES = (
    Case("GET", "/ladder", 200, 200),
    Case("GET", "/standings", 200, 200),
    Case("GET", "/versions", 200, 200),
    Case("GET", "/bots/ann", 200, 200),
    Case("PATCH", "/bots/ann", 200, "NOT_YOUR_BOT", RETIRE),
    Case("GET", "/bots/ann/versions/1", 200, "NOT_YOUR_BOT"),
    Case("GET", "/bots/ann/versions/1/record", "UNKNOWN_MATCH", "NOT_YOUR_BOT"),
    Case("GET", "/bots/ann/logs", 200, "NOT_YOUR_BOT"),
    Case("GET", f"/bots/ann/logs/{BLOCK[0]}", 200, "NOT_YOUR_BOT"),
    Case("GET", "/matches", 200, 200),
    Case("GET", f"/matches/{BLOCK[0]}", 200, "DEAL_IN_PLAY"),
    Case("GET", f"/matches/{BLOCK[0]}/record", "DEAL_IN_PLAY", "DEAL_IN_PLAY"),
    Case("GET", f"/matches/{BLOCK[0]}/replay?seat=0", 200, "DEAL_IN_PLAY"),
    Case("GET", "/spars", 200, 200),
    Case("POST", "/spars", "CANNOT_SPAR", "NOT_YOUR_BOT", SPAR),  # ann is retired by now
    Case("GET", "/spars/1", 200, "UNKNOWN_SPAR"),
    Case("PATCH", "/spars/1", 200, "UNKNOWN_SPAR", b'{"shared": true}'),
    Case("GET", "/spars/1/matches", 200, "UNKNOWN_SPAR"),
    Case("GET", f"/spars/1/matches/{SPARRED}", 200, "UNKNOWN_SPAR"),
    Case("GET", f"/spars/1/matches/{SPARRED}/replay", 200, "UNKNOWN_SPAR"),
    Case("GET", "/tournament", "NO_TOURNAMENT", "NO_TOURNAMENT"),
    Case("GET", "/tournaments", 200, 200),
    Case("GET", "/tournaments/cup", "NO_TOURNAMENT", "NO_TOURNAMENT"),
    Case("GET", "/report", 200, 200),
    Case("GET", f"/uploads/{SHA}", 200, 200),
    Case("HEAD", f"/uploads/{SHA}", 200, 200),
    Case("PUT", f"/uploads/{SHA}", "DIGEST_MISMATCH", "DIGEST_MISMATCH", b"x"),
    Case("POST", "/submissions", 202, 202, b"x"),
    Case("GET", "/submissions", 200, 200),
    Case("GET", f"/submissions/{SHA}", "UNKNOWN_SUBMISSION", "UNKNOWN_SUBMISSION"),
    Case("GET", f"/submissions/{SHA}/log", "UNKNOWN_SUBMISSION", "UNKNOWN_SUBMISSION"),
    Case("GET", "/watch", 200, 200),
)


@pytest.fixture
def block(tmp_path: Path) -> Iterator[Ladder]:
    """Open a ladder where ann and bob have played one of the two matches of a deal."""
    home = planned_block(tmp_path / "block", "courtisans", SEATS, ("ann", "bob"))
    with Ladder.open(home) as ladder:
        finish(ladder, BLOCK[0], some_record("courtisans", SEATS))
        ask(ladder, "ann", "ann", ["bob"], 2)
        finish_spar(ladder, SPARRED, some_record("courtisans", SEATS))
        yield ladder


def came(visitor: Visitor, case: Case, **headers: str) -> int | str:
    """Return the status of a call that succeeds, or the reason of its refusal."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    with visitor.opened(case.method, case.path, case.body, named) as answer:
        if answer.status < 400 or case.method == "HEAD":
            return answer.status
        found = {name.lower(): value for name, value in answer.getheaders()}
        return Answer(answer.status, found, answer.read()).reason


def test_the_table_has_every_route() -> None:
    """Each route of the API has a line in the table that says who may use it."""
    paths = routes.make_api().openapi()["paths"]
    there = {f"{method.upper()} {path}" for path, of in paths.items() for method in of}

    assert {case.route for case in CASES} == there


def test_who_may_do_what(block: Ladder) -> None:
    """Without a good token nothing; what an author owns, that author alone reads and changes."""
    lapsed = tokens.create(block, "ann", timedelta(0))
    revoked = tokens.create(block, "ann")
    tokens.revoke(block, 2)
    (_, lost), (_, member) = (
        *class_list.invite(block, ["Zoë"], None),
        *class_list.invite(block, ["Zoë"], None),
    )
    generous = ApiSettings(limits=RateLimits(requests=10_000))
    with serving([block], generous) as address:
        ann, eve = (Visitor(address, tokens.create(block, name)) for name in ("ann", "eve"))
        zoe = Visitor(address, member)
        found = {
            "owner": {case.route: came(ann, case) for case in CASES},
            "another": {case.route: came(eve, case) for case in CASES},
            "member": {case.route: came(zoe, case) for case in CASES},
        }
        bad = {
            (case.method, came(Visitor(address, token), case))
            for case in CASES
            for token in ("nonsense", ann.token[:-1] + "!", lapsed, revoked, lost)
        }
        none = {(case.method, came(Visitor(address), case)) for case in CASES}
        cookie = {"Cookie": f"courtyard={ann.token}", "Sec_Fetch_Site": "cross-site"}
        foreign = {(case.method, came(Visitor(address), case, **cookie)) for case in CASES}
        own = {"Cookie": f"courtyard={ann.token}", "Sec_Fetch_Site": "same-origin"}
        at_home = {case.route: came(Visitor(address), case, **own) for case in CASES}
        far = {"X_Forwarded_Proto": "http"}
        overheard = {(case.method, came(ann, case, **far)) for case in CASES}

    assert found["owner"] == {case.route: case.owner for case in CASES}
    assert found["another"] == {case.route: case.another for case in CASES}
    assert found["member"] == found["another"]
    assert at_home == {case.route: case.owner for case in CASES}
    for refused, reason, status in (
        (bad, "BAD_TOKEN", 401),
        (none, "NO_TOKEN", 401),
        (foreign, "FOREIGN_SITE", 403),
        (overheard, "NEEDS_TLS", 403),
    ):
        others = {each for each in refused if each[0] != "HEAD"}
        assert {each for _, each in others} == {reason}
        assert refused - others == {("HEAD", status)}


def test_all_bad_tokens_get_the_same_answer(block: Ladder) -> None:
    """An answer does not say whether a token is wrong, expired or revoked."""
    lapsed = tokens.create(block, "ann", timedelta(0))
    with serving([block]) as address:
        answers = [Visitor(address, token).get("/ladder") for token in ("nonsense", lapsed)]

    assert answers[0].body == answers[1].body
    assert answers[0].headers["www-authenticate"] == "Bearer"


def test_a_trusted_network_needs_no_tls(block: Ladder) -> None:
    """The ladder's owner can say that no machine between reads tokens."""
    with serving([block], ApiSettings(trusts_network=True)) as address:
        ann = Visitor(address, tokens.create(block, "ann"))
        assert ann.get("/ladder", X_Forwarded_Proto="http").status == 200


def test_a_token_opens_its_own_ladder(ladder: Ladder, block: Ladder) -> None:
    """One server may serve several ladders; the token selects one."""
    with serving([ladder, block]) as address:
        told = [
            Visitor(address, tokens.create(each, "ann")).get("/ladder").json
            for each in (ladder, block)
        ]

    assert [each["seats"] for each in told] == [4, SEATS]
    assert [each["author"] for each in told] == ["ann", "ann"]


def test_a_current_copy_is_not_sent_again(block: Ladder) -> None:
    """An answer has a tag; who brings it gets 304."""
    with serving([block]) as address:
        ann = Visitor(address, tokens.create(block, "ann"))
        tag = ann.get("/standings").headers["etag"]
        again = ann.get("/standings", If_None_Match=tag)

    assert (again.status, again.body) == (304, b"")


def test_what_is_no_route_is_a_problem_too(block: Ladder) -> None:
    """Unknown addresses and methods are refused by name."""
    with serving([block]) as address:
        stranger = Visitor(address)
        assert stranger.get("/nothing").reason == "NOT_FOUND"
        assert stranger.ask("DELETE", "/ladder").reason == "METHOD_NOT_ALLOWED"
        assert stranger.get("/openapi.json").status == 200


def test_too_many_requests_of_one_author(block: Ladder) -> None:
    """A limited author learns how long to wait; other authors go on."""
    limits = RateLimits(requests=3, requests_a_second=0.001)
    with serving([block], ApiSettings(limits=limits)) as address:
        ann, bob = (Visitor(address, tokens.create(block, name)) for name in ("ann", "bob"))
        answers = [ann.get("/ladder") for _ in range(4)]
        assert bob.get("/ladder").json["author"] == "bob"

    assert [each.status for each in answers] == [200, 200, 200, 429]
    assert answers[3].reason == "RATE_LIMITED"
    assert answers[3].json["metadata"] == {"limit": "requests"}
    assert int(answers[3].headers["retry-after"]) > 0


def test_metrics_count_calls_and_refusals_not_authors(block: Ladder) -> None:
    """The owner sees how often each route was used and refused; no author is named."""
    settings = ApiSettings()
    with serving([block], settings) as address:
        Visitor(address, tokens.create(block, "ann")).get("/ladder")
        Visitor(address).get("/ladder")
    text = generate_latest(settings.registry).decode()

    assert 'courtyard_api_calls_total{code="200",method="get_ladder"} 1.0' in text
    assert 'courtyard_api_calls_total{code="401",method="get_ladder"} 1.0' in text
    assert 'courtyard_api_refusals_total{reason="NO_TOKEN"} 1.0' in text
    assert "ann" not in text


def test_a_client_of_before_is_told(block: Ladder) -> None:
    """Behind a web server that speaks HTTP/2, a client over gRPC gets a status and a line."""
    with serving([block]) as address:
        asked = urllib.request.Request(
            f"http://{address}/courtyard.v1.LadderService/GetLadder", b"", method="POST"
        )
        with urllib.request.urlopen(asked) as answer:  # noqa: S310 - ours
            assert answer.headers["grpc-status"] == "12"
            assert "update Courtyard" in answer.headers["grpc-message"]
