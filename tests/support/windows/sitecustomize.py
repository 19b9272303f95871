"""Take from Python on a Unix what Python on Windows lacks: modules, calls, signals, Unix sockets.

A process whose PYTHONPATH begins with this folder starts with this. It is an imitation: Python
still says that the system is Linux, as a library that believed otherwise would call Windows itself.
"""

# These choose by system when they are imported: they still have to work here.
import asyncio  # noqa: F401
import multiprocessing.util  # noqa: F401
import os
import pathlib  # noqa: F401
import platform
import select
import selectors  # noqa: F401
import shutil  # noqa: F401
import signal
import socket
import socketserver  # noqa: F401
import ssl  # noqa: F401
import subprocess  # noqa: F401
import sys
import tarfile  # noqa: F401
import tempfile  # noqa: F401
import uuid  # noqa: F401

_MODULES = "fcntl grp posix pty pwd pyseccomp resource syslog termios tty uvloop"
_CALLS = {
    os: "chown chroot fchown fork forkpty getegid geteuid getgid getgroups getloadavg getpgid "
    "getpgrp getpriority getsid getuid initgroups killpg lchown mkfifo mknod nice pidfd_open pipe2 "
    "posix_fadvise posix_fallocate posix_spawn posix_spawnp pread preadv pwrite pwritev "
    "sched_getaffinity sched_setaffinity sched_yield setegid seteuid setgid setgroups "
    "setpgid setpriority setsid setuid statvfs sync sysconf tcgetpgrp tcsetpgrp uname wait wait3 "
    "wait4 waitid WIFSIGNALED WNOHANG O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK",
    select: "epoll poll kqueue",
    signal: "SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGQUIT SIGSTOP SIGTSTP SIGTTIN "
    "SIGTTOU SIGUSR1 SIGUSR2 SIGXCPU SIGXFSZ alarm getitimer pause pidfd_send_signal pthread_kill "
    "pthread_sigmask setitimer siginterrupt sigpending sigtimedwait sigwait sigwaitinfo",
    socket: "AF_UNIX SCM_RIGHTS SOCK_SEQPACKET SO_REUSEPORT send_fds recv_fds",
}

platform.uname()  # remembered
for name in _MODULES.split():
    sys.modules[name] = None  # type: ignore[assignment] # an import of it fails
for module, names in _CALLS.items():
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)
