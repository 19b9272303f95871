"""The certificates of a cluster: made once, and checked before anything starts."""

import stat
from pathlib import Path

import pytest

from ladder.model.errors import LadderError
from ladder.runner.cluster.certificates import ClusterCertificates


@pytest.fixture
def made(tmp_path: Path) -> ClusterCertificates:
    """New certificates."""
    certificates = ClusterCertificates(tmp_path / "certificates")
    certificates.make()
    return certificates


def test_only_the_owner_reads_the_key(made: ClusterCertificates) -> None:
    """Nobody else may read the key; the authority's is not kept."""
    assert stat.S_IMODE(made.key.stat().st_mode) == 0o600
    assert {file.name for file in made.folder.iterdir()} == {
        "ca.pem",
        "cluster.pem",
        "cluster-key.pem",
    }
    made.check()


def test_certificates_are_never_overwritten(made: ClusterCertificates) -> None:
    """A cluster's key is not lost by making certificates twice."""
    before = made.key.read_bytes()
    with pytest.raises(LadderError, match=r"cluster-key\.pem: it already exists"):
        made.make()
    assert made.key.read_bytes() == before


def test_missing_certificates_are_named(tmp_path: Path) -> None:
    """Without certificates, the message says which file is missing and what makes it."""
    with pytest.raises(LadderError) as caught:
        ClusterCertificates(tmp_path / "none").check()
    assert str(caught.value) == (
        f"{tmp_path / 'none/ca.pem'}: no such file; `ladder certificates {tmp_path / 'none'}` "
        "makes those of a new cluster, and each of its machines needs the same"
    )


@pytest.mark.parametrize("name", ["ca.pem", "cluster.pem", "cluster-key.pem"])
def test_damaged_certificates_are_named(made: ClusterCertificates, name: str) -> None:
    """A damaged file is named in one line."""
    (made.folder / name).write_text("nonsense")
    with pytest.raises(LadderError, match=r"(ca|cluster)\.pem: no certificate"):
        made.check()
