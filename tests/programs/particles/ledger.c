#include "ledger.h"

int main(int argc, char **argv)
{
    if (argc != 6)
        return 2;
    const long count = atol(argv[3]), steps = atol(argv[4]), nodes = atol(argv[1]) * (atol(argv[2]) + 1);
    FILE *results = fopen(argv[5], "r");
    if (results == NULL)
        return 2;
    /* The particles that walls absorb, step by step, are among the results. */
    long losses = 0, lost = 0;
    for (long s = 0; s < steps; s++) {
        long absorbed, number;
        double speed;
        if (fscanf(results, "%ld", &absorbed) != 1)
            return 2;
        losses += absorbed > 0;
        lost += absorbed;
        while (absorbed-- > 0)
            if (fscanf(results, "%ld", &number) != 1)
                return 2;
        if (s % 4 == 3 && fscanf(results, "%la", &speed) != 1)
            return 2;
    }
    fclose(results);

    /* Two structures: a count and six pointers, two sizes and five pointers. */
    to_device("p[0:1]", 1, 56);
    to_device("f[0:1]", 1, 48);
    static const char *const particle[] = {"p->x", "p->y", "p->u", "p->v", "p->charge", "p->alive"};
    for (int k = 0; k < 6; k++) {
        char section[40];
        const long bytes = (k < 4 ? 8 : 4) * count;
        snprintf(section, sizeof section, "%s[0:count]", particle[k]);
        to_device(section, 1, bytes);
        expect("attach", particle[k], SYNC, 1, 8);
        expect("detach", particle[k], SYNC, 1, 8);
        to_host(section, k < 4, bytes);
    }
    static const char *const field[] = {"f->potential", "f->next_potential", "f->density", "f->ex", "f->ey"};
    for (int k = 0; k < 5; k++) {
        char section[40];
        snprintf(section, sizeof section, "%s[0:nodes]", field[k]);
        to_device(section, k < 2, 8 * nodes);
        expect("attach", field[k], SYNC, 1, 8);
        expect("detach", field[k], SYNC, 1, 8);
        to_host(section, k == 0, 8 * nodes);
    }
    to_device("absorbed", steps, 4 * steps);
    to_host("absorbed", steps, 4 * steps);
    to_host("lost[0:absorbed]", losses, 4 * lost);

    launches("field_clear_density", steps);
    launches("particles_deposit", steps);
    launches("sweep", 6 * steps);
    launches("differentiate", steps);
    launches("particles_move", steps);
    launches("particles_top_speed", steps / 4);
    reduction("top", steps / 4, 8);
    return 0;
}
