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

    const long gauges = gauge_count(), records = gauges > 0 ? steps + 1 : 0;
    to_device("cell[0:count]", records, records * 4 * gauges);
    launches("gauges_record", records);
    to_host("sample[0:count]", records, records * 8 * gauges);
    const long every = number("profile", "0"), profiles = every > 0 ? steps / every + 1 : 0;
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
