"""Ids and seeds follow from what they name."""

import hashlib
import hmac

from hypothesis import given
from hypothesis import strategies as st

from ladder import identity


def sha256(*parts: bytes) -> str:
    """Hash texts, each behind its length."""
    framed = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    return hashlib.sha256(framed).hexdigest()[:32]


def test_deal_id_is_as_documented() -> None:
    """The name of a deal can be computed from the description alone."""
    expected = sha256(b"courtyard-deal-1", b"ladder", b"3", b"1")

    assert identity.deal_id("ladder", 3, 1) == expected


def test_match_id_is_as_documented() -> None:
    """The id of a match can be computed from the description alone."""
    expected = sha256(b"courtyard-match-1", b"ladder", b"3", b"1", b"deal", b"aa", b"", b"bb")

    assert identity.match_id("ladder", 3, 1, ["aa", "", "bb"], "deal") == expected


def test_match_ids_of_older_ladders() -> None:
    """Without a name of the deal, the id of a match is what it was when deals had none."""
    expected = sha256(b"courtyard-match-1", b"ladder", b"3", b"1", b"3/1", b"aa", b"", b"bb")

    assert identity.match_id("ladder", 3, 1, ["aa", "", "bb"]) == expected


def test_master_seed_is_as_documented() -> None:
    """The seed of a match is the HMAC of its deal's name under the ladder's secret."""
    expected = hmac.new(b"secret", b"deal", "sha256").hexdigest()

    assert identity.master_seed("secret", "deal") == expected


@given(
    st.lists(
        st.tuples(st.integers(1, 3), st.integers(0, 2), st.lists(st.text(max_size=2))), min_size=2
    )
)
def test_different_matches_have_different_ids(matches: list[tuple[int, int, list[str]]]) -> None:
    """Round, index, versions and their order all count."""
    different = {(number, index, tuple(digests)) for number, index, digests in matches}
    ids = {identity.match_id("ladder", *match) for match in different}

    assert len(ids) == len(different)


def test_secrets_differ() -> None:
    """Every new secret is another one, of 32 bytes."""
    first, second = identity.new_secret(), identity.new_secret()

    assert first != second
    assert len(bytes.fromhex(first)) == 32
