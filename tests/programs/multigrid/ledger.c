#include "ledger.h"

int main(int argc, char **argv)
{
    if (argc != 6)
        return 2;
    const long coarse_x = atol(argv[1]), coarse_y = atol(argv[2]), levels = atol(argv[3]), cycles = atol(argv[4]);
    long all = 0, finest = 0, width = 0;
    for (long k = 0; k < levels; k++) {
        width = (coarse_x << k) + 1;
        finest = 8 * width * ((coarse_y << k) + 1);
        all += finest;
    }

    /* Three fields a level, with the pointer to each; the finest solution back at the end. */
    to_device("solution[k][0:points(k)]", levels, all);
    to_device("residual[k][0:points(k)]", levels, all);
    to_device("source[k][0:points(k)]", levels, all);
    expect("attach", "solution[k][0:points(k)]", SYNC, levels, 8 * levels);
    expect("attach", "residual[k][0:points(k)]", SYNC, levels, 8 * levels);
    expect("attach", "source[k][0:points(k)]", SYNC, levels, 8 * levels);
    to_device("source[top][0:points(top)]", cycles > 0, finest);
    to_host("solution[top][middle:nx]", cycles, cycles * 8 * width);
    to_host("solution[top][0:points(top)]", 1, finest);
    expect("detach", "solution[top][0:points(top)]", SYNC, 1, 8);
    expect("detach", "solution[k][0:points(k)]", SYNC, levels - 1, 8 * (levels - 1));
    expect("detach", "residual[k][0:points(k)]", SYNC, levels, 8 * levels);
    expect("detach", "source[k][0:points(k)]", SYNC, levels, 8 * levels);

    /* A sweep has two colours; the coarsest level has 40 sweeps, each other 2 and 1. */
    launches("relax", cycles * (2 * 40 + 2 * 3 * (levels - 1)));
    launches("compute_residual", cycles * levels);
    launches("restrict_residual", cycles * 2 * (levels - 1));
    launches("correct", cycles * (levels - 1));
    launches("residual_norm", cycles);
    reduction("largest", cycles, 8);
    return 0;
}
