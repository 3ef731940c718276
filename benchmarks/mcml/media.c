/*
 * Layers of tissue, made up, with the surfaces between them.
 */
#include <math.h>

#include "media.h"

/* The cosine at or below which light from index `from` is reflected by what has index `to`. */
static float critical_cosine(float from, float to)
{
    if (from <= to)
        return 0.0f;
    return sqrtf(1.0f - (to / from) * (to / from));
}

void media_make(int layers, int seed, struct layer *layer, struct surface *surface)
{
    const struct layer air = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f};
    uint64_t state = (uint64_t)seed;
    float depth = 0.0f;

    layer[0] = layer[layers + 1] = air;
    for (int i = 1; i <= layers; i++) {
        layer[i].from = depth;
        depth += 0.05f + 0.2f * random_float(&state);
        layer[i].to = depth;
        layer[i].absorption = 0.5f + 2.0f * random_float(&state);
        layer[i].scattering = 20.0f + 60.0f * random_float(&state);
        layer[i].anisotropy = 0.7f + 0.2f * random_float(&state);
        layer[i].index = 1.33f + 0.2f * random_float(&state);
    }
    for (int i = 0; i <= layers; i++) {
        surface[i].down = critical_cosine(layer[i].index, layer[i + 1].index);
        surface[i].up = critical_cosine(layer[i + 1].index, layer[i].index);
    }
}
