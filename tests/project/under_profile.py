"""Say which sandbox levels there are in a container with a profile for system calls.

    python -m tests.project.under_profile PROFILE [CALL...]

Filters this process's calls as the profile says, but for these CALLs, which are refused. Prints
JSON: the levels, and what is wrong with namespaces.
"""

import json
import sys
from pathlib import Path
from typing import Any

import pyseccomp

from referee.sandbox.host_checks import namespaces
from referee.sandbox.levels import offered

_ACTIONS = {"SCMP_ACT_ALLOW": pyseccomp.ALLOW}
_OPERATORS = {"SCMP_CMP_EQ": pyseccomp.EQ, "SCMP_CMP_NE": pyseccomp.NE}


def load(profile: Any, refused: list[str]) -> None:
    """Filter the calls of this process, and of all that it starts."""
    rules = pyseccomp.SyscallFilter(pyseccomp.ERRNO(profile["defaultErrnoRet"]))
    for rule in profile["syscalls"]:
        conditions = [
            pyseccomp.Arg(each["index"], _OPERATORS[each["op"]], each["value"])
            for each in rule["args"]
        ]
        for name in rule["names"]:
            number = pyseccomp.resolve_syscall(pyseccomp.system_arch(), name)
            if number >= 0 and name not in refused:  # container engines ignore unknown ones too
                rules.add_rule(_ACTIONS[rule["action"]], name, *conditions)
    rules.load()


if __name__ == "__main__":
    load(json.loads(Path(sys.argv[1]).read_text()), sys.argv[2:])
    print(json.dumps({"levels": offered(), "lacking": namespaces().lacking}))  # noqa: T201
