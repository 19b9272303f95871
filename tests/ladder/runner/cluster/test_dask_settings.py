"""Dask plays by our settings, whatever else this machine tells it."""

from collections.abc import Iterator

import pytest

from tests.support.lacking import need_dask

need_dask()

import dask  # noqa: E402 -- an optional package
import distributed  # noqa: E402, F401 -- its settings

from ladder.runner.cluster.serving import configure  # noqa: E402 -- the same


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    """Leave Dask's settings as they were."""
    with dask.config.set({}):
        before = dict(dask.config.config)
        yield
        dask.config.config.clear()
        dask.config.config.update(before)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("distributed.comm.tls.ciphers", "none"),
        ("distributed.comm.require-encryption", "maybe"),
        ("distributed.worker.memory.terminate", 0.0001),
    ],
)
def test_settings_of_others_are_forgotten(key: str, value: object) -> None:
    """A DASK_* variable or a dask.yaml of the user changes nothing of a cluster."""
    dask.config.set({key: value})

    configure()

    assert dask.config.get(key) != value
