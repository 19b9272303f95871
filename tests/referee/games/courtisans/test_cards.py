"""The ninety courtiers."""

from collections import Counter

from courtyard.v1 import courtisans_pb2 as pb

from referee.games.courtisans.cards import CARDS, WEIGHTS, Card, Family, Role, Side
from referee.games.courtisans.missions import Mission
from referee.games.courtisans.scoring import Status


def test_there_are_ninety_cards() -> None:
    """Each of six families has 4 plain courtiers, 4 nobles, 2 spies, 2 assassins, 3 guards."""
    counts = Counter(CARDS)

    assert len(CARDS) == 90
    for family in ("BUTTERFLY", "TOAD", "NIGHTINGALE", "HARE", "STAG", "CARP"):
        of_family = {role.name: counts[Card(Family[family], role)] for role in Role}
        assert of_family == {"PLAIN": 4, "NOBLE": 4, "SPY": 2, "ASSASSIN": 2, "GUARD": 3}


def test_only_nobles_weigh_two() -> None:
    """A noble weighs 2, every other card 1."""
    assert {role.name: weight for role, weight in WEIGHTS.items()} == {
        "PLAIN": 1,
        "NOBLE": 2,
        "SPY": 1,
        "ASSASSIN": 1,
        "GUARD": 1,
    }


def test_numbers_are_those_of_the_protocol() -> None:
    """Each name has the number that the protocol gives it."""
    for ours, theirs, prefix in (
        (Family, pb.Family, "FAMILY_"),
        (Role, pb.Role, "ROLE_"),
        (Side, pb.Side, "SIDE_"),
        (Mission, pb.Mission, "MISSION_"),
        (Status, pb.Status, "STATUS_"),
    ):
        numbers = {prefix + member.name: int(member) for member in ours}
        assert {**numbers, f"{prefix}UNSPECIFIED": 0} == dict(theirs.items())
