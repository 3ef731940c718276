/* Errors end the program with one line. */
#ifndef ERROR_H
#define ERROR_H

/* The name that messages begin with. */
void error_program(const char *name);

/* Prints the message and ends the program with status 1. */
_Noreturn void error_exit(const char *format, ...);

/* A message that ends nothing. */
void error_warn(const char *format, ...);

#endif
