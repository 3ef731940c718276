#include "text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int text_to_double(const char *text, double *value)
{
    char *end;
    errno = 0;
    const double read = strtod(text, &end);
    if (end == text || *end != '\0' || errno == ERANGE || !isfinite(read))
        return 0;
    *value = read;
    return 1;
}

int text_to_long(const char *text, long *value)
{
    char *end;
    errno = 0;
    const long read = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0)
        return 0;
    *value = read;
    return 1;
}

char *text_trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    text[length] = '\0';
    return text;
}

int text_index(const char *const *words, const char *word)
{
    for (int i = 0; words[i] != NULL; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    return -1;
}

void text_join(const char *const *words, char *buffer, size_t size)
{
    size_t length = 0;
    buffer[0] = '\0';
    for (int i = 0; words[i] != NULL; i++) {
        const size_t wanted = strlen(words[i]) + (i > 0 ? 2 : 0);
        if (length + wanted + 1 > size)
            return;
        strcpy(buffer + length, i > 0 ? ", " : "");
        strcat(buffer + length, words[i]);
        length += wanted;
    }
}
