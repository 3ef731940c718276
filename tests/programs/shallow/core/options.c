#include "options.h"

#include <errno.h>
#include <string.h>

#include "error.h"
#include "memory.h"
#include "text.h"

static const struct option *find(const struct option *options, const char *name, size_t length)
{
    for (; options->name != NULL; options++)
        if (strlen(options->name) == length && strncmp(options->name, name, length) == 0)
            return options;
    return NULL;
}

static void set_number(const struct option *option, const char *text)
{
    double real = 0;
    long integer = 0;
    const int whole = option->kind == OPTION_INTEGER;
    const int read = whole ? text_to_long(text, &integer) : text_to_double(text, &real);
    if (whole)
        real = (double)integer;
    if (!read)
        error_exit("%s: `%s` is not %s number", option->name, text, whole ? "a whole" : "a");
    if (real < option->low || real > option->high)
        error_exit("%s: %s is not between %g and %g", option->name, text, option->low, option->high);
    if (whole)
        *(int *)option->value = (int)integer;
    else
        *(double *)option->value = real;
}

static void set(const struct option *option, const char *text)
{
    char words[256];
    switch (option->kind) {
    case OPTION_INTEGER:
    case OPTION_REAL:
        set_number(option, text);
        return;
    case OPTION_CHOICE: {
        const int index = text_index(option->choices, text);
        text_join(option->choices, words, sizeof words);
        if (index < 0)
            error_exit("%s: `%s` is none of %s", option->name, text, words);
        *(int *)option->value = index;
        return;
    }
    case OPTION_TEXT:
        memory_release(*(char **)option->value);
        *(char **)option->value = memory_string(text);
        return;
    case OPTION_SWITCH:
        if (strcmp(text, "yes") != 0 && strcmp(text, "no") != 0)
            error_exit("%s: `%s` is neither yes nor no", option->name, text);
        *(int *)option->value = strcmp(text, "yes") == 0;
        return;
    }
}

int options_parse(const struct option *options, int argc, char **argv)
{
    int at = 1;
    while (at < argc && strncmp(argv[at], "--", 2) == 0) {
        const char *name = argv[at] + 2;
        const size_t length = strcspn(name, "=");
        if (length == 0)
            return at + 1;
        const struct option *option = find(options, name, length);
        const int file = length == strlen("parameters") && strncmp(name, "parameters", length) == 0;
        if (option == NULL && !file)
            error_exit("there is no option --%.*s", (int)length, name);
        at++;
        const char *value = name + length + 1;
        if (name[length] == '\0' && option != NULL && option->kind == OPTION_SWITCH)
            value = "yes";
        else if (name[length] == '\0') {
            if (at == argc)
                error_exit("--%s needs a value", name);
            value = argv[at++];
        }
        if (file)
            options_read(options, value);
        else
            set(option, value);
    }
    return at;
}

void options_read(const struct option *options, const char *path)
{
    FILE *file = fopen(path, "r");
    if (file == NULL)
        error_exit("%s: %s", path, strerror(errno));
    char line[512];
    for (int number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        line[strcspn(line, "#\n")] = '\0';
        char *name = text_trim(line);
        if (*name == '\0')
            continue;
        char *value = strchr(name, '=');
        if (value == NULL)
            error_exit("%s:%d: NAME = VALUE expected", path, number);
        *value++ = '\0';
        name = text_trim(name);
        const struct option *option = find(options, name, strlen(name));
        if (option == NULL)
            error_exit("%s:%d: there is no parameter %s", path, number, name);
        set(option, text_trim(value));
    }
    if (ferror(file))
        error_exit("%s: %s", path, strerror(errno));
    fclose(file);
}

static void write_value(const struct option *option, FILE *file)
{
    const char *text;
    switch (option->kind) {
    case OPTION_INTEGER:
        fprintf(file, "%d", *(const int *)option->value);
        return;
    case OPTION_REAL:
        fprintf(file, "%.17g", *(const double *)option->value);
        return;
    case OPTION_CHOICE:
        fputs(option->choices[*(const int *)option->value], file);
        return;
    case OPTION_TEXT:
        text = *(char *const *)option->value;
        fputs(text == NULL ? "" : text, file);
        return;
    case OPTION_SWITCH:
        fputs(*(const int *)option->value ? "yes" : "no", file);
        return;
    }
}

void options_write(const struct option *options, FILE *file)
{
    for (; options->name != NULL; options++) {
        if (options->kind == OPTION_TEXT && *(char *const *)options->value == NULL)
            continue;
        fprintf(file, "%s = ", options->name);
        write_value(options, file);
        fputc('\n', file);
    }
}

void options_help(const struct option *options, FILE *file)
{
    for (; options->name != NULL; options++) {
        char words[256] = "";
        if (options->kind == OPTION_CHOICE)
            text_join(options->choices, words, sizeof words);
        fprintf(file, "  --%-16s %s", options->name, options->help);
        if (words[0] != '\0')
            fprintf(file, ": %s", words);
        fputs(" [", file);
        write_value(options, file);
        fputs("]\n", file);
    }
}

void options_release(const struct option *options)
{
    for (; options->name != NULL; options++)
        if (options->kind == OPTION_TEXT) {
            memory_release(*(char **)options->value);
            *(char **)options->value = NULL;
        }
}
