#!/bin/sh
# Installs MPI (MPICH from its Python package, pinned) into the user's cache and prints the folder
# that mpicc and mpiexec are in. No root is needed.
#
# usage: tools/install-mpi.sh
#
# It goes to ${XDG_CACHE_HOME:-$HOME/.cache}/accrs/mpich-VERSION/venv. A second call finds it there
# and only prints. The environment is made under another name and renamed when mpicc answers, so a
# broken download leaves nothing behind; callers at the same time wait for the first.
# Standard output is the one line of the folder; all else goes to standard error.
set -eu

version=5.0.2

fail() {
    echo "install-mpi: $1" >&2
    exit 1
}

root=${XDG_CACHE_HOME:-${HOME:?install-mpi: neither XDG_CACHE_HOME nor HOME is set}/.cache}/accrs/mpich-$version
venv=$root/venv
if [ -x "$venv/bin/mpicc" ]; then
    echo "$venv/bin"
    exit 0
fi

command -v python3 >/dev/null || fail "python3 is missing: install the system package python3"
python3 -c 'import venv, ensurepip' 2>/dev/null ||
    fail "Python's venv module is missing: install the system package python3-venv"
mkdir -p "$root" 2>/dev/null || fail "cannot create $root"

# One installer at a time; the lock goes with the process, however it ends.
command -v flock >/dev/null || fail "flock is missing: install the system package util-linux"
exec 9>"$root/lock" || fail "cannot create $root/lock"
flock 9
if [ -x "$venv/bin/mpicc" ]; then # another call installed it while this one waited
    echo "$venv/bin"
    exit 0
fi
partial=$venv.partial
rm -rf "$partial" # left by a killed call
trap 'rm -rf "$partial"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

echo "install-mpi: installing MPICH $version into $root (about 13 MB, once)" >&2
python3 -m venv "$partial" >&2 ||
    fail "python3 -m venv failed: install the system package python3-venv"
"$partial/bin/python3" -m pip install --quiet --no-input --disable-pip-version-check \
    --only-binary :all: --no-deps "mpich==$version" >&2 ||
    fail "pip could not install mpich $version: is the package index reachable?"
"$partial/bin/mpicc" -show >/dev/null || fail "mpicc does not start"
rm -rf "$venv" # only ever an environment without mpicc, or this script had ended above
mv "$partial" "$venv"
echo "$venv/bin"
