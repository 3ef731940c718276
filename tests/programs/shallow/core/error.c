#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const char *program = "shallow";

void error_program(const char *name)
{
    program = name;
}

_Noreturn void error_exit(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: ", program);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

void error_warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: warning: ", program);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}
