//! Queues, several devices, host threads, and the transfers that clauses ask for.

use std::process::Output;

use crate::{Folder, accrs, text};

/// Builds `main.c` and runs it with variables of the environment.
fn outcome(program: &str, flags: &str, variables: &[(&str, &str)]) -> Output {
    let folder = Folder::with(&[("main.c", program)]);
    folder.succeed(&format!("cc {flags} -o main main.c"));
    let mut command = folder.command(folder.file("main"));
    command.envs(variables.iter().copied()).output().unwrap()
}

fn printed(program: &str, flags: &str, variables: &[(&str, &str)]) -> String {
    let output = outcome(program, flags, variables);
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    String::from_utf8(output.stdout).unwrap()
}

/// One array on three devices, each with contents of its own.
const SEVERAL: &str = "\
#include <openacc.h>
#include <stdio.h>
int main(void)
{
    int a[10], n = acc_get_num_devices(acc_device_nvidia);
    for (int d = 0; d < n; d++) {
        for (int i = 0; i < 10; i++)
            a[i] = 100 * d + i;
#pragma acc set device_num(d)
#pragma acc enter data copyin(a) async(d)
    }
    for (int d = 0; d < n; d++) {
        acc_set_device_num(d, acc_device_nvidia);
#pragma acc parallel loop present(a) async(2) wait(d)
        for (int i = 0; i < 10; i++)
            a[i]++;
    }
#pragma acc wait(devnum: 0: queues: 2)
#pragma acc wait(devnum: 1)
    acc_wait_all_device(2);
    acc_memcpy_d2d(a + 5, a + 5, 5 * sizeof(int), 0, n - 1);
    for (int d = 0; d < n; d++) {
#pragma acc set device_num(d) device_type(nvidia)
#pragma acc exit data copyout(a)
        printf(\"%d %d %d %d\\n\", acc_get_device_num(acc_device_current), a[0], a[9], acc_is_present(a, sizeof a));
    }
    return 0;
}
";

#[test]
fn each_device_has_its_own_present_table_and_queues() {
    let three = printed(SEVERAL, "", &[("ACCRS_EMULATED_DEVICES", "3")]);
    assert_eq!(three, "0 1 210 0\n1 101 110 0\n2 201 210 0\n");
}

#[test]
fn the_environment_chooses_the_device() {
    let program = "\
#include <openacc.h>
#include <stdio.h>
int main(void)
{
    printf(\"%d of %d\\n\", acc_get_device_num(acc_device_nvidia), acc_get_num_devices(acc_device_nvidia));
    return 0;
}
";
    let variables = [("ACCRS_EMULATED_DEVICES", "4"), ("ACC_DEVICE_NUM", "2")];
    assert_eq!(printed(program, "", &variables), "2 of 4\n");
    let beyond = outcome(program, "", &[("ACC_DEVICE_NUM", "7")]);
    assert_eq!(beyond.status.code(), Some(1));
    assert!(text(&beyond).contains("ACC_DEVICE_NUM is '7', but there are 1 devices"));
}

/// Threads share a present table where they use one device, and have their
/// own current device.
const THREADS: &str = "\
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    enum { threads = 8, n = 500 };
    double shared[n], sums[threads];
    for (int i = 0; i < n; i++)
        shared[i] = i;
#pragma omp parallel for num_threads(threads)
    for (int t = 0; t < threads; t++) {
        acc_set_device_num(t % 2, acc_device_nvidia);
        double *own = malloc(n * sizeof *own), sum = 0;
        for (int round = 0; round < 5; round++) {
#pragma acc data copyin(shared) create(own[0:n])
            {
#pragma acc parallel loop async(t)
                for (int i = 0; i < n; i++)
                    own[i] = shared[i] * t;
#pragma acc parallel loop reduction(+:sum) async(t)
                for (int i = 0; i < n; i++)
                    sum += own[i];
#pragma acc wait(t)
            }
        }
        sums[t] = sum;
        free(own);
    }
    for (int t = 0; t < threads; t++)
        printf(\"%.0f\\n\", sums[t]);
    printf(\"%d\\n\", acc_is_present(shared, sizeof shared));
    return 0;
}
";

#[test]
fn host_threads_work_at_once() {
    let sums = (0..8).map(|t| format!("{}\n", 5 * 124_750 * t));
    let expected = sums.collect::<String>() + "0\n";
    let got = printed(THREADS, "-fopenmp", &[("ACCRS_EMULATED_DEVICES", "2")]);
    assert_eq!(got, expected);
}

/// The events of a program's trace, without names.
fn events(program: &str) -> Vec<String> {
    let output = outcome(program, "", &[("ACCRS_TRACE", "1")]);
    let trace = String::from_utf8(output.stderr).unwrap();
    trace
        .lines()
        .map(|line| {
            let mut words = line.split(' ').skip(2);
            let event = words.next().unwrap_or_default();
            let name = words.next().unwrap_or_default();
            match event {
                "to-device" | "to-host" => {
                    let bytes = words.next().unwrap_or_default();
                    format!("{event} {name} {bytes}")
                }
                "launch" => event.to_string(),
                _ => format!("{event} {name}"),
            }
        })
        .collect()
}

#[test]
fn transfers_are_those_that_clauses_ask_for() {
    let program = "\
#include <stdlib.h>
struct vector { int n; float *x; };
int main(void)
{
    float *a = malloc(40), *b = malloc(40);
    float *rows[2] = {a, b};
    struct vector v = {10, a};
    for (int i = 0; i < 10; i++)
        a[i] = b[i] = i;
#pragma acc data copyin(a[0:10]) create(b[0:10])
    {
#pragma acc parallel loop copy(a[0:10]) async
        for (int i = 0; i < 10; i++)
            b[i] = a[i];
#pragma acc wait
#pragma acc update self(b[2:3])
    }
#pragma acc parallel loop copy(rows[0:2][0:10])
    for (int i = 0; i < 10; i++)
        rows[0][i] += rows[1][i];
#pragma acc enter data copyin(v) copyin(v.x[0:v.n])
#pragma acc parallel loop present(v)
    for (int i = 0; i < v.n; i++)
        v.x[i] += 1;
#pragma acc exit data delete(v.x[0:v.n]) delete(v)
    return 0;
}
";
    assert_eq!(
        events(program),
        [
            "allocate a[0:10]",
            "to-device a[0:10] bytes=40",
            "allocate b[0:10]",
            "launch",
            "to-host b[2:3] bytes=12",
            "free b[0:10]",
            "free a[0:10]",
            "allocate rows[0:2][0:10]",
            "allocate rows[0:2][0:10]",
            "to-device rows[0:2][0:10] bytes=40",
            "attach rows[0:2][0:10]",
            "allocate rows[0:2][0:10]",
            "to-device rows[0:2][0:10] bytes=40",
            "attach rows[0:2][0:10]",
            "launch",
            "detach rows[0:2][0:10]",
            "to-host rows[0:2][0:10] bytes=40",
            "free rows[0:2][0:10]",
            "detach rows[0:2][0:10]",
            "to-host rows[0:2][0:10] bytes=40",
            "free rows[0:2][0:10]",
            "free rows[0:2][0:10]",
            "allocate v",
            "to-device v bytes=16",
            "allocate v.x[0:v.n]",
            "to-device v.x[0:v.n] bytes=40",
            "attach v.x",
            "launch",
            "detach v.x",
            "free v.x[0:v.n]",
            "free v",
        ]
    );
}

#[test]
fn faults_name_directive_line_and_variable() {
    for (statements, message) in [
        (
            "#pragma acc parallel loop async(q) copy(a[0:9])\nfor (int i = 0; i < 9; i++) a[i] = 1;",
            "main.c:5: parallel loop: there is no queue -9",
        ),
        (
            "#pragma acc wait(devnum: 5: queues: 1)\n;",
            "main.c:5: wait: there is no device 5",
        ),
        (
            "int **rows = &a;\na = 0;\n#pragma acc enter data copyin(rows[0:1][0:3])\n;",
            "main.c:7: enter data: 'rows[0:1][0:3]' is a null pointer",
        ),
        (
            "#pragma acc host_data use_device(a)\na[0] = 1;",
            "main.c:5: host_data: 'a' is not present on the device",
        ),
        (
            "#pragma acc enter data copyin(a[2:3])\n#pragma acc enter data copyin(a[0:4])\n;",
            "main.c:6: enter data: 'a[0:4]' is only partially present",
        ),
    ] {
        let program = format!(
            "#include <stdlib.h>\nint main(void)\n{{\n    int q = -9, *a = calloc(9, sizeof *a);\n{statements}\n    return q + a[0];\n}}\n"
        );
        let output = outcome(&program, "", &[]);
        let said = text(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(message), "{message}\n{said}");
    }
}

/// A kernel on device 1 gets memory of device 0, unless it is left out.
const PEERS: &str = "\
#include <cstdio>
#include <cstdlib>
__global__ void add(const int *a, int *b) { b[threadIdx.x] += a[threadIdx.x]; }
int main(int, char **arguments)
{
    const int way = atoi(arguments[1]);
    int host[64], *a, *b, *c, *shared;
    for (int i = 0; i < 64; i++)
        host[i] = i;
    cudaMalloc(&a, sizeof host);
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMallocManaged(&shared, sizeof host);
    for (int i = 0; i < 64; i++)
        shared[i] = 100;
    cudaSetDevice(1);
    cudaMalloc(&b, sizeof host);
    cudaMemcpy(b, host, sizeof host, cudaMemcpyHostToDevice);
    add<<<1, 64>>>(shared, b);
    if (way == 1)
        cudaDeviceEnablePeerAccess(0, 0);
    if (way == 2) {
        cudaMalloc(&c, sizeof host);
        cudaMemcpyPeer(c, 1, a, 0, sizeof host);
    }
    add<<<1, 64>>>(way == 2 ? c : a, b);
    cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost);
    cudaPointerAttributes of_a, of_b;
    cudaPointerGetAttributes(&of_a, a);
    cudaPointerGetAttributes(&of_b, b);
    printf(\"%d %d %d %d\\n\", host[1], host[63], of_a.device, of_b.device);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaSetDevice(0);
    add<<<1, 64, 0, stream>>>(a, a);
    printf(\"%s\\n\", cudaGetErrorName(cudaGetLastError()));
}
";

#[test]
fn devices_have_memories_of_their_own() {
    let folder = Folder::with(&[("peers.cu", PEERS)]);
    let run = |way: u32| {
        let mut command = folder.command(accrs());
        let way = way.to_string();
        command.args(["check", "--dynamic", "peers.cu", "--", &way]);
        command.env("ACCRS_EMULATED_DEVICES", "2").output().unwrap()
    };
    let missing = run(0);
    let said = text(&missing);
    assert_eq!(missing.status.code(), Some(1), "{said}");
    let expected = "error[A0725]: a read of memory of the device: it is another device's";
    assert!(said.contains(expected), "{said}");
    for way in [1, 2] {
        let output = run(way);
        let said = text(&output);
        assert!(output.status.success(), "{said}");
        let of_one = "102 226 0 1\ncudaErrorInvalidResourceHandle\n";
        assert!(said.contains(of_one), "{said}");
    }
}
