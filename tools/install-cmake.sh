#!/bin/sh
# Finds CMake, or installs it from its Python package, pinned, into the user's cache; prints the
# path of the program. The tests build a project with it.
#
# usage: tools/install-cmake.sh
#
# It goes to ${XDG_CACHE_HOME:-$HOME/.cache}/accrs/cmake-VERSION. A second call finds it there and
# only prints. The environment is made under another name and renamed when CMake answers; callers at
# the same time wait for the first. All but the path goes to standard error.
set -eu

version=4.1.2

fail() {
    echo "install-cmake: $1" >&2
    exit 1
}

if command -v cmake; then
    exit 0
fi
cache=${XDG_CACHE_HOME:-${HOME:?install-cmake: neither XDG_CACHE_HOME nor HOME is set}/.cache}/accrs
folder=$cache/cmake-$version
if [ -x "$folder/bin/cmake" ]; then
    echo "$folder/bin/cmake"
    exit 0
fi
command -v python3 >/dev/null || fail "cmake is missing: install the system package cmake, or python3"
mkdir -p "$cache" || fail "cannot create $cache"
exec 9>"$folder.lock" || fail "cannot create $folder.lock"
flock 9
if [ ! -x "$folder/bin/cmake" ]; then
    part=$(mktemp -d "$folder.part-XXXXXX")
    trap 'rm -rf "$part"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    # A target folder has no absolute paths in it, so it can be renamed; the package's real program
    # needs no Python.
    python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --target "$part/package" "cmake==$version" >&2 ||
        fail "pip cannot install cmake $version"
    mkdir "$part/bin"
    ln -s ../package/cmake/data/bin/cmake "$part/bin/cmake"
    "$part/bin/cmake" --version >&2 || fail "the installed cmake does not run"
    mv "$part" "$folder"
fi
echo "$folder/bin/cmake"
