"""Runs a filter of system calls as the kernel does: classic BPF over `struct seccomp_data`."""

import struct
from collections.abc import Callable, Mapping, Sequence

_INSTRUCTION = struct.Struct("=HBBI")
_DATA = struct.Struct("=iIQ6Q")
_WORD = struct.Struct("=I")
_LOAD, _RETURN, _AND, _JUMP = 0x20, 0x06, 0x54, 0x05
_TAKEN: Mapping[int, Callable[[int, int], bool]] = {
    0x15: lambda value, operand: value == operand,
    0x25: lambda value, operand: value > operand,
    0x35: lambda value, operand: value >= operand,
    0x45: lambda value, operand: bool(value & operand),
}
ALLOWED, KILLED = "allowed", "killed"


def verdict(program: bytes, architecture: int, number: int, arguments: Sequence[int] = ()) -> str:
    """Return what a filter says of a call: `ALLOWED`, `KILLED` or "errno" and a number.

    `architecture` is the kernel's AUDIT_ARCH of the caller.
    """
    given = [argument & (1 << 64) - 1 for argument in (*arguments, 0, 0, 0, 0, 0, 0)[:6]]
    returned = _run(program, _DATA.pack(number, architecture, 0, *given))
    action, value = returned & 0xFFFF0000, returned & 0xFFFF
    match action:
        case 0x7FFF0000:
            return ALLOWED
        case 0x00050000:
            return f"errno {value}"
        case 0x00000000 | 0x80000000:
            return KILLED
    raise ValueError(f"the filter returns {returned:#x}")


def _run(program: bytes, data: bytes) -> int:
    """Return what a program returns."""
    instructions = list(_INSTRUCTION.iter_unpack(program))
    accumulator = counter = 0
    while True:
        code, if_true, if_false, operand = instructions[counter]
        counter += 1
        if code == _LOAD:
            (accumulator,) = _WORD.unpack_from(data, operand)
        elif code == _AND:
            accumulator &= operand
        elif code == _JUMP:
            counter += operand
        elif code in _TAKEN:
            counter += if_true if _TAKEN[code](accumulator, operand) else if_false
        elif code == _RETURN:
            return int(operand)
        else:
            raise ValueError(f"instruction {counter - 1} of the filter has the code {code:#x}")
