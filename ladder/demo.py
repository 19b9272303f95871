"""A ladder of the sample bots, made and played by one command."""

from pathlib import Path

from ladder.errors import LadderError
from ladder.home import Home
from ladder.ladder import create
from referee.clock import ClockConfig

ROUNDS = 150
"""How many rounds one demo plays: enough for the sample bots to stand in a clear order."""
BOTS = ("random", "greedy", "counter")
_SAMPLES = Path(__file__).parents[1] / "sample_bots" / "python" / "courtisans"


def sample_bots() -> list[Path]:
    """Return the folders of the sample bots; raise `LadderError` if they are not installed."""
    folders = [_SAMPLES / name for name in BOTS]
    for folder in folders:
        if not folder.is_dir():
            raise LadderError(
                f"{folder}: the sample bot is not here; run the demo from Courtyard's source tree"
            )
    return folders


def demo_home(path: Path) -> Home:
    """Return the demo's ladder, made now if there is none in the folder."""
    home = Home(path)
    if home.database.is_file():
        return home
    return create(path, game="courtisans", seats=4, config={}, clock=ClockConfig(), seed=None)
