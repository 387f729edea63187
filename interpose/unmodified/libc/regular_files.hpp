// Regular files and names of files, between the threads of a body.
//
// Each regular file is a modelled object, with its contents, its positions and what is known of it; names and
// numbers of files are part of the one that stands for all else that the system keeps (open_files.hpp). A
// call on them is a step, after which the system makes it before any other thread runs. There is no model of
// a file system: a step only says what the call reaches.
#pragma once

#include <cstdint>
#include <span>

#include "../../../runtime/execution/execution_options.hpp"

namespace hocket::unmodified {

/// What a call does to a file, beyond taking what others have given.
enum class OnFile : std::uint8_t {
  looks,  ///< nothing
  moves,  ///< it changes a position
  changes
};

/// To be called before a call of the program on the regular files behind the descriptors: makes its step.
/// False, and none, if the first is no such file. `function`: its name, for reports.
bool step_on_files(const char* function, std::span<const int> descriptors, OnFile does, const void* caller);
inline bool step_on_file(const char* function, int descriptor, OnFile does, const void* caller) {
  return step_on_files(function, {&descriptor, 1}, does, caller);
}
/// The same for a call by which the number stands for another file, or for none. If the number is not open,
/// it only notes that.
void step_on_number(const char* function, int descriptor, const void* caller);

/// A file, by its path from a folder (AT_FDCWD).
struct NamedFile {
  int folder = 0;
  const char* path = nullptr;  ///< or nullptr
};
/// What a call does with names.
struct OnNames {
  bool changes = false;
  bool only_adds = false;      ///< fails if there is a file of the last name
  bool reaches_files = false;  ///< also the files that have those names
  bool makes_anew = false;     ///< what had the name before does not matter: it is removed, or emptied
};
/// To be called before a call of the program on names: makes its step.
void step_on_names(
    const char* function, std::span<const NamedFile> names, const OnNames& does, const void* caller);

/// To be called when a body has got a descriptor, after the step. `is_made`: it has made the file.
void note_file(int descriptor, bool is_made = false);

/// Called when an execution is over. If it was cut short, the names that it has made are removed.
void end_regular_files(const runtime::ExecutionOptions& options);

}  // namespace hocket::unmodified
