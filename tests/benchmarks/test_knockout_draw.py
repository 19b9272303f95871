"""How long the draw of a knockout takes when authors have many bots in it."""

import random
import time

import pytest

from ladder.scheduling.tournament.formats.apart import Apart, of_one_name
from ladder.scheduling.tournament.formats.base import Field
from ladder.scheduling.tournament.formats.knockout import Knockout

pytestmark = pytest.mark.bench


@pytest.mark.parametrize("of_one", [10, 600])
def test_a_draw(of_one: int) -> None:
    """Print the seconds for the first round of 1,000 bots, 10 or 600 of them of one author."""
    drawn = random.Random(1).sample(range(1000), 1000)
    apart = Apart(of_one_name(dict.fromkeys(drawn[:of_one], "ann")))
    began = time.process_time()
    Knockout().next_round(Field(range(1000), 2, [], apart=apart))
    print(f"{of_one} of one author: {time.process_time() - began:.1f} s")
