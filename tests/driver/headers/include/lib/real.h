#ifndef REAL_H
#define REAL_H
typedef double real;
#define LARGEST 1000
#endif
