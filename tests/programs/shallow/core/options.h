/* Options of the command line and of parameter files: one table serves both. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdio.h>

enum option_kind { OPTION_INTEGER, OPTION_REAL, OPTION_CHOICE, OPTION_TEXT, OPTION_SWITCH };

struct option {
    const char *name;
    enum option_kind kind;
    /* int, double, int (an index into `choices`), char *, int. */
    void *value;
    /* Limits of numbers. */
    double low, high;
    /* The words of a choice, NULL at the end. */
    const char *const *choices;
    const char *help;
};

/* Reads --name value and --name=value, and --parameters FILE; gives the index of the first other. */
int options_parse(const struct option *options, int argc, char **argv);

/* Reads lines NAME = VALUE; # begins a comment. */
void options_read(const struct option *options, const char *path);

/* Every option with its value, as a parameter file. */
void options_write(const struct option *options, FILE *file);

/* A line for each option. */
void options_help(const struct option *options, FILE *file);

/* Releases the texts that were read. */
void options_release(const struct option *options);

#endif
