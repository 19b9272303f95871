"""The games that the leak test tries: what is hidden in each, and leaks to plant in it."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import pytest

from tests.security.leaks import courtisans_leaks, miracles_leaks
from tests.security.leaks.courtisans_secrets import CourtisansSecrets
from tests.security.leaks.harness import Secrets
from tests.security.leaks.miracles_secrets import MiraclesSecrets


class Tried(NamedTuple):
    """One game under the leak test."""

    secrets: Secrets
    leaks: Mapping[str, Callable[[pytest.MonkeyPatch], None]]
    """By what gets out: a function that plants the leak in the code under test."""


TRIED: Mapping[str, Tried] = {
    "courtisans": Tried(CourtisansSecrets(), courtisans_leaks.LEAKS),
    "miracles": Tried(MiraclesSecrets(), miracles_leaks.LEAKS),
}
"""By the game's name."""
