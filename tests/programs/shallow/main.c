/*
 * Shallow water on a rectangle: finite volumes of second order with wetting and drying, a tracer,
 * wind, rain, friction and mixing.
 *
 * usage: shallow [OPTIONS] OUTPUT
 *
 * OUTPUT gets all quantities of all cells at the end. All fields live on the device from the
 * beginning to the end; what comes back in between are the numbers of reports, gauges, profiles,
 * budgets and drifters, and the states of checkpoints.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bed.h"
#include "budget.h"
#include "checkpoints.h"
#include "diagnostics.h"
#include "drifters.h"
#include "error.h"
#include "esri.h"
#include "extremes.h"
#include "field.h"
#include "gauges.h"
#include "integrator.h"
#include "memory.h"
#include "parameters.h"
#include "profile.h"
#include "scenario.h"
#include "snapshot.h"
#include "timer.h"

/* A run: the water, what moves it, and what is written of it. */
struct run {
    const struct parameters *parameters;
    struct grid grid;
    double *bed;
    struct state state;
    struct integrator integrator;
    struct gauges gauges;
    struct budget budget;
    struct checkpoints checkpoints;
    struct drifters drifters;
    struct extremes extremes;
    FILE *profile, *places;
    struct diagnostics first;
    double time;
    int step;
};

static FILE *file_create(const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL)
        error_exit("%s: %s", path, strerror(errno));
    return file;
}

static void file_close(FILE *file, const char *path)
{
    if (file != NULL && fclose(file) != 0)
        error_exit("%s: %s", path, strerror(errno));
}

/* What watches the water. */
static void run_create_output(struct run *run, const struct parameters *p)
{
    run->gauges = gauges_create(&run->grid, p->gauges);
    run->checkpoints = checkpoints_create(p->checkpoint, p->checkpoint_file);
    run->drifters = drifters_create(&run->grid, p->drifters);
    if (p->profile > 0)
        run->profile = file_create(p->profile_file);
    if (p->budget > 0)
        run->budget = budget_create(&run->grid, p->budget_file);
    if (p->drifter_file != NULL)
        run->places = file_create(p->drifter_file);
    if (p->extremes_file != NULL)
        run->extremes = extremes_create(&run->grid);
}

static void run_create(struct run *run, const struct parameters *p)
{
    run->parameters = p;
    run->grid = grid_create(p->nx, p->ny, p->length_x, p->length_y);
    run->bed = field_create(&run->grid, "bed");
    const struct bed_shape shape = {(enum bed_kind)p->bed, p->bed_height, p->bed_file};
    bed_fill(&shape, &run->grid, run->bed);

    run->state = state_create(&run->grid);
    if (p->restore_file != NULL) {
        snapshot_restore(&run->grid, &run->state, &run->time, &run->step, p->restore_file);
        state_to_device(&run->grid, &run->state);
    } else {
        const struct scenario scenario = {(enum scenario_kind)p->scenario, p->level, p->amplitude, p->concentration};
        scenario_fill(&scenario, &run->grid, run->bed, &run->state);
    }

    run->integrator = (struct integrator){.grid = &run->grid,
                                          .bed = run->bed,
                                          .boundary = parameters_boundary(p),
                                          .sources = p->sources,
                                          .limiter = (enum limiter)p->limiter,
                                          .order = p->order,
                                          .courant = p->courant};
    integrator_create(&run->integrator, (enum flux_scheme)p->scheme);
    run_create_output(run, p);
}

static void run_destroy(struct run *run)
{
    const struct parameters *p = run->parameters;
    file_close(run->profile, p->profile_file);
    file_close(run->places, p->drifter_file);
    if (p->budget > 0)
        budget_destroy(&run->grid, &run->budget);
    if (p->extremes_file != NULL)
        extremes_destroy(&run->grid, &run->extremes);
    checkpoints_destroy(&run->checkpoints);
    drifters_destroy(&run->grid, &run->drifters);
    gauges_destroy(&run->gauges);
    integrator_destroy(&run->integrator);
    state_destroy(&run->grid, &run->state);
    field_destroy(&run->grid, run->bed);
}

/* What is written after a step, and before the first. */
static void run_observe(struct run *run)
{
    const struct parameters *p = run->parameters;
    timer_begin("output");
    checkpoints_begin(&run->checkpoints, &run->grid, &run->state, run->step);
    gauges_record(&run->gauges, &run->grid, run->bed, &run->state, run->time);
    if (p->extremes_file != NULL)
        extremes_record(&run->extremes, &run->grid, &run->state, run->time);
    if (p->budget > 0 && run->step % p->budget == 0)
        budget_record(&run->budget, &run->grid, run->bed, &p->sources, &run->state, run->time);
    if (p->drifter_file != NULL && run->step % p->drifters_every == 0)
        drifters_write(&run->drifters, run->time, run->places);
    if (p->profile > 0 && run->step % p->profile == 0)
        profile_write(&run->grid, run->bed, &run->state, run->grid.ny / 2, run->time, run->profile);
    if (run->step % p->report == 0) {
        const struct diagnostics now = diagnostics_compute(&run->grid, run->bed, &run->state);
        if (run->first.volume == 0.0)
            run->first = now;
        diagnostics_print(&now, run->step, run->time, stdout);
    }
    checkpoints_end(&run->checkpoints, &run->grid, &run->state, run->time, run->step);
    timer_end("output");
}

/* The step to take next from a state: given or stable, and not past the end. */
static double run_next_step(struct run *run, const struct state *state, double time)
{
    const struct parameters *p = run->parameters;
    const double left = p->end - time;
    timer_begin("step size");
    const double step = p->step > 0.0 ? p->step : integrator_step(&run->integrator, state);
    timer_end("step size");
    return step < left ? step : left;
}

static void run_steps(struct run *run)
{
    const struct parameters *p = run->parameters;
    diagnostics_heading(stdout);
    run_observe(run);
    const int last = run->step + p->steps;
    while (run->step < last && run->time < p->end) {
        const double step = run_next_step(run, &run->state, run->time);
        timer_begin("advance");
        integrator_advance(&run->integrator, &run->state, run->time, step);
        timer_end("advance");
        timer_begin("drifters");
        drifters_advance(&run->drifters, &run->grid, &run->integrator.boundary, &run->integrator.primitive, step);
        timer_end("drifters");
        run->time += step;
        run->step++;
        run_observe(run);
    }
}

/*
 * Goes back to the last checkpoint, does the steps since then once more, and compares: a run that is
 * taken up again must end as one that never stopped.
 */
static void run_rehearse(struct run *run)
{
    struct state again = state_create(&run->grid);
    double time;
    int step;
    checkpoints_restore(&run->checkpoints, &run->grid, &again, &time, &step);
    printf("steps %d to %d again: ", step, run->step);
    for (; step < run->step; step++) {
        const double length = run_next_step(run, &again, time);
        integrator_advance(&run->integrator, &again, time, length);
        time += length;
    }
    const double distance = state_distance(&run->grid, &run->state, &again);
    if (time != run->time || distance != 0.0)
        error_exit("a rehearsed run differs by %g at time %g", distance, time);
    puts("the same");
    state_destroy(&run->grid, &again);
}

/* The average over y of the depth, and how far the water has come in the middle. */
static void run_summarise(struct run *run)
{
    const int nx = run->grid.nx;
    double *mean = memory_allocate((size_t)nx, sizeof *mean, "mean depths");
    profile_mean(&run->grid, &run->state, mean);
    int deepest = 0;
    for (int i = 1; i < nx; i++)
        if (mean[i] > mean[deepest])
            deepest = i;
    printf("deepest on average at x = %g: %.6g\n", grid_x(&run->grid, deepest), mean[deepest]);
    printf("the water in the middle reaches x = %g\n", profile_front(&run->grid, &run->state, run->grid.ny / 2));
    memory_release(mean);
    const struct parameters *p = run->parameters;
    if (p->budget > 0)
        budget_summarise(&run->budget, stdout);
    if (p->drifters > 0)
        printf("%d of %d drifters are afloat\n", drifters_afloat(&run->drifters), p->drifters);
    if (p->extremes_file != NULL)
        printf("the water has come to %.4g of the ground\n", extremes_flooded(&run->extremes, &run->grid));
}

static void run_write(struct run *run, const char *output)
{
    const struct parameters *p = run->parameters;
    const struct grid *grid = &run->grid;
    const struct diagnostics last = diagnostics_compute(grid, run->bed, &run->state);
    diagnostics_compare(&run->first, &last, stdout);
    state_to_host(grid, &run->state);
    run_summarise(run);
    snapshot_text(grid, &run->state, output);
    if (p->gauge_file != NULL)
        gauges_write(&run->gauges, p->gauge_file);
    if (p->image_file != NULL) {
        const double deepest = field_largest(grid, run->state.depth);
        const double shallowest = field_smallest(grid, run->state.depth);
        snapshot_image(grid, run->state.depth, shallowest, deepest, p->image_file);
    }
    if (p->level_file != NULL) {
        double *level = memory_allocate((size_t)grid->size, sizeof *level, "levels");
        for (int at = 0; at < grid->size; at++)
            level[at] = run->bed[at] + run->state.depth[at];
        esri_write(p->level_file, grid, level);
        memory_release(level);
    }
    if (p->extremes_file != NULL)
        extremes_write(&run->extremes, grid, p->extremes_file);
    if (p->drifter_map != NULL)
        drifters_write_map(&run->drifters, grid, p->drifter_map);
    if (p->save_file != NULL)
        snapshot_save(grid, &run->state, run->time, run->step, p->save_file);
}

static void usage(const struct option *options)
{
    fputs("usage: shallow [OPTIONS] OUTPUT\n", stderr);
    options_help(options, stderr);
}

int main(int argc, char **argv)
{
    struct parameters parameters = parameters_default();
    const struct option *options = parameters_options(&parameters);
    error_program("shallow");
    const int at = options_parse(options, argc, argv);
    if (at != argc - 1) {
        usage(options);
        return 2;
    }
    parameters_check(&parameters);
    if (parameters.show)
        options_write(options, stdout);

    struct run run = {0};
    timer_begin("total");
    run_create(&run, &parameters);
    run_steps(&run);
    if (parameters.rehearse)
        run_rehearse(&run);
    run_write(&run, argv[at]);
    run_destroy(&run);
    timer_end("total");
    if (parameters.timers) {
        timer_report(stdout);
        printf("memory: %zu bytes at most\n", memory_peak());
    }
    options_release(options);
    if (memory_blocks() != 0)
        error_exit("%ld blocks of memory are left", memory_blocks());
    return 0;
}
