"""Keyed streams: the same numbers in every language, and each equally likely."""

import hashlib
from collections import Counter
from itertools import permutations

import pytest

from referee.games.randomness import Stream

VECTORS = {
    ("7", "deal"): [
        8125015782501542132,
        10330610220390383830,
        11470204008645178564,
        15492375057942112534,
        9531193824166470786,
    ],
    ("",): [
        7366960667084275378,
        10464304277396835729,
        14795847424184220061,
        2671899052708225437,
        15356886307385493792,
    ],
    ("Grüße", "stand-in", "0"): [
        652874482777641390,
        11068568347419651632,
        7066812346448435999,
        10974649043779384801,
        5855513705602408767,
    ],
}
"""The first five words of streams, by seed and name; the fifth is of the second block."""

SUB_VECTORS = {
    ("7", "deal"): [2206242789396462118, 17363288948528278544],
    ("",): [18391183376284527122, 5391128698087600638],
    ("Grüße", "stand-in", "0"): [10937669346448607390, 12227727549841367567],
}
"""The first two words of the stream "courtiers" below each."""


def words(stream: Stream, number: int) -> list[int]:
    """The next words of a stream."""
    return [stream.below(2**64) for _ in range(number)]


def framed(part: str) -> bytes:
    """The length of a text's bytes and the bytes, as the documentation frames them."""
    return len(part.encode()).to_bytes(4, "big") + part.encode()


def words_of_key(key: bytes) -> list[int]:
    """The words of the first two blocks of a key, as the documentation tells."""
    blocks = [hashlib.sha256(key + number.to_bytes(8, "big")).digest() for number in (0, 1)]
    data = b"".join(blocks)
    return [int.from_bytes(data[i : i + 8], "big") for i in range(0, len(data), 8)]


@pytest.mark.parametrize("name", VECTORS)
def test_streams_give_their_fixed_numbers(name: tuple[str, ...]) -> None:
    """A seed and a name give the same words for ever, or old records could not be dealt again."""
    assert words(Stream(*name), 5) == VECTORS[name]
    assert words(Stream(*name).sub("courtiers"), 2) == SUB_VECTORS[name]


@pytest.mark.parametrize("name", VECTORS)
def test_streams_follow_their_documentation(name: tuple[str, ...]) -> None:
    """A program written from the documentation draws the same words."""
    key = hashlib.sha256(b"courtyard-stream-1" + b"".join(map(framed, name))).digest()
    sub = hashlib.sha256(b"courtyard-substream-1" + key + framed("courtiers")).digest()

    assert words(Stream(*name), 8) == words_of_key(key)
    assert words(Stream(*name).sub("courtiers"), 8) == words_of_key(sub)


def test_names_are_framed() -> None:
    """Cutting the same letters into other names gives another stream."""
    names = [("a", "b", "c"), ("a", "bc"), ("ab", "c"), ("abc",)]
    assert len({tuple(words(Stream(*name), 2)) for name in names}) == len(names)


def test_a_substream_does_not_depend_on_what_was_drawn() -> None:
    """Drawing more above never shifts what is drawn below, nor the other way round."""
    fresh, used = Stream("s"), Stream("s")
    used.bytes(400)
    below = words(used.sub("x"), 3)

    assert below == words(fresh.sub("x"), 3)
    assert below != words(fresh.sub("y"), 3)
    assert words(fresh, 5) == words(Stream("s"), 5)


def test_below_refuses_the_words_that_would_favour_small_numbers() -> None:
    """A word beyond the last whole multiple of n is left out, and the next one taken."""
    n = 2**63 + 1  # of which 2^64 holds one whole multiple
    good = [word for word in words(Stream("s"), 60) if word < n]
    stream = Stream("s")

    assert [stream.below(n) for _ in range(20)] == good[:20]


def test_below_is_fair() -> None:
    """Each result comes about equally often, and none out of range."""
    stream, draws = Stream("fair"), 60_000
    counts = Counter(stream.below(6) for _ in range(draws))
    squares = sum((counts[i] - draws / 6) ** 2 / (draws / 6) for i in range(6))

    assert set(counts) == set(range(6))
    assert squares < 20.5  # the 99.9 % point of chi-square with 5 degrees of freedom


def test_shuffles_are_fair() -> None:
    """Each order of four items comes about equally often."""
    stream, draws = Stream("shuffles"), 24_000
    counts = Counter(tuple(stream.shuffled("abcd")) for _ in range(draws))
    squares = sum((counts[p] - draws / 24) ** 2 / (draws / 24) for p in permutations("abcd"))

    assert squares < 49.7  # the 99.9 % point with 23 degrees of freedom


def test_choices_shuffles_and_bytes_are_fixed() -> None:
    """What is drawn from words is fixed as they are."""
    assert [Stream("7", "deal").choice("abc")] == ["c"]
    assert Stream("7", "deal").shuffled(range(10)) == [7, 3, 6, 5, 9, 0, 8, 4, 1, 2]
    assert Stream("7", "deal").bytes(16).hex() == "70c1dace567268f48f5db342f36380d6"
