// System calls on the files in one folder that fail when a test says so.
//
// The linker has Hocket's calls of these functions of libc come here first. Those of libc itself do not.
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace hocket::faults {

enum class Call { open, write, flock, fsync, close, renameat2, link, rename, unlink, mkdir, fchmod, fchown };
inline constexpr std::array kCallNames{"open", "write", "flock", "fsync", "close", "renameat2", "link",
    "rename", "unlink", "mkdir", "fchmod", "fchown"};
inline constexpr std::size_t kCalls = kCallNames.size();

/// An error number that stands for a write() of one byte alone, which is no error.
inline constexpr int kShortWrite = -1;

struct Fault {
  Call call = Call::open;
  unsigned nth = 0;    ///< which one fails, beginning with 1; 0: none
  int error = 0;       ///< an error number, or kShortWrite
  bool stays = false;  ///< all that come after it fail, too, as on a full disk
};

/// Has this process and those that it forks count together. To be called once, before the others.
void share_counts();

/// From here on, calls on what is in `folder` are counted, and fail as `fault` says.
void begin_faults(const std::string& folder, const Fault& fault);

/// How often each call was made since then.
const std::array<unsigned, kCalls>& calls_made();

/// Whether the fault has come.
bool has_come();

}  // namespace hocket::faults
