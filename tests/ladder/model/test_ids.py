"""Ids and seeds are derived from what they name."""

import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.model import ids as identity


def sha256(*parts: bytes) -> str:
    """Hash texts, each after its length."""
    framed = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    return hashlib.sha256(framed).hexdigest()[:32]


def keyed(*parts: bytes) -> str:
    """Hash texts, each after its length, with the key "secret"."""
    framed = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    return hmac.new(b"secret", framed, "sha256").hexdigest()[:32]


def test_deal_id_is_as_documented() -> None:
    """The name of a deal can be computed from the description alone."""
    expected = sha256(b"courtyard-deal-1", b"ladder", b"3", b"1")

    assert identity.deal_id("ladder", 3, 1) == expected


def test_match_id_is_as_documented() -> None:
    """The id of a match can be computed from the description alone."""
    parts = (b"courtyard-match-2", b"3", b"1", b"deal", b"aa", b"", b"bb")

    assert identity.match_id("secret", 3, 1, ["aa", "", "bb"], "deal") == keyed(*parts)


def test_a_validation_match_has_an_id_like_any_other() -> None:
    """A validation id looks like a match id, and reveals nothing without the ladder's secret."""
    expected = keyed(b"courtyard-validation-2", b"aa")

    assert identity.validation_id("secret", "aa") == expected
    assert len(expected) == len(identity.match_id("secret", 1, 0, ["aa"], "deal"))
    assert identity.validation_id("another secret", "aa") != expected
    second = keyed(b"courtyard-validation-2", b"aa", b"again")
    assert identity.validation_id("secret", "aa", again=True) == second


def test_older_match_ids() -> None:
    """Older ids were derived from the ladder's public id."""
    expected = sha256(b"courtyard-match-1", b"ladder", b"3", b"1", b"deal", b"aa", b"", b"bb")

    assert identity.public_match_id("ladder", 3, 1, ["aa", "", "bb"], "deal") == expected


def test_match_ids_of_older_ladders() -> None:
    """Without a deal's name, a match id is what it was before deals had names."""
    expected = sha256(b"courtyard-match-1", b"ladder", b"3", b"1", b"3/1", b"aa", b"", b"bb")

    assert identity.public_match_id("ladder", 3, 1, ["aa", "", "bb"]) == expected


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
    """Round, index, versions and their order all change the id."""
    different = {(number, index, tuple(digests)) for number, index, digests in matches}
    ids = {identity.match_id("secret", *match, "deal") for match in different}

    assert len(ids) == len(different)


def test_secrets_differ() -> None:
    """Every new secret is different and has 32 bytes."""
    first, second = identity.new_secret(), identity.new_secret()

    assert first != second
    assert len(bytes.fromhex(first)) == 32


def test_a_seed_given_by_hand_makes_no_guessable_secret() -> None:
    """32 random bytes precede a seed, so two ladders with one seed share nothing; each knows it."""
    one, other = (identity.secret_of("2026", reproducible=False) for _ in range(2))

    assert one != other
    assert len(bytes.fromhex(one.split()[0])) == 32
    assert identity.is_of_seed(one, "2026")
    assert not identity.is_of_seed(one, "2027")
    assert identity.ladder_id(one, "courtisans", 4) != identity.ladder_id("2026", "courtisans", 4)


def test_a_reproducible_secret_is_stretched() -> None:
    """A reproducible secret is derived from the seed by scrypt, which makes guessing expensive."""
    expected = hashlib.scrypt(
        b"2026", salt=b"courtyard-seed-1", n=2**15, r=8, p=1, dklen=32, maxmem=2**26
    ).hex()

    assert identity.secret_of("2026", reproducible=True) == expected
    assert identity.is_of_seed(expected, "2026")


def test_the_seed_of_an_older_ladder_was_its_secret() -> None:
    """The seed with which an older ladder was made is recognised."""
    assert identity.is_of_seed("a b", "a b")
    assert not identity.is_of_seed("a b", "b")


@pytest.mark.parametrize(
    ("seed", "guessable"),
    [("7", True), ("2026", True), ("a" * 64, True), ("as usual, as it always was", False)],
)
def test_which_seeds_are_guessable(seed: str, guessable: bool) -> None:  # noqa: FBT001
    """Short seeds and repetitive seeds are guessable."""
    assert identity.is_guessable(seed) is guessable
