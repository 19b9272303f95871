"""Small drawings."""

from hypothesis import given
from hypothesis import strategies as st

from ladder.server.web.drawing import Axis, axis_over, sparkline, thinned

_VALUES = st.floats(-1000, 1000)


@given(st.lists(st.tuples(_VALUES, st.floats(0, 100)), max_size=9))
def test_an_axis_has_room_for_its_intervals(pairs: list[tuple[float, float]]) -> None:
    """The width holds every interval, and ticks lie within the scale."""
    intervals = [(low, low + length) for low, length in pairs]
    axis = axis_over(intervals, 200)
    assert all(0 <= axis.x(low) <= axis.x(high) <= 200 for low, high in intervals)
    assert 1 <= len(axis.ticks()) <= 7
    assert all(axis.low <= tick <= axis.high for tick in axis.ticks())


def test_ticks_are_round() -> None:
    """Ticks are steps of 1, 2 or 5 times a power of ten."""
    assert Axis(3, 41, 100).ticks() == [10, 20, 30, 40]
    assert Axis(21.3, 27.1, 100).ticks() == [22, 23, 24, 25, 26, 27]


def test_a_value_far_off_stays_at_the_edge() -> None:
    """A value outside the scale is drawn just outside the picture."""
    assert Axis(0, 1, 100).x(1e9) == 109
    assert Axis(0, 1, 100).x(-1e9) == -9


@given(st.lists(st.integers(), min_size=1), st.integers(2, 30))
def test_thinning_keeps_the_ends(values: list[int], most: int) -> None:
    """Thinned values keep order, first and last, and are not too many."""
    kept = thinned(values, most)
    assert len(kept) == min(len(values), most)
    assert (kept[0], kept[-1]) == (values[0], values[-1])


def test_a_sparkline_is_as_large_as_it_should_be() -> None:
    """A curve spans the width and uses the height; one value gives none."""
    assert sparkline([1, 3, 2], 80, 20) == "M0 20L40 0L80 10"
    assert sparkline([1], 80, 20) == ""
