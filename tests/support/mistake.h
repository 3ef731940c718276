/*
 * Which mistake a serial program makes: the one whose number ACCRS_MISTAKE has, or none. It comes
 * before the program, and includes nothing that the program may want otherwise.
 */
static int accrs_mistake = -1;

__attribute__((constructor)) static void accrs_choose_mistake(void)
{
    extern char *getenv(const char *);
    const char *digit = getenv("ACCRS_MISTAKE");
    if (digit)
        for (accrs_mistake = 0; *digit; digit++)
            accrs_mistake = 10 * accrs_mistake + (*digit - '0');
}
