/* Reading of numbers and words, all of them or not at all. */
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>

/* Give 0 where the whole text is not a number of that kind. */
int text_to_double(const char *text, double *value);
int text_to_long(const char *text, long *value);

/* Cuts white space off both ends, in place. */
char *text_trim(char *text);

/* The index of a word in a list that ends with NULL, or -1. */
int text_index(const char *const *words, const char *word);

/* All words of such a list with commas between them. */
void text_join(const char *const *words, char *buffer, size_t size);

#endif
