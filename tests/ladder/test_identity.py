"""Ids and seeds follow from what they name."""

import hashlib
import hmac

from hypothesis import given
from hypothesis import strategies as st

from ladder import identity


def test_match_id_is_as_documented() -> None:
    """The id of a match can be computed from the description alone."""
    parts = [b"courtyard-match-1", b"ladder", b"3", b"1", b"3/1", b"aa", b"", b"bb"]
    framed = b"".join(len(part).to_bytes(4, "big") + part for part in parts)

    expected = hashlib.sha256(framed).hexdigest()[:32]

    assert identity.match_id("ladder", 3, 1, ["aa", "", "bb"]) == expected


def test_master_seed_is_as_documented() -> None:
    """The seed of a match is the HMAC of its id under the ladder's secret."""
    expected = hmac.new(b"secret", b"id", "sha256").hexdigest()

    assert identity.master_seed("secret", "id") == expected


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
