#!/bin/sh
# Makes .venv: first the packages that requirements.lock pins, then this project, editable.
#
# usage: scripts/setup.sh PYTHON [UV]      run by make, in the project's folder
#
# PYTHON is the interpreter to build on, UV the uv program (pip does the work when it is empty).
# A stamp is written after each of the two steps and says what the step was made from. A step whose
# stamp still fits is skipped. A new lock is installed over the old packages; only when the stamp is
# missing, as after an interruption, or tells of another interpreter, is .venv made anew.
set -eu

python=$1
uv=${2-}
venv=.venv

fail() {
    echo "$1" >&2
    exit 1
}

version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) ||
    fail "Courtyard needs Python 3.11 or newer, and '$python' does not run: say make PYTHON=..."
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "Courtyard needs Python 3.11 or newer, and '$python' is $version: say make PYTHON=..."

installer=${uv:+uv}
installer=${installer:-pip}
base="Python $version, $installer, $(pwd -P)" # a virtual environment does not survive a move
packages="$base: $(cksum <requirements.lock)"
project="$packages, $(cksum <pyproject.toml)"

stamp() {
    test -x "$venv/bin/python" && cat "$venv/$1.stamp" 2>/dev/null
}

test "$(stamp project)" = "$project" && exit 0

log=$(mktemp)
trap 'rm -f "$log"' EXIT
trap 'echo "Set-up was interrupted; the next make does it again." >&2; exit 130' INT TERM

quietly() {
    "$@" >"$log" 2>&1 </dev/null || {
        cat "$log" >&2
        fail "Set-up failed at: $*"
    }
}

create() {
    # The interpreter may be the one inside .venv, when that is activated: take the one beneath.
    beneath=$("$python" -c 'import sys; print(getattr(sys, "_base_executable", sys.executable))')
    rm -rf "$venv"
    if [ -n "$uv" ]; then
        quietly "$uv" venv --quiet --python "$beneath" "$venv"
    else
        quietly "$beneath" -m venv "$venv"
    fi
}

install() {
    if [ -n "$uv" ]; then
        quietly "$uv" pip install --quiet --python "$venv/bin/python" --no-build-isolation "$@"
    else
        quietly "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
            --no-compile --no-build-isolation "$@"
    fi
}

install_packages() {
    # trueskill is published as source only, so what builds it has to be there before it; Python's
    # own pip is older than the lock's, and slower.
    awk '/^[a-z]/ { wanted = /^(pip|setuptools)==/ } wanted' requirements.lock >"$venv/build.lock"
    install --require-hashes -r "$venv/build.lock"
    install --require-hashes -r requirements.lock
    # On all cores, which pip does not. Unless compiled now, the sandbox, which lets no bot keep
    # what it compiles, would make it slow, and the first run show what the compiler finds fault with.
    "$venv/bin/python" -m compileall -qq --workers 0 -x /tests/ "$venv/lib" >/dev/null 2>&1 ||
        true # a package may hold a file for another Python
}

echo "Setting up $venv with Python $version and $installer; this may take a minute."
made_from=$(stamp packages || true)
rm -f "$venv/project.stamp"
if [ "$made_from" != "$packages" ]; then
    case $made_from in "$base: "*) ;; *) create ;; esac
    rm -f "$venv/packages.stamp"
    install_packages
    echo "$packages" >"$venv/packages.stamp"
fi
install --no-deps --editable .
# The sandbox lets no bot keep what it compiles, so each would compile its kit anew.
quietly "$venv/bin/python" -m compileall -q referee ladder courtyard_library courtyard_openspiel proto sample_bots/python/courtyard_kit
echo "$project" >"$venv/project.stamp"
