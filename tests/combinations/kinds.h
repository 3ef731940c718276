/*
 * What the programs of the table share: the types of their variables, and how their results are
 * compared. A function of the table fills `out`: the elements of its loop, then what the host finds
 * in the variable, then what else it saw.
 */
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENACC
#include <openacc.h>
#endif

enum { SHARED = 16, RESULTS = 32 };

enum level { LOW = 1, MIDDLE = 3, HIGH = 5 };

struct fields {
    unsigned narrow : 5;
    int wide;
};

struct plain {
    int m;
    double w;
};

struct outer {
    int before;
    struct plain inner;
};

union either {
    int m;
    float f;
};

struct flexible {
    int n;
    int v[];
};

typedef int whole;
