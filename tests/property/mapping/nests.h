/*
 * What files of nests share besides arrays: what a nest gives apart from its array, and how a choice
 * is compared with the serial nest.
 */
#include "../harness.h"

#include <float.h>
#include <math.h>

struct outcome {
    double total;     /* of the reduction */
    double magnitude; /* what all its values come to without their signs */
    double count;
};

static int judged(int nest, int choice, const struct array *expected, const struct array *found,
                  const struct outcome *wanted, const struct outcome *outcome, double tolerance)
{
    char message[240] = "";
    int bad = differs(expected, found, message, sizeof message);
    if (!bad && !(fabs(wanted->total - outcome->total) <= tolerance)) {
        bad = 1;
        snprintf(message, sizeof message, "the reduction: expected %a, found %a, may differ by %g",
                 wanted->total, outcome->total, tolerance);
    }
    if (bad)
        printf("%d %d differs: %s\n", nest, choice, message);
    else
        printf("%d %d same\n", nest, choice);
    fflush(stdout);
    return bad;
}
