/* All that a run depends on, with the options that set it. */
#ifndef PARAMETERS_H
#define PARAMETERS_H

#include "bed.h"
#include "boundary.h"
#include "flux.h"
#include "limiter.h"
#include "options.h"
#include "scenario.h"
#include "sources.h"

struct parameters {
    int nx, ny;
    double length_x, length_y;
    int scenario, bed, scheme, limiter, order;
    int west, east, south, north;
    double level, amplitude, concentration, bed_height;
    double tide_amplitude, tide_period;
    double courant, end, step;
    int steps, report, profile, budget, checkpoint, drifters, drifters_every;
    struct sources sources;
    char *bed_file, *gauges, *gauge_file, *profile_file, *image_file, *save_file, *restore_file, *level_file;
    char *budget_file, *checkpoint_file, *drifter_file, *drifter_map, *extremes_file;
    int rehearse, timers, show;
};

struct parameters parameters_default(void);

/* The table of options that set these parameters. It is valid as long as they are. */
const struct option *parameters_options(struct parameters *parameters);

/* Ends the program where parameters do not go together. */
void parameters_check(const struct parameters *parameters);

struct boundary parameters_boundary(const struct parameters *parameters);

#endif
