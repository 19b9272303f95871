"""Without an extra's packages, a command that needs them names the extra in one line."""

import subprocess
import sys

import pytest

from ladder.storage.files.folder import Home

WITHOUT = """
import sys
for name in {packages}:
    sys.modules[name] = None
from ladder.cli.app import main
main()
"""
SERVING = ("uvicorn", "starlette", "prometheus_client")
PAGES = ("jinja2", "orjson")


def run(packages: tuple[str, ...], *words: object) -> "subprocess.CompletedProcess[str]":
    """Run `ladder` without these packages."""
    command = [sys.executable, "-c", WITHOUT.format(packages=packages), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.costly
def test_an_export_needs_no_server(home: Home) -> None:
    """An export needs neither server nor metrics packages."""
    ended = run(SERVING, "export", home.path / "site", "--ladder", home.path)

    assert (ended.returncode, ended.stderr) == (0, "")
    assert (home.path / "site" / "index.html").is_file()


@pytest.mark.costly
@pytest.mark.parametrize("package", PAGES)
def test_an_export_names_its_extra(package: str, home: Home) -> None:
    """Export names the extra without a server."""
    ended = run((package,), "export", home.path / "site", "--ladder", home.path)

    assert ended.returncode == 1
    assert ended.stderr == (
        f"error: this command needs the package {package}: install Courtyard with its extra, "
        "as in `pip install '.[pages]'` where its pyproject.toml is\n"
    )


@pytest.mark.costly
def test_a_dataset_of_parquet_names_its_extra(home: Home) -> None:
    """JSON lines need no package beyond the ladder's."""
    words = ("export", "--ladder", home.path, "--data", home.path / "data")
    ended = run((*SERVING[:2], *PAGES, "pyarrow"), *words)
    assert (ended.returncode, ended.stderr) == (0, "")

    ended = run(("pyarrow",), *words[:-1], home.path / "more", "--parquet")
    assert ended.returncode == 1
    assert ended.stderr == (
        "error: --parquet needs the package pyarrow: install Courtyard with its extra, "
        "as in `pip install '.[data]'` where its pyproject.toml is\n"
    )
    assert not (home.path / "more").exists()


@pytest.mark.costly
@pytest.mark.parametrize("package", ["uvicorn", "starlette", *PAGES])
def test_a_server_names_its_extra(package: str, home: Home) -> None:
    """`serve` names the extra with all packages."""
    ended = run((package,), "serve", "--ladder", home.path)

    assert ended.returncode == 1
    assert ended.stderr.count("\n") == 1
    assert f"the package {package}: " in ended.stderr
    assert ended.stderr.endswith("`pip install '.[web]'` where its pyproject.toml is\n")
