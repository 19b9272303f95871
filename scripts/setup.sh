#!/bin/sh
# Makes .venv: first the packages that requirements.lock pins, then this project, editable.
#
# usage: scripts/setup.sh PYTHON [UV]      run by make, in the project's folder
#
# PYTHON is the interpreter to build on, UV the uv program (pip does the work when it is empty).
# A stamp is written after each of the two steps and says what the step was made from. A step whose
# stamp still fits is skipped; one that was interrupted has no stamp, so it is done again.
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

# A virtual environment does not survive a move, hence the folder's name.
installer=${uv:+uv}
installer=${installer:-pip}
packages="$version $installer $(pwd -P) $(cksum <requirements.lock) $(cksum <scripts/setup.sh)"
project="$packages $(cksum <pyproject.toml)"

made_from() {
    test -x "$venv/bin/python" && test "$(cat "$venv/$1" 2>/dev/null)" = "$2"
}

made_from project.stamp "$project" && exit 0

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
    if [ -n "$uv" ]; then
        quietly "$uv" venv --quiet --python "$1" "$venv"
    else
        quietly "$1" -m venv "$venv"
    fi
}

install() {
    if [ -n "$uv" ]; then
        quietly "$uv" pip install --quiet --python "$venv/bin/python" --no-build-isolation "$@"
    else
        quietly "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
            --no-build-isolation "$@"
    fi
}

install_packages() {
    # The interpreter may be the one inside .venv, when that is activated: take the one beneath.
    base=$("$python" -c 'import sys; print(getattr(sys, "_base_executable", sys.executable))')
    rm -rf "$venv"
    create "$base"
    # trueskill is published as source only, so what builds it has to be there before it.
    awk '/^[a-z]/ { wanted = /^setuptools==/ } wanted' requirements.lock >"$venv/build.lock"
    install --require-hashes -r "$venv/build.lock"
    install --require-hashes -r requirements.lock
    echo "$packages" >"$venv/packages.stamp"
}

echo "Setting up $venv with Python $version and $installer; this may take a minute."
rm -f "$venv/project.stamp"
made_from packages.stamp "$packages" || install_packages
install --no-deps --editable .
echo "$project" >"$venv/project.stamp"
