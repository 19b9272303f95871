"""Installs the example games where this process finds them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.installed import EXAMPLES, install


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder where the example games are installed; this process finds them."""
    site = tmp_path_factory.mktemp("site")
    for project in EXAMPLES.iterdir():
        install(project, site)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(site)
        yield site
