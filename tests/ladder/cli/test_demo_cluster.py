"""The cluster of `ladder demo --cluster` is there for the demo, and gone after it."""

import shutil
from pathlib import Path

import pytest

from ladder.cli.demo import demo_cluster
from ladder.runner.cluster.certificates import ClusterCertificates
from ladder.runner.cluster.reach import SchedulerUnreachableError, reach
from tests.support.lacking import need_dask


@pytest.mark.costly
def test_the_cluster_of_the_demo_is_gone_after_it(tmp_path: Path) -> None:
    """A scheduler with certificates of its own answers during the demo, and none after it."""
    need_dask()
    with demo_cluster() as cluster:
        assert reach(cluster.address, cluster.certificates) == "127.0.0.1"
        copied = ClusterCertificates(tmp_path / "copied")
        shutil.copytree(cluster.certificates.folder, copied.folder)
    assert not cluster.certificates.folder.exists()
    with pytest.raises(SchedulerUnreachableError, match="Connection refused"):
        reach(cluster.address, copied)
