"""What the tests of the Python package share."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.made_once import made_once

FILLED = Path(__file__).parents[1] / "ladder/server/web/filled_ladder.py"


@pytest.fixture(scope="session")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a ladder of Courtisans: 8 bots, 8 matches. Read-only."""

    def fill(folder: Path) -> None:
        command = [sys.executable, str(FILLED), str(folder), "courtisans", "4", "8", "8"]
        subprocess.run(command, check=True)

    return made_once(tmp_path_factory, "few", fill)
