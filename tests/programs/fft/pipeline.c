/*
 * A filter over many signals: chunks of them go through the device on several queues, so that one
 * chunk is copied while another is transformed.
 *
 * usage: pipeline LENGTH SIGNALS CHUNK QUEUES OUTPUT
 */
#include <stdio.h>
#include <stdlib.h>

#include "fft.h"

/* The queue of what all others wait for. */
#define SETUP 1
#define FIRST_QUEUE 2

static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes);
    if (memory == NULL) {
        fprintf(stderr, "pipeline: no memory\n");
        exit(2);
    }
    return memory;
}

/* Keeps the lower third of the frequencies, those in between with a slope. */
static void design_filter(int length, float *response)
{
    for (int k = 0; k < length; k++) {
        const int frequency = k <= length / 2 ? k : length - k;
        const int over = frequency - length / 6;
        response[k] = over <= 0 ? 1.0f : 1.0f / (1.0f + (float)over);
    }
}

static void make_signals(int length, int signals, sample *data)
{
    for (int s = 0; s < signals; s++)
        for (int i = 0; i < length; i++)
            data[(size_t)s * length + i] =
                (float)((i * (s + 3)) % 23 - 11) + (float)((i * i + 5 * s) % 13 - 6) * 0.25f * I;
}

static void apply_filter(int length, int count, const float *restrict response, sample *restrict data, int queue)
{
    const float scale = 1.0f / (float)length;
    #pragma acc parallel loop gang present(response[0:length], data[0:count * length]) async(queue)
    for (int s = 0; s < count; s++) {
        #pragma acc loop vector
        for (int k = 0; k < length; k++)
            data[s * length + k] *= scale * response[k];
    }
}

/* The largest squared magnitude of each signal. */
static void find_peaks(int length, int count, const sample *restrict data, float *restrict peak, int queue)
{
    #pragma acc parallel loop gang present(data[0:count * length], peak[0:count]) async(queue)
    for (int s = 0; s < count; s++) {
        float largest = 0.0f;
        #pragma acc loop vector reduction(max:largest)
        for (int i = 0; i < length; i++) {
            const float re = crealf(data[s * length + i]), im = cimagf(data[s * length + i]);
            const float power = re * re + im * im;
            if (power > largest)
                largest = power;
        }
        peak[s] = largest;
    }
}

static void run(int length, int signals, int chunk, int queues, sample *restrict data, float *restrict peak)
{
    float *response = allocate((size_t)length * sizeof *response);
    design_filter(length, response);
    struct plan plan = fft_create(length, SETUP);
    /* A buffer for each queue: what runs on different queues shares none. */
    const int room = chunk * length;
    sample *buffer = allocate((size_t)queues * room * sizeof *buffer);

    #pragma acc enter data copyin(response[0:length]) async(SETUP)
    #pragma acc enter data create(buffer[0:queues * room])
    for (int q = 0; q < queues; q++) {
        #pragma acc wait(SETUP) async(FIRST_QUEUE + q)
    }
    for (int first = 0, turn = 0; first < signals; first += chunk, turn = (turn + 1) % queues) {
        const int count = signals - first < chunk ? signals - first : chunk;
        const int queue = FIRST_QUEUE + turn;
        sample *part = data + (size_t)first * length;
        float *part_peak = peak + first;
        #pragma acc enter data copyin(part[0:count * length]) create(part_peak[0:count]) async(queue)
        fft_transform(&plan, count, 0, part, buffer + (size_t)turn * room, queue);
        apply_filter(length, count, response, part, queue);
        fft_transform(&plan, count, 1, part, buffer + (size_t)turn * room, queue);
        find_peaks(length, count, part, part_peak, queue);
        #pragma acc exit data copyout(part[0:count * length], part_peak[0:count]) async(queue)
    }
    #pragma acc wait
    #pragma acc exit data delete(buffer[0:queues * room], response[0:length])

    fft_destroy(&plan);
    free(buffer);
    free(response);
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr, "usage: %s LENGTH SIGNALS CHUNK QUEUES OUTPUT\n", argv[0]);
        return 2;
    }
    const int length = atoi(argv[1]), signals = atoi(argv[2]), chunk = atoi(argv[3]), queues = atoi(argv[4]);
    if (length < 2 || signals < 1 || chunk < 1 || queues < 1) {
        fprintf(stderr, "pipeline: all numbers must be positive, LENGTH at least 2\n");
        return 2;
    }
    const size_t total = (size_t)length * signals;
    sample *data = allocate(total * sizeof *data);
    float *peak = allocate((size_t)signals * sizeof *peak);
    make_signals(length, signals, data);
    run(length, signals, chunk, queues, data, peak);

    FILE *output = fopen(argv[5], "w");
    if (output == NULL) {
        perror(argv[5]);
        return 2;
    }
    for (size_t i = 0; i < total; i++)
        fprintf(output, "%a %a\n", (double)crealf(data[i]), (double)cimagf(data[i]));
    for (int s = 0; s < signals; s++)
        fprintf(output, "%a\n", (double)peak[s]);
    fclose(output);
    free(data);
    free(peak);
    return 0;
}
