#include "parameters.h"

#include <string.h>

#include "error.h"

#define HUGE 1e12
#define MAX_OPTIONS 64

struct parameters parameters_default(void)
{
    return (struct parameters){.nx = 100,
                               .ny = 60,
                               .length_x = 100.0,
                               .length_y = 60.0,
                               .scheme = FLUX_HLL,
                               .limiter = LIMITER_MINMOD,
                               .order = 2,
                               .level = 1.0,
                               .amplitude = 0.5,
                               .concentration = 1.0,
                               .bed_height = 0.5,
                               .tide_period = 100.0,
                               .courant = 0.4,
                               .end = HUGE,
                               .steps = 100,
                               .report = 20,
                               .drifters_every = 10,
                               .sources = {.rain_radius = HUGE}};
}

static void add(struct option *options, int *count, struct option option)
{
    if (*count == MAX_OPTIONS - 1)
        error_exit("more than %d options", MAX_OPTIONS - 1);
    options[(*count)++] = option;
}

static struct option integer(const char *name, int *value, double low, double high, const char *help)
{
    return (struct option){name, OPTION_INTEGER, value, low, high, NULL, help};
}

static struct option real(const char *name, double *value, double low, double high, const char *help)
{
    return (struct option){name, OPTION_REAL, value, low, high, NULL, help};
}

static struct option choice(const char *name, int *value, const char *const *choices, const char *help)
{
    return (struct option){name, OPTION_CHOICE, value, 0, 0, choices, help};
}

static struct option text(const char *name, char **value, const char *help)
{
    return (struct option){name, OPTION_TEXT, value, 0, 0, NULL, help};
}

static struct option toggle(const char *name, int *value, const char *help)
{
    return (struct option){name, OPTION_SWITCH, value, 0, 0, NULL, help};
}

static void add_domain(struct option *options, int *n, struct parameters *p)
{
    add(options, n, integer("nx", &p->nx, GHOSTS, 30000, "cells in x"));
    add(options, n, integer("ny", &p->ny, GHOSTS, 30000, "cells in y"));
    add(options, n, real("length-x", &p->length_x, 1e-6, HUGE, "metres in x"));
    add(options, n, real("length-y", &p->length_y, 1e-6, HUGE, "metres in y"));
    add(options, n, choice("west", &p->west, boundary_names, "the side at x = 0"));
    add(options, n, choice("east", &p->east, boundary_names, "the side opposite"));
    add(options, n, choice("south", &p->south, boundary_names, "the side at y = 0"));
    add(options, n, choice("north", &p->north, boundary_names, "the side opposite"));
    add(options, n, real("tide-amplitude", &p->tide_amplitude, 0, HUGE, "metres that a tide rises"));
    add(options, n, real("tide-period", &p->tide_period, 0, HUGE, "seconds from tide to tide"));
    add(options, n, choice("bed", &p->bed, bed_names, "shape of the bed"));
    add(options, n, real("bed-height", &p->bed_height, 0, HUGE, "metres from its lowest to its highest point"));
    add(options, n, text("bed-file", &p->bed_file, "an ESRI grid of heights"));
}

static void add_water(struct option *options, int *n, struct parameters *p)
{
    add(options, n, choice("scenario", &p->scenario, scenario_names, "the water in the beginning"));
    add(options, n, real("level", &p->level, -HUGE, HUGE, "level of still water"));
    add(options, n, real("amplitude", &p->amplitude, -HUGE, HUGE, "how much it is disturbed"));
    add(options, n, real("concentration", &p->concentration, 0, HUGE, "of the tracer, where it is"));
    add(options, n, real("roughness", &p->sources.roughness, 0, 1, "Manning's coefficient"));
    add(options, n, real("coriolis", &p->sources.coriolis, -1, 1, "Coriolis's parameter in the middle"));
    add(options, n, real("beta", &p->sources.beta, -1, 1, "how it grows northwards, per metre"));
    add(options, n, real("wind-x", &p->sources.wind_x, -200, 200, "velocity of the wind"));
    add(options, n, real("wind-y", &p->sources.wind_y, -200, 200, "velocity of the wind"));
    add(options, n, real("drag", &p->sources.drag, 0, 1, "of the wind on the water"));
    add(options, n, real("rain", &p->sources.rain, -1, 1, "metres a second"));
    add(options, n, real("rain-x", &p->sources.rain_x, -HUGE, HUGE, "middle of the rain"));
    add(options, n, real("rain-y", &p->sources.rain_y, -HUGE, HUGE, "middle of the rain"));
    add(options, n, real("rain-radius", &p->sources.rain_radius, 0, HUGE, "radius of the rain"));
    add(options, n, real("viscosity", &p->sources.viscosity, 0, HUGE, "eddy viscosity"));
    add(options, n, real("decay", &p->sources.decay, 0, HUGE, "of the tracer, per second"));
}

static void add_method(struct option *options, int *n, struct parameters *p)
{
    add(options, n, choice("flux", &p->scheme, flux_names, "fluxes through faces"));
    add(options, n, choice("limiter", &p->limiter, limiter_names, "slopes in cells"));
    add(options, n, integer("order", &p->order, 1, 3, "stages of a step"));
    add(options, n, real("courant", &p->courant, 1e-6, 1, "part of the longest stable step"));
    add(options, n, real("step", &p->step, 0, HUGE, "seconds; 0 takes what is stable"));
    add(options, n, integer("steps", &p->steps, 0, 1e9, "the most steps"));
    add(options, n, real("end", &p->end, 0, HUGE, "time to stop at"));
}

static void add_output(struct option *options, int *n, struct parameters *p)
{
    add(options, n, integer("report", &p->report, 1, 1e9, "steps from one report to the next"));
    add(options, n, integer("profile", &p->profile, 0, 1e9, "steps from profile to profile; 0 is none"));
    add(options, n, text("profile-file", &p->profile_file, "where profiles go"));
    add(options, n, text("gauges", &p->gauges, "X,Y;X,Y... of gauges"));
    add(options, n, text("gauge-file", &p->gauge_file, "where their records go"));
    add(options, n, text("image-file", &p->image_file, "an image of the depth at the end"));
    add(options, n, text("level-file", &p->level_file, "the level at the end, as an ESRI grid"));
    add(options, n, text("extremes-file", &p->extremes_file, "what grids of the highest values begin with"));
    add(options, n, integer("budget", &p->budget, 0, 1e9, "steps from budget to budget; 0 is none"));
    add(options, n, text("budget-file", &p->budget_file, "where budgets go"));
    add(options, n, integer("drifters", &p->drifters, 0, 1e7, "floats that are let out"));
    add(options, n, integer("drifters-every", &p->drifters_every, 1, 1e9, "steps until they are written again"));
    add(options, n, text("drifter-file", &p->drifter_file, "where their places go"));
    add(options, n, text("drifter-map", &p->drifter_map, "where they have been, as an ESRI grid"));
    add(options, n, integer("checkpoint", &p->checkpoint, 0, 1e9, "steps from one to the next; 0 is none"));
    add(options, n, text("checkpoint-file", &p->checkpoint_file, "what the names of checkpoints begin with"));
    add(options, n, toggle("rehearse", &p->rehearse, "do the steps since the last checkpoint again"));
    add(options, n, text("save", &p->save_file, "where the state goes at the end"));
    add(options, n, text("restore", &p->restore_file, "the state to begin with"));
    add(options, n, toggle("timers", &p->timers, "show where the time goes"));
    add(options, n, toggle("show", &p->show, "show all parameters"));
}

const struct option *parameters_options(struct parameters *parameters)
{
    static struct option options[MAX_OPTIONS];
    int count = 0;
    memset(options, 0, sizeof options);
    add_domain(options, &count, parameters);
    add_water(options, &count, parameters);
    add_method(options, &count, parameters);
    add_output(options, &count, parameters);
    return options;
}

void parameters_check(const struct parameters *parameters)
{
    if (parameters->gauge_file != NULL && parameters->gauges == NULL)
        error_exit("--gauge-file needs --gauges");
    if (parameters->profile > 0 && parameters->profile_file == NULL)
        error_exit("--profile needs --profile-file");
    if (parameters->budget > 0 && parameters->budget_file == NULL)
        error_exit("--budget needs --budget-file");
    if (parameters->drifters == 0 && (parameters->drifter_file != NULL || parameters->drifter_map != NULL))
        error_exit("--drifter-file and --drifter-map need --drifters");
    if (parameters->checkpoint > 0 && parameters->checkpoint_file == NULL)
        error_exit("--checkpoint needs --checkpoint-file");
    if (parameters->rehearse && parameters->checkpoint == 0)
        error_exit("--rehearse needs --checkpoint");
    if (parameters->bed == BED_FILE && parameters->bed_file == NULL)
        error_exit("a bed from a file needs --bed-file");
    if (parameters->scheme == FLUX_RUSANOV && parameters->courant > 0.5)
        error_warn("Rusanov's fluxes may be unstable with a Courant number over 0.5");
}

struct boundary parameters_boundary(const struct parameters *parameters)
{
    return (struct boundary){.west = (enum boundary_kind)parameters->west,
                             .east = (enum boundary_kind)parameters->east,
                             .south = (enum boundary_kind)parameters->south,
                             .north = (enum boundary_kind)parameters->north,
                             .level = parameters->level,
                             .amplitude = parameters->tide_amplitude,
                             .period = parameters->tide_period};
}
