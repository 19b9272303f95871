"""Python as it is where the kernel is not Linux: the calls of Linux's own are gone.

With this folder on PYTHONPATH a program, and all it starts, uses the portable half of the sandbox.
Only psutil still reads /proc.
"""

import asyncio  # these choose by platform when they are imported, and must do so before
import multiprocessing.util
import os
import selectors
import shutil
import signal
import socket
import subprocess
import time

_ = (asyncio, multiprocessing.util, selectors, shutil, subprocess)
_LINUX_ONLY = {
    os: "pidfd_open sched_getaffinity sched_setaffinity waitid memfd_create pipe2 setresuid",
    signal: "pidfd_send_signal sigtimedwait sigwaitinfo",
    socket: "SOCK_SEQPACKET SOCK_CLOEXEC SOCK_NONBLOCK SO_PEERCRED",
    time: "CLOCK_BOOTTIME",
}
for _module, _names in _LINUX_ONLY.items():
    for _name in _names.split():
        if hasattr(_module, _name):
            delattr(_module, _name)
