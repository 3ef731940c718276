#!/bin/sh
# SPDX-License-Identifier: 0BSD
#
# Builds the runtime for the emulation and runs its tests; with NVCC set, also compiles everything
# for real GPUs with warnings as errors (nothing of that runs here).
#
#   CC, CXX            compilers (cc, c++)
#   EXTRA              further flags for both, such as -fsanitize=address or -DACCRS_PORTABLE_FIBERS
#   RUN                a prefix for programs, such as "qemu-aarch64 -L /usr/aarch64-linux-gnu"
#   NVCC, ARCHS        nvcc, and what it compiles for (sm_75 sm_90 sm_120)
set -eu
cd "$(dirname "$0")"
runtime=$(cd .. && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT INT TERM

CC=${CC:-cc} CXX=${CXX:-c++} EXTRA=${EXTRA:-} RUN=${RUN:-} NVCC=${NVCC:-} ARCHS=${ARCHS:-sm_75 sm_90 sm_120}
warnings="-Wall -Wextra -Wpedantic -Werror"
cxxflags="-std=c++17 -O2 $warnings -ffp-contract=off -fno-delete-null-pointer-checks -pthread -I$runtime/include $EXTRA"
# `kernel<<<grid, block, shared, stream>>>(` as the emulation's launch.
launches='s/([A-Za-z_][A-Za-z0-9_:]*(<[^<>;]*>)?)<<<(.*)>>>\(/accrs::emulation::launch<\1>(\3)(/'
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# expect_message FAULT PATTERN: $faults FAULT exits with 1 and says PATTERN on stderr.
faults=faults
expect_message() {
    status=0
    $RUN "$out/$faults" "$1" >"$out/stdout" 2>"$out/stderr" || status=$?
    [ "$status" = 1 ] || fail "fault $1: status $status"
    grep -q -- "$2" "$out/stderr" || { fail "fault $1: expected '$2', got:"; cat "$out/stderr" >&2; }
}

# compile NAME INPUT...: each to its object in the folder NAME, as many at a time as there are
# processors, with the flags in $flags.
compile() {
    folder=$out/$1
    shift
    mkdir "$folder"
    for source; do
        echo "$CXX $flags -c -o $folder/$(echo "${source#"$runtime/"}" | tr / _).o $source"
    done | xargs -P "$(getconf _NPROCESSORS_ONLN)" -I COMMAND sh -c COMMAND
}

# make_units FOLDER PATTERN: the parts of SOURCES that awk's pattern takes, each as one file in the folder.
# What stands between empty lines is compiled as one, as accrs does.
make_units() {
    mkdir "$out/$1"
    awk -v folder="$out/$1" -v RS= "$2"' {
        for (i = 1; i <= NF; i++) print "#include \"" $i "\"" >(folder "/" NR ".cpp")
    }' "$runtime/SOURCES"
}

make_units units '!/(^|\n)(checks|counts|watch)\//'
flags="$cxxflags -I$runtime" compile plain "$out"/units/*.cpp
# Each file has what it needs, also alone.
if [ "${ACCRS_TEST_FULL:-}" = 1 ]; then
    # shellcheck disable=SC2046 # names without blanks
    flags=$cxxflags compile alone $(grep -E '^(src|emulation)/' "$runtime/SOURCES" | sed "s|^|$runtime/|")
fi
objects=$(echo "$out"/plain/*.o)

for kernels in *.cu; do
    sed -E "$launches" "$kernels" | $CXX -x c++ $cxxflags -I"$runtime/tests" -c -o "$out/$kernels.o" -
done
# The header of host programs in the oldest and newest C and in C++.
for standard in c89 gnu89 c99 c11; do
    echo '#include "accrs.h"' | $CC -x c -std=$standard $warnings -I"$runtime/include" -fsyntax-only -
    echo '#include "openacc.h"' | $CC -x c -std=$standard $warnings -I"$runtime/include" -fsyntax-only -
    echo '#include "acc_callback.h"' | $CC -x c -std=$standard $warnings -I"$runtime/include" -fsyntax-only -
    echo '#include "acc_prof.h"' | $CC -x c -std=$standard $warnings -I"$runtime/include" -fsyntax-only -
done
echo '#include "accrs.h"' | $CXX -x c++ -std=c++98 $warnings -I"$runtime/include" -fsyntax-only -

for program in dot stencil; do
    $CC -std=c99 -O2 $warnings -ffp-contract=off $EXTRA -I"$runtime/include" -c -o "$out/$program.o" "$program.acc.c"
    $CXX $EXTRA -pthread -o "$out/$program" "$out/$program.o" "$out/$program.acc.cu.o" $objects
done
for program in present lifetimes section_copies; do
    $CC -std=c99 -O2 $warnings $EXTRA -I"$runtime/include" -c -o "$out/$program.o" "$program.c"
    $CXX $EXTRA -pthread -o "$out/$program" "$out/$program.o" $objects
done
for seed in 1 2 3 4 5; do
    $RUN "$out/lifetimes" $seed || fail "lifetimes $seed"
done
$CXX $cxxflags -o "$out/index" index.cpp $objects
$CXX $cxxflags -o "$out/block" block.cpp $objects
$CXX $cxxflags -o "$out/copies" copies.cpp $objects
$CXX $cxxflags -o "$out/elements" elements.cpp $objects
# The benchmark measures what it says: a few rounds of each measure, whose times are not read here.
$CXX $cxxflags -o "$out/host_path" host_path.cpp $objects
for measure in look-up launch launch-others; do
    $RUN "$out/host_path" $measure 1000 10 >/dev/null || fail "host_path $measure"
done
for program in blocks faults schedule threads sections section_faults; do
    $CXX $EXTRA -pthread -o "$out/$program" "$out/$program.cu.o" $objects
done

for order in forward reverse 1 2 3; do
    for program in dot stencil blocks present threads index block copies elements sections section_copies; do
        ACCRS_SCHEDULE=$order $RUN "$out/$program" >"$out/log" 2>&1 || { fail "$program, $order"; cat "$out/log" >&2; }
        [ ! -s "$out/log" ] || fail "$program says something though nothing is wrong"
    done
done

expect_message absent "accrs: fault.c:3: parallel loop: 'values' is not present on the device"
expect_message implicit "accrs: fault.c:3: parallel loop: 'values' is not present on the device, and a pointer alone"
expect_message partial "accrs: fault.c:4: data: 'values' is only partially present on the device: 40 bytes are asked for, present are 20 bytes from byte 0 on"
expect_message update "accrs: fault.c:5: update: 'values' is not present on the device"
expect_message null "accrs: fault.c:5: enter data: 'values' is a null pointer"
expect_message memory "accrs: fault.c:5: enter data: no memory on the device for 'values'"
expect_message unmap "accrs: acc_unmap_data: 'data_arg' was not mapped by acc_map_data"
expect_message threads "accrs: fault.c:7: parallel loop: the launch of fault_kernel failed: invalid configuration"
expect_message shared "accrs: fault.c:7: parallel loop: the launch of fault_kernel failed: invalid argument"
expect_message constant "accrs: fault.c:7: parallel loop: filling the second table failed: invalid device symbol"
expect_message ended "kernel ended_kernel, block (.*): a barrier is not reached by all threads: 10 of 64 threads have ended, 54 wait in __syncthreads at line 14"
expect_message two "kernel two_barriers_kernel, block (.*): threads wait at different barriers: __syncthreads at line 20 and, thread (1,0,0), at line 22"
expect_message warp "kernel warp_and_barrier_kernel, block (.*): a barrier is not reached by all threads: 32 of 64 threads have ended, 1 waits in __syncthreads at line 28 (the first is thread (3,0,0)), 31 wait in a warp function at line 30"

faults=section_faults
closed="has the section \[0:7\]\[1:6\] on the device, by .global alloc. at fault.c:3, with rows closed up"
rows="'A' $closed"
expect_message negative "accrs: fault.c:5: global alloc: dimension 2 of 'B' has a negative length"
expect_message below "accrs: fault.c:5: global alloc: dimension 2 of 'B' has 7 elements, and the section is \[-1:4\]"
expect_message above "accrs: fault.c:5: global alloc: dimension 2 of 'B' has 7 elements, and the section is \[2:7\]"
expect_message outermost "accrs: fault.c:5: global alloc: dimension 1 of 'B' has 8 elements, and the section is \[4:8\]"
for fault in bytes stride addresses; do
    expect_message $fault "accrs: fault.c:5: global alloc: the section .* of 'B' has more bytes than there are addresses"
done
expect_message null "accrs: fault.c:5: global alloc: 'B' is a null pointer"
expect_message memory "accrs: fault.c:5: global alloc: no memory on the device for 'B': 4398046511104 bytes wanted"
expect_message device "accrs: fault.c:5: global alloc: 'B' is device memory itself"
expect_message twice "accrs: fault.c:5: global alloc: 'A' is on the device already, as A\[0:7\]\[1:6\], by .global alloc. at fault.c:3"
expect_message nothing_twice "accrs: fault.c:5: global alloc: 'B' is on the device already, as B\[0:-1\]\[1:6\], by .global alloc. at fault.c:5"
expect_message overlap "accrs: fault.c:5: global alloc: 'row' overlaps A\[0:7\]\[1:6\], which is on the device by .global alloc. at fault.c:3"
expect_message interleaved "accrs: fault.c:5: global alloc: 'column' overlaps A\[0:7\]\[1:6\], which is on the device by .global alloc. at fault.c:3"
expect_message interleaved "help: free that one first; sections of one array overlap also where the rows of one lie between those of the other"
expect_message data "accrs: fault.c:5: global alloc: 'B' overlaps data that is on the device by a data directive"
for fault in functions reached; do
    expect_message $fault "accrs: fault.c:5: global alloc: device functions use 'C', and do not find its elements"
done
expect_message in_absent "accrs: fault.c:5: global copyin: 'B' is not on the device by .global alloc."
expect_message in_absent "accrs: help: put a .global alloc. for it before"
expect_message out_absent "accrs: fault.c:5: global copyout: 'B' is not on the device by .global alloc."
expect_message out_null "accrs: fault.c:5: global copyout: 'B' is a null pointer"
expect_message out_data "accrs: fault.c:5: global copyout: 'B' is on the device by a data directive, not by .global alloc."
expect_message out_before "accrs: fault.c:5: global copyout: 'A' has the section \[0:7\]\[1:6\] on the device, and \[0:7\]\[0:1\] is to be copied"
expect_message out_behind "accrs: fault.c:5: global copyout: 'A' has the section \[0:7\]\[1:6\] on the device, and \[2:8\]\[1:1\] is to be copied"
expect_message out_extent "accrs: fault.c:5: global copyout: dimension 1 of 'A' has 8 elements, and the section is \[4:8\]"
expect_message in_rows "accrs: fault.c:5: global copyin: 'A' is an array of 4 bytes \[\*\]\[9\] here, and was one of 4 bytes \[\*\]\[7\] at its .global alloc."
expect_message in_element "accrs: fault.c:5: global copyin: 'A' is an array of 2 bytes \[\*\]\[7\] here, and was one of 4 bytes"
expect_message in_dimensions "accrs: fault.c:5: global copyin: 'A' is an array of 4 bytes \[\*\] here, and was one of 4 bytes \[\*\]\[7\]"
expect_message free_absent "accrs: fault.c:5: global free: 'B' is not on the device by .global alloc."
expect_message free_twice "accrs: fault.c:5: global free: 'A' is not on the device by .global alloc."
expect_message free_within "accrs: fault.c:5: global free: 'row' is not on the device by .global alloc."
expect_message free_within "help: it was freed before, or this is another address than that of its .global alloc."
expect_message free_null "accrs: fault.c:5: global free: 'B' is a null pointer"
expect_message free_data "accrs: fault.c:5: global free: 'B' is on the device by a data directive, not by .global alloc."
expect_message free_region "accrs: fault.c:5: global free: 'B' is in use by a data region"
for fault in absent null; do
    expect_message kernel_$fault "accrs: fault.c:7: kernel: 'B' is not present on the device"
    expect_message kernel_$fault "accrs: help: put a .global alloc. before the kernel"
done
made="accrs: fault.c:7: kernel: 'A' has the section \[0:7\]\[1:6\] on the device, by .global alloc. at fault.c:3, and the kernel was made for"
expect_message kernel_rows "$made rows \[7\]"
expect_message kernel_dimensions "$made one dimension"
expect_message kernel_lower "$made rows \[0:5\]"
expect_message kernel_length "$made rows \[1:5\]"
expect_message kernel_data "accrs: fault.c:7: kernel: the section of 'B' that the kernel was made for, with rows \[1:6\], is not on the device"
expect_message kernel_within "accrs: fault.c:7: kernel: 'row' $closed"
for fault in plain range; do
    expect_message kernel_$fault "accrs: fault.c:7: kernel: $rows"
done
expect_message read "accrs: fault.c:7: kernel: $rows"
for fault in copyin present pointer no_create; do
    expect_message $fault "accrs: fault.c:6: data: $rows"
done
expect_message implicit "accrs: fault.c:6: parallel: $rows"
expect_message exit "accrs: fault.c:6: exit data: $rows"
expect_message update "accrs: fault.c:6: update: $rows"
expect_message whole "accrs: fault.c:6: update: 'A' is only partially present on the device: 224 bytes are asked for, present are 220 bytes from byte 4 on"
for fault in attach holder; do
    expect_message $fault "accrs: fault.c:6: enter data: 'pointer' $closed"
done
expect_message use_device "accrs: fault.c:6: host_data: $rows"
expect_message deviceptr "accrs: acc_deviceptr: 'data_arg' $closed"
expect_message hostptr "accrs: acc_hostptr: 'data_arg' $closed"
expect_message create "accrs: acc_create: 'data_arg' $closed"
expect_message routine "accrs: acc_update_self: 'data_arg' $closed"
expect_message between "accrs: acc_memcpy_d2d: 'source' $closed"
expect_message map "accrs: acc_map_data: 'data_arg' is present on the device already"

order_of() {
    ACCRS_EMULATED_PROCESSORS=1 ACCRS_SCHEDULE=$1 $RUN "$out/schedule"
}
[ "$(order_of forward)" = "0 1 2 3 100 101 102 103 200 201 202 203 " ] || fail "forward order: $(order_of forward)"
[ "$(order_of reverse)" = "203 202 201 200 103 102 101 100 3 2 1 0 " ] || fail "reverse order: $(order_of reverse)"
[ "$(order_of 5)" != "$(order_of 6)" ] || fail "seeds 5 and 6 give one order"
[ "$(order_of 5)" = "$(order_of 5)" ] || fail "a seed gives two orders"

ACCRS_TRACE=1 $RUN "$out/stencil" 2>"$out/trace" >/dev/null
sed -E 's/us=[0-9.]+/us=T/g' "$out/trace" | sed -n 1,5p >"$out/trace.head"
cat >"$out/trace.expected" <<'END'
accrs trace: allocate first bytes=4 queue=sync at=stencil.c:15
accrs trace: to-device first bytes=4 us=T queue=sync at=stencil.c:15
accrs trace: allocate second bytes=4 queue=sync at=stencil.c:15
accrs trace: to-device second bytes=4 us=T queue=sync at=stencil.c:15
accrs trace: launch stencil_kernel grid=1,1,1 block=32,8,1 shared=0 us=T host-us=T queue=sync at=stencil.c:20
END
cmp -s "$out/trace.head" "$out/trace.expected" || { fail "trace:"; diff "$out/trace.head" "$out/trace.expected" >&2; }

ACCRS_TRACE=1 $RUN "$out/sections" 2>"$out/trace" >/dev/null
sed -E 's/us=[0-9.]+/us=T/g' "$out/trace" | grep -E " (solid_kernel|[ab]|scale|add_kernel) " | sed -n 1,14p >"$out/trace.head"
cat >"$out/trace.expected" <<'END'
accrs trace: allocate a bytes=240 queue=sync at=sections.cu:1
accrs trace: allocate b bytes=240 queue=sync at=sections.cu:1
accrs trace: to-device b bytes=240 us=T queue=sync at=sections.cu:1
accrs trace: allocate scale bytes=4 queue=sync at=sections.cu:1
accrs trace: to-device scale bytes=4 us=T queue=sync at=sections.cu:1
accrs trace: launch solid_kernel grid=4,1,1 block=5,3,1 shared=0 us=T host-us=T queue=sync at=sections.cu:4
accrs trace: to-host a bytes=240 us=T queue=sync at=sections.cu:1
accrs trace: free a bytes=- queue=sync at=sections.cu:1
accrs trace: free b bytes=- queue=sync at=sections.cu:1
accrs trace: free scale bytes=- queue=sync at=sections.cu:1
accrs trace: launch add_kernel grid=1,1,1 block=3,1,1 shared=0 us=T host-us=T queue=sync at=sections.cu:5
accrs trace: launch add_kernel grid=1,1,1 block=3,1,1 shared=0 us=T host-us=T queue=nowait at=sections.cu:7
accrs trace: launch add_kernel grid=1,1,1 block=3,1,1 shared=0 us=T host-us=T queue=nowait at=sections.cu:7
accrs trace: launch add_kernel grid=1,1,1 block=3,1,1 shared=0 us=T host-us=T queue=nowait at=sections.cu:7
END
cmp -s "$out/trace.head" "$out/trace.expected" || { fail "trace of sections:"; diff "$out/trace.head" "$out/trace.expected" >&2; }

# The checking build: every fault of checks.cu is reported, in three orders, and its twin is not.
# Sanitizers in EXTRA would be in each other's way.
case $EXTRA in *sanitize*) checks=false ;; *) checks=true ;; esac
case $($CXX --version) in
*clang*) watch="-fsanitize=thread -fsanitize=array-bounds,shift-exponent -fno-vectorize -fno-slp-vectorize -fno-builtin-memset -fno-builtin-memcpy -fno-builtin-memmove -mllvm -tsan-instrument-read-before-write -mllvm -tsan-instrument-atomics=0 -mllvm -tsan-instrument-func-entry-exit=0" ;;
*) watch="-fsanitize=thread -fsanitize=bounds,shift-exponent -fno-tree-vectorize -fno-tree-slp-vectorize -fno-tree-loop-distribute-patterns -fno-tree-loop-im -fno-ssa-phiopt" ;;
esac
build_checked() {
    make_units watched '!/(^|\n)counts\//'
    flags="$cxxflags -fPIE -DACCRS_WATCHED=1 -DACCRS_CHECKED=1 -I$runtime" compile checked "$out"/watched/*.cpp
    checked=$(echo "$out"/checked/*.o)
    for mark in begin end; do
        $CXX $cxxflags -fPIE -DACCRS_WATCHED=1 -DACCRS_CHECKED=1 -c -o "$out/checked/$mark.o" "$runtime/watch/kernels_$mark.cpp"
    done
    sed -E "$launches" checks.cu | $CXX -x c++ $cxxflags -g -DACCRS_WATCHED=1 -DACCRS_CHECKED=1 $watch -I"$runtime/tests" -c -o "$out/checked/kernels.o" -
    $CXX $EXTRA -pthread -o "$out/checks" "$out/checked/begin.o" "$out/checked/kernels.o" "$out/checked/end.o" $checked -ldl \
        $(grep -oh '__wrap_[a-z_]*' "$runtime"/watch/* "$runtime"/checks/* | sort -u | sed 's/__wrap_/-Wl,--wrap=/')
}

# expect_finding FAULT PATTERN: `checks FAULT` finds PATTERN, `checks FAULT ok` nothing (notes aside).
expect_finding() {
    for order in forward reverse 3; do
        ACCRS_SCHEDULE=$order $RUN "$out/checks" "$1" >"$out/log" 2>&1 || fail "check $1, $order: status $?"
        grep -q -- "accrs: checks: $2" "$out/log" || { fail "check $1, $order: expected '$2', got:"; cat "$out/log" >&2; }
        ACCRS_SCHEDULE=$order $RUN "$out/checks" "$1" ok >"$out/log" 2>&1 || fail "check $1 ok, $order: status $?"
        [ -z "$(grep -v "accrs: checks: race \(equal\|channel\)" "$out/log")" ] || { fail "check $1 ok, $order: found"; cat "$out/log" >&2; }
    done
}

if $checks; then
    build_checked
    expect_finding shared_race "race shared .* of 'slots' .*, kernel shared_race_kernel, block (.,0,0), thread (.*,0,0), .* by block (.,0,0), thread (.*,0,0)"
    expect_finding write_after_read "race shared .* of 'slots'"
    expect_finding block_race "race device"
    expect_finding grid_race "race device write at byte .* of 1536, kernel grid_race_kernel, block (.,0,0), thread (.*,0,0), write by block (.,0,0)"
    expect_finding halo "race device"
    expect_finding counter "race device write .* write by block"
    expect_finding atomic_read "race device .* atomic"
    expect_finding equal "race device write"
    expect_finding bytes "race shared .* of 'marks'"
    expect_finding uninitialised "uninitialised device read"
    expect_finding uninitialised_shared "uninitialised shared read of 'slots' at byte 256 of 260"
    expect_finding outside "outside device write at byte 768 of 768"
    expect_finding host "host device write"
    expect_finding null "null device write"
    expect_finding window "window, kernel window_kernel, .*: index -1 is outside an array of type 'float *\[64\]'"
    expect_finding shift "shift, kernel shift_kernel, .*: a value of 32 bits is shifted by 32 places"
    expect_finding dynamic_window "window, .*: index 64 is outside the window .first. of 64 elements"
    expect_finding channel "race shared write of 'window'"
    expect_finding worker "race shared"
    expect_finding warp "race shared"
    expect_finding barrier "barrier, .*threads wait at different barriers"
    expect_finding copies "uninitialised device read"
    expect_finding padding "uninitialised device read"
    expect_finding section_unwritten "uninitialised device read of 'a' at byte \\(12\\|36\\|60\\|84\\) of 192"
    expect_finding section_row "uninitialised device read of 'a' at byte \(96\|100\|104\) of 192"
    expect_finding section_outside "outside device write of 'a' at byte 192 of 192"
    expect_finding section_before "outside device write"
    expect_finding no_release "race device read .* write by block"
    expect_finding no_acquire "race device read .* write by block"
    expect_finding early "race device"
    expect_finding unmet "race device read .* write by block"
    expect_finding late "race device read .* write by block"
    expect_finding chain "race device read .* write by block"
    expect_finding local "window, .*: index [89] is outside"
    for fault in equal channel; do
        $RUN "$out/checks" $fault ok 2>&1 | grep -q "race $fault" || fail "check $fault ok: no note"
    done
    for fine in reduce reduce_grid; do
        $RUN "$out/checks" $fine >"$out/log" 2>&1 && [ ! -s "$out/log" ] || { fail "a reduction is no fault"; cat "$out/log" >&2; }
    done
fi

# Intermediate code for the first of the architectures, which all can run, and machine code for each.
if [ -n "$NVCC" ]; then
    first=${ARCHS%% *}
    codes=$(echo "$ARCHS" | tr ' ' ,)
    for kernels in *.cu; do
        $NVCC -std=c++17 -gencode "arch=compute_${first#sm_},code=[$codes]" -Werror all-warnings -I"$runtime/include" \
            -c -o "$out/gpu.o" "$kernels" || fail "nvcc $kernels"
    done
    make_units gpu '!/(^|\n)(checks|counts|watch|emulation)\//'
    for unit in "$out"/gpu/*.cpp; do
        $NVCC -std=c++17 -Werror all-warnings -Xcompiler -Wall,-Wextra -I"$runtime" -I"$runtime/include" -c -o "$out/gpu.o" \
            "$unit" || fail "nvcc: $(cat "$unit")"
    done
fi

[ "$failures" = 0 ] || exit 1
echo "runtime tests passed: emulation${NVCC:+, nvcc $ARCHS (compiled only)}"
