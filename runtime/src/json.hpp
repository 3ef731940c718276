// SPDX-License-Identifier: 0BSD
#ifndef ACCRS_JSON_HPP
#define ACCRS_JSON_HPP

#include <string>

namespace accrs {

// A string of JSON.
std::string quoted(const std::string &text);

} // namespace accrs

#endif
