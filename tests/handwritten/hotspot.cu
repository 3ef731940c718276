// What a person would write for benchmarks/hotspot/hotspot.c.
__global__ void step(int rows, int columns, float rate, float per_row, float per_column,
                     float per_layer, const float *power, const float *now, float *next)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || column >= columns)
        return;
    const int i = row * columns + column;
    const float here = now[i];
    float vertical, horizontal;
    if (row == 0)
        vertical = now[i + columns] - here;
    else if (row == rows - 1)
        vertical = now[i - columns] - here;
    else
        vertical = now[i + columns] + now[i - columns] - 2.0f * here;
    if (column == 0)
        horizontal = now[i + 1] - here;
    else if (column == columns - 1)
        horizontal = now[i - 1] - here;
    else
        horizontal = now[i + 1] + now[i - 1] - 2.0f * here;
    next[i] = here + rate * (power[i] + vertical * per_row + horizontal * per_column
                             + (80.0f - here) * per_layer);
}
