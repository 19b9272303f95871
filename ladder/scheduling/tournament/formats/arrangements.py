"""Round robins of 8 to 13 at tables of 4 and 5 that play as many tables at once as fit.

Where a cycle has as many tables as entrants, every two tables share one: of tables and of entrants
the mean square of what two have in common is the same, and as pairs meet at least once and nearly
equally often, no two tables can have nothing in common. Such a cycle plays one table a round. These
have about twice its tables, in no more rounds: in each, every pair meets equally often or once more
than another, and all sit equally often. The first two are exact. The exact designs of 7 and 13 at
tables of four and of 11 at tables of five have so few tables that they are played all the same.

All were found by simulated annealing: from random rounds of full tables, two entrants of a round
swap places, towards fewer pairs that meet too often or too seldom. A test verifies what was found.
Ten at tables of five have none: with two tables in each of up to 16 rounds that is impossible.
Entrants are digits of base 16.
"""

from collections.abc import Mapping

from ladder.scheduling.tournament.formats.designs import Block

_EXACT: Mapping[tuple[int, int], str] = {
    (8, 4): "0347 1256 | 0167 2345 | 0145 2367 | 0246 1357 | 0356 1247 | 0257 1346 | 0123 4567",
    (9, 4): "0156 2347 | 0345 2678 | 0257 1348 | 0478 1236 | 0246 1578 | 0137 4568 | 1467 2358 | "
    "0368 1245 | 0128 3567",
}
"""In these every pair meets three times, so they may be repeated."""
_EVEN: Mapping[tuple[int, int], str] = {
    (10, 4): "0457 1239 | 0289 1356 | 2568 3479 | 0237 1469 | 1245 6789 | 0259 3468 | 0167 3458 | "
    "0148 3579 | 0138 2467 | 0569 1278",
    (11, 4): "0346 1289 | 0268 1479 | 0789 156a | 0149 378a | 0359 1267 | 239a 4578 | 168a 2345 | "
    "025a 3469 | 1358 247a | 048a 2567 | 0137 569a",
    (12, 4): "024a 157b 3689 | 03ab 1268 4579 | 0169 245b 378a | 0279 148a 356b | 048b 1237 569a | "
    "067b 1349 258a | 0135 289b 467a | 0578 19ab 2346",
    (12, 5): "078ab 23469 | 01458 267ab | 0238b 4579a | 02489 1356b | 1235a 46789 | 0169a 2457b | "
    "03579 1248a | 0456b 13789 | 1347b 2568a | 01267 389ab | 0346a 1259b | 019ab 35678",
    (13, 5): "1235c 0468a | 2467c 035ab | 037ac 4569b | 1246a 5789b | 2389a 0156b | 3569c 127ab | "
    "148bc 2679a | 02457 13689 | 459ac 03678 | 0258c 1347b | 029bc 1578a | 2348b 0179c | "
    "68abc 01349",
}


def of_cycles(n: int, k: int, number: int) -> list[list[Block]] | None:
    """Return the rounds of `number` cycles for n entrants at tables of k; None if none are known.

    Those that are not exact serve for a single cycle.
    """
    known = _EXACT.get((n, k)) or (_EVEN.get((n, k)) if number == 1 else None)
    if known is None:
        return None
    rounds = [[tuple(int(e, 16) for e in table) for table in r.split()] for r in known.split(" | ")]
    return rounds * number
