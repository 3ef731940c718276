// SPDX-License-Identifier: 0BSD
//
// Ranges of NVTX (in a domain "accrs"): of each compute construct, and of what data directives,
// updates and waits do. Compiled by itself: nothing here needs the rest of the runtime but its events.
#include "nvtx.hpp"

#if __has_include(<nvtx3/nvToolsExt.h>)

#include "../include/acc_callback.h"

#include <cstdio>
#include <dlfcn.h>
#include <initializer_list>
#include <nvtx3/nvToolsExt.h>

// glibc's: before 2.34 they are in a library of their own.
extern "C" {
#pragma weak dlopen
#pragma weak dlsym
#pragma weak dlclose
}

namespace accrs {

namespace {

nvtxDomainHandle_t domain = nullptr;

const char *word(const acc_other_event_info &event)
{
    switch (event.event_type) {
    case acc_ev_enter_data_start:
        return "enter data";
    case acc_ev_exit_data_start:
        return "exit data";
    case acc_ev_update_start:
        return "update";
    case acc_ev_wait_start:
        return "wait";
    default:
        break;
    }
    switch (event.parent_construct) {
    case acc_construct_kernels:
        return "kernels";
    case acc_construct_serial:
        return "serial";
    default:
        return "parallel";
    }
}

void begin(acc_callback_info *info, acc_event_info *event, acc_api_info *)
{
    char text[256];
    const char *file = info->src_file == nullptr ? "" : info->src_file;
    std::snprintf(text, sizeof text, "%s %s:%d %s", word(event->other_event), file, info->line_no,
                  info->func_name == nullptr ? "" : info->func_name);
    nvtxEventAttributes_t attributes{};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = text;
    (void)nvtxDomainRangePushEx(domain, &attributes);
}

void end(acc_callback_info *, acc_event_info *, acc_api_info *)
{
    (void)nvtxDomainRangePop(domain);
}

} // namespace

void start_nvtx()
{
    if (dlopen == nullptr)
        return;
    domain = nvtxDomainCreateA("accrs");
    if (domain == nullptr)
        return; // no tool listens
    for (const acc_event_t start : {acc_ev_enter_data_start, acc_ev_exit_data_start, acc_ev_update_start,
                                    acc_ev_compute_construct_start, acc_ev_wait_start}) {
        acc_callback_register(start, begin, acc_reg);
        acc_callback_register(static_cast<acc_event_t>(start + 1), end, acc_reg);
    }
}

} // namespace accrs

#else

namespace accrs {

void start_nvtx() {}

} // namespace accrs

#endif
