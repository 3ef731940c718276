// SPDX-License-Identifier: 0BSD
//
// Which other launches and copies the running launch may overlap with.
#ifndef ACCRS_CHECKS_ORDER_HPP
#define ACCRS_CHECKS_ORDER_HPP

#include "report.hpp"
#include "shadow.hpp"

namespace accrs::checks {

// Whether the tag of an earlier launch or copy is of one that is not known to be over.
bool overlaps_launch(Tag earlier);
// What is known of that.
void describe_other_launch(Finding &finding, Tag other, std::uint32_t other_site);

} // namespace accrs::checks

#endif
