// Which sections of a test an execution enters, for a framework that runs a test once for each of its
// sections.
//
// An execution enters, on each level, the first section that is not done, and no other one there. A section
// is done when an execution has left it without meeting another one in it that is to be entered, too.
#pragma once

#include <string>
#include <vector>

namespace hocket::sections {

/// A section and those around it, from the outermost.
using Path = std::vector<std::string>;

/// The sections of another test follow, of which none is done.
void begin_test();

/// Whether the section is to be entered that the execution has come to. Called in a body, like leave() and
/// note_entered(), and always by the same thread.
bool enter(const std::string& section);
/// The section is left that was entered last.
void leave();

/// For a framework that chooses sections itself, also in bodies: the execution has entered this one.
void note_entered(const std::string& section);
/// The execution has left a section that it had entered.
void note_left();

/// Notes what the last execution has done. Returns whether there are sections left to be entered.
bool advance();
/// The innermost of the sections that the last execution has entered first: see note_entered().
const Path& entered();

/// What is known of the last execution, as text; and takes that over, from a child process.
std::string to_record();
void read_record(const std::string& record);

}  // namespace hocket::sections
