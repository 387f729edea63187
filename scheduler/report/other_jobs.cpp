#include "other_jobs.hpp"

#include <cstdlib>
#include <fstream>
#include <limits>
#include <system_error>

#include "../schedules/schedule_file.hpp"
#include "../schedules/whole_file.hpp"
#include "report_file.hpp"

namespace hocket {

namespace fs = std::filesystem;

namespace {

unsigned bound_in(const fs::path& file) {
  unsigned bound = std::numeric_limits<unsigned>::max();
  std::ifstream(file) >> bound;
  return bound;
}

}  // namespace

// Several searches of a program may have one name.
OtherJobs::OtherJobs(const std::string& test) : OtherJobs(test, searches_in_report_file(test)) {}

OtherJobs::OtherJobs(const std::string& test, std::size_t n) {
  const char* const folder = std::getenv(kVariable);
  if (folder != nullptr) file_ = fs::path(folder) / (schedule_file_stem(test) + "-" + std::to_string(n));
}

// A higher bound may take the place of a lower one that is written at the same time. The others then search
// for longer.
void OtherJobs::tell_of_failure(unsigned bound) const {
  if (bound_in(file_) <= bound) return;
  try {
    replace_file(file_, std::to_string(bound) + "\n", file_steps::Outlives::processes);
  } catch (const std::system_error&) {
    return;  // and if the folder is full or gone, to their ends
  }
}

bool OtherJobs::have_failed(unsigned bound, std::chrono::steady_clock::time_point now) {
  constexpr std::chrono::milliseconds kSeldom(20);
  if (!are_there()) return false;
  if (now - looked_ >= kSeldom) {
    looked_ = now;
    least_ = bound_in(file_);
  }
  return least_ <= bound;
}

bool OtherJobs::may_have_saved(const fs::path& file) {
  const char* const folder = std::getenv(kVariable);
  if (folder == nullptr) return false;
  std::error_code error;
  const fs::file_time_type begin = fs::last_write_time(fs::path(folder) / kBegin, error);
  const fs::file_time_type saved = fs::last_write_time(file, error);
  return !error && saved >= begin;
}

}  // namespace hocket
