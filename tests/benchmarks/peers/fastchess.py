"""fastchess, a manager of chess engines in C++, between two engines that answer from a table.

https://github.com/Disservin/fastchess; `COURTYARD_FASTCHESS` names the program, or a checkout, in
which it is then built. Without that the program is looked for on the PATH.
"""

import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

ENGINE = Path(__file__).with_name("table_engine.cpp")
MISSING = (
    "fastchess is not built: git clone https://github.com/Disservin/fastchess /tmp/fastchess && "
    "export COURTYARD_FASTCHESS=/tmp/fastchess"
)
MOVES = 30
"""The moves of each side, after which a game is drawn."""


@dataclass(frozen=True)
class Fastchess:
    """The program, and the engine that plays both sides."""

    program: Path
    engine: Path

    def decisions_a_second(self, games: int, concurrency: int, folder: Path) -> float:
        """Play an even number of games, `concurrency` at once; `folder` takes what it writes."""
        pgn = folder / "games.pgn"
        pgn.unlink(missing_ok=True)
        engines = [word for name in ("one", "two") for word in self._engine(name)]
        how = ["-each", "tc=inf", "depth=1", "-maxmoves", str(MOVES), "-pgnout", f"file={pgn}"]
        many = ["-rounds", str(games // 2), "-repeat", "-concurrency", str(concurrency)]
        began = time.perf_counter()
        subprocess.run(
            [self.program, *engines, *how, *many], cwd=folder, check=True, capture_output=True
        )
        seconds = time.perf_counter() - began
        whole = pgn.read_text().count(f'[PlyCount "{2 * MOVES}"]')
        if whole != games:
            raise SystemExit(f"fastchess played {whole} of {games} games: the measurement is void")
        return games * 2 * MOVES / seconds

    def _engine(self, name: str) -> tuple[str, ...]:
        return ("-engine", f"cmd={self.engine}", f"name={name}")


def fastchess(folder: Path) -> Fastchess | None:
    """Find fastchess, or build it from the checkout given; compile the engine into this folder.

    Return None where there is neither program nor checkout.
    """
    found = _program(os.environ.get("COURTYARD_FASTCHESS", ""))
    if found is None:
        return None
    engine = folder / "table_engine"
    subprocess.run(["g++", "-O2", "-o", engine, ENGINE], check=True)
    return Fastchess(found, engine)


def _program(given: str) -> Path | None:
    if not given:
        on_path = shutil.which("fastchess")
        return Path(on_path) if on_path else None
    if not Path(given).is_dir():
        return Path(given).resolve(strict=True)
    built = Path(given).resolve() / "fastchess"
    if not built.exists():
        print(f"\nbuilding fastchess in {given}, which takes some minutes")
        subprocess.run(["make", "-C", given, "-j2"], check=True, capture_output=True)
    return built
