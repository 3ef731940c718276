// SPDX-License-Identifier: 0BSD
//
// Updates of the program that bring nothing new, however often they are carried out.
#ifndef ACCRS_CHECKS_UPDATES_HPP
#define ACCRS_CHECKS_UPDATES_HPP

namespace accrs::checks {

// Whether the directive that is carried out is the one of that name.
bool directive_is(const char *name);
// It has copied a section of that name; `needless`: what was there already.
void note_update(const char *name, bool to_host, bool needless);

} // namespace accrs::checks

#endif
