"""Lays out distributions as an installer does: their modules, and metadata that names games."""

import os
import shutil
import tomllib
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "games"


def install(project: Path, site: Path) -> None:
    """Install a project's modules and entry points, as its pyproject.toml names them."""
    settings = tomllib.loads((project / "pyproject.toml").read_text())
    about = settings["project"]
    for module in settings["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]:
        shutil.copy(project / module, site / module)
    info = site / f"{about['name'].replace('-', '_')}-{about['version']}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {about['name']}\nVersion: {about['version']}\n"
    )
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in points.items())
        for group, points in about["entry-points"].items()
    ]
    (info / "entry_points.txt").write_text("".join(lines))


def with_site(site: Path) -> dict[str, str]:
    """Return the environment of a child that finds what is installed there.

    Its current folder must not hold `site`: a process drops what lies below its current folder.
    """
    return {**os.environ, "PYTHONPATH": str(site)}
