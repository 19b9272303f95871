"""What docs/operations.md shows is what the machine takes."""

import re
import shutil
import subprocess
from pathlib import Path

from tests.support.lacking import need_program

PAGE = Path(__file__).resolve().parents[2] / "docs" / "operations.md"


def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    """The unit has no key that systemd does not know; its program is put where it says."""
    need_program("systemd-analyze", "apt-get install systemd")
    (unit,) = re.findall(r"^```ini\n(.*?)^```$", PAGE.read_text(), flags=re.DOTALL | re.MULTILINE)
    file = tmp_path / "courtyard.service"
    file.write_text(unit.replace("/opt/courtyard/bin/ladder", shutil.which("true") or "/bin/true"))

    done = subprocess.run(
        ["systemd-analyze", "verify", str(file)], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
