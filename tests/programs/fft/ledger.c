#include "ledger.h"

int main(int argc, char **argv)
{
    if (argc != 6)
        return 2;
    const long length = atol(argv[1]), signals = atol(argv[2]), chunk = atol(argv[3]), queues = atol(argv[4]);
    long passes = 0;
    for (long rest = length, prime = 2; rest > 1; prime++)
        for (; rest % prime == 0; rest /= prime)
            passes++;

    /* The roots and the filter once, on the queue that all others wait for. */
    expect("to-device", "plan.root[0:length]", "1", 1, 8 * length);
    expect("to-device", "response[0:length]", "1", 1, 4 * length);
    for (long queue = 0; queue < queues; queue++) {
        long chunks = 0, mine = 0;
        for (long first = queue * chunk; first < signals; first += queues * chunk) {
            mine += signals - first < chunk ? signals - first : chunk;
            chunks++;
        }
        char name[24];
        snprintf(name, sizeof name, "%ld", 2 + queue);
        /* Every signal goes there and back once, its peak back only. */
        expect("to-device", "part[0:count * length]", name, chunks, 8 * mine * length);
        expect("to-host", "part[0:count * length]", name, chunks, 8 * mine * length);
        expect("to-host", "part_peak[0:count]", name, chunks, 4 * mine);
        /* There and back again; an odd number of passes ends in the buffer. */
        expect("launch", "pass", name, 2 * chunks * passes, 0);
        expect("launch", "fft_transform", name, passes % 2 * 2 * chunks, 0);
        expect("launch", "apply_filter", name, chunks, 0);
        expect("launch", "find_peaks", name, chunks, 0);
    }
    return 0;
}
