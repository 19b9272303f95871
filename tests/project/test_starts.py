"""Where the two programs start processes: none may look for code in the current folder."""

import ast
from collections.abc import Mapping

import pytest

OF_MODULES = {
    "asyncio": {"create_subprocess_exec", "create_subprocess_shell"},
    "os": {
        *("system", "popen", "posix_spawn", "posix_spawnp", "fork", "forkpty"),
        *("execv", "execve", "execvp", "execvpe", "execl", "execle", "execlp", "execlpe"),
        *("spawnv", "spawnve", "spawnvp", "spawnvpe", "spawnl", "spawnle", "spawnlp", "spawnlpe"),
    },
    "pty": {"fork", "spawn"},
    "subprocess": {
        *("Popen", "run", "call", "check_call", "check_output", "getoutput", "getstatusoutput"),
    },
}
"""What starts a process, by the module whose name stands before it."""
OF_ANY = {"get_context", "Manager", "Pool", "Process", "set_start_method"}
"""What starts one by multiprocessing, whatever stands before it."""
ALONE = {"Popen", "ProcessPoolExecutor", "create_subprocess_exec", "get_context"}
"""What starts one if nothing stands before it."""
KNOWN = {
    "referee/conformance/repro.py: create_subprocess_exec": "the user's own bot, in its folder",
    "referee/core/folders.py: run": "chown, chmod and rm",
    "referee/games/plain/guard.py: posix_spawn": "sh",
    "referee/sandbox/cgroups/cgroup_files.py: Popen": "sh",
    "referee/sandbox/meter/process_list.py: Process": "psutil's, which starts nothing",
    "referee/sandbox/contain/proc_files.py: run": "setarch and cat",
    "referee/sandbox/contain/strict.py: Popen": "bubblewrap",
    "referee/sandbox/supervisor.py: execvpe": "a bot, in its folder",
    "referee/sandbox/supervisor.py: fork": "the same",
}
"""Starts of a program that is no Python of ours, and reads no settings in the current folder."""


@pytest.fixture(scope="module")
def starts(parsed: Mapping[str, ast.Module]) -> Mapping[str, list[ast.Call]]:
    """Return the calls that start a process, by their files and names."""
    found: dict[str, list[ast.Call]] = {}
    for path, module in parsed.items():
        for node in ast.walk(module):
            if isinstance(node, ast.Call) and (name := started_by(node.func)):
                found.setdefault(f"{path}: {name}", []).append(node)
    return found


def started_by(called: ast.expr) -> str:
    """Return the name of what is called if that may start a process; empty for anything else."""
    match called:
        case ast.Name(name) if name in ALONE:
            return name
        case ast.Attribute(ast.Name(module), name) if name in OF_MODULES.get(module, ()):
            return name
        case ast.Attribute(_, name) if name in OF_ANY:
            return name
    return ""


def is_safe(call: ast.Call) -> bool:
    """Tell whether a start is one of a Python of ours, or in a folder that no stranger has made."""
    if any(word.arg == "cwd" for word in call.keywords):
        return True
    calls = (node.func for node in ast.walk(call) if isinstance(node, ast.Call))
    return any(isinstance(of, ast.Name) and of.id in {"python", "spawning"} for of in calls)


def test_no_process_of_ours_looks_into_the_current_folder(
    starts: Mapping[str, list[ast.Call]],
) -> None:
    """Each start is by `python` or `spawning`, has its own folder, or is known and still there."""
    unsafe = {place for place, calls in starts.items() if not all(map(is_safe, calls))}
    assert not unsafe - KNOWN.keys()
    assert KNOWN.keys() <= starts.keys()
