"""`ladder serve` reports its state to a service manager, as systemd's `Type=notify`."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from ladder.server.web.service_manager import notify
from ladder.storage.files.folder import Home

COMMAND = Path(sys.executable).with_name("ladder")


@pytest.mark.costly
def test_it_tells_that_it_is_ready_and_that_it_stops(home: Home, tmp_path: Path) -> None:
    """`serve` asks for time to read, is ready once its pages open, and ends at SIGHUP.

    That ends it like SIGTERM, leaving nothing.
    """
    (scratch := tmp_path / "scratch").mkdir()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "manager"))
        process = subprocess.Popen(
            [str(COMMAND), "serve", "--port", "0", "--ladder", str(home.path)],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "NOTIFY_SOCKET": f"{tmp_path}/manager", "TMPDIR": str(scratch)},
        )
        assert manager.recv(100) == b"EXTEND_TIMEOUT_USEC=3600000000"
        assert manager.recv(100) == b"READY=1"
        process.send_signal(signal.SIGHUP)
        assert manager.recv(100) == b"STOPPING=1"
        out, _ = process.communicate(timeout=240)

    assert process.returncode == 0
    assert [line.split()[0] for line in out.splitlines()] == ["Open", "Stopped."]
    assert list(scratch.iterdir()) == []


def test_no_manager_needs_to_listen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing fails without a service manager or once it is gone; names may be abstract."""
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    notify("READY=1")
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "nowhere"))
    notify("READY=1")
    name = f"courtyard-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(f"\0{name}")
        monkeypatch.setenv("NOTIFY_SOCKET", f"@{name}")
        notify("READY=1")
        assert manager.recv(100) == b"READY=1"
