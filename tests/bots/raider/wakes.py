"""How a raider that was stopped tries to go on, or to take more unobserved."""

import ctypes
import math
import mmap
import os
import re
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hogs  # type: ignore[import-not-found]  # it is beside this

Targets = dict[str, Any]
_LIBC = ctypes.CDLL(None, use_errno=True)
_MIB = 1 << 20
_CLOCK_MONOTONIC, _SIGEV_SIGNAL = 1, 0
_POPULATE_WRITE = 23
_UNTIL_ANSWERED_S = 0.012
_TIMERS, _TIMERS_APART_NS = 1000, 3_000_000
_UNTIL_STOPPED_S = 0.06
_DEATHS = 4
_kept: list[Any] = []
_telling: list[int] = []
_answered = [math.inf]
_BEGAN = time.monotonic()
_SLOT_S, _SLOTS = 0.01, 15
_AFTER_S, _LONG_S = 0.1, 0.28
"""The slots that count: others think for 0.3 s, and who is stopped is so in less than 0.1 s."""
_ran = mmap.mmap(-1, 4096)
"""A byte for each hundredth of a second, which its children share."""


def _run() -> None:
    """Note in which hundredths of a second it runs, for as long as there is room."""
    while (slot := int((time.monotonic() - _BEGAN) / _SLOT_S)) < len(_ran):
        _ran[slot] = 1


class _Event(ctypes.Structure):
    _fields_ = (
        ("value", ctypes.c_void_p),
        ("signal", ctypes.c_int),
        ("notify", ctypes.c_int),
        ("more", ctypes.c_byte * 48),
    )


def timer(_: Targets) -> str:
    """Have the kernel send it SIGCONT every few milliseconds."""
    threading.Thread(target=_run, daemon=True).start()
    return _armed()


def _armed() -> str:
    """Arm a thousand timers, each for one moment: a stop does away with one that repeats."""
    event = _Event(None, signal.SIGCONT, _SIGEV_SIGNAL)
    for number in range(_TIMERS):
        made = ctypes.c_void_p()
        if _LIBC.timer_create(_CLOCK_MONOTONIC, ctypes.byref(event), ctypes.byref(made)):
            return ""
        seconds, rest = divmod((number + 1) * _TIMERS_APART_NS, 1_000_000_000)
        _LIBC.timer_settime(made, 0, (ctypes.c_long * 4)(0, 0, seconds, rest), None)
    return f"{_TIMERS} timers"


def deaths(_: Targets) -> str:
    """Let processes die slowly whose deaths orphan, and so continue, a group that is stopped."""
    for _number in range(_DEATHS):
        reading, writing = os.pipe()
        said, saying = os.pipe()
        if os.fork() == 0:
            os.setsid()
            hogs._filled(200)
            worker = os.fork()
            if worker == 0:
                os.setpgid(0, 0)
                signal.signal(signal.SIGHUP, signal.SIG_IGN)
                os.write(saying, b"!")
                _run()
            os.read(reading, 1)
            time.sleep(_UNTIL_ANSWERED_S)
            os._exit(0)
        os.read(said, 1)
        _telling.append(writing)
    return ""


def grow(_: Targets) -> str:
    """Fill 1400 MiB, and only while others think: timers wake it."""
    armed = _armed()
    held = mmap.mmap(-1, 1400 * _MIB, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    _kept.append(held)

    def fill() -> None:
        for offset in range(0, len(held), 4 * _MIB):
            while time.monotonic() - _answered[-1] < _UNTIL_STOPPED_S:
                time.sleep(0.001)
            held.madvise(_POPULATE_WRITE, offset, 4 * _MIB)

    threading.Thread(target=fill, daemon=True).start()
    return armed


def before_answer() -> None:
    """Say when it ran and what it holds; let the next process die, if one is to."""
    if time.monotonic() - _answered[-1] > _LONG_S:
        first = int((_answered[-1] + _AFTER_S - _BEGAN) / _SLOT_S)
        print(f"ran in {sum(_ran[first : first + _SLOTS])} slots of {_SLOTS}", flush=True)
    if _kept:
        resident = re.search(r"VmRSS:\s+(\d+)", Path("/proc/self/status").read_text())
        print(f"held {int(resident[1]) // 1024 if resident else 0} MiB", flush=True)
    if _telling:
        os.write(_telling.pop(), b"!")
    _answered.append(time.monotonic())


ATTACKS: dict[str, Callable[[Targets], str]] = {
    attack.__name__: attack for attack in (timer, deaths, grow)
}
