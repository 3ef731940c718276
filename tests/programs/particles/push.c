/* What happens to one particle: called for each on the device. */
#include <math.h>

#include "particles.h"

double wrap(double x, double length)
{
    if (x < 0.0)
        return x + length;
    if (x >= length)
        return x - length;
    return x;
}

/* Bilinear between the four nodes around a point inside the box. */
double field_at(const double *values, int nx, int ny, double x, double y)
{
    int i = (int)floor(x), j = (int)floor(y);
    const double a = x - i, b = y - j;
    if (i >= nx)
        i -= nx;
    if (j >= ny)
        j = ny - 1;
    const int right = i + 1 < nx ? i + 1 : 0;
    const double below = (1.0 - a) * values[j * nx + i] + a * values[j * nx + right];
    const double above = (1.0 - a) * values[(j + 1) * nx + i] + a * values[(j + 1) * nx + right];
    return (1.0 - b) * below + b * above;
}

/* Leapfrog with a magnetic field across the plane, by Boris's rotation. */
void push(double *x, double *y, double *u, double *v, double ex, double ey, double step)
{
    const double half = 0.5 * step, tangent = 0.125 * step;
    const double sine = 2.0 * tangent / (1.0 + tangent * tangent);
    const double u1 = *u + half * ex, v1 = *v + half * ey;
    const double u2 = u1 + tangent * v1, v2 = v1 - tangent * u1;
    *u = u1 + sine * v2 + half * ex;
    *v = v1 - sine * u2 + half * ey;
    *x += step * *u;
    *y += step * *v;
}
