#include <string.h>

#include "ledger.h"

/* The value of an option among the arguments, or the program's own. */
static const char *option(int argc, char **argv, const char *name, const char *otherwise)
{
    for (int i = 1; i + 1 < argc; i++)
        if (strncmp(argv[i], "--", 2) == 0 && strcmp(argv[i] + 2, name) == 0)
            return argv[i + 1];
    return otherwise;
}

static int argument_count;
static char **arguments;

static long number(const char *name, const char *otherwise)
{
    return atol(option(argument_count, arguments, name, otherwise));
}

/* Whether a number is given that is not zero. */
static int is_on(const char *name)
{
    return atof(option(argument_count, arguments, name, "0")) != 0.0;
}

/* Whether an option is there that is a name of files, or takes no value. */
static int is_given(const char *name)
{
    return option(argument_count, arguments, name, NULL) != NULL;
}

/* How often something is done that is done every so many steps, the first time before any. */
static long times(long steps, const char *every, const char *otherwise)
{
    const long period = number(every, otherwise);
    return period > 0 ? steps / period + 1 : 0;
}

static long tides(void)
{
    static const char *const sides[] = {"west", "east", "south", "north"};
    long count = 0;
    for (int k = 0; k < 4; k++)
        count += strcmp(option(argument_count, arguments, sides[k], "wall"), "tide") == 0;
    return count;
}

/* One gauge more than there are semicolons. */
static long gauge_count(void)
{
    const char *list = option(argument_count, arguments, "gauges", NULL);
    long count = list != NULL;
    for (; list != NULL && *list != '\0'; list++)
        count += *list == ';';
    return count;
}

static void steps_in_time(long steps, long order)
{
    const long stages = steps * order;
    if (!is_on("step")) {
        launches("integrator_step", steps);
        reduction("rate", steps, 8);
    }
    /* Four quantities are kept before a step and taken over after it. */
    launches("field_copy", steps * 8);
    /* Each stage adds its change; all but the first are averaged with the beginning. */
    launches("field_combine", 4 * (stages + stages - steps));
    launches("state_dry", stages);
    launches("fill_rows", stages * 4);
    launches("fill_columns", stages * 4);
    launches("set_level", stages * tides());
    launches("primitive_compute", stages);
    launches("slopes_along", stages * 8);
    launches("fluxes", stages * 2);
    launches("transport_compute", stages);
    launches("add_coriolis", is_on("coriolis") || is_on("beta") ? stages : 0);
    launches("add_wind", is_on("drag") ? stages : 0);
    launches("add_rain", is_on("rain") ? stages : 0);
    launches("add_decay", is_on("decay") ? stages : 0);
    launches("mix", is_on("viscosity") ? 3 * stages : 0);
    launches("sources_friction", is_on("roughness") ? steps : 0);
}

/* The highest values of cells: three fields, to which every state is added. */
static void extremes(long steps, long field)
{
    if (!is_given("extremes-file"))
        return;
    to_device("field[0:size]", 3, 3 * field);
    launches("extremes_create", 1);
    launches("extremes_record", steps + 1);
    launches("extremes_flooded", 1);
    reduction("flooded", 1, 8);
    to_host("field[0:size]", 3, 3 * field);
}

/* Four terms of each row come back, the room for which is made without values. */
static void budgets(long steps, long ny)
{
    const long records = times(steps, "budget", "0");
    launches("compute_rows", records);
    to_host("rows[0:count]", records, records * 8 * 4 * ny);
}

static void drifters(long steps, long cells)
{
    const long count = number("drifters", "0");
    const long written = is_given("drifter-file") ? times(steps, "drifters-every", "10") : 0;
    if (count == 0)
        return;
    static const char *const reals[] = {"x[0:count]", "y[0:count]", "way[0:count]"};
    for (int k = 0; k < 3; k++) {
        to_device(reals[k], 1, 8 * count);
        to_host(reals[k], written, written * 8 * count);
    }
    to_device("fate[0:count]", 1, 4 * count);
    to_host("fate[0:count]", written, written * 4 * count);
    to_device("visits[0:size]", 1, 4 * cells);
    to_host("visits[0:size]", is_given("drifter-map"), 4 * cells);
    launches("drifters_advance", steps);
    launches("drifters_afloat", 1);
    reduction("afloat", 1, 4);
}

/* States come back on a queue; the last one may go to new fields, to begin with it again. */
static void checkpoints(long steps, long order, long field)
{
    const long saved = times(steps, "checkpoint", "0");
    expect("to-host", "field[0:size]", "3", 4 * saved, 4 * saved * field);
    if (!is_given("rehearse"))
        return;
    to_device("field[0:size]", 4 + 4, (4 + 4) * field);
    steps_in_time(steps % number("checkpoint", "0"), order);
    launches("field_distance", 4);
    reduction("distance", 4, 8);
}

int main(int argc, char **argv)
{
    argument_count = argc;
    arguments = argv;
    const long nx = number("nx", "100"), ny = number("ny", "60"), steps = number("steps", "100");
    const long pitch = nx + 4, field = 8 * pitch * (ny + 4), order = number("order", "2");

    /*
     * Fields are created with their values: the bed, three states of four quantities, four more and
     * their eight slopes. The bed and the state are brought again once they are filled; the state
     * comes back at the end.
     */
    to_device("field[0:size]", 1 + 3 * 4 + 4 + 8 + 1 + 4, (1 + 3 * 4 + 4 + 8 + 1 + 4) * field);
    to_host("field[0:size]", 4, 4 * field);
    steps_in_time(steps, order);
    extremes(steps, field);
    budgets(steps, ny);
    drifters(steps, field / 8);
    checkpoints(steps, order, field);

    const long gauges = gauge_count(), records = gauges > 0 ? steps + 1 : 0;
    to_device("cell[0:count]", records, records * 4 * gauges);
    launches("gauges_record", records);
    to_host("sample[0:count]", records, records * 8 * gauges);
    const long profiles = times(steps, "profile", "0");
    to_host("field[start:length]", profiles, profiles * 8 * pitch);

    /* One for the beginning, one for each report, one for the end. */
    const long reports = 2 + steps / number("report", "20");
    launches("diagnostics_compute", reports);
    static const char *const sums[] = {"volume", "tracer", "energy", "momentum_x", "momentum_y", "deepest", "fastest"};
    for (int k = 0; k < 7; k++)
        reduction(sums[k], reports, 8);
    reduction("wet", reports, 4);

    launches("profile_mean", 1);
    to_host("mean[0:nx]", 1, 8 * nx);
    if (option(argc, argv, "image-file", NULL) != NULL) {
        launches("field_largest", 1);
        reduction("largest", 1, 8);
        launches("field_smallest", 1);
        reduction("smallest", 1, 8);
    }
    return 0;
}
