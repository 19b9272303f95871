"""Who met whom comes back from its bytes as it was, whatever numbers the versions then have."""

from hypothesis import given
from hypothesis import strategies as st

from ladder.model.history import History
from ladder.model.pairing import Seating

TABLES = st.lists(st.permutations([None, *range(6)]).map(lambda order: tuple(order[:4])))


@given(TABLES, st.permutations(range(6)))
def test_it_comes_back_with_other_numbers(tables: list[Seating], numbers: list[int]) -> None:
    """Versions may have other numbers, in another order, than when the counts were packed."""

    def renumbered(table: Seating) -> Seating:
        return tuple(None if version is None else numbers[version] for version in table)

    body = History(tables).packed()

    found = History.unpacked(body, numbers.__getitem__)
    assert vars(found) == vars(History(map(renumbered, tables)))
    assert vars(History.unpacked(body)) == vars(History(tables))
