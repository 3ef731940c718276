/*
 * A packet of photons on its way through layers of tissue: shared by all forms of mcml.
 *
 * It goes straight on until it is absorbed in part and scattered, or comes to a surface, where it is
 * reflected or refracted. Its random numbers are its own, so that it goes the same way wherever it is
 * simulated. Only operations that round the same way everywhere are used: distances and azimuths are
 * drawn by comparing uniform numbers, without logarithms and sines.
 */
#ifndef BENCHMARKS_MCML_PHOTON_H
#define BENCHMARKS_MCML_PHOTON_H

#include <math.h>

#include "media.h"

#define FAINT 1e-4f   /* a weight below which a packet may end */
#define CHANCE 0.1f   /* that it does not */
#define STEEP 0.9999f /* a cosine to the vertical that counts as 1 */

struct photon {
    float x, y, z;
    float ux, uy, uz; /* its direction */
    float weight;
    int layer;
    uint64_t random; /* the state of its random numbers, never 0 */
};

/* The next number in [0, 1) (xorshift64*). */
ON_DEVICE static inline float uniform(struct photon *photon)
{
    uint64_t state = photon->random;
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    photon->random = state;
    return (float)(state * UINT64_C(0x2545f4914f6cdd1d) >> 40) * 0x1p-24f;
}

/* The next number of mean 1 that is exponentially distributed (von Neumann). */
ON_DEVICE static inline float exponential(struct photon *photon)
{
    for (float whole = 0.0f;; whole += 1.0f) {
        const float first = uniform(photon);
        float last = first, next = uniform(photon);
        int is_odd = 1; /* numbers that fall */
        while (next < last) {
            last = next;
            next = uniform(photon);
            is_odd = !is_odd;
        }
        if (is_odd)
            return whole + first;
    }
}

/* Packet `number`, as it enters the first layer. */
ON_DEVICE static inline struct photon photon_launch(int number, int seed,
                                                    const struct layer *layers)
{
    const float difference = layers[0].index - layers[1].index;
    const float sum = layers[0].index + layers[1].index;
    const uint64_t own = ((uint64_t)seed << 32 | (uint32_t)number) + 1;
    struct photon photon = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 1, 0};
    photon.weight = 1.0f - difference * difference / (sum * sum);
    photon.random = own * UINT64_C(0x9e3779b97f4a7c15);
    for (int i = 0; i < 4; i++)
        uniform(&photon); /* away from neighbours' states */
    return photon;
}

/* Leaves a part of its weight in the tissue. */
ON_DEVICE static inline void photon_drop(struct photon *photon, const struct layer *layer,
                                         absorption_grid grid)
{
    const float r = sqrtf(photon->x * photon->x + photon->y * photon->y);
    const int row = (int)fminf(photon->z / STEP, DEPTHS - 1);
    const int ring = (int)fminf(r / STEP, RINGS - 1);
    const float lost =
        photon->weight * (layer->absorption / (layer->absorption + layer->scattering));
    photon->weight -= lost;
    grid[row][ring] += lost;
}

/* The cosine of an angle of scattering, by the function of Henyey and Greenstein. */
ON_DEVICE static inline float scattering_cosine(struct photon *photon, float anisotropy)
{
    const float random = uniform(photon);
    if (anisotropy == 0.0f)
        return 2.0f * random - 1.0f;
    const float ratio = (1.0f - anisotropy * anisotropy) /
                        (1.0f - anisotropy + 2.0f * anisotropy * random);
    const float cosine = (1.0f + anisotropy * anisotropy - ratio * ratio) / (2.0f * anisotropy);
    return fmaxf(-1.0f, fminf(1.0f, cosine));
}

/* Turns it into a new direction. */
ON_DEVICE static inline void photon_scatter(struct photon *photon, float anisotropy)
{
    const float cosine = scattering_cosine(photon, anisotropy);
    const float sine = sqrtf(1.0f - cosine * cosine);
    const float ux = photon->ux, uy = photon->uy, uz = photon->uz;
    float a, b, square;

    do { /* a point of the unit disc, whose angle is half the azimuth */
        a = 2.0f * uniform(photon) - 1.0f;
        b = 2.0f * uniform(photon) - 1.0f;
        square = a * a + b * b;
    } while (square >= 1.0f || square == 0.0f);
    const float across = sine * (a * a - b * b) / square;
    const float along = sine * 2.0f * a * b / square;
    if (fabsf(uz) > STEEP) {
        photon->ux = across;
        photon->uy = along;
        photon->uz = uz > 0.0f ? cosine : -cosine;
    } else {
        const float level = sqrtf(1.0f - uz * uz);
        photon->ux = (ux * uz * across - uy * along) / level + ux * cosine;
        photon->uy = (uy * uz * across + ux * along) / level + uy * cosine;
        photon->uz = -across * level + uz * cosine;
    }
}

/* Reflects it at a surface or lets it through; outside the tissue it ends. */
ON_DEVICE static inline void photon_cross(struct photon *photon, int layer_count,
                                          const struct layer *layers,
                                          const struct surface *surfaces)
{
    const int goes_down = photon->uz > 0.0f;
    const int next = goes_down ? photon->layer + 1 : photon->layer - 1;
    const struct surface surface = surfaces[goes_down ? photon->layer : next];
    const float ratio = layers[photon->layer].index / layers[next].index;
    const float cosine = fabsf(photon->uz);
    float refracted = 0.0f, reflectance = 1.0f;

    if (cosine > (goes_down ? surface.down : surface.up)) { /* Fresnel, both polarisations */
        refracted = sqrtf(fmaxf(0.0f, 1.0f - ratio * ratio * (1.0f - cosine * cosine)));
        const float s = (ratio * cosine - refracted) / (ratio * cosine + refracted);
        const float p = (ratio * refracted - cosine) / (ratio * refracted + cosine);
        reflectance = 0.5f * (s * s + p * p);
    }
    if (uniform(photon) < reflectance) {
        photon->uz = -photon->uz;
        return;
    }
    photon->ux *= ratio;
    photon->uy *= ratio;
    photon->uz = goes_down ? refracted : -refracted;
    photon->layer = next;
    if (next == 0 || next > layer_count)
        photon->weight = 0.0f;
}

/* Simulates packet `number`, and adds what it leaves to a grid. */
ON_DEVICE static inline void photon_simulate(int number, int seed, int layer_count,
                                             const struct layer *layers,
                                             const struct surface *surfaces, absorption_grid grid)
{
    struct photon photon = photon_launch(number, seed, layers);
    float left = exponential(&photon); /* to go, in mean free paths */

    while (photon.weight > 0.0f) {
        const struct layer layer = layers[photon.layer];
        const float density = layer.absorption + layer.scattering;
        const float edge = photon.uz > 0.0f ? layer.to : layer.from;
        const float to_edge = photon.uz == 0.0f ? INFINITY : (edge - photon.z) / photon.uz;
        const int is_inside = left / density < to_edge;
        const float distance = is_inside ? left / density : to_edge;
        photon.x += distance * photon.ux;
        photon.y += distance * photon.uy;
        if (!is_inside) {
            photon.z = edge;
            left = fmaxf(0.0f, left - distance * density);
            photon_cross(&photon, layer_count, layers, surfaces);
            continue;
        }
        photon.z += distance * photon.uz;
        photon_drop(&photon, &layer, grid);
        photon_scatter(&photon, layer.anisotropy);
        if (photon.weight < FAINT)
            photon.weight = uniform(&photon) < CHANCE ? photon.weight / CHANCE : 0.0f;
        left = exponential(&photon);
    }
}

#endif
