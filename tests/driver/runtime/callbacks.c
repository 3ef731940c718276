// Callbacks of events (OpenACC 3.3, 5.4 and 5.5): their order, what switches them, what they change
// while an event is under way, what a start leaves for its end.
#include <acc_prof.h>
#include <openacc.h>
#include <stdio.h>
#include <string.h>

#define N 10
#define START acc_ev_update_start
#define END acc_ev_update_end

static char said[200];
static int a[N];

static void say(const char *what)
{
    strcat(said, what);
}

#define PLAIN(name) \
    static void name(acc_callback_info *where, acc_event_info *event, acc_api_info *api) \
    { \
        (void)where, (void)event, (void)api; \
        say(#name); \
    }
PLAIN(A)
PLAIN(B)
PLAIN(C)

static void adds(acc_callback_info *where, acc_event_info *event, acc_api_info *api)
{
    (void)event, (void)api;
    say("+");
    acc_callback_register(where->event_type, C, acc_reg);
}

static void removes(acc_callback_info *where, acc_event_info *event, acc_api_info *api)
{
    (void)event, (void)api;
    say("-");
    acc_callback_unregister(where->event_type, B, acc_reg);
}

static void enables(acc_callback_info *where, acc_event_info *event, acc_api_info *api)
{
    (void)event, (void)api;
    say("*");
    acc_callback_register(where->event_type, B, acc_toggle);
}

static void asks(acc_callback_info *where, acc_event_info *event, acc_api_info *api)
{
    (void)where, (void)event, (void)api;
    say(acc_get_device_num(acc_device_current) == 0 && acc_get_property(0, acc_device_current, acc_property_memory) > 0
            ? "asked"
            : "?");
}

static int one, other;

static void first_tool(acc_callback_info *where, acc_event_info *event, acc_api_info *api)
{
    (void)where, (void)api;
    const void *left = event->other_event.tool_info;
    say(left == NULL ? "1" : left == &one ? "1=" : "1?");
    event->other_event.tool_info = &one;
}

static void second_tool(acc_callback_info *where, acc_event_info *event, acc_api_info *api)
{
    (void)where, (void)api;
    const void *left = event->other_event.tool_info;
    say(left == NULL ? "2" : left == &other ? "2=" : "2?");
    event->other_event.tool_info = &other;
}

static void launch(acc_callback_info *where, acc_event_info *event, acc_api_info *api)
{
    (void)api;
    const acc_launch_event_info *info = &event->launch_event;
    char text[100];
    if (where->event_type == acc_ev_enqueue_launch_start)
        return say(info->kernel_name == NULL ? "launch " : "? ");
    const size_t *gangs = info->num_gangs_per_dim;
    size_t product = 1;
    for (size_t i = 1; i <= gangs[0]; i++)
        product *= gangs[i];
    sprintf(text, "%d %zu %zu", info->kernel_name != NULL, product - info->num_gangs, info->vector_length);
    say(text);
}

static void waited(acc_callback_info *where, acc_event_info *event, acc_api_info *api)
{
    (void)event, (void)api;
    char text[30];
    sprintf(text, "%d ", (int)where->async);
    say(text);
}

static void implied(acc_callback_info *where, acc_event_info *event, acc_api_info *api)
{
    (void)where, (void)api;
    say(event->data_event.var_name);
    say(event->data_event.implicit ? "! " : " ");
}

static void show(const char *what)
{
    said[0] = '\0';
    #pragma acc update self(a)
    printf("%s: %s\n", what, said);
}

static void on(acc_event_t event, acc_callback callback)
{
    acc_callback_register(event, callback, acc_reg);
}

static void off(acc_event_t event, acc_callback callback)
{
    acc_callback_unregister(event, callback, acc_reg);
}

static void order(void)
{
    on(START, A), on(START, B), on(START, C), on(END, A), on(END, B), on(END, C);
    show("ends backwards");
    off(START, A), on(START, A);
    show("again is last");
    acc_prof_unregister(START, B, acc_toggle);
    show("B off");
    acc_prof_register(START, B, acc_toggle);
    show("B on, in its place");
    acc_callback_unregister(END, NULL, acc_toggle);
    acc_callback_unregister(END, A, acc_toggle);
    show("ends off");
    acc_callback_register(END, NULL, acc_toggle);
    show("ends on, not A");
    acc_callback_unregister(acc_ev_none, NULL, acc_toggle);
    acc_callback_register(START, B, acc_toggle);
    show("all off");
    acc_callback_register(acc_ev_none, NULL, acc_toggle);
    off(END, A), on(END, A);
    show("all on, A anew");
    off(START, A), off(START, B), off(START, C), off(END, A), off(END, B), off(END, C);
    show("none");
}

static void changes(void)
{
    on(START, A), on(START, adds), on(START, removes), on(START, B);
    on(END, A), on(END, adds);
    show("C is added, B removed");
    off(START, adds), off(START, removes), off(END, adds);
    show("then");
    off(START, A), off(START, C), off(END, A), off(END, C);
    on(START, enables), on(START, B);
    acc_callback_unregister(START, B, acc_toggle);
    show("enabled on the way");
    off(START, enables), off(START, B);
}

int main(void)
{
    int b[N] = {0}, c[N], *pointer = c;
    on(acc_ev_device_init_start, asks);
    acc_init(acc_device_nvidia);
    printf("init: %s\n", said);
    acc_copyin(a, sizeof a);
    order();
    changes();
    on(START, first_tool), on(START, second_tool), on(END, first_tool), on(END, second_tool);
    show("tools");
    off(START, first_tool), off(START, second_tool), off(END, first_tool), off(END, second_tool);
    on(acc_ev_compute_construct_start, first_tool), on(acc_ev_compute_construct_end, first_tool);
    on(acc_ev_enqueue_launch_start, launch), on(acc_ev_enqueue_launch_end, launch);
    said[0] = '\0';
    #pragma acc parallel loop present(a) vector_length(64) async(3)
    for (int i = 0; i < N; i++)
        a[i]++;
    printf("launch: %s\n", said);
    off(acc_ev_compute_construct_start, first_tool), off(acc_ev_compute_construct_end, first_tool);
    off(acc_ev_enqueue_launch_start, launch), off(acc_ev_enqueue_launch_end, launch);
    on(acc_ev_wait_start, waited);
    said[0] = '\0';
    #pragma acc wait(3)
    #pragma acc wait
    printf("waits: %s\n", said);
    off(acc_ev_wait_start, waited);
    on(acc_ev_create, implied), on(acc_ev_delete, implied);
    said[0] = '\0';
    #pragma acc parallel loop copyout(b)
    for (int i = 0; i < N; i++)
        b[i] = pointer[i] = a[i];
    void *memory = acc_malloc(sizeof b);
    acc_map_data(b, memory, sizeof b);
    acc_unmap_data(b);
    acc_free(memory);
    printf("data: %s\n", said);
    return b[0] != c[0];
}
