"""A test tries every rule of remote play on the protocol's page."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
GATE = "tests/referee/transports/test_gateway.py"
LADDER = "tests/ladder/runner/remote/test_remote.py"
KIT = "tests/sample_bots/test_remote.py"

TRIED = {
    "remote.tls": (GATE, "test_a_client_without_tls_is_not_heard"),
    "remote.hello": (GATE, "test_a_bot_that_may_not_join_is_refused_with_a_reason"),
    "remote.one": (GATE, "test_the_newest_stream_of_a_bot_is_its_stream"),
    "remote.matches": (GATE, "test_requests_of_several_matches_pass_on_one_stream"),
    "remote.time": (GATE, "test_a_pulled_cable_is_noticed"),
    "remote.again": (GATE, "test_a_request_waits_for_a_bot_that_is_gone"),
    "remote.resumes": (GATE, "test_what_is_due_is_asked_again_on_the_next_stream"),
    "remote.once": (KIT, "test_a_cut_in_the_middle_of_a_match_costs_time_and_nothing_else"),
    "remote.ahead": (GATE, "test_an_answer_ahead_of_its_request_is_a_fault"),
    "remote.gone": (GATE, "test_a_bot_that_stays_away_forfeits_when_its_time_is_up"),
    "remote.fault": (GATE, "test_who_was_too_slow_is_told_and_joins_again"),
    "remote.absent": (LADDER, "test_a_bot_that_vanishes_holds_up_no_other"),
}


def test_the_page_has_these_rules_and_no_others() -> None:
    """The page orders them so, each with an anchor."""
    page = (ROOT / "docs" / "protocol.md").read_text()
    anchors = re.findall(r'^- <a id="(remote\.[a-z]+)"></a>`\1` ', page, flags=re.MULTILINE)

    assert anchors == list(TRIED)


@pytest.mark.parametrize("rule", TRIED)
def test_a_rule_has_its_test(rule: str) -> None:
    """Its test exists."""
    file, name = TRIED[rule]

    assert re.search(rf"^def {name}\(", (ROOT / file).read_text(), flags=re.MULTILINE)
