"""Notifies the service manager of this process's state.

This is systemd's protocol for `Type=notify`, a datagram to a socket. It needs no library:
https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html
"""

import os
import socket
from contextlib import suppress


def notify(state: str) -> None:
    """Send a state such as READY=1 if a service manager listens; never fail."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    if address.startswith("@"):  # an abstract socket
        address = f"\0{address[1:]}"
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sending:
        sending.sendto(state.encode(), socket.MSG_DONTWAIT, address)
