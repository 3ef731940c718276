/*
 * The chip that hotspot simulates, and the input of a run: shared by all forms of the program.
 *
 * The model is that of the Rodinia suite: a silicon die of 16 mm by 16 mm cut into rows x columns
 * cells; heat flows between neighbouring cells and from each cell to the surroundings.
 */
#ifndef BENCHMARKS_HOTSPOT_CHIP_H
#define BENCHMARKS_HOTSPOT_CHIP_H

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

/* What the update of a cell multiplies with. */
struct chip {
    float rate;       /* time step / heat capacity of a cell */
    float per_row;    /* 1 / thermal resistance to the cells above and below */
    float per_column; /* 1 / thermal resistance to the cells left and right */
    float per_layer;  /* 1 / thermal resistance to the surroundings */
};

static inline struct chip chip_of(int rows, int columns)
{
    const float height = CHIP_HEIGHT / (float)rows, width = CHIP_WIDTH / (float)columns;
    const float thick = CHIP_THICKNESS, conductivity = SILICON_CONDUCTIVITY;
    const float capacity = CAPACITY_FACTOR * SILICON_HEAT_CAPACITY * thick * width * height;
    const float slope = MAX_POWER_DENSITY / (CAPACITY_FACTOR * thick * SILICON_HEAT_CAPACITY);
    const float step = PRECISION / slope / 1000.0f; /* s; stable for chips of 16384^2 cells, too */
    struct chip chip;
    chip.rate = step / capacity;
    chip.per_row = 2.0f * conductivity * thick * width / height;
    chip.per_column = 2.0f * conductivity * thick * height / width;
    chip.per_layer = conductivity * height * width / thick;
    return chip;
}

/* A run as the command line gives it, its input in memory. */
struct run {
    int rows, columns, steps;
    float *temperature, *power;
    const char *output; /* file for the final temperatures; NULL: none is asked for */
};

static inline size_t run_cells(const struct run *run)
{
    return (size_t)run->rows * (size_t)run->columns;
}

/*
 * Input made up from a seed: temperatures from 323 to 343 and, here and there, cells that draw
 * power, the same total whatever the size.
 */
static inline void chip_generate(struct run *run, uint64_t seed)
{
    const size_t cells = run_cells(run);
    run->temperature = grid_allocate(cells);
    run->power = grid_allocate(cells);
    for (size_t i = 0; i < cells; i++) {
        run->temperature[i] = 323.0f + 20.0f * random_float(&seed);
        const float load = random_float(&seed);
        run->power[i] = load < 0.75f ? 0.0f : 64.0f * load / (float)cells;
    }
}

/* ROWS COLUMNS STEPS (TEMPERATURES POWERS | --generate SEED) [OUTPUT] */
static inline struct run chip_arguments(int argc, char **argv)
{
    if (argc != 6 && argc != 7)
        fail("usage: %s ROWS COLUMNS STEPS (TEMPERATURES POWERS | --generate SEED) [OUTPUT]",
             argv[0]);
    struct run run;
    run.rows = number_argument(argv[1], 2, 16384, "rows");
    run.columns = number_argument(argv[2], 2, 16384, "columns");
    run.steps = number_argument(argv[3], 0, 1000000, "steps");
    run.output = argc == 7 ? argv[6] : NULL;
    if (strcmp(argv[4], "--generate") == 0) {
        chip_generate(&run, (uint64_t)number_argument(argv[5], 0, INT32_MAX, "seed"));
    } else {
        run.temperature = grid_read(argv[4], run_cells(&run));
        run.power = grid_read(argv[5], run_cells(&run));
    }
    return run;
}

/* The result line, the time on a line of its own, and the output file. */
static inline void chip_report(const struct run *run, const float *temperature, double seconds)
{
    const size_t cells = run_cells(run);
    printf("hotspot %dx%d, %d steps: checksum %016llx\n", run->rows, run->columns, run->steps,
           checksum(temperature, cells, sizeof *temperature));
    printf("time %.6f s\n", seconds);
    if (run->output != NULL)
        grid_write(run->output, temperature, cells);
}

#endif
