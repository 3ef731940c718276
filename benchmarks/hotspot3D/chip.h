/*
 * The chip that hotspot3D simulates, and the input of a run: shared by all forms.
 *
 * The model is that of the Rodinia suite: a silicon die of 16 mm by 16 mm cut into layers of rows x
 * columns cells; heat flows between neighbouring cells and from each cell to the surroundings. A
 * cell at the rim is its own neighbour.
 */
#ifndef BENCHMARKS_HOTSPOT3D_CHIP_H
#define BENCHMARKS_HOTSPOT3D_CHIP_H

#include "../common/grid.h"

#define MAX_POWER_DENSITY 3.0e6f      /* W / m^2 */
#define PRECISION 0.001f              /* K: the most a cell may change in a step */
#define SILICON_HEAT_CAPACITY 1.75e6f /* J / (m^3 K) */
#define SILICON_CONDUCTIVITY 100.0f   /* W / (m K) */
#define CAPACITY_FACTOR 0.5f          /* what the model's lumped cells count of the capacity */
#define CHIP_THICKNESS 0.0005f        /* m */
#define CHIP_HEIGHT 0.016f            /* m */
#define CHIP_WIDTH 0.016f             /* m */
#define AMBIENT 80.0f                 /* temperature of the surroundings */
#define MOST_CELLS 1024               /* in each direction: steps are stable up to there */

/* The shares of the temperatures that make up a cell's next one. */
struct chip {
    float own;
    float row;    /* of each cell above and below */
    float column; /* of each cell left and right */
    float layer;  /* of the cells in the layers before and behind, and of the surroundings */
    float power;  /* what a cell's power adds, K / W */
};

static inline struct chip chip_of(int layers, int rows, int columns)
{
    const float height = CHIP_HEIGHT / (float)rows, width = CHIP_WIDTH / (float)columns;
    const float thick = CHIP_THICKNESS, conductivity = SILICON_CONDUCTIVITY;
    const float capacity = CAPACITY_FACTOR * SILICON_HEAT_CAPACITY * thick * width * height;
    const float slope = MAX_POWER_DENSITY / (CAPACITY_FACTOR * thick * SILICON_HEAT_CAPACITY);
    const float step = PRECISION / slope; /* s */
    struct chip chip;
    chip.power = step / capacity;
    chip.row = chip.power * 2.0f * conductivity * thick * width / height;
    chip.column = chip.power * 2.0f * conductivity * thick * height / width;
    chip.layer = chip.power * conductivity * height * width / (thick / (float)layers);
    chip.own = 1.0f - (2.0f * chip.row + 2.0f * chip.column + 3.0f * chip.layer);
    return chip;
}

/* A cell's next temperature, from its own, those of its neighbours, and its power. */
ON_DEVICE static inline float chip_next(struct chip chip, float own, float above, float below,
                                        float left, float right, float before, float behind,
                                        float power)
{
    return chip.own * own + chip.row * (above + below) + chip.column * (left + right) +
           chip.layer * (before + behind + AMBIENT) + chip.power * power;
}

/* A run as the command line gives it, its input in memory. */
struct run {
    int layers, rows, columns, steps;
    float *temperature, *power; /* layers x rows x columns */
    const char *output;         /* file for the final temperatures; NULL: none is asked for */
};

static inline size_t run_cells(const struct run *run)
{
    return (size_t)run->layers * (size_t)run->rows * (size_t)run->columns;
}

/* Where in memory the `n`th value of a file is: in files the layers of a cell follow each other. */
static inline size_t chip_place(const struct run *run, size_t n)
{
    const size_t layers = (size_t)run->layers;
    return n % layers * (size_t)run->rows * (size_t)run->columns + n / layers;
}

/* Reads a file in Rodinia's format. */
static inline float *chip_read(const struct run *run, const char *path)
{
    const size_t cells = run_cells(run);
    float *in_file = grid_read(path, cells), *values = grid_allocate(cells);
    for (size_t n = 0; n < cells; n++)
        values[chip_place(run, n)] = in_file[n];
    free(in_file);
    return values;
}

/* Writes a file in Rodinia's format. */
static inline void chip_write(const struct run *run, const char *path, const float *values)
{
    FILE *file = output_open(path);
    for (size_t n = 0; n < run_cells(run); n++)
        grid_print(file, values + chip_place(run, n), 1);
    output_close(file, path);
}

/*
 * Input made up from a seed: temperatures from 323 to 343 and, here and there, cells that draw
 * power, the same total whatever the size: a thousand chips', so that it shows in a few steps.
 */
static inline void chip_generate(struct run *run, uint64_t seed)
{
    const size_t cells = run_cells(run);
    run->temperature = grid_allocate(cells);
    run->power = grid_allocate(cells);
    for (size_t i = 0; i < cells; i++) {
        run->temperature[i] = 323.0f + 20.0f * random_float(&seed);
        const float load = random_float(&seed);
        run->power[i] = load < 0.75f ? 0.0f : 65536.0f * load / (float)cells;
    }
}

/* LAYERS ROWS COLUMNS STEPS (TEMPERATURES POWERS | --generate SEED) [OUTPUT] */
static inline struct run chip_arguments(int argc, char **argv)
{
    if (argc != 7 && argc != 8)
        fail("usage: %s LAYERS ROWS COLUMNS STEPS (TEMPERATURES POWERS | --generate SEED) [OUTPUT]",
             argv[0]);
    struct run run;
    run.layers = number_argument(argv[1], 1, MOST_CELLS, "layers");
    run.rows = number_argument(argv[2], 1, MOST_CELLS, "rows");
    run.columns = number_argument(argv[3], 1, MOST_CELLS, "columns");
    run.steps = number_argument(argv[4], 0, 1000000, "steps");
    run.output = argc == 8 ? argv[7] : NULL;
    if (strcmp(argv[5], "--generate") == 0) {
        chip_generate(&run, (uint64_t)number_argument(argv[6], 0, INT32_MAX, "seed"));
    } else {
        run.temperature = chip_read(&run, argv[5]);
        run.power = chip_read(&run, argv[6]);
    }
    return run;
}

/* The result line, the time on a line of its own, and the output file. */
static inline void chip_report(const struct run *run, const float *temperature, double seconds)
{
    printf("hotspot3D %dx%dx%d, %d steps: checksum %016llx\n", run->layers, run->rows,
           run->columns, run->steps, checksum(temperature, run_cells(run), sizeof *temperature));
    printf("time %.6f s\n", seconds);
    if (run->output != NULL)
        chip_write(run, run->output, temperature);
}

#endif
