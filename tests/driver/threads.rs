//! Host threads of OpenMP that use devices, queues and data at one time.

use crate::{Folder, text};

/// Each thread has a device, a queue and data of its own, and all share one
/// array; what each computes is what it would compute alone.
const THREADS: &str = "\
#include <omp.h>
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
#define THREADS 8
#define N 1000
static int shared[N], calls;
static long results[THREADS];
#pragma acc declare create(calls)
#pragma acc routine seq
static int count(int x)
{
    #pragma acc atomic update
    calls++;
    return x;
}
int main(void)
{
    int devices = acc_get_num_devices(acc_device_nvidia), all = 0;
    for (int i = 0; i < N; i++)
        shared[i] = i % 17;
    for (int d = 0; d < devices; d++) {
        acc_set_device_num(d, acc_device_nvidia);
        calls = 0;
        #pragma acc update device(calls)
    }
    #pragma omp parallel num_threads(THREADS)
    {
        int t = omp_get_thread_num();
        int *own = malloc(N * sizeof *own);
        acc_set_device_num(t % devices, acc_device_nvidia);
        for (int round = 0; round < 20; round++) {
            long sum = 0;
            for (int i = 0; i < N; i++)
                own[i] = t + round;
            #pragma acc data copyin(shared) copy(own[0:N])
            {
                #pragma acc parallel loop async(t) present(shared)
                for (int i = 0; i < N; i++)
                    own[i] += count(shared[i]);
                #pragma acc parallel loop async(t)
                for (int i = 0; i < N; i++)
                    own[i] *= 2;
                #pragma acc wait(t)
                #pragma acc parallel loop reduction(+:sum)
                for (int i = 0; i < N; i++)
                    sum += own[i];
            }
            for (int i = 0; i < N; i++)
                sum += own[i];
            results[t] += sum;
        }
        free(own);
    }
    for (int d = 0; d < devices; d++) {
        acc_set_device_num(d, acc_device_nvidia);
        #pragma acc update self(calls)
        all += calls;
    }
    for (int t = 0; t < THREADS; t++)
        printf(\"%ld \", results[t]);
    printf(\"%d %d\\n\", all, acc_is_present(shared, sizeof shared));
    return 0;
}
";

#[test]
fn openmp_threads_share_devices_and_data() {
    let folder = Folder::with(&[("main.c", THREADS)]);
    folder.succeed("cc -O1 -fopenmp main.c -o main");
    let expected: String = (0..8)
        .map(|t: i64| {
            let modulo: i64 = (0..1000).map(|i| i % 17).sum();
            let rounds: i64 = (0..20).map(|round| 4 * (1000 * (t + round) + modulo)).sum();
            format!("{rounds} ")
        })
        .collect();
    for devices in ["1", "3", "8"] {
        for _ in 0..3 {
            let mut command = folder.command(folder.file("main"));
            let output = command
                .env("ACCRS_EMULATED_DEVICES", devices)
                .output()
                .unwrap();
            assert_eq!(text(&output), format!("{expected}160000 0\n"), "{devices}");
        }
    }
}

/// Each thread of the host has data of its own, in a queue and without.
const QUEUES: &str = "\
#include <pthread.h>
#include <stdio.h>
enum { THREADS = 4, ROUNDS = 40, N = 4000 };
static int data[THREADS][N];
static void *work(void *argument)
{
    int *a = argument, queue = (int)((int (*)[N])argument - data);
    #pragma acc enter data copyin(a[0:N])
    for (int r = 0; r < ROUNDS; r++) {
        #pragma acc parallel loop present(a[0:N]) async(queue)
        for (int i = 0; i < N; i++)
            a[i] += i;
        #pragma acc update self(a[0:N]) async(queue)
        #pragma acc wait(queue)
        a[0] += 1;
        #pragma acc update device(a[0:N])
        #pragma acc parallel loop present(a[0:N])
        for (int i = 0; i < N; i++)
            a[i] += 1;
    }
    #pragma acc exit data copyout(a[0:N])
    return 0;
}
int main(void)
{
    pthread_t threads[THREADS];
    for (int t = 0; t < THREADS; t++)
        pthread_create(&threads[t], 0, work, data[t]);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], 0);
    printf(\"%d %d\\n\", data[0][0], data[3][7]);
    return 0;
}
";

/// What several threads launch at one time is told apart by the checks.
#[test]
fn queues_of_other_threads_are_no_fault() {
    let folder = Folder::with(&[("main.c", QUEUES)]);
    for _ in 0..3 {
        let output = folder.accrs("check --dynamic main.c");
        assert_eq!(text(&output), "80 320\n");
    }
}

/// A parent that has launched, and a child that does.
const FORK: &str = "\
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static double launch(int n)
{
    double sum = 0;
    #pragma acc parallel loop reduction(+:sum)
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 100; k++)
            sum += i % 3;
    return sum;
}
int main(void)
{
    double before = launch(100000);
    pid_t child = fork();
    if (child == 0)
        return launch(100000) == before ? 7 : 1;
    int status = 0;
    waitpid(child, &status, 0);
    printf(\"%d %d\\n\", WEXITSTATUS(status), launch(100000) == before);
    return 0;
}
";

#[test]
fn a_child_process_has_threads_of_its_own() {
    let folder = Folder::with(&[("main.c", FORK)]);
    folder.succeed("cc -O1 main.c -o main");
    let mut command = folder.command("timeout");
    command.arg("60").arg(folder.file("main"));
    let output = command.env("ACCRS_EMULATED_PROCESSORS", "4").output();
    assert_eq!(text(&output.unwrap()), "7 1\n");
}

/// All threads launch one kernel that reads a table in constant memory, each with its own.
const TABLES: &str = "\
#include <omp.h>
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
#define THREADS 8
#define N 500
static long results[THREADS];
static void weigh(const int *restrict taps, long *restrict out, int queue)
{
    #pragma acc parallel loop present(taps[0:4], out[0:N]) async(queue)
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 4; k++)
            out[i] += taps[k] * (i + k);
}
int main(void)
{
    int devices = acc_get_num_devices(acc_device_nvidia);
    #pragma omp parallel num_threads(THREADS)
    {
        int t = omp_get_thread_num(), taps[4] = {t, 1, -t, 3};
        long *out = calloc(N, sizeof *out);
        acc_set_device_num(t % devices, acc_device_nvidia);
        #pragma acc data copyin(taps) copy(out[0:N])
        {
            for (int round = 0; round < 30; round++)
                weigh(taps, out, t % 3);
            #pragma acc wait
        }
        for (int i = 0; i < N; i++)
            results[t] += out[i];
        free(out);
    }
    for (int t = 0; t < THREADS; t++)
        printf(\"%ld \", results[t]);
    return 0;
}
";

#[test]
fn openmp_threads_take_turns_at_a_table_in_constant_memory() {
    let folder = Folder::with(&[("main.c", TABLES)]);
    folder.succeed("cc -O1 -fopenmp --place taps=constant main.c -o main");
    let weigh = |t: i64| -> i64 {
        let taps = [t, 1, -t, 3];
        let of = |i: i64| -> i64 { (0..4).map(|k| taps[k as usize] * (i + k)).sum() };
        30 * (0..500).map(of).sum::<i64>()
    };
    let expected: String = (0..8).map(|t| format!("{} ", weigh(t))).collect();
    for devices in ["1", "3"] {
        let mut command = folder.command(folder.file("main"));
        let output = command
            .env("ACCRS_EMULATED_DEVICES", devices)
            .output()
            .unwrap();
        assert_eq!(text(&output), expected, "{devices}");
    }
}
