/*
 * The mesh of cfd, and the input of a run: shared by all forms.
 *
 * A cell has four faces. Arrays hold the first variable of all cells, then the second, and so on;
 * normals likewise, the x of the first face of all cells first.
 */
#ifndef BENCHMARKS_CFD_MESH_H
#define BENCHMARKS_CFD_MESH_H

#include "../common/grid.h"
#include "gas.h"

#define MOST_CELLS (1 << 26)
#define SIDE 0.0625f /* of the cubes of a made-up mesh */

/* A run as the command line gives it, its input in memory. */
struct run {
    int cells, steps;
    float *volumes;     /* cells */
    int *neighbours;    /* FACES x cells: a cell, WALL or OUTSIDE */
    float *normals;     /* FACES x 3 x cells: outwards, as long as the face is large */
    float *variables;   /* VARIABLES x cells */
    const char *output; /* file for the variables at the end; NULL: none is asked for */
};

static inline void mesh_allocate(struct run *run)
{
    const size_t cells = (size_t)run->cells;
    run->volumes = grid_allocate(cells);
    run->neighbours = (int *)allocate(FACES * cells, sizeof *run->neighbours);
    run->normals = grid_allocate(FACES * 3 * cells);
}

static inline void mesh_face(struct run *run, int cell, int face, int neighbour,
                             const float *normal)
{
    const size_t cells = (size_t)run->cells, at = (size_t)cell;
    run->neighbours[(size_t)face * cells + at] = neighbour;
    for (size_t axis = 0; axis < 3; axis++)
        run->normals[((size_t)face * 3 + axis) * cells + at] = normal[axis];
}

/* The next number of a file's text. */
static inline float mesh_number(const char *path, char **at, const char *what)
{
    char *end;
    const float value = strtof(*at, &end);
    if (end == *at)
        fail("%s: %s: a number expected", path, what);
    *at = end;
    return value;
}

/*
 * Reads Rodinia's format: the number of cells; for each its volume and, for each of its faces, the
 * neighbour, counted from 1, 0 for the wall or a negative number for the outside, and the normal.
 */
static inline void mesh_read(struct run *run, const char *path)
{
    char *text = text_read(path), *at;
    const long cells = strtol(text, &at, 10);
    if (at == text || cells < 1 || cells > MOST_CELLS)
        fail("%s: cells: a number from 1 to %d expected", path, MOST_CELLS);
    run->cells = (int)cells;
    mesh_allocate(run);
    for (int cell = 0; cell < run->cells; cell++) {
        run->volumes[cell] = mesh_number(path, &at, "a volume");
        for (int face = 0; face < FACES; face++) {
            char *end;
            const long neighbour = strtol(at, &end, 10);
            if (end == at || neighbour > cells)
                fail("%s: a neighbour: a number up to %ld expected", path, cells);
            at = end;
            float normal[3];
            for (int axis = 0; axis < 3; axis++)
                normal[axis] = mesh_number(path, &at, "a normal");
            mesh_face(run, cell, face, neighbour < 0 ? OUTSIDE : (int)neighbour - 1, normal);
        }
    }
    if (at[strspn(at, " \t\r\n")] != '\0')
        fail("%s: more than the %ld cells expected", path, cells);
    free(text);
}

/* The numbers below `count` in an order made up from a seed. */
static inline int *order_made_up(int count, uint64_t *seed)
{
    int *order = (int *)allocate((size_t)count, sizeof *order);
    for (int i = 0; i < count; i++) {
        const int other = (int)(random_bits(seed) % (uint64_t)(i + 1));
        order[i] = order[other];
        order[other] = i;
    }
    return order;
}

/*
 * A box of cubes, each cut into six tetrahedra: one for each order a, b, c of the axes, with the
 * corners 0, a, a + b and a + b + c of the cube. Its faces are those without the first corner,
 * shared with the tetrahedron b, c, a of the next cube along a; without the second, with b, a, c;
 * without the third, with a, c, b; and without the last, with c, a, b of the cube before along c.
 * The bottom is a wall. Cells are numbered in an order made up from a seed.
 */
static inline void mesh_generate(struct run *run, const int *extent, uint64_t *seed)
{
    static const int axes[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                   {1, 0, 2}, {0, 2, 1}, {2, 1, 0}};
    static const int kind_of[3][3] = {{-1, 0, 4}, {3, -1, 1}, {2, 5, -1}}; /* by the axes a and b */
    const float area = 0.5f * SIDE * SIDE;
    mesh_allocate(run);
    int *number = order_made_up(run->cells, seed);
    for (int cell = 0; cell < run->cells; cell++) {
        const int cube = cell / 6;
        const int place[3] = {cube % extent[0], cube / extent[0] % extent[1],
                              cube / extent[0] / extent[1]};
        const int stride[3] = {6, 6 * extent[0], 6 * extent[0] * extent[1]};
        const int a = axes[cell % 6][0], b = axes[cell % 6][1], c = axes[cell % 6][2];
        const int first = cell - cell % 6; /* cell of the same cube */
        const int next = number[place[a] + 1 < extent[a] ? first + stride[a] + kind_of[b][c] : 0];
        const int before = number[place[c] > 0 ? first - stride[c] + kind_of[c][a] : 0];
        float normal[FACES][3] = {{0.0f}};
        normal[0][a] = normal[1][b] = normal[2][c] = area;
        normal[1][a] = normal[2][b] = normal[3][c] = -area;
        const int own = number[cell];
        run->volumes[own] = SIDE * SIDE * SIDE / 6.0f;
        mesh_face(run, own, 0, place[a] + 1 < extent[a] ? next : OUTSIDE, normal[0]);
        mesh_face(run, own, 1, number[first + kind_of[b][a]], normal[1]);
        mesh_face(run, own, 2, number[first + kind_of[a][c]], normal[2]);
        mesh_face(run, own, 3, place[c] > 0 ? before : c == 2 ? WALL : OUTSIDE, normal[3]);
    }
    free(number);
}

/* The free stream in all cells; with a seed some cells are a little denser, others less dense. */
static inline void variables_begin(struct run *run, uint64_t *seed)
{
    const size_t cells = (size_t)run->cells;
    run->variables = grid_allocate(VARIABLES * cells);
    for (size_t i = 0; i < cells; i++) {
        const float more = seed == NULL ? 1.0f : 0.95f + 0.1f * random_float(seed);
        const struct state stream = free_stream();
        run->variables[i] = more * stream.density;
        run->variables[cells + i] = more * stream.momentum.x;
        run->variables[2 * cells + i] = more * stream.momentum.y;
        run->variables[3 * cells + i] = more * stream.momentum.z;
        run->variables[4 * cells + i] = more * stream.energy;
    }
}

/* STEPS (--mesh FILE | --generate X Y Z SEED) [OUTPUT]: X x Y x Z cubes */
static inline struct run run_arguments(int argc, char **argv)
{
    const int read = argc > 2 && strcmp(argv[2], "--mesh") == 0;
    const int generate = argc > 2 && strcmp(argv[2], "--generate") == 0;
    const int given = read ? 4 : 7;
    if ((!read && !generate) || (argc != given && argc != given + 1))
        fail("usage: %s STEPS (--mesh FILE | --generate X Y Z SEED) [OUTPUT]", argv[0]);
    struct run run;
    run.steps = number_argument(argv[1], 0, 1000000, "steps");
    run.output = argc > given ? argv[given] : NULL;
    if (read) {
        mesh_read(&run, argv[3]);
        variables_begin(&run, NULL);
        return run;
    }
    int extent[3];
    for (int axis = 0; axis < 3; axis++)
        extent[axis] = number_argument(argv[3 + axis], 1, 200, "cubes along an axis");
    uint64_t seed = (uint64_t)number_argument(argv[6], 0, INT32_MAX, "seed");
    run.cells = 6 * extent[0] * extent[1] * extent[2];
    mesh_generate(&run, extent, &seed);
    variables_begin(&run, &seed);
    return run;
}

/* The result line, the time on a line of its own, and the output file; frees everything. */
static inline void run_finish(const struct run *run, double seconds)
{
    const size_t values = VARIABLES * (size_t)run->cells;
    printf("cfd %d cells, %d steps: checksum %016llx\n", run->cells, run->steps,
           checksum(run->variables, values, sizeof *run->variables));
    printf("time %.6f s\n", seconds);
    if (run->output != NULL)
        grid_write(run->output, run->variables, values);
    free(run->volumes);
    free(run->neighbours);
    free(run->normals);
    free(run->variables);
}

#endif
