"""Numbers of system calls on this machine, for scripts that make calls Python has no name for."""

import re
from collections.abc import Mapping

from tests.support.lacking import skip

_NAMED = re.compile(r"\bcall\('(\w+)'")


def numbers(script: str) -> Mapping[str, int]:
    """Return the number of each call, if it is here, that a script makes as call('name', ...).

    Some architectures lack calls that others have. Skip the test where nothing knows the numbers.
    """
    try:
        import pyseccomp  # noqa: PLC0415 -- the import fails where the library is missing
    except (ImportError, RuntimeError):
        skip("no libseccomp", "apt-get install libseccomp2")
    native = pyseccomp.Arch.NATIVE
    found = {name: int(pyseccomp.resolve_syscall(native, name)) for name in _NAMED.findall(script)}
    return {name: number for name, number in found.items() if number >= 0}
