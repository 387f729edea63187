// The steps in which a file comes into being, whole or not at all: under a temporary name first.
//
// They allocate nothing and only call the system, so that the handler of a signal can take them, too. A call
// that a signal interrupts is made again.
#pragma once

#include <csignal>
#include <cstddef>

namespace hocket::file_steps {

/// Makes an empty file, which must not exist yet, and locks it for as long as it is open: who finds it later
/// and can lock it knows that its process is gone. Returns its descriptor, or an error number below zero.
int make(const char* temporary);

/// Writes all of the text. Returns 0 or an error number.
int put(int file, const char* text, std::size_t size);

/// What a file outlives.
enum class Outlives {
  processes,  ///< the end of the process that writes it, however it comes
  power_cuts  ///< for which one has to wait for the disk
};

/// Closes the file. Returns 0 or an error number, for which the file is closed, too.
int finish(int file, Outlives what);

/// Gives the file a name that is not taken. Returns 0, EEXIST if the name is taken, or another error number.
/// Unless it returns 0, the file keeps its temporary name, and nothing has the other name because of this.
int give_name(const char* temporary, const char* name);

/// Gives the file a name, and replaces any file of that name. Returns 0 or an error number.
int replace(const char* temporary, const char* name);

/// Removes the file, if it is there.
void remove(const char* file);

/// Brings the names in a folder to the disk. If a file system refuses that, nothing can be done about it.
void sync_folder(const char* folder);

/// What the error number means, in words; empty for those that do not come from files.
const char* words_for(int error);
/// What a person can do about it.
const char* advice_on(int error);

/// While an object of this class exists, a write beyond the limit on the size of files (RLIMIT_FSIZE) fails
/// with EFBIG, and does not end the process.
class TooLargeIsAnError {
 public:
  TooLargeIsAnError();
  ~TooLargeIsAnError();
  TooLargeIsAnError(const TooLargeIsAnError&) = delete;
  TooLargeIsAnError& operator=(const TooLargeIsAnError&) = delete;

 private:
  struct sigaction previous_ {};
};

}  // namespace hocket::file_steps
