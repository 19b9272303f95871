"""The certificate of a cluster: made once, and checked before anything starts."""

import stat
from pathlib import Path

import pytest
from cryptography import x509

from ladder.model.errors import LadderError
from ladder.runner.cluster.certificates import ClusterCertificates


@pytest.fixture
def made(tmp_path: Path) -> ClusterCertificates:
    """New certificates."""
    certificates = ClusterCertificates(tmp_path / "certificates")
    certificates.make()
    return certificates


def test_only_the_owner_reads_the_key(made: ClusterCertificates) -> None:
    """No other user may read the key."""
    assert stat.S_IMODE(made.file.stat().st_mode) == 0o600
    made.check()


def test_a_certificate_is_never_overwritten(made: ClusterCertificates) -> None:
    """A cluster's key is not lost by making certificates twice."""
    before = made.file.read_bytes()
    with pytest.raises(LadderError, match=r"cluster\.pem: it already exists"):
        made.make()
    assert made.file.read_bytes() == before


def test_a_missing_certificate_is_named(tmp_path: Path) -> None:
    """Without a certificate, the message says which file is missing and what makes it."""
    with pytest.raises(LadderError) as caught:
        ClusterCertificates(tmp_path / "none").check()
    assert str(caught.value) == (
        f"{tmp_path / 'none/cluster.pem'}: no such file; `ladder certificates {tmp_path / 'none'}` "
        "makes that of a new cluster, and each of its machines needs the same"
    )


@pytest.mark.parametrize("kept", [0, 1, 9])
def test_a_damaged_certificate_is_named(made: ClusterCertificates, kept: int) -> None:
    """A file that is damaged or lacks its key is named in one line."""
    lines = made.file.read_text().splitlines(keepends=True)
    made.file.write_text("".join(lines[: kept * len(lines) // 10]))
    with pytest.raises(LadderError, match=r"cluster\.pem: no certificate with its key"):
        made.check()


def test_a_certificate_can_sign_no_other(made: ClusterCertificates) -> None:
    """What the key of a cluster has signed is no certificate of the cluster."""
    certificate = x509.load_pem_x509_certificate(made.file.read_bytes())

    assert not certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
