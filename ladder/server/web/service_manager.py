"""Tells the service manager that started this process how far it is.

This is systemd's protocol for `Type=notify`, a datagram to the socket that it names. It takes no
library: https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html
"""

import os
import socket
from contextlib import suppress


def notify(state: str) -> None:
    """Tell a state such as READY=1, if anybody wants to know; never fail."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    if address.startswith("@"):  # an abstract name
        address = f"\0{address[1:]}"
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sending:
        sending.sendto(state.encode(), socket.MSG_DONTWAIT, address)
