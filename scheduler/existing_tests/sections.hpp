// Which sections of a test an execution enters, for a framework that runs a test once for each of its
// sections.
//
// An execution enters, on each level, the first section that is not done, and no other one there. A section
// is done when an execution has left it without meeting another one in it that is to be entered, too.
#pragma once

#include <string>

namespace hocket::sections {

/// The sections of another test follow, of which none is done.
void begin_test();

/// Whether the section is to be entered that the execution has come to. Called on a fiber, like leave(), and
/// always by the same thread.
bool enter(const std::string& section);
/// The section is left that was entered last.
void leave();

/// Notes what the last execution has done. Returns whether there are sections left to be entered.
bool advance();

}  // namespace hocket::sections
