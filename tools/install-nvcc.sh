#!/bin/sh
# Installs NVIDIA's compiler nvcc, nvdisasm, which shows what it made, and the headers of NVTX, by which
# profilers know regions, from their Python packages, pinned, into the user's cache and prints the CUDA_HOME they form. No GPU and no root
# are needed.
#
# usage: tools/install-nvcc.sh
#
# It goes to ${XDG_CACHE_HOME:-$HOME/.cache}/accrs/nvcc-VERSION/venv. A second call finds it there
# and only prints. The environment is made under another name and renamed when nvcc answers, so a
# broken download leaves nothing behind; callers at the same time wait for the first.
# Standard output is the one line of CUDA_HOME; all else goes to standard error.
set -eu

version=13.0.88
packages="
    nvidia-cuda-nvcc==$version
    nvidia-nvvm==$version
    nvidia-cuda-crt==$version
    nvidia-cuda-runtime==13.0.96
    nvidia-cuda-cccl==13.0.85
"
# The first packages of nvdisasm are younger than that nvcc; it reads what all older ones made.
disassembler=nvidia-cuda-nvdisasm==13.5.37
ranges=nvidia-nvtx==13.0.85

fail() {
    echo "install-nvcc: $1" >&2
    exit 1
}

# The folder that holds bin/nvcc within the environment $1; the path has Python's version in it.
cuda_home() {
    for home in "$1"/lib/python3*/site-packages/nvidia/cu13; do
        if [ -x "$home/bin/nvcc" ]; then
            echo "$home"
            return 0
        fi
    done
    return 1
}

# The linker compiles device code of several files with the library libnvvm, which it looks for where
# a toolkit has it; the package puts it elsewhere.
library=nvvm/lib64/libnvvm.so
place_library() {
    mkdir -p "$1/nvvm/lib64" && ln -sf ../../lib/libnvvm.so.4 "$1/$library"
}

# pip of the environment $1, which takes the packages named and no others.
pip_install() {
    environment=$1
    shift
    "$environment/bin/python3" -m pip install --quiet --no-input --disable-pip-version-check \
        --only-binary :all: --no-deps "$@" >&2
}

# Puts nvdisasm beside nvcc in $2 with pip of the environment $1, whole or not at all.
place_disassembler() {
    apart=$root/nvdisasm.partial
    rm -rf "$apart" # left by a killed call
    pip_install "$1" --target "$apart" "$disassembler" ||
        fail "pip could not install $disassembler: is the package index reachable?"
    "$apart/nvidia/cu13/bin/nvdisasm" --version >/dev/null || fail "nvdisasm does not start"
    mv "$apart/nvidia/cu13/bin/nvdisasm" "$2/bin/nvdisasm" || fail "cannot write to $2"
    rm -rf "$apart"
}

# The same of NVTX's headers.
place_ranges() {
    apart=$root/nvtx.partial
    rm -rf "$apart"
    pip_install "$1" --target "$apart" "$ranges" ||
        fail "pip could not install $ranges: is the package index reachable?"
    [ -d "$2/include/nvtx3" ] || mv "$apart/nvidia/cu13/include/nvtx3" "$2/include/nvtx3" || fail "cannot write to $2"
    rm -rf "$apart"
}

# Whether the toolkit $1 has all that this script installs.
is_whole() {
    [ -e "$1/$library" ] && [ -x "$1/bin/nvdisasm" ] && [ -d "$1/include/nvtx3" ]
}

root=${XDG_CACHE_HOME:-${HOME:?install-nvcc: neither XDG_CACHE_HOME nor HOME is set}/.cache}/accrs/nvcc-$version
venv=$root/venv
if home=$(cuda_home "$venv") && is_whole "$home"; then
    echo "$home"
    exit 0
fi

case $(uname -s)-$(uname -m) in
Linux-x86_64 | Linux-aarch64 | Linux-arm64) ;;
*) fail "NVIDIA has no nvcc package for $(uname -s) on $(uname -m)" ;;
esac
command -v python3 >/dev/null || fail "python3 is missing: install the system package python3"
command -v g++ >/dev/null || fail "g++ is missing (nvcc needs it): install the system package g++"
python3 -c 'import venv, ensurepip' 2>/dev/null ||
    fail "Python's venv module is missing: install the system package python3-venv"
mkdir -p "$root" 2>/dev/null || fail "cannot create $root"

# One installer at a time; the lock goes with the process, however it ends.
command -v flock >/dev/null || fail "flock is missing: install the system package util-linux"
exec 9>"$root/lock" || fail "cannot create $root/lock"
flock 9
if home=$(cuda_home "$venv"); then # by an earlier version of this script, or while this call waited
    [ -e "$home/$library" ] || place_library "$home"
    [ -x "$home/bin/nvdisasm" ] || place_disassembler "$venv" "$home"
    [ -d "$home/include/nvtx3" ] || place_ranges "$venv" "$home"
    echo "$home"
    exit 0
fi
partial=$venv.partial
rm -rf "$partial" # left by a killed call
trap 'rm -rf "$partial"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

echo "install-nvcc: installing nvcc $version into $root (about 300 MB, once)" >&2
python3 -m venv "$partial" >&2 ||
    fail "python3 -m venv failed: install the system package python3-venv"
# shellcheck disable=SC2086 # the list is one word a package
pip_install "$partial" $packages ||
    fail "pip could not install the packages of nvcc $version: is the package index reachable?"

home=$(cuda_home "$partial") || fail "the packages of nvcc $version hold no bin/nvcc"
place_library "$home" || fail "cannot write to $home"
"$home/bin/nvcc" --version >/dev/null || fail "nvcc does not start: $home/bin/nvcc"
place_disassembler "$partial" "$home"
place_ranges "$partial" "$home"
rm -rf "$venv" # only ever an environment without nvcc, or this script had ended above
mv "$partial" "$venv"
cuda_home "$venv"
