#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    double value;
    struct node *next;
};

struct matrix {
    int rows, columns;
    double **row;
};

static double table[64];
static int counts[8];
#pragma acc declare create(counts)

#pragma acc routine seq
static void count(int i)
{
#pragma acc atomic update
    counts[i % 8]++;
}

static double total(const struct node *heads[], int n)
{
    double sum = 0;
#pragma acc parallel loop reduction(+ : sum)
    for (int i = 0; i < n; i++) {
        double own = 0;
        for (const struct node *at = heads[i]; at != NULL; at = at->next)
            own += at->value;
        sum += own;
    }
    return sum;
}

static void scale(struct matrix *m, double factor)
{
#pragma acc parallel loop collapse(2)
    for (int i = 0; i < m->rows; i++)
        for (int j = 0; j < m->columns; j++)
            m->row[i][j] *= factor;
}

/* No bounds can be known: the subscripts are data. */
static void scatter(int n, const int *to, const double *from, double *out)
{
#pragma acc parallel loop
    for (int i = 0; i < n; i++)
        out[to[i]] = from[i];
}

int main(void)
{
    enum { lists = 10, n = 100 };
    const struct node *heads[lists];
    for (int i = 0; i < lists; i++) {
        struct node *head = NULL;
        for (int k = 0; k <= i; k++) {
            struct node *fresh = malloc(sizeof *fresh);
            fresh->value = k + 0.5;
            fresh->next = head;
            head = fresh;
        }
        heads[i] = head;
    }
    printf("lists %g\n", total(heads, lists));

    struct matrix m = {3, 4, malloc(3 * sizeof(double *))};
    for (int i = 0; i < 3; i++) {
        m.row[i] = malloc(4 * sizeof(double));
        for (int j = 0; j < 4; j++)
            m.row[i][j] = i + j;
    }
    scale(&m, 2);
    printf("rows %g %g\n", m.row[1][1], m.row[2][3]);

    int *to = malloc(n * sizeof *to);
    double *from = malloc(n * sizeof *from), *out = malloc(n * sizeof *out);
    for (int i = 0; i < n; i++) {
        to[i] = (i * 37) % n;
        from[i] = i;
        out[i] = -1;
    }
    scatter(n, to, from, out);
    printf("scatter %g %g %g\n", out[0], out[37], out[74]);

    /* What a copyin leaves out is there: the memory is one. */
#pragma acc parallel loop copyin(table)
    for (int i = 0; i < 64; i++)
        table[i] = i;
    printf("copyin %g\n", table[63]);

    /* The host reads what the region has made, and the region what the host has. */
#pragma acc data create(table)
    {
#pragma acc parallel loop present(table)
        for (int i = 0; i < 64; i++)
            table[i] += 1;
        printf("inside %g\n", table[63]);
        table[0] = 1000;
#pragma acc update device(table[0:1])
#pragma acc parallel loop
        for (int i = 0; i < 64; i++)
            table[i] += 1;
#pragma acc update self(table)
    }
    printf("after %g %g\n", table[0], table[63]);

    /* `present` of what no clause has named. */
#pragma acc parallel loop present(out[0:n])
    for (int i = 0; i < n; i++)
        out[i] = i;
    printf("present %d %d %d\n", acc_is_present(out, n * sizeof *out), acc_deviceptr(out) == out, acc_hostptr(out) == out);
#pragma acc host_data use_device(out)
    printf("use_device %d\n", out != NULL && out[5] == 5);

#pragma acc parallel loop async(1) copy(out[0:n])
    for (int i = 0; i < n; i++)
        out[i] *= 2;
#pragma acc parallel loop async(1) copy(out[10:20])
    for (int i = 10; i < 30; i++)
        out[i] += 1;
#pragma acc update self(out[0:n]) async(1)
#pragma acc wait(1)
    printf("async %g %g %g\n", out[9], out[10], out[30]);

    double *device = acc_malloc(n * sizeof *device);
#pragma acc parallel loop deviceptr(device)
    for (int i = 0; i < n; i++)
        device[i] = i * 3;
    acc_memcpy_from_device(from, device, n * sizeof *from);
    printf("malloc %g %d\n", from[99], acc_hostptr(device) == NULL);
    acc_map_data(from, device, n * sizeof *from);
#pragma acc parallel loop present(from[0:n])
    for (int i = 0; i < n; i++)
        from[i] += 1;
    printf("mapped %g %d\n", from[99], acc_deviceptr(from) == device);
#pragma acc update self(from[0:n])
    printf("mapped %g\n", from[99]);
    acc_unmap_data(from);
    acc_free(device);

#pragma acc parallel loop
    for (int i = 0; i < 24; i++)
        count(i);
    printf("counts %d\n", counts[0]);
    counts[0] = 0;
#pragma acc update device(counts)
#pragma acc parallel loop
    for (int i = 0; i < 24; i++)
        count(i);
    printf("counts %d %d\n", counts[0], counts[1]);
    printf("shared %d\n", (int)acc_get_property(0, acc_device_current, acc_property_shared_memory_support));
    return 0;
}
