"""The container image, the compose file, and the profile for system calls that the docs promise."""

import json
import re
import resource
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from importlib.metadata import requires
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from typer.main import get_command

from ladder.cli.app import app
from referee.sandbox.kernel import IS_LINUX
from referee.sandbox.program import Level
from scripts import locked
from tests.support.lacking import need_level, need_program, skip

NAMESPACES = {"clone", "clone3", "mount", "pivot_root", "sethostname", "umount2", "unshare"}
"""What bubblewrap calls to make namespaces; `personality` comes with conditions."""
DANGEROUS = {
    *("add_key", "bpf", "chroot", "delete_module", "finit_module", "fsmount", "init_module"),
    *("io_uring_setup", "ioperm", "iopl", "kexec_load", "keyctl", "move_mount"),
    *("open_by_handle_at", "perf_event_open", "pidfd_getfd", "process_vm_readv"),
    *("process_vm_writev", "ptrace", "reboot", "request_key", "setns", "settimeofday", "swapon"),
    *("syslog", "umount", "userfaultfd"),
}
SHORT = re.compile(r"[a-z]+(:[a-z0-9.-]+)?")
"""The name of an image, without the host that it comes from."""
REGISTRIES = re.compile(r"docker\.io|ghcr|gcr\.io|quay|pypi|pythonhosted|amazonaws|azurecr")
PODMAN = "apt-get install podman"


@pytest.fixture(scope="module")
def profile_file(root: Path) -> Path:
    """The path of the profile."""
    return root / "containers" / "seccomp.json"


@pytest.fixture(scope="module")
def steps(root: Path) -> list[tuple[str, str]]:
    """The Containerfile's instructions, each with the rest of its line."""
    text = (root / "Containerfile").read_text().replace("\\\n", " ")
    lines = (line.split(None, 1) for line in text.splitlines() if line and line[0] != "#")
    return [(word, " ".join(rest.split())) for word, rest in lines]


@pytest.fixture(scope="module")
def services(root: Path) -> dict[str, Any]:
    """The services of the compose file."""
    services: dict[str, Any] = yaml.safe_load((root / "compose.yaml").read_text())["services"]
    return services


@pytest.fixture(scope="module")
def project(root: Path) -> dict[str, Any]:
    """What pyproject.toml says."""
    return tomllib.loads((root / "pyproject.toml").read_text())


def test_the_profile_allows_what_the_sandbox_calls_and_no_more(profile_file: Path) -> None:
    """The profile refuses by default, and allows namespaces but no dangerous call."""
    profile = json.loads(profile_file.read_text())
    rules = profile["syscalls"]
    named = [name for rule in rules for name in rule["names"]]

    assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
    assert {rule["action"] for rule in rules} == {"SCMP_ACT_ALLOW"}
    assert {name for rule in rules if not rule["args"] for name in rule["names"]} >= NAMESPACES
    assert not DANGEROUS & set(named)
    assert {each["architecture"] for each in profile["archMap"]} == {
        "SCMP_ARCH_X86_64",
        "SCMP_ARCH_AARCH64",
    }
    assert all(rule["names"] == sorted(set(rule["names"])) for rule in rules)


def under(profile_file: Path, *refused: str) -> Any:
    """Return what a process offers whose calls are filtered by the profile."""
    command = [sys.executable, "-m", "tests.project.under_profile", str(profile_file), *refused]
    ended = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(ended.stdout)


def test_bots_are_contained_under_the_profile(profile_file: Path) -> None:
    """Under the profile, as in a container, there is the level `strict`."""
    need_level(Level.STRICT)

    assert Level.STRICT in under(profile_file)["levels"]


@pytest.mark.parametrize("call", ["personality", "pivot_root"])
def test_a_call_that_is_refused_is_named(profile_file: Path, call: str) -> None:
    """A profile that lacks a call costs the level, and the error names the call."""
    need_level(Level.STRICT)
    found = under(profile_file, call)

    assert found["levels"] == [Level.TRUSTED]
    assert call in found["lacking"]


def test_the_image_runs_as_an_ordinary_user(steps: list[tuple[str, str]]) -> None:
    """The image's user is no root, has a number, and is never changed back."""
    (user,) = [rest for word, rest in steps if word == "USER"]

    assert re.fullmatch(r"[1-9]\d+:[1-9]\d+", user)
    assert f"--uid {user.partition(':')[0]}" in " ".join(rest for _, rest in steps)


def test_the_image_holds_only_what_is_locked(steps: list[tuple[str, str]]) -> None:
    """Packages are fetched by hash alone, and no other step of pip fetches anything."""
    runs = " && ".join(rest for word, rest in steps if word == "RUN")
    pips = [command for command in runs.split(" && ") if "/pip " in command]

    assert len(pips) == 4
    for command in pips:
        assert ("--require-hashes" in command) != ("--no-deps" in command), command
    assert "bubblewrap libseccomp2 python3 util-linux" in runs


def test_no_registry_is_named(
    root: Path, steps: list[tuple[str, str]], services: dict[str, Any]
) -> None:
    """Images have short names: the host that they come from is each machine's own choice."""
    base = dict(line.split("=") for word, line in steps if word == "ARG")
    images = [base["BASE"], *(each["image"] for each in services.values())]

    assert {line.split()[0] for word, line in steps if word == "FROM"} == {"${BASE}"}
    assert all(SHORT.fullmatch(image) for image in images)
    for name in ("Containerfile", "compose.yaml", "docs/containers.md"):
        assert not REGISTRIES.search((root / name).read_text()), name


def test_all_that_the_wheel_is_made_of_is_copied(root: Path, project: dict[str, Any]) -> None:
    """`.dockerignore` lets through what the wheel includes, and what builds it."""
    kept = [
        line[1:] for line in (root / ".dockerignore").read_text().splitlines() if line[:1] == "!"
    ]
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]
    files = ["pyproject.toml", "requirements.lock", "scripts/locked.py", "README.md", "LICENSE"]

    for path in [*wheel, *files]:
        assert (root / path).exists()
        assert any(Path(path).is_relative_to(each) for each in kept), path


@pytest.fixture(scope="module")
def locked_names(root: Path, project: dict[str, Any]) -> Callable[[str], set[str]]:
    """Return the names of the packages that running or building needs."""
    lock = (root / "requirements.lock").read_text()

    def names(what: str) -> set[str]:
        lines = "".join(locked.needed(lock, locked.wanted(project, what)))
        assert lines.count("--hash=sha256:") > lines.count("==")
        return set(re.findall(r"^[a-z0-9-]+(?===)", lines, re.MULTILINE))

    return names


def test_what_runs_needs_is_taken_from_the_lock(
    root: Path, locked_names: Callable[[str], set[str]]
) -> None:
    """The image has all that its packages ask for, and nothing that only developers need."""
    found, here = locked_names("run"), locked_for_here(root)

    used = {"alembic", "grpcio", "psycopg", "psycopg-binary", "starlette", "trueskill"}
    assert used <= found & here
    assert not {"hypothesis", "mypy", "playwright", "pytest", "ruff", "hatchling"} & found
    for name in found & here:
        assert set(asked_by(name)) <= found, name


def locked_for_here(root: Path) -> set[str]:
    """Return the names of the packages that the lock has for this system and Python."""
    lines = re.findall(r"^\w.*?(?= \\$)", (root / "requirements.lock").read_text(), re.MULTILINE)
    pinned = [Requirement(line) for line in lines]
    return {
        canonicalize_name(each.name)
        for each in pinned
        if each.marker is None or each.marker.evaluate()
    }


def asked_by(name: str) -> Iterator[str]:
    """Yield the names of what an installed package asks for here."""
    for line in requires(name) or ():
        requirement = Requirement(line)
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            yield canonicalize_name(requirement.name)


def test_what_builds_the_wheel_is_taken_from_the_lock(
    locked_names: Callable[[str], set[str]],
) -> None:
    """The wheel is built by what the lock names, and no more."""
    found = locked_names("build")

    assert {"hatchling", "setuptools"} <= found
    assert not {"grpcio", "pytest"} & found


def test_an_unknown_package_is_no_silent_omission() -> None:
    """A package that the lock lacks is an error."""
    with pytest.raises(KeyError):
        list(locked.needed("a==1 \\\n    --hash=sha256:0\n    # via b\n", {"zzz"}))


def test_the_services(services: dict[str, Any]) -> None:
    """There are a database, a scheduler, two workers, what plays and what shows the ladder."""
    words = {name: each.get("command", "") for name, each in services.items()}
    commands = [" ".join(each[:2]) for each in words.values() if isinstance(each, list)]

    assert services["database"]["image"].startswith("postgres:")
    assert sorted(commands) == [
        "ladder run",
        "ladder scheduler",
        "ladder serve",
        "ladder worker",
        "ladder worker",
        "sh -ec",
    ]
    assert {"--forever", "--cluster", "tls://scheduler:8786"} <= set(words["play"])
    assert services["pages"]["ports"] == ["127.0.0.1:8000:8000"], "for this machine alone"


def test_every_command_of_a_service_exists(services: dict[str, Any]) -> None:
    """The commands have the options that the services use."""
    known = getattr(get_command(app), "commands", {})
    lines = [each["command"] for each in services.values() if "command" in each]
    lines += [line.split("|| ")[1].split() for line in services["setup"]["command"][2].splitlines()]
    ours = [line for line in lines if line[0] == "ladder"]

    assert len(ours) == 7
    for line in ours:
        options = {option for each in known[line[1]].params for option in each.opts}
        assert {word for word in line if word.startswith("--")} <= options, line


def test_no_service_may_do_more_than_it_needs(root: Path, services: dict[str, Any]) -> None:
    """Ours run as ordinary users without capabilities; only those with bots can make namespaces."""
    ours = {name: each for name, each in services.items() if each["image"] == "courtyard"}
    assert set(services) - set(ours) == {"database"}
    for each in ours.values():
        assert each["user"] == "10000:10000"
        assert (each["cap_drop"], each["read_only"]) == (["ALL"], True)
        assert "privileged" not in each
    sandboxed = {name for name, each in ours.items() if "security_opt" in each}
    assert sandboxed == {"setup", "worker-1", "worker-2", "play"}
    for name in sandboxed:
        options = ours[name]["security_opt"]
        assert "no-new-privileges:true" in options
        (profile,) = [each for each in options if each.startswith("seccomp=")]
        assert (root / profile.partition("=")[2]).is_file()


def test_the_docs_name_what_a_container_needs(root: Path) -> None:
    """docs/containers.md has the options that `ladder doctor` and the compose file have."""
    page = (root / "docs" / "containers.md").read_text()

    for option in (
        "--security-opt seccomp=containers/seccomp.json",
        "--security-opt unmask=ALL",
        "systempaths=unconfined",
        "apparmor=unconfined",
    ):
        assert option in page


def podman(*words: str) -> subprocess.CompletedProcess[str]:
    """Run podman; a container gets the limits that this process has itself."""
    return subprocess.run(
        [need_program("podman", PODMAN), *words], capture_output=True, text=True, check=False
    )


def limits() -> list[str]:
    """Return podman's options for the limits, which only some machines let it raise."""
    kinds = {"nofile": resource.RLIMIT_NOFILE, "nproc": resource.RLIMIT_NPROC}
    most = {
        name: min(4096, max(64, resource.getrlimit(kind)[0] % (1 << 32)))
        for name, kind in kinds.items()
    }
    return [f"--ulimit={name}={number}:{number}" for name, number in most.items()]


@pytest.fixture(scope="module")
def image(root: Path, proof_cases: Callable[[int], int]) -> str:
    """The image's name; it is built for the whole proof only, as that takes minutes."""
    if not IS_LINUX:
        skip("no Linux with /proc", "run this on Linux")
    if proof_cases(50) == 50:
        built = podman("build", *limits(), "--tag", "courtyard", str(root))
        assert built.returncode == 0, built.stderr[-2000:]
    if podman("image", "exists", "courtyard").returncode:
        skip("the image courtyard is not built", "podman build --tag courtyard .")
    return "courtyard"


@pytest.mark.proof
def test_the_image_contains_bots(image: str, profile_file: Path) -> None:
    """In a container with the options of the docs, bots play at the level `strict`."""
    options = (
        *("run", "--rm", "--cap-drop=ALL", "--read-only", "--tmpfs=/tmp"),
        *(f"--security-opt={each}" for each in (f"seccomp={profile_file}", "unmask=ALL")),
        *("--security-opt=no-new-privileges", *limits()),
    )
    doctor = podman(*options, image, "ladder", "doctor")
    demo = podman(*options, image, "ladder", "demo", "--workers", "1")

    assert re.search(r"^ok +sandbox levels +strict, trusted;", doctor.stdout, re.MULTILINE)
    assert (demo.returncode, demo.stderr) == (0, "")
    assert "Bots are contained at the level strict" in demo.stdout
    assert "trusted" not in demo.stdout


@pytest.mark.proof
def test_the_image_says_what_a_container_lacks(image: str, profile_file: Path) -> None:
    """Without these options `ladder doctor` ends well and names those that are missing."""
    for options, missing in (
        ((), ("seccomp=containers/seccomp.json", "unmask=ALL")),
        ((f"--security-opt=seccomp={profile_file}",), ("unmask=ALL",)),
        (("--security-opt=unmask=ALL",), ("seccomp=containers/seccomp.json",)),
    ):
        said = podman("run", "--rm", *limits(), *options, image, "ladder", "doctor")
        assert said.stderr == ""
        assert re.search(r"^ok +sandbox levels +trusted;", said.stdout, re.MULTILINE)
        shown = " ".join(said.stdout.split())
        named = {each for each in ("seccomp=containers", "unmask=ALL") if each in shown}
        assert named == {each.partition("/")[0] for each in missing}
